#include "armature/drive/arms_params.h"

#include "armature/core/conversions.h"
#include "armature/core/error.h"
#include "armature/core/random.h"
#include "armature/core/typed_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace armature::drive {
namespace {

constexpr double kMostArms = ArmsParams::kMost;
constexpr std::string_view kDesigns[] = {"own", "SA", "MA", "MC", "serial"};

[[noreturn]] void fail(std::string_view key, const std::string& what) {
  throw InputError(fmt::format("arms.{}: {}", key, what));
}

void in_range(std::string_view key, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least || value > most) fail(key, fmt::format("{} is not in {} .. {}", value, least, most));
}

const char* plural(std::int64_t number) {
  return number == 1 ? "" : "s";
}

std::uint32_t whole_ticks(double turns) {
  return static_cast<std::uint32_t>(std::llround(turns * static_cast<double>(kTicksPerTurn)) % kTicksPerTurn);
}

/// What arms do at the same time.
void concurrency_keys(ArmsParams& p, KeyVisitor& visitor) {
  choice(visitor, "design", p.design, {kDesigns[0], kDesigns[1], kDesigns[2], kDesigns[3], kDesigns[4]},
         "What the arms (all of the drive, each part of an assembly for itself) may do at once. SA: one moves, one "
         "channel transfers, and others may be on their track meanwhile; MA: all move, one channel transfers; MC: a "
         "channel for each arm; serial: one request in service, from the start of its seek to the end of its transfer; "
         "own: as the next three keys say");
  visitor.key(
      "max_in_service", p.max_in_service, "", {0, kMostArms},
      "Most arms with a request at once, from the grant until they come to rest; 0: all, or the design's number");
  visitor.key("max_moving", p.max_moving, "", {0, kMostArms},
              "Most arms that move to a request's first track at once (steps to its further tracks do not count); 0: "
              "all, or the design's number");
  visitor.key("channels", p.channels, "", {0, kMostArms},
              "Data channels: most arms that transfer at once; 0: one for each arm, or the design's number");
  choice(visitor, "channel_policy", p.channel_policy, {"first_come", "least_wait"},
         "With fewer channels than arms: which arm on its track gets a channel that is free: the one that asked "
         "first, or the one whose first sector comes first");
  visitor.key("channel_lead_us", p.channel_lead_us, "us", {0, 100'000},
              "With more arms at work than channels: time before its first sector at which an arm takes a channel, in "
              "addition to the time of handlers and preamplifier; from a revolution on, as soon as it is on its track");
  visitor.key("prepare_us", p.prepare_us, "us", {0, 100'000},
              "Time from the handler of a grant until the arm starts, for what the drive's processors prepare "
              "meanwhile; firmware attends to the other arms");
}

/// Where arms stand and wait.
void place_keys(ArmsParams& p, KeyVisitor& visitor) {
  visitor.list("angle_deg", p.angle_deg, "deg", {0, 360},
               "Mounting angle of each arm assembly around the spindle: the angle by which a sector passes later under "
               "its heads than in the layout. All stacks are alike. Empty: evenly spaced, the first at 0");
  visitor.list("start", p.start, "", {0, 1},
               "Position of each arm assembly when the drive is switched on with its disks turning, as a part of the "
               "stroke from cylinder 0. All stacks are alike. Empty: evenly spaced, the first at 0; with "
               "range = \"split\" all at 0");
  choice(visitor, "placement", p.placement, {"stay", "follow", "spread", "zone"},
         "Where an idle arm waits if there are several. spread: the arms that reach the same surfaces divide the last "
         "64 accesses by cylinder, and each waits in the middle of its part; zone: they divide the stroke in this way; "
         "stay: it stays; follow: it stays if it is among these accesses, otherwise as with spread");
  visitor.key("placement_after_ms", p.placement_after_ms, "ms", {0, 1e6},
              "Idle time after which an arm goes to its place (placement), if no request waits for an arm");
  visitor.key("placement_near", p.placement_near, "", {0, 1},
              "spread, zone: part of the stroke; an arm that is closer to its place than this stays");
  rows(visitor, "failures", p.failures,
       {{"time", "s", &ArmFailure::time_s, {0, 1e9}}, {"arm", "", &ArmFailure::arm, {0, kMostArms - 1}}},
       "Old form of [[faults]] of kind stuck_arm: time and number of the arm (from 0; by stack, then assembly, then "
       "part)");
  rows(visitor, "head_failures", p.head_failures,
       {{"time", "s", &HeadFailure::time_s, {0, 1e9}},
        {"arm", "", &HeadFailure::arm, {0, kMostArms - 1}},
        {"surface", "", &HeadFailure::surface, {0, media::Geometry::kMaxHeads - 1.0}},
        {"head", "", &HeadFailure::head, {-1, static_cast<double>(ArmsParams::kMostHeads - 1)}}},
       "Old form of [[faults]] of kind dead_head: time, arm, surface of the drive, and the number of the arm's head "
       "there (from 0; -1: all)");
}

}  // namespace

void ArmsParams::keys(KeyVisitor& visitor) {
  visitor.key("stacks", stacks, "", {1, kMostArms},
              "Disk stacks, each with a spindle of its own and an equal part of geometry.heads, in order");
  visitor.key("disk_scale", disk_scale, "", {0.2, 1},
              "Diameter of the disks against those of which geometry and power tell, hub and all. Tracks of a surface, "
              "sectors of a track and the stroke shrink with it, windage with its power 4.6, inertia with its power 4");
  visitor.key("count", count, "", {1, kMostArms}, "Arm assemblies on each stack");
  visitor.key("surfaces", surfaces, "", {1, kMostArms}, "Surfaces of a stack that an arm assembly accesses at once");
  choice(
      visitor, "surface_access", surface_access, {"independent", "striped"},
      "With several surfaces at once: independent: each assembly has one part for each of these surfaces, with its own "
      "motor and servo and an equal run of adjacent surfaces; striped: the bits of each sector are spread over this "
      "number of adjacent surfaces of a cylinder, which transfer together: a track has the sectors of all of them");
  visitor.key("misalignment_tracks", misalignment_tracks, "tracks", {0, 1e5},
              "striped: heads of an arm do not stand above each other: 1 sigma of a head's distance from its track, "
              "drawn anew for each cylinder and surface, while the arm is on the cylinder. 0: they do");
  visitor.key("micro_actuator_tracks", micro_actuator_tracks, "tracks", {0, 1e5},
              "striped: each head has an actuator of its own, and reaches so many tracks to either side; 0: none has");
  visitor.key("alignment_window", alignment_window, "tracks", {0, 0.5},
              "striped: a head no farther from the middle of its track than this transfers. Heads that are not on "
              "track together transfer in turns of their own");
  visitor.key("alignment_seed", alignment_seed, "", {0, 1e9}, "Where the random offsets of the heads begin");
  choice(visitor, "range", range, {"shared", "split"},
         "shared: the assemblies of a stack reach all of its surfaces; split: each assembly, or part, has its own "
         "equal run of adjacent surfaces, and on them an equal contiguous part of the LBAs, and of each zone's spares "
         "(rounded up)");
  visitor.key("heads", heads, "", {1, static_cast<double>(kMostHeads)}, "Heads of an arm on a surface");
  choice(visitor, "head_placement", head_placement, {"radial", "equal_radius"},
         "With several heads on a surface: along the arm, on different cylinders, or on the same one, at "
         "different angles");
  visitor.key("head_spacing_cylinders", head_spacing_cylinders, "", {0, media::Geometry::kMaxCylinders - 1.0},
              "radial: distance from one head to the next, towards higher cylinder numbers; 0: the "
              "drive's cylinders divided by the heads");
  visitor.key(
      "head_spacing_deg", head_spacing_deg, "deg", {0, 360},
      "equal_radius: angle by which a sector passes later under each head than under the one before; 0: a turn divided "
      "by the heads");
  visitor.key("fixed_cylinders", fixed_cylinders, "", {0, media::Geometry::kMaxCylinders - 1.0},
              "Cylinders whose tracks have a head each, on one more arm that never moves (as the IBM 3340-70F); the "
              "others have no heads there. 0: there is no such arm");
  visitor.key("fixed_first", fixed_first, "", {0, media::Geometry::kMaxCylinders - 1.0},
              "The first of fixed_cylinders");
  visitor.list("stack_phase_rev", stack_phase_rev, "rev", {0, 1},
               "Angle of each stack against spindle.index_phase_rev. Empty: evenly spaced, the first at 0");

  concurrency_keys(*this, visitor);
  place_keys(*this, visitor);
}

void ArmsParams::check() const {
  check_counts();
  check_fixed();
  check_limits();
  check_places();
}

void ArmsParams::check_counts() const {
  in_range("stacks", stacks, 1, kMost);
  in_range("count", count, 1, kMost);
  in_range("surfaces", surfaces, 1, kMost);
  in_range("heads", heads, 1, kMostHeads);
  if (stacks * count * parts() > kMost)
    fail("count",
         fmt::format("{} stack{} with {} arm assembl{}{} are {} arms, and a drive has at most {}; lower arms.stacks, "
                     "arms.count or arms.surfaces",
                     stacks, plural(stacks), count, count == 1 ? "y" : "ies",
                     parts() == 1 ? "" : fmt::format(" of {} independent parts", parts()), stacks * count * parts(),
                     kMost));
}

void ArmsParams::check_fixed() const {
  if (!has_fixed()) {
    if (fixed_first != 0) fail("fixed_first", "is of arms.fixed_cylinders, which is not given");
    return;
  }
  if (stacks > 1 || surfaces > 1 || heads > 1 || range == split)
    fail("fixed_cylinders",
         "an arm with fixed heads goes with one stack, one surface at once, one head a surface and "
         "arms.range = \"shared\"; leave arms.stacks, surfaces, heads and range out");
  if (arms() > kMost)
    fail("fixed_cylinders",
         fmt::format("with the fixed one the drive has {} arms, and at most {}; lower arms.count", arms(), kMost));
}

void ArmsParams::check_limits() const {
  const std::int64_t all = arms();
  struct Knob {
    std::string_view name;
    std::int64_t given;
    std::int64_t designed;
  };
  const Knob knobs[] = {{"max_in_service", max_in_service, design == serial ? 1 : all},
                        {"max_moving", max_moving, design == SA || design == serial ? 1 : all},
                        {"channels", channels, design == MC ? all : 1}};
  for (const Knob& knob : knobs) {
    if (knob.given > all) fail(knob.name, fmt::format("{} for {} arm{}", knob.given, all, plural(all)));
    if (design != own && knob.given != 0 && knob.given != knob.designed)
      fail(knob.name, fmt::format("{} contradicts arms.design = \"{}\" of {} arms, where it is {}; use \"own\"",
                                  knob.given, kDesigns[design], all, knob.designed));
  }
  if (max_in_service != 0 && max_moving > max_in_service)
    fail("max_moving",
         fmt::format("{}, but arms.max_in_service allows only {} to have a request", max_moving, max_in_service));
  if (max_in_service != 0 && channels > max_in_service)
    fail("channels",
         fmt::format("{}, but arms.max_in_service allows only {} to have a request", channels, max_in_service));
}

void ArmsParams::check_places() const {
  if (!angle_deg.empty() && angle_deg.size() != static_cast<std::size_t>(count))
    fail("angle_deg", fmt::format("{} angles for {} arm{}", angle_deg.size(), count, plural(count)));
  for (const double angle : angle_deg)
    if (angle >= 360) fail("angle_deg", "360 is 0: angles must be less");
  if (!start.empty() && start.size() != static_cast<std::size_t>(count))
    fail("start", fmt::format("{} places for {} arm{}", start.size(), count, plural(count)));
  if (!stack_phase_rev.empty() && stack_phase_rev.size() != static_cast<std::size_t>(stacks))
    fail("stack_phase_rev",
         fmt::format("{} angles for arms.stacks = {}; give one a stack, or none", stack_phase_rev.size(), stacks));
  for (const double phase : stack_phase_rev)
    if (!(phase >= 0 && phase < 1)) fail("stack_phase_rev", fmt::format("{} is not from 0 to below 1", phase));
  if (head_placement == radial && head_spacing_deg != 0)
    fail("head_spacing_deg", "is of arms.head_placement = \"equal_radius\"; radial heads have head_spacing_cylinders");
  if (head_placement == equal_radius && head_spacing_cylinders != 0)
    fail("head_spacing_cylinders",
         "is of arms.head_placement = \"radial\"; heads at equal radius have head_spacing_deg");
  if (head_spacing_deg * static_cast<double>(heads - 1) >= 360)
    fail("head_spacing_deg", fmt::format("{} heads that far apart take up more than a turn", heads));
}

unsigned ArmsParams::passes(std::uint32_t cylinder, std::uint32_t head) const {
  if (!misaligned()) return 1;
  const RandomField random(static_cast<std::uint64_t>(alignment_seed));
  std::vector<double> offsets;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(surfaces); ++i) {  // Box and Muller 1958
    const double length = std::sqrt(-2 * std::log(random.uniform(cylinder, head, 2 * i)));
    const double turn = 2 * std::acos(-1.0) * random.uniform(cylinder, head, 2 * i + 1);
    offsets.push_back(misalignment_tracks * length * std::cos(turn));
  }
  std::sort(offsets.begin(), offsets.end());
  // From the outermost on: the arm goes as far as this one allows, and takes along all that are in reach there.
  const double span = 2 * (micro_actuator_tracks + alignment_window);
  unsigned turns = 0;
  double until = 0;
  for (const double offset : offsets) {
    if (turns > 0 && offset <= until) continue;
    ++turns;
    until = offset + span;
  }
  return turns;
}

unsigned ArmsParams::parts() const {
  return surface_access == independent ? static_cast<unsigned>(surfaces) : 1;
}

unsigned ArmsParams::arms() const {
  return moving_arms() + (has_fixed() ? 1 : 0);
}

unsigned ArmsParams::stack_of(unsigned arm) const {
  if (is_fixed(arm)) return 0;
  return arm / (static_cast<unsigned>(count) * parts());
}

unsigned ArmsParams::channel_count() const {
  if (design == SA || design == MA || design == serial) return 1;
  return design == MC || channels == 0 ? arms() : static_cast<unsigned>(channels);
}

unsigned ArmsParams::in_service_limit() const {
  const std::int64_t limit = design == serial ? 1 : max_in_service;
  return limit < arms() ? static_cast<unsigned>(limit) : 0;
}

unsigned ArmsParams::moving_limit() const {
  const std::int64_t limit = design == SA || design == serial ? 1 : max_moving;
  const unsigned in_service = in_service_limit();
  if (limit == 0 || limit >= arms() || (in_service != 0 && limit >= in_service)) return 0;
  return static_cast<unsigned>(limit);
}

std::vector<std::uint32_t> ArmsParams::angle_ticks() const {
  std::vector<std::uint32_t> ticks;
  for (unsigned i = 0; i < moving_arms(); ++i) {
    const auto assembly = i / parts() % static_cast<unsigned>(count);
    ticks.push_back(whole_ticks(angle_deg.empty() ? static_cast<double>(assembly) / static_cast<double>(count)
                                                  : angle_deg[assembly] / 360));
  }
  if (has_fixed()) ticks.push_back(0);
  return ticks;
}

std::vector<std::uint32_t> ArmsParams::start_cylinders(std::uint32_t cylinders) const {
  std::vector<std::uint32_t> places;
  for (unsigned i = 0; i < moving_arms(); ++i) {
    const auto assembly = i / parts() % static_cast<unsigned>(count);
    const double even = range == split ? 0 : static_cast<double>(assembly) / static_cast<double>(count);
    const double part = start.empty() ? even : start[assembly];
    places.push_back(static_cast<std::uint32_t>(std::llround(part * (cylinders - 1))));
  }
  if (has_fixed()) places.push_back(static_cast<std::uint32_t>(fixed_first));
  return places;
}

std::vector<std::uint32_t> ArmsParams::head_angle_ticks() const {
  const double spacing = head_spacing_deg > 0 ? head_spacing_deg / 360 : 1 / static_cast<double>(heads);
  std::vector<std::uint32_t> ticks;
  for (unsigned i = 0; i < head_count(); ++i)
    ticks.push_back(head_placement == equal_radius ? whole_ticks(i * spacing) : 0);
  return ticks;
}

std::vector<std::uint32_t> ArmsParams::head_offsets(std::uint32_t cylinders) const {
  const std::int64_t spacing = head_spacing_cylinders > 0 ? head_spacing_cylinders : cylinders / heads;
  if (head_placement == radial && heads > 1 && (spacing == 0 || spacing * (heads - 1) >= cylinders))
    fail("head_spacing_cylinders",
         fmt::format("{} heads, {} cylinders apart, do not stand on a surface of {} cylinders", heads, spacing,
                     cylinders));
  std::vector<std::uint32_t> offsets;
  for (unsigned i = 0; i < head_count(); ++i)
    offsets.push_back(head_placement == radial ? static_cast<std::uint32_t>(i * spacing) : 0);
  return offsets;
}

std::vector<double> ArmsParams::stack_phases() const {
  std::vector<double> phases = stack_phase_rev;
  for (std::size_t i = phases.size(); i < stack_count(); ++i)
    phases.push_back(static_cast<double>(i) / static_cast<double>(stacks));
  return phases;
}

ArmsParams::Surfaces ArmsParams::reach(unsigned arm, unsigned layout_heads) const {
  if (is_fixed(arm)) return {layout_heads, 1};
  const bool own_surfaces = range == split;
  const unsigned groups = own_surfaces ? arms() : stack_count() * parts();
  const unsigned group = own_surfaces ? arm : stack_of(arm) * parts() + arm % parts();
  return {group * (layout_heads / groups), layout_heads / groups};
}

unsigned ArmsParams::layout_surface(unsigned surface) const {
  return surface_access == striped ? surface / static_cast<unsigned>(surfaces) : surface;
}

std::string ArmsParams::dash() const {
  return fmt::format("D{}A{}S{}H{}", stacks, count, surfaces, heads);
}

unsigned ArmsParams::data_paths() const {
  return static_cast<unsigned>(stacks * count * surfaces * heads);
}

}  // namespace armature::drive
