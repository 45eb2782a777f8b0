#pragma once

#include <cstddef>

namespace armature::app {

/// Lets the operating system hold the heap of many drives in large pages: they take turns at every event, and together
/// reach over more small pages than a processor's table holds. Results do not depend on it; where the system has no
/// large pages nothing changes.
///
/// Used so: one before the first drive is built, `built` after each.
class LargePages {
 public:
  explicit LargePages(std::size_t drives);
  ~LargePages();
  LargePages(const LargePages&) = delete;
  LargePages& operator=(const LargePages&) = delete;

  void built();

 private:
  const std::size_t drives_;
  std::size_t built_ = 0;
  std::size_t before_;  ///< bytes that the heap had given out
};

}  // namespace armature::app
