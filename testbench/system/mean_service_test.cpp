// Random requests, one in flight, against the mean by numerical integration over the drive file's curve and zones.
#include "armature/core/config.h"
#include "armature/workload/params.h"
#include "support/drive_bench.h"
#include "support/drive_file.h"
#include "support/drive_files.h"
#include "support/expected_times.h"
#include "support/service_time.h"

#include <gtest/gtest.h>

namespace armature {
namespace {

using testing::DriveBench;
using E = testing::ExpectedTimes;

drive::DriveParams load_drive(const std::string& name) {
  drive::DriveParams params;
  config::read(testing::load_bare_drive_sections(name), params);
  return params;
}

/// Link, processor and arbitration of one 4 KB request on an idle drive, from the documented equations. Clock edges
/// cost half a period on average, some nanoseconds that the tolerance covers.
double overhead_ms(bool write) {
  const Ps cycles = (write ? E::kWriteCommand + E::kGrant + E::kServoReady + E::kChannelDone
                           : E::kReadCommand + E::kGrant + E::kServoReady + E::kChannelDone + E::kDmaDone);
  const Ps data = write ? 0 : E::sender_again(7) + E::end(1 + 1024);  // a write's data come under the seek
  return to_ms(E::arrival(5) + cycles * E::kCpuPeriod + 9 * E::kAauPeriod + data + E::arrival(2));
}

struct Case {
  const char* drive;
  bool write;
  friend std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.drive << (c.write ? ", writes" : ", reads");
  }
};

class MeanService : public ::testing::TestWithParam<Case> {};

TEST_P(MeanService, OfRandomRequestsIsTheIntegralOverCurveAndZones) {
  constexpr std::int64_t kCount = 60'000;
  testing::BenchParams params;
  params.drive = load_drive(GetParam().drive);
  workload::WorkloadParams load;
  load.kind = workload::WorkloadParams::closed;
  load.count = kCount;
  load.outstanding = 1;
  load.think_ms = 0;
  load.read_fraction = GetParam().write ? 0 : 1;
  load.align_sectors = 1;
  const auto source = workload::make_source(load, 11, media::Geometry(params.drive.geometry).sectors(), "");
  DriveBench bench("bench", params, *source);
  bench.keep = false;
  bench.run();
  ASSERT_EQ(bench.completions(), static_cast<std::uint64_t>(kCount));
  ASSERT_EQ(bench.failures(), 0u);

  const auto expected = testing::mean_service(
      testing::for_integration(params.drive.geometry, params.drive.seek, params.drive.spindle), 8, GetParam().write);
  const auto measured = [&](Phase phase) { return bench.phase_sums_ms()[static_cast<std::size_t>(phase)] / kCount; };
  double total = 0;
  for (std::size_t i = 0; i < kPhases; ++i) total += bench.phase_sums_ms()[i] / kCount;

  EXPECT_NEAR(total, expected.total() + overhead_ms(GetParam().write), 0.01 * expected.total());
  // The parts too, each within four standard errors of its own scatter or 1 %: a sum can be right by accident.
  EXPECT_NEAR(measured(Phase::seek), expected.seek, 0.01 * expected.seek);
  // A request that runs over the end of its track settles a second time there: 7 of a track's starts.
  const auto blocks = static_cast<double>(bench.disk().sectors());
  double tracks = 0;
  for (const auto& zone : params.drive.geometry.zones)
    tracks += static_cast<double>(zone.cylinders() * params.drive.geometry.heads);
  EXPECT_NEAR(measured(Phase::write_settle), expected.write_settle * (1 + 7 * tracks / blocks),
              0.003 * expected.write_settle + 1e-9);
  const double switches = expected.track_switches;  // lie in seek, rotation and transfer of the second access
  EXPECT_NEAR(measured(Phase::rotation) + measured(Phase::transfer), expected.rotation + expected.transfer + switches,
              0.01 * (expected.rotation + expected.transfer));
}

INSTANTIATE_TEST_SUITE_P(Drives, MeanService,
                         ::testing::Values(Case{"quantum_atlas_10k", false}, Case{"quantum_atlas_10k", true},
                                           Case{"seagate_barracuda_es_750", false},
                                           Case{"hitachi_ultrastar_a7k1000", false}),
                         [](const auto& test) {
                           return std::string(test.param.drive) + (test.param.write ? "_writes" : "_reads");
                         });

}  // namespace
}  // namespace armature
