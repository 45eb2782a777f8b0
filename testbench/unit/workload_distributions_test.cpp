// Pareto arrivals, on-off bursts, hot spots, local walks. Statistical bounds are chosen so that a right generator fails
// one of them in 1,000 seeds; the seeds are fixed, so a test that passes once passes always.
#include "armature/workload/params.h"
#include "support/trace_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace armature::workload {
namespace {

using testing::drain;

constexpr std::uint64_t kDrive = 17'938'986;

WorkloadParams open_params(std::int64_t count = 100'000) {
  WorkloadParams params;
  params.kind = WorkloadParams::open;
  params.count = count;
  return params;
}

std::vector<Request> requests(const WorkloadParams& params, std::uint64_t seed = 1, std::uint64_t drive = kDrive) {
  return drain(*make_source(params, seed, drive, ""));
}

std::string error(const WorkloadParams& params) {
  try {
    requests(params);
  } catch (const InputError& e) {
    return e.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

/// Distance of Kolmogorov and Smirnov from a distribution, times sqrt(n): above 1.95 once in 1,000 samples.
double distance(std::vector<double> sample, const std::function<double(double)>& cdf) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double most = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double here = cdf(sample[i]);
    most = std::max({most, here - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - here});
  }
  return most * std::sqrt(n);
}

std::function<double(double)> exponential(double mean) {
  return [mean](double x) { return 1 - std::exp(-x / mean); };
}

/// Four standard deviations of the number of hits among n.
double binomial_bound(double n, double p) {
  return 4 * std::sqrt(n * p * (1 - p));
}

std::vector<double> gaps_s(const std::vector<Request>& all) {
  std::vector<double> gaps;
  Ps last = 0;
  for (const Request& r : all) {
    gaps.push_back(to_seconds(r.arrival - last));
    last = r.arrival;
  }
  return gaps;
}

TEST(WorkloadPareto, GapsHaveTheDistributionAndTheMeanOfTheRate) {
  for (const double shape : {1.2, 1.5, 3.0}) {
    SCOPED_TRACE(shape);
    WorkloadParams params = open_params();
    params.arrivals = WorkloadParams::pareto_arrivals;
    params.pareto_shape = shape;
    params.rate_per_s = 100;
    const std::vector<double> gaps = gaps_s(requests(params));
    // Smallest gap for a mean of 10 ms, by mean = x_m a / (a - 1).
    const double smallest = 0.01 * (shape - 1) / shape;
    const auto cdf = [&](double x) { return x < smallest ? 0 : 1 - std::pow(smallest / x, shape); };
    EXPECT_LT(distance(gaps, cdf), 1.95);
    EXPECT_GE(*std::min_element(gaps.begin(), gaps.end()), smallest * (1 - 1e-9));
    const auto other = [&](double x) { return x < smallest ? 0 : 1 - std::pow(smallest / x, shape * 1.02); };
    EXPECT_GT(distance(gaps, other), 1.95) << "the check sees 2 %";
  }
}

TEST(WorkloadPareto, MeanOfGapsWithAFiniteVarianceIsThatOfTheRate) {
  WorkloadParams params = open_params();
  params.arrivals = WorkloadParams::pareto_arrivals;
  params.pareto_shape = 3;
  params.rate_per_s = 100;
  // Variance for shape 3: mean^2 / (a (a - 2)) = mean^2 / 3.
  EXPECT_NEAR(to_seconds(requests(params).back().arrival) / 1e5, 0.01, 3.3 * 0.01 / std::sqrt(3e5));
}

TEST(WorkloadPareto, AGapPastTheEndOfTheSimulationIsAnError) {
  WorkloadParams params = open_params(1'000'000);
  params.arrivals = WorkloadParams::pareto_arrivals;
  params.pareto_shape = 1.01;
  params.rate_per_s = 1e-4;
  EXPECT_NE(error(params).find("after the end of the simulation at 100 days"), std::string::npos);
}

TEST(WorkloadBursts, OfFixedLengthHoldAllArrivalsAndKeepTheRate) {
  WorkloadParams params = open_params();
  params.rate_per_s = 200;
  params.bursts.on_ms = 20;
  params.bursts.off_ms = 60;
  params.bursts.lengths = BurstParams::fixed;
  const auto all = requests(params);
  std::vector<double> within;
  for (const Request& r : all) within.push_back(to_ms(r.arrival % (80 * kPsPerMs)));
  EXPECT_LE(*std::max_element(within.begin(), within.end()), 20);
  EXPECT_LT(distance(within, [](double x) { return x / 20; }), 1.95) << "Poisson arrivals are uniform within bursts";
  // In bursts 800 a second: the end lies at n / 800 s of bursts and four times as much in all.
  EXPECT_NEAR(to_seconds(all.back().arrival), 1e5 / 200, 3.3 * std::sqrt(1e5) / 200 + 0.08);
}

TEST(WorkloadBursts, OfExponentialLengthHaveTheirMeansAndDistributions) {
  WorkloadParams params = open_params(1'000'000);
  params.arrivals = WorkloadParams::fixed_arrivals;
  params.bursts.on_ms = 10;
  params.bursts.off_ms = 30;
  params.rate_per_s = 25'000;  // in bursts one each 10 us: the requests show where the bursts begin and end
  const auto all = requests(params);
  std::vector<double> on;
  std::vector<double> off;
  Ps began = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const Ps gap = all[i].arrival - all[i - 1].arrival;
    ASSERT_GE(gap, 10 * kPsPerUs - 1);
    if (gap <= 10 * kPsPerUs + 1) continue;
    off.push_back(to_ms(gap - 10 * kPsPerUs));
    on.push_back(to_ms(all[i - 1].arrival - began) + 0.005);  // the end lies within the 10 us after the last request
    began = all[i].arrival;
  }
  ASSERT_GT(off.size(), 900u);  // 1e6 requests of 10 us make 1,000 bursts of 10 ms
  ASSERT_LT(off.size(), 1100u);
  EXPECT_LT(distance(on, exponential(10)), 1.95);
  EXPECT_LT(distance(off, exponential(30)), 1.95);
  EXPECT_GT(distance(off, exponential(38)), 1.95) << "the check sees a wrong mean";
}

TEST(WorkloadBursts, ThatCannotBeAreErrors) {
  WorkloadParams params = open_params();
  params.bursts.off_ms = 5;
  EXPECT_NE(error(params).find("bursts.off_ms needs bursts.on_ms"), std::string::npos);
  params.bursts.on_ms = 0.001;
  params.rate_per_s = 0.001;
  EXPECT_NE(error(params).find("requests a burst on average are no bursts"), std::string::npos);
  params.kind = WorkloadParams::closed;
  EXPECT_NE(error(params).find("workload.bursts are for kind = \"open\" only"), std::string::npos);
  params = open_params();
  params.kind = WorkloadParams::closed;
  params.arrivals = WorkloadParams::pareto_arrivals;
  EXPECT_NE(error(params).find("workload.arrivals is for kind = \"open\" only"), std::string::npos);
}

TEST(WorkloadHotSpots, GetTheirSharesAndTheRestIsUniformOutside) {
  WorkloadParams params = open_params();
  params.hot_spots = {{0.5, 0.1, 0.3}, {0.2, 0.05, 0}};
  params.first_lbn = 1'000'000;
  params.last_lbn = 10'999'999;
  double first = 0;
  double second = 0;
  std::vector<double> outside;
  std::vector<double> inside;
  for (const Request& r : requests(params)) {
    ASSERT_EQ(r.lbn % 8, 0u);
    ASSERT_GE(r.lbn, 1'000'000u);
    ASSERT_LT(r.lbn + 8, 11'000'001u);
    if (r.lbn >= 4'000'000 && r.lbn < 5'000'000) {
      ++first;
      inside.push_back(static_cast<double>(r.lbn - 4'000'000) / 1e6);
    } else if (r.lbn < 1'500'000) {
      ++second;
    } else {  // 1.5 to 4 million and 5 to 11 million: 8.5 million in all
      outside.push_back((static_cast<double>(r.lbn) - (r.lbn < 4'000'000 ? 1.5e6 : 2.5e6)) / 8.5e6);
    }
  }
  EXPECT_NEAR(first, 50'000, binomial_bound(1e5, 0.5));
  EXPECT_NEAR(second, 20'000, binomial_bound(1e5, 0.2));
  const auto uniform = [](double x) { return x; };
  EXPECT_LT(distance(inside, uniform), 1.95);
  EXPECT_LT(distance(outside, uniform), 1.95);
}

TEST(WorkloadHotSpots, MayTakeEverythingAndMayCoverEverything) {
  WorkloadParams params = open_params(10'000);
  params.hot_spots = {{1, 0.25, 0.5}};
  for (const Request& r : requests(params, 1, 8'000)) {
    ASSERT_GE(r.lbn, 4'000u);
    ASSERT_LE(r.lbn + r.sectors, 6'000u);
  }
  params.hot_spots = {{0.9, 0.1, 0}, {0.1, 0.9, 0.1}};
  double first = 0;
  for (const Request& r : requests(params, 1, 8'000)) first += r.lbn < 800;
  EXPECT_NEAR(first, 9'000, binomial_bound(1e4, 0.9));
}

TEST(WorkloadHotSpots, ThatCannotBeAreErrors) {
  WorkloadParams params = open_params();
  params.hot_spots = {{0.5, 0.3, 0.1}, {0.2, 0.2, 0.35}};
  EXPECT_NE(error(params).find("two of them share LBN"), std::string::npos);
  params.hot_spots = {{0.5, 0.3, 0.8}};
  EXPECT_NE(error(params).find("a space of 0.3 that starts at 0.8 ends outside the range"), std::string::npos);
  params.hot_spots = {{0.5, 0.3, 0}, {0.6, 0.1, 0.5}};
  EXPECT_NE(error(params).find("the shares of requests add up to 1.1"), std::string::npos);
  params.hot_spots = {{0.5, 0, 0.1}};
  EXPECT_NE(error(params).find("hot_spots row 1: no request of 8 sectors, aligned to 8, lies in its 0"),
            std::string::npos);
  params.hot_spots = {{0.5, 1, 0}};
  EXPECT_NE(error(params).find("0.5 of the requests have no place outside the hot spots"), std::string::npos);
}

TEST(WorkloadLocal, StepsAreUniformOverBothDirectionsAndBounded) {
  WorkloadParams params = open_params();
  params.local_fraction = 1;
  params.local_sectors = 100;  // multiples of 8: -96 to 96
  params.size_sectors = 8;
  std::map<std::int64_t, double> steps;
  const auto all = requests(params);
  for (std::size_t i = 1; i < all.size(); ++i) {
    // At the borders of the drive a step is bounded by them too; nowhere near, the walk has no bias there.
    if (all[i - 1].lbn >= 96)
      ++steps[static_cast<std::int64_t>(all[i].lbn) - static_cast<std::int64_t>(all[i - 1].lbn)];
  }
  ASSERT_EQ(steps.size(), 25u);
  EXPECT_EQ(steps.begin()->first, -96);
  EXPECT_EQ(steps.rbegin()->first, 96);
  double n = 0;
  for (const auto& [step, hits] : steps) n += hits;
  double chi_square = 0;
  for (const auto& [step, hits] : steps) chi_square += (hits - n / 25) * (hits - n / 25) / (n / 25);
  EXPECT_LT(chi_square, 51.2) << "24 degrees of freedom, 0.1 % (Abramowitz and Stegun, table 26.8)";
  EXPECT_GT(chi_square, 6.5) << "nor too even";
}

TEST(WorkloadLocal, AShareWalksAShareGoesOnAndTheRestIsAnywhere) {
  WorkloadParams params = open_params();
  params.sequential_fraction = 0.3;
  params.local_fraction = 0.5;
  params.local_sectors = 1'000;
  const auto all = requests(params);
  double sequential = 0;
  double near = 0;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const auto step = static_cast<std::int64_t>(all[i].lbn) - static_cast<std::int64_t>(all[i - 1].lbn);
    if (step == 8)
      ++sequential;  // or one of the 251 steps of the walk, 0.2 % of its requests
    else if (std::abs(step) <= 1'000)
      ++near;
  }
  EXPECT_NEAR(sequential, 30'000 + 50'000 / 251.0, binomial_bound(1e5, 0.302));
  EXPECT_NEAR(near, 50'000 * 250 / 251.0, binomial_bound(1e5, 0.498));
}

TEST(WorkloadLocal, StaysInASmallRangeWithChangingSizes) {
  WorkloadParams params = open_params(20'000);
  params.local_fraction = 0.9;
  params.local_sectors = 16;
  params.sizes = {{1, 1}, {700, 1}};
  params.first_lbn = 5;
  params.last_lbn = 900;
  std::map<std::uint64_t, int> starts;
  for (const Request& r : requests(params)) {
    ASSERT_GE(r.lbn, 8u);
    ASSERT_LE(r.lbn + r.sectors, 901u);
    ++starts[r.lbn];
  }
  EXPECT_EQ(starts.size(), 112u) << "all multiples of 8 from 8 to 896 but one at most";
}

TEST(WorkloadLocal, ThatCannotBeAreErrors) {
  WorkloadParams params = open_params();
  params.sequential_fraction = 0.6;
  params.local_fraction = 0.5;
  EXPECT_NE(error(params).find("sequential_fraction and local_fraction add up to 1.1"), std::string::npos);
  params.sequential_fraction = 0;
  params.local_sectors = 7;
  EXPECT_NE(error(params).find("local_sectors = 7 is less than align_sectors = 8"), std::string::npos);
}

TEST(WorkloadOpenStream, KeysThatAreNotUsedLeaveTheStreamAsItWas) {
  // Printed by the program as it was before there were hot spots, walks and bursts.
  WorkloadParams params = open_params(6);
  params.sequential_fraction = 0.3;
  params.read_fraction = 0.5;
  std::vector<std::uint64_t> lbns;
  std::vector<Ps> arrivals;
  for (const Request& r : requests(params, 7)) {
    lbns.push_back(r.lbn);
    arrivals.push_back(r.arrival);
  }
  EXPECT_EQ(lbns, (std::vector<std::uint64_t>{9'253'448, 9'253'456, 1'756'000, 2'025'064, 11'051'160, 11'051'168}));
  EXPECT_EQ(arrivals, (std::vector<Ps>{19'324'368'205, 23'193'231'770, 38'633'286'586, 47'261'054'071, 57'309'762'844,
                                       88'533'924'952}));
}

}  // namespace
}  // namespace armature::workload
