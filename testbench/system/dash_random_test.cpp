// Drives of random layout, with random caches, sectors that turn bad, arms and heads that fail, and times of standby:
// whatever happens to them, every command ends, and what is read is what was written.
#include "contents_bench.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <string>

namespace armature::testing {
namespace {

/// Eight surfaces of 40 cylinders, and everything that follows from the number of a test.
class RandomDrive {
 public:
  explicit RandomDrive(std::uint64_t seed) : seed_(seed), random_(seed, "random drive") {
    params.drive = round_drive();
    params.drive.media.contents = media::ContentsParams::memory;
    params.drive.geometry.heads = 8;
    params.drive.geometry.zones = {{0, 19, 96, 24, 40, 64}, {20, 39, 80, 16, 32, 64}};
    choose_arms();
    choose_caches();
    choose_defects();
    choose_own_work();
  }

  /// After the layout has been found possible.
  void choose_failures(unsigned heads) {
    drive::ArmsParams& arms = params.drive.arms;
    const bool striped = arms.surface_access == drive::ArmsParams::striped;
    const auto together = static_cast<unsigned>(striped ? arms.surfaces : 1);
    failing_heads = random_.chance(0.3) ? 0 : below(7);
    for (unsigned i = 0; i < failing_heads; ++i) {
      const unsigned arm = below(arms.arms());
      const auto reach = arms.reach(arm, heads);
      const double at = time_s();
      const unsigned surface = (reach.first + below(reach.count)) * together;
      params.drive.faults.push_back(
          drive::head_fails(at, arm, surface, std::int64_t{below(arms.head_count() + 1)} - 1));
    }
    failing_arms = random_.chance(0.6) ? 0 : below(arms.arms() + 1);
    for (unsigned i = 0; i < failing_arms; ++i) {
      const double at = time_s();
      params.drive.faults.push_back(drive::arm_fails(at, below(arms.arms())));
    }
  }

  ContentsLoad::Params load(std::uint64_t sectors) {
    ContentsLoad::Params load;
    load.seed = seed_;
    load.count = 1'200;
    load.sectors = sectors;
    load.hot_sectors = 3'000;
    load.hot_first = sectors / 2 - load.hot_sectors / 2;
    load.far_share = random_.chance(0.5) ? 0.1 : 0.6;
    load.beyond_share = beyond = random_.chance(0.3) ? 0.005 : 0;
    if (params.host.standby_after_s > 0) {  // it must have nothing to do now and then
      load.count = 600;
      load.outstanding = 1 + below(4);
      load.pause_share = 0.05;
    }
    return load;
  }

  BenchParams params;
  bool defects = false;
  double beyond = 0;
  unsigned failing_heads = 0;
  unsigned failing_arms = 0;

 private:
  unsigned below(std::uint64_t bound) { return static_cast<unsigned>(random_.below(bound)); }
  double time_s() { return static_cast<double>(below(4'000'000)) * 1e-6; }

  void choose_arms() {
    drive::ArmsParams& arms = params.drive.arms;
    constexpr std::int64_t kStacks[] = {1, 1, 2, 2, 4};
    arms.stacks = kStacks[below(std::size(kStacks))];
    arms.count = 1 + below(3);
    arms.surfaces = 1 + below(2);
    if (random_.chance(0.25)) arms.surface_access = drive::ArmsParams::striped;
    if (random_.chance(0.3)) arms.range = drive::ArmsParams::split;
    arms.heads = random_.chance(0.5) ? 1 : 2 + below(2);
    if (random_.chance(0.5)) arms.head_placement = drive::ArmsParams::equal_radius;
    if (arms.stacks * arms.count * arms.parts() > 8) arms.count = 1;
    // With ranges of their own, all arms must have as many of the eight surfaces.
    if (arms.range == drive::ArmsParams::split && 8 % (arms.stacks * arms.count * arms.surfaces) != 0) arms.count = 1;
    constexpr drive::ArmsParams::Design kDesigns[] = {drive::ArmsParams::SA, drive::ArmsParams::MA,
                                                      drive::ArmsParams::MC, drive::ArmsParams::own};
    arms.design = kDesigns[below(std::size(kDesigns))];
    if (arms.design != drive::ArmsParams::own) return;
    arms.max_in_service = below(arms.arms() + 1);
    const std::uint64_t served =
        arms.max_in_service != 0 ? static_cast<std::uint64_t>(arms.max_in_service) : arms.arms();
    arms.channels = 1 + below(served);
    arms.max_moving = below(served + 1);
  }

  void choose_caches() {
    drive::DriveParams& drive = params.drive;
    drive.cache.write = random_.chance(0.6);
    drive.cache.look_ahead = random_.chance(0.7);
    drive.cache.read_on_arrival = random_.chance(0.4);
    drive.cache.free_reads = random_.chance(0.3);
    drive.cache.hardware_hits = drive.cache.look_ahead && random_.chance(0.3);
    if (random_.chance(0.3)) drive.cache.read_ahead = controller::CacheParams::segment;
    if (random_.chance(0.3)) drive.cache.minimum_read_ahead_sectors = 1 + below(200);
    if (random_.chance(0.3)) drive.cache.read_watermark = 0.1;
    drive.cache.keep_written = random_.chance(0.3);
    drive.cache.read_ahead_on_hit = random_.chance(0.3);
    drive.cache.drop_near = static_cast<controller::CacheParams::DropNear>(below(3));
    if (random_.chance(0.3)) drive.cache.destage_idle_ms = 30;
    if (random_.chance(0.3)) drive.seek.reposition_ms = 0.7;
    if (random_.chance(0.5)) drive.buffer.size_kib = 1'024;
    if (random_.chance(0.5)) drive.buffer.segments = 1 + below(6);
    if (random_.chance(0.3))
      drive.geometry.physical_sector_bytes = 4'096;
    else if (random_.chance(0.5))  // lines of eight blocks lie on two tracks
      drive.geometry.zones = {{0, 19, 99, 24, 40, 64}, {20, 39, 83, 16, 32, 64}};
  }

  /// Sectors that turn bad; their spares may lie where another arm has its heads.
  void choose_defects() {
    const drive::ArmsParams& arms = params.drive.arms;
    if (arms.range == drive::ArmsParams::split || arms.surface_access == drive::ArmsParams::striped) return;
    defects = random_.chance(0.3);
    for (unsigned i = 0; defects && i < 40; ++i)
      params.drive.faults.push_back(drive::grown_defect(10'000 + i * 64 + below(4'000), i * 0.05));
  }

  void choose_own_work() {
    drive::DriveParams& drive = params.drive;
    if (random_.chance(0.25)) {
      drive.background.scan_idle_ms = 1;
      drive.background.recalibration_s = 0.1;  // a period is over before all arms are recalibrated
      drive.background.recalibration_wait_ms = 20;
    }
    drive.spindle.spin_up_s = 0.5;
    drive.spindle.spin_down_s = 0.3;
    drive.spindle.initially_spinning = !random_.chance(0.3);
    if (random_.chance(0.4)) {
      drive.seek.load_ms = 40;
      drive.seek.unload_ms = 30;
    }
    if (random_.chance(0.4)) params.host.standby_after_s = 0.005 + below(30) * 1e-3;
    params.host.ncq = !random_.chance(0.15);
  }

  const std::uint64_t seed_;
  RandomStream random_;
};

class DashAtRandom : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Drive, DashAtRandom, ::testing::Range(0, ARMATURE_RANDOM_DRIVES));

TEST_P(DashAtRandom, EveryCommandEndsAndReadsBringWhatWasWritten) {
  RandomDrive random(static_cast<std::uint64_t>(GetParam()));
  const media::Geometry geometry(random.params.drive.layout());
  random.choose_failures(geometry.heads());
  ContentsLoad source(random.load(geometry.sectors()));
  host::ContentsCheck check({});
  DriveBench bench("bench", random.params, source);
  bench.keep = false;
  bench.queue().set_data_port(check);
  bench.queue().on_finished = [] { sc_core::sc_stop(); };  // background work has no end
  sc_core::sc_start(sc_core::sc_time(2'000, sc_core::SC_SEC));
  EXPECT_TRUE(bench.queue().finished()) << bench.queue().outstanding() << " requests at the drive";
  EXPECT_FALSE(bench.disk().failed());
  EXPECT_EQ(check.mismatches(), 0u);
  for (const std::string& text : check.descriptions()) ADD_FAILURE() << text;
  if (random.failing_heads == 0 && random.failing_arms == 0 && random.beyond == 0 && !random.defects) {
    EXPECT_EQ(bench.failures(), 0u);
    EXPECT_EQ(bench.disk().counters().lost_sectors, 0u);
  }
}

}  // namespace
}  // namespace armature::testing
