// A drive keeps what is written: random loads, every sector read is compared with what the host wrote. Built twice,
// with ARMATURE_CONTENTS_REQUESTS of 20,000 and of a million (ctest label `full`).
#include "contents_bench.h"

#include <gtest/gtest.h>

#include <string>

namespace armature::testing {
namespace {

/// What of the drive and the load differs.
struct Variant {
  const char* name;
  bool ncq = true;
  bool remaps = false;
  double beyond_share = 0;
  std::int64_t segments = 16;
  void (*set)(drive::DriveParams&) = nullptr;
};

std::ostream& operator<<(std::ostream& out, const Variant& variant) {
  return out << variant.name;
}

BenchParams bench_params(const Variant& variant) {
  BenchParams params;
  params.drive = round_drive_with_contents(variant.remaps);
  params.drive.buffer.segments = variant.segments;
  params.host.ncq = variant.ncq;
  if (variant.set) variant.set(params.drive);
  return params;
}

ContentsLoad::Params load_params(const Variant& variant, std::uint64_t count) {
  ContentsLoad::Params params;
  params.count = count;
  params.sectors = media::Geometry(bench_params(variant).drive.geometry).sectors();
  params.hot_first = kHotFirst;
  params.hot_sectors = kHotSectors;
  params.beyond_share = variant.beyond_share;
  if (!variant.ncq) params.outstanding = 2;  // one at the drive, one behind it
  return params;
}

class Contents : public ::testing::TestWithParam<Variant> {
 protected:
  void run(std::uint64_t count) {
    const Variant variant = GetParam();
    ContentsBench bench("bench", bench_params(variant), load_params(variant, count));
    bench.run();
    EXPECT_GT(bench.check.sectors_compared(), count * 10);
    const bool fails = variant.beyond_share > 0;
    EXPECT_EQ(bench.bench.failures() > 0, fails);
    // The last command that wrote was a flush: now the medium holds everything.
    bench.look_at_medium(0, bench.bench.disk().sectors());
    EXPECT_EQ(bench.unreadable, 0u);
  }
};

TEST_P(Contents, EveryReadBringsWhatWasWritten) {
  run(ARMATURE_CONTENTS_REQUESTS);
}

/// Everything on, in so little room that it is always short.
void caches(drive::DriveParams& params) {
  params.cache.write = true;
  params.cache.look_ahead = true;
  params.cache.read_on_arrival = true;
  params.buffer.size_kib = 1024;
}

const Variant kVariants[] = {
    {"queued"},
    {"unqueued", false},
    {"grown_defects", true, true},
    {"errors_drop_the_queue", true, true, 0.01},
    {"two_segments", true, true, 0, 2},
    {"caches_unqueued", false, true, 0, 16, caches},
    {"caches", true, true, 0, 16, caches},
    {"caches_and_errors", true, true, 0.01, 16, caches},
};

std::string name_of(const ::testing::TestParamInfo<Variant>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Drive, Contents, ::testing::ValuesIn(kVariants), name_of);

}  // namespace
}  // namespace armature::testing
