// The caches keep what is written: random loads crowd on little room, every sector read is compared with what the host
// wrote, and at the end the medium itself.
#include "contents_setups.h"

#include <gtest/gtest.h>

#include <string>

namespace armature::testing {
namespace {

void one_segment(drive::DriveParams& params) {
  setups::look_ahead(params);
  params.buffer.segments = 1;
}

/// Hits answered by hardware, in rings that are short and reused at once.
void hits(drive::DriveParams& params) {
  setups::look_ahead(params);
  params.cache.hardware_hits = true;
  params.buffer.size_kib = 512;
  params.buffer.segments = 4;
}
void hits_beside_lines(drive::DriveParams& params) {
  setups::caches(params);
  params.cache.hardware_hits = true;
}
void hits_one_segment(drive::DriveParams& params) {
  hits_beside_lines(params);
  params.buffer.segments = 1;
}
void hits_three_segments_late_destage(drive::DriveParams& params) {
  setups::late_destage(params);
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

void keeps_requested(drive::DriveParams& params) {
  setups::read_policies(params);
  params.cache.read_on_arrival = true;
  params.cache.read_ahead = controller::CacheParams::cylinder;
  params.cache.read_ahead_sectors = 50;
  params.cache.keep_requested = true;
  params.cache.read_watermark = 1;
  params.buffer.segments = 4;
}

void whole_track_and_hardware_hits(drive::DriveParams& params) {
  setups::whole_track(params);
  params.cache.hardware_hits = true;
}
void whole_track_physical_4096(drive::DriveParams& params) {
  setups::whole_track_from_second(params);
  physical_4096(params);
}

void small_rings_hardware_hits(drive::DriveParams& params) {
  setups::small_rings(params);
  params.cache.hardware_hits = true;
}
void small_rings_keep_requested(drive::DriveParams& params) {
  setups::small_rings(params);
  params.cache.keep_requested = true;
  params.cache.read_watermark = 0.5;
}

/// Long commands on lines that lie scattered in the RAM: more transfers are due than the host interface takes.
void many_transfers(drive::DriveParams& params) {
  setups::caches(params);
  params.buffer.size_kib = 8'192;
  params.buffer.write_share = 0.5;
}
void many_transfers_many_segments(drive::DriveParams& params) {
  many_transfers(params);
  params.buffer.segments = 250;
}

void writes_begin_early(drive::DriveParams& params) {
  setups::small_rings(params);
  params.cache.write_watermark = 0;
}

/// Writes leave their runs in segments; long ones go through lines.
void kept_without_write_cache(drive::DriveParams& params) {
  setups::kept(params);
  params.cache.write = false;
}
void kept_through_lines(drive::DriveParams& params) {
  kept_without_write_cache(params);
  params.buffer.write_share = 0.5;
  params.buffer.segments = 8;
}
void kept_small_rings(drive::DriveParams& params) {
  setups::small_rings(params);
  params.cache.keep_written = true;
  params.cache.read_ahead_on_hit = true;
}
void kept_hardware_hits(drive::DriveParams& params) {
  setups::kept(params);
  params.cache.hardware_hits = true;
  params.cache.drop_near = controller::CacheParams::adjacent;
}
void kept_late_destage(drive::DriveParams& params) {
  setups::late_destage(params);
  params.cache.keep_written = true;
  params.cache.read_ahead_on_hit = true;
}
void kept_whole_track(drive::DriveParams& params) {
  setups::whole_track_from_second(params);
  params.cache.keep_written = true;
  params.cache.read_ahead_on_hit = true;
}

void minimum_ahead_whole_track(drive::DriveParams& params) {
  setups::whole_track_from_second(params);
  params.cache.minimum_read_ahead_sectors = 50;
}
void minimum_ahead_small_rings(drive::DriveParams& params) {
  setups::small_rings(params);
  params.cache.minimum_read_ahead_sectors = 20;
}
void minimum_ahead_hardware_hits(drive::DriveParams& params) {
  setups::read_policies_and_hardware_hits(params);
  params.cache.minimum_read_ahead_sectors = 90;
}

constexpr ContentsSetup kVariants[] = {
    {"minimum_ahead", setups::minimum_ahead},
    {"minimum_ahead_errors", setups::minimum_ahead, 0.01},
    {"minimum_ahead_physical_4096", setups::minimum_ahead_physical_4096, 0.002},
    {"minimum_ahead_whole_track", minimum_ahead_whole_track},
    {"minimum_ahead_small_rings", minimum_ahead_small_rings, 0.002},
    {"minimum_ahead_hardware_hits", minimum_ahead_hardware_hits, 0.002},
    {"kept", setups::kept},
    {"kept_errors", setups::kept, 0.01},
    {"kept_physical_4096", setups::kept_physical_4096, 0.005},
    {"kept_without_write_cache", kept_without_write_cache, 0.002},
    {"kept_through_lines", kept_through_lines, 0.002},
    {"kept_small_rings", kept_small_rings, 0.002},
    {"kept_hardware_hits", kept_hardware_hits, 0.002},
    {"kept_late_destage", kept_late_destage},
    {"kept_whole_track", kept_whole_track, 0.002},
    {"writes_begin_early", writes_begin_early, 0.002},
    {"small_rings", setups::small_rings, 0.002},
    {"small_rings_without_look_ahead", setups::small_rings_without_look_ahead, 0.002},
    {"small_rings_physical_4096", setups::small_rings_physical_4096},
    {"small_rings_hardware_hits", small_rings_hardware_hits},
    {"small_rings_keep_requested", small_rings_keep_requested},
    {"read_policies", setups::read_policies},
    {"read_policies_errors", setups::read_policies, 0.01},
    {"keeps_requested", keeps_requested, 0.002},
    {"read_policies_and_hardware_hits", setups::read_policies_and_hardware_hits, 0.002},
    {"whole_track", setups::whole_track},
    {"whole_track_errors", setups::whole_track, 0.01},
    {"whole_track_from_second", setups::whole_track_from_second},
    {"whole_track_and_hardware_hits", whole_track_and_hardware_hits, 0.002},
    {"whole_track_physical_4096", whole_track_physical_4096, 0.002},
    {"look_ahead", setups::look_ahead},
    {"one_segment", one_segment},
    {"caches", setups::caches},
    {"three_segments", setups::three_segments},
    {"late_destage", setups::late_destage},
    {"errors_drop_the_queue", setups::caches, 0.01},
    {"many_transfers", many_transfers, 0, 1'024},
    {"many_transfers_errors", many_transfers, 0.01, 1'024},
    {"many_transfers_many_segments", many_transfers_many_segments, 0.002, 1'024},
    {"physical_4096", physical_4096},
    {"physical_4096_with_caches", setups::physical_4096_with_caches, 0.005},
    {"hardware_hits", hits},
    {"hardware_hits_beside_lines", hits_beside_lines},
    {"hardware_hits_one_segment", hits_one_segment},
    {"hardware_hits_three_segments_late_destage", hits_three_segments_late_destage},
    {"hardware_hits_slow_look_up", hits_slow_look_up},
    {"hardware_hits_errors", hits_beside_lines, 0.01},
    {"hardware_hits_physical_4096", hits_physical_4096, 0.005},
};

class CachedContents : public ::testing::TestWithParam<ContentsSetup> {};

TEST_P(CachedContents, EveryReadBringsWhatWasWritten) {
  const ContentsSetup variant = GetParam();
  constexpr std::uint64_t kCount = ARMATURE_CONTENTS_REQUESTS;
  BenchParams params;
  params.drive = round_drive_with_contents(true);
  variant.set(params.drive);
  ContentsLoad::Params load = hot_load(params.drive, kCount, variant.beyond_share);
  load.max_sectors = variant.max_sectors;
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
    EXPECT_GT(bench.bench.disk().hardware_hits(), kCount / 100);
  else
    EXPECT_EQ(bench.bench.disk().hardware_hits(), 0u);
}

/// Defects, and no spare for them: many writes fail after a part of their data has come to the media.
class FailedWrites : public ::testing::TestWithParam<ContentsSetup> {};
constexpr ContentsSetup kFailing[] = {{"look_ahead", setups::look_ahead},
                                      {"caches", setups::caches},
                                      {"hits_beside_lines", hits_beside_lines},
                                      {"kept", setups::kept},
                                      {"kept_without_write_cache", kept_without_write_cache},
                                      {"read_policies", setups::read_policies}};

TEST_P(FailedWrites, LeaveNothingOlderInTheSegments) {
  BenchParams params;
  params.drive = round_drive_with_contents(false);
  params.drive.geometry.zones[0].spares = params.drive.geometry.zones[1].spares = 0;
  params.drive.geometry.slips.clear();
  for (std::uint64_t lbn = kHotFirst + 50; lbn < kHotFirst + kHotSectors; lbn += 150)
    params.drive.faults.push_back(drive::grown_defect(static_cast<std::int64_t>(lbn)));
  GetParam().set(params.drive);
  ContentsBench bench("bench", params, hot_load(params.drive, 15'000));
  bench.run();
  EXPECT_GT(bench.bench.failures(), 100u);
  EXPECT_GT(bench.check.sectors_compared(), 10'000u);
}

std::string name_of(const ::testing::TestParamInfo<ContentsSetup>& info) {
  return info.param.name;
}
INSTANTIATE_TEST_SUITE_P(Drive, FailedWrites, ::testing::ValuesIn(kFailing), name_of);
INSTANTIATE_TEST_SUITE_P(Drive, CachedContents, ::testing::ValuesIn(kVariants), name_of);

}  // namespace
}  // namespace armature::testing
