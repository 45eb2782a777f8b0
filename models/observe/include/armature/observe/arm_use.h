#pragma once

#include "armature/observe/request_record.h"

#include <cstdint>
#include <vector>

namespace armature::observe {

/// What each arm did for the host's requests: the times of their mechanical phases, counted to the arm of a request's
/// first access. Reading ahead, de-staging and other work of the drive's own is not in it.
class ArmUse final : public RequestSink {
 public:
  struct Use {
    std::uint64_t requests = 0;  ///< with an access
    Ps seek = 0;                 ///< moves, head switches and settling, for writes too
    Ps wait = 0;                 ///< for the sector
    Ps transfer = 0;
    std::uint64_t seek_cylinders = 0;  ///< to the requests' first accesses
    Ps busy() const { return seek + wait + transfer; }
  };

  explicit ArmUse(std::size_t arms) : arms_(arms) {}

  void arrived(const Arrival&) override {}
  void completed(const CompletedRequest& request) override {
    const RequestRecord& record = request.record;
    if (record.accesses == 0 || record.arm >= arms_.size()) return;
    const auto time = [&](Phase phase) { return record.phases[static_cast<std::size_t>(phase)]; };
    Use& use = arms_[record.arm];
    ++use.requests;
    use.seek += time(Phase::seek) + time(Phase::write_settle);
    use.wait += time(Phase::rotation);
    use.transfer += time(Phase::transfer);
    use.seek_cylinders += record.seek_cylinders;
  }

  const std::vector<Use>& arms() const { return arms_; }

 private:
  std::vector<Use> arms_;
};

}  // namespace armature::observe
