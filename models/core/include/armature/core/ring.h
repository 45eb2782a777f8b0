#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace armature {

/// First-in-first-out queue of fixed capacity, as hardware has it: no allocation after construction.
template <class T>
class FixedRing {
 public:
  explicit FixedRing(std::size_t capacity) : items_(capacity) {}

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
    // Empty, it begins anew: a queue that is seldom long stays in the few cache lines that it used before.
    if (++first_ == items_.size() || size_ == 1) first_ = 0;
    --size_;
  }
  void clear() { first_ = size_ = 0; }

 private:
  std::vector<T> items_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

/// First-in first-out queue in one block of memory that only grows: no allocation in steady state, unlike std::deque.
template <class T>
class GrowingRing {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  const T& front() const { return slots_[first_]; }

  void push_back(const T& value) {
    if (size_ == slots_.size()) grow();
    slots_[(first_ + size_) & (slots_.size() - 1)] = value;
    ++size_;
  }
  void push_front(const T& value) {
    if (size_ == slots_.size()) grow();
    first_ = (first_ - 1) & (slots_.size() - 1);
    slots_[first_] = value;
    ++size_;
  }
  T pop_front() {
    T value = std::move(slots_[first_]);
    // Empty, it begins anew, as FixedRing does.
    first_ = --size_ == 0 ? 0 : (first_ + 1) & (slots_.size() - 1);
    return value;
  }

 private:
  void grow() {
    std::vector<T> larger(slots_.empty() ? 16 : 2 * slots_.size());
    for (std::size_t i = 0; i < size_; ++i) larger[i] = std::move(slots_[(first_ + i) & (slots_.size() - 1)]);
    slots_ = std::move(larger);
    first_ = 0;
  }

  std::vector<T> slots_;  ///< a power of two of them
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace armature
