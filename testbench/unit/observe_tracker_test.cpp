#include "armature/core/kernel_time.h"
#include "armature/core/random.h"
#include "armature/observe/request_tracker.h"
#include "support/observe_feed.h"

#include <gtest/gtest.h>

#include <map>

namespace armature::observe {
namespace {

using testing::CollectingSink;
using testing::FatalThrows;

constexpr Ps kUs = kPsPerUs;

class RequestTrackerTest : public ::testing::Test {
 protected:
  RequestTrackerTest() { tracker_.add_sink(sink_); }

  Arrival arrival(std::uint64_t id, Ps at, Operation operation = Operation::read) {
    Arrival a;
    a.id = id;
    a.at = at;
    a.lbn = 5000;
    a.sectors = 8;
    a.operation = operation;
    return a;
  }
  /// Arrived at 0, dispatched at 10, at the drive at 20, in its queue at 30, granted at 100 ns-like units; times in us.
  void bring_to_grant(Operation operation, Ps predicted_us) {
    tracker_.arrived(arrival(1, 0, operation));
    tracker_.dispatched(1, 3, 10 * kUs);
    tracker_.base(3, Phase::firmware, 20 * kUs);
    tracker_.base(3, Phase::drive_queue, 30 * kUs);
    tracker_.base(3, Phase::arbitration, 99 * kUs);
    tracker_.base(3, Phase::firmware, 100 * kUs);
    tracker_.granted(3, 0, predicted_us * kUs, 100 * kUs);
  }
  /// An access with all its times, us.
  void access(Ps move, Ps ready, Ps go, Ps first, Ps done, std::uint32_t from = 10, std::uint32_t cylinder = 90) {
    if (move != ready) {
      tracker_.media(3, Phase::seek, move * kUs);
      tracker_.media_done(3, ready * kUs);
    }
    tracker_.access(3, {0, 1, cylinder, from, first * kUs, done * kUs});
    tracker_.media(3, Phase::rotation, go * kUs);
    tracker_.media(3, Phase::transfer, first * kUs);
    tracker_.media_done(3, done * kUs);
  }
  const RequestRecord& finish(Ps at_us) {
    tracker_.completed(3, true, 0, at_us * kUs);
    return sink_.requests.back().record;
  }
  Ps phase(Phase p) const { return sink_.requests.back().record.phases[static_cast<std::size_t>(p)]; }

  CollectingSink sink_;
  RequestTracker tracker_{"drive", 6000 * kUs};  // 10,000 rpm
};

TEST_F(RequestTrackerTest, OneThatJoinedAnotherGoesThroughItsPhases) {
  for (const std::uint64_t id : {1, 2}) tracker_.arrived(arrival(id, static_cast<Ps>(id) * kUs));
  tracker_.dispatched(1, 0, 10 * kUs);
  tracker_.dispatched(2, 1, 10 * kUs);
  tracker_.joined(1, 0);
  tracker_.base(0, Phase::firmware, 20 * kUs);
  tracker_.granted(0, 0, 5 * kUs, 30 * kUs);
  tracker_.media(0, Phase::seek, 30 * kUs);
  tracker_.access(0, {0, 1, 90, 10, 60 * kUs, 80 * kUs});
  tracker_.media(0, Phase::transfer, 60 * kUs);
  tracker_.media_done(0, 80 * kUs);
  tracker_.link(0, Phase::link_data, 80 * kUs);
  tracker_.link_done(0, 85 * kUs);
  tracker_.completed(0, true, 0, 90 * kUs);
  tracker_.completed(1, true, 0, 90 * kUs);
  ASSERT_EQ(sink_.requests.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const RequestRecord& record = sink_.requests[i].record;
    const auto in = [&](Phase p) { return record.phases[static_cast<std::size_t>(p)]; };
    EXPECT_EQ(in(Phase::host_queue), (9 - static_cast<Ps>(i)) * kUs);
    EXPECT_EQ(in(Phase::seek), 30 * kUs);
    EXPECT_EQ(in(Phase::transfer), 20 * kUs);
    EXPECT_EQ(in(Phase::link_data), 5 * kUs);
    EXPECT_EQ(record.accesses, i == 0 ? 1u : 0u);
    EXPECT_EQ(record.joined, i == 1);
    EXPECT_EQ(served_by(record), ServedBy::medium);
  }
  // It is of nobody's any more.
  tracker_.arrived(arrival(3, 100 * kUs));
  tracker_.dispatched(3, 1, 100 * kUs);
  tracker_.arrived(arrival(4, 100 * kUs));
  tracker_.dispatched(4, 0, 100 * kUs);
  tracker_.media(0, Phase::seek, 110 * kUs);
  tracker_.media_done(0, 120 * kUs);
  tracker_.completed(1, true, 0, 130 * kUs);
  EXPECT_EQ(phase(Phase::seek), 0);
}

TEST_F(RequestTrackerTest, ThePhaseOfARequestAtAnInstant) {
  EXPECT_EQ(tracker_.phase(3, 0), std::nullopt);
  tracker_.arrived(arrival(1, 0));
  tracker_.dispatched(1, 3, 10 * kUs);
  EXPECT_EQ(tracker_.phase(3, 10 * kUs), Phase::link_command);
  tracker_.base(3, Phase::firmware, 15 * kUs);
  tracker_.media(3, Phase::seek, 20 * kUs);
  tracker_.media(3, Phase::rotation, 30 * kUs);  // announced ahead of time
  tracker_.media_done(3, 40 * kUs);
  EXPECT_EQ(tracker_.phase(3, 15 * kUs), Phase::firmware);
  EXPECT_EQ(tracker_.phase(3, 25 * kUs), Phase::seek);
  EXPECT_EQ(tracker_.phase(3, 35 * kUs), Phase::rotation);
  EXPECT_EQ(tracker_.phase(3, 40 * kUs), Phase::firmware);
  EXPECT_EQ(tracker_.phase(4, 40 * kUs), std::nullopt);
}

TEST_F(RequestTrackerTest, OneThatIsWithdrawnWaitsAgain) {
  tracker_.arrived(arrival(1, 0));
  tracker_.dispatched(1, 3, 10 * kUs);
  tracker_.media(3, Phase::seek, 20 * kUs);
  tracker_.media_done(3, 30 * kUs);
  EXPECT_EQ(tracker_.waiting(), 0u);
  tracker_.withdrawn(3, 40 * kUs);
  EXPECT_EQ(tracker_.waiting(), 1u);
  EXPECT_EQ(tracker_.outstanding(), 1u);
  EXPECT_EQ(tracker_.request_of(3), -1);
  tracker_.dispatched(1, 0, 50 * kUs);
  tracker_.base(0, Phase::firmware, 60 * kUs);
  tracker_.completed(0, false, 0x40, 70 * kUs);
  EXPECT_EQ(phase(Phase::host_queue), 50 * kUs);
  EXPECT_EQ(phase(Phase::seek), 0);
  EXPECT_EQ(sink_.requests.back().record.dispatched, 50 * kUs);
}

TEST_F(RequestTrackerTest, DividesAPlainReadAsItHappened) {
  testing::play_read(tracker_, 42, 7, 500 * kUs);
  ASSERT_EQ(sink_.requests.size(), 1u);
  const auto& [record, timeline, accesses] = sink_.requests.front();
  EXPECT_EQ(record.id, 42u);
  EXPECT_EQ(record.tag, 7u);
  EXPECT_EQ(record.lbn, 1'000'042u);
  EXPECT_EQ(record.arrival, 500 * kUs);
  EXPECT_EQ(record.response(), 9681 * kUs);
  EXPECT_EQ(phase(Phase::host_queue), 1000 * kUs);
  EXPECT_EQ(phase(Phase::link_command), 3 * kUs);
  EXPECT_EQ(phase(Phase::firmware), (10 + 4 + 2 + 5 + 3) * kUs);
  EXPECT_EQ(phase(Phase::drive_queue), 500 * kUs);
  EXPECT_EQ(phase(Phase::arbitration), 1 * kUs);
  EXPECT_EQ(phase(Phase::seek), 5000 * kUs);
  EXPECT_EQ(phase(Phase::write_settle), 0);
  EXPECT_EQ(phase(Phase::rotation), 3000 * kUs);
  EXPECT_EQ(phase(Phase::transfer), 120 * kUs);
  EXPECT_EQ(phase(Phase::link_wait), 1 * kUs);
  EXPECT_EQ(phase(Phase::link_data), 30 * kUs);
  EXPECT_EQ(phase(Phase::link_status), 2 * kUs);
  EXPECT_EQ(record.link_overlapped, 0);
  EXPECT_EQ(record.accesses, 1u);
  EXPECT_EQ(record.arm, 0u);
  EXPECT_EQ(record.head, 2u);
  EXPECT_EQ(record.cylinder, 700u);
  EXPECT_EQ(record.seek_cylinders, 300u);
  EXPECT_EQ(record.positioning, 8006 * kUs);
  EXPECT_EQ(record.predicted_positioning, 8006 * kUs);
  EXPECT_EQ(record.missed_revolutions, 0u);
  EXPECT_EQ(status_of(record), "ok");
  // The order of its life, each stretch touching the next.
  const std::vector<Phase> order = {Phase::host_queue,  Phase::link_command, Phase::firmware,   Phase::drive_queue,
                                    Phase::arbitration, Phase::firmware,     Phase::seek,       Phase::firmware,
                                    Phase::rotation,    Phase::transfer,     Phase::firmware,   Phase::link_wait,
                                    Phase::link_data,   Phase::firmware,     Phase::link_status};
  ASSERT_EQ(timeline.size(), order.size());
  Ps at = record.arrival;
  for (std::size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(timeline[i].phase, order[i]);
    EXPECT_EQ(timeline[i].begin, at);
    at = timeline[i].end;
  }
  EXPECT_EQ(at, record.completion);
  ASSERT_EQ(accesses.size(), 1u);
  EXPECT_EQ(accesses[0].move_at, (500 + 1000 + 3 + 10 + 500 + 1 + 4) * kUs);
  EXPECT_EQ(accesses[0].ready_at, accesses[0].move_at + 5000 * kUs);
  EXPECT_EQ(accesses[0].go_at, accesses[0].ready_at + 2 * kUs);
}

TEST_F(RequestTrackerTest, CountsLinkTimeUnderTheArmBesideThePhasesAndTheSettlingAnnouncedAhead) {
  bring_to_grant(Operation::write, 4000);
  tracker_.link(3, Phase::link_wait, 105 * kUs);
  tracker_.media(3, Phase::seek, 110 * kUs);
  tracker_.media(3, Phase::write_settle, 800 * kUs);  // both announced at 110
  tracker_.media_done(3, 1000 * kUs);
  tracker_.link(3, Phase::link_data, 150 * kUs);
  tracker_.link_done(3, 200 * kUs);
  tracker_.access(3, {0, 1, 90, 10, 4100 * kUs, 4200 * kUs});
  tracker_.media(3, Phase::rotation, 1010 * kUs);
  tracker_.media(3, Phase::transfer, 4100 * kUs);
  tracker_.media_done(3, 4200 * kUs);
  tracker_.base(3, Phase::link_status, 4210 * kUs);
  const RequestRecord& record = finish(4212);
  EXPECT_EQ(phase(Phase::link_wait), 5 * kUs) << "105 to 110, before the arm moves";
  EXPECT_EQ(phase(Phase::link_data), 0);
  EXPECT_EQ(record.link_overlapped, 90 * kUs) << "110 to 200";
  EXPECT_EQ(phase(Phase::seek), 690 * kUs);
  EXPECT_EQ(phase(Phase::write_settle), 200 * kUs);
  EXPECT_EQ(phase(Phase::rotation), 3090 * kUs);
  EXPECT_EQ(phase(Phase::firmware), (10 + 5 + 10 + 10) * kUs);
  EXPECT_EQ(record.missed_revolutions, 0u);
}

TEST_F(RequestTrackerTest, TakesEventsOfTheDifferentTracksInAnyOrder) {
  // The arbitration unit tells the time of its decision at the grant, after later events of the link are known.
  tracker_.arrived(arrival(1, 0));
  tracker_.dispatched(1, 3, 10);
  tracker_.base(3, Phase::firmware, 20);
  tracker_.link(3, Phase::link_data, 60);
  tracker_.link_done(3, 70);
  tracker_.base(3, Phase::drive_queue, 30);
  tracker_.base(3, Phase::arbitration, 40);
  tracker_.base(3, Phase::firmware, 45);
  tracker_.completed(3, true, 0, 100);
  const RequestRecord& record = sink_.requests.back().record;
  EXPECT_EQ(phase(Phase::link_data), 10)
      << "a queue slot after data is no new attempt, only a command that comes again";
  EXPECT_EQ(phase(Phase::drive_queue), 10);
  EXPECT_EQ(phase(Phase::arbitration), 5);
  EXPECT_EQ(record.response(), 100);
}

TEST_F(RequestTrackerTest, AFailedRequestIsCutAtItsCompletion) {
  bring_to_grant(Operation::read, 4000);
  tracker_.media(3, Phase::seek, 110 * kUs);
  tracker_.media_done(3, 1000 * kUs);  // announced, the abort comes at 300
  tracker_.completed(3, false, 0x10, 300 * kUs);
  const RequestRecord& record = sink_.requests.back().record;
  EXPECT_EQ(phase(Phase::seek), 190 * kUs);
  EXPECT_EQ(record.response(), 300 * kUs);
  EXPECT_EQ(record.accesses, 0u);
  EXPECT_EQ(record.positioning, kNoTime);
  EXPECT_FALSE(record.ok);
  EXPECT_EQ(status_of(record), "IDNF");
}

TEST_F(RequestTrackerTest, ASecondAttemptEndsTheWorkOfTheFirst) {
  bring_to_grant(Operation::read, 4000);
  tracker_.media(3, Phase::seek, 110 * kUs);
  tracker_.media_done(3, 1000 * kUs);
  // The drive dropped its queue at 200; the command comes again without a new dispatch.
  tracker_.received(3, 300 * kUs);
  tracker_.base(3, Phase::firmware, 300 * kUs);
  tracker_.base(3, Phase::drive_queue, 320 * kUs);
  tracker_.base(3, Phase::arbitration, 330 * kUs);
  tracker_.base(3, Phase::firmware, 331 * kUs);
  tracker_.granted(3, 0, 5000 * kUs, 331 * kUs);
  access(340, 1340, 1350, 5331, 5400);
  const RequestRecord& record = finish(5500);
  EXPECT_EQ(phase(Phase::seek), (190 + 1000) * kUs) << "110 to 300 of the first attempt, 340 to 1340";
  EXPECT_EQ(phase(Phase::drive_queue), (69 + 10) * kUs);
  EXPECT_EQ(record.granted, 331 * kUs);
  EXPECT_EQ(record.positioning, 5000 * kUs);
  EXPECT_EQ(record.missed_revolutions, 0u);
}

TEST_F(RequestTrackerTest, ARequestThatGoesOnWithAnotherArmKeepsWhatTheFirstDid) {
  bring_to_grant(Operation::read, 3000);
  access(110, 3050, 3060, 3100, 3200);
  tracker_.base(3, Phase::drive_queue, 3210 * kUs);
  tracker_.base(3, Phase::arbitration, 3220 * kUs);
  tracker_.base(3, Phase::firmware, 3221 * kUs);
  tracker_.granted(3, 1, 500 * kUs, 3221 * kUs);
  access(3230, 3500, 3510, 3721, 3800);
  const RequestRecord& record = finish(3900);
  EXPECT_EQ(record.accesses, 2u);
  EXPECT_EQ(record.arm, 0u);
  EXPECT_EQ(record.granted, 100 * kUs);
  EXPECT_EQ(record.missed_revolutions, 0u);
  EXPECT_EQ(phase(Phase::drive_queue), (69 + 10) * kUs);
  for (const Segment& segment : sink_.requests.back().timeline) {
    if (segment.phase == Phase::seek || segment.phase == Phase::rotation || segment.phase == Phase::transfer) {
      EXPECT_EQ(segment.arm, segment.begin < 3221 * kUs ? 0u : 1u) << segment.begin;
    }
  }
}

TEST_F(RequestTrackerTest, TheMechanicalTimeBehindAnArmThatFirmwareGaveIsThatArms) {
  bring_to_grant(Operation::read, 3000);
  tracker_.media(3, Phase::seek, 110 * kUs);
  tracker_.media_done(3, 200 * kUs);
  tracker_.media(3, Phase::rotation, 205 * kUs);
  tracker_.media_done(3, 300 * kUs);  // the arm gives it back
  tracker_.base(3, Phase::drive_queue, 310 * kUs);
  tracker_.granted(3, 1, kNoTime, 400 * kUs);
  access(410, 700, 710, 2400, 2500);
  const RequestRecord& record = finish(2600);
  EXPECT_EQ(record.arm, 0u) << "access() names arm 0";
  EXPECT_EQ(record.granted, 400 * kUs);
  EXPECT_EQ(record.predicted_positioning, kNoTime);
  EXPECT_EQ(record.missed_revolutions, 0u);
  Ps of_arm[2] = {};
  for (const Segment& segment : sink_.requests.back().timeline)
    if (segment.phase == Phase::seek || segment.phase == Phase::rotation || segment.phase == Phase::transfer)
      of_arm[segment.arm] += segment.end - segment.begin;
  EXPECT_EQ(of_arm[0], (90 + 95) * kUs);
  EXPECT_EQ(of_arm[1], (290 + 1790) * kUs);
}

TEST_F(RequestTrackerTest, TheMechanicalTimeOfAFailedAttemptIsThatOfItsArm) {
  bring_to_grant(Operation::read, 4000);
  tracker_.media(3, Phase::rotation, 110 * kUs);
  tracker_.received(3, 300 * kUs);
  tracker_.granted(3, 2, 5000 * kUs, 300 * kUs);
  tracker_.media(3, Phase::rotation, 300 * kUs);
  tracker_.media_done(3, 400 * kUs);
  finish(500);
  Ps of_arm[3] = {};
  for (const Segment& segment : sink_.requests.back().timeline)
    if (segment.phase == Phase::rotation) of_arm[segment.arm] += segment.end - segment.begin;
  EXPECT_EQ(of_arm[0], 190 * kUs);
  EXPECT_EQ(of_arm[2], 100 * kUs);
}

TEST_F(RequestTrackerTest, AnAccessThatIsCutShortEndsThen) {
  bring_to_grant(Operation::read, 3000);
  access(110, 3050, 3060, 3100, 3200);
  tracker_.media(3, Phase::rotation, 3210 * kUs);
  tracker_.media(3, Phase::transfer, 3300 * kUs);
  tracker_.access(3, {0, 1, 90, 90, 3300 * kUs, 9900 * kUs});  // announced for longer
  tracker_.media_done(3, 3400 * kUs);                          // the arm has failed
  tracker_.granted(3, 1, 500 * kUs, 3500 * kUs);
  access(3510, 3600, 3610, 3721, 3800);
  const RequestRecord& record = finish(3900);
  EXPECT_EQ(record.accesses, 3u);
  const std::vector<AccessTiming>& timings = sink_.requests.back().accesses;
  ASSERT_EQ(timings.size(), 3u);
  EXPECT_EQ(timings[1].access.done_at, 3400 * kUs);
  EXPECT_EQ(timings[2].move_at, 3510 * kUs);
  EXPECT_EQ(timings[2].ready_at, 3600 * kUs);
  EXPECT_EQ(timings[2].go_at, 3610 * kUs);
}

TEST_F(RequestTrackerTest, AnAccessThatEndsBeforeItsFirstSectorIsNone) {
  bring_to_grant(Operation::read, 3000);
  tracker_.media(3, Phase::rotation, 200 * kUs);
  tracker_.access(3, {0, 1, 90, 90, 3300 * kUs, 9900 * kUs});
  tracker_.media_done(3, 400 * kUs);
  tracker_.granted(3, 1, 500 * kUs, 500 * kUs);
  access(510, 600, 610, 721, 800);
  const RequestRecord& record = finish(900);
  EXPECT_EQ(record.accesses, 1u);
  EXPECT_EQ(record.first_sector, 721 * kUs);
  EXPECT_EQ(sink_.requests.back().accesses[0].go_at, 610 * kUs);
}

TEST_F(RequestTrackerTest, NamesTheBitsOfTheErrorRegister) {
  RequestRecord record;
  record.ok = false;
  record.ata_error = 0x04;
  EXPECT_EQ(status_of(record), "ABRT");
  record.ata_error = 0x84;
  EXPECT_EQ(status_of(record), "ICRC|ABRT");
  record.ata_error = 0x40;
  EXPECT_EQ(status_of(record), "UNC");
  record.ata_error = 0;
  EXPECT_EQ(status_of(record), "ERR");
}

// Missed revolutions: one turn is 6000 us. The grant is at 100.

TEST_F(RequestTrackerTest, FirmwareThatStartsTheChannelTooLateMissesARevolution) {
  bring_to_grant(Operation::read, 3000);  // the sector passes at 3100
  access(110, 3090, 3101, 9100, 9200);    // on track in time, the channel one us too late
  const RequestRecord& record = finish(9300);
  EXPECT_EQ(record.missed_revolutions, 1u);
  EXPECT_EQ(record.miss_cause, MissCause::late_firmware);
}

TEST_F(RequestTrackerTest, FirmwareThatStartsTheArmTooLateIsToBlameToo) {
  bring_to_grant(Operation::read, 3000);
  access(300, 3250, 3255, 9100, 9200);  // 2950 us of move: begun at 100 it had been ready at 3050
  EXPECT_EQ(finish(9300).miss_cause, MissCause::late_firmware);
}

TEST_F(RequestTrackerTest, AnArmSlowerThanPredictedMissesTwoRevolutions) {
  bring_to_grant(Operation::read, 3000);
  access(105, 9500, 9510, 15100, 15200);
  const RequestRecord& record = finish(15300);
  EXPECT_EQ(record.missed_revolutions, 2u);
  EXPECT_EQ(record.miss_cause, MissCause::late_servo);
}

TEST_F(RequestTrackerTest, TurnsOfRetriesAreMissedBehindTheAccesssOwnPositioning) {
  bring_to_grant(Operation::read, 3000);
  tracker_.media(3, Phase::seek, 110 * kUs);
  tracker_.media_done(3, 3090 * kUs);
  tracker_.access(3, {0, 1, 90, 10, 3100 * kUs, 15200 * kUs, 2});
  tracker_.media(3, Phase::rotation, 3091 * kUs);
  tracker_.media(3, Phase::transfer, 3100 * kUs);
  tracker_.media(3, Phase::rotation, 3150 * kUs);
  tracker_.media(3, Phase::transfer, 15150 * kUs);
  tracker_.media_done(3, 15200 * kUs);
  const RequestRecord& record = finish(15300);
  EXPECT_EQ(record.missed_revolutions, 2u);
  EXPECT_EQ(record.miss_cause, MissCause::read_retry);
  EXPECT_EQ(phase(Phase::rotation), (9 + 12'000) * kUs);
  EXPECT_EQ(phase(Phase::transfer), 100 * kUs);
}

TEST_F(RequestTrackerTest, TheFirstCauseIsThatOfTheFirstMissedTurn) {
  bring_to_grant(Operation::read, 3000);
  tracker_.media(3, Phase::seek, 110 * kUs);
  tracker_.media_done(3, 3090 * kUs);
  tracker_.access(3, {0, 1, 90, 10, 9100 * kUs, 15200 * kUs, 1});  // started too late, then a sector fails
  tracker_.media(3, Phase::rotation, 3101 * kUs);
  tracker_.media(3, Phase::transfer, 9100 * kUs);
  tracker_.media_done(3, 15200 * kUs);
  const RequestRecord& record = finish(15300);
  EXPECT_EQ(record.missed_revolutions, 2u);
  EXPECT_EQ(record.miss_cause, MissCause::late_firmware);
}

// A write that its arm's excursion ends at 3150 us: the sector that began at 3100 passes again at 9100.
TEST_F(RequestTrackerTest, AWriteThatIsInhibitedMissesTheRevolutionInWhichItIsDoneAgain) {
  bring_to_grant(Operation::write, 2900);
  tracker_.media(3, Phase::seek, 110 * kUs);
  tracker_.media_done(3, 2990 * kUs);
  tracker_.access(3, {0, 1, 90, 10, 3000 * kUs, 4000 * kUs});
  tracker_.media(3, Phase::rotation, 2995 * kUs);
  tracker_.media(3, Phase::transfer, 3000 * kUs);
  tracker_.access_strayed(3, 3150 * kUs);
  tracker_.media_done(3, 3150 * kUs);
  access(3160, 3400, 3410, 9100, 10000, 90, 90);
  const RequestRecord& record = finish(10100);
  EXPECT_EQ(record.missed_revolutions, 1u);
  EXPECT_EQ(record.miss_cause, MissCause::inhibit);
  EXPECT_EQ(miss_causes_of(record), "inhibit");
}

// Off its track for longer than a turn: the passage at 9100 goes by unused, too.
TEST_F(RequestTrackerTest, AnArmThatIsOffItsTrackForATurnMissesTwoByTheInhibit) {
  bring_to_grant(Operation::write, 2900);
  tracker_.access(3, {0, 1, 90, 10, 3000 * kUs, 4000 * kUs});
  tracker_.media(3, Phase::rotation, 2995 * kUs);
  tracker_.media(3, Phase::transfer, 3000 * kUs);
  tracker_.access_strayed(3, 3150 * kUs);
  tracker_.media_done(3, 3150 * kUs);
  access(3160, 9200, 9210, 15100, 16000, 90, 90);
  const RequestRecord& record = finish(16100);
  EXPECT_EQ(record.missed_revolutions, 2u);
  EXPECT_EQ(record.missed_by[static_cast<std::size_t>(MissCause::inhibit)], 2u);
}

// The passage at 3100 comes before the write's data, that at 9100 finds every channel taken.
TEST_F(RequestTrackerTest, TwoMissedTurnsHaveACauseEach) {
  bring_to_grant(Operation::write, 3000);
  tracker_.link(3, Phase::link_data, 200 * kUs);
  tracker_.link_done(3, 3150 * kUs);
  tracker_.base(3, Phase::channel_wait, 3160 * kUs);
  access(110, 3000, 9300, 15100, 15200);
  const RequestRecord& record = finish(15300);
  EXPECT_EQ(record.missed_revolutions, 2u);
  EXPECT_EQ(record.miss_cause, MissCause::late_data);
  EXPECT_EQ(miss_causes_of(record), "late_data:1|late_channel:1");
}

TEST_F(RequestTrackerTest, AnArmThatWaitsForAChannelMissesARevolution) {
  bring_to_grant(Operation::read, 3000);
  tracker_.base(3, Phase::channel_wait, 3060 * kUs);
  access(110, 3050, 3200, 9100, 9200);
  const RequestRecord& record = finish(9300);
  EXPECT_EQ(record.missed_revolutions, 1u);
  EXPECT_EQ(record.miss_cause, MissCause::late_channel);
}

TEST_F(RequestTrackerTest, AnArmThatAsksForAChannelWhenTheSectorHasPassedIsFirmwaresFault) {
  bring_to_grant(Operation::read, 3000);
  tracker_.base(3, Phase::channel_wait, 3110 * kUs);
  access(110, 3050, 3200, 9100, 9200);
  EXPECT_EQ(finish(9300).miss_cause, MissCause::late_firmware);
}

TEST_F(RequestTrackerTest, AWriteWhoseDataWereNotThereMissesARevolution) {
  bring_to_grant(Operation::write, 3000);
  tracker_.link(3, Phase::link_wait, 105 * kUs);
  tracker_.link(3, Phase::link_data, 200 * kUs);
  tracker_.link_done(3, 3150 * kUs);
  access(110, 3000, 3160, 9100, 9200);
  const RequestRecord& record = finish(9300);
  EXPECT_EQ(record.missed_revolutions, 1u);
  EXPECT_EQ(record.miss_cause, MissCause::late_data);
}

TEST_F(RequestTrackerTest, AWriteWhoseDataWereThereIsNotBlamedOnTheLink) {
  bring_to_grant(Operation::write, 3000);
  tracker_.link(3, Phase::link_data, 200 * kUs);
  tracker_.link_done(3, 260 * kUs);
  access(110, 3000, 3160, 9100, 9200);
  EXPECT_EQ(finish(9300).miss_cause, MissCause::late_firmware);
}

TEST_F(RequestTrackerTest, AWriteWhoseArmCameLaterThanItsDataIsTheArmsFault) {
  bring_to_grant(Operation::write, 3000);
  tracker_.link(3, Phase::link_data, 200 * kUs);
  tracker_.link_done(3, 3150 * kUs);  // after the sector at 3100, but the arm took until 3400
  access(105, 3400, 3410, 9100, 9200);
  EXPECT_EQ(finish(9300).miss_cause, MissCause::late_servo);
}

TEST_F(RequestTrackerTest, AnEstimateThatIsOffByPartOfATurnIsNoMissedRevolution) {
  bring_to_grant(Operation::read, 3000);
  access(110, 3050, 3060, 5999, 6100);  // 2899 us late, less than half a turn
  EXPECT_EQ(finish(6200).missed_revolutions, 0u);
}

TEST_F(RequestTrackerTest, AWaitThatWasPredictedIsNoMissedRevolution) {
  // The sector passes at 3100 too soon for the settle margin; the arbitration unit knew: 9000.
  bring_to_grant(Operation::read, 9000);
  access(110, 3050, 3099, 9100, 9200);
  EXPECT_EQ(finish(9300).missed_revolutions, 0u);
}

TEST_F(RequestTrackerTest, TheNextTrackMissesARevolutionIfTheProcessorSwitchesTooLate) {
  bring_to_grant(Operation::read, 3000);
  access(110, 3050, 3060, 3100, 4100);
  // Ready at 4900 had the move begun at 4100; it began at 4150, ready at 4950. The track begins at 4930: missed.
  access(4150, 4950, 4955, 10930, 11500, 90, 91);
  const RequestRecord& record = finish(11600);
  EXPECT_EQ(record.missed_revolutions, 1u);
  EXPECT_EQ(record.miss_cause, MissCause::late_firmware);
  EXPECT_EQ(record.accesses, 2u);
  EXPECT_EQ(record.cylinder, 90u) << "of the first access";
}

TEST_F(RequestTrackerTest, AnAccessWithoutRotationHasItsTimesToo) {
  bring_to_grant(Operation::read, 3000);
  tracker_.media(3, Phase::seek, 110 * kUs);
  tracker_.media_done(3, 3095 * kUs);
  tracker_.access(3, {0, 1, 90, 10, 3100 * kUs, 3200 * kUs});
  tracker_.media(3, Phase::transfer, 3100 * kUs);  // the sector came just then
  tracker_.media_done(3, 3200 * kUs);
  finish(3300);
  const AccessTiming& timing = sink_.requests.back().accesses.at(0);
  EXPECT_EQ(timing.move_at, 110 * kUs);
  EXPECT_EQ(timing.ready_at, 3095 * kUs);
  EXPECT_EQ(timing.go_at, 3100 * kUs);
}

TEST_F(RequestTrackerTest, TheNextTrackMissesNothingIfItsSkewCoversTheSwitch) {
  bring_to_grant(Operation::read, 3000);
  access(110, 3050, 3060, 3100, 4100);
  access(4150, 4950, 4955, 4990, 5500, 90, 91);
  EXPECT_EQ(finish(5600).missed_revolutions, 0u);
}

TEST_F(RequestTrackerTest, AReadThatWaitsForItsOwnDataToLeaveTheBufferBlamesTheLink) {
  bring_to_grant(Operation::read, 3000);
  access(110, 3050, 3060, 3100, 4100);
  tracker_.link(3, Phase::link_data, 4110 * kUs);
  tracker_.link_done(3, 5200 * kUs);
  // Same track goes on at 4100; the next run waits for the buffer until 5200.
  access(5210, 5210, 5210, 10100, 10500, 90, 90);
  const RequestRecord& record = finish(10600);
  EXPECT_EQ(record.missed_revolutions, 1u);
  EXPECT_EQ(record.miss_cause, MissCause::late_link);
}

// Impossible states.

TEST_F(RequestTrackerTest, RefusesImpossibleOrders) {
  const FatalThrows fatal_throws;
  tracker_.arrived(arrival(1, 100));
  EXPECT_THROW(tracker_.arrived(arrival(1, 100)), sc_core::sc_report) << "arrives twice";
  EXPECT_THROW(tracker_.arrived(arrival(2, 99)), sc_core::sc_report) << "arrivals out of order";
  EXPECT_THROW(tracker_.dispatched(9, 0, 100), sc_core::sc_report) << "was never there";
  EXPECT_THROW(tracker_.completed(0, true, 0, 100), sc_core::sc_report) << "holds no tag";
  tracker_.dispatched(1, 0, 120);
  tracker_.arrived(arrival(3, 130));
  EXPECT_THROW(tracker_.dispatched(3, 0, 140), sc_core::sc_report) << "the tag is taken";
}

TEST_F(RequestTrackerTest, RefusesATrackThatGoesBackBeforeWhatHasCome) {
  const FatalThrows fatal_throws;
  tracker_.arrived(arrival(1, 0));
  tracker_.dispatched(1, 3, 10);
  sc_core::sc_start(to_sc_time(500));
  tracker_.media(3, Phase::seek, 400);
  EXPECT_THROW(tracker_.media(3, Phase::rotation, 399), sc_core::sc_report);
  tracker_.media(3, Phase::rotation, 800);  // ahead: can still be replaced
  tracker_.media(3, Phase::rotation, 700);
  tracker_.media_done(3, 900);
  tracker_.completed(3, true, 0, 1000);
  EXPECT_EQ(phase(Phase::seek), 300);
  EXPECT_EQ(phase(Phase::rotation), 200);
}

TEST_F(RequestTrackerTest, RefusesASuccessWithWorkLeft) {
  const FatalThrows fatal_throws;
  tracker_.arrived(arrival(1, 0));
  tracker_.dispatched(1, 3, 10);
  tracker_.media(3, Phase::seek, 20);
  EXPECT_THROW(tracker_.completed(3, true, 0, 50), sc_core::sc_report);
}

TEST_F(RequestTrackerTest, RefusesAPhaseOnTheWrongTrack) {
  const FatalThrows fatal_throws;
  tracker_.arrived(arrival(1, 0));
  tracker_.dispatched(1, 3, 10);
  EXPECT_THROW(tracker_.base(3, Phase::seek, 20), sc_core::sc_report);
  EXPECT_THROW(tracker_.media(3, Phase::link_data, 20), sc_core::sc_report);
  EXPECT_THROW(tracker_.link(3, Phase::firmware, 20), sc_core::sc_report);
}

TEST_F(RequestTrackerTest, IgnoresCommandsThatNoRequestStandsFor) {
  tracker_.base(0, Phase::firmware, 10);
  tracker_.link(0, Phase::link_data, 20);
  tracker_.link_done(0, 30);
  tracker_.media(900, Phase::seek, 30);
  EXPECT_EQ(tracker_.outstanding(), 0u);
}

// Properties.

TEST_F(RequestTrackerTest, DividesAsACountOfEachPicosecondDoes) {
  RandomStream random(11, "tracker");
  constexpr Phase kBase[] = {Phase::link_command, Phase::firmware, Phase::channel_wait, Phase::link_status};
  constexpr Phase kMedia[] = {Phase::seek, Phase::write_settle, Phase::rotation, Phase::transfer};
  constexpr Phase kLink[] = {Phase::link_wait, Phase::link_data};
  for (std::uint64_t id = 0; id < 2000; ++id) {
    const Ps start = static_cast<Ps>(id) * 1000;
    const Ps length = 1 + static_cast<Ps>(random.below(300));
    // Painted by the picosecond: 255 is "nothing on this track".
    std::vector<int> base(length, static_cast<int>(Phase::host_queue)), media(length, 255), link(length, 255);
    const auto paint = [length](std::vector<int>& track, Ps from, int phase) {
      for (Ps t = from; t < length; ++t) track[static_cast<std::size_t>(t)] = phase;
    };
    tracker_.arrived(arrival(id, start));
    Ps t = static_cast<Ps>(random.below(static_cast<std::uint64_t>(length)));
    tracker_.dispatched(id, 5, start + t);
    paint(base, t, static_cast<int>(Phase::link_command));
    for (std::uint64_t n = random.below(6); n-- > 0 && t < length;) {
      t += static_cast<Ps>(random.below(60));
      const Phase p = kBase[random.below(4)];
      tracker_.base(5, p, start + t);
      paint(base, t, static_cast<int>(p));
    }
    const auto play = [&](std::vector<int>& track, bool is_media) {
      Ps at = 0;
      for (std::uint64_t n = random.below(8); n-- > 0;) {
        at += static_cast<Ps>(random.below(50));
        if (at >= length) break;
        const bool done = random.chance(0.3);
        const Phase p = is_media ? kMedia[random.below(4)] : kLink[random.below(2)];
        if (done) {
          is_media ? tracker_.media_done(5, start + at) : tracker_.link_done(5, start + at);
        } else {
          is_media ? tracker_.media(5, p, start + at) : tracker_.link(5, p, start + at);
        }
        paint(track, at, done ? 255 : static_cast<int>(p));
      }
      is_media ? tracker_.media_done(5, start + length) : tracker_.link_done(5, start + length);
    };
    play(media, true);
    play(link, false);
    tracker_.completed(5, true, 0, start + length);

    std::array<Ps, kPhases> expected{};
    Ps overlapped = 0;
    std::vector<int> winners;
    for (std::size_t i = 0; i < static_cast<std::size_t>(length); ++i) {
      const int winner = media[i] != 255 ? media[i] : link[i] != 255 ? link[i] : base[i];
      ++expected[static_cast<std::size_t>(winner)];
      if (media[i] != 255 && link[i] != 255) ++overlapped;
      winners.push_back(winner);
    }
    const auto& done = sink_.requests.back();
    ASSERT_EQ(done.record.phases, expected) << "request " << id;
    ASSERT_EQ(done.record.link_overlapped, overlapped);
    for (const Segment& segment : done.timeline) {
      ASSERT_LT(segment.begin, segment.end);
      for (Ps at = segment.begin; at < segment.end; ++at) {
        ASSERT_EQ(winners[static_cast<std::size_t>(at - start)], static_cast<int>(segment.phase));
      }
    }
    sink_.requests.clear();
  }
}

TEST_F(RequestTrackerTest, FindsEveryWaitingRequestAgainAmongThousands) {
  RandomStream random(3, "waiting");
  std::map<std::uint64_t, Ps> waiting;  // what should wait
  Ps t = 0;
  std::uint64_t next = 0;
  for (int step = 0; step < 60'000; ++step) {
    ++t;
    if (waiting.size() < 20 || random.chance(0.52)) {
      const std::uint64_t id = next++ * 1024;  // ids that a poor hash would throw together
      tracker_.arrived(arrival(id, t));
      waiting[id] = t;
    } else {
      auto chosen = waiting.lower_bound(random.below(next) * 1024);
      if (chosen == waiting.end()) chosen = waiting.begin();
      tracker_.dispatched(chosen->first, 0, t);
      tracker_.completed(0, true, 0, t);
      ASSERT_EQ(sink_.requests.back().record.id, chosen->first);
      ASSERT_EQ(sink_.requests.back().record.arrival, chosen->second);
      sink_.requests.clear();
      waiting.erase(chosen);
    }
    ASSERT_EQ(tracker_.waiting(), waiting.size());
  }
  const auto left = tracker_.unfinished();
  ASSERT_EQ(left.size(), waiting.size());
  auto expected = waiting.begin();
  for (const Arrival& each : left) {
    EXPECT_EQ(each.id, expected->first);
    ++expected;
  }
}

}  // namespace
}  // namespace armature::observe
