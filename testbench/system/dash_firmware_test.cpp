// Firmware on drives whose arms do not all reach everything: several stacks, parts of an assembly, split ranges,
// several heads a surface, and heads that fail. Random loads, every sector read is compared with what the host wrote.
#include "contents_bench.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace armature::testing {
namespace {

struct Layout {
  const char* name;
  void (*set)(drive::DriveParams&);
  bool rows;  ///< slips and moved sectors are possible
};

drive::ArmsParams& arms_of(drive::DriveParams& params, std::int64_t stacks, std::int64_t count,
                           drive::ArmsParams::Design design) {
  params.arms.stacks = stacks;
  params.arms.count = count;
  params.arms.design = design;
  return params.arms;
}
constexpr auto kMa = drive::ArmsParams::MA, kMc = drive::ArmsParams::MC, kSa = drive::ArmsParams::SA;

constexpr Layout kLayouts[] = {
    {"D2", [](drive::DriveParams& p) { arms_of(p, 2, 1, kMc); }, true},
    {"D2A2_one_channel", [](drive::DriveParams& p) { arms_of(p, 2, 2, kMa); }, true},
    {"D4_one_at_a_time", [](drive::DriveParams& p) { arms_of(p, 4, 1, kSa); }, true},
    {"A2S2", [](drive::DriveParams& p) { arms_of(p, 1, 2, kMc).surfaces = 2; }, true},
    {"D2A2S2_three_channels",
     [](drive::DriveParams& p) {
       arms_of(p, 2, 2, drive::ArmsParams::own).surfaces = 2;
       p.arms.channels = 3;
     },
     true},
    {"A2H2_radial", [](drive::DriveParams& p) { arms_of(p, 1, 2, kMc).heads = 2; }, true},
    {"D2A1H3_equal_radius",
     [](drive::DriveParams& p) {
       arms_of(p, 2, 1, kMa).heads = 3;
       p.arms.head_placement = drive::ArmsParams::equal_radius;
     },
     true},
    {"split_A2", [](drive::DriveParams& p) { arms_of(p, 1, 2, kMc).range = drive::ArmsParams::split; }, false},
    {"split_D2A2_one_channel", [](drive::DriveParams& p) { arms_of(p, 2, 2, kMa).range = drive::ArmsParams::split; },
     false},
    {"striped_A2S2",
     [](drive::DriveParams& p) {
       arms_of(p, 1, 2, kMc).surfaces = 2;
       p.arms.surface_access = drive::ArmsParams::striped;
     },
     false},
};

struct Caches {
  const char* name;
  void (*set)(drive::DriveParams&);
  double beyond_share = 0;
};

void none(drive::DriveParams&) {}
void caches(drive::DriveParams& params) {
  params.cache.write = true;
  params.cache.look_ahead = true;
  params.cache.read_on_arrival = true;
  params.buffer.size_kib = 1'024;
}
void few_segments(drive::DriveParams& params) {
  params.buffer.segments = 3;
}
void few_segments_and_caches(drive::DriveParams& params) {
  caches(params);
  params.buffer.segments = 3;
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
void sectors_4096(drive::DriveParams& params) {
  caches(params);
  params.geometry.physical_sector_bytes = 4'096;
}
void background(drive::DriveParams& params) {
  caches(params);
  params.background.scan_idle_ms = 1;
  params.background.recalibration_s = 0.3;
  params.background.recalibration_wait_ms = 20;
}

constexpr Caches kCaches[] = {
    {"no_caches", none, 0.002},
    {"few_segments", few_segments},
    {"caches", caches, 0.005},
    {"few_segments_and_caches", few_segments_and_caches},
    {"read_policies", read_policies, 0.002},
    {"physical_4096", sectors_4096},
    {"background", background},
};

/// Eight surfaces of 40 cylinders.
drive::DriveParams drive_of(const Layout& layout, const Caches& cached) {
  drive::DriveParams params = round_drive();
  params.media.contents = media::ContentsParams::memory;
  params.geometry.heads = 8;
  params.geometry.zones = {{0, 19, 96, 24, 40, 64}, {20, 39, 80, 16, 32, 64}};
  cached.set(params);
  layout.set(params);
  return params;
}

ContentsLoad::Params load_of(const drive::DriveParams& params, std::uint64_t count, std::uint64_t seed,
                             double beyond_share) {
  ContentsLoad::Params load;
  load.seed = seed;
  load.count = count;
  load.sectors = media::Geometry(params.layout()).sectors();
  load.hot_sectors = 4'000;
  load.hot_first = load.sectors / 2 - load.hot_sectors / 2;  // across the border of two ranges
  load.far_share = 0.1;
  load.beyond_share = beyond_share;
  return load;
}

class Dash : public ::testing::TestWithParam<std::tuple<Layout, Caches>> {
 protected:
  drive::DriveParams drive() const { return drive_of(std::get<0>(GetParam()), std::get<1>(GetParam())); }
  double beyond_share() const { return std::get<1>(GetParam()).beyond_share; }
};

std::string name_of(const ::testing::TestParamInfo<std::tuple<Layout, Caches>>& test) {
  return std::string(std::get<0>(test.param).name) + "_" + std::get<1>(test.param).name;
}
INSTANTIATE_TEST_SUITE_P(Drive, Dash, ::testing::Combine(::testing::ValuesIn(kLayouts), ::testing::ValuesIn(kCaches)),
                         name_of);

TEST_P(Dash, EveryReadBringsWhatWasWritten) {
  constexpr std::uint64_t kCount = ARMATURE_CONTENTS_REQUESTS;
  BenchParams params;
  params.drive = drive();
  ContentsBench bench("bench", params, load_of(params.drive, kCount, 1, beyond_share()));
  bench.bench.queue().on_finished = [] { sc_core::sc_stop(); };
  sc_core::sc_start();
  EXPECT_TRUE(bench.bench.queue().finished()) << bench.bench.queue().outstanding() << " requests at the drive";
  bench.expect_right();
  EXPECT_GT(bench.check.sectors_compared(), kCount * 10);
  if (beyond_share() == 0) {
    EXPECT_EQ(bench.bench.failures(), 0u);
  }
  bench.look_at_medium(0, bench.bench.disk().sectors());
}

TEST_P(Dash, FailingHeadsLoseOnlyTheirSurfaces) {
  constexpr std::uint64_t kCount = ARMATURE_CONTENTS_REQUESTS / 2;
  BenchParams params;
  params.drive = drive();
  drive::ArmsParams& arms = params.drive.arms;
  const media::Geometry geometry(params.drive.layout());
  const bool striped = arms.surface_access == drive::ArmsParams::striped;
  const unsigned per_surface = striped ? static_cast<unsigned>(arms.surfaces) : 1u;
  // The first surface of arm 0 and the last one of the last arm.
  const auto first = arms.reach(0, geometry.heads());
  const unsigned last_arm = arms.arms() - 1;
  const auto last = arms.reach(last_arm, geometry.heads());
  params.drive.faults = {drive::head_fails(0.31, 0, first.first * per_surface),
                         drive::head_fails(0.47, last_arm, (last.first + last.count - 1) * per_surface)};
  ContentsBench bench("bench", params, load_of(params.drive, kCount, 2, 0));
  bench.bench.queue().on_finished = [] { sc_core::sc_stop(); };
  sc_core::sc_start();
  EXPECT_TRUE(bench.bench.queue().finished()) << bench.bench.queue().outstanding() << " requests at the drive";
  EXPECT_FALSE(bench.bench.disk().failed());
  bench.expect_right();
  const std::uint64_t heads = 2 * static_cast<std::uint64_t>(arms.heads);
  EXPECT_EQ(bench.bench.disk().counters().failed_heads, heads);
  // With another assembly of the same stack nobody is the worse for it.
  const bool shared = arms.count > 1 && arms.range == drive::ArmsParams::shared;
  EXPECT_EQ(bench.bench.failures() == 0, shared);
  if (shared) {
    EXPECT_EQ(bench.bench.disk().counters().lost_sectors, 0u);
  }
}

/// Spares lie at the end of a zone, where the last arm has its heads: a physical sector that moves there is written and
/// read back by that one.
class DashDefects : public Dash {};
constexpr Layout kApart[] = {
    {"D2", [](drive::DriveParams& p) { arms_of(p, 2, 1, kMc); }, true},
    {"D4_one_at_a_time", [](drive::DriveParams& p) { arms_of(p, 4, 1, kSa); }, true},
    {"A2S2_one_channel", [](drive::DriveParams& p) { arms_of(p, 1, 2, kMa).surfaces = 2; }, true},
};
constexpr Caches kWays[] = {
    {"no_caches", none}, {"few_segments", few_segments}, {"caches", caches}, {"physical_4096", sectors_4096}};
INSTANTIATE_TEST_SUITE_P(Drive, DashDefects,
                         ::testing::Combine(::testing::ValuesIn(kApart), ::testing::ValuesIn(kWays)), name_of);

TEST_P(DashDefects, MoveToSparesOfAnotherArm) {
  BenchParams params;
  params.drive = drive();
  for (media::ZoneParams& zone : params.drive.geometry.zones) zone.spares = 320;
  const ContentsLoad::Params load = load_of(params.drive, ARMATURE_CONTENTS_REQUESTS, 3, 0);
  for (unsigned i = 0; i < 40; ++i)
    params.drive.faults.push_back(
        drive::grown_defect(static_cast<std::int64_t>(load.hot_first + 5 + i * 88), i * 0.05));
  ContentsBench bench("bench", params, load);
  bench.run();
  EXPECT_GT(bench.bench.disk().counters().reallocated_sectors, 10u);
  EXPECT_EQ(bench.bench.disk().counters().lost_sectors, 0u);
  EXPECT_FALSE(bench.bench.disk().failed());
}

}  // namespace
}  // namespace armature::testing
