// One stream of reads on each drive in scenarios/drives, with requests of any length: shorter and longer than a
// segment, than a track, than a cylinder. Whether what was requested last stays in its segment or not, the stream runs
// at the rate of the format.
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

constexpr double kLeast = 0.95;  ///< of the format's rate
constexpr int kAll = 200;        ///< lengths, of which one in ARMATURE_ONE_IN is tried
constexpr std::uint32_t kShortest = 8, kLongest = 32'768;
constexpr double kMediaS = 0.25;  ///< of a stream, at least

std::uint32_t length(int i) {
  const double ratio = static_cast<double>(kLongest) / kShortest;
  return static_cast<std::uint32_t>(std::lround(kShortest * std::pow(ratio, i / (kAll - 1.0))));
}

/// The rate at which the outermost track's sectors pass.
double media_mb_s(const testing::BenchParams& params) {
  return media::Geometry(params.drive.geometry).sectors_per_track(0) * params.drive.spindle.rpm / 60 * 512 / 1e6;
}

double link_mb_s(const testing::BenchParams& params) {
  return 512 / std::max(params.link.bus_us_per_sector, 5'120 / (params.link.rate_gbps * 1e3));
}

/// The least time from one command to the next of a host that sends one at a time, if all of its data are in the
/// buffer: the drive's overheads, and the data's way over the link.
double command_s(const testing::BenchParams& params, std::uint32_t sectors) {
  const double overheads_us = params.drive.overheads.start_us()[0] + params.drive.overheads.complete_us()[0];
  constexpr double kFramesUs = 8;  // of command and status, and handlers
  return 1e-6 * (overheads_us + sectors * 512 / link_mb_s(params) + kFramesUs);
}

class StreamLengths : public ::testing::TestWithParam<std::tuple<std::string, bool>> {};

// One request at a time, with look-ahead: without it a drive loses a turn between two requests, and keeps nothing.
TEST_P(StreamLengths, RunAtTheRateOfTheFormat) {
  const auto& [file, keep] = GetParam();
  testing::BenchParams params = testing::shipped(file);
  params.drive.cache.look_ahead = true;
  params.drive.cache.keep_requested = keep;
  // A link that carries less than the media bring would fill the ring, and the head would come round again.
  if (media_mb_s(params) > 0.8 * link_mb_s(params)) params.link.rate_gbps = 6;
  const std::vector<std::string> files = testing::drive_files();
  const auto number = static_cast<int>(std::find(files.begin(), files.end(), file) - files.begin());
  // As long as a segment and by a tenth longer, and one in so many of all lengths.
  const std::uint32_t segment = std::min(params.drive.buffer.segment_sectors(), kLongest);
  std::vector<std::uint32_t> sectors{segment, std::min(segment + segment / 10, kLongest)};
  for (int i = (2 * number + (keep ? 1 : 0)) % ARMATURE_ONE_IN; i < kAll; i += ARMATURE_ONE_IN)
    sectors.push_back(length(i));
  std::sort(sectors.begin(), sectors.end());
  sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
  std::vector<std::unique_ptr<testing::ShippedStream>> streams;
  for (const std::uint32_t size : sectors)
    streams.push_back(std::make_unique<testing::ShippedStream>(("of_" + std::to_string(size)).c_str(), params, false,
                                                               false, size, 1, kMediaS));
  streams.front()->bench->run();
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const testing::ShippedStream& stream = *streams[i];
    const double commands_s = static_cast<double>(stream.requests) * command_s(params, sectors[i]);
    const double least_s = std::max(stream.ideal_s, commands_s), first_s = 1.2 * stream.turn_s + 0.005;
    const double took_s = to_seconds(stream.end - testing::ShippedStream::kStart) - first_s;
    EXPECT_EQ(stream.bench->failures(), 0u) << sectors[i];
    EXPECT_LT(took_s * kLeast, least_s) << sectors[i] << " sectors: " << 100 * least_s / took_s
                                        << " % of the rate that "
                                        << (least_s > stream.ideal_s ? "command by command is possible"
                                                                     : "the format has");
  }
}

INSTANTIATE_TEST_SUITE_P(Files, StreamLengths,
                         ::testing::Combine(::testing::ValuesIn(testing::drive_files()), ::testing::Bool()),
                         [](const auto& test) {
                           return std::get<0>(test.param) + (std::get<1>(test.param) ? "_keeps" : "_drops");
                         });

}  // namespace
}  // namespace armature
