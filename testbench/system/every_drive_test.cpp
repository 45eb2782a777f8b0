// Each file in scenarios/drives makes a whole drive: firmware, arbitration and channel included.
#include "armature/core/config.h"
#include "armature/workload/params.h"
#include "support/drive_bench.h"
#include "support/drive_file.h"
#include "support/drive_files.h"
#include "support/service_time.h"
#include "support/stream_source.h"
#include "support/stream_time.h"
#include "support/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
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

/// The drive as its file has it, caches included.
testing::BenchParams shipped(const std::string& name) {
  testing::BenchParams params;
  config::read(testing::load_drive_sections(name), params.drive);
  config::Node file = testing::load_drive_file(name + ".toml");
  if (file.find("link")) config::read(file.take("link"), params.link);
  return params;
}

class EveryDrive : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { params_ = shipped(GetParam()); }

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

constexpr Ps kStart = kPsPerSecond;
constexpr double kStreamS = 1.2;  ///< of media time, at least
constexpr std::uint32_t kSizes[] = {8, 256, 2'048, 32'768};

constexpr unsigned kQueue = 32;

/// One stream on a drive of its own, and how long it should take.
struct Stream {
  Stream(const char* name, const testing::BenchParams& params, bool write, bool inner, std::uint32_t size,
         unsigned outstanding)
      : requests(count_of(params, inner, size)) {
    // Of writes that the host is told of when they are on the media, each goes at its own time.
    const bool one_by_one = write && !params.drive.cache.write && outstanding == 1;
    if (one_by_one) requests = std::min<std::uint64_t>(requests, 200);
    const media::Geometry geometry(params.drive.geometry);
    const std::uint64_t blocks = requests * size, last = geometry.sectors() - 1;
    const std::uint64_t first = inner ? (last - blocks) / 8 * 8 : 0;
    turn_s = 60 / params.drive.spindle.rpm;
    const actuator::SeekProfile profile(params.drive.seek, geometry.cylinders());
    const auto late = [&](const auto&... change) { return misses(params.drive, profile, write, change...); };
    for (std::uint64_t i = 0; one_by_one && i < requests; ++i) {
      const std::uint64_t lbn = first + i * size;
      ideal_s += turn_s * testing::stream_turns(geometry, lbn, lbn + size, late);
      if (i > 0) ideal_s += between_requests_s(params.drive, geometry, profile, lbn, size);
    }
    if (!one_by_one) ideal_s = turn_s * testing::stream_turns(geometry, first, first + blocks, late);
    source = std::make_unique<testing::StreamAndFlush>(
        requests,
        testing::StreamSource(write ? Operation::write : Operation::read, kStart, first, size, requests, outstanding),
        inner ? std::optional<std::uint64_t>(last) : std::nullopt);
    bench = std::make_unique<testing::DriveBench>(name, params, *source);
    bench->keep = false;
    bench->on_completed = [this](const observe::CompletedRequest& done) { end = done.record.completion; };
  }

  /// From the last sector of a write to the first of the next one at `lbn`, which the host does not send before it has
  /// been told of the first: that costs both overheads and the data's way over the link. The next sector comes at once,
  /// so it is missed and comes again a turn later; unless a track begins there, and the drive is ready and the arm has
  /// moved within the skew.
  double between_requests_s(const drive::DriveParams& drive, const media::Geometry& geometry,
                            const actuator::SeekProfile& profile, std::uint64_t lbn, std::uint32_t size) const {
    const media::Location from = geometry.locate(lbn - 1), to = geometry.locate(lbn);
    const auto turns = [](const media::Location& at) {
      return static_cast<double>(at.angle.numerator) / static_cast<double>(at.angle.denominator);
    };
    const double angle = turns(to) - turns(from) - 1.0 / from.sectors_per_track;
    const double skew_s = turn_s * std::max(angle - std::floor(angle + 1e-9), 0.0);
    const bool moves = from.cylinder != to.cylinder || from.head != to.head;
    const Ps move = !moves ? 0
                           : std::max(from.cylinder == to.cylinder ? 0 : profile.seek(1), profile.head_switch()) +
                                 profile.write_settle();
    // The first track's data; or a segment's, the rest of which comes meanwhile.
    const double data_s = 512 / 300e6 * std::min({size, to.run, drive.buffer.segment_sectors()});
    const double told_s = 1e-6 * (drive.overheads.complete_us()[1] + drive.overheads.start_us()[7]) + 20e-6;
    const double ready_s = told_s + std::max(data_s, to_seconds(move));
    return skew_s + turn_s * std::max(std::ceil((ready_s - skew_s) / turn_s), 0.0);
  }

  /// Whether a change of tracks takes longer than the angle between them lasts. A drive's skews must not be so small,
  /// but where spares of a range of cylinders end, skew and spares together may come to hardly more than a turn.
  bool misses(const drive::DriveParams& drive, const actuator::SeekProfile& profile, bool write,
              const media::Location& from, const media::Location& to, double between) {
    const Ps move = from.cylinder == to.cylinder ? profile.head_switch() : profile.seek(1);
    if (between * turn_s >= to_seconds(std::max(move, profile.head_switch()) + (write ? profile.write_settle() : 0)))
      return false;
    const std::int64_t range = drive.geometry.spare_range_cylinders;
    if (range == 0 || from.cylinder == to.cylinder) ++too_short;
    return true;
  }

  /// Requests of that size in kStreamS of the drive's media rate at that end of the disk.
  static std::uint64_t count_of(const testing::BenchParams& params, bool inner, std::uint32_t size) {
    const media::Geometry geometry(params.drive.geometry);
    const double per_s = geometry.sectors_per_track(inner ? geometry.locate(geometry.sectors() - 1).cylinder : 0) *
                         params.drive.spindle.rpm / 60;
    return std::max<std::uint64_t>(3, static_cast<std::uint64_t>(std::ceil(kStreamS * per_s / size)));
  }

  std::uint64_t requests;
  double ideal_s = 0, turn_s = 0;
  std::uint64_t too_short = 0;  ///< skews
  Ps end = 0;
  std::unique_ptr<testing::StreamAndFlush> source;
  std::unique_ptr<testing::DriveBench> bench;
};

class EveryDriveStreams : public ::testing::TestWithParam<std::tuple<std::string, bool>> {};

// Both ends of the disk, all sizes, side by side in one simulation. From the host's first command to the end of the
// flush that follows: less than 2 % above the time that tracks and skews take, and the first positioning. Writes
// without a cache lose a turn between two of them if they come one by one, and none if they are queued.
TEST_P(EveryDriveStreams, RunAtTheRateOfTheFormat) {
  const auto& [file, write] = GetParam();
  const testing::BenchParams params = shipped(file);
  // Without its cache a drive that reads loses a revolution with each request, unless the next one waits already.
  const bool cache = write ? params.drive.cache.write : params.drive.cache.look_ahead;
  std::vector<std::unique_ptr<Stream>> streams;
  for (const bool inner : {false, true})
    for (const std::uint32_t size : kSizes) {
      const std::string name = (inner ? "inner_" : "outer_") + std::to_string(size);
      const unsigned outstanding = size > 8 && cache ? 1 : kQueue;
      streams.push_back(std::make_unique<Stream>(name.c_str(), params, write, inner, size, outstanding));
      if (!write || cache) continue;
      const std::string alone = name + "_one_by_one";
      streams.push_back(std::make_unique<Stream>(alone.c_str(), params, write, inner, size, 1));
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

std::vector<std::string> real_drives() {
  std::vector<std::string> names;
  for (const std::string& name : drive_files())
    if (name.rfind("study_", 0) != 0) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Files, EveryDriveStreams,
                         ::testing::Combine(::testing::ValuesIn(real_drives()), ::testing::Bool()),
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

INSTANTIATE_TEST_SUITE_P(Files, EveryDrive, ::testing::ValuesIn(drive_files()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace armature
