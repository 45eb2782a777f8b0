// What `armature trace info` computes, against the same figures computed from all values at once.
#include "armature/core/random.h"
#include "armature/workload/trace_profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace armature::workload {
namespace {

TEST(WorkloadLogHistogram, QuantilesAreExactForSmallNumbersAndWithinABucketForLarge) {
  RandomStream random(1, "histogram");
  LogHistogram histogram;
  std::vector<std::uint64_t> all;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t value = random.bits() >> (random.below(64));
    all.push_back(value);
    histogram.add(value);
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(histogram.count(), all.size());
  EXPECT_EQ(histogram.min(), all.front());
  EXPECT_EQ(histogram.max(), all.back());
  for (const double q : {0.0, 0.001, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1.0}) {
    const auto rank = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(q * 20'000)));
    const auto exact = static_cast<double>(all[rank - 1]);
    EXPECT_NEAR(static_cast<double>(histogram.quantile(q)), exact, exact < 64 ? 0 : exact / 32) << q;
  }
}

TEST(WorkloadLogHistogram, BucketsPartitionTheNumbers) {
  LogHistogram histogram;
  std::vector<std::uint64_t> values = {0, 1, 63, 64, 65, 66, 127, 128, 131, 132, ~std::uint64_t{0}};
  for (unsigned bit = 7; bit < 64; ++bit) {
    values.push_back((std::uint64_t{1} << bit) - 1);
    values.push_back(std::uint64_t{1} << bit);
  }
  for (const std::uint64_t value : values) histogram.add(value);
  std::uint64_t count = 0;
  std::uint64_t behind = 0;
  for (const LogHistogram::Bucket& b : histogram.buckets()) {
    EXPECT_TRUE(count == 0 || b.first > behind);
    EXPECT_GE(b.last, b.first);
    EXPECT_LE(static_cast<double>(b.last - b.first), static_cast<double>(b.first) / 32);
    const auto inside =
        std::count_if(values.begin(), values.end(), [&](std::uint64_t v) { return v >= b.first && v <= b.last; });
    EXPECT_EQ(static_cast<std::uint64_t>(inside), b.count);
    count += b.count;
    behind = b.last;
  }
  EXPECT_EQ(count, values.size());
}

TEST(WorkloadLogHistogram, MeanAndDeviationAreThoseOfAllValues) {
  LogHistogram histogram;
  EXPECT_EQ(histogram.mean(), 0);
  EXPECT_EQ(histogram.quantile(0.5), 0u);
  EXPECT_EQ(histogram.min(), 0u);
  for (int i = 0; i < 3; ++i) histogram.add(129);
  EXPECT_EQ(histogram.quantile(0.5), 129u) << "the only number of its bucket";
  histogram = LogHistogram();
  for (const std::uint64_t value : {2u, 4u, 4u, 4u, 5u, 5u, 7u, 9u}) histogram.add(value);
  EXPECT_DOUBLE_EQ(histogram.mean(), 5);
  EXPECT_DOUBLE_EQ(histogram.deviation(), 2);
}

TEST(WorkloadDistinctSketch, EstimatesWithinFourStandardErrors) {
  DistinctSketch sketch;
  EXPECT_EQ(sketch.estimate(), 0);
  std::uint64_t added = 0;
  for (const std::uint64_t upto : {1u, 10u, 100u, 1'000u, 10'000u, 100'000u, 1'000'000u, 4'000'000u}) {
    for (; added < upto; ++added) {
      sketch.add(added * 8);
      sketch.add(added * 8);  // again: nothing new
    }
    // 0.81 % of standard error; small numbers collide in no register and are exact but for rounding.
    EXPECT_NEAR(sketch.estimate(), static_cast<double>(upto), std::max(0.5, 0.0325 * static_cast<double>(upto)));
  }
}

TEST(WorkloadHeatMap, CellsDoubleAndLoseNothing) {
  RandomStream random(3, "heat");
  HeatMap map;
  struct Point {
    Ps at;
    std::uint64_t lbn;
  };
  std::vector<Point> points;
  for (int i = 0; i < 5'000; ++i) {
    // Time and address grow, so that the grid has to change between points.
    const Ps at = static_cast<Ps>(random.below(static_cast<std::uint64_t>(i + 1) * 7 * kPsPerMs));
    const std::uint64_t lbn = random.below(static_cast<std::uint64_t>(i + 1) * 4'001);
    points.push_back({at, lbn});
    map.add(at, lbn);
  }
  EXPECT_EQ(map.cell_time(), 256 * kPsPerMs) << "35 s in 256 columns: 128 ms are 32.8 s, 256 ms are 65.5 s";
  EXPECT_EQ(map.cell_sectors(), 262'144u) << "20 million in 128 rows: 131,072 are 16.8 million";
  std::vector<std::uint32_t> expected(HeatMap::kColumns * HeatMap::kRows);
  for (const Point& p : points)
    ++expected[static_cast<std::size_t>(p.lbn / 262'144) * HeatMap::kColumns +
               static_cast<std::size_t>(p.at / (256 * kPsPerMs))];
  for (std::size_t row = 0; row < HeatMap::kRows; ++row)
    for (std::size_t column = 0; column < HeatMap::kColumns; ++column)
      ASSERT_EQ(map.count(column, row), expected[row * HeatMap::kColumns + column]) << column << ", " << row;
}

Request request(Ps at, std::uint64_t lbn, std::uint32_t sectors, Operation operation = Operation::read,
                std::uint32_t device = 0, Ps measured = -1) {
  Request r;
  r.arrival = at;
  r.lbn = lbn;
  r.sectors = sectors;
  r.operation = operation;
  r.device = device;
  r.measured_response = measured;
  return r;
}

// Seven requests by hand, on two devices, beginning at 5 s.
TEST(WorkloadTraceProfile, CountsAFewRequestsExactly) {
  TraceProfile profile;
  const Ps zero = 5 * kPsPerSecond;
  profile.add(request(zero, 1000, 8, Operation::read, 0, 4 * kPsPerMs));
  profile.add(request(zero + 10 * kPsPerMs, 1008, 8, Operation::read, 0, 30 * kPsPerMs));  // sequential; idle 6 ms
  profile.add(request(zero + 20 * kPsPerMs, 0, 16, Operation::write, 1, kPsPerMs));        // another device
  profile.add(request(zero + 25 * kPsPerMs, 5000, 8, Operation::write, 0, kPsPerMs));      // 3984 forward
  profile.add(request(zero + 26 * kPsPerMs, 0, 0, Operation::flush, 0, kPsPerMs));
  profile.add(request(zero + 1'040 * kPsPerMs, 1016, 8, Operation::read, 0, kPsPerMs));  // 3992 back; a stream's
  profile.add(request(zero + 3'000 * kPsPerMs, 8, 8, Operation::write, 1, kPsPerMs));    // 8 back

  const StreamProfile& all = profile.all();
  EXPECT_EQ(all.requests, 7u);
  EXPECT_EQ(all.reads, 3u);
  EXPECT_EQ(all.writes, 3u);
  EXPECT_EQ(all.flushes, 1u);
  EXPECT_EQ(all.sectors_read, 24u);
  EXPECT_EQ(all.sectors_written, 32u);
  EXPECT_EQ(all.duration(), 3 * kPsPerSecond);
  EXPECT_EQ(all.first_lbn, 0u);
  EXPECT_EQ(all.end_lbn, 5008u);
  EXPECT_EQ(all.gaps.count(), 6u);
  EXPECT_NEAR(all.gaps.mean(), 5e11, 1);
  EXPECT_EQ(all.gaps.max(), static_cast<std::uint64_t>(1'960 * kPsPerMs));
  EXPECT_DOUBLE_EQ(all.sizes.mean(), 56.0 / 6);
  EXPECT_EQ(all.placed, 4u);
  EXPECT_EQ(all.sequential, 1u);
  EXPECT_EQ(all.of_streams, 2u);
  EXPECT_EQ(all.forward, 1u);
  EXPECT_EQ(all.seeks.count(), 3u);
  EXPECT_EQ(all.seeks.min(), 8u);
  EXPECT_EQ(all.seeks.max(), 3992u);
  // Busy to 4, 10 to 40 ms, 1040 to 1041: idle 6, 1000 and 1959 ms.
  EXPECT_EQ(all.idle.count(), 3u);
  EXPECT_DOUBLE_EQ(all.idle_time, 2'965e9);
  EXPECT_DOUBLE_EQ(all.idle_in_longer[0], 2'965e9);
  EXPECT_DOUBLE_EQ(all.idle_in_longer[1], 2'959e9);
  EXPECT_DOUBLE_EQ(all.idle_in_longer[3], 1'959e9) << "longer than 1 s: one of 1000 ms is not";
  EXPECT_DOUBLE_EQ(all.idle_in_longer[4], 0);
  // Pages of 4 KiB: 125, 126, 127, 625 of device 0; 0, 1 of device 1.
  EXPECT_NEAR(all.pages.estimate(), 6, 0.1);
  EXPECT_NEAR(all.written_pages.estimate(), 3, 0.1);
  EXPECT_NEAR(all.mean_in_flight(), (4 + 30 + 1 + 1 + 1 + 1 + 1) / 3000.0, 1e-12);
  // Arrivals a second: 5, 1, 0 (the last second has not ended): mean 2, variance 7.
  EXPECT_NEAR(all.dispersion(), 3.5, 1e-12);

  ASSERT_EQ(profile.devices().size(), 2u);
  EXPECT_EQ(profile.device_count(), 2u);
  const StreamProfile& second = *profile.devices().at(1);
  EXPECT_EQ(second.requests, 2u);
  EXPECT_EQ(second.gaps.max(), static_cast<std::uint64_t>(2'980 * kPsPerMs));
  EXPECT_EQ(second.first_arrival, 20 * kPsPerMs);
  EXPECT_NEAR(second.pages.estimate(), 2, 0.1);
  EXPECT_EQ(profile.common_sizes(5), (std::vector<std::pair<std::uint32_t, std::uint64_t>>{{8, 5}, {16, 1}}));
  EXPECT_EQ(profile.common_sizes(1).size(), 1u);
}

TEST(WorkloadTraceProfile, InterleavedStreamsAreSeenAsStreams) {
  TraceProfile profile;
  for (int i = 0; i < 1000; ++i)
    for (int stream = 0; stream < 8; ++stream)
      profile.add(
          request(i * kPsPerMs, static_cast<std::uint64_t>(stream) * 1'000'000 + static_cast<unsigned>(i) * 8, 8));
  EXPECT_EQ(profile.all().sequential, 0u);
  EXPECT_EQ(profile.all().of_streams, 8u * 999);
}

TEST(WorkloadTraceProfile, HasABoundForDevices) {
  TraceProfile profile;
  for (std::uint32_t device = 0; device < 100'000; ++device) {
    profile.add(request(device, 0, 8, Operation::read, device));
    profile.add(request(device, 8, 8, Operation::read, device));
  }
  EXPECT_EQ(profile.devices().size(), TraceProfile::kDevices);
  EXPECT_EQ(profile.device_count(), TraceProfile::kHeads);
  EXPECT_EQ(profile.all().requests, 200'000u);
  EXPECT_EQ(profile.all().sequential, TraceProfile::kHeads);
}

}  // namespace
}  // namespace armature::workload
