// Errors of queued commands, study tags and narrow buffers through the whole drive.
#include "armature/core/random.h"
#include "support/drive_bench.h"

#include <gtest/gtest.h>

namespace armature::drive_errors_test {
namespace {

using testing::DriveBench;
using testing::ListSource;
using testing::read_request;
using testing::write_request;

constexpr std::uint8_t kIdnf = 0x10;
constexpr std::uint64_t kCapacity = 100 * 2 * 100 + 100 * 2 * 80;  // of round_drive

testing::BenchParams params() {
  testing::BenchParams p;
  p.drive = testing::round_drive();
  return p;
}

TEST(DriveErrors, OneCommandBeyondTheEndFailsAloneAndTheQueueGoesOn) {
  std::vector<workload::Request> requests;
  for (unsigned i = 0; i < 20; ++i) {
    const std::uint64_t lbn = i == 7 ? kCapacity - 4 : i * 1'700;
    requests.push_back(i % 3 == 0 ? write_request(20 * kPsPerMs, lbn, 8) : read_request(20 * kPsPerMs, lbn, 8));
  }
  ListSource source(requests);
  DriveBench bench("bench", params(), source);
  bench.run();
  ASSERT_EQ(bench.finished.size(), requests.size());
  for (const auto& [id, f] : bench.finished) {
    EXPECT_EQ(f.record.ok, id != 7) << id;
    EXPECT_EQ(f.record.ata_error, id == 7 ? kIdnf : 0) << id;
  }
  EXPECT_EQ(bench.adapter().counters().recoveries, 1u);
}

TEST(DriveErrors, UnqueuedCommandsEndWithIdnfToo) {
  testing::BenchParams p = params();
  p.host.ncq = false;
  ListSource source({read_request(20 * kPsPerMs, kCapacity, 1), write_request(20 * kPsPerMs, kCapacity - 1, 2),
                     read_request(20 * kPsPerMs, kCapacity - 1, 1), write_request(20 * kPsPerMs, 0, 1)});
  DriveBench bench("bench", p, source);
  bench.run();
  ASSERT_EQ(bench.finished.size(), 4u);
  EXPECT_EQ(bench.finished.at(0).record.ata_error, kIdnf);
  EXPECT_EQ(bench.finished.at(1).record.ata_error, kIdnf);
  EXPECT_TRUE(bench.finished.at(2).record.ok);
  EXPECT_TRUE(bench.finished.at(3).record.ok);
}

struct Shape {
  std::int64_t tags, segments;
  double gbps;
  friend std::ostream& operator<<(std::ostream& out, const Shape& s) {
    return out << s.tags << " tags, " << s.segments << " segments, " << s.gbps << " Gb/s";
  }
};

/// Mixed sizes up to several tracks, flushes, a burst: whatever the shape of queue and buffer, each request completes
/// once.
class EveryShape : public ::testing::TestWithParam<Shape> {};

TEST_P(EveryShape, CompletesEachRequestOnce) {
  testing::BenchParams p = params();
  p.host.tags = GetParam().tags;
  p.drive.buffer.segments = GetParam().segments;
  p.drive.buffer.size_kib = 256;
  p.link.rate_gbps = GetParam().gbps;
  RandomStream random(5, "shape");
  std::vector<workload::Request> requests;
  Ps at = 0;
  for (int i = 0; i < 1'500; ++i) {
    at += static_cast<Ps>(random.exponential(2e9));
    const auto sectors = static_cast<std::uint32_t>(random.chance(0.1) ? 1 + random.below(600) : 1 + random.below(16));
    const std::uint64_t lbn = random.below(kCapacity - sectors);
    workload::Request r = random.chance(0.4) ? write_request(at, lbn, sectors) : read_request(at, lbn, sectors);
    if (random.chance(0.02)) {
      r.operation = Operation::flush;
      r.lbn = 0;
      r.sectors = 0;
    } else if (random.chance(0.05)) {
      r.fua = true;
    }
    requests.push_back(r);
  }
  ListSource source(requests);
  DriveBench bench("bench", p, source);
  bench.run();
  EXPECT_EQ(bench.completions(), requests.size());
  EXPECT_EQ(bench.finished.size(), requests.size());
  EXPECT_EQ(bench.failures(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Shapes, EveryShape,
                         ::testing::Values(Shape{1, 16, 3}, Shape{32, 16, 3}, Shape{32, 2, 1.5}, Shape{32, 1, 6},
                                           Shape{1024, 16, 6}, Shape{200, 3, 1.5}),
                         [](const auto& test) {
                           return "Tags" + std::to_string(test.param.tags) + "Segments" +
                                  std::to_string(test.param.segments);
                         });

}  // namespace
}  // namespace armature::drive_errors_test
