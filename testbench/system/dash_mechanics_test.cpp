// Drives of all kinds in the taxonomy of intra-disk parallelism: each access begins when arithmetic says that a head of
// the arm that went comes over its sector, hardly ever is another arm or head sooner there, and what a host's oracle is
// told is the same.
#include "armature/core/kernel_time.h"
#include "armature/core/random.h"
#include "armature/firmware/fw_abi.h"
#include "support/drive_bench.h"
#include "support/mechanics_recorder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace armature::testing {
namespace {

using drive::ArmsParams;

constexpr Ps kTurn = 10 * kPsPerMs;
constexpr Ps kStart = 20 * kPsPerMs;  // firmware is up
constexpr std::uint32_t kCylinders = 200;
constexpr unsigned kRequests = 150;

/// A drive whose numbers fit together; seeds run over all that there is.
drive::DriveParams random_drive(RandomStream& random) {
  drive::DriveParams params = round_drive();
  ArmsParams& arms = params.arms;
  do {
    arms.stacks = static_cast<std::int64_t>(1 + random.below(3));
    arms.count = static_cast<std::int64_t>(1 + random.below(4));
    arms.surfaces = static_cast<std::int64_t>(1 + random.below(3));
    arms.surface_access = static_cast<ArmsParams::SurfaceAccess>(random.below(2));
  } while (arms.arms() > 8);
  arms.range = static_cast<ArmsParams::RangeOfArms>(random.below(2));
  arms.heads = static_cast<std::int64_t>(1 + random.below(4));
  arms.head_placement = static_cast<ArmsParams::HeadPlacement>(random.below(2));
  if (arms.head_placement == ArmsParams::radial) arms.head_spacing_cylinders = random.below(2) == 0 ? 0 : 30;
  if (random.below(2) == 0)
    for (std::int64_t i = 0; i < arms.count; ++i) arms.angle_deg.push_back(static_cast<double>(random.below(360)));
  if (random.below(2) == 0)
    for (std::int64_t i = 0; i < arms.stacks; ++i)
      arms.stack_phase_rev.push_back(static_cast<double>(random.below(1000)) / 1000);
  const std::int64_t striped = arms.surface_access == ArmsParams::striped ? arms.surfaces : 1;
  params.geometry.heads =
      static_cast<std::int64_t>(arms.arms()) * striped * static_cast<std::int64_t>(1 + random.below(2));
  params.spindle.index_phase_rev = 0.3;
  return params;
}

/// From the definitions: where every head of the drive is, and when it comes over a sector.
class Arithmetic {
 public:
  explicit Arithmetic(const drive::DriveParams& params)
      : params_(params),
        arms_(params.arms),
        stacks_(static_cast<unsigned>(arms_.stacks)),
        assemblies_(static_cast<unsigned>(arms_.count)),
        parts_(arms_.surface_access == ArmsParams::independent ? static_cast<unsigned>(arms_.surfaces) : 1),
        surfaces_(static_cast<unsigned>(params.geometry.heads) /
                  (arms_.surface_access == ArmsParams::striped ? static_cast<unsigned>(arms_.surfaces) : 1)),
        cylinder(positioners()),
        surface(positioners()) {
    for (unsigned arm = 0; arm < positioners(); ++arm) surface[arm] = first(arm);
  }

  unsigned positioners() const { return stacks_ * assemblies_ * parts_; }
  unsigned heads() const { return static_cast<unsigned>(arms_.heads); }

  /// When the head comes over the sector, if its arm begins to move at `start`; never, if it cannot be there.
  Ps first_sector(unsigned arm, unsigned head, const media::Location& at, Ps start) const {
    if (at.head < first(arm) || at.head >= first(arm) + run()) return kNever;
    const std::int64_t spacing =
        arms_.head_spacing_cylinders > 0 ? arms_.head_spacing_cylinders : kCylinders / arms_.heads;
    const bool radial = arms_.head_placement == ArmsParams::radial;
    const std::int64_t to = at.cylinder - (radial ? head * spacing : 0);
    if (to < 0) return kNever;
    const std::int64_t distance = std::abs(to - std::int64_t{cylinder[arm]});
    Ps move = distance == 0 ? 0 : kPsPerMs + (distance - 1) * 10 * kPsPerUs;
    if (at.head != surface[arm]) move = std::max(move, kPsPerMs / 2);
    const Ps clock = params_.controller.cpu_period();
    const Ps from = (start + move + clock - 1) / clock * clock + params_.firmware.handler_cycles(FW_IRQ_SRV0) * clock;
    const unsigned stack = arm / (assemblies_ * parts_), assembly = arm / parts_ % assemblies_;
    const double mounted =
        arms_.angle_deg.empty() ? static_cast<double>(assembly) / assemblies_ : arms_.angle_deg[assembly] / 360;
    const double phase =
        arms_.stack_phase_rev.empty() ? static_cast<double>(stack) / stacks_ : arms_.stack_phase_rev[stack];
    const long double passes =
        static_cast<long double>(at.angle.numerator) / static_cast<long double>(at.angle.denominator) + ticks(mounted) +
        (radial ? 0 : ticks(static_cast<double>(head) / heads())) - phase - 0.3L;
    const long double first = (passes - std::floor(passes)) * kTurn;
    const long double turns = std::ceil((static_cast<long double>(from) - first) / kTurn - 1e-10L);
    return std::llround(first + turns * kTurn);
  }
  Ps soonest(unsigned arm, const media::Location& at, Ps start) const {
    Ps least = kNever;
    for (unsigned head = 0; head < heads(); ++head) least = std::min(least, first_sector(arm, head, at, start));
    return least;
  }
  Ps soonest(const media::Location& at, Ps start) const {
    Ps least = kNever;
    for (unsigned arm = 0; arm < positioners(); ++arm) least = std::min(least, soonest(arm, at, start));
    return least;
  }

  static constexpr Ps kNever = std::numeric_limits<Ps>::max();

 private:
  static long double ticks(double turns) { return static_cast<long double>(std::llround(turns * 65'536)) / 65'536; }
  /// Surfaces of a positioner.
  unsigned run() const { return surfaces_ / (arms_.range == ArmsParams::split ? positioners() : stacks_ * parts_); }
  unsigned first(unsigned arm) const {
    const unsigned shared = arm / (assemblies_ * parts_) * parts_ + arm % parts_;
    return run() * (arms_.range == ArmsParams::split ? arm : shared);
  }

  const drive::DriveParams params_;
  const ArmsParams arms_;
  const unsigned stacks_, assemblies_, parts_, surfaces_;

 public:
  std::vector<std::uint32_t> cylinder, surface;  ///< where each arm stands
};

class DashMechanics : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(DashMechanics, AccessesBeginWhenTheSoonestHeadIsOverTheirSector) {
  RandomStream random(GetParam(), "dash mechanics");
  BenchParams params;
  params.drive = random_drive(random);
  params.drive.cache.look_ahead = false;
  SCOPED_TRACE(params.drive.arms.dash());
  const media::Geometry geometry(params.drive.layout());
  std::vector<workload::Request> requests;
  for (unsigned i = 0; i < kRequests; ++i)
    requests.push_back(read_request(kStart + i * 60 * kPsPerMs + static_cast<Ps>(random.below(20 * kPsPerMs)),
                                    random.below(geometry.sectors()), 1));
  ListSource source(requests);
  DriveBench bench("bench", params, source);
  Arithmetic drive(params.drive);
  const auto look_at_arms = [&] {
    for (unsigned arm = 0; arm < drive.positioners(); ++arm)
      drive.cylinder[arm] = bench.disk().positions().arm_cylinder(arm * drive.heads());
  };
  look_at_arms();
  unsigned soonest = 0, let_pass = 0, oracle_wrong = 0;
  bench.on_completed = [&](const observe::CompletedRequest& done) {
    ASSERT_EQ(done.accesses.size(), 1u);
    const observe::AccessTiming& timing = done.accesses[0];
    const MediaAccess& access = timing.access;
    const media::Location at = geometry.locate(done.record.lbn);
    ASSERT_LT(access.arm, drive.positioners());
    ASSERT_EQ(access.head, at.head);
    bool right = false;
    for (unsigned head = 0; head < drive.heads(); ++head) {
      const Ps expected = drive.first_sector(access.arm, head, at, timing.move_at);
      if (expected == Arithmetic::kNever) continue;
      right = right || std::abs(access.first_sector_at - expected) <= 2;
      if (std::abs(access.first_sector_at - expected - kTurn) <= 2) ++let_pass;
    }
    EXPECT_TRUE(right || let_pass > 0) << "request " << done.record.id << ", arm " << access.arm;
    soonest += access.first_sector_at <= drive.soonest(at, timing.move_at) + 2;
    drive.surface[access.arm] = at.head;
    look_at_arms();
    if (done.record.id + 1 == kRequests) return;
    const workload::Request& next = requests[done.record.id + 1];
    const media::Location there = geometry.locate(next.lbn);
    const Ps start = next.arrival + 12'345'678;
    const PositionModel& positions = bench.disk().positions();
    const Ps told = start + positions.positioning_time(positions.place(next.lbn), Operation::read, start);
    oracle_wrong += std::abs(told - drive.soonest(there, start)) > 2;
  };
  bench.run();
  EXPECT_EQ(bench.completions(), kRequests);
  EXPECT_EQ(bench.failures(), 0u);
  EXPECT_EQ(oracle_wrong, 0u);
  EXPECT_LE(let_pass, 2u);
  EXPECT_GE(soonest, kRequests * 97 / 100) << "the unit reckons with a margin";
}

INSTANTIATE_TEST_SUITE_P(Drives, DashMechanics, ::testing::Range<std::uint64_t>(0, 24));

TEST(DashPower, AllStacksMustBeAtSpeedAndAllOfThemStopWhenPowerFails) {
  BenchParams params;
  params.drive = round_drive();
  params.drive.geometry.heads = 6;
  params.drive.arms.stacks = 3;
  params.drive.arms.count = 2;
  params.drive.spindle.initially_spinning = false;
  params.drive.spindle.spin_up_s = 0.5;
  params.drive.spindle.spin_down_s = 0.4;
  params.drive.seek.load_ms = 40;
  params.drive.seek.unload_ms = 30;
  ListSource source({read_request(kStart, 0, 1), read_request(kPsPerSecond, 5000, 1)});
  MechanicsRecorder recorder;
  DriveBench bench("bench", params, source, nullptr, &recorder);
  sc_core::sc_start(to_sc_time(2 * kPsPerSecond));
  ASSERT_EQ(bench.completions(), 2u);
  EXPECT_GT(bench.finished.at(0).accesses.at(0).access.first_sector_at, kPsPerSecond / 2 + from_ms(40));
  bench.disk().power_off();
  sc_core::sc_start(to_sc_time(kPsPerSecond));
  EXPECT_TRUE(bench.disk().parked());
  unsigned stacks = 0;
  for (const auto& [path, states] : recorder.states) {
    if (path.find("spn") == std::string::npos) continue;
    EXPECT_EQ(path, "bench.disk.spn" + std::to_string(stacks++));
    ASSERT_EQ(states.size(), 4u) << path;
    EXPECT_EQ(states[1].state, 2u) << "at speed";
    EXPECT_EQ(states[1].at - states[0].at, kPsPerSecond / 2);
    EXPECT_EQ(states[2], (MechanicsRecorder::StateEntered{3, 2 * kPsPerSecond})) << "spin-down";
    EXPECT_EQ(states[3], (MechanicsRecorder::StateEntered{0, 2 * kPsPerSecond + from_ms(400)}));
  }
  EXPECT_EQ(stacks, 3u);
}

}  // namespace
}  // namespace armature::testing
