// Exponential sizes, walks with hierarchical reuse, mixes of streams. Statistical bounds are chosen so that a right
// generator fails one of them in 1,000 seeds; the seeds are fixed, so a test that passes once passes always.
#include "armature/workload/params.h"
#include "request_sizes.h"
#include "reuse_walk.h"
#include "support/trace_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

namespace armature::workload {
namespace {

using testing::drain;

constexpr std::uint64_t kDrive = 100'000'000;

WorkloadParams open_params(std::int64_t count = 100'000) {
  WorkloadParams params;
  params.kind = WorkloadParams::open;
  params.count = count;
  return params;
}

std::vector<Request> requests(const WorkloadParams& params, std::uint64_t seed = 1, std::uint64_t drive = kDrive) {
  return drain(*make_source(params, seed, drive, ""));
}

std::string error(const WorkloadParams& params, std::uint64_t drive = kDrive) {
  try {
    requests(params, 1, drive);
  } catch (const InputError& e) {
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

/// 3.3 standard deviations of the number of hits among n.
double bound(double n, double p) {
  return 3.3 * std::sqrt(n * p * (1 - p));
}

TEST(WorkloadExponentialSizes, AreGeometricInGrainsWithTheirMean) {
  for (const auto& [mean, grain] : {std::pair{40.0, 8}, std::pair{9.0, 8}, std::pair{17.5, 1}, std::pair{4096.0, 64}}) {
    SCOPED_TRACE(mean);
    WorkloadParams params = open_params();
    params.size_mean_sectors = mean;
    params.align_sectors = grain;
    std::map<std::uint32_t, double> grains;
    double sum = 0;
    for (const Request& r : requests(params)) {
      ASSERT_EQ(r.sectors % static_cast<std::uint32_t>(grain), 0u);
      ++grains[r.sectors / static_cast<std::uint32_t>(grain)];
      sum += r.sectors;
    }
    EXPECT_EQ(grains.begin()->first, 1u);
    EXPECT_LE(grains.rbegin()->first * grain, 65'536);
    // Of a geometric distribution with success p: mean 1 / p, variance (1 - p) / p^2 grains.
    const double p = grain / mean;
    EXPECT_NEAR(sum / 1e5, mean, 3.3 * grain * std::sqrt(1 - p) / p / std::sqrt(1e5));
    for (std::uint32_t n = 1; n <= 3; ++n) {
      const double share = p * std::pow(1 - p, n - 1);
      EXPECT_NEAR(grains[n], 1e5 * share, bound(1e5, share)) << n << " grains";
    }
  }
}

TEST(WorkloadExponentialSizes, OfOneGrainOnAverageAreAllOfOneGrain) {
  WorkloadParams params = open_params(1'000);
  params.size_mean_sectors = 8;
  for (const Request& r : requests(params)) ASSERT_EQ(r.sectors, 8u);
}

TEST(WorkloadExponentialSizes, TailEndsAtSixteenMeans) {
  WorkloadParams params;
  params.size_mean_sectors = 100;
  params.align_sectors = 1;
  EXPECT_EQ(RequestSizes(params, 1, "a").bounds(), (std::vector<std::uint32_t>{1, 1600}));
  params.size_mean_sectors = 4096;
  params.align_sectors = 5;
  const std::uint32_t most = RequestSizes(params, 1, "a").bounds().back();
  EXPECT_LE(most, 65'536u);
  EXPECT_GT(most, 65'536u - 5);
}

TEST(WorkloadExponentialSizes, ThatCannotBeAreErrors) {
  WorkloadParams params = open_params(10);
  params.size_mean_sectors = 7;
  EXPECT_NE(error(params).find("size_mean_sectors = 7 is less than align_sectors = 8"), std::string::npos);
  params.size_mean_sectors = 100;
  EXPECT_NE(error(params, 1'000).find("no request of 1600 sectors"), std::string::npos);
  params.sizes = {{8, 1}};
  EXPECT_NE(error(params).find("workload.sizes and size_mean_sectors: only one of them"), std::string::npos);
}

TEST(WorkloadReuseWalk, ClimbsSevenLevelsAndFurtherOnesWithProbability44Percent) {
  constexpr unsigned kLevels = 12;
  ReuseWalk walk(8u << kLevels, 1, "walk");
  constexpr double kSteps = 200'000;
  std::uint64_t before = walk.next(false) / 8;
  std::map<unsigned, double> heights;  // of the smallest subtree with 2^7 leaves or more that holds both leaves
  for (int i = 0; i < kSteps; ++i) {
    const std::uint64_t leaf = walk.next(false) / 8;
    unsigned height = 7;
    while ((leaf >> height) != (before >> height)) ++height;
    ++heights[height];
    before = leaf;
  }
  // A climb to height j comes back into the same subtree of height h <= j with probability 2^(h - j).
  const auto climbs = [](unsigned j) { return std::pow(0.44, j - 7) * (j == kLevels ? 1 : 0.56); };
  double below = 0;
  for (unsigned h = 7; h <= kLevels; ++h) {
    double at_most = 0;
    for (unsigned j = 7; j <= kLevels; ++j)
      at_most += climbs(j) * (j <= h ? 1 : std::pow(2, static_cast<int>(h) - static_cast<int>(j)));
    EXPECT_NEAR(heights[h], kSteps * (at_most - below), bound(kSteps, at_most - below)) << "height " << h;
    below = at_most;
  }
}

TEST(WorkloadReuseWalk, ReadsOfALeafTakeItsBlocksInTurn) {
  ReuseWalk walk(8 * 50, 1, "walk");
  std::map<std::uint64_t, std::uint64_t> reads;  // by leaf
  for (int i = 0; i < 10'000; ++i) {
    const std::uint64_t block = walk.next(false);
    ASSERT_EQ(block % 8, reads[block / 8]++ % 8);
  }
  EXPECT_EQ(reads.size(), 50u);
}

TEST(WorkloadReuseWalk, WritesGoToEachEighthLeafAndSomeAreRepeated) {
  ReuseWalk walk(8 * 1'000, 1, "walk");
  std::uint64_t before = ~std::uint64_t{0};
  double again = 0;
  double other = 0;  // blocks of writes that are not the leaf's first, where a read would begin
  constexpr double kWrites = 100'000;
  for (int i = 0; i < kWrites; ++i) {
    const std::uint64_t block = walk.next(true);
    ASSERT_EQ(block / 8 % 8, 0u);
    again += block == before;
    other += block % 8 != 0;
    before = block;
  }
  // 15 % of the writes that are not repetitions are repeated: r = 0.15 (1 - r). A step finds the same block by chance:
  // 16 leaves of a subtree, a quarter of (0.5 + 1/16)^2 + 7/16^2 pairs of blocks or so.
  const double repeated = 0.15 / 1.15;
  const double same_block = (0.5625 * 0.5625 + 7 * 0.0625 * 0.0625) / 16;
  EXPECT_GT(again / kWrites, repeated - 0.004);
  EXPECT_LT(again / kWrites, repeated + same_block + 0.004);
  EXPECT_NEAR(other / kWrites, 0.5 * 7 / 8, 3.3 * std::sqrt(1.3 * 0.25 / kWrites));
}

TEST(WorkloadReuseWalk, CoversARegionThatIsNoPowerOfTwoAndNothingBeside) {
  ReuseWalk walk(8 * 129 + 5, 1, "walk");
  std::set<std::uint64_t> leaves;
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t block = walk.next(i % 3 == 0);
    ASSERT_LT(block, 8u * 129);
    leaves.insert(block / 8);
  }
  EXPECT_EQ(leaves.size(), 129u);
}

WorkloadParams mixed(std::vector<MixRow> rows, std::int64_t count = 100'000) {
  WorkloadParams params = open_params(count);
  params.mix = std::move(rows);
  return params;
}

TEST(WorkloadMix, GivesEachStreamItsShareReadsPlaceAndSize) {
  WorkloadParams params =
      mixed({{1, 0.25, 0, 0.5, 0, false, 16}, {3, 1, 0.5, 0.25, 0, true, 8}, {0, 1, 0, 1, 0, false, 8}});
  params.first_lbn = 1'000;
  params.last_lbn = 81'000'999;  // a range of 81,000,000
  double first = 0;
  double reads = 0;
  for (const Request& r : requests(params)) {
    ASSERT_LE(r.device, 1u);
    if (r.device == 0) {
      ++first;
      reads += r.operation == Operation::read;
      ASSERT_EQ(r.sectors, 16u);
      ASSERT_GE(r.lbn, 1'000u);
      ASSERT_LE(r.lbn + 16, 40'501'000u);
    } else {
      ASSERT_EQ(r.operation, Operation::read);
      ASSERT_EQ(r.sectors, 8u);
      ASSERT_GE(r.lbn, 40'501'000u);
      ASSERT_LE(r.lbn + 8, 60'751'000u);
    }
    ASSERT_EQ(r.lbn % 8, 0u);
  }
  EXPECT_NEAR(first, 25'000, bound(1e5, 0.25));
  EXPECT_NEAR(reads, first / 4, bound(first, 0.25));
}

TEST(WorkloadMix, AStreamsArrivalsAreExponentialAtItsShareOfTheRate) {
  WorkloadParams params = mixed({{0.2, 1, 0, 1, 0, false, 8}, {0.8, 0, 0, 1, 0, false, 8}});
  params.rate_per_s = 100;
  std::vector<double> gaps;
  Ps last = 0;
  for (const Request& r : requests(params)) {
    if (r.device != 0) continue;
    gaps.push_back(to_seconds(r.arrival - last));
    last = r.arrival;
  }
  std::sort(gaps.begin(), gaps.end());
  const auto n = static_cast<double>(gaps.size());
  double most = 0;  // distance of Kolmogorov and Smirnov: above 1.95 / sqrt(n) once in 1,000 samples
  for (std::size_t i = 0; i < gaps.size(); ++i)
    most = std::max(most, std::abs(1 - std::exp(-20 * gaps[i]) - (static_cast<double>(i) + 0.5) / n));
  EXPECT_LT(most * std::sqrt(n), 1.95);
}

TEST(WorkloadMix, RunsBeginAnywhereInTheirPlaceAndEndWithinIt) {
  WorkloadParams params = mixed({{1, 1, 0.2, 0.5, 0.1, false, 0}, {1, 0, 0, 0.2, 0, false, 8}}, 400'000);
  params.sizes = {{8, 1}, {64, 1}};
  params.last_lbn = 99'999;
  std::uint64_t next = 0;
  std::uint64_t begin = 0;
  std::vector<double> begins;
  for (const Request& r : requests(params)) {
    if (r.device != 0) continue;
    if (r.lbn != next) {
      if (!begins.empty()) {
        // The run before took a tenth of the range, less what the next request needed more.
        ASSERT_LE(next, begin + 10'000);
        ASSERT_GT(next + 64, begin + 10'000);
      }
      begin = r.lbn;
      begins.push_back(static_cast<double>(begin));
      ASSERT_EQ(begin % 8, 0u);
      ASSERT_GE(begin, 20'000u);
      ASSERT_LE(begin, 60'000u);
    }
    next = r.lbn + r.sectors;
  }
  ASSERT_GT(begins.size(), 600u);
  std::sort(begins.begin(), begins.end());
  const auto n = static_cast<double>(begins.size());
  double most = 0;
  for (std::size_t i = 0; i < begins.size(); ++i)
    most = std::max(most, std::abs((begins[i] - 20'000) / 40'000 - (static_cast<double>(i) + 0.5) / n));
  EXPECT_LT(most * std::sqrt(n), 1.95);
}

TEST(WorkloadMix, ARowsRequestsAreItsOwn) {
  // Another share or another row beside it leaves the sequence of a row's requests as it is.
  const auto of_first = [](const WorkloadParams& params) {
    std::vector<std::pair<std::uint64_t, bool>> all;
    for (const Request& r : requests(params))
      if (r.device == 0 && all.size() < 1'000) all.emplace_back(r.lbn, r.operation == Operation::read);
    return all;
  };
  const auto one = of_first(mixed({{1, 0.5, 0, 1, 0, true, 8}, {1, 1, 0, 1, 0, false, 8}}, 5'000));
  const auto other = of_first(mixed({{1, 0.5, 0, 1, 0, true, 8}, {2, 0, 0, 0.5, 0.1, false, 64}}, 5'000));
  ASSERT_EQ(one.size(), 1'000u);
  EXPECT_EQ(one, other);
}

TEST(WorkloadMix, TakesTheLastSectorsOfASmallRange) {
  WorkloadParams params = mixed({{1, 1, 0, 1, 1, false, 8}, {1, 1, 0, 1, 0, true, 8}}, 2'000);
  params.first_lbn = 3;
  params.last_lbn = 71;  // 8 to 71: 64 sectors, 8 blocks, one leaf
  std::set<std::uint64_t> starts;
  for (const Request& r : requests(params)) {
    ASSERT_GE(r.lbn, 8u);
    ASSERT_LE(r.lbn + 8, 72u);
    starts.insert(r.lbn);
  }
  EXPECT_EQ(starts.size(), 8u);
}

TEST(WorkloadMix, IsALoadForClosedLoopsToo) {
  WorkloadParams params = mixed({{1, 1, 0, 1, 0, false, 8}, {1, 0, 0, 1, 0.5, false, 8}}, 10'000);
  params.kind = WorkloadParams::closed;
  params.outstanding = 4;
  double first = 0;
  const auto source = make_source(params, 1, kDrive, "");
  Request r;
  while (source->next(r) == Source::Next::request) {
    first += r.device == 0;
    source->completed(r, r.arrival + kPsPerMs);
  }
  EXPECT_NEAR(first, 5'000, bound(1e4, 0.5));
  EXPECT_EQ(source->device_name(0), "uniform");
  EXPECT_EQ(source->device_name(1), "runs");
  EXPECT_EQ(source->device_name(2), "");
}

TEST(WorkloadMix, ThatCannotBeIsAnError) {
  const auto of = [](MixRow row) { return error(mixed({{1, 1, 0, 1, 0, false, 8}, row}, 10)); };
  EXPECT_NE(
      of({1, 1, 0.5, 0.6, 0, false, 8}).find("workload.mix row 2: a space of 0.6 that starts at 0.5 ends outside"),
      std::string::npos);
  EXPECT_NE(of({1, 1, 0, 0.1, 0.2, false, 8}).find("row 2: runs of 0.2 are longer than their space of 0.1"),
            std::string::npos);
  EXPECT_NE(of({1, 1, 0, 1, 0.2, true, 8}).find("row 2: a stream has runs or reuse, not both"), std::string::npos);
  EXPECT_NE(of({1, 1, 0, 1, 0, true, 0}).find("row 2: reuse needs the sectors of a request"), std::string::npos);
  EXPECT_NE(of({1, 1, 0, 1, 0, true, 12}).find("row 2: requests of 12 sectors side by side are not multiples"),
            std::string::npos);
  EXPECT_NE(of({1, 1, 0, 0, 0, false, 8}).find("row 2: its part of the range holds no sector"), std::string::npos);
  EXPECT_NE(of({1, 1, 0, 1e-8, 0, false, 8}).find("row 2: "), std::string::npos);
  EXPECT_NE(of({1, 1, 0, 5e-7, 0, true, 8}).find("row 2: 6 blocks are less than the 8 of a leaf"), std::string::npos);
  EXPECT_NE(of({1, 1, 0, 1, 1e-8, false, 8}).find("row 2: runs of 1 sectors have no room for a request of 8"),
            std::string::npos);
  EXPECT_NE(error(mixed({{0, 1, 0, 1, 0, false, 8}}, 10)).find("workload.mix: all shares are 0"), std::string::npos);
  WorkloadParams params = mixed({{1, 1, 0, 1, 0, false, 8}}, 10);
  params.streams = 2;
  EXPECT_NE(error(params).find("workload.streams is for one stream, and workload.mix is several"), std::string::npos);
  params.streams = 1;
  params.hot_spots = {{0.5, 0.1, 0}};
  EXPECT_NE(error(params).find("workload.hot_spots is for one stream"), std::string::npos);
}

}  // namespace
}  // namespace armature::workload
