#include "support/host_bench.h"
#include "support/recording_sinks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::host {
namespace {

using ::testing::ElementsAre;
using testing::HostBench;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::request;
using testing::ScriptedDevice;
using Event = testing::RecordingListener::Event;

HostParams with_depth(std::int64_t depth, Policy policy = Policy::fcfs) {
  HostParams params;
  params.depth = depth;
  params.policy = policy;
  return params;
}

TEST(HostQueue, KeepsAtMostItsDepthAtTheDrive) {
  HostBench bench(with_depth(5));
  for (unsigned i = 0; i < 50; ++i) bench.source.requests.push_back(request(0, i * 8));
  bench.run();
  EXPECT_EQ(bench.device.most_outstanding, 5u);
  EXPECT_EQ(bench.queue.completed(), 50u);
  EXPECT_EQ(bench.queue.arrived(), 50u);
}

TEST(HostQueue, ReportsArrivalDispatchAndCompletionWithTheirTimes) {
  HostBench bench(with_depth(1));
  bench.source.requests = {request(kPsPerMs, 8), request(kPsPerMs + 10, 16)};
  bench.run();
  const Ps first = bench.listener.find('C', 0).at;
  const Ps second = bench.listener.find('C', 1).at;
  EXPECT_THAT(bench.listener.events, ElementsAre(Event{'A', 0, 0, kPsPerMs, {}}, Event{'D', 0, 0, kPsPerMs, {}},
                                                 Event{'A', 1, 0, kPsPerMs + 10, {}}, Event{'C', 0, 0, first, {}},
                                                 Event{'D', 1, 0, first, {}}, Event{'C', 1, 0, second, {}}));
  EXPECT_THAT(bench.finished, ElementsAre(second));
  EXPECT_TRUE(bench.queue.finished());
}

TEST(HostQueue, TakesTheLowestFreeTag) {
  HostBench bench(with_depth(3));
  // Tag 1 is free first.
  bench.device.service_time = [](const ScriptedDevice::Command& c) {
    return (c.registers.lba == HostLba(8) ? 100 : 900) * kPsPerUs;
  };
  for (unsigned i = 0; i < 4; ++i) bench.source.requests.push_back(request(0, i * 8));
  bench.run();
  EXPECT_EQ(bench.listener.find('D', 2).tag, 2u);
  EXPECT_EQ(bench.listener.find('D', 3).tag, 1u);
}

TEST(HostQueue, ASourceWithoutRequestsIsFinishedAtOnce) {
  HostBench bench;
  bench.run();
  EXPECT_THAT(bench.finished, ElementsAre(0));
}

HostParams batching(double batch_s, std::int64_t requests = 0) {
  HostParams params = with_depth(4);
  params.batch_s = batch_s;
  params.batch_requests = requests;
  return params;
}

TEST(HostQueue, RequestsWaitForOthersWhileNothingIsAtTheDrive) {
  HostBench bench(batching(0.1));
  bench.source.requests = {request(10 * kPsPerMs, 0), request(60 * kPsPerMs, 8), request(400 * kPsPerMs, 16)};
  bench.run();
  EXPECT_EQ(bench.listener.find('D', 0).at, 110 * kPsPerMs) << "the oldest has waited for 0.1 s";
  EXPECT_EQ(bench.listener.find('D', 1).at, 110 * kPsPerMs) << "in the same batch";
  EXPECT_EQ(bench.listener.find('D', 2).at, 500 * kPsPerMs) << "a batch of its own";
  EXPECT_THAT(bench.finished, ElementsAre(bench.listener.find('C', 2).at));
}

TEST(HostQueue, AFullBatchEndsTheWait) {
  HostBench full(batching(0.1, 2));
  full.source.requests = {request(10 * kPsPerMs, 0), request(60 * kPsPerMs, 8), request(61 * kPsPerMs, 16, 8)};
  full.run();
  EXPECT_EQ(full.listener.find('D', 0).at, 60 * kPsPerMs);
  EXPECT_EQ(full.listener.find('D', 2).at, 161 * kPsPerMs) << "nothing is at the drive any more";
}

TEST(HostQueue, AFlushEndsTheWaitOfABatch) {
  HostBench bench(batching(0.1));
  bench.source.requests = {request(10 * kPsPerMs, 0), request(30 * kPsPerMs, 0, 0, Operation::flush)};
  bench.run();
  EXPECT_EQ(bench.listener.find('D', 0).at, 30 * kPsPerMs);
}

TEST(HostQueue, WhatComesWhileABatchIsServedGoesWithIt) {
  HostBench bench(batching(0.1));
  bench.device.service_time = [](const ScriptedDevice::Command&) { return 20 * kPsPerMs; };
  bench.source.requests = {request(0, 0), request(105 * kPsPerMs, 8)};
  bench.run();
  EXPECT_EQ(bench.listener.find('D', 1).at, 105 * kPsPerMs);
}

TEST(HostQueue, ABatchOfSoManyNeedsALongestWait) {
  HostParams params;
  params.batch_requests = 4;
  EXPECT_THROW(params.in_flight_limit(), InputError);
}

/// At one instant a request completes and a better one arrives: the dispatch of that instant knows both.
class SameInstant : public ::testing::TestWithParam<Ps> {};

TEST_P(SameInstant, AnArrivalAtTheInstantOfACompletionTakesPartInItsDispatch) {
  const Ps before = GetParam();
  testing::TestOracle oracle;
  HostBench bench(with_depth(1, Policy::sstf), oracle);
  // A 4 KB read completes 115,706,668 ps after its dispatch on an idle link (host_bus_adapter_test.cpp).
  constexpr Ps kService = 115'706'668;
  bench.source.requests = {request(0, 0), request(10, 90'000), request(kService - before, 100)};
  bench.run();
  EXPECT_EQ(bench.listener.find('C', 0).at, kService);
  if (before >= 0)
    EXPECT_THAT(bench.listener.order('D'), ElementsAre(0, 2, 1)) << "the near one, also if it arrives at that instant";
  else
    EXPECT_THAT(bench.listener.order('D'), ElementsAre(0, 1, 2)) << "a picosecond later is too late";
}

INSTANTIATE_TEST_SUITE_P(Around, SameInstant, ::testing::Values(1, 0, -1));

TEST(HostQueue, CompletionsOfAnInstantComeBeforeItsArrivals) {
  HostBench bench(with_depth(1));
  bench.source.requests = {request(0, 0), request(115'706'668, 100)};
  bench.run();
  EXPECT_EQ(bench.listener.events[2].what, 'C');
  EXPECT_EQ(bench.listener.events[3].what, 'A');
  EXPECT_EQ(bench.listener.events[2].at, bench.listener.events[3].at);
}

TEST(HostQueue, RequestsOfOneInstantAreDispatchedInTheOrderOfThePolicy) {
  HostBench bench(with_depth(0, Policy::clook));
  for (const std::uint64_t lbn : {500u, 100u, 900u, 300u, 700u})
    bench.source.requests.push_back(request(kPsPerMs, lbn));
  bench.run();
  EXPECT_THAT(bench.listener.order('D'), ElementsAre(1, 3, 0, 4, 2));
}

TEST(HostQueue, AFlushWaitsForAllOlderRequestsAndHoldsBackYoungerOnes) {
  HostBench bench(with_depth(4));
  bench.source.requests = {request(0, 8),
                           request(0, 16),
                           request(0, 0, 0, Operation::flush),
                           request(0, 24),
                           request(0, 0, 0, Operation::flush),
                           request(0, 32),
                           request(0, 40)};
  bench.run();
  const auto at = [&](char what, unsigned id) { return bench.listener.find(what, id).at; };
  EXPECT_GE(at('D', 2), std::max(at('C', 0), at('C', 1)));
  EXPECT_GE(at('D', 3), at('C', 2));
  EXPECT_GE(at('D', 4), at('C', 3));
  EXPECT_GE(at('D', 5), at('C', 4));
  EXPECT_EQ(at('D', 5), at('D', 6));
  EXPECT_EQ(bench.listener.find('D', 2).tag, 0u);
  EXPECT_EQ(bench.device.commands[2].registers.command, 0xEA);
  EXPECT_EQ(bench.queue.completed(), 7u);
}

TEST(HostQueue, AFlushIsABarrierForEveryPolicy) {
  HostBench bench(with_depth(1, Policy::clook));
  bench.source.requests = {request(0, 900), request(0, 800), request(0, 0, 0, Operation::flush), request(0, 1)};
  bench.run();
  EXPECT_THAT(bench.listener.order('D'), ElementsAre(1, 0, 2, 3));
}

TEST(HostQueue, AClosedSourceIsAskedAgainWhenARequestHasCompleted) {
  HostBench bench;
  bench.source.think = 5 * kPsPerMs;
  for (unsigned i = 0; i < 4; ++i) bench.source.requests.push_back(request(0, i * 8));
  bench.run();
  EXPECT_EQ(bench.queue.completed(), 4u);
  for (unsigned i = 1; i < 4; ++i)
    EXPECT_EQ(bench.listener.find('A', i).at, bench.listener.find('C', i - 1).at + 5 * kPsPerMs) << i;
  EXPECT_EQ(bench.source.completions.size(), 4u);
  EXPECT_EQ(bench.device.most_outstanding, 1u);
}

TEST(HostQueue, WithoutThinkTimeTheNextRequestArrivesAtTheCompletion) {
  HostBench bench;
  bench.source.think = 0;
  for (unsigned i = 0; i < 3; ++i) bench.source.requests.push_back(request(0, i * 8));
  bench.run();
  EXPECT_EQ(bench.listener.find('D', 1).at, bench.listener.find('C', 0).at);
  EXPECT_EQ(bench.listener.find('D', 2).at, bench.listener.find('C', 1).at);
}

TEST(HostQueue, ARequestFetchedAheadArrivesEarlierWhenACompletionMakesItSo) {
  HostBench bench;
  bench.source.requests = {request(0, 0), request(kPsPerSecond, 8)};
  bench.source.on_revise = [](workload::Request& ahead) {
    if (ahead.arrival != kPsPerSecond) return false;
    ahead.arrival = kPsPerMs;
    return true;
  };
  bench.run();
  EXPECT_EQ(bench.listener.find('A', 1).at, kPsPerMs);
}

TEST(HostQueue, ABrokenInputStopsTheSimulationAndIsHandedOn) {
  HostBench bench;
  bench.source.breaks = true;
  bench.source.requests = {request(0, 0), request(kPsPerMs, 8)};
  sc_core::sc_start();
  EXPECT_EQ(sc_core::sc_get_status(), sc_core::SC_STOPPED);
  try {
    bench.queue.rethrow_input_error();
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.place().file, "trace.csv");
    EXPECT_EQ(error.place().line, 7u);
  }
  EXPECT_THAT(bench.finished, IsEmpty());
}

TEST(HostQueue, ASourceThatGoesBackInTimeIsAModelsMistake) {
  HostBench bench;
  bench.source.requests = {request(kPsPerMs, 0), request(0, 8)};
  EXPECT_THROW(sc_core::sc_start(), sc_core::sc_report);
}

TEST(HostQueue, RefusesADepthAboveItsTags) {
  HostParams params;
  params.tags = 4;
  params.depth = 5;
  EXPECT_THROW(params.in_flight_limit(), InputError);
  params.depth = 4;
  EXPECT_EQ(params.in_flight_limit(), 4u);
  params.depth = 0;
  EXPECT_EQ(params.in_flight_limit(), 4u);
  params.ncq = false;
  EXPECT_EQ(params.in_flight_limit(), 1u);
}

TEST(HostQueue, ShowsItsLengthAndWhatIsAtTheDrive) {
  testing::RecordingProbes probes;
  BlockContext context;
  context.probes = &probes;
  HostBench bench(with_depth(1), {}, context);
  bench.source.requests = {request(10, 0), request(10, 8)};
  bench.run();
  const Ps first = bench.listener.find('C', 0).at;
  EXPECT_THAT(probes.changes["host.queue_length"], ::testing::Contains(Pair(10, "1")));
  EXPECT_EQ(probes.changes["host.queue_length"].back(),
            std::make_pair(bench.listener.find('C', 1).at, std::string("0")));
  EXPECT_THAT(probes.changes["host.queue_length"], ::testing::Contains(Pair(first, "0")));
  EXPECT_THAT(probes.changes["host.outstanding"], ::testing::Contains(Pair(10, "1")));
}

}  // namespace
}  // namespace armature::host
