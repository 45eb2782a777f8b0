// Each file in scenarios/drives makes a whole drive: firmware, arbitration and channel included.
#include "armature/core/config.h"
#include "armature/workload/params.h"
#include "support/drive_bench.h"
#include "support/drive_file.h"
#include "support/drive_files.h"
#include "support/service_time.h"
#include "support/shipped_drives.h"
#include "support/shipped_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace armature {
namespace {

class EveryDrive : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { params_ = testing::shipped(GetParam()); }

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

constexpr Ps kStart = testing::ShippedStream::kStart;
constexpr double kStreamS = 1.2;  ///< of media time, at least
constexpr std::uint32_t kSizes[] = {8, 256, 2'048, 32'768};

constexpr unsigned kQueue = 32;

class EveryDriveStreams : public ::testing::TestWithParam<std::tuple<std::string, bool>> {};

// Both ends of the disk, all sizes, side by side in one simulation. From the host's first command to the end of the
// flush that follows: less than 2 % above the time that tracks and skews take, and the first positioning. Writes
// without a cache lose a turn between two of them if they come one by one, and none if they are queued.
TEST_P(EveryDriveStreams, RunAtTheRateOfTheFormat) {
  const auto& [file, write] = GetParam();
  const testing::BenchParams params = testing::shipped(file);
  // Without its cache a drive that reads loses a revolution with each request, unless the next one waits already.
  const bool cache = write ? params.drive.cache.write : params.drive.cache.look_ahead;
  std::vector<std::unique_ptr<testing::ShippedStream>> streams;
  for (const bool inner : {false, true})
    for (const std::uint32_t size : kSizes) {
      const std::string name = (inner ? "inner_" : "outer_") + std::to_string(size);
      const unsigned outstanding = size > 8 && cache ? 1 : kQueue;
      streams.push_back(
          std::make_unique<testing::ShippedStream>(name.c_str(), params, write, inner, size, outstanding, kStreamS));
      if (!write || cache) continue;
      const std::string alone = name + "_one_by_one";
      streams.push_back(
          std::make_unique<testing::ShippedStream>(alone.c_str(), params, write, inner, size, 1, kStreamS));
    }
  streams.front()->bench->run();
  for (const auto& stream : streams) {
    EXPECT_EQ(stream->bench->failures(), 0u) << stream->bench->name();
    EXPECT_EQ(stream->too_short, 0u) << stream->bench->name()
                                     << ": skews that are less than the change of tracks takes";
    const double took_s = to_seconds(stream->end - kStart), first_s = 1.2 * stream->turn_s + 0.005;
    EXPECT_LT(took_s, stream->ideal_s * 1.02 + first_s)
        << stream->bench->name() << ": " << 100 * stream->ideal_s / (took_s - first_s) << " % of the format's rate";
    EXPECT_GT(took_s, stream->ideal_s * 0.98) << stream->bench->name() << ": faster than the disk turns";
  }
}

INSTANTIATE_TEST_SUITE_P(Files, EveryDriveStreams,
                         ::testing::Combine(::testing::ValuesIn(testing::real_drives()), ::testing::Bool()),
                         [](const auto& test) {
                           return std::get<0>(test.param) + (std::get<1>(test.param) ? "_writes" : "_reads");
                         });

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

INSTANTIATE_TEST_SUITE_P(Files, EveryDrive, ::testing::ValuesIn(testing::drive_files()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace armature
