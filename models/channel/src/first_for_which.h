#pragma once

#include <algorithm>
#include <cstdint>

namespace armature::channel {

/// The least number above `none` for which `holds`: it holds for all above that one and not for `none`, and is not
/// asked about `all`. Looks near `guess` first.
template <class Holds>
std::uint32_t first_for_which(std::uint32_t none, std::uint32_t all, std::int64_t guess, const Holds& holds) {
  const std::int64_t low = std::int64_t{none} + 1, high = std::int64_t{all} - 1;
  auto at = static_cast<std::uint32_t>(std::max(std::min(guess, high), low));
  for (std::uint32_t step = 1; all - none > 1; step *= 2) {
    const bool found = holds(at);
    (found ? all : none) = at;
    const std::uint32_t left = all - none;
    at = step < left ? (found ? all - step : none + step) : none + left / 2;
  }
  return all;
}

}  // namespace armature::channel
