#include "armature/power/power_params.h"

#include "armature/core/angle.h"
#include "armature/core/error.h"
#include "armature/core/typed_keys.h"
#include "datasheet_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature::power {
namespace {

constexpr Range kWatts{-1, 1'000};
constexpr Range kAmperes{0, 100};
constexpr Range kShare{0, 1};

// Share of the idle power on 5 V where only the total is known: 0.611 A * 5 V of 9.3 W (Barracuda ES manual, table 6)
// and 0.401 A * 5 V of 7.2 W (Barracuda 7200.8 manual, table 4) are 0.33 and 0.28.
constexpr double kIdle5vShare = 0.3;
// Idle with the surface being read against idle, on 5 V: 0.875 / 0.487 A (Barracuda 7200.7 manual, table 4), 0.78 /
// 0.401 A (7200.8). Where neither an operating nor a reading power is given.
constexpr double kReadingRaises5v = 0.85;
// Of the seek figure where there is none: 12.5 W against 7.5 W (Barracuda 7200.7), 12.4 against 7.2 W (7200.8).
constexpr double kSeekOfIdle = 1.68;
// Of the standby figure where there is none: 0.185 A against 0.487 A on 5 V (Barracuda 7200.7).
constexpr double kStandbyOf5v = 0.38;
// Of what a command adds, the least that channel and preamplifier have: where operating and reading power contradict.
constexpr double kLeastChannel = 0.05;
constexpr double kSeekTime = 0.4;  // of the operating test: 40 % seeks, 40 % reads and writes, 20 % idle (Seagate)
constexpr double kWorkTime = 0.4;
constexpr double kIdleTime = 0.2;

/// What a command adds.
void add_work(PowerParams::Figures& result, const PowerParams& p, const DriveStructure& drive) {
  // The operating test's reads and writes are random ones, one after the other (docs/guide/energy.md
  // says why): so a part of the time the arm moves, and the channel is on for the rest.
  const Given operating = read("operating", p.operating_a, p.operating_w, p.supply);
  const Given reading = read("read", p.read_a, p.read_w, p.supply);
  if (operating.sum >= 0) {
    const double half_turn_ms = 30e3 / (p.reference_rpm > 0 ? p.reference_rpm : drive.rpm);
    const double moving = drive.average_seek_ms / (drive.average_seek_ms + half_turn_ms);
    const auto on_rail = [&](double test, double at_idle, double at_seek) {
      const double work = (test - kSeekTime * at_seek - kIdleTime * at_idle) / kWorkTime;
      return work - moving * at_seek - (1 - moving) * at_idle;
    };
    result.active_5v_w = operating.rails && p.supply == PowerParams::both_rails
                             ? on_rail(operating.watts.v5, result.idle.v5, result.seek.v5)
                             : on_rail(operating.sum, result.idle.total(), result.seek.total());
    result.channel_part = 1 - moving;
    at_least_0("operating_w", result.active_5v_w, "the electronics at work");
    if (reading.sum >= 0 && result.active_5v_w > 0) {
      // On track the channel is on all the time, so E (1 - c + c / part) is what reading takes more than idle.
      const double raised = reading.rails && p.supply == PowerParams::both_rails ? reading.watts.v5 - result.idle.v5
                                                                                 : reading.sum - result.idle.total();
      const double share = (raised / result.active_5v_w - 1) / (1 / result.channel_part - 1);
      result.channel_share = std::clamp(share, kLeastChannel, 1.0);
    }
  } else if (reading.sum >= 0) {
    result.active_5v_w = reading.rails && p.supply == PowerParams::both_rails ? reading.watts.v5 - result.idle.v5
                                                                              : reading.sum - result.idle.total();
    at_least_0("read_w", result.active_5v_w, "the electronics at work");
  } else {
    result.active_5v_w = kReadingRaises5v * result.idle.v5;
    if (p.supply == PowerParams::only_5v) result.active_5v_w *= kIdle5vShare;  // of which the motors have the rest
  }
  result.active_5v_w = std::max(result.active_5v_w, 0.0);
  if (p.write_w >= 0) {
    if (reading.sum < 0) fail("write_w", "needs read_w or read_a, which it is held against");
    result.write_5v_w = at_least_0("write_w", p.write_w - reading.sum, "the electronics that write");
  }
}

}  // namespace

void fail(const char* key, const std::string& what) {
  throw InputError(fmt::format("power.{}: {}", key, what));
}

Given read(const char* name, const std::vector<double>& amperes, double watts, PowerParams::Supply supply) {
  Given given;
  const bool single = supply == PowerParams::only_5v;
  if (!amperes.empty()) {
    const std::size_t rails = single ? 1 : 2;
    if (amperes.size() != rails)
      fail(fmt::format("{}_a", name).c_str(),
           fmt::format("{} currents, where the drive has {} rail{}", amperes.size(), rails, single ? "" : "s"));
    given.rails = true;
    given.watts = {amperes[0] * kVolts5, single ? 0 : amperes[1] * kVolts12};
    given.sum = given.watts.total();
    if (watts >= 0 && std::fabs(watts - given.sum) > kRounding * given.sum + 0.05)
      fail(fmt::format("{}_w", name).c_str(), fmt::format("{} W, but the currents make {:.2f} W", watts, given.sum));
  } else if (watts >= 0) {
    given.total = true;
    given.sum = watts;
    if (single) {
      given.rails = true;
      given.watts = {watts, 0};
    }
  }
  return given;
}

double at_least_0(const char* key, double watts, const char* whose) {
  if (watts < -1e-9) fail(key, fmt::format("leaves {} {:.3f} W", whose, watts));
  return std::max(watts, 0.0);
}

double platters_of_stack(const PowerParams& params, const DriveStructure& drive) {
  return params.platters > 0 ? params.platters : std::ceil(drive.heads / drive.stacks / 2);
}

double spindle_law(double platters_ratio, double rpm_ratio, double diameter_ratio, double bearing_share) {
  const double windage = std::pow(rpm_ratio, 2.8) * std::pow(diameter_ratio, 4.6);
  return platters_ratio * ((1 - bearing_share) * windage + bearing_share * rpm_ratio * rpm_ratio);
}

double stack_inertia(double platters, double diameter_in) {
  constexpr double kHub = 1e-5;  // 3.5 inch drive
  const bool large = diameter_in > 3;
  const double density = large ? 2'700 : 2'500;         // kg / m3: aluminium, glass
  const double thickness = large ? 1.27e-3 : 0.635e-3;  // m
  const double hole = large ? 12.5e-3 : 10e-3;          // m, radius
  const double radius = diameter_in * 25.4e-3 / 2;
  const double disk = kPi * density * thickness * (std::pow(radius, 4) - std::pow(hole, 4)) / 2;
  return platters * disk + (large ? kHub : kHub / 5);
}

void PowerParams::keys(KeyVisitor& v) {
  choice(v, "supply", supply, {"5V_12V", "5V"}, "Rails of the drive; with 5 V alone it feeds the motors too");
  const auto figure = [&v](const std::string& name, std::vector<double>& amperes, double& watts,
                           const std::string& meaning) {
    v.list(name + "_a", amperes, "A", kAmperes, meaning + ": currents on 5 V and 12 V");
    v.key(name + "_w", watts, "W", kWatts, meaning + ": total of the rails; -1: not given");
  };
  figure("idle", idle_a, idle_w, "At speed, on track, no command. Without it the drive has no energy account");
  figure("seek", seek_a, seek_w, "Seeks only, one after the other");
  figure("operating", operating_a, operating_w,
         "40 % of the time seeks, 40 % random reads and writes (10 to 1), 20 % idle");
  figure("read", read_a, read_w, "Reading on track without a pause");
  v.key("write_w", write_w, "W", kWatts,
        "Writing on track without a pause, total; needs read_w or read_a, and is no less than that; -1: as reading");
  figure("standby", standby_a, standby_w, "The stack stands, commands are taken");
  figure("sleep", sleep_a, sleep_w, "The stack stands, only a reset is heard; not given: as in standby");
  figure("active_idle", active_idle_a, active_idle_w, "The stack turns, servos and other electronics are off");
  figure("low_power_idle", low_power_idle_a, low_power_idle_w, "The stack turns, the arms are on the ramp");
  v.key("spin_up_peak_a", spin_up_peak_a, "A", {-1, 100},
        "Largest current on the spindle's rail from standstill to speed; -1: not given");
  v.key("spin_up_peak_w", spin_up_peak_w, "W", kWatts,
        "Largest power of the drive from standstill to speed; -1: not given");
  v.key("spin_up_j", spin_up_j, "J", {-1, 1e5}, "Energy of the drive from standstill to speed; -1: not given");
  v.key("spin_down_j", spin_down_j, "J", {-1, 1e5}, "Energy of the drive from speed to standstill; -1: not given");
  v.key("load_j", load_j, "J", {-1, 1e5},
        "Energy of the drive from low-power idle back to idle, seek.load_ms; -1: as seeking");
  v.key("unload_j", unload_j, "J", {-1, 1e5},
        "Energy of the drive on the way to low-power idle, seek.unload_ms; -1: as seeking");
  v.key(
      "reference_rpm", reference_rpm, "rpm", {0, 60'000},
      "Speed for which these figures hold; at another speed the spindle's power follows its law. Not given: the speed "
      "of the file in which they are. 0: this drive's");
  v.key("reference_platters", reference_platters, "", {0, 100}, "Platters for which they hold; 0: this drive's");
  v.key("reference_diameter_in", reference_diameter_in, "in", {0, 30}, "Diameter for which they hold; 0: this drive's");
  v.key("platters", platters, "", {0, 100}, "Disks of a stack; 0: half of its heads, rounded up");
  v.key("diameter_in", diameter_in, "in", {0.5, 30}, "Diameter of the disks");
  v.key("bearing_share", bearing_share, "", kShare,
        "Part of the spindle's power that is the bearings' (speed squared); the rest is windage (speed^2.8)");
  v.key("inertia", inertia_kg_m2, "kg m2", {0, 1}, "Moment of inertia of a stack; 0: from platters and diameter");
  v.key("idle_5v_w", idle_5v_w, "W", kWatts, "Part on 5 V of an idle power that is given as a total; -1: 30 %");
  v.key("hold_w", hold_w, "W", {0, 100}, "Voice coil motor of an arm that stays on its track");
  v.key("seek_5v_share", seek_5v_share, "", {0, 2},
        "5 V power of the seek test against idle where the seek power is given as a total");
  v.list("phases_5v_w", phases_5v_w, "W", {0, 100},
         "With seek.coil: preamplifier and servo electronics of an arm while it accelerates, coasts, decelerates and "
         "settles; empty: as on track, or as the seek figure says");
  v.list("idle_5v_split", idle_5v_split, "", kShare,
         "How the idle power on 5 V is divided: controller, interface, buffer RAM, preamplifier and servo of an arm");
  v.list(
      "active_split", active_split, "", kShare,
      "How that is divided by which a command raises the 5 V power: controller, interface, buffer RAM, data channel, "
      "preamplifier; the last two have theirs while the channel waits for sectors and moves them; operating and "
      "reading power, if both are given, say how much the two have together");
  v.key("cpu_busy_w", cpu_busy_w, "W", {0, 100}, "On top while the processor is busy");
  v.key("buffer_active_w", buffer_active_w, "W", {0, 100}, "On top while the buffer RAM moves data");
  v.key("link_busy_w", link_busy_w, "W", {0, 100}, "On top while a frame is on the link");
}

PowerParams::Figures PowerParams::figures(const DriveStructure& drive) const {
  Figures result;
  const Given idle = read("idle", idle_a, idle_w, supply);
  if (!given()) fail("idle_w", "there is no idle power");
  if (idle.rails) {
    result.idle = idle.watts;
  } else {
    const double on_5v = idle_5v_w >= 0 ? idle_5v_w : kIdle5vShare * idle.sum;
    result.idle = {on_5v, at_least_0("idle_5v_w", idle.sum - on_5v, "12 V")};
  }

  Given seek = read("seek", seek_a, seek_w, supply);
  const bool by_coil = seek.sum < 0 && drive.coil_seek_w >= 0;
  if (seek.sum < 0) seek.sum = kSeekOfIdle * result.idle.total();
  if (by_coil) {
    result.seek = result.idle;
    (supply == only_5v ? result.seek.v5 : result.seek.v12) += std::max(0.0, drive.coil_seek_w - hold_w);
  } else if (seek.rails) {
    result.seek = seek.watts;
  } else if (supply == only_5v) {
    result.seek = {seek.sum, 0};
  } else {
    result.seek.v5 = seek_5v_share * result.idle.v5;
    result.seek.v12 = at_least_0("seek_w", seek.sum - result.seek.v5, "12 V");
  }

  const Given standby = read("standby", standby_a, standby_w, supply);
  result.standby = standby.rails   ? standby.watts
                   : standby.total ? RailWatts{standby.sum, 0}
                                   : RailWatts{kStandbyOf5v * result.idle.v5, 0};
  const Given sleep = read("sleep", sleep_a, sleep_w, supply);
  result.sleep = sleep.rails ? sleep.watts : sleep.total ? RailWatts{sleep.sum, 0} : result.standby;

  add_work(result, *this, drive);
  return result;
}

double PowerParams::spindle_w(const DriveStructure& drive) const {
  const RailWatts idle = figures(drive).idle;
  const double ours = platters_of_stack(*this, drive);
  // Of a drive of one arm, as datasheets are. On a single rail the electronics' part is that of the split.
  const double motors = supply == only_5v ? idle.v5 - (idle_5v_w >= 0 ? idle_5v_w : kIdle5vShare * idle.v5) : idle.v12;
  const double reference = at_least_0("hold_w", motors - hold_w, "the spindle");
  return reference *
         spindle_law(
             reference_platters > 0 ? ours / reference_platters : 1, reference_rpm > 0 ? drive.rpm / reference_rpm : 1,
             drive.disk_scale * (reference_diameter_in > 0 ? diameter_in / reference_diameter_in : 1), bearing_share);
}

double PowerParams::spindle_w(const DriveStructure& drive, const DriveStructure::LowerSpeed& lower) const {
  if (lower.motor_w >= 0) return lower.motor_w;
  PowerParams figures = *this;
  if (figures.reference_rpm <= 0) figures.reference_rpm = drive.rpm;
  DriveStructure slower = drive;
  slower.rpm = lower.rpm;
  return figures.spindle_w(slower);
}

}  // namespace armature::power
