#pragma once

#include "contents_bench.h"

#include <cstdint>
#include <ostream>

namespace armature::testing {

/// How a drive of round_drive_with_contents is set up for a verified load.
struct ContentsSetup {
  const char* name;
  void (*set)(drive::DriveParams&);
  double beyond_share = 0;          ///< of commands that reach beyond the last sector, and drop the queue
  std::uint32_t max_sectors = 128;  ///< of a command
};
inline std::ostream& operator<<(std::ostream& out, const ContentsSetup& setup) {
  return out << setup.name;
}

/// A load of `count` commands that crowd on the hot sectors of `drive`.
inline ContentsLoad::Params hot_load(const drive::DriveParams& drive, std::uint64_t count, double beyond_share = 0) {
  ContentsLoad::Params load;
  load.count = count;
  load.sectors = media::Geometry(drive.geometry).sectors();
  load.hot_first = kHotFirst;
  load.hot_sectors = kHotSectors;
  load.beyond_share = beyond_share;
  return load;
}

/// Set-ups that several tests use.
/// Runs `count` requests on the drive and looks: every read brings what was written, defects are moved to spares
/// without a loss, and without defects the medium holds everything at the end, as the last command that wrote was a
/// flush.
inline void run_hot_load(const BenchParams& params, std::uint64_t count, double beyond_share) {
  ContentsBench bench("bench", params, hot_load(params.drive, count, beyond_share));
  bench.run();
  const bool defects = !params.drive.faults.empty();
  EXPECT_GT(bench.check.sectors_compared(), count * 10);
  EXPECT_EQ(bench.bench.failures() > 0, beyond_share > 0 || defects);
  if (defects) {
    EXPECT_GT(bench.bench.disk().counters().reallocated_sectors, 10u);
    EXPECT_EQ(bench.bench.disk().counters().lost_sectors, 0u);
    return;  // some of them have not been written since they turned bad
  }
  bench.look_at_medium(0, bench.bench.disk().sectors());
  EXPECT_EQ(bench.unreadable, 0u);
}

namespace setups {

inline void none(drive::DriveParams&) {}
inline void look_ahead(drive::DriveParams& params) {
  params.cache.look_ahead = true;
}
/// Everything on, in so little room that it is always short.
inline void caches(drive::DriveParams& params) {
  params.cache.write = true;
  params.cache.look_ahead = true;
  params.cache.read_on_arrival = true;
  params.buffer.size_kib = 1'024;
}
inline void three_segments(drive::DriveParams& params) {
  caches(params);
  params.buffer.segments = 3;
}
inline void late_destage(drive::DriveParams& params) {
  caches(params);
  params.cache.destage_idle_ms = 30;
  params.cache.high_water = 0.9;
}
inline void physical_4096_with_caches(drive::DriveParams& params) {
  caches(params);
  physical_4096(params);
}
/// Data go on as they come, segments begin before what was asked for and are cut where they are written.
inline void read_policies(drive::DriveParams& params) {
  caches(params);
  params.cache.read_on_arrival = false;
  params.cache.read_ahead = controller::CacheParams::segment;
  params.cache.free_reads = true;
  params.cache.read_watermark = 0.1;
  params.seek.reposition_ms = 0.7;
}
/// The arm stays with what it reads ahead although others wait for it, across tracks.
inline void minimum_ahead(drive::DriveParams& params) {
  caches(params);
  params.cache.read_ahead = controller::CacheParams::segment;
  params.cache.minimum_read_ahead_sectors = 70;
  params.cache.write_stops_read_ahead = true;
}
inline void minimum_ahead_physical_4096(drive::DriveParams& params) {
  minimum_ahead(params);
  params.cache.minimum_read_ahead_sectors = 13;
  params.cache.keep_requested = true;
  params.buffer.segments = 20;
  physical_4096(params);
}
/// Segments grow at both ends, in rings of a track and a half.
inline void whole_track(drive::DriveParams& params) {
  caches(params);
  params.cache.read_ahead = controller::CacheParams::whole_track;
  params.cache.free_reads = true;
  params.buffer.size_kib = 512;
  params.buffer.segments = 5;
}
inline void whole_track_from_second(drive::DriveParams& params) {
  whole_track(params);
  params.cache.read_ahead_from = controller::CacheParams::second;
  params.cache.write_stops_read_ahead = true;
}
/// What was written is read from the buffer, segments are dropped by writes near them, and hits make the arm read
/// ahead.
inline void kept(drive::DriveParams& params) {
  caches(params);
  params.cache.keep_written = true;
  params.cache.read_ahead_on_hit = true;
  params.cache.drop_near = controller::CacheParams::same_track;
}
inline void kept_physical_4096(drive::DriveParams& params) {
  kept(params);
  params.cache.drop_near = controller::CacheParams::adjacent;
  physical_4096(params);
}
/// Rings of a few sectors: nearly every read flows through one, round its end more than once.
inline void small_rings(drive::DriveParams& params) {
  look_ahead(params);
  params.buffer.segments = 6;
  params.buffer.size_kib = 4 + 6 * 12;  // 24 sectors each
}
inline void small_rings_without_look_ahead(drive::DriveParams& params) {
  small_rings(params);
  params.cache.look_ahead = false;
}
inline void small_rings_physical_4096(drive::DriveParams& params) {
  small_rings(params);
  params.cache.write = true;
  params.buffer.size_kib = 512;
  params.buffer.write_share = 0.85;
  physical_4096(params);
}
inline void read_policies_and_hardware_hits(drive::DriveParams& params) {
  read_policies(params);
  params.cache.hardware_hits = true;
}

}  // namespace setups
}  // namespace armature::testing
