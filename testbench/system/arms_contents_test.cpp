// Drives with several arms keep what is written, whatever their arms do at the same time: random loads, every sector
// read is compared with what the host wrote, and at the end the medium itself.
#include "contents_bench.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <string>

namespace armature::testing {
namespace {

struct Caches {
  const char* name;
  void (*set)(drive::DriveParams&);
  double beyond_share = 0;
};

void none(drive::DriveParams&) {}
void look_ahead(drive::DriveParams& params) {
  params.cache.look_ahead = true;
}
/// Everything on, in so little room that it is always short.
void caches(drive::DriveParams& params) {
  params.cache.write = true;
  params.cache.look_ahead = true;
  params.cache.read_on_arrival = true;
  params.buffer.size_kib = 1'024;
}
void three_segments(drive::DriveParams& params) {
  caches(params);
  params.buffer.segments = 3;
}
void late_destage(drive::DriveParams& params) {
  caches(params);
  params.cache.destage_idle_ms = 30;
  params.cache.high_water = 0.9;
}
void physical_4096_sectors(drive::DriveParams& params) {
  physical_4096(params);
}
void physical_4096_with_caches(drive::DriveParams& params) {
  caches(params);
  physical_4096(params);
}
void read_policies(drive::DriveParams& params) {
  caches(params);
  params.cache.read_on_arrival = false;
  params.cache.read_ahead = controller::CacheParams::segment;
  params.cache.free_reads = true;
  params.cache.read_watermark = 0.1;
  params.cache.hardware_hits = true;
  params.seek.reposition_ms = 0.7;
}
/// Sectors that turn bad while the drive is at work, moved to spares as they are written.
void add_defects(drive::DriveParams& params) {
  params.geometry.slips.clear();
  params.geometry.remaps.clear();
  for (double i = 0; i < 30; ++i) params.media.defects.push_back({18'005 + i * 64 + (i > 15 ? 2'000 : 0), i * 0.05});
}
void defects(drive::DriveParams& params) {
  add_defects(params);
  caches(params);
}
void defects_without_caches(drive::DriveParams& params) {
  add_defects(params);
}
void defects_4096(drive::DriveParams& params) {
  caches(params);
  physical_4096(params);
  params.geometry.zones[0][5] = 800;
  params.geometry.zones[1][5] = 800;
  add_defects(params);
}

constexpr Caches kCaches[] = {
    {"no_caches", none},
    {"look_ahead", look_ahead},
    {"caches", caches},
    {"caches_and_errors", caches, 0.01},
    {"three_segments", three_segments},
    {"late_destage", late_destage},
    {"physical_4096", physical_4096_sectors},
    {"physical_4096_with_caches", physical_4096_with_caches, 0.005},
    {"read_policies", read_policies, 0.002},
    {"defects", defects},
    {"defects_without_caches", defects_without_caches},
    {"defects_4096", defects_4096},
};

struct Arms {
  const char* name;
  std::int64_t count;
  int design;
  std::int64_t channels = 0;
};
constexpr Arms kArms[] = {
    {"SA2", 2, drive::ArmsParams::SA}, {"MA2", 2, drive::ArmsParams::MA},
    {"MC2", 2, drive::ArmsParams::MC}, {"MA4", 4, drive::ArmsParams::MA},
    {"MC4", 4, drive::ArmsParams::MC}, {"five_arms_two_channels", 5, drive::ArmsParams::own, 2},
};

class ArmsContents : public ::testing::TestWithParam<std::tuple<Arms, Caches>> {};

TEST_P(ArmsContents, EveryReadBringsWhatWasWritten) {
  const auto [arms, cached] = GetParam();
  constexpr std::uint64_t kCount = ARMATURE_CONTENTS_REQUESTS;
  BenchParams params;
  params.drive = round_drive_with_contents(true);
  cached.set(params.drive);
  params.drive.arms.count = arms.count;
  params.drive.arms.design = arms.design;
  params.drive.arms.channels = arms.channels;
  ContentsLoad::Params load;
  load.count = kCount;
  load.sectors = media::Geometry(params.drive.geometry).sectors();
  load.hot_first = kHotFirst;
  load.hot_sectors = kHotSectors;
  load.beyond_share = cached.beyond_share;
  ContentsBench bench("bench", params, load);
  bench.run();
  EXPECT_GT(bench.check.sectors_compared(), kCount * 10);
  EXPECT_EQ(bench.bench.failures() > 0, cached.beyond_share > 0 || !params.drive.media.defects.empty());
  if (!params.drive.media.defects.empty()) {
    EXPECT_GT(bench.bench.disk().counters().reallocated_sectors, 10u);
    EXPECT_EQ(bench.bench.disk().counters().lost_sectors, 0u);
    return;  // some of them have not been written since they turned bad
  }
  // The last command that wrote was a flush: now the medium holds everything.
  bench.look_at_medium(0, bench.bench.disk().sectors());
  EXPECT_EQ(bench.unreadable, 0u);
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
  bench.queue().set_contents_check(check);
  bench.run();
  EXPECT_EQ(check.mismatches(), 0u);
  for (const std::string& text : check.descriptions()) ADD_FAILURE() << text;
}

}  // namespace
}  // namespace armature::testing
