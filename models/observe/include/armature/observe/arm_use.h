#pragma once

#include "armature/observe/request_record.h"

#include <cstdint>
#include <vector>

namespace armature::observe {

/// What each arm did for the host's requests: the time of their mechanical phases, counted to the arm whose work it
/// was, of failed attempts too. Work for several requests at once counts once. Reading ahead, de-staging and other work
/// of the drive's own is not in it.
class ArmUse final : public RequestSink {
 public:
  struct Use {
    std::uint64_t requests = 0;  ///< whose first access was this arm's
    Ps seek = 0;                 ///< moves, head switches and settling, for writes too
    Ps wait = 0;                 ///< for the sector
    Ps transfer = 0;
    std::uint64_t seek_cylinders = 0;  ///< to the requests' first accesses
    Ps busy() const { return seek + wait + transfer; }
  };

  explicit ArmUse(std::size_t arms) : arms_(arms) {}

  unsigned follows() const override { return kEndsOnly; }
  void completed(const CompletedRequest& request) override {
    const RequestRecord& record = request.record;
    if (record.accesses > 0 && record.arm < arms_.size()) {
      ++arms_[record.arm].requests;
      arms_[record.arm].seek_cylinders += record.seek_cylinders;
    }
    if (record.joined) return;  // the arm's work is counted with the other request
    for (const Segment& segment : request.timeline)
      if (segment.arm < arms_.size()) count(segment, arms_[segment.arm]);
  }

  const std::vector<Use>& arms() const { return arms_; }

 private:
  static void count(const Segment& segment, Use& use) {
    const Ps time = segment.end - segment.begin;
    if (segment.phase == Phase::seek || segment.phase == Phase::write_settle) use.seek += time;
    if (segment.phase == Phase::rotation) use.wait += time;
    if (segment.phase == Phase::transfer) use.transfer += time;
  }

  std::vector<Use> arms_;
};

}  // namespace armature::observe
