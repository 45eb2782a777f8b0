// After a loss of power at any time the medium holds what was acknowledged as durable, and no sector that no write was
// under way on is damaged.
#include "armature/core/kernel_time.h"
#include "contents_bench.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace armature::testing::contents_power_test {
namespace {

/// A drive whose supply fails at `cut`.
class DoomedDrive : public sc_core::sc_module {
 public:
  DoomedDrive(sc_core::sc_module_name name, const BenchParams& params, const ContentsLoad::Params& load,
              const host::ContentsCheck::Params& check, Ps cut)
      : sc_module(name), bench_("drive", params, load, check) {
    SC_HAS_PROCESS(DoomedDrive);
    SC_METHOD(fail);
    sensitive << cut_;
    dont_initialize();
    cut_.notify(to_sc_time(cut));
  }

  bool looked_at() const { return looked_at_; }
  std::uint64_t unreadable() const { return bench_.unreadable; }
  std::uint64_t completions() const { return bench_.bench.completions(); }

 private:
  void fail() {
    looked_at_ = true;
    bench_.bench.disk().power_off();
    bench_.load.stop();
    SCOPED_TRACE(::testing::Message() << name() << " at " << now() << " ps");
    bench_.look_at_medium(kHotFirst, kHotSectors);
  }

  ContentsBench bench_;
  sc_core::sc_event cut_;
  bool looked_at_ = false;
};

struct Variant {
  const char* name;
  bool write_cache;
  bool physical_4096 = false;
};

constexpr unsigned kDrives = 50;  // in one simulation
constexpr Ps kLongest = 2 * kPsPerSecond;

/// Drives with loads and moments of their own, by the seed.
class PowerLoss : public ::testing::TestWithParam<std::tuple<Variant, int>> {};

TEST_P(PowerLoss, LeavesWhatWasAcknowledgedAsDurable) {
  const auto& [variant, seed] = GetParam();
  RandomStream random(static_cast<std::uint64_t>(seed), "power");
  BenchParams params;
  params.drive = round_drive_with_contents(true);
  if (variant.physical_4096) physical_4096(params.drive);
  params.drive.buffer.size_kib = 1024;
  if (variant.write_cache) {
    params.drive.cache.write = true;
    params.drive.cache.look_ahead = true;
    params.drive.cache.read_on_arrival = true;
  }
  host::ContentsCheck::Params check;
  check.volatile_cache = variant.write_cache;
  std::vector<std::unique_ptr<DoomedDrive>> drives;
  for (unsigned i = 0; i < kDrives; ++i) {
    ContentsLoad::Params load;
    load.seed = random.bits();
    load.count = 1'000'000;
    load.sectors = media::Geometry(params.drive.geometry).sectors();
    load.hot_first = kHotFirst;
    load.hot_sectors = kHotSectors;
    load.read_share = 0.2;
    load.flush_share = 0.05;
    load.fua_share = 0.1;
    load.far_share = 0;
    const Ps cut = kPsPerMs + static_cast<Ps>(random.below(kLongest));
    const std::string name = "drive" + std::to_string(i);
    drives.push_back(std::make_unique<DoomedDrive>(name.c_str(), params, load, check, cut));
  }
  sc_core::sc_start(to_sc_time(kLongest + 2 * kPsPerMs));
  std::uint64_t unreadable = 0, completions = 0;
  for (const auto& drive : drives) {
    EXPECT_TRUE(drive->looked_at());
    EXPECT_LE(drive->unreadable(), 1u) << "more than the sector under the head";
    unreadable += drive->unreadable();
    completions += drive->completions();
  }
  if (variant.physical_4096)
    EXPECT_EQ(unreadable, 0u) << "the drive finishes a physical sector that holds blocks which nobody writes";
  else
    EXPECT_GT(unreadable, 0u) << "no supply failed while a sector was written: the test tests nothing";
  EXPECT_GT(completions, kDrives * 10);
}

constexpr Variant kVariants[] = {{"write_through", false},
                                 {"write_cache", true},
                                 {"physical_4096", false, true},
                                 {"physical_4096_write_cache", true, true}};

INSTANTIATE_TEST_SUITE_P(Drives, PowerLoss, ::testing::Combine(::testing::ValuesIn(kVariants), ::testing::Range(0, 10)),
                         [](const auto& variation) {
                           return std::string(std::get<0>(variation.param).name) + "_" +
                                  std::to_string(std::get<1>(variation.param));
                         });

}  // namespace
}  // namespace armature::testing::contents_power_test
