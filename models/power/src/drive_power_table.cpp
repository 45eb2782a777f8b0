// How a datasheet's figures are divided over the states of a drive's components: PowerParams::table.
#include "armature/core/angle.h"
#include "armature/core/conversions.h"
#include "datasheet_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace armature::power {
namespace {

constexpr unsigned kSpinUpSteps = 64;
// Where peak and energy of a spin-up are both known, the motor stands at its current limit for this part of the time.
constexpr double kAtLimit = 0.2;

std::vector<double> normalised(const char* key, const std::vector<double>& split, std::size_t parts) {
  if (split.size() != parts) fail(key, fmt::format("{} parts, not {}", split.size(), parts));
  const double sum = std::accumulate(split.begin(), split.end(), 0.0);
  if (!(std::fabs(sum - 1) < 1e-6)) fail(key, fmt::format("the parts add up to {:.6g}, not 1", sum));
  return split;
}

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
