// The supply fails and comes back in one run: a drive alone at its link, with a load that is verified.
#include "armature/core/kernel_time.h"
#include "contents_bench.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace armature::testing::power_cycle_test {
namespace {

drive::DriveParams drive_with(unsigned arms, bool ramp, bool write_cache) {
  drive::DriveParams params = round_drive_with_contents(true);
  params.spindle.spin_up_s = 0.05;
  params.spindle.spin_down_s = 0.08;
  params.arms.count = static_cast<int>(arms);
  params.buffer.size_kib = 1024;
  params.cache.write = write_cache;
  params.cache.look_ahead = write_cache;
  if (ramp) {
    params.seek.load_ms = 4;
    params.seek.unload_ms = 3;
  }
  return params;
}

ContentsLoad::Params load_of(const drive::DriveParams& drive, std::uint64_t seed, std::uint64_t count) {
  ContentsLoad::Params load;
  load.seed = seed;
  load.count = count;
  load.sectors = media::Geometry(drive.geometry).sectors();
  load.hot_first = kHotFirst;
  load.hot_sectors = kHotSectors;
  load.read_share = 0.3;
  load.flush_share = 0.05;
  load.fua_share = 0.1;
  load.far_share = 0;
  return load;
}

/// A drive whose supply fails and comes back again and again, until its load has ended.
class CycledDrive : public sc_core::sc_module {
 public:
  CycledDrive(sc_core::sc_module_name name, const BenchParams& params, const ContentsLoad::Params& load,
              unsigned cycles)
      : sc_module(name),
        random_(load.seed, "power cycles"),
        cycles_(cycles),
        bench_("drive", params, load, check(params)) {
    bench_.bench.adapter().on_supply = [this](bool on) {
      if (!on) lost();
    };
    SC_HAS_PROCESS(CycledDrive);
    SC_METHOD(change);
    sensitive << change_;
    dont_initialize();
    change_.notify(to_sc_time(some_time()));
  }
  void expect_right() {
    bench_.expect_right();
    EXPECT_EQ(bench_.bench.disk().power_losses(), cycles_);
    EXPECT_EQ(bench_.bench.disk().firmware_fault(), "");
  }
  std::uint64_t unreadable() const { return bench_.unreadable; }
  DriveBench& bench() { return bench_.bench; }

 private:
  static host::ContentsCheck::Params check(const BenchParams& params) {
    host::ContentsCheck::Params check;
    check.volatile_cache = params.drive.cache.write;
    return check;
  }
  Ps some_time() { return kPsPerMs + static_cast<Ps>(random_.below(150 * kPsPerMs)); }
  void lost() { bench_.look_at_medium(kHotFirst, kHotSectors); }
  void change() {
    drive::HardDisk& disk = bench_.bench.disk();
    if (disk.powered()) {
      disk.power_off();
    } else {
      bench_.check.power_restored();
      disk.power_on();
    }
    if (!disk.powered() || disk.power_losses() < cycles_) change_.notify(to_sc_time(some_time()));
  }

  RandomStream random_;
  const unsigned cycles_;
  ContentsBench bench_;
  sc_core::sc_event change_;
};

struct Variant {
  const char* name;
  unsigned arms;
  bool ramp, write_cache;
  bool servo = false, iss = false;
};

class PowerCycles : public ::testing::TestWithParam<Variant> {};

TEST_P(PowerCycles, TheLoadGoesOnAndWhatWasFlushedIsThere) {
  const Variant& variant = GetParam();
  BenchParams params;
  params.drive = drive_with(variant.arms, variant.ramp, variant.write_cache);
  if (variant.iss) params.drive.controller.processor = controller::ControllerParams::iss;
  constexpr unsigned kDrives = 4, kCycles = 6;
  std::vector<std::unique_ptr<CycledDrive>> drives;
  for (unsigned i = 0; i < kDrives; ++i) {
    const std::string name = "drive" + std::to_string(i);
    drives.push_back(std::make_unique<CycledDrive>(name.c_str(), params, load_of(params.drive, 100 + i, 400), kCycles));
  }
  sc_core::sc_start(to_sc_time(30 * kPsPerSecond));
  for (const auto& drive : drives) {
    SCOPED_TRACE(drive->name());
    drive->expect_right();
    EXPECT_EQ(drive->bench().completions(), 400u + 1 + kHotSectors / 100);
  }
}

INSTANTIATE_TEST_SUITE_P(Drives, PowerCycles,
                         ::testing::Values(Variant{"write_through", 1, true, false},
                                           Variant{"write_cache", 1, true, true}, Variant{"no_ramp", 1, false, true},
                                           Variant{"three_arms", 3, true, true},
                                           Variant{"elf", 1, true, true, false, true}),
                         [](const auto& variation) { return std::string(variation.param.name); });

}  // namespace
}  // namespace armature::testing::power_cycle_test
