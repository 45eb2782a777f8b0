#include "armature/power/power_params.h"

#include "armature/core/angle.h"
#include "armature/core/conversions.h"
#include "armature/core/error.h"
#include "armature/core/typed_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace armature::power {
namespace {

constexpr Range kWatts{-1, 1'000};
constexpr Range kAmperes{0, 100};
constexpr Range kShare{0, 1};

constexpr double kVolts5 = 5;
constexpr double kVolts12 = 12;
// How far a total may be from the currents beside it: datasheets round both.
constexpr double kRounding = 0.05;
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
constexpr unsigned kSpinUpSteps = 64;
// Where peak and energy of a spin-up are both known, the motor stands at its current limit for this part of the time.
constexpr double kAtLimit = 0.2;

[[noreturn]] void fail(const char* key, const std::string& what) {
  throw InputError(fmt::format("power.{}: {}", key, what));
}

/// Of a figure: by its currents, else its total; negative if neither is given.
struct Given {
  bool rails = false;
  bool total = false;
  RailWatts watts;
  double sum = -1;
};

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

std::vector<double> normalised(const char* key, const std::vector<double>& split, std::size_t parts) {
  if (split.size() != parts) fail(key, fmt::format("{} parts, not {}", split.size(), parts));
  const double sum = std::accumulate(split.begin(), split.end(), 0.0);
  if (!(std::fabs(sum - 1) < 1e-6)) fail(key, fmt::format("the parts add up to {:.6g}, not 1", sum));
  return split;
}

double at_least_0(const char* key, double watts, const char* whose) {
  if (watts < -1e-9) fail(key, fmt::format("leaves {} {:.3f} W", whose, watts));
  return std::max(watts, 0.0);
}

}  // namespace

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

namespace {

double platters_of_stack(const PowerParams& params, const DriveStructure& drive) {
  return params.platters > 0 ? params.platters : std::ceil(drive.heads / drive.stacks / 2);
}

}  // namespace

/// What a command adds.
static void add_work(PowerParams::Figures& result, const PowerParams& p, const DriveStructure& drive) {
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

namespace {

/// Mean power of each step of a spin-up at constant torque. The speed rises evenly, so at the fraction x of the time
///
///     P(x) = loss + 2 E x / T + P_turning x^2.8
///
/// with E the kinetic energy at speed and T the time; `loss`, in windings and driver, makes up for what peak or energy
/// of the datasheet have left.
std::vector<double> spin_up_curve(double loss, double kinetic_j, double seconds, double turning_w) {
  std::vector<double> means;
  for (unsigned i = 0; i < kSpinUpSteps; ++i) {
    const double from = static_cast<double>(i) / kSpinUpSteps;
    const double to = static_cast<double>(i + 1) / kSpinUpSteps;
    const double drag = (std::pow(to, 3.8) - std::pow(from, 3.8)) / 3.8 / (to - from);
    means.push_back(loss + kinetic_j / seconds * (from + to) + turning_w * drag);
  }
  return means;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Power of a stack's motor on its way to speed, by steps.
/// @param peak_w    largest power of one stack's motor; negative if not known
/// @param energy_j  of one stack's motor; negative if not known
std::vector<double> spin_up(double kinetic_j, double seconds, double turning_w, double peak_w, double energy_j) {
  std::vector<double> curve = spin_up_curve(0, kinetic_j, seconds, turning_w);
  double loss = 0.5 * turning_w;  // neither is known: copper and driver of a motor at work
  if (energy_j >= 0 && peak_w >= 0) {
    const auto limited = static_cast<unsigned>(kAtLimit * kSpinUpSteps);
    double rest = 0;
    for (unsigned i = limited; i < kSpinUpSteps; ++i) rest += curve[i];
    loss = (energy_j / seconds * kSpinUpSteps - limited * peak_w - rest) / (kSpinUpSteps - limited);
    at_least_0("spin_up_j", loss + curve[limited], "the rest of the spin-up");
    for (unsigned i = 0; i < kSpinUpSteps; ++i) curve[i] = i < limited ? peak_w : std::max(0.0, curve[i] + loss);
    return curve;
  }
  const char* const rest =
      "the windings of the motor, beside what the stack takes to come to spindle.rpm in "
      "spindle.spin_up_s (power.reference_rpm says for which speed the figures are),";
  if (energy_j >= 0)
    loss = at_least_0("spin_up_j", energy_j / seconds - mean(curve), rest);
  else if (peak_w >= 0)
    loss = at_least_0("spin_up_peak_w", peak_w - curve.back(), rest);
  for (double& watts : curve) watts += loss;
  return curve;
}

class Builder {
 public:
  Builder(const PowerParams& params, const DriveStructure& drive)
      : params_(params),
        drive_(drive),
        figures_(params.figures(drive)),
        motors_(params.supply == PowerParams::only_5v ? Rail::v5 : Rail::v12),
        idle_split_(normalised("idle_5v_split", params.idle_5v_split, 4)),
        active_split_(divided(normalised("active_split", params.active_split, 5), figures_.channel_share)),
        turning_w_(drive.motor_turning_w >= 0 ? drive.motor_turning_w : params.spindle_w(drive)) {
    // On a single rail, what the motors do not have.
    electronics_w_ = motors_ == Rail::v12 ? figures_.idle.v5 : figures_.idle.v5 - reference_turning() - params.hold_w;
    servo_w_ = idle_split_[3] * electronics_w_;
  }

  PowerTable build() {
    table_.arms = drive_.arms;
    table_.stacks = drive_.stacks;
    table_.channels = drive_.channels;
    for (unsigned stack = 0; stack < drive_.stacks; ++stack) spindle(stack);
    for (unsigned arm = 0; arm < drive_.arms; ++arm) arm_assembly(arm);
    for (unsigned channel = 0; channel < drive_.channels; ++channel) data_channel(channel);
    controller();
    table_.check();
    return std::move(table_);
  }

 private:
  using Split = std::vector<double>;

  /// `split` with the last two parts, channel and preamplifier, making up `share`; as it is if that is negative.
  static Split divided(Split split, double share) {
    const double now = split[3] + split[4];
    if (share < 0 || now <= 0 || now >= 1) return split;
    for (std::size_t i = 0; i < split.size(); ++i) split[i] *= i < 3 ? (1 - share) / (1 - now) : share / now;
    return split;
  }

  static StatePower state(const char* name, std::vector<Load> loads) { return {name, std::move(loads)}; }

  /// The spindle's idle power before the law: at the speed, number and diameter of the figures.
  double reference_turning() const {
    DriveStructure reference = drive_;
    PowerParams params = params_;
    reference.disk_scale = 1;
    params.reference_rpm = params.reference_platters = params.reference_diameter_in = 0;
    return params.spindle_w(reference);
  }

  /// What the electronics draw without those of the arm.
  double electronics_off_track() const { return electronics_w_ - servo_w_; }

  /// And while the stack changes its speed: firmware keeps the controller active then.
  double electronics_awake() const {
    return electronics_off_track() + (active_split_[0] + active_split_[1] + active_split_[2]) * figures_.active_5v_w;
  }

  /// The same of the drive's spin-up: its figures hold for that stack, and what differs from it is what the stack
  /// itself takes, its kinetic energy and its drag.
  std::vector<double> spin_up_of_stack(double peak_w, double energy_j) const {
    const double platters = platters_of_stack(params_, drive_);
    const double ours = stack_inertia(platters, params_.diameter_in * drive_.disk_scale);
    const double theirs =
        stack_inertia(params_.reference_platters > 0 ? params_.reference_platters : platters,
                      params_.reference_diameter_in > 0 ? params_.reference_diameter_in : params_.diameter_in);
    const double inertia = params_.inertia_kg_m2 > 0 ? params_.inertia_kg_m2 * std::pow(drive_.disk_scale, 4) : ours;
    const auto kinetic_j = [](double inertia_kg_m2, double rpm) {
      const double speed = rpm * kTwoPi / 60;
      return inertia_kg_m2 * speed * speed / 2;
    };
    const double own_j = kinetic_j(inertia, drive_.rpm);
    const double reference_j =
        kinetic_j(inertia * theirs / ours, params_.reference_rpm > 0 ? params_.reference_rpm : drive_.rpm);
    const double seconds = drive_.spin_up_s, reference_w = reference_turning();
    std::vector<double> curve = spin_up(reference_j, seconds, reference_w, peak_w, energy_j);
    const std::vector<double> has = spin_up_curve(0, reference_j, seconds, reference_w);
    const std::vector<double> takes = spin_up_curve(0, own_j, seconds, turning_w_);
    for (unsigned i = 0; i < kSpinUpSteps; ++i) curve[i] = std::max(0.0, curve[i] + (takes[i] - has[i]));
    return curve;
  }

  /// Mean power of a stack's motor in equal parts of its way to speed.
  std::vector<double> spin_up_w() const {
    if (!drive_.motor_spin_up_w.empty()) return drive_.motor_spin_up_w;
    // Of a drive of one stack, as datasheets are.
    double peak = -1, energy = -1;
    if (params_.spin_up_peak_a >= 0) {
      peak = params_.spin_up_peak_a * (motors_ == Rail::v5 ? kVolts5 : kVolts12);
      if (motors_ == Rail::v5) peak -= electronics_awake();
    } else if (params_.spin_up_peak_w >= 0) {
      peak = params_.spin_up_peak_w - electronics_awake();
    }
    if (params_.spin_up_j >= 0) energy = params_.spin_up_j - electronics_awake() * drive_.spin_up_s;
    return spin_up_of_stack(peak, energy);
  }

  void spindle(unsigned stack) {
    const std::vector<double> curve = spin_up_w();
    const auto parts = static_cast<double>(curve.size());
    Load up{"spindle", motors_, {}};
    for (std::size_t i = 0; i < curve.size(); ++i)
      up.steps.push_back({from_seconds(drive_.spin_up_s * static_cast<double>(i) / parts), from_watts(curve[i])});
    double down = 0;
    if (params_.spin_down_j >= 0 && drive_.motor_spin_up_w.empty())
      down = at_least_0("spin_down_j", params_.spin_down_j / drive_.spin_down_s - electronics_awake(), "the spindle");
    ComponentPower turning{
        PowerTable::stack_path(stack, drive_.stacks),
        Share::stack,
        stack,
        {state("stopped",
               {Load::constant("spindle", motors_, motors_ == Rail::v12 ? figures_.standby.v12 / drive_.stacks : 0)}),
         state("spin_up", {up}), state("at_speed", {Load::constant("spindle", motors_, turning_w_)}),
         state("spin_down", {Load::constant("spindle", motors_, down)})}};
    if (!drive_.lower_speeds.empty())
      turning.states.push_back(state("slow_down", {Load::constant("spindle", motors_, down)}));
    for (const DriveStructure::LowerSpeed& lower : drive_.lower_speeds)
      turning.states.push_back(
          state(lower.state.c_str(), {Load::constant("spindle", motors_, params_.spindle_w(drive_, lower))}));
    table_.components.push_back(std::move(turning));
  }

  void arm_assembly(unsigned arm) {
    const std::string number = std::to_string(arm);
    const std::string coil = "vcm" + number, preamp = "preamp" + number;
    // The seek test against idle: on the motors' rail the coil, on 5 V the electronics of the arm, which may draw less
    // while no servo field is tracked.
    double moving = 0, servo_moving = servo_w_;
    if (motors_ == Rail::v12) {
      moving = at_least_0("seek_w", params_.hold_w + figures_.seek.v12 - figures_.idle.v12, "the coil of a moving arm");
      servo_moving =
          at_least_0("seek_a", servo_w_ + figures_.seek.v5 - figures_.idle.v5, "the servo electronics of a moving arm");
    } else {
      moving = at_least_0("seek_w", params_.hold_w + figures_.seek.v5 - figures_.idle.v5, "the coil of a moving arm");
    }
    const bool fixed = drive_.fixed_arm && arm + 1 == drive_.arms;
    if (fixed) moving = 0;
    const std::vector<Load> hold = {Load::constant(coil, motors_, fixed ? 0 : params_.hold_w),
                                    Load::constant(preamp, Rail::v5, servo_w_)};
    const std::vector<Load> seek = {Load::constant(coil, motors_, moving),
                                    Load::constant(preamp, Rail::v5, servo_moving)};
    ComponentPower servo{"disk.srv" + number,
                         Share::arm,
                         arm,
                         {state("hold", hold), state("seek", seek), state("parked", {}), state("failed", {})}};
    if (drive_.coil_seek_w >= 0) phases(servo, arm, coil, preamp, seek_given() ? servo_moving : servo_w_);
    if (drive_.idle_conditions) {
      servo.states.push_back(state("load", parking("load_j", params_.load_j, drive_.load_s, coil, preamp, seek)));
      servo.states.push_back(
          state("unload", parking("unload_j", params_.unload_j, drive_.unload_s, coil, preamp, seek)));
      servo.states.push_back(state("acquire", hold));
      servo.states.push_back(state("released", {}));
    }
    table_.components.push_back(std::move(servo));
    const Load reading = Load::constant(preamp, Rail::v5, while_channel(active_split_[4]));
    table_.components.push_back(
        {"disk.arm" + number,
         Share::arm,
         arm,
         {state("idle", {}), state("seek", {}), state("rotational_wait", {reading}), state("transfer", {reading})}});
  }

  /// On the way onto the ramp or from there: what the drive draws beside stack and electronics is the coil's.
  std::vector<Load> parking(const char* key, double joules, double seconds, const std::string& coil,
                            const std::string& preamp, const std::vector<Load>& as_seeking) const {
    if (joules < 0 || seconds <= 0) return as_seeking;
    const double others = reference_turning() + electronics_awake() + servo_w_;
    const double watts = at_least_0(key, joules / seconds - others, "the coil, beside stack and electronics,");
    return {Load::constant(coil, motors_, watts), Load::constant(preamp, Rail::v5, servo_w_)};
  }

  /// What the controller, interface and buffer draw where a datasheet's figure is for a drive whose stack turns and
  /// whose arms draw nothing; `otherwise` if it does not have one.
  double electronics_at_rest(const char* name, const std::vector<double>& amperes, double watts,
                             double otherwise) const {
    const Given given = read(name, amperes, watts, params_.supply);
    if (given.sum < 0) return otherwise;
    const double turning = reference_turning();
    const std::string key = std::string(name) + (amperes.empty() ? "_w" : "_a");
    if (!given.rails || motors_ == Rail::v5)
      return at_least_0(key.c_str(), given.sum - turning, "the electronics, beside the stack at speed,");
    if (std::fabs(given.watts.v12 - turning) > kRounding * turning + 0.05)
      fail(key.c_str(),
           fmt::format("{:.2f} W on 12 V, where the stack at speed takes {:.2f} W", given.watts.v12, turning));
    return given.watts.v5;
  }

  bool seek_given() const { return params_.seek_w >= 0 || !params_.seek_a.empty(); }

  /// The phases of a seek: what accelerates and brakes the arm is published as it comes; while it coasts and settles
  /// the coil works against the same forces as on a track, unless that is published too.
  void phases(ComponentPower& servo, unsigned arm, const std::string& coil, const std::string& preamp, double servo_w) {
    constexpr std::array<const char*, 4> kPhases = {"accelerate", "coast", "decelerate", "settle"};
    const std::vector<double>& given = params_.phases_5v_w;
    if (!given.empty() && given.size() != kPhases.size())
      fail("phases_5v_w", fmt::format("{} powers, not {}", given.size(), kPhases.size()));
    for (std::size_t i = 0; i < kPhases.size(); ++i) {
      std::vector<Load> loads = {Load::constant(preamp, Rail::v5, given.empty() ? servo_w : given[i])};
      if (i % 2 == 1 && !drive_.coil_holds) loads.push_back(Load::constant(coil, motors_, params_.hold_w));
      servo.states.push_back(state(kPhases[i], std::move(loads)));
      table_.levels.push_back({fmt::format("{}.coil.{}", servo.path, kPhases[i]), coil, Share::arm, arm});
    }
  }

  /// A part of what a command adds, as power while the channel is on.
  double while_channel(double part) const { return part * figures_.active_5v_w / figures_.channel_part; }

  void data_channel(unsigned channel) {
    const std::string number = std::to_string(channel);
    const Load on = Load::constant("channel" + number, Rail::v5, while_channel(active_split_[3]));
    table_.components.push_back({"disk.chn" + number,
                                 Share::channel,
                                 channel,
                                 {state("idle", {}), state("wait", {on}), state("transfer", {on})}});
    if (figures_.write_5v_w <= 0) return;
    const Load writing = Load::constant("channel" + number, Rail::v5, figures_.write_5v_w);
    table_.components.push_back(
        {"disk.chn" + number + ".write", Share::channel, channel, {state("off", {}), state("on", {writing})}});
  }

  void controller() {
    const char* const names[] = {"controller", "interface", "buffer"};
    // In standby arms are off: what the rails have then is the controller's, interface's and buffer's.
    const double rest = idle_split_[0] + idle_split_[1] + idle_split_[2];
    const auto divided = [&](double watts, double active) {
      std::vector<Load> loads;
      for (int i = 0; i < 3; ++i)
        loads.push_back(Load::constant(names[i], Rail::v5,
                                       (rest > 0 ? idle_split_[i] / rest * watts : 0) + active_split_[i] * active));
      return loads;
    };
    const double idle = electronics_off_track();
    ComponentPower pmu{
        "disk.soc.pmu",
        Share::common,
        0,
        {state("active", divided(idle, figures_.active_5v_w)), state("idle", divided(idle, 0)),
         state("standby", divided(figures_.standby.v5, 0)), state("sleep", divided(figures_.sleep.v5, 0))}};
    if (drive_.idle_conditions) {
      const auto condition = [&](const char* name, const std::vector<double>& amperes, double watts, double otherwise) {
        pmu.states.push_back(state(name, divided(electronics_at_rest(name, amperes, watts, otherwise), 0)));
      };
      condition("active_idle", params_.active_idle_a, params_.active_idle_w, idle);
      condition("low_power_idle", params_.low_power_idle_a, params_.low_power_idle_w, figures_.standby.v5);
    }
    table_.components.push_back(std::move(pmu));
    const auto on_top = [&](const char* path, const char* when, const char* component, double watts) {
      if (watts > 0)
        table_.components.push_back(
            {path, Share::common, 0, {state(when, {Load::constant(component, Rail::v5, watts)})}});
    };
    on_top("disk.soc.cpu", "busy", "controller", params_.cpu_busy_w);
    on_top("disk.soc.buf", "active", "buffer", params_.buffer_active_w);
    on_top("link", "busy", "interface", params_.link_busy_w);
  }

  const PowerParams& params_;
  const DriveStructure& drive_;
  const PowerParams::Figures figures_;
  const Rail motors_;
  const Split idle_split_;
  const Split active_split_;
  const double turning_w_;    ///< of a stack at speed
  double electronics_w_ = 0;  ///< on 5 V at idle, one arm
  double servo_w_ = 0;        ///< preamplifier and servo of an arm, of it
  PowerTable table_;
};

}  // namespace

PowerTable PowerParams::table(const DriveStructure& drive) const {
  return Builder(*this, drive).build();
}

}  // namespace armature::power
