// What a drive with a sector format really reads a second: a stream through zone 0, command by command over the link,
// against the datasheets and against the rate that `armature layout` prints.
#include "armature/media/format.h"
#include "armature/workload/params.h"
#include "support/drive_bench.h"
#include "support/drive_file.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace armature {
namespace {

struct Stream {
  const char* drive;
  double datasheet_mb_s;  ///< sustained, outside
};
void PrintTo(const Stream& stream, std::ostream* out) {
  *out << stream.drive;
}

class FormatRate : public ::testing::TestWithParam<Stream> {};

TEST_P(FormatRate, AStreamMovesWhatTheFormatSays) {
  constexpr std::int64_t kCount = 4'000;
  constexpr std::uint32_t kSectors = 256;
  testing::BenchParams params;
  config::read(testing::load_bare_drive_sections(std::string("formats/") + GetParam().drive), params.drive);
  params.drive.cache.look_ahead = true;
  workload::WorkloadParams load;
  load.kind = workload::WorkloadParams::closed;
  load.count = kCount;
  load.outstanding = 4;
  load.think_ms = 0;
  load.read_fraction = 1;
  load.sequential_fraction = 1;
  load.first_lbn = 0;
  load.sizes = {{kSectors, 1}};
  const auto source = workload::make_source(load, 1, media::Geometry(params.drive.layout()).sectors(), "");
  testing::DriveBench bench("bench", params, *source);
  bench.keep = false;
  std::uint64_t first = 0, last = 0;
  Ps begin = 0, end = 0;
  bench.on_completed = [&](const observe::CompletedRequest& done) {
    if (bench.completions() < kCount / 10) {
      first = done.record.lbn, begin = done.record.completion;
    } else if (bench.completions() < kCount * 9 / 10) {
      last = done.record.lbn, end = done.record.completion;
    }
  };
  bench.run();
  const auto zones = media::zone_formats(params.drive.geometry, params.drive.format, params.drive.spindle.rpm);
  ASSERT_LT(last * 512, zones[0].bytes) << "all of it in zone 0";
  ASSERT_GT(last, first);
  const double mb_s = static_cast<double>((last - first) * 512) / to_seconds(end - begin) / 1e6;
  EXPECT_NEAR(mb_s, zones[0].sustained_mb_s, 0.005 * mb_s);
  EXPECT_NEAR(mb_s, GetParam().datasheet_mb_s, 0.02 * GetParam().datasheet_mb_s);
}

INSTANTIATE_TEST_SUITE_P(Drives, FormatRate,
                         ::testing::Values(Stream{"seagate_barracuda_es_750", 78}, Stream{"ibm_ultrastar_36lzx", 36},
                                           Stream{"hitachi_ultrastar_a7k1000", 85}),
                         [](const auto& test) { return std::string(test.param.drive); });

}  // namespace
}  // namespace armature
