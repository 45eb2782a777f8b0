// Drives whose writers sit apart from their readers, on tracks with servo wedges: they keep what is written, move the
// arm between reading and writing a track, and predict it.
#include "contents_setups.h"
#include "support/drive_file.h"

#include "armature/workload/params.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace armature::testing {
namespace {

/// 5 um a track. To write, the arm is 8 tracks further in outside, and 4 further out inside.
void apart(drive::DriveParams& params) {
  const auto cylinders = static_cast<double>(media::Geometry(params.geometry).cylinders());
  params.format.outer_radius_mm = 46;
  params.format.inner_radius_mm = 46 - 0.005 * (cylinders - 1);
  params.head.arm_length_mm = 50;
  params.head.pivot_distance_mm = 55;
  params.head.writer_along_um = 60;
  params.head.writer_across_um = 25;
}

void wedged(drive::DriveParams& params) {
  params.format.servo_wedges = 60;
}

void apart_and_wedged(drive::DriveParams& params) {
  apart(params);
  wedged(params);
}

void apart_4096(drive::DriveParams& params) {
  setups::physical_4096_with_caches(params);
  apart_and_wedged(params);
}
void apart_4096_late(drive::DriveParams& params) {
  setups::late_destage(params);
  physical_4096(params);
  apart(params);
}
void apart_caches(drive::DriveParams& params) {
  setups::caches(params);
  apart_and_wedged(params);
}
void apart_policies(drive::DriveParams& params) {
  setups::read_policies_and_hardware_hits(params);
  apart_and_wedged(params);
}
void defects_4096(drive::DriveParams& params) {
  setups::physical_4096_with_caches(params);
  params.geometry.zones[0].spares = 800;
  params.geometry.zones[1].spares = 800;
  params.geometry.slips.clear();
  params.geometry.remaps.clear();
  for (int i = 0; i < 30; ++i)
    params.faults.push_back(drive::grown_defect(18'005 + i * 64 + (i > 15 ? 2'000 : 0), i * 0.05));
  apart(params);
}
void defects(drive::DriveParams& params) {
  defects_4096(params);
  params.geometry = round_drive_with_contents(false).geometry;
  params.geometry.slips.clear();
  apart(params);
}

constexpr ContentsSetup kSetups[] = {
    {"wedges", wedged},
    {"no_caches", apart_and_wedged},
    {"caches", apart_caches, 0.005},
    {"read_policies", apart_policies, 0.002},
    {"physical_4096", apart_4096, 0.005},
    {"physical_4096_late", apart_4096_late},
    {"defects", defects},
    {"defects_4096", defects_4096},
};

struct Arms {
  const char* name;
  std::int64_t count;
  drive::ArmsParams::Design design;
  std::int64_t heads = 1;
};
constexpr Arms kArms[] = {{"one_arm", 1, drive::ArmsParams::own},
                          {"MC3", 3, drive::ArmsParams::MC},
                          {"MA3", 3, drive::ArmsParams::MA},
                          {"two_heads", 2, drive::ArmsParams::MC, 2}};

class JogContents : public ::testing::TestWithParam<std::tuple<Arms, ContentsSetup>> {};

TEST_P(JogContents, EveryReadBringsWhatWasWritten) {
  const auto [arms, setup] = GetParam();
  constexpr std::uint64_t kCount = 6'000;
  BenchParams params;
  params.drive = round_drive_with_contents(true);
  setup.set(params.drive);
  params.drive.arms.count = arms.count;
  params.drive.arms.design = arms.design;
  params.drive.arms.heads = arms.heads;
  run_hot_load(params, kCount, setup.beyond_share);
}

INSTANTIATE_TEST_SUITE_P(Drive, JogContents,
                         ::testing::Combine(::testing::ValuesIn(kArms), ::testing::ValuesIn(kSetups)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "_" + std::get<1>(test.param).name;
                         });

TEST(Jog, TheArmStandsBesideATrackThatItWrites) {
  BenchParams params;
  params.drive = round_drive();
  apart(params.drive);
  // Read a track, write it, write it once more, read it: two moves between, and none between the writes.
  std::vector<workload::Request> requests;
  const Ps apart_ms = 200 * kPsPerMs;
  const std::uint64_t lbn = 9'000;
  requests.push_back(read_request(0 * apart_ms + kPsPerMs, lbn, 4));
  requests.push_back(write_request(1 * apart_ms, lbn, 4));
  requests.push_back(write_request(2 * apart_ms, lbn + 8, 4));
  requests.push_back(read_request(3 * apart_ms, lbn, 4));
  ListSource source(requests);
  DriveBench bench("bench", params, source);
  const std::uint32_t cylinder = bench.disk().locate(lbn).cylinder;
  std::vector<std::uint32_t> places;
  bench.on_completed = [&](const observe::CompletedRequest&) {
    places.push_back(bench.disk().positions().arm_cylinder(0));
  };
  bench.run();
  // From the triangle, worked out on paper: sines 0.3435 outside and, 199 tracks of 5 um further in, 0.3352; the
  // reader is 60 um and 25 um times sine and cosine further in, 8.82 and 8.73 tracks: 9 here.
  ASSERT_EQ(places.size(), 4u);
  EXPECT_EQ(places[0], cylinder);
  EXPECT_EQ(places[1], cylinder + 9);
  EXPECT_EQ(places[2], cylinder + 9);
  EXPECT_EQ(places[3], cylinder);
  const auto seek = [&](std::uint64_t id) { return bench.finished.at(id).record; };
  for (const std::uint64_t id : {1, 3}) {
    Ps moved = 0;
    for (const observe::Segment& segment : bench.finished.at(id).timeline)
      if (segment.phase == Phase::seek) moved += segment.end - segment.begin;
    const actuator::SeekProfile profile(params.drive.seek, 200 + 9);
    EXPECT_EQ(moved, profile.seek(9)) << "request " << id << " moves by 9 cylinders, " << seek(id).seek_cylinders;
  }
  Ps again = 0;
  for (const observe::Segment& segment : bench.finished.at(2).timeline)
    if (segment.phase == Phase::seek) again += segment.end - segment.begin;
  EXPECT_EQ(again, 0);
}

/// What the drive tells a host's policy of reads and writes, asked before each command for the time at which its arm
/// will set out: so long after the command's arrival as with the last command of its kind.
TEST(Jog, TheHostsEstimateIsExact) {
  BenchParams params;
  params.drive = round_drive();
  apart_and_wedged(params.drive);
  const media::Geometry geometry(params.drive.layout());
  RandomStream random(4, "estimates");
  std::vector<workload::Request> requests;
  for (int i = 0; i < 400; ++i) {
    const Ps arrival = (i + 1) * 80 * kPsPerMs + static_cast<Ps>(random.below(20'000)) * kPsPerUs;
    const std::uint64_t lbn = random.below(geometry.sectors());
    requests.push_back(random.chance(0.5) ? write_request(arrival, lbn, 1) : read_request(arrival, lbn, 1));
  }
  ListSource source(requests);
  DriveBench bench("bench", params, source);
  Ps lead[2] = {0, 0}, start = 0, told = 0;
  int compared[2] = {0, 0}, wrong = 0;
  bench.on_completed = [&](const observe::CompletedRequest& done) {
    ASSERT_EQ(done.accesses.size(), 1u);
    const observe::AccessTiming& timing = done.accesses[0];
    const bool write = done.record.operation == Operation::write;
    if (timing.move_at == start) {
      ++compared[write];
      wrong += std::llabs(timing.access.first_sector_at - told) > 2;
    }
    lead[write] = timing.move_at - done.record.arrival;
    if (done.record.id + 1 == requests.size()) return;
    const workload::Request& next = requests[done.record.id + 1];
    const PositionModel& positions = bench.disk().positions();
    start = next.arrival + lead[next.operation == Operation::write];
    told = start + positions.positioning_time(positions.place(next.lbn), next.operation, start);
  };
  bench.run();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(compared[0], 50);
  EXPECT_GT(compared[1], 50);
}

/// Requests of a random load, whose predictions come true within a tick.
TEST(Jog, PredictionsComeTrue) {
  BenchParams params;
  config::read(load_drive_sections("formats/seagate_barracuda_es_750"), params.drive);
  params.drive.head.writer_along_um = 6;
  params.drive.head.writer_across_um = 1;
  params.drive.cache.look_ahead = params.drive.cache.write = false;
  const fw_jog jog = params.drive.head.jog(params.drive.format, media::Geometry(params.drive.layout()).cylinders());
  EXPECT_GT(fw_jog_tracks(&jog, 0), 10) << "tracks are 0.175 um apart";
  workload::WorkloadParams load;
  load.kind = workload::WorkloadParams::closed;
  load.count = 10'000;
  load.outstanding = 16;
  load.think_ms = 0;
  load.read_fraction = 0.5;
  const auto source = workload::make_source(load, 5, media::Geometry(params.drive.layout()).sectors(), "");
  DriveBench bench("bench", params, *source);
  bench.keep = false;
  const Ps tick = static_cast<Ps>(60 * 1e12 / params.drive.spindle.rpm) / 65'536 + 1;
  std::int64_t predicted = 0, writes = 0, wrong = 0;
  bench.on_completed = [&](const observe::CompletedRequest& request) {
    const observe::RequestRecord& r = request.record;
    if (r.accesses == 0 || r.predicted_positioning == observe::kNoTime) return;
    if (r.miss_cause == observe::MissCause::late_data) return;
    ++predicted;
    writes += r.operation == Operation::write;
    // The angle of a write is rounded twice: the sector's, and the way from reader to writer.
    if (std::llabs(r.positioning - r.predicted_positioning) > 2 * tick && ++wrong <= 3)
      ADD_FAILURE() << "request " << r.id << ": predicted " << r.predicted_positioning << " ps, was " << r.positioning;
  };
  bench.run();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(bench.failures(), 0u);
  EXPECT_GT(predicted, 9'000);
  EXPECT_GT(writes, 4'000);
}

}  // namespace
}  // namespace armature::testing
