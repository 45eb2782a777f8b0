#pragma once

#include "armature/core/random.h"
#include "armature/core/time.h"
#include "armature/workload/source.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace armature::testing {

/// Random reads, so many outstanding at once; none begins where one of those before it lies or ends, so that no two of
/// them share an access.
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
    do request.lbn = random_.below(sectors_);
    while (beside_another(request.lbn));
    latest_[request.id % latest_.size()] = request.lbn;
    request.sectors = 1;
    return Next::request;
  }
  void completed(const workload::Request&, Ps at) override {
    ++free_;
    // Without a relation to the turns.
    last_ = std::max(last_, at + static_cast<Ps>(random_.below(20 * kPsPerMs)));
  }

 private:
  bool beside_another(std::uint64_t lbn) const {
    const std::uint64_t known = std::min<std::uint64_t>(id_ - 1, latest_.size());
    return std::any_of(latest_.begin(), latest_.begin() + static_cast<std::ptrdiff_t>(known),
                       [lbn](std::uint64_t other) { return lbn + 1 >= other && lbn <= other + 1; });
  }

  RandomStream random_;
  std::uint64_t left_;
  unsigned free_;
  const std::uint64_t sectors_;
  std::array<std::uint64_t, 64> latest_{};
  std::uint64_t id_ = 0;
  Ps last_;
};

/// Sequential streams side by side, each with so many requests outstanding.
class Streams final : public workload::Source {
 public:
  /// `count` requests of `sectors` each in each stream, from the sectors `begins` on and from `start` on.
  Streams(const std::vector<std::uint64_t>& begins, std::uint32_t sectors, std::uint64_t count, Ps start,
          unsigned outstanding = 1, Operation operation = Operation::read)
      : sectors_(sectors), operation_(operation), last_(start) {
    for (const std::uint64_t begin : begins) streams_.push_back({begin, begin, count, outstanding});
  }
  Next next(workload::Request& request) override {
    bool more = false;
    for (Stream& stream : streams_) {
      more |= stream.left > 0;
      if (stream.left == 0 || stream.free == 0) continue;
      --stream.free;
      --stream.left;
      request = {};
      request.id = id_++;
      request.arrival = last_;
      request.lbn = stream.next;
      request.sectors = sectors_;
      request.operation = operation_;
      stream.next += sectors_;
      return Next::request;
    }
    return more ? Next::after_completion : Next::end;
  }
  void completed(const workload::Request& request, Ps at) override {
    for (Stream& stream : streams_)
      if (stream.begin <= request.lbn && request.lbn < stream.next) ++stream.free;
    last_ = std::max(last_, at);
  }

 private:
  struct Stream {
    std::uint64_t begin, next, left;
    unsigned free;
  };
  std::vector<Stream> streams_;
  const std::uint32_t sectors_;
  const Operation operation_;
  std::uint64_t id_ = 0;
  Ps last_;
};

}  // namespace armature::testing
