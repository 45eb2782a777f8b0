#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace armature {

/// The same object for equal values, as long as somebody holds it. Tables that follow from the configuration are equal
/// in all drives of one file: shared, they stay in the processor's caches while the drives take turns. Needs ==.
template <class T>
std::shared_ptr<const T> shared_equal(T value) {
  static std::vector<std::weak_ptr<const T>> known;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < known.size(); ++i) {
    std::shared_ptr<const T> other = known[i].lock();
    if (!other) continue;
    if (*other == value) return other;
    if (kept != i) known[kept] = std::move(known[i]);
    ++kept;
  }
  known.resize(kept);
  auto own = std::make_shared<const T>(std::move(value));
  known.push_back(own);
  return own;
}

}  // namespace armature
