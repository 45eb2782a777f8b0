// Whole requests through host, link, firmware and mechanics, to the picosecond, against the documented equations.
#include "support/drive_bench.h"
#include "support/expected_times.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace armature {
namespace {

using testing::DriveBench;
using testing::ListSource;
using testing::read_request;
using testing::write_request;
using E = testing::ExpectedTimes;

constexpr std::int64_t kRegisterDwords = 5, kDmaSetupDwords = 7, kSdbDwords = 2, kActivateDwords = 1;
constexpr Ps kStart = 20 * kPsPerMs;  // firmware is up

std::int64_t data_dwords(std::int64_t sectors) {
  return 1 + sectors * 128;
}

testing::BenchParams params() {
  testing::BenchParams p;
  p.drive = testing::round_drive();
  return p;
}

Ps phase(const DriveBench::Finished& f, Phase which) {
  return f.record.phases[static_cast<std::size_t>(which)];
}

Ps sum(const DriveBench::Finished& f) {
  return std::accumulate(f.record.phases.begin(), f.record.phases.end(), Ps{0});
}

TEST(DriveTiming, AReadMissTakesWhatTheEquationsSay) {
  const std::int64_t lbn = 50 * 200 + 100 + 37;  // cylinder 50, head 1, sector 37
  ListSource source({read_request(kStart, static_cast<std::uint64_t>(lbn), 8)});
  DriveBench bench("bench", params(), source);
  bench.run();
  ASSERT_EQ(bench.finished.size(), 1u);
  const auto& f = bench.finished.at(0);
  ASSERT_TRUE(f.record.ok);

  const E::Place place = E::place(lbn);
  ASSERT_EQ(place.cylinder, 50);
  const Ps command_in = kStart + E::arrival(kRegisterDwords);
  const Ps committed = E::handled(command_in, E::kReadCommand);
  const Ps decision = E::decision_begins(committed);
  const Ps granted = E::granted(decision, 1);
  const Ps go = E::handled(granted, E::kGrant);
  const Ps on_track = go + E::move({0, 0, 0, 100, 100}, place);
  const Ps channel = E::handled(on_track, E::kServoReady);
  const Ps first = E::passage(place, channel);
  const Ps last = first + 8 * E::sector_time(place);
  const Ps dma = E::handled(last, E::kChannelDone);
  const Ps data_begins = dma + E::sender_again(kDmaSetupDwords);
  const Ps data_over = data_begins + E::end(data_dwords(8));
  const Ps complete = E::handled(data_over, E::kDmaDone);
  const Ps done = complete + E::arrival(kSdbDwords);

  EXPECT_EQ(f.record.completion, done);
  EXPECT_EQ(phase(f, Phase::host_queue), 0);
  EXPECT_EQ(phase(f, Phase::link_command), command_in - kStart);
  EXPECT_EQ(phase(f, Phase::firmware),
            (committed - command_in) + (go - granted) + (channel - on_track) + (dma - last) + (complete - data_over));
  EXPECT_EQ(phase(f, Phase::drive_queue), decision - committed);
  EXPECT_EQ(phase(f, Phase::arbitration), granted - decision);
  EXPECT_EQ(phase(f, Phase::seek), on_track - go);
  EXPECT_EQ(phase(f, Phase::write_settle), 0);
  EXPECT_EQ(phase(f, Phase::rotation), first - channel);
  EXPECT_EQ(phase(f, Phase::transfer), last - first);
  EXPECT_EQ(phase(f, Phase::link_wait) + phase(f, Phase::link_data), data_over - dma);
  EXPECT_EQ(phase(f, Phase::link_status), done - complete);
  EXPECT_EQ(sum(f), done - kStart);
  EXPECT_EQ(f.record.head, 1u);
  EXPECT_EQ(f.record.cylinder, 50u);
  EXPECT_EQ(f.record.seek_cylinders, 50u);
}

TEST(DriveTiming, AWriteFetchesItsDataUnderTheSeekAndSettlesLonger) {
  const std::int64_t lbn = 20'000 + 160 * 60 + 5;  // cylinder 160, head 0, sector 5 of zone 1
  ListSource source({write_request(kStart, static_cast<std::uint64_t>(lbn), 8)});
  DriveBench bench("bench", params(), source);
  bench.run();
  ASSERT_EQ(bench.finished.size(), 1u);
  const auto& f = bench.finished.at(0);
  ASSERT_TRUE(f.record.ok);

  const E::Place place = E::place(lbn);
  ASSERT_EQ(place.cylinder, 160);
  const Ps command_in = kStart + E::arrival(kRegisterDwords);
  const Ps committed = E::handled(command_in, E::kWriteCommand);
  const Ps granted = E::granted(E::decision_begins(committed), 1);
  const Ps go = E::handled(granted, E::kGrant);
  const Ps seek = E::move({0, 0, 0, 100, 100}, place);
  const Ps on_track = go + seek + 400 * kPsPerUs;
  const Ps channel = E::handled(on_track, E::kServoReady);
  const Ps first = E::passage(place, channel);
  const Ps last = first + 8 * E::sector_time(place);
  const Ps complete = E::handled(last, E::kChannelDone);
  const Ps done = complete + E::arrival(kSdbDwords);

  EXPECT_EQ(f.record.completion, done);
  EXPECT_EQ(phase(f, Phase::seek), seek);
  EXPECT_EQ(phase(f, Phase::write_settle), 400 * kPsPerUs);
  EXPECT_EQ(phase(f, Phase::rotation), first - channel);
  EXPECT_EQ(phase(f, Phase::transfer), last - first);
  EXPECT_EQ(phase(f, Phase::link_wait) + phase(f, Phase::link_data), 0);
  // DMA Setup, DMA Activate and the host's data frame, all under the seek.
  EXPECT_GE(f.record.link_overlapped,
            E::sender_again(kDmaSetupDwords) + E::arrival(kActivateDwords) + E::arrival(data_dwords(8)));
  EXPECT_LT(f.record.link_overlapped,
            E::sender_again(kDmaSetupDwords) + E::receiver_again(kActivateDwords) + E::end(data_dwords(8)) + kPsPerUs);
  EXPECT_EQ(sum(f), done - kStart);
}

/// One read over the last track of a cylinder, a head switch, a cylinder switch and the boundary of the zones.
TEST(DriveTiming, ASequentialStreamCrossesTrackCylinderAndZoneAsItsSkewsSay) {
  const std::int64_t first_lbn = 20'000 - 350, sectors = 700;
  ListSource source({read_request(kStart, static_cast<std::uint64_t>(first_lbn), static_cast<std::uint32_t>(sectors))});
  DriveBench bench("bench", params(), source);
  bench.run();
  ASSERT_EQ(bench.finished.size(), 1u);
  const auto& f = bench.finished.at(0);
  ASSERT_TRUE(f.record.ok);

  const Ps committed = E::handled(kStart + E::arrival(kRegisterDwords), E::kReadCommand);
  Ps go = E::handled(E::granted(E::decision_begins(committed), 1), E::kGrant);
  E::Place from{0, 0, 0, 100, 100};
  Ps over = 0, first_begins = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> tracks;
  std::int64_t last_run = 0;
  for (std::int64_t lbn = first_lbn; lbn < first_lbn + sectors;) {
    const E::Place place = E::place(lbn);
    last_run = std::min(place.left, first_lbn + sectors - lbn);
    const Ps channel = E::handled(go + E::move(from, place), E::kServoReady);
    const Ps begins = E::passage(place, channel);
    if (tracks.empty()) first_begins = begins;
    over = begins + last_run * E::sector_time(place);
    tracks.emplace_back(place.cylinder, place.head);
    go = E::handled(over, E::kChannelDone);
    from = place;
    lbn += last_run;
  }
  // Half a track, three whole ones of zone 0, then zone 1: the test does cross what it says.
  ASSERT_EQ(tracks, (std::vector<std::pair<std::int64_t, std::int64_t>>{
                        {98, 0}, {98, 1}, {99, 0}, {99, 1}, {100, 0}, {100, 1}, {101, 0}, {101, 1}, {102, 0}}));
  ASSERT_EQ(f.accesses.size(), tracks.size());
  for (std::size_t i = 0; i < tracks.size(); ++i) {
    EXPECT_EQ(f.accesses[i].access.cylinder, tracks[i].first) << i;
    EXPECT_EQ(f.accesses[i].access.head, tracks[i].second) << i;
  }
  EXPECT_EQ(f.record.first_sector, first_begins);
  EXPECT_EQ(f.accesses.back().access.done_at, over);
  // The last run goes over the link in frames of at most 16 sectors, the others have gone before.
  Ps at = go + E::sender_again(kDmaSetupDwords);
  for (std::int64_t left = last_run; left > 0; left -= 16) {
    const std::int64_t part = std::min<std::int64_t>(left, 16);
    at += left > 16 ? E::sender_again(data_dwords(part)) : E::end(data_dwords(part));
  }
  const Ps done = E::handled(at, E::kDmaDone) + E::arrival(kSdbDwords);
  EXPECT_EQ(f.record.completion, done);
  EXPECT_EQ(sum(f), done - kStart);
  // No skew was too short: from the first sector on, the stream loses only its skews.
  EXPECT_EQ(f.record.missed_revolutions, 0u);
}

/// Thirty-two commands wait while a thirty-third is under way; the arbitration unit serves them by policy.
class QueueOf32 : public ::testing::TestWithParam<arbiter::Policy> {};

TEST_P(QueueOf32, IsServedInTheOrderAndAtTheTimesThatThePolicySays) {
  const bool sptf = GetParam() == arbiter::Policy::sptf;
  std::vector<workload::Request> requests;
  const auto lbn_of = [](std::size_t i) { return static_cast<std::int64_t>((i * 7'919 + 131) % 35'000 / 4 * 4); };
  constexpr std::size_t kCount = 32;
  for (std::size_t i = 0; i < kCount; ++i)
    requests.push_back(read_request(kStart, static_cast<std::uint64_t>(lbn_of(i)), 4));
  testing::BenchParams p = params();
  p.drive.arbiter.policy = GetParam();
  ListSource source(requests);
  DriveBench bench("bench", p, source);
  bench.run();
  ASSERT_EQ(bench.finished.size(), kCount);

  // The first command is granted alone, before the others have come in; by its end (a seek later) all wait.
  std::vector<std::size_t> waiting(kCount - 1);
  std::iota(waiting.begin(), waiting.end(), std::size_t{1});
  ASSERT_EQ(bench.order.front(), 0u);
  E::Place arm = E::place(lbn_of(0));
  Ps idle_at = E::handled(bench.finished.at(0).accesses.at(0).access.done_at, E::kChannelDone);
  for (std::size_t served = 1; served < kCount; ++served) {
    std::set<std::size_t> rows;
    for (const std::size_t tag : waiting) rows.insert(tag / 4);
    const Ps granted = E::granted(E::decision_begins(idle_at, 1), static_cast<std::int64_t>(rows.size()));
    const Ps go = E::handled(granted, E::kGrant);
    const auto first_sector = [&](std::size_t i) {
      const E::Place place = E::place(lbn_of(i));
      return E::passage(place, E::handled(go + E::move(arm, place), E::kServoReady));
    };
    const std::size_t id = bench.order[served];
    const auto found = std::find(waiting.begin(), waiting.end(), id);
    ASSERT_NE(found, waiting.end());
    if (sptf) {
      // The unit counts in ticks of 1/65,536 turn and keeps a margin: nobody else could have been earlier by more than
      // two ticks, unless within the margin of missing its sector.
      for (const std::size_t other : waiting) {
        const E::Place place = E::place(lbn_of(other));
        const Ps slack = first_sector(other) - E::handled(go + E::move(arm, place), E::kServoReady);
        if (slack > 5 * kPsPerUs) {
          EXPECT_LE(first_sector(id), first_sector(other) + 2 * E::kTurn / 65'536) << id << " went before " << other;
        }
      }
    } else {
      EXPECT_EQ(id, served) << "first come, first served";
    }
    const E::Place place = E::place(lbn_of(id));
    const Ps begins = first_sector(id);
    const auto& f = bench.finished.at(id);
    EXPECT_EQ(f.record.first_sector, begins) << "request " << id;
    // A data frame of an earlier request may keep the link for a while; this one's is over when the next seek still
    // runs.
    const Ps dma = E::handled(begins + 4 * E::sector_time(place), E::kChannelDone);
    const Ps done = E::handled(dma + E::sender_again(kDmaSetupDwords) + E::end(data_dwords(4)), E::kDmaDone) +
                    E::arrival(kSdbDwords);
    EXPECT_EQ(f.record.completion, done) << "request " << id;
    EXPECT_EQ(sum(f), done - kStart);
    idle_at = dma;
    arm = place;
    waiting.erase(found);
  }
}

INSTANTIATE_TEST_SUITE_P(Policy, QueueOf32, ::testing::Values(arbiter::Policy::fcfs, arbiter::Policy::sptf),
                         [](const auto& test) { return test.param == arbiter::Policy::fcfs ? "Fcfs" : "Sptf"; });

}  // namespace
}  // namespace armature
