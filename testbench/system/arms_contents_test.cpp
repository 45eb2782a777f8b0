// Drives with several arms keep what is written, whatever their arms do at the same time: random loads, every sector
// read is compared with what the host wrote, and at the end the medium itself.
#include "contents_setups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace armature::testing {
namespace {

/// Sectors that turn bad while the drive is at work, moved to spares as they are written.
void add_defects(drive::DriveParams& params) {
  params.geometry.slips.clear();
  params.geometry.remaps.clear();
  for (int i = 0; i < 30; ++i)
    params.faults.push_back(drive::grown_defect(18'005 + i * 64 + (i > 15 ? 2'000 : 0), i * 0.05));
}
void defects(drive::DriveParams& params) {
  add_defects(params);
  setups::caches(params);
}
void defects_without_caches(drive::DriveParams& params) {
  add_defects(params);
}
void defects_4096(drive::DriveParams& params) {
  setups::caches(params);
  physical_4096(params);
  params.geometry.zones[0].spares = 800;
  params.geometry.zones[1].spares = 800;
  add_defects(params);
}

constexpr ContentsSetup kCaches[] = {
    {"no_caches", setups::none},
    {"look_ahead", setups::look_ahead},
    {"minimum_ahead", setups::minimum_ahead, 0.002},
    {"minimum_ahead_physical_4096", setups::minimum_ahead_physical_4096},
    {"caches", setups::caches},
    {"caches_and_errors", setups::caches, 0.01},
    {"three_segments", setups::three_segments},
    {"late_destage", setups::late_destage},
    {"kept", setups::kept, 0.002},
    {"kept_physical_4096", setups::kept_physical_4096},
    {"physical_4096", physical_4096},
    {"physical_4096_with_caches", setups::physical_4096_with_caches, 0.005},
    {"read_policies", setups::read_policies_and_hardware_hits, 0.002},
    {"defects", defects},
    {"defects_without_caches", defects_without_caches},
    {"defects_4096", defects_4096},
};

struct Arms {
  const char* name;
  std::int64_t count;
  drive::ArmsParams::Design design;
  std::int64_t channels = 0;
  std::int64_t fixed_first = 0, fixed_cylinders = 0;
};
constexpr Arms kArms[] = {
    {"SA2", 2, drive::ArmsParams::SA},
    {"Serial2", 2, drive::ArmsParams::serial},
    {"MA2", 2, drive::ArmsParams::MA},
    {"MC2", 2, drive::ArmsParams::MC},
    {"MA4", 4, drive::ArmsParams::MA},
    {"MC4", 4, drive::ArmsParams::MC},
    {"five_arms_two_channels", 5, drive::ArmsParams::own, 2},
    {"MA2_and_a_fixed_one", 2, drive::ArmsParams::MA, 0, 101, 2},
};

class ArmsContents : public ::testing::TestWithParam<std::tuple<Arms, ContentsSetup>> {};

TEST_P(ArmsContents, EveryReadBringsWhatWasWritten) {
  const auto [arms, cached] = GetParam();
  constexpr std::uint64_t kCount = ARMATURE_CONTENTS_REQUESTS;
  BenchParams params;
  params.drive = round_drive_with_contents(true);
  cached.set(params.drive);
  params.drive.arms.count = arms.count;
  params.drive.arms.design = arms.design;
  params.drive.arms.channels = arms.channels;
  params.drive.arms.fixed_first = arms.fixed_first;
  params.drive.arms.fixed_cylinders = arms.fixed_cylinders;
  run_hot_load(params, kCount, cached.beyond_share);
}

INSTANTIATE_TEST_SUITE_P(Drive, ArmsContents,
                         ::testing::Combine(::testing::ValuesIn(kArms), ::testing::ValuesIn(kCaches)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "_" + std::get<1>(test.param).name;
                         });

/// Physical sectors of eight blocks, some written whole past the cache and at the same time in part through it: one arm
/// reads what a part lacks while another writes the whole.
class WholeAndParts final : public workload::Source {
 public:
  explicit WholeAndParts(std::uint64_t count) : left_(count) {}
  Next next(workload::Request& request) override {
    if (left_ == 0) return Next::end;
    if (in_flight_ == 24) return Next::after_completion;
    --left_;
    ++in_flight_;
    request = {};
    request.id = id_++;
    request.arrival = last_;
    const std::uint64_t unit = kHotFirst / 8 + random_.below(40);
    if (random_.chance(0.2)) {
      request.lbn = unit * 8;
      request.sectors = 8;
    } else if (random_.chance(0.5)) {
      request.operation = Operation::write;
      request.fua = true;
      request.lbn = unit * 8;
      request.sectors = 8;
    } else {
      request.operation = Operation::write;
      request.lbn = unit * 8 + random_.below(8);
      request.sectors = 1;
    }
    return Next::request;
  }
  void completed(const workload::Request&, Ps at) override {
    --in_flight_;
    last_ = std::max(last_, at);
  }

 private:
  RandomStream random_{3, "whole and parts"};
  std::uint64_t left_;
  std::uint64_t id_ = 0;
  unsigned in_flight_ = 0;
  Ps last_ = 0;
};

class PhysicalSectors : public ::testing::TestWithParam<Arms> {};
INSTANTIATE_TEST_SUITE_P(Drive, PhysicalSectors, ::testing::ValuesIn(kArms),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(PhysicalSectors, WrittenWholeAndInPartAtTheSameTimeLoseNothing) {
  BenchParams params;
  params.drive = round_drive_with_contents(false);
  physical_4096(params.drive);
  params.drive.cache.write = true;
  params.drive.arms.count = GetParam().count;
  params.drive.arms.design = GetParam().design;
  params.drive.arms.channels = GetParam().channels;
  WholeAndParts source(ARMATURE_CONTENTS_REQUESTS);
  host::ContentsCheck check({});
  DriveBench bench("bench", params, source);
  bench.keep = false;
  bench.queue().set_data_port(check);
  bench.run();
  EXPECT_EQ(check.mismatches(), 0u);
  for (const std::string& text : check.descriptions()) ADD_FAILURE() << text;
}

}  // namespace
}  // namespace armature::testing
