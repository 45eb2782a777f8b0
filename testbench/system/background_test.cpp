// Media scan and recalibration: when they run, what they find, and what they cost a request.
#include "armature/core/kernel_time.h"
#include "contents_bench.h"
#include "support/expected_times.h"
#include "support/recording_sinks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

namespace armature::testing {
namespace {

using E = ExpectedTimes;
using Change = std::pair<Ps, std::string>;

constexpr Ps kTimer = 530;  // cycles of the handler, entry included

BenchParams params() {
  BenchParams p;
  p.drive = round_drive();
  return p;
}

/// Times at which a component entered a state.
std::vector<Ps> entered(const RecordingStates& states, const std::string& path, const std::string& state) {
  std::vector<Ps> times;
  for (const Change& change : states.changes.at(path))
    if (change.second == state) times.push_back(change.first);
  return times;
}

TEST(Background, TheScanBeginsAfterItsIdleTimeAndReadsTrackAfterTrack) {
  BenchParams p = params();
  p.drive.background.scan_idle_ms = 50;
  p.drive.background.scan_step_sectors = 1'000;  // more than a track
  ListSource source({read_request(20 * kPsPerMs, 0, 1), read_request(200 * kPsPerMs, 30'000, 1)});
  RecordingStates states;
  DriveBench bench("bench", p, source, nullptr, &states);
  sc_core::sc_start(to_sc_time(250 * kPsPerMs));
  // The drive opens at time 0 or so, then the first request comes and ends; 50 ms later the scan begins.
  const Ps completed = bench.finished.at(0).record.completion - E::arrival(2);  // Set Device Bits
  const Ps due = E::handled(completed + 50 * kPsPerMs, kTimer);
  const Ps granted = E::handled(E::granted(E::decision_begins(due), 1), E::kGrant);
  const std::vector<Ps> waits = entered(states, "bench.disk.chn0", "wait");
  const std::vector<Ps> transfers = entered(states, "bench.disk.chn0", "transfer");
  ASSERT_GE(transfers.size(), 4u);
  // It is on the track; the first access takes all of it.
  Ps go = E::handled(granted, E::kServoReady);
  EXPECT_EQ(waits[1], go);
  for (std::size_t track = 0; track < 3; ++track) {
    const E::Place place = E::place(static_cast<std::int64_t>(track) * 100);
    EXPECT_EQ(transfers[1 + track], E::passage(place, go)) << track;
    const Ps done = E::passage(place, go) + E::kTurn;
    const Ps move = E::handled(done, E::kChannelDone);
    go = E::handled(move + E::move(place, E::place(static_cast<std::int64_t>(track + 1) * 100)), E::kServoReady);
  }
}

TEST(Background, ARequestWaitsForTheSectorThatIsPassingAtMost) {
  BenchParams p = params();
  p.drive.background.scan_idle_ms = 5;
  std::vector<workload::Request> requests;
  RandomStream random(5, "scan");
  Ps at = 20 * kPsPerMs;
  for (int n = 0; n < 200; ++n) {
    requests.push_back(read_request(at, random.below(36'000 - 8), 8));
    at += 40 * kPsPerMs + static_cast<Ps>(random.below(40 * kPsPerMs));
  }
  ListSource source(requests);
  RecordingStates states;
  DriveBench bench("bench", p, source, nullptr, &states);
  sc_core::sc_start(to_sc_time(at));
  ASSERT_EQ(bench.finished.size(), requests.size());
  const auto& channel = states.changes.at("bench.disk.chn0");
  unsigned in_a_sector = 0;
  for (const auto& [id, f] : bench.finished) {
    ASSERT_FALSE(f.accesses.empty());
    const Ps decoded = E::handled(f.record.dispatched + E::arrival(5), E::kReadCommand);
    // What was the channel about when the command had been decoded?
    const auto after = std::upper_bound(channel.begin(), channel.end(), decoded,
                                        [](Ps t, const Change& change) { return t < change.first; });
    const bool scanned = after != channel.begin() && (after - 1)->second == "transfer" && after != channel.end();
    if (scanned) {
      ++in_a_sector;
      EXPECT_LE(after->first - decoded, E::kTurn / 80) << id << ": a sector at most";
    }
    // An arm on its way cannot be stopped: then it comes to rest, from one track to the next.
    const Ps rest = scanned ? after->first : decoded;
    EXPECT_LE(f.accesses[0].move_at - rest, E::kTurn / 80 + 2 * kPsPerMs) << id;
  }
  EXPECT_GT(in_a_sector, 50u);
}

TEST(Background, TheScanKeepsToItsRateAndGoesOnWhereItWas) {
  BenchParams p = params();
  p.drive.background.scan_idle_ms = 10;
  p.drive.background.scan_step_sectors = 96;
  p.drive.background.scan_rate_mb_s = 0.96;  // a step in 51.2 ms
  ListSource source({read_request(0, 35'000, 1), read_request(2 * kPsPerSecond, 35'000, 1)});
  RecordingStates states;
  DriveBench bench("bench", p, source, nullptr, &states);
  sc_core::sc_start(to_sc_time(4 * kPsPerSecond));
  const double bytes = bench.disk().counters().scanned_sectors * 512.0;
  EXPECT_NEAR(bytes / 4, 0.96e6, 0.96e6 * 0.06) << "each track's last step is a short one, two idle times";
  EXPECT_LT(bench.disk().counters().background_time, 2 * kPsPerSecond);
  EXPECT_GT(bench.disk().counters().background_time, kPsPerSecond / 2);
}

TEST(Background, TheScanFindsWhatCannotBeReadAndBeginsAgainAtTheEnd) {
  BenchParams p = params();
  p.drive.media.contents = media::ContentsParams::memory;
  p.drive.background.scan_idle_ms = 10;
  p.drive.faults = {drive::grown_defect(0), drive::grown_defect(505), drive::grown_defect(506),
                    drive::grown_defect(20'050), drive::grown_defect(35'999)};
  ListSource source({read_request(0, 100, 1), write_request(12 * kPsPerSecond, 500, 10)});
  DriveBench bench("bench", p, source);
  // 36,000 sectors on 400 tracks: a turn and the skew each, some 5 s.
  sc_core::sc_start(to_sc_time(8 * kPsPerSecond));
  EXPECT_GE(bench.disk().counters().scan_passes, 1u);
  EXPECT_EQ(bench.disk().counters().pending_sectors, 5u);
  EXPECT_FALSE(bench.disk().failed());
}

TEST(Background, RecalibrationGoesToItsTrackAndBack) {
  BenchParams p = params();
  p.drive.background.recalibration_s = 1;
  p.drive.background.recalibration_ms = 30;
  p.drive.background.recalibration_cylinder = 150;
  ListSource source({read_request(0, 50 * 200, 1)});
  RecordingStates states;
  DriveBench bench("bench", p, source, nullptr, &states);
  sc_core::sc_start(to_sc_time(kPsPerSecond * 5 / 2));
  const auto& arm = states.changes.at("bench.disk.srv0");
  ASSERT_GE(arm.size(), 8u);
  const Ps seek = kPsPerMs + 99 * 10 * kPsPerUs;
  for (const std::size_t first : {arm.size() - 8, arm.size() - 4}) {
    const Ps go = arm[first].first;
    EXPECT_EQ(arm[first + 1].first, go + seek);
    const Ps there = E::handled(go + seek, E::kServoReady);
    const Ps back = E::handled(there + 30 * kPsPerMs, kTimer);
    EXPECT_EQ(arm[first + 2].first, back);
    EXPECT_EQ(arm[first + 3].first, back + seek);
  }
  EXPECT_NEAR(to_seconds(arm[arm.size() - 4].first - arm[arm.size() - 8].first), 1, 1e-5);
  EXPECT_EQ(bench.disk().counters().recalibrations, 2u);
}

class RecalibrationOfArms : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Requests, RecalibrationOfArms, ::testing::Values(1, 20, 1'500));

TEST_P(RecalibrationOfArms, EachOnceAPeriodWhetherItIsIdleOrNot) {
  BenchParams p = params();
  p.drive.arms.count = 4;
  p.drive.background.recalibration_s = 1;
  p.drive.background.recalibration_ms = 30;
  p.drive.background.recalibration_wait_ms = 100;
  p.drive.background.recalibration_cylinder = 150;
  std::vector<workload::Request> requests;
  RandomStream random(9, "recalibration of arms");
  for (std::size_t n = 0; n < GetParam(); ++n) requests.push_back(read_request(0, random.below(20'000), 1));
  ListSource source(requests);
  RecordingStates states;
  DriveBench bench("bench", p, source, nullptr, &states);
  sc_core::sc_start(to_sc_time(kPsPerSecond * 59 / 20));
  EXPECT_EQ(bench.finished.size(), requests.size());
  EXPECT_EQ(bench.disk().counters().recalibrations, 8u);
  for (const char* const name : {"bench.disk.srv0", "bench.disk.srv1", "bench.disk.srv2", "bench.disk.srv3"}) {
    const auto& arm = states.changes.at(name);
    int stays = 0;
    for (std::size_t i = 1; i + 1 < arm.size(); ++i)  // a hold of just over 30 ms
      if (arm[i].second == "hold" && arm[i + 1].first - arm[i].first > 30 * kPsPerMs &&
          arm[i + 1].first - arm[i].first < 30 * kPsPerMs + 5 * kPsPerUs)
        ++stays;
    EXPECT_EQ(stays, 2) << name;
  }
}

TEST(Background, UnderALoadThatNeverPausesRecalibrationWaitsItsTimeAndComesBetweenTwoRequests) {
  BenchParams p = params();
  p.drive.background.recalibration_s = 1;
  p.drive.background.recalibration_wait_ms = 200;
  p.drive.background.recalibration_cylinder = 199;
  std::vector<workload::Request> requests;
  RandomStream random(9, "recalibration");
  for (int n = 0; n < 1'500; ++n) requests.push_back(read_request(0, random.below(20'000), 1));
  ListSource source(requests);
  RecordingStates states;
  DriveBench bench("bench", p, source, nullptr, &states);
  sc_core::sc_start(to_sc_time(4 * kPsPerSecond));
  ASSERT_EQ(bench.finished.size(), requests.size());
  EXPECT_GT(bench.finished.at(bench.order.back()).record.completion, kPsPerSecond * 2) << "the load must last";
  EXPECT_GE(bench.disk().counters().recalibrations, 2u);
  // A hold of 20 ms and more is the stay on the reference track.
  const auto& arm = states.changes.at("bench.disk.srv0");
  std::vector<Ps> stays;
  for (std::size_t i = 1; i + 1 < arm.size(); ++i)
    if (arm[i].second == "hold" && arm[i + 1].first - arm[i].first > 20 * kPsPerMs && arm[i].first > kPsPerSecond)
      stays.push_back(arm[i].first);
  ASSERT_FALSE(stays.empty());
  EXPECT_GT(stays[0], kPsPerSecond + 200 * kPsPerMs);
  EXPECT_LT(stays[0], kPsPerSecond + 240 * kPsPerMs) << "the request under way, and the move";
}

TEST(Background, ARequestThatMeetsARecalibrationWaitsInTheDrivesQueueUntilTheArmIsBack) {
  BenchParams p = params();
  p.drive.background.recalibration_s = 1;
  p.drive.background.recalibration_ms = 50;
  p.drive.background.recalibration_cylinder = 150;
  std::vector<workload::Request> requests;
  RandomStream random(9, "a long tail");
  for (int n = 0; n < 20; ++n) requests.push_back(read_request(n * 100 * kPsPerMs, random.below(20'000), 1));
  requests.push_back(read_request(kPsPerSecond + 20 * kPsPerMs, 7'000, 1));
  std::sort(requests.begin(), requests.end(), [](const auto& a, const auto& b) { return a.arrival < b.arrival; });
  ListSource source(requests);
  RecordingStates states;
  DriveBench bench("bench", p, source, nullptr, &states);
  sc_core::sc_start(to_sc_time(3 * kPsPerSecond));
  ASSERT_EQ(bench.finished.size(), requests.size());
  unsigned met = 0;
  for (const auto& [id, f] : bench.finished) {
    EXPECT_EQ(std::accumulate(f.record.phases.begin(), f.record.phases.end(), Ps{0}), f.record.response()) << id;
    const Ps queued = f.record.phases[static_cast<std::size_t>(Phase::drive_queue)];
    if (queued < 20 * kPsPerMs) continue;
    ++met;
    EXPECT_LT(queued, 50 * kPsPerMs + 20 * kPsPerMs) << id << ": the stay and both moves";
  }
  EXPECT_EQ(met, 1u) << "the one that comes 20 ms after the period's end";
}

/// A step that is due while another arm still scans is not read beside it.
TEST(Background, OneArmOfSeveralScans) {
  BenchParams p = params();
  p.drive.arms.count = 3;
  p.drive.background.scan_idle_ms = 0.05;
  p.drive.cache.look_ahead = true;
  std::vector<workload::Request> requests;
  RandomStream random(5, "scan");
  Ps at = 20 * kPsPerMs;
  // Most are hits: over before an arm that scans is on its next track.
  for (int n = 0; n < 4'000; ++n)
    requests.push_back(read_request(at += static_cast<Ps>(random.below(4 * kPsPerMs)), n % 50, 1));
  ListSource source(requests);
  RecordingStates states;
  DriveBench bench("bench", p, source, nullptr, &states);
  sc_core::sc_start(to_sc_time(at + 100 * kPsPerMs));
  EXPECT_EQ(bench.finished.size(), requests.size());
  EXPECT_FALSE(bench.disk().failed());
  // Once the first read ahead is over, all requests are hits: what moves or uses a channel then, scans.
  constexpr Ps kHits = kPsPerSecond / 2;
  for (const auto& [id, each] : bench.finished) {
    if (each.record.arrival <= kHits) continue;
    ASSERT_EQ(each.record.accesses, 0u) << id;
  }
  struct Work {
    Ps begin, end;
    std::string what;
  };
  std::vector<Work> works;
  std::size_t moves = 0, arms_that_moved = 0;
  for (const char* const name : {"srv0", "srv1", "srv2", "chn0", "chn1", "chn2"}) {
    const std::size_t before = works.size();
    std::vector<Change> changes;  // those that came: one that is told takes the place of what was to come after it
    for (const Change& change : states.changes.at(std::string("bench.disk.") + name)) {
      while (!changes.empty() && changes.back().first > change.first) changes.pop_back();
      changes.push_back(change);
    }
    for (std::size_t i = 0; i + 1 < changes.size(); ++i)
      if (changes[i].first > kHits && changes[i].second != "hold" && changes[i].second != "idle")
        works.push_back({changes[i].first, changes[i + 1].first, std::string(name) + " " + changes[i].second});
    if (name[0] != 's') continue;
    moves += works.size() - before;
    arms_that_moved += works.size() > before ? 1 : 0;
  }
  std::sort(works.begin(), works.end(), [](const Work& a, const Work& b) { return a.begin < b.begin; });
  EXPECT_GT(moves, 500u);
  EXPECT_GT(works.size(), 2 * moves) << "a move, a wait and a transfer";
  EXPECT_EQ(arms_that_moved, 3u) << "the scan goes from arm to arm: two could";
  for (std::size_t i = 1; i < works.size(); ++i)
    ASSERT_LE(works[i - 1].end, works[i].begin)
        << works[i - 1].what << ", " << works[i].what << " at " << works[i].begin;
}

class BackgroundLoad : public ::testing::TestWithParam<std::tuple<bool, int>> {};

TEST_P(BackgroundLoad, ALoadWithEverythingOnIsServedRight) {
  BenchParams p;
  p.drive = round_drive_with_contents(true);
  p.drive.buffer.size_kib = 1024;
  p.drive.arms.count = std::get<1>(GetParam());
  if (std::get<0>(GetParam())) {
    p.drive.cache.write = p.drive.cache.look_ahead = p.drive.cache.read_on_arrival = true;
    p.drive.cache.keep_written = p.drive.cache.read_ahead_on_hit = true;
  }
  p.drive.background.scan_idle_ms = 1;
  p.drive.background.recalibration_s = 0.5;
  p.drive.background.recalibration_ms = 5;
  p.drive.background.recalibration_wait_ms = 50;
  p.drive.faults = {drive::grown_defect(18'100), drive::grown_defect(19'000, 5), drive::grown_defect(21'000, 10)};
  p.host.reset_interval_ms = 70;
  p.host.standby_after_s = 0.08;
  p.drive.spindle.spin_up_s = 0.02;
  p.drive.spindle.spin_down_s = 0.01;
  ContentsLoad::Params load;
  load.count = 5'000;
  load.sectors = media::Geometry(p.drive.geometry).sectors();
  load.hot_first = kHotFirst;
  load.hot_sectors = kHotSectors;
  load.outstanding = 3;
  load.pause_share = 0.1;
  load.beyond_share = 0.005;
  ContentsLoad source(load);
  host::ContentsCheck check({});
  DriveBench bench("bench", p, source);
  bench.keep = false;
  bench.queue().on_finished = [] { sc_core::sc_stop(); };  // the drive itself never has nothing to do
  bench.queue().set_data_port(check);
  sc_core::sc_start();
  EXPECT_TRUE(bench.queue().finished());
  EXPECT_FALSE(bench.disk().failed());
  EXPECT_EQ(check.mismatches(), 0u);
  for (const std::string& text : check.descriptions()) ADD_FAILURE() << text;
  EXPECT_GT(bench.disk().counters().scanned_sectors, 10'000u);
  EXPECT_GT(bench.disk().counters().recalibrations, 10u);
  EXPECT_GT(bench.adapter().counters().soft_resets, 50u);
}

INSTANTIATE_TEST_SUITE_P(Drives, BackgroundLoad, ::testing::Combine(::testing::Bool(), ::testing::Values(1, 3)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param) ? "Cached" : "Plain") +
                                  (std::get<1>(test.param) == 1 ? "" : "ThreeArms");
                         });

}  // namespace
}  // namespace armature::testing
