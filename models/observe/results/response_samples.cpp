#include "armature/observe/statistics.h"

#include <algorithm>
#include <cmath>

namespace armature::observe {
namespace {

constexpr unsigned kOperationShift = 61;
constexpr std::uint64_t kResponseMask = (std::uint64_t{1} << kOperationShift) - 1;  // 26 days

std::uint64_t key(Operation operation, Ps response) {
  return std::uint64_t{static_cast<std::uint8_t>(operation)} << kOperationShift |
         std::min(static_cast<std::uint64_t>(response), kResponseMask);
}

/// ceil(q * n), 1 .. n
std::uint64_t rank(double q, std::uint64_t n) {
  const double r = std::ceil(q * static_cast<double>(n));
  return std::clamp<std::uint64_t>(r < 1 ? 1 : static_cast<std::uint64_t>(r), 1, n);
}

}  // namespace

ResponseSamples::ResponseSamples(std::size_t capacity) : capacity_(capacity), random_(0, "observe.responses") {}

void ResponseSamples::add(Operation operation, Ps response) {
  ++seen_;
  if (keys_.size() < capacity_) {
    keys_.push_back(key(operation, response));
    return;
  }
  const std::uint64_t at = random_.below(seen_);
  if (at < capacity_) keys_[at] = key(operation, response);
}

void ResponseSamples::sort() {
  std::sort(keys_.begin(), keys_.end());
}

/// Index of the first sample of `operation`; requires sort().
std::size_t ResponseSamples::first(Operation operation) const {
  return static_cast<std::size_t>(std::lower_bound(keys_.begin(), keys_.end(), key(operation, 0)) - keys_.begin());
}

std::uint64_t ResponseSamples::size(Operation operation) const {
  const auto end = std::upper_bound(keys_.begin(), keys_.end(), key(operation, static_cast<Ps>(kResponseMask)));
  return static_cast<std::uint64_t>(end - keys_.begin()) - first(operation);
}

std::uint64_t ResponseSamples::count_up_to(Ps response) const {
  std::uint64_t count = 0;
  for (const Operation operation : {Operation::read, Operation::write, Operation::flush}) {
    const auto end = std::upper_bound(keys_.begin(), keys_.end(), key(operation, response));
    count += static_cast<std::uint64_t>(end - keys_.begin()) - first(operation);
  }
  return count;
}

Ps ResponseSamples::quantile(double q) const {
  if (keys_.empty()) return 0;
  // The three sorted groups have no common order: bisect the value. The smallest one that reaches the rank is in the
  // sample.
  const std::uint64_t wanted = rank(q, keys_.size());
  Ps low = 0, high = static_cast<Ps>(kResponseMask);
  while (low < high) {
    const Ps middle = low + (high - low) / 2;
    if (count_up_to(middle) >= wanted) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

Ps ResponseSamples::quantile(Operation operation, double q) const {
  const std::uint64_t n = size(operation);
  if (n == 0) return 0;
  return static_cast<Ps>(keys_[first(operation) + rank(q, n) - 1] & kResponseMask);
}

}  // namespace armature::observe
