// What one run leaves in a contents file the next one reads.
#include "contents_bench.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace armature::testing {
namespace {

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
    bench.queue().set_data_port(check);
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
