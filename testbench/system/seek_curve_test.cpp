// The same moves by another kind of curve: the arbitration unit chooses as well whether the drive file has the curve in
// two pieces with a table of its shortest moves or as a table of all.
#include "armature/actuator/seek_profile.h"
#include "armature/workload/params.h"
#include "support/drive_bench.h"

#include <gtest/gtest.h>

#include <memory>

namespace armature::testing {
namespace {

using actuator::SeekCurve;

constexpr std::uint32_t kCylinders = 2'051;

actuator::SeekParams in_two_pieces() {
  actuator::SeekParams seek;
  seek.curve = SeekCurve::two_piece;
  seek.two_piece = {{600, 3.0, 0.45, 8.7, 0.0089}};
  seek.table = {{1, 3.12}, {2, 3.02}, {3, 3.34}, {4, 3.41}, {5, 3.6}};
  return seek;
}

actuator::SeekParams in_a_table() {
  const actuator::SeekProfile profile(in_two_pieces(), kCylinders);
  actuator::SeekParams seek;
  for (std::uint32_t d = 1; d < kCylinders; ++d) seek.table.push_back({d, to_ms(profile.seek(d))});
  return seek;
}

/// A drive under random reads and writes, 16 of them outstanding.
class Loaded {
 public:
  Loaded(const char* name, const actuator::SeekParams& seek, arbiter::Policy policy)
      : params_(params(seek, policy)),
        source_(workload::make_source(load(), 5, media::Geometry(params_.drive.layout()).sectors(), "")),
        bench_(name, params_, *source_) {
    bench_.on_completed = [this](const observe::CompletedRequest& request) { last_ = request.record.completion; };
  }
  void run() { bench_.run(); }  ///< and all others in the simulation
  double rate() const {         ///< requests a second
    EXPECT_EQ(bench_.completions(), static_cast<std::uint64_t>(kRequests));
    return kRequests / to_seconds(last_);
  }

 private:
  static constexpr std::int64_t kRequests = 4'000;

  static BenchParams params(const actuator::SeekParams& seek, arbiter::Policy policy) {
    BenchParams params;
    params.drive = round_drive();
    params.drive.spindle.rpm = 5'400;
    params.drive.geometry.zones = {{0, kCylinders - 1, 100, 20, 35, 0}};
    params.drive.seek = seek;
    params.drive.arbiter.policy = policy;
    return params;
  }
  static workload::WorkloadParams load() {
    workload::WorkloadParams load;
    load.kind = workload::WorkloadParams::closed;
    load.count = kRequests;
    load.outstanding = 16;
    load.think_ms = 0;
    return load;
  }

  const BenchParams params_;
  const std::unique_ptr<workload::Source> source_;
  DriveBench bench_;
  Ps last_ = 0;
};

TEST(SeekCurve, TheShortestTimeIsChosenByAnyKindOfCurve) {
  using arbiter::Policy;
  Loaded pieces("pieces", in_two_pieces(), Policy::sptf), table("table", in_a_table(), Policy::sptf),
      in_order("in_order", in_two_pieces(), Policy::fcfs);
  pieces.run();
  EXPECT_NEAR(pieces.rate(), table.rate(), 0.01 * table.rate());
  EXPECT_GT(pieces.rate(), 1.4 * in_order.rate());
}

}  // namespace
}  // namespace armature::testing
