// Synthetic streams. Statistical bounds are chosen so that a right generator fails one of them in 1,000 seeds; the
// seeds are fixed, so a test that passes once passes always.
#include "armature/workload/params.h"
#include "support/trace_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace armature::workload {
namespace {

using testing::drain;

constexpr std::uint64_t kDrive = 17'938'986;

WorkloadParams open_params() {
  WorkloadParams params;
  params.kind = WorkloadParams::open;
  params.count = 100'000;
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

bool same(const std::vector<Request>& a, const std::vector<Request>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Request& x, const Request& y) {
    return x.id == y.id && x.arrival == y.arrival && x.lbn == y.lbn && x.sectors == y.sectors &&
           x.operation == y.operation;
  });
}

/// Distance of Kolmogorov and Smirnov from the exponential distribution of this mean, times sqrt(n): above 1.95 once in
/// 1,000 samples.
double exponential_distance(std::vector<double> sample, double mean) {
  std::sort(sample.begin(), sample.end());
  const auto n = static_cast<double>(sample.size());
  double distance = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double cdf = 1 - std::exp(-sample[i] / mean);
    distance = std::max({distance, cdf - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - cdf});
  }
  return distance * std::sqrt(n);
}

/// Four standard deviations of the number of hits among n.
double binomial_bound(double n, double p) {
  return 4 * std::sqrt(n * p * (1 - p));
}

TEST(WorkloadOpen, ExponentialGapsHaveTheMeanAndTheDistribution) {
  WorkloadParams params = open_params();
  params.rate_per_s = 120;
  const auto all = requests(params);
  ASSERT_EQ(all.size(), 100'000u);
  std::vector<double> gaps;
  Ps last = 0;
  for (const Request& r : all) {
    ASSERT_GE(r.arrival, last);
    gaps.push_back(to_seconds(r.arrival - last));
    last = r.arrival;
  }
  const double mean = 1.0 / 120;
  // The standard error of the mean of n exponential gaps is mean / sqrt(n).
  EXPECT_NEAR(to_seconds(last) / 1e5, mean, 3.3 * mean / std::sqrt(1e5));
  EXPECT_LT(exponential_distance(gaps, mean), 1.95);
  EXPECT_GT(exponential_distance(gaps, mean * 1.02), 1.95) << "the check sees 2 %";
}

TEST(WorkloadOpen, FixedGapsAreMultiplesOfTheIntervalFromZero) {
  WorkloadParams params = open_params();
  params.arrivals = WorkloadParams::fixed_arrivals;
  params.rate_per_s = 80;
  params.count = 1000;
  const auto all = requests(params);
  ASSERT_EQ(all.size(), 1000u);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].arrival, static_cast<Ps>(i) * 12'500 * kPsPerUs);
    EXPECT_EQ(all[i].id, i);
  }
}

TEST(WorkloadOpen, UniformAddressesCoverTheDriveEvenly) {
  const auto all = requests(open_params());
  // Chi-square over 100 equal parts: 99 degrees of freedom lie between 61.1 and 148.2 but for 0.1 % at each end
  // (Abramowitz and Stegun, table 26.8, by the approximation of Wilson and Hilferty).
  constexpr std::size_t kParts = 100;
  std::vector<double> hits(kParts);
  const std::uint64_t starts = (kDrive - 8) / 8 + 1;
  for (const Request& r : all) {
    ASSERT_EQ(r.lbn % 8, 0u);
    ASSERT_LE(r.lbn + r.sectors, kDrive);
    ASSERT_EQ(r.sectors, 8u);
    ++hits[r.lbn / 8 * kParts / starts];
  }
  double chi_square = 0;
  for (const double n : hits) chi_square += (n - 1000) * (n - 1000) / 1000;
  EXPECT_GT(chi_square, 61.1);
  EXPECT_LT(chi_square, 148.2);
}

TEST(WorkloadOpen, EveryAlignedStartOfASmallRangeOccursAndNoOther) {
  WorkloadParams params = open_params();
  params.count = 2000;
  params.first_lbn = 17;
  params.last_lbn = 60;
  params.align_sectors = 4;
  params.size_sectors = 5;
  std::set<std::uint64_t> starts;
  for (const Request& r : requests(params)) starts.insert(r.lbn);
  // Multiples of 4 from 17, so that sector 60 is the last at most: 20 to 56.
  EXPECT_EQ(starts, (std::set<std::uint64_t>{20, 24, 28, 32, 36, 40, 44, 48, 52, 56}));
}

TEST(WorkloadOpen, SharesOfReadsAndSizesAreWhatTheKeysSay) {
  WorkloadParams params = open_params();
  params.read_fraction = 0.6;
  params.sizes = {{8, 7}, {64, 2}, {128, 1}, {1, 0}};
  double reads = 0;
  std::map<std::uint32_t, double> sizes;
  for (const Request& r : requests(params)) {
    reads += r.operation == Operation::read;
    ++sizes[r.sectors];
  }
  EXPECT_NEAR(reads, 60'000, binomial_bound(1e5, 0.6));
  ASSERT_EQ(sizes.size(), 3u) << "a weight of 0 is never";
  EXPECT_NEAR(sizes[8], 70'000, binomial_bound(1e5, 0.7));
  EXPECT_NEAR(sizes[64], 20'000, binomial_bound(1e5, 0.2));
  EXPECT_NEAR(sizes[128], 10'000, binomial_bound(1e5, 0.1));

  params.read_fraction = 0;
  for (const Request& r : requests(params)) ASSERT_EQ(r.operation, Operation::write);
}

TEST(WorkloadOpen, AShareOfRequestsBeginsWhereTheOneBeforeEnded) {
  WorkloadParams params = open_params();
  params.sequential_fraction = 0.2;
  const auto all = requests(params);
  double sequential = 0;
  for (std::size_t i = 1; i < all.size(); ++i) sequential += all[i].lbn == all[i - 1].lbn + all[i - 1].sectors;
  EXPECT_NEAR(sequential, 20'000, binomial_bound(1e5, 0.2));
}

TEST(WorkloadOpen, APureSequentialStreamStartsAtTheRangeAndBeginsAgainAtItsEnd) {
  WorkloadParams params = open_params();
  params.count = 7;
  params.sequential_fraction = 1;
  params.first_lbn = 100;
  params.last_lbn = 129;  // three requests of 8 and a rest of 6
  std::vector<std::uint64_t> lbns;
  for (const Request& r : requests(params)) lbns.push_back(r.lbn);
  EXPECT_EQ(lbns, (std::vector<std::uint64_t>{100, 108, 116, 100, 108, 116, 100}));
}

TEST(WorkloadOpen, SeveralStreamsTakeTurnsEachInItsOwnPartOfTheRange) {
  WorkloadParams params = open_params();
  params.count = 8;
  params.sequential_fraction = 1;
  params.streams = 2;
  params.first_lbn = 96;
  params.last_lbn = 96 + 47;  // parts of 24 sectors: three requests of 8
  std::vector<std::uint64_t> lbns;
  for (const Request& r : requests(params)) lbns.push_back(r.lbn);
  EXPECT_EQ(lbns, (std::vector<std::uint64_t>{96, 120, 104, 128, 112, 136, 96, 120}));
  params.streams = 7;
  EXPECT_THROW(requests(params), InputError);
}

TEST(WorkloadClosed, WhoeverCompletesAsksForTheNextOfItsStream) {
  WorkloadParams params = open_params();
  params.kind = WorkloadParams::closed;
  params.outstanding = 4;
  params.count = 100;
  params.sequential_fraction = 1;
  params.streams = 2;
  params.first_lbn = 0;
  params.last_lbn = 15'999;
  const auto source = make_source(params, 1, kDrive, "");
  std::vector<Request> in_flight(4);
  for (Request& r : in_flight) ASSERT_EQ(source->next(r), Source::Next::request);
  // Only requests of the second stream complete: the first one's two stay where they are.
  for (int i = 0; i < 20; ++i) {
    const auto done = std::find_if(in_flight.begin(), in_flight.end(), [](const Request& r) { return r.lbn >= 8'000; });
    source->completed(*done, i + 1);
    ASSERT_EQ(source->next(*done), Source::Next::request);
    EXPECT_EQ(done->lbn, 8'016u + 8u * static_cast<unsigned>(i));
  }
}

TEST(WorkloadOpen, ASeedGivesTheSameStreamAndAnotherSeedAnother) {
  WorkloadParams params = open_params();
  params.count = 1000;
  params.read_fraction = 0.5;
  params.sizes = {{8, 1}, {16, 1}};
  params.sequential_fraction = 0.3;
  EXPECT_TRUE(same(requests(params, 42), requests(params, 42)));
  EXPECT_FALSE(same(requests(params, 42), requests(params, 43)));

  // Streams are separate: another rate leaves addresses, sizes and operations alone.
  WorkloadParams faster = params;
  faster.rate_per_s = 500;
  const auto a = requests(params, 42);
  const auto b = requests(faster, 42);
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].lbn, b[i].lbn);
    ASSERT_EQ(a[i].operation, b[i].operation);
    ASSERT_LT(b[i].arrival, a[i].arrival);
  }
}

TEST(WorkloadOpen, WhatIsDrawnForARequestIsIndependentOfEverythingElseOfIt) {
  WorkloadParams params = open_params();
  params.read_fraction = 0.5;
  params.sizes = {{8, 1}, {16, 1}};
  params.sequential_fraction = 0.5;
  const auto all = requests(params);
  std::vector<std::vector<double>> drawn(5);
  for (std::size_t i = 1; i < all.size(); ++i) {
    const bool sequential = all[i].lbn == all[i - 1].lbn + all[i - 1].sectors;
    drawn[0].push_back(to_ms(all[i].arrival - all[i - 1].arrival));
    drawn[1].push_back(static_cast<double>(all[i].lbn));
    drawn[2].push_back(all[i].sectors);
    drawn[3].push_back(all[i].operation == Operation::read);
    drawn[4].push_back(sequential);
  }
  const auto n = static_cast<double>(drawn[0].size());
  for (auto& values : drawn) {  // to mean 0 and variance 1
    double mean = 0;
    double square = 0;
    for (const double v : values) mean += v / n;
    for (const double v : values) square += (v - mean) * (v - mean) / n;
    for (double& v : values) v = (v - mean) / std::sqrt(square);
  }
  for (std::size_t a = 0; a < drawn.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      double correlation = 0;
      for (std::size_t i = 0; i < drawn[a].size(); ++i) correlation += drawn[a][i] * drawn[b][i] / n;
      // The standard error without correlation is 1 / sqrt(n).
      EXPECT_LT(std::abs(correlation), 4 / std::sqrt(n)) << a << " and " << b;
    }
  }
}

TEST(WorkloadOpen, BurstsAsLongAsTheSimulationEndItAndDoNotGoBackInTime) {
  constexpr Ps kLatest = 100 * 86'400 * kPsPerSecond;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {  // some draw a length of over nine times the mean
    WorkloadParams params = open_params();
    params.count = 100;
    params.rate_per_s = 1e-4;
    params.bursts.on_ms = 1e9;
    params.bursts.off_ms = 1e9;
    const auto source = make_source(params, seed, kDrive, "");
    Request request;
    Ps before = 0;
    try {
      while (source->next(request) == Source::Next::request) {
        ASSERT_GE(request.arrival, before) << seed;
        ASSERT_LE(request.arrival, kLatest);
        before = request.arrival;
      }
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("after the end of the simulation at 100 days"), std::string::npos);
    }
  }
}

TEST(WorkloadOpen, ImpossibleParametersAreErrors) {
  WorkloadParams params = open_params();
  params.last_lbn = static_cast<std::int64_t>(kDrive);
  EXPECT_NE(error(params).find("workload.last_lbn = 17938986 is outside the drive, whose last LBN is 17938985"),
            std::string::npos);
  params = open_params();
  params.first_lbn = 1000;
  params.last_lbn = 1006;
  EXPECT_NE(error(params).find("no request of 8 sectors, aligned to 8, lies between LBN 1000 and 1006"),
            std::string::npos);
  params.first_lbn = 1001;
  params.last_lbn = 1014;  // 8 sectors fit, but no aligned ones
  EXPECT_NE(error(params).find("no request of 8 sectors"), std::string::npos);
  params = open_params();
  params.first_lbn = 5;
  params.last_lbn = 3;
  EXPECT_NE(error(params).find("no request of 8 sectors"), std::string::npos);
  params = open_params();
  params.sizes = {{8, 0}};
  EXPECT_NE(error(params).find("all weights are 0"), std::string::npos);
  params = open_params();
  EXPECT_NE(error(params, 0).find("workload.last_lbn is needed"), std::string::npos);
  params.rate_per_s = 0.001;
  EXPECT_NE(error(params).find("after the end of the simulation at 100 days"), std::string::npos);
}

WorkloadParams closed_params(std::int64_t outstanding, double think_ms, WorkloadParams::Distribution think) {
  WorkloadParams params;
  params.kind = WorkloadParams::closed;
  params.outstanding = outstanding;
  params.think_ms = think_ms;
  params.think = think;
  return params;
}

TEST(WorkloadClosed, NeverHasMoreInFlightThanItIsAllowed) {
  WorkloadParams params = closed_params(4, 0, WorkloadParams::exponential);
  params.count = 6;
  const auto source = make_source(params, 1, kDrive, "");
  EXPECT_EQ(source->expected(), 6u);
  std::vector<Request> flight(6);
  for (std::size_t i = 0; i < 4; ++i) {
    ASSERT_EQ(source->next(flight[i]), Source::Next::request);
    EXPECT_EQ(flight[i].arrival, 0);
    EXPECT_EQ(flight[i].id, i);
  }
  EXPECT_EQ(source->next(flight[4]), Source::Next::after_completion);
  source->completed(flight[2], 5 * kPsPerMs);
  ASSERT_EQ(source->next(flight[4]), Source::Next::request);
  EXPECT_EQ(flight[4].arrival, 5 * kPsPerMs) << "no think time: at the completion";
  EXPECT_EQ(source->next(flight[5]), Source::Next::after_completion);
  source->completed(flight[0], 6 * kPsPerMs);
  source->completed(flight[1], 7 * kPsPerMs);
  ASSERT_EQ(source->next(flight[5]), Source::Next::request);
  EXPECT_EQ(flight[5].arrival, 6 * kPsPerMs);
  EXPECT_EQ(source->next(flight[5]), Source::Next::end) << "count";
}

TEST(WorkloadClosed, EndsBeforeTheSimulationDoes) {
  WorkloadParams params = closed_params(1, 1e7, WorkloadParams::fixed);
  params.count = 2'000;
  EXPECT_NE(error(params).find("10000 s take 231.366 days"), std::string::npos) << error(params);
  // As many days of thinking as there are, but requests take time, too.
  params.count = 865;
  const auto source = make_source(params, 1, kDrive, "");
  EXPECT_THROW(drain(*source, kPsPerSecond), InputError);
  params.count = 864;
  EXPECT_EQ(drain(*make_source(params, 1, kDrive, ""), kPsPerSecond).size(), 864u);
}

TEST(WorkloadClosed, AFixedThinkTimePassesAfterEachCompletion) {
  const auto all = drain(*make_source(closed_params(1, 2.5, WorkloadParams::fixed), 1, kDrive, ""), kPsPerMs);
  ASSERT_EQ(all.size(), 10'000u);
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i].arrival, static_cast<Ps>(i) * 3'500 * kPsPerUs);
}

TEST(WorkloadClosed, ExponentialThinkTimesHaveTheMeanAndTheDistribution) {
  WorkloadParams params = closed_params(1, 3, WorkloadParams::exponential);
  params.count = 50'001;
  const auto all = drain(*make_source(params, 1, kDrive, ""), kPsPerMs);
  std::vector<double> think;
  for (std::size_t i = 1; i < all.size(); ++i) think.push_back(to_ms(all[i].arrival - all[i - 1].arrival) - 1);
  EXPECT_LT(exponential_distance(think, 3), 1.95);
}

TEST(WorkloadClosed, ACompletionMayBringAnEarlierArrivalThanTheOneFetchedAhead) {
  WorkloadParams params = closed_params(2, 10, WorkloadParams::exponential);
  params.count = 20'000;
  const auto source = make_source(params, 5, kDrive, "");
  // Two users against a server that takes 1 ms for a request whatever else it has: a host that fetches one ahead.
  struct Flight {
    Ps done;
    Request request;
  };
  std::vector<Flight> flight;
  Request ahead;
  bool fetched = false;
  Ps now = 0;
  Ps last_arrival = 0;
  int revised = 0;
  std::uint64_t completed = 0;
  for (;;) {
    if (!fetched) fetched = source->next(ahead) == Source::Next::request;
    std::sort(flight.begin(), flight.end(), [](const Flight& a, const Flight& b) { return a.done < b.done; });
    if (!fetched && flight.empty()) break;
    if (fetched && (flight.empty() || ahead.arrival <= flight.front().done)) {
      ASSERT_GE(ahead.arrival, now) << "an arrival in the past";
      ASSERT_GE(ahead.arrival, last_arrival);
      last_arrival = now = ahead.arrival;
      flight.push_back({now + kPsPerMs, ahead});
      ASSERT_LE(flight.size(), 2u);
      fetched = false;
    } else {
      now = flight.front().done;
      const Request done = flight.front().request;
      flight.erase(flight.begin());
      ++completed;
      source->completed(done, now);
      const Request before = ahead;
      if (fetched && source->revise(ahead)) {
        ++revised;
        ASSERT_LT(ahead.arrival, before.arrival);
        ASSERT_EQ(ahead.id, before.id);
        ASSERT_EQ(ahead.lbn, before.lbn);
      }
    }
  }
  EXPECT_EQ(completed, 20'000u);
  EXPECT_GT(revised, 100);
  // Two independent users with cycles of 10 + 1 ms: 2/11 requests a ms; the standard error is that of 10,000 cycles
  // each.
  EXPECT_NEAR(to_ms(now) / 20'000, 11.0 / 2, 4 * 10.0 / 2 / std::sqrt(20'000.0));
}

}  // namespace
}  // namespace armature::workload
