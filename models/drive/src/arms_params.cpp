#include "armature/drive/arms_params.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

namespace armature::drive {
namespace {

constexpr double kTicksPerRevolution = 65'536;
constexpr std::string_view kDesigns[] = {"own", "SA", "MA", "MC"};

}  // namespace

void ArmsParams::keys(KeyVisitor& visitor) {
  constexpr double kMostArms = kMost;
  visitor.key("count", count, "", {1, kMostArms}, "Arm assemblies, each of which reaches every track of its surfaces");
  visitor.choice("design", design, {kDesigns[0], kDesigns[1], kDesigns[2], kDesigns[3]},
                 "What the arms may do at once. SA: one request in service, from the start of its seek to the end of "
                 "its transfer; MA: all move, one channel transfers; MC: a channel for each arm; own: as the next "
                 "three keys say");
  visitor.key(
      "max_in_service", max_in_service, "", {0, kMostArms},
      "Arms that have a request at once, from the grant until they come to rest; 0: all, or as the design says");
  visitor.key("max_moving", max_moving, "", {0, kMostArms},
              "Arms on their way to a request's first track at once (the steps to its further tracks do not count); "
              "0: all, or as the design says");
  visitor.key("channels", channels, "", {0, kMostArms},
              "Data channels: arms that transfer at once; 0: one for each arm, or as the design says");
  visitor.choice(
      "channel_policy", channel_policy, {"first_come", "least_wait"},
      "With fewer channels than arms: which arm on its track gets a channel that is free: the one that asked "
      "first, or the one whose first sector comes first");
  visitor.list("angle_deg", angle_deg, "deg", {0, 360},
               "Where each arm is mounted around the spindle: a sector passes under its heads so much later than the "
               "layout says. Empty: evenly spaced, the first at 0");
  visitor.table("failures", failures, {{"time", "s", {0, 1e9}, /*integer=*/false}, {"arm", "", {0, kMostArms - 1}}},
                "Arms that fail: the time, and which one (from 0). Firmware takes it out of service and gives its work "
                "to the others");
}

void ArmsParams::check() const {
  const auto fail = [](std::string_view key, const std::string& what) {
    throw InputError(fmt::format("arms.{}: {}", key, what));
  };
  struct Knob {
    std::string_view name;
    std::int64_t given;
    std::int64_t designed;
  };
  const Knob knobs[] = {{"max_in_service", max_in_service, design == SA ? 1 : count},
                        {"max_moving", max_moving, design == SA ? 1 : count},
                        {"channels", channels, design == MC ? count : 1}};
  for (const Knob& knob : knobs) {
    if (knob.given > count) fail(knob.name, fmt::format("{} for {} arm{}", knob.given, count, count == 1 ? "" : "s"));
    if (design != own && knob.given != 0 && knob.given != knob.designed)
      fail(knob.name, fmt::format("{} contradicts arms.design = \"{}\" of {} arms, where it is {}; use \"own\"",
                                  knob.given, kDesigns[design], count, knob.designed));
  }
  if (max_in_service != 0 && max_moving > max_in_service)
    fail("max_moving",
         fmt::format("{}, but arms.max_in_service allows only {} to have a request", max_moving, max_in_service));
  if (max_in_service != 0 && channels > max_in_service)
    fail("channels",
         fmt::format("{}, but arms.max_in_service allows only {} to have a request", channels, max_in_service));
  if (!angle_deg.empty() && angle_deg.size() != static_cast<std::size_t>(count))
    fail("angle_deg", fmt::format("{} angles for {} arm{}", angle_deg.size(), count, count == 1 ? "" : "s"));
  for (std::size_t i = 0; i < failures.size(); ++i) {
    if (failures[i].size() != 2) fail("failures", fmt::format("row {}: needs 2 numbers", i + 1));
    if (!(failures[i][0] >= 0) || !(failures[i][1] >= 0 && failures[i][1] < static_cast<double>(count)))
      fail("failures", fmt::format("row {}: there are only arms 0 to {}", i + 1, count - 1));
  }
  for (const double angle : angle_deg)
    if (angle >= 360) fail("angle_deg", "360 is 0: angles must be less");
}

unsigned ArmsParams::channel_count() const {
  if (design == SA || design == MA) return 1;
  return static_cast<unsigned>(design == MC || channels == 0 ? count : channels);
}

unsigned ArmsParams::in_service_limit() const {
  const std::int64_t limit = design == SA ? 1 : max_in_service;
  return limit < count ? static_cast<unsigned>(limit) : 0;
}

unsigned ArmsParams::moving_limit() const {
  const std::int64_t limit = design == SA ? 1 : max_moving;
  const unsigned in_service = in_service_limit();
  if (limit == 0 || limit >= count || (in_service != 0 && limit >= in_service)) return 0;
  return static_cast<unsigned>(limit);
}

std::vector<std::uint32_t> ArmsParams::angle_ticks() const {
  std::vector<std::uint32_t> ticks;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const double turns = angle_deg.empty() ? static_cast<double>(i) / static_cast<double>(count) : angle_deg[i] / 360;
    ticks.push_back(static_cast<std::uint32_t>(std::llround(turns * kTicksPerRevolution)) & 0xFFFFu);
  }
  return ticks;
}

}  // namespace armature::drive
