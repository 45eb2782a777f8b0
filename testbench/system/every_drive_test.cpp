// Each file in scenarios/drives makes a whole drive: firmware, arbitration and channel included.
#include "armature/core/config.h"
#include "armature/workload/params.h"
#include "support/drive_bench.h"
#include "support/drive_file.h"
#include "support/drive_files.h"
#include "support/service_time.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace armature {
namespace {

std::vector<std::string> drive_files() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(ARMATURE_SOURCE_DIR) + "/scenarios/drives"))
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class EveryDrive : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { config::read(testing::load_drive_sections(GetParam()), params_.drive); }

  std::unique_ptr<workload::Source> random_requests(std::int64_t count, double read_fraction,
                                                    std::int64_t outstanding) {
    workload::WorkloadParams load;
    load.kind = workload::WorkloadParams::closed;
    load.count = count;
    load.outstanding = outstanding;
    load.think_ms = 0;
    load.read_fraction = read_fraction;
    load.align_sectors = 1;  // 512-byte requests' borders anywhere, also within a physical sector of 4,096 bytes
    return workload::make_source(load, 5, media::Geometry(params_.drive.geometry).sectors(), "");
  }

  testing::BenchParams params_;
};

TEST_P(EveryDrive, SeeksAsLongAsItsCurveAndZonesSay) {
  constexpr std::int64_t kCount = 8'000;
  const auto source = random_requests(kCount, 1, 1);
  testing::DriveBench bench("bench", params_, *source);
  bench.keep = false;
  bench.run();
  ASSERT_EQ(bench.completions(), static_cast<std::uint64_t>(kCount));
  ASSERT_EQ(bench.failures(), 0u);
  const auto expected = testing::mean_service(
      testing::for_integration(params_.drive.geometry, params_.drive.seek, params_.drive.spindle), 8, false);
  const double seek = bench.phase_sums_ms()[static_cast<std::size_t>(Phase::seek)] / kCount;
  // Four standard errors: the scatter of a random seek is about half its mean, and successive ones share a cylinder.
  EXPECT_NEAR(seek, expected.seek, 4 * 0.7 / std::sqrt(static_cast<double>(kCount)) * expected.seek);
}

TEST_P(EveryDrive, TakesAMixWithAFullQueueToTheEnd) {
  constexpr std::int64_t kCount = 2'000;
  const auto source = random_requests(kCount, 0.5, 32);
  testing::DriveBench bench("bench", params_, *source);
  bench.keep = false;
  bench.run();
  EXPECT_EQ(bench.completions(), static_cast<std::uint64_t>(kCount));
  EXPECT_EQ(bench.failures(), 0u);
}

TEST(MeasuredDrives, HaveTheCacheSegmentsThatWereMeasured) {
  // Number of buffer segments for reads and segment size in blocks, from DiskSim's .diskspecs of the drives: of the
  // 18ES's seven one is for writes, whose sectors have their part of the buffer here.
  const struct {
    const char* file;
    std::int64_t segments;
    std::uint32_t blocks;
  } drives[] = {{"quantum_atlas_10k", 10, 374},
                {"ibm_ultrastar_18es", 6, 511},
                {"seagate_barracuda_st32171w", 3, 281},
                {"hp_c3323a", 2, 512}};
  for (const auto& expected : drives) {
    drive::DriveParams params;
    config::read(testing::load_drive_sections(expected.file), params);
    EXPECT_EQ(params.buffer.segments, expected.segments) << expected.file;
    EXPECT_EQ(params.buffer.segment_sectors(), expected.blocks) << expected.file;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, EveryDrive, ::testing::ValuesIn(drive_files()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace armature
