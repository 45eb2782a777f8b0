#pragma once

#include "armature/core/time.h"
#include "armature/workload/source.h"

#include <algorithm>
#include <cstdint>

namespace armature::testing {

/// Requests one after the other from `start` on without a pause, `outstanding` at once.
class StreamSource final : public workload::Source {
 public:
  StreamSource(Operation operation, Ps start, std::uint64_t first, std::uint32_t sectors, std::uint64_t count,
               unsigned outstanding)
      : operation_(operation), start_(start), first_(first), sectors_(sectors), count_(count), free_(outstanding) {}

  Next next(workload::Request& request) override {
    if (issued_ == count_) return Next::end;
    if (free_ == 0) return Next::after_completion;
    --free_;
    request = {};
    request.id = issued_;
    request.arrival = std::max(start_, now());
    request.operation = operation_;
    request.lbn = first_ + issued_++ * sectors_;
    request.sectors = sectors_;
    return Next::request;
  }
  void completed(const workload::Request&, Ps) override { ++free_; }

 private:
  const Operation operation_;
  const Ps start_;
  const std::uint64_t first_;
  const std::uint32_t sectors_;
  const std::uint64_t count_;
  unsigned free_;
  std::uint64_t issued_ = 0;
};

}  // namespace armature::testing
