// Arms that fail while a random load is checked: the drive goes on with the others, no request is lost, and with the
// last arm gone every command ends with a device fault.
#include "contents_setups.h"

#include <gtest/gtest.h>

#include <string>

namespace armature::testing {
namespace {

constexpr std::uint8_t kDeviceFault = 0x20, kAbort = 0x04;

struct Variant {
  const char* name;
  std::int64_t count;
  drive::ArmsParams::Design design;
  void (*set)(drive::DriveParams&);
  double beyond_share = 0;
};

void few_segments(drive::DriveParams& params) {
  params.buffer.segments = 3;
}
void with_background(drive::DriveParams& params) {
  setups::caches(params);
  params.background.scan_idle_ms = 1;
  params.background.recalibration_s = 0.3;
  params.background.recalibration_wait_ms = 20;
}

void prepared(drive::DriveParams& params) {
  params.arms.prepare_us = 3'000;  // as long as a seek: arms fail before they start, too
}

constexpr Variant kVariants[] = {
    {"three_arms_prepared", 3, drive::ArmsParams::MC, prepared},
    {"three_arms_one_moves_prepared", 3, drive::ArmsParams::SA, prepared},
    {"three_arms", 3, drive::ArmsParams::MC, setups::none},
    {"three_arms_one_channel", 3, drive::ArmsParams::MA, setups::none},
    {"three_arms_few_segments", 3, drive::ArmsParams::MC, few_segments},
    {"three_arms_one_at_a_time", 3, drive::ArmsParams::serial, setups::caches},
    {"three_arms_one_moves", 3, drive::ArmsParams::SA, setups::caches},
    {"three_arms_caches", 3, drive::ArmsParams::MC, setups::caches},
    {"three_arms_one_channel_caches", 3, drive::ArmsParams::MA, setups::caches},
    {"three_arms_caches_4096", 3, drive::ArmsParams::MC, setups::physical_4096_with_caches},
    {"three_arms_kept", 3, drive::ArmsParams::MC, setups::kept},
    {"three_arms_one_channel_kept", 3, drive::ArmsParams::MA, setups::kept},
    {"three_arms_caches_and_errors", 3, drive::ArmsParams::MC, setups::caches, 0.01},
    {"three_arms_and_errors", 3, drive::ArmsParams::MA, setups::none, 0.01},
    {"three_arms_with_background", 3, drive::ArmsParams::MC, with_background},
};

/// The times of the failures differ from test to test, so that arms fail in whatever they are about.
class FailingArms : public ::testing::TestWithParam<std::tuple<Variant, int>> {};

TEST_P(FailingArms, LoseNoRequest) {
  const auto [variant, phase] = GetParam();
  BenchParams params;
  params.drive = round_drive_with_contents(true);
  params.drive.arms.count = variant.count;
  params.drive.arms.design = variant.design;
  variant.set(params.drive);
  params.drive.faults = {drive::arm_fails(0.5 + phase * 0.0213, 1), drive::arm_fails(1.7 + phase * 0.0131, 0)};
  ContentsLoad::Params load = hot_load(params.drive, 1'500, variant.beyond_share);
  load.seed = static_cast<std::uint64_t>(phase) + 1;
  ContentsLoad source(load);
  host::ContentsCheck check({});
  DriveBench bench("bench", params, source);
  bench.queue().set_data_port(check);
  bench.queue().on_finished = [] { sc_core::sc_stop(); };  // background work has no end
  sc_core::sc_start();
  EXPECT_TRUE(bench.queue().finished()) << bench.queue().outstanding() << " requests at the drive";
  EXPECT_FALSE(bench.disk().failed());
  EXPECT_EQ(bench.disk().counters().failed_arms, 2u);
  EXPECT_EQ(check.mismatches(), 0u);
  for (const std::string& text : check.descriptions()) ADD_FAILURE() << text;
  if (variant.beyond_share == 0) {
    EXPECT_EQ(bench.failures(), 0u);
    for (const auto& [id, status] : bench.failed)
      ADD_FAILURE() << id << ": error " << unsigned{status.error} << " at " << status.lbn << ", ended at "
                    << bench.finished.at(id).record.completion;
  }
  for (const auto& [id, finished] : bench.finished)
    for (const auto& access : finished.accesses) {
      if (access.access.first_sector_at > 3 * kPsPerSecond) {
        EXPECT_EQ(access.access.arm, 2u) << id;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Drives, FailingArms,
                         ::testing::Combine(::testing::ValuesIn(kVariants), ::testing::Range(0, 8)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "_" +
                                  std::to_string(std::get<1>(test.param));
                         });

/// The head on surface 0, where the arm rests, fails while the arm is about to go to surface 1.
TEST(HeadOfTheTrackBehind, IsNotTakenForTheOneThatTheArmIsAboutToGoTo) {
  BenchParams params;
  params.drive = round_drive();
  params.drive.arms.prepare_us = 2'000;
  params.drive.faults = {drive::head_fails(0.051, 0, 0)};
  const std::uint64_t elsewhere = 150;  // on surface 1
  ListSource source({read_request(20 * kPsPerMs, 10, 8), read_request(50 * kPsPerMs, elsewhere, 8),
                     read_request(150 * kPsPerMs, elsewhere + 8, 8), read_request(200 * kPsPerMs, 10, 8)});
  DriveBench bench("bench", params, source);
  bench.run();
  for (std::uint64_t id = 0; id < 3; ++id) EXPECT_TRUE(bench.finished.at(id).record.ok) << id;
  EXPECT_FALSE(bench.finished.at(3).record.ok);
  EXPECT_EQ(bench.disk().counters().failed_heads, 1u);
}

class LastArm : public ::testing::TestWithParam<bool> {};

TEST_P(LastArm, CommandsEndWithADeviceFaultWhenItIsGone) {
  BenchParams params;
  params.drive = round_drive_with_contents(false);
  params.drive.arms.count = 2;
  params.host.ncq = GetParam();
  params.drive.faults = {drive::arm_fails(0.1, 0), drive::arm_fails(0.2, 1)};
  std::vector<workload::Request> requests;
  for (int i = 0; i < 40; ++i) {
    requests.push_back(read_request(i * 10 * kPsPerMs, static_cast<std::uint64_t>(i) * 700, 8));
    requests.push_back(write_request(i * 10 * kPsPerMs, static_cast<std::uint64_t>(i) * 800, 8));
  }
  ListSource source(requests);
  DriveBench bench("bench", params, source);
  bench.run();
  ASSERT_EQ(bench.finished.size(), requests.size());
  EXPECT_EQ(bench.disk().counters().failed_arms, 2u);
  EXPECT_GT(bench.failed.size(), 30u);
  for (const auto& [id, finished] : bench.finished) {
    if (finished.record.arrival < 150 * kPsPerMs) {
      EXPECT_TRUE(finished.record.ok) << id;
    }
    if (finished.record.arrival > 200 * kPsPerMs) {
      EXPECT_FALSE(finished.record.ok) << id;
    }
  }
  for (const auto& [id, status] : bench.failed) {
    EXPECT_EQ(status.error, kAbort) << id;
    EXPECT_EQ(status.status & kDeviceFault, kDeviceFault) << id;
  }
}

INSTANTIATE_TEST_SUITE_P(Queued, LastArm, ::testing::Bool());

}  // namespace
}  // namespace armature::testing
