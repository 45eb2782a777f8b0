#pragma once

#include "armature/core/random.h"
#include "armature/core/time.h"
#include "armature/workload/source.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace armature::testing {

/// Random reads, so many outstanding at once.
class ClosedLoad final : public workload::Source {
 public:
  /// From `start` on, on a drive of so many sectors.
  ClosedLoad(std::uint64_t seed, std::uint64_t count, unsigned outstanding, std::uint64_t sectors, Ps start)
      : random_(seed, "arms"), left_(count), free_(outstanding), sectors_(sectors), last_(start) {}
  Next next(workload::Request& request) override {
    if (left_ == 0) return Next::end;
    if (free_ == 0) return Next::after_completion;
    --left_;
    --free_;
    request = {};
    request.id = id_++;
    request.arrival = last_;
    request.lbn = random_.below(sectors_);
    request.sectors = 1;
    return Next::request;
  }
  void completed(const workload::Request&, Ps at) override {
    ++free_;
    // Without a relation to the turns.
    last_ = std::max(last_, at + static_cast<Ps>(random_.below(20 * kPsPerMs)));
  }

 private:
  RandomStream random_;
  std::uint64_t left_;
  unsigned free_;
  const std::uint64_t sectors_;
  std::uint64_t id_ = 0;
  Ps last_;
};

/// Two sequential streams, each with one request outstanding.
class TwoStreams final : public workload::Source {
 public:
  /// `count` requests of `sectors` each, from these sectors on and from `start` on.
  TwoStreams(std::uint64_t first, std::uint64_t second, std::uint32_t sectors, std::uint64_t count, Ps start)
      : start_(start), next_{first, second}, sectors_(sectors), left_{count, count} {}
  Next next(workload::Request& request) override {
    if (left_[0] + left_[1] == 0) return Next::end;
    for (std::size_t stream = 0; stream < 2; ++stream) {
      if (left_[stream] == 0 || !free_[stream]) continue;
      free_[stream] = false;
      request = {};
      request.id = id_++;
      request.arrival = std::max(start_, last_);
      request.lbn = next_[stream];
      request.sectors = sectors_;
      next_[stream] += sectors_;
      --left_[stream];
      return Next::request;
    }
    return Next::after_completion;
  }
  void completed(const workload::Request& request, Ps at) override {
    const std::size_t stream = request.lbn + request.sectors == next_[0] ? 0 : 1;
    free_[stream] = true;
    last_ = at;
  }

 private:
  const Ps start_;
  std::array<std::uint64_t, 2> next_;
  const std::uint32_t sectors_;
  std::array<std::uint64_t, 2> left_;
  std::array<bool, 2> free_{true, true};
  std::uint64_t id_ = 0;
  Ps last_ = 0;
};

}  // namespace armature::testing
