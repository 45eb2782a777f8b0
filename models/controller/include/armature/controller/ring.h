#pragma once

#include <cstddef>
#include <vector>

namespace armature::controller {

/// First-in-first-out queue of fixed capacity, as hardware has it: no allocation after construction.
template <class T>
class Ring {
 public:
  explicit Ring(std::size_t capacity) : items_(capacity) {}

  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == items_.size(); }
  std::size_t size() const { return size_; }
  /// Requires not empty().
  T& front() { return items_[first_]; }
  const T& front() const { return items_[first_]; }
  /// Requires not full().
  void push(const T& item) {
    std::size_t at = first_ + size_++;
    if (at >= items_.size()) at -= items_.size();
    items_[at] = item;
  }
  /// Requires not empty().
  void pop() {
    if (++first_ == items_.size()) first_ = 0;
    --size_;
  }
  void clear() { size_ = 0; }

 private:
  std::vector<T> items_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace armature::controller
