#include "armature/core/kernel_time.h"
#include "armature/core/random.h"
#include "support/host_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace armature::host {
namespace {

using ::testing::ElementsAre;
using testing::HostBench;
using testing::request;
using testing::ScriptedDevice;

constexpr std::uint8_t kIdnf = 0x10;
constexpr std::uint8_t kAbrt = 0x04;

std::vector<unsigned> codes(const HostBench& bench) {
  std::vector<unsigned> result;
  for (const auto& command : bench.device.commands) result.push_back(command.registers.command);
  return result;
}

/// Eight reads at once; the one of LBN 800 fails.
struct Recovery : ::testing::Test {
  Recovery() {
    for (unsigned i = 0; i < 8; ++i) bench.source.requests.push_back(request(0, i * 160));
    bench.device.failing[800] = kIdnf;
  }
  HostBench bench;
};

TEST_F(Recovery, OnlyTheRequestThatTheErrorLogNamesFails) {
  bench.run();
  EXPECT_EQ(bench.queue.completed(), 8u);
  for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(bench.listener.find('C', i).status.ok, i != 5) << i;
  EXPECT_EQ(bench.listener.find('C', 5).status.error, kIdnf);
  EXPECT_EQ(bench.listener.find('C', 5).status.status, 0x41);
  EXPECT_EQ(bench.adapter.counters().recoveries, 1u);
  EXPECT_EQ(bench.finished.size(), 1u);
}

TEST_F(Recovery, TheOthersGoOutAgainInTheirOldOrderAfterTheLogHasBeenRead) {
  bench.run();
  // Served one after the other: 0 to 4 completed before 5 failed; 6 and 7 were dropped with it.
  EXPECT_THAT(codes(bench), ElementsAre(0x60, 0x60, 0x60, 0x60, 0x60, 0x60, 0x60, 0x60, 0x2F, 0x60, 0x60));
  EXPECT_EQ(bench.device.commands[8].registers.lba.value() & 0xFF, 0x10u) << "log 10h";
  EXPECT_EQ(bench.device.commands[8].registers.count, 1);
  EXPECT_EQ(bench.device.commands[9].registers.lba, HostLba(960));
  EXPECT_EQ(bench.device.commands[10].registers.lba, HostLba(1'120));
  EXPECT_EQ(bench.adapter.counters().reissued, 2u);
  EXPECT_THAT(bench.listener.order('C'), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST_F(Recovery, TheFailedRequestCompletesWhenItsLogHasArrived) {
  bench.run();
  // READ LOG EXT is served after 100 us; PIO Setup (8 dwords; next X_RDY after 13 dwords + 4 L = 573,334), then 512
  // bytes: 132 dwords arrive after 134 dwords = 1,786,667 + 3 L.
  EXPECT_EQ(bench.listener.find('C', 5).at,
            bench.device.commands[8].at + 100 * kPsPerUs + 573'334 + 1'786'667 + 300'000);
}

TEST_F(Recovery, AnErrorInTheAcceptingFrameIsAnErrorOfTheQueueToo) {
  bench.device.fails_on_acceptance = true;
  bench.device.service_time = [](const ScriptedDevice::Command&) { return kPsPerMs; };
  bench.run();
  EXPECT_EQ(bench.queue.completed(), 8u);
  EXPECT_FALSE(bench.listener.find('C', 5).status.ok);
  EXPECT_EQ(bench.listener.find('C', 5).status.error, kIdnf);
  // 0 to 4 were outstanding and come again; 6 and 7 had not been sent yet and go behind them.
  EXPECT_THAT(codes(bench),
              ElementsAre(0x60, 0x60, 0x60, 0x60, 0x60, 0x60, 0x2F, 0x60, 0x60, 0x60, 0x60, 0x60, 0x60, 0x60));
  EXPECT_EQ(bench.device.commands[7].registers.lba, HostLba(0));
  EXPECT_EQ(bench.device.commands[13].registers.lba, HostLba(1'120));
}

TEST_F(Recovery, ALogThatFailsIsAskedForThreeTimes) {
  bench.device.log_failures = 2;
  bench.run();
  EXPECT_EQ(bench.listener.find('C', 5).status.error, kIdnf);
  EXPECT_TRUE(bench.listener.find('C', 6).status.ok);
  EXPECT_THAT(codes(bench), ElementsAre(0x60, 0x60, 0x60, 0x60, 0x60, 0x60, 0x60, 0x60, 0x2F, 0x2F, 0x2F, 0x60, 0x60));
}

TEST_F(Recovery, WithoutALogEveryOutstandingRequestFailsWithTheFirstError) {
  bench.device.log_failures = 3;
  sc_core::sc_start();
  for (unsigned i : {5u, 6u, 7u}) {
    EXPECT_FALSE(bench.listener.find('C', i).status.ok) << i;
    EXPECT_EQ(bench.listener.find('C', i).status.error, kIdnf) << i;
  }
  EXPECT_TRUE(bench.listener.find('C', 4).status.ok);
  EXPECT_EQ(bench.queue.completed(), 8u);
}

TEST_F(Recovery, ADamagedLogBlamesNobodyAndAllFail) {
  bench.device.log_is_damaged = true;
  bench.device.service_time = [](const ScriptedDevice::Command& c) {
    return c.registers.lba == HostLba(800) ? 50 * kPsPerUs : 500 * kPsPerUs;  // all are outstanding when it fails
  };
  sc_core::sc_start();
  for (unsigned i = 0; i < 8; ++i) {
    EXPECT_FALSE(bench.listener.find('C', i).status.ok) << i;
    EXPECT_EQ(bench.listener.find('C', i).status.error, kIdnf) << i;
  }
}

TEST_F(Recovery, ARequestWhoseDataHadMovedStartsAnew) {
  bench.device.failing.clear();
  bench.source.requests.resize(2);
  unsigned served = 0;
  bench.device.service_time = [&](const ScriptedDevice::Command&) {
    return served++ < 2 ? kPsPerSecond : 100 * kPsPerUs;  // the test serves the first two itself
  };
  sc_core::sc_start(to_sc_time(kPsPerMs));
  bench.device.send_now(sata::DmaSetup{1, true, false, false, 0, 2'048});
  bench.device.send_data_now(2'048);
  bench.device.fail_now(0, kIdnf);
  bench.run();
  EXPECT_FALSE(bench.listener.find('C', 0).status.ok);
  EXPECT_TRUE(bench.listener.find('C', 1).status.ok) << "its 4,096 bytes counted from the beginning";
  EXPECT_EQ(bench.adapter.counters().reissued, 1u);
}

TEST_F(Recovery, ALogAboutAnUnqueuedCommandBlamesNobodyAndAllFail) {
  bench.device.log_blames_nobody = true;
  sc_core::sc_start();
  for (unsigned i : {5u, 6u, 7u}) EXPECT_FALSE(bench.listener.find('C', i).status.ok) << i;
  EXPECT_EQ(bench.queue.completed(), 8u);
}

TEST_F(Recovery, ACommandOnItsWayWhenTheErrorComesIsIssuedAgain) {
  // Request 8 arrives so that its X_RDY meets that of the error's frame: all eight commands are out after 8 periods of
  // 2 x 673,334 (a frame and the turnaround, twice); nothing is served before, and the error comes first.
  bench.device.service_time = [](const ScriptedDevice::Command& c) {
    return c.registers.lba == HostLba(800) ? 50 * kPsPerUs : 500 * kPsPerUs;
  };
  const Ps error_at = 5 * 2 * 673'334 + 433'334 + 50 * kPsPerUs;
  bench.source.requests.push_back(request(error_at - 50'000, 5'000));
  bench.run();
  EXPECT_EQ(bench.link.counters().collisions, 1u);
  EXPECT_EQ(codes(bench)[8], 0x60u) << "it reaches the drive after the error, and before the log is read";
  EXPECT_EQ(codes(bench)[9], 0x2Fu);
  EXPECT_EQ(bench.queue.completed(), 9u);
  EXPECT_TRUE(bench.listener.find('C', 8).status.ok);
  EXPECT_FALSE(bench.listener.find('C', 5).status.ok);
}

TEST(RecoveryOfUnqueued, AnErrorOfAnUnqueuedCommandConcernsItAlone) {
  HostParams params;
  params.ncq = false;
  HostBench bench(params);
  bench.device.failing[160] = kAbrt;
  for (unsigned i = 0; i < 3; ++i) bench.source.requests.push_back(request(0, i * 160));
  bench.run();
  EXPECT_TRUE(bench.listener.find('C', 0).status.ok);
  EXPECT_FALSE(bench.listener.find('C', 1).status.ok);
  EXPECT_EQ(bench.listener.find('C', 1).status.error, kAbrt);
  EXPECT_TRUE(bench.listener.find('C', 2).status.ok);
  EXPECT_EQ(bench.adapter.counters().recoveries, 0u);
}

/// Any mixture of reads, writes, flushes and errors, at each policy: every request completes once and none before it
/// arrives, the bad ones fail and no other, and nobody breaks the protocol.
class Storm : public ::testing::TestWithParam<std::tuple<int, bool, unsigned>> {};

TEST_P(Storm, EveryRequestCompletesOnceAndOnlyTheBadOnesFail) {
  const auto [policy, ncq, tags] = GetParam();
  HostParams params;
  params.policy = static_cast<Policy>(policy);
  params.ncq = ncq;
  params.tags = tags;
  testing::TestOracle oracle;
  HostBench bench(params, oracle);
  RandomStream random(tags, "storm");
  bench.device.keeps_failing = true;
  bench.device.service_time = [&](const ScriptedDevice::Command&) {
    return static_cast<Ps>(5 + random.below(200)) * kPsPerUs;
  };
  bench.device.accept_delay = kPsPerUs / 3;
  Ps at = 0;
  constexpr unsigned kRequests = 1'500;
  for (unsigned i = 0; i < kRequests; ++i) {
    at += random.chance(0.3) ? static_cast<Ps>(random.below(300)) * kPsPerUs : 0;
    const bool flush = random.chance(0.02);
    auto r = request(at, random.below(1'000'000), flush ? 0 : 1 + static_cast<std::uint32_t>(random.below(40)),
                     flush ? Operation::flush : (random.chance(0.5) ? Operation::read : Operation::write));
    if (flush) r.lbn = 0;
    if (!flush && random.chance(0.01)) bench.device.failing[r.lbn] = kIdnf;
    bench.source.requests.push_back(r);
  }
  bench.device.failing.erase(0);
  const auto failing = bench.device.failing;
  bench.run();

  EXPECT_EQ(bench.queue.completed(), kRequests);
  EXPECT_EQ(bench.finished.size(), 1u);
  EXPECT_LE(bench.device.most_outstanding, ncq ? tags : 1u);
  std::vector<int> completions(kRequests);
  for (const auto& event : bench.listener.events) {
    ASSERT_GE(event.at, bench.source.requests[event.id].arrival);
    if (event.what != 'C') continue;
    ++completions[event.id];
    ASSERT_EQ(event.status.ok, failing.count(bench.source.requests[event.id].lbn) == 0) << event.id;
  }
  EXPECT_THAT(completions, ::testing::Each(1));
  if (ncq) {
    EXPECT_GT(bench.adapter.counters().recoveries, 5u);
  }
  EXPECT_EQ(bench.adapter.counters().nonsense, 0u);
}

INSTANTIATE_TEST_SUITE_P(Policies, Storm,
                         ::testing::Values(std::make_tuple(0, true, 1u), std::make_tuple(0, true, 32u),
                                           std::make_tuple(1, true, 32u), std::make_tuple(2, true, 4u),
                                           std::make_tuple(3, true, 32u), std::make_tuple(4, true, 16u),
                                           std::make_tuple(0, true, 1'024u), std::make_tuple(1, false, 32u)));

}  // namespace
}  // namespace armature::host
