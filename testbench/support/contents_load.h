#pragma once

#include "armature/core/random.h"
#include "armature/workload/source.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace armature::testing {

/// A load that finds a drive which loses or mixes up data: a closed loop of reads and writes of mixed sizes on a small
/// part of the disk, so that commands overlap in time and place; streams that go on where they ended, alone and side by
/// side, so that what is read ahead is written meanwhile; some requests anywhere on the disk; flushes, forced unit
/// access, requests behind the disk's end. Afterwards a flush, and every sector of the hot part is read.
class ContentsLoad final : public workload::Source {
 public:
  struct Params {
    std::uint64_t seed = 1;
    std::uint64_t count = 20'000;   ///< without the reads at the end
    std::uint64_t sectors = 0;      ///< of the drive
    std::uint64_t hot_sectors = 0;  ///< from hot_first on
    std::uint64_t hot_first = 0;
    unsigned outstanding = 24;
    double read_share = 0.45;
    double flush_share = 0.01;
    double fua_share = 0.05;     ///< of writes
    double stream_share = 0.3;   ///< goes on where one of four streams is
    double far_share = 0.05;     ///< anywhere
    double beyond_share = 0;     ///< ends behind the drive's end: fails
    double pause_share = 0.002;  ///< a request comes up to 100 ms later: the drive is idle meanwhile
    std::uint32_t max_sectors = 128;
  };

  explicit ContentsLoad(const Params& params) : params_(params), random_(params.seed, "contents load") {
    for (auto& stream : streams_) stream = hot();
  }

  /// No further requests.
  void stop() { stopped_ = true; }

  Next next(workload::Request& request) override {
    if (stopped_) return Next::end;
    // The flush between load and sweep is a barrier of the host's own.
    if (in_flight_ >= params_.outstanding) return Next::after_completion;
    workload::Request made;
    made.id = given_;
    made.arrival = last_;
    if (given_ < params_.count) {
      choose(made);
    } else if (given_ == params_.count) {
      made.operation = Operation::flush;
    } else {
      if (swept_ >= params_.hot_sectors) return Next::end;
      made.lbn = params_.hot_first + swept_;
      made.sectors = static_cast<std::uint32_t>(std::min<std::uint64_t>(100, params_.hot_sectors - swept_));
      swept_ += made.sectors;
    }
    ++given_;
    ++in_flight_;
    last_ = made.arrival;
    request = made;
    return Next::request;
  }

  void completed(const workload::Request&, Ps at) override {
    --in_flight_;
    last_ = std::max(last_, at);
  }

 private:
  std::uint64_t hot() { return params_.hot_first + random_.below(params_.hot_sectors); }

  void choose(workload::Request& request) {
    if (random_.chance(params_.pause_share)) request.arrival += static_cast<Ps>(random_.below(100 * kPsPerMs));
    if (random_.chance(params_.flush_share)) {
      request.operation = Operation::flush;
      return;
    }
    request.operation = random_.chance(params_.read_share) ? Operation::read : Operation::write;
    request.fua = request.operation == Operation::write && random_.chance(params_.fua_share);
    // Half of them short: 1 to 16; the others up to the longest.
    request.sectors =
        static_cast<std::uint32_t>(1 + random_.below(random_.chance(0.5) ? 16 : std::uint64_t{params_.max_sectors}));
    if (random_.chance(params_.beyond_share)) {
      request.lbn = params_.sectors - random_.below(request.sectors);
      return;
    }
    if (random_.chance(params_.far_share)) {
      request.lbn = random_.below(params_.sectors);
    } else if (random_.chance(params_.stream_share)) {
      std::uint64_t& stream = streams_[random_.below(streams_.size())];
      if (stream + request.sectors > params_.hot_first + params_.hot_sectors) stream = hot();
      request.lbn = stream;
      stream += request.sectors;
    } else {
      request.lbn = hot();
    }
    const std::uint64_t room = params_.sectors - request.lbn;
    request.sectors = static_cast<std::uint32_t>(std::min<std::uint64_t>(request.sectors, room));
  }

  const Params params_;
  RandomStream random_;
  std::array<std::uint64_t, 4> streams_{};
  std::uint64_t given_ = 0;
  std::uint64_t swept_ = 0;
  unsigned in_flight_ = 0;
  bool stopped_ = false;
  Ps last_ = 0;
};

}  // namespace armature::testing
