// The caches keep what is written: random loads crowd on little room, every sector read is compared with what the host
// wrote, and at the end the medium itself.
#include "contents_bench.h"

#include <gtest/gtest.h>

#include <string>

namespace armature::testing {
namespace {

struct Variant {
  const char* name;
  void (*set)(drive::DriveParams&);
  double beyond_share = 0;
};

std::ostream& operator<<(std::ostream& out, const Variant& variant) {
  return out << variant.name;
}

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
void one_segment(drive::DriveParams& params) {
  look_ahead(params);
  params.buffer.segments = 1;
}
void late_destage(drive::DriveParams& params) {
  caches(params);
  params.cache.destage_idle_ms = 30;
  params.cache.high_water = 0.9;
}
void physical_4096_with_caches(drive::DriveParams& params) {
  caches(params);
  physical_4096(params);
}

/// Hits answered by hardware, in rings that are short and reused at once.
void hits(drive::DriveParams& params) {
  look_ahead(params);
  params.cache.hardware_hits = true;
  params.buffer.size_kib = 512;
  params.buffer.segments = 4;
}
void hits_beside_lines(drive::DriveParams& params) {
  caches(params);
  params.cache.hardware_hits = true;
}
void hits_one_segment(drive::DriveParams& params) {
  hits_beside_lines(params);
  params.buffer.segments = 1;
}
void hits_three_segments_late_destage(drive::DriveParams& params) {
  late_destage(params);
  params.cache.hardware_hits = true;
  params.buffer.segments = 3;
}
void hits_slow_look_up(drive::DriveParams& params) {
  hits_beside_lines(params);
  params.controller.look_up_cycles = 4'000;
}
void hits_physical_4096(drive::DriveParams& params) {
  hits_beside_lines(params);
  physical_4096(params);
}

/// Data go on as they come, segments begin before what was asked for and are cut where they are written.
void read_policies(drive::DriveParams& params) {
  caches(params);
  params.cache.read_on_arrival = false;
  params.cache.read_ahead = controller::CacheParams::segment;
  params.cache.free_reads = true;
  params.cache.read_watermark = 0.1;
  params.seek.reposition_ms = 0.7;
}
void keeps_requested(drive::DriveParams& params) {
  read_policies(params);
  params.cache.read_on_arrival = true;
  params.cache.read_ahead = controller::CacheParams::cylinder;
  params.cache.read_ahead_sectors = 50;
  params.cache.keep_requested = true;
  params.cache.read_watermark = 1;
  params.buffer.segments = 4;
}
void read_policies_and_hardware_hits(drive::DriveParams& params) {
  read_policies(params);
  params.cache.hardware_hits = true;
}

constexpr Variant kVariants[] = {
    {"read_policies", read_policies},
    {"read_policies_errors", read_policies, 0.01},
    {"keeps_requested", keeps_requested, 0.002},
    {"read_policies_and_hardware_hits", read_policies_and_hardware_hits, 0.002},
    {"look_ahead", look_ahead},
    {"one_segment", one_segment},
    {"caches", caches},
    {"three_segments", three_segments},
    {"late_destage", late_destage},
    {"errors_drop_the_queue", caches, 0.01},
    {"physical_4096", physical_4096},
    {"physical_4096_with_caches", physical_4096_with_caches, 0.005},
    {"hardware_hits", hits},
    {"hardware_hits_beside_lines", hits_beside_lines},
    {"hardware_hits_one_segment", hits_one_segment},
    {"hardware_hits_three_segments_late_destage", hits_three_segments_late_destage},
    {"hardware_hits_slow_look_up", hits_slow_look_up},
    {"hardware_hits_errors", hits_beside_lines, 0.01},
    {"hardware_hits_physical_4096", hits_physical_4096, 0.005},
};

class CachedContents : public ::testing::TestWithParam<Variant> {};

TEST_P(CachedContents, EveryReadBringsWhatWasWritten) {
  const Variant variant = GetParam();
  constexpr std::uint64_t kCount = ARMATURE_CONTENTS_REQUESTS;
  BenchParams params;
  params.drive = round_drive_with_contents(true);
  variant.set(params.drive);
  ContentsLoad::Params load;
  load.count = kCount;
  load.sectors = media::Geometry(params.drive.geometry).sectors();
  load.hot_first = kHotFirst;
  load.hot_sectors = kHotSectors;
  load.beyond_share = variant.beyond_share;
  if (params.drive.cache.hardware_hits) {  // what was read is often read again, and often overwritten
    load.hot_sectors = 600;
    load.read_share = 0.8;
    load.far_share = 0.01;
  }
  ContentsBench bench("bench", params, load);
  bench.run();
  EXPECT_GT(bench.check.sectors_compared(), kCount * 10);
  EXPECT_EQ(bench.bench.failures() > 0, variant.beyond_share > 0);
  // The last command that wrote was a flush: now the medium holds everything.
  bench.look_at_medium(0, bench.bench.disk().sectors());
  EXPECT_EQ(bench.unreadable, 0u);
  if (params.drive.cache.hardware_hits)
    EXPECT_GT(bench.bench.disk().hardware_hits(), kCount / 60);
  else
    EXPECT_EQ(bench.bench.disk().hardware_hits(), 0u);
}

std::string name_of(const ::testing::TestParamInfo<Variant>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(Drive, CachedContents, ::testing::ValuesIn(kVariants), name_of);

}  // namespace
}  // namespace armature::testing
