// A drive keeps what is written: random loads, every sector read is compared with what the host wrote.
#include "contents_bench.h"

#include <gtest/gtest.h>

#include <cstdlib>
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

using ContentsQuick = Contents;
TEST_P(ContentsQuick, TwentyThousandRequestsReadWhatWasWritten) {
  run(20'000);
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
};

std::string name_of(const ::testing::TestParamInfo<Variant>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Drive, ContentsQuick, ::testing::ValuesIn(kVariants), name_of);

TEST(ContentsFile, ADriveReadsWhatAnEarlierRunLeftInItsFile) {
  std::string directory = ::testing::TempDir() + "armature-contents-XXXXXX";
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  const std::string path = directory + "/disk";
  BenchParams params;
  params.drive = round_drive_with_contents(true);
  params.drive.media.contents = media::ContentsParams::file;
  params.drive.media.contents_file = path;
  // The earlier run: the writes of a request with number 0 to every block.
  const media::Geometry geometry(params.drive.geometry);
  host::ContentsCheck::Params check_params;
  {
    const host::ContentsCheck writer(check_params);
    media::Contents contents(params.drive.media, geometry.physical_sectors());
    for (std::uint64_t lbn = 0; lbn < geometry.sectors(); ++lbn) {
      std::uint8_t sector[512];
      writer.fill(lbn, 1, sector);
      contents.write(geometry.physical(lbn), sector);
    }
  }
  // This one: the host knows of that write, reads, and writes more.
  workload::Request whole;
  whole.operation = Operation::write;
  whole.lbn = 0;
  whole.sectors = static_cast<std::uint32_t>(geometry.sectors());
  std::vector<workload::Request> requests = {write_request(0, 20'000, 4)};
  for (std::uint64_t i = 0; i < 500; ++i)
    requests.push_back(i % 3 == 0 ? write_request(0, i * 7'919 % 35'000, 40) : read_request(0, i * 6'007 % 35'000, 60));
  {
    ListSource source(requests);
    DriveBench bench("bench", params, source);
    host::ContentsCheck check(check_params);
    check.dispatched(whole, 100);
    check.completed(whole, 100, true);
    bench.queue().set_contents_check(check);
    bench.run();
    EXPECT_EQ(check.mismatches(), 0u);
    for (const std::string& text : check.descriptions()) ADD_FAILURE() << text;
    EXPECT_GT(check.sectors_compared(), 15'000u);
  }
  std::remove(path.c_str());
  std::remove(directory.c_str());
}

}  // namespace
}  // namespace armature::testing
