#include "armature/core/kernel_time.h"
#include "armature/core/random.h"
#include "armature/observe/arm_use.h"
#include "armature/observe/histories.h"
#include "armature/observe/kept_requests.h"
#include "armature/observe/state_times.h"
#include "armature/observe/statistics.h"
#include "support/observe_feed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

namespace armature::observe {
namespace {

using testing::FatalThrows;

RequestRecord record_of(std::uint64_t id, Ps arrival, Ps response, Operation operation = Operation::read) {
  RequestRecord record;
  record.id = id;
  record.arrival = arrival;
  record.completion = arrival + response;
  record.operation = operation;
  record.sectors = 8;
  record.phases[static_cast<std::size_t>(Phase::seek)] = response / 4;
  record.phases[static_cast<std::size_t>(Phase::rotation)] = response - response / 4;
  return record;
}

template <class Sink>
void feed(Sink& sink, const RequestRecord& record, const std::vector<Segment>& timeline = {}) {
  sink.completed(CompletedRequest{record, timeline, {}});
}

Arrival arrival_of(std::uint64_t id, Ps at) {
  Arrival arrival;
  arrival.id = id;
  arrival.at = at;
  return arrival;
}

TEST(ResponseSamples, QuantilesAreOfTheNearestRank) {
  ResponseSamples samples(100);
  // 10, 20 .. 100 as reads, 5 and 1000 as writes.
  for (Ps i = 10; i > 0; --i) samples.add(Operation::read, 10 * i);
  samples.add(Operation::write, 1000);
  samples.add(Operation::write, 5);
  samples.sort();
  EXPECT_TRUE(samples.exact());
  EXPECT_EQ(samples.size(Operation::read), 10u);
  EXPECT_EQ(samples.size(Operation::write), 2u);
  EXPECT_EQ(samples.size(Operation::flush), 0u);
  EXPECT_EQ(samples.quantile(Operation::read, 0.5), 50) << "rank ceil(0.5 * 10) = 5";
  EXPECT_EQ(samples.quantile(Operation::read, 0.51), 60);
  EXPECT_EQ(samples.quantile(Operation::read, 0.9), 90);
  EXPECT_EQ(samples.quantile(Operation::read, 0.91), 100);
  EXPECT_EQ(samples.quantile(Operation::read, 0), 10);
  EXPECT_EQ(samples.quantile(Operation::read, 1), 100);
  EXPECT_EQ(samples.quantile(Operation::write, 0.5), 5);
  EXPECT_EQ(samples.quantile(Operation::flush, 0.5), 0);
  EXPECT_EQ(samples.quantile(0), 5);
  EXPECT_EQ(samples.quantile(0.5), 50) << "rank 6 of 5 10 20 30 40 50 ...";
  EXPECT_EQ(samples.quantile(1), 1000);
}

TEST(ResponseSamples, AgreesWithSortingEverything) {
  RandomStream random(5, "samples");
  ResponseSamples samples(20'000);
  std::vector<Ps> all, writes;
  for (int i = 0; i < 20'000; ++i) {
    const Ps response = static_cast<Ps>(random.exponential(3e9));
    const Operation operation = random.chance(0.3) ? Operation::write : Operation::read;
    samples.add(operation, response);
    all.push_back(response);
    if (operation == Operation::write) writes.push_back(response);
  }
  samples.sort();
  std::sort(all.begin(), all.end());
  std::sort(writes.begin(), writes.end());
  for (const double q : {0.001, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 0.9999}) {
    const auto rank = [q](const std::vector<Ps>& list) {
      return list[static_cast<std::size_t>(std::ceil(q * static_cast<double>(list.size()))) - 1];
    };
    EXPECT_EQ(samples.quantile(q), rank(all)) << q;
    EXPECT_EQ(samples.quantile(Operation::write, q), rank(writes)) << q;
  }
}

TEST(ResponseSamples, BeyondItsSizeKeepsEachResponseWithTheSameProbability) {
  ResponseSamples samples(20'000);
  for (Ps i = 1; i <= 400'000; ++i) samples.add(Operation::read, i);
  samples.sort();
  EXPECT_FALSE(samples.exact());
  EXPECT_EQ(samples.size(), 20'000u);
  // A sample of 20,000 puts a quantile within sqrt(q (1 - q) / 20,000) of its place: four times that is 0.0142 at most.
  for (const double q : {0.1, 0.5, 0.9}) {
    EXPECT_NEAR(static_cast<double>(samples.quantile(q)) / 400'000, q, 4 * std::sqrt(q * (1 - q) / 20'000)) << q;
  }
}

TEST(Statistics, CountsMomentsAndPhasesByHand) {
  Statistics statistics(100);
  // Responses 4, 8, 12 (reads) and 16 us (a write that fails): mean 10, variance (36 + 4 + 4 + 36) / 4 = 20 us^2.
  Ps at = 0;
  for (const Ps response : {4, 8, 12}) {
    statistics.arrived(arrival_of(1, at));
    feed(statistics, record_of(1, at, response * kPsPerUs));
    at += 20 * kPsPerUs;
  }
  RequestRecord write = record_of(4, at, 16 * kPsPerUs, Operation::write);
  write.ok = false;
  write.accesses = 1;
  write.seek_cylinders = 30;
  write.missed_revolutions = 2;
  write.miss_cause = MissCause::late_data;
  write.missed_by[static_cast<std::size_t>(MissCause::late_data)] = 1;
  write.missed_by[static_cast<std::size_t>(MissCause::inhibit)] = 1;
  write.positioning = 9 * kPsPerUs;
  write.predicted_positioning = 4 * kPsPerUs;
  write.link_overlapped = 2 * kPsPerUs;
  statistics.arrived(arrival_of(4, at));
  feed(statistics, write);
  statistics.finish(80 * kPsPerUs, {});

  const auto all = statistics.all(), reads = statistics.of(Operation::read), writes = statistics.of(Operation::write);
  EXPECT_EQ(all.count, 4u);
  EXPECT_EQ(all.failed, 1u);
  EXPECT_EQ(all.bytes, 3u * 4096u);
  EXPECT_DOUBLE_EQ(all.mean, 10e6);
  EXPECT_DOUBLE_EQ(all.variance, 20e12);
  EXPECT_EQ(all.min, 4 * kPsPerUs);
  EXPECT_EQ(all.max, 16 * kPsPerUs);
  EXPECT_EQ(reads.count, 3u);
  EXPECT_DOUBLE_EQ(reads.mean, 8e6);
  EXPECT_DOUBLE_EQ(writes.mean, 16e6);
  EXPECT_DOUBLE_EQ(writes.link_overlapped_mean, 2e6);
  EXPECT_DOUBLE_EQ(all.phase_means[static_cast<std::size_t>(Phase::seek)], 2.5e6);
  EXPECT_DOUBLE_EQ(all.phase_means[static_cast<std::size_t>(Phase::rotation)], 7.5e6);
  EXPECT_EQ(statistics.missed_revolutions(), 2u);
  EXPECT_EQ(statistics.missed_by(MissCause::late_data), 1u);
  EXPECT_EQ(statistics.missed_by(MissCause::inhibit), 1u);
  EXPECT_EQ(statistics.missed_by(MissCause::late_servo), 0u);
  EXPECT_DOUBLE_EQ(statistics.mean_prediction_error(), 5e6);
  EXPECT_DOUBLE_EQ(statistics.mean_seek_cylinders(), 30);
  EXPECT_DOUBLE_EQ(statistics.rate(), 4 / 80e-6) << "more was to come: the time since the last completion counts";
  EXPECT_DOUBLE_EQ(statistics.byte_rate(), 3 * 4096 / 80e-6);
  EXPECT_EQ(statistics.of(Operation::flush).count, 0u);
}

TEST(Statistics, DepthIsTheTimeAverageAndKeepsLittlesLaw) {
  Statistics statistics(100);
  // 0 to 10 one, 4 to 10 two, 10 to 14 the second alone, 20 to 25 the third; the fourth from 28 on. End at 30.
  statistics.arrived(arrival_of(1, 0));
  statistics.arrived(arrival_of(2, 4));
  feed(statistics, record_of(1, 0, 10));
  feed(statistics, record_of(2, 4, 10));
  statistics.arrived(arrival_of(3, 20));
  feed(statistics, record_of(3, 20, 5));
  statistics.arrived(arrival_of(4, 28));
  statistics.finish(30, {arrival_of(4, 28)});
  EXPECT_DOUBLE_EQ(statistics.mean_depth(), (10.0 + 10.0 + 5.0 + 2.0) / 30.0);
  EXPECT_EQ(statistics.max_depth(), 2u);
  EXPECT_EQ(statistics.arrivals(), 4u);
}

TEST(BreakdownByResponse, BandsAreMeansOfTheRequestsBetweenTheRanks) {
  BreakdownByResponse breakdown;
  // 1000 requests: 900 of 100 us, 90 of 1 ms, 10 of 20 ms, added in no order of length.
  for (int i = 0; i < 1000; ++i) {
    const Ps response = i % 100 == 0 ? 20 * kPsPerMs : i % 10 == 1 && i / 10 % 10 != 9 ? kPsPerMs : 100 * kPsPerUs;
    breakdown.add(record_of(1, 0, response));
  }
  const auto seek = static_cast<std::size_t>(Phase::seek);
  EXPECT_DOUBLE_EQ(breakdown.mean(0, 0.5)[seek], 25e6);
  EXPECT_DOUBLE_EQ(breakdown.mean(0.9, 0.99)[seek], 250e6);
  EXPECT_DOUBLE_EQ(breakdown.mean(0.99, 1)[seek], 5000e6);
  EXPECT_DOUBLE_EQ(breakdown.mean(0.5, 1)[seek], (400 * 25e6 + 90 * 250e6 + 10 * 5000e6) / 500);
  EXPECT_EQ(BreakdownByResponse().mean(0, 1)[seek], 0);
}

TEST(BreakdownByResponse, TellsResponsesApartThatDifferByFivePerCent) {
  for (Ps base = 100; base < kPsPerSecond; base = base * 21 / 20) {
    BreakdownByResponse breakdown;
    for (int i = 0; i < 10; ++i) {
      breakdown.add(record_of(1, 0, base));
      breakdown.add(record_of(2, 0, base * 21 / 20));
    }
    const auto seek = static_cast<std::size_t>(Phase::seek);
    ASSERT_DOUBLE_EQ(breakdown.mean(0, 0.5)[seek], static_cast<double>(base / 4)) << base;
    ASSERT_DOUBLE_EQ(breakdown.mean(0.5, 1)[seek], static_cast<double>(base * 21 / 20 / 4)) << base;
  }
}

TEST(StateTimes, AddUpExactlyAndLeaveOutWhatWouldComeAfterTheEnd) {
  StateTimes states;
  ComponentState arm, idle;
  arm.declare(&states, {"d.arm0", {"hold", "seek"}});
  idle.declare(&states, {"d.channel", {"idle", "wait", "transfer"}});
  arm.enter(1, 10);
  arm.enter(0, 25);  // announced at once with the move
  arm.enter(1, 25);  // and no time in between
  arm.enter(0, 40);
  sc_core::sc_start(to_sc_time(100));
  arm.enter(1, 110);  // ahead
  arm.enter(0, 130);  // beyond the end
  states.finish(120);
  const auto& components = states.components();
  EXPECT_EQ(components[0].times, (std::vector<Ps>{10 + 0 + (110 - 40), (25 - 10) + (40 - 25) + (120 - 110)}));
  EXPECT_EQ(components[1].times, (std::vector<Ps>{120, 0, 0}));
}

TEST(StateTimes, RefuseGoingBackAndUnknownStates) {
  const FatalThrows fatal_throws;
  StateTimes states;
  ComponentState arm;
  arm.declare(&states, {"d.arm0", {"hold", "seek"}});
  arm.enter(1, 10);
  sc_core::sc_start(to_sc_time(10));
  EXPECT_THROW(arm.enter(0, 9), sc_core::sc_report);
  EXPECT_THROW(arm.enter(2, 20), sc_core::sc_report);
}

TEST(StateTimes, TakeBackWhatWasAnnouncedForLater) {
  StateTimes states;
  ComponentState channel;
  channel.declare(&states, {"d.chn0", {"idle", "wait", "transfer"}});
  channel.enter(1, 0);
  channel.enter(2, 70);
  sc_core::sc_start(to_sc_time(30));
  channel.enter(0, 40);  // stopped while it waits
  channel.enter(1, 50);
  channel.enter(2, 60);
  sc_core::sc_start(to_sc_time(50));
  states.finish(100);
  EXPECT_EQ(states.components()[0].times, (std::vector<Ps>{10, 40 + 10, 40}));
}

TEST(StateTimes, OfAComponentThatAlwaysAnnouncesMoreEachTransitionCountsOnce) {
  StateTimes states;
  ComponentState channel;
  channel.declare(&states, {"d.chn0", {"idle", "wait", "transfer"}});
  // In state i % 3 from 10 i on, announced 150 ahead at first and then always more than there are to come.
  const auto announce = [&](int begin, int end) {
    for (int i = begin; i < end; ++i) channel.enter(static_cast<unsigned>(i % 3), 10 * i);
  };
  announce(1, 151);
  Ps reached = 0;
  for (const Ps until : {5, 600, 700, 705, 1'400}) {
    sc_core::sc_start(to_sc_time(until - reached));
    reached = until;
    announce(static_cast<int>(until) / 10 + 150, static_cast<int>(until) / 10 + 151);
  }
  states.finish(1'405);
  EXPECT_EQ(states.components()[0].times, (std::vector<Ps>{470, 470, 465}));
}

TEST(DepthHistory, HoldsMinimumMaximumAndAreaOfEachIntervalWhateverItsLength) {
  for (const Ps scale : {Ps{1}, Ps{100}, Ps{100'000}}) {
    DepthHistory history;
    RandomStream random(9, "depth");
    std::vector<std::pair<Ps, int>> steps;  // time and depth from there on
    Ps t = 0;
    int depth = 0;
    for (int i = 0; i < 5000; ++i) {
      t += static_cast<Ps>(random.below(static_cast<std::uint64_t>(kPsPerMs / 10 * scale)));
      if (depth == 0 || random.chance(0.5)) {
        history.arrived(arrival_of(1, t));
        ++depth;
      } else {
        feed(history, record_of(1, t - 1, 1));
        --depth;
      }
      steps.emplace_back(t, depth);
    }
    const Ps end = t + 12345;
    history.finish(end);
    const Ps width = history.interval();
    ASSERT_LE(history.intervals().size(), DepthHistory::kIntervals);
    ASSERT_GE(width * static_cast<Ps>(DepthHistory::kIntervals), end);
    for (std::size_t i = 0; i < history.intervals().size(); ++i) {
      const Ps from = static_cast<Ps>(i) * width, to = std::min(from + width, end);
      int present = 0, lowest, highest;
      double area = 0;
      std::size_t s = 0;
      while (s < steps.size() && steps[s].first < from) present = steps[s++].second;
      lowest = highest = present;
      Ps since = from;
      for (; s < steps.size() && steps[s].first < from + width; ++s) {
        area += static_cast<double>(present) * static_cast<double>(steps[s].first - since);
        since = steps[s].first;
        present = steps[s].second;
        lowest = std::min(lowest, present);
        highest = std::max(highest, present);
      }
      area += static_cast<double>(present) * static_cast<double>(to - since);
      const auto& interval = history.intervals()[i];
      ASSERT_EQ(static_cast<int>(interval.min), lowest) << "interval " << i << ", scale " << scale;
      ASSERT_EQ(static_cast<int>(interval.max), highest) << "interval " << i << ", scale " << scale;
      ASSERT_NEAR(interval.area, area, 1e-9 * (area + 1));
    }
  }
}

/// A request of so many segments of 1 us.
void feed_segments(KeptRequests& kept, std::uint64_t id, std::size_t segments) {
  const RequestRecord record = record_of(id, 0, static_cast<Ps>(segments) * kPsPerUs);
  std::vector<Segment> timeline;
  for (std::size_t i = 0; i < segments; ++i)
    timeline.push_back({static_cast<Ps>(i) * kPsPerUs, static_cast<Ps>(i + 1) * kPsPerUs, Phase::seek});
  kept.completed({record, timeline, {}});
}

// Links that bring a few sectors at a time and sectors that are read again make long ones.
TEST(KeptRequests, KeepsALongTimelineWhole) {
  KeptRequests kept(10, {}, 1, 0);
  feed_segments(kept, 1, 20'000);
  EXPECT_EQ(kept.by_id().at(1)->timeline.size(), 20'000u);
}

TEST(KeptRequests, WithoutRoomTheFastestLoseTheirTimelinesAndNoneIsCut) {
  KeptRequests kept(100, {7}, 1, 0, /*segments=*/1'000);
  for (std::uint64_t id = 1; id <= 50; ++id)
    feed_segments(kept, id, id * 10 % 470);  // 10 .. 460, and shorter ones again
  EXPECT_EQ(kept.slowest().size(), 50u);
  std::size_t sum = 0;
  bool room = true;
  for (const KeptRequests::Kept* each : kept.slowest()) {
    sum += each->timeline.size();
    room = room && !each->timeline.empty();
    EXPECT_EQ(each->timeline.size(), room ? static_cast<std::size_t>(each->record.response() / kPsPerUs) : 0u);
  }
  EXPECT_LE(sum, 1'000u);
  EXPECT_GE(sum, 460u);
  EXPECT_EQ(kept.by_id().at(7)->timeline.size(), 70u) << "it was asked for";
  feed_segments(kept, 99, 5'000);
  EXPECT_EQ(kept.by_id().at(99)->timeline.size(), 5'000u) << "the slowest";
}

TEST(KeptRequests, KeepsTheSlowestInOrderAndTheChosen) {
  RandomStream random(2, "kept");
  KeptRequests kept(50, {3, 777}, 100, 102);
  std::vector<std::pair<Ps, std::uint64_t>> all;
  for (std::uint64_t id = 0; id < 5000; ++id) {
    const Ps response = static_cast<Ps>(random.below(900)) + (id == 3 || id == 777 ? 0 : 1);
    feed(kept, record_of(id, static_cast<Ps>(id), response),
         {{static_cast<Ps>(id), static_cast<Ps>(id) + response, Phase::seek, false}});
    all.emplace_back(-response, id);
  }
  std::sort(all.begin(), all.end());  // longest first, then the earlier id
  const auto slowest = kept.slowest();
  ASSERT_EQ(slowest.size(), 50u);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(slowest[i]->record.id, all[i].second) << i;
    ASSERT_EQ(slowest[i]->timeline.size(), 1u);
    EXPECT_EQ(slowest[i]->timeline[0].begin, static_cast<Ps>(all[i].second));
  }
  const auto by_id = kept.by_id();
  for (const std::uint64_t id : {3u, 777u, 100u, 101u, 102u}) {
    ASSERT_EQ(by_id.count(id), 1u) << id;
    EXPECT_EQ(by_id.at(id)->record.id, id);
  }
  EXPECT_GE(by_id.size(), 50u);
  EXPECT_LE(by_id.size(), 55u);
}

TEST(ArmHistory, IsBoundedAndSamplesTheWholeRun) {
  ArmHistory history;
  for (std::uint64_t id = 0; id < 100'000; ++id) {
    RequestRecord record = record_of(id, static_cast<Ps>(id), 10);
    record.accesses = 1;
    record.first_sector = static_cast<Ps>(id);
    AccessTiming timing;
    timing.access.first_sector_at = static_cast<Ps>(id);
    history.completed(CompletedRequest{record, {}, {timing}});
  }
  EXPECT_EQ(history.opening().size(), ArmHistory::kOpening);
  EXPECT_EQ(history.opening().back().id, ArmHistory::kOpening - 1);
  const auto sample = history.sample();
  ASSERT_EQ(sample.size(), ArmHistory::kSample);
  double mean = 0;
  for (const auto& point : sample) mean += static_cast<double>(point.at);
  mean /= ArmHistory::kSample;
  EXPECT_NEAR(mean, 50'000, 4 * 100'000 / std::sqrt(12.0 * ArmHistory::kSample)) << "four standard errors";
  EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end(), [](auto& a, auto& b) { return a.at < b.at; }));
}

TEST(ArmUse, CountsTheMechanicalPhasesToTheArmWhoseTheyWere) {
  ArmUse use(2);
  const std::vector<AccessTiming> no_accesses;
  const auto complete = [&](std::uint32_t arm, std::uint32_t accesses, const std::vector<Segment>& timeline) {
    RequestRecord record;
    record.arm = arm;
    record.accesses = accesses;
    record.seek_cylinders = 8;
    use.completed({record, timeline, no_accesses});
  };
  complete(0, 1,
           {{0, 1'000, Phase::drive_queue, false, 0},
            {1'000, 1'005, Phase::seek, false, 0},
            {1'005, 1'012, Phase::rotation, true, 0},
            {1'012, 1'014, Phase::transfer, false, 0},
            {1'014, 2'000, Phase::link_data, false, 0}});
  // Its first access was arm 1's, after an attempt by arm 0; its second access was arm 0's.
  complete(1, 2,
           {{0, 100, Phase::rotation, false, 0},
            {100, 150, Phase::seek, false, 1},
            {150, 153, Phase::write_settle, false, 1},
            {153, 223, Phase::rotation, false, 1},
            {223, 243, Phase::transfer, false, 1},
            {243, 250, Phase::arbitration, false, 0},
            {250, 255, Phase::transfer, false, 0}});
  complete(0, 0, {{0, 10, Phase::firmware, false, 0}});  // from the buffer: no arm's
  // One that the second access above served, too.
  RequestRecord joined;
  joined.joined = true;
  const std::vector<Segment> same = {{250, 255, Phase::transfer, false, 0}};
  use.completed({joined, same, no_accesses});
  ASSERT_EQ(use.arms().size(), 2u);
  EXPECT_EQ(use.arms()[0].requests, 1u);
  EXPECT_EQ(use.arms()[0].seek, 5);
  EXPECT_EQ(use.arms()[0].wait, 107);
  EXPECT_EQ(use.arms()[0].transfer, 7);
  EXPECT_EQ(use.arms()[0].busy(), 119);
  EXPECT_EQ(use.arms()[1].requests, 1u);
  EXPECT_EQ(use.arms()[1].seek, 53);
  EXPECT_EQ(use.arms()[1].wait, 70);
  EXPECT_EQ(use.arms()[1].transfer, 20);
  EXPECT_EQ(use.arms()[1].seek_cylinders, 8u);
}

// A scenario may have a thousand drives, and each has statistics.
TEST(ResponseSamples, TakeNoAddressSpaceBeforeTheyAreFilled) {
  const auto mapped = [] {
    std::ifstream file("/proc/self/statm");
    std::uint64_t pages = 0;
    file >> pages;
    return pages * 4'096;
  };
  const std::uint64_t before = mapped();
  std::vector<ResponseSamples> all;
  for (int i = 0; i < 1'000; ++i) all.emplace_back(Statistics::kExactUpTo);
  EXPECT_LT(mapped() - before, 100'000'000u);
}

}  // namespace
}  // namespace armature::observe
