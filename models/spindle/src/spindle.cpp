#include "armature/spindle/spindle.h"

#include "armature/core/conversions.h"
#include "armature/core/error.h"
#include "armature/core/kernel_time.h"
#include "armature/regs/spn.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace armature::spindle {
namespace {

namespace spn = armature::regs::spn;

constexpr Range kSpeed{60, 60'000};
constexpr Range kChange{1e-3, 600};
constexpr Range kPhase{0, 1};
constexpr Range kJitter{0, 1000};
constexpr Range kRegulation{0.1, 100};
constexpr Range kSeed{0, 1e15};
constexpr std::array<const char*, 5> kStateNames = {"stopped", "spin_up", "at_speed", "spin_down", "slow_down"};

void check(const char* key, double value, Range range) {
  if (!(value >= range.min && value <= range.max))
    throw InputError(fmt::format("spindle.{}: {} is not in {} .. {}", key, value, range.min, range.max));
}

}  // namespace

void SpindleParams::keys(KeyVisitor& v) {
  v.key("rpm", rpm, "rpm", kSpeed, "Speed of the disk stack, to a thousandth");
  v.key("spin_up_s", spin_up_s, "s", kChange, "From standstill to speed");
  v.key("spin_down_s", spin_down_s, "s", kChange, "From speed to standstill");
  v.key("initially_spinning", initially_spinning, "The stack is at speed when the simulation starts");
  v.key("index_phase_rev", index_phase_rev, "rev", kPhase, "Angle at the start, or when the stack comes to speed");
  v.key("jitter_ppm", jitter_ppm, "ppm", kJitter,
        "Standard deviation of a turn's duration at speed; 0: each takes the same");
  v.key("regulation_turns", regulation_turns, "rev", kRegulation,
        "Turns in which the speed loop corrects all but 1/e of an error");
  v.key("jitter_seed", jitter_seed, "", kSeed, "Of the turns' random durations");
  v.list("speeds_rpm", speeds_rpm, "rpm", kSpeed,
         "Lower speeds to which the stack may change, falling, up to 7; empty: it has one speed");
  v.key("access_at_lower", access_at_lower, "Sectors are read and written at these too; false: they are idle speeds");
  v.section("motor", motor, "Motor of the stack: times, energy and current of spin-up and spin-down");
}

std::shared_ptr<const SpeedVariation> SpindleParams::variation(std::string_view stack, double at_rpm) const {
  if (jitter_ppm <= 0) return nullptr;
  const Ps turn = Rotation(0, to_millirpm(at_rpm)).duration({1, 1});
  const std::uint64_t seed = RandomStream(static_cast<std::uint64_t>(jitter_seed), stack).bits();
  return std::make_shared<SpeedVariation>(turn, jitter_ppm, regulation_turns, seed);
}

Ps SpindleParams::earliest() const {
  Ps most = 0;
  for (std::size_t n = 0; n < speeds(); ++n)
    if (const std::shared_ptr<const SpeedVariation> varied = variation({}, speed(n)))
      most = std::max(most, varied->limit());
  return most;
}

std::string SpindleParams::lower_state(std::size_t n) const {
  return fmt::format("at_{:.0f}", speeds_rpm[n]);
}

void SpindleParams::check_speeds() const {
  constexpr std::uint32_t kMost = spn::ctrl::Speed::get(~0u);
  if (speeds_rpm.size() > kMost)
    throw InputError(
        fmt::format("spindle.speeds_rpm: {} speeds, and a stack has at most {} lower ones", speeds_rpm.size(), kMost));
  for (std::size_t n = 1; n < speeds(); ++n)
    if (!(speed(n) <= speed(n - 1) - 1))
      throw InputError(fmt::format("spindle.speeds_rpm: {} rpm must be lower than {} rpm before it, by 1 rpm or more",
                                   speed(n), speed(n - 1)));
}

Spindle::Spindle(sc_core::sc_module_name name, const SpindleParams& params, const BlockContext& context)
    : sc_module(name),
      params_(params),
      motor_(params.motor.given() ? std::optional<Motor>(std::in_place, params.motor, params.rpm) : std::nullopt),
      bank_(spn::kTable),
      interrupt_(bank_, irq, spn::kIntstat, spn::kInten) {
  check("rpm", params.rpm, kSpeed);
  check("spin_up_s", params.spin_up_s, kChange);
  check("spin_down_s", params.spin_down_s, kChange);
  check("index_phase_rev", params.index_phase_rev, kPhase);
  check("jitter_ppm", params.jitter_ppm, kJitter);
  check("regulation_turns", params.regulation_turns, kRegulation);
  params.check_speeds();
  for (std::size_t n = 0; n < params.speeds(); ++n)
    variations_.push_back(params.variation(std::string_view(static_cast<const char*>(name)), params.speed(n)));

  bank_.on_write(spn::kCtrl, [this](std::uint32_t word) { go(word); });
  bank_.on_read(spn::kStatus, [this] { return status(); });
  regs.bind(bank_);

  const std::string path = this->name();
  std::vector<std::string> states;
  const unsigned published = params.speeds() == 1 ? kSlowDown : kAtLower + static_cast<unsigned>(params.speeds() - 1);
  for (unsigned state = 0; state < published; ++state) states.push_back(state_name(state));
  stack_.declare(context.states, {path, states});
  angle_probe_.declare(context.probes, path + ".angle", "rev",
                       "Angle since the index; not a number while the stack is not at speed");
  index_probe_.declare(context.probes, path + ".index", "Index pulse, drawn 1/64 revolution wide");
  state_probe_.declare(context.probes, path + ".state",
                       params.speeds() == 1
                           ? "stopped, spin_up, at_speed or spin_down"
                           : "stopped, spin_up, at_speed, spin_down, slow_down or at a lower speed: " + states.back());
  slow_probe_.declare(context.probes, path + ".part_of_speed", "", "Part of its speed at which a stack at speed turns",
                      true);

  if (motor_) {
    speed_probe_.declare(context.probes, path + ".speed", "rpm", "Speed of the stack");
    current_probe_.declare(context.probes, path + ".motor_current", "A", "Current of the motor; negative: it brakes");
  }

  SC_HAS_PROCESS(Spindle);
  SC_METHOD(speed_reached);
  sensitive << speed_reached_;
  dont_initialize();

  if (params.initially_spinning) {
    commanded_ = 0;
    state_ = kAtSpeed;
    rotate_from(0);
  }
}

std::string Spindle::state_name(unsigned state) const {
  return state < kAtLower ? kStateNames[state] : params_.lower_state(state - kAtLower);
}

void Spindle::start_of_simulation() {
  if (state_ != kStopped) stack_.enter(state_, 0);
  state_probe_.set(state_name(state_));
  index_probe_.set(false);
  slow_probe_.set(part_);
  show_rotation();
  if (!motor_) return;
  speed_probe_.set(rotation_ ? params_.rpm : 0);
  current_probe_.set(rotation_ ? motor_->turning_a() : 0);
}

void Spindle::show_rotation() {
  angle_probe_.rotate(rotation());
  index_probe_.rotate(rotation());
}

void Spindle::go(std::uint32_t ctrl) {
  if (!spn::ctrl::Go::get(ctrl) || !powered_) return;
  const int speed = spn::ctrl::Run::get(ctrl) ? static_cast<int>(spn::ctrl::Speed::get(ctrl)) : kStand;
  if (speed >= static_cast<int>(params_.speeds())) return;
  if (speed == commanded_) coasts_ = false;  // what happens is what is wanted
  if (!changing() && speed == commanded_) {  // already there
    interrupt_.raise(spn::intstat::Ready::kMask);
    return;
  }
  if (speed == commanded_) return;  // under way
  change_speed(speed);
}

void Spindle::power_off() {
  if (!powered_) return;
  powered_ = false;
  bank_.reset();
  interrupt_.update();
  if (state_ != kStopped) change_speed(kStand);
}

void Spindle::power_on() {
  powered_ = true;
}

void Spindle::restart() {
  bank_.reset();
  interrupt_.update();
}

double Spindle::part_of(int speed) const {
  return rpm_of(speed) / params_.rpm;
}

double Spindle::part_of_speed(Ps at) const {
  if (!changing()) return part_of(commanded_);
  if (motor_) {
    const double began = change_->when(speed_at_change_ * motor_->full_rad_s());
    return change_->at(began + to_seconds(at - change_began_)).rad_s / motor_->full_rad_s();
  }
  const double full = static_cast<double>(from_seconds(rises_ ? params_.spin_up_s : params_.spin_down_s));
  const double changed = static_cast<double>(at - change_began_) / full;
  return std::clamp(speed_at_change_ + (rises_ ? changed : -changed), 0.0, 1.0);
}

void Spindle::change_speed(int to) {
  const Ps at = now();
  const double speed = part_of_speed(at), aim = part_of(to);
  const bool rises = to != kStand && aim >= speed;
  commanded_ = to;
  rises_ = rises;
  coasts_ = !powered_;
  speed_at_change_ = speed;
  change_began_ = at;
  rotation_.reset();
  show_rotation();
  // Half a spin-up is left of one that begins at half the speed: the second half.
  double full = rises ? params_.spin_up_s : params_.spin_down_s;
  double left = full * (rises ? 1 - speed : speed);  // to the end of a whole spin-up or spin-down
  double seconds = full * (rises ? aim - speed : speed - aim);
  if (motor_) {
    change_ = rises ? &motor_->up() : powered_ ? &motor_->down() : &motor_->coast();
    full = change_->seconds();
    const double passed = change_->when(speed * motor_->full_rad_s());
    const double ends = aim > 0 && aim < 1 ? change_->when(aim * motor_->full_rad_s()) : full;
    left = full - passed;
    seconds = ends - passed;
    show_change(passed, ends);
  }
  enter(rises ? kSpinUp : to == kStand ? kSpinDown : kSlowDown, at, from_seconds(full) - from_seconds(left));
  speed_reached_.cancel();
  speed_reached_.notify(to_sc_time(from_seconds(seconds)));
}

/// Speed and current of the motor from now on, where `passed` seconds of its change are over, which ends after `ends`.
void Spindle::show_change(double passed, double ends) {
  if (!speed_probe_.traced() && !current_probe_.traced()) return;
  speed_probe_.cancel();
  current_probe_.cancel();
  const auto show = [this, passed](const SpeedChange::Point& point) {
    const Ps at = change_began_ + std::max<Ps>(from_seconds(point.s - passed), 0);
    speed_probe_.schedule(at, point.rad_s / motor_->full_rad_s() * params_.rpm);
    current_probe_.schedule(at, point.amperes);
  };
  show(change_->at(passed));
  for (const SpeedChange::Point& point : change_->points())
    if (point.s > passed && point.s <= ends) show(point);
}

void Spindle::speed_reached() {
  const Ps at = now();
  if (commanded_ != kStand) rotate_from(at);
  show_rotation();
  if (motor_) {
    speed_probe_.cancel();  // the last point of the change is of this instant
    current_probe_.cancel();
    speed_probe_.set(rpm_of(commanded_));
    current_probe_.set(rotation_ ? motor_->turning_a(motor_->full_rad_s() * part_of(commanded_)) : 0);
  }
  enter(commanded_ == kStand ? kStopped
        : commanded_ == 0    ? kAtSpeed
                             : static_cast<State>(kAtLower + commanded_ - 1),
        at);
  if (coasts_) return;  // nobody has ordered it
  interrupt_.raise(spn::intstat::Ready::kMask);
}

std::uint32_t Spindle::status() const {
  if (!rotation_) return 0;
  const auto eighths = static_cast<std::uint32_t>(present_millirpm() * 8 / 1000);
  return spn::status::AtSpeed::set(spn::status::EighthRpm::set(0, eighths), off_speed() ? 0 : 1);
}

void Spindle::enter(State state, Ps at, Ps passed) {
  changed_until_ = last_change();
  state_ = state;
  stack_.enter_late(state, at, passed);
  state_probe_.set(state_name(state));
}

std::int64_t Spindle::present_millirpm() const {
  const std::int64_t whole = to_millirpm(rpm_of(commanded_));
  return part_ < 1 ? std::llround(static_cast<double>(whole) * part_) : whole;
}

void Spindle::slow(double part) {
  if (part == part_) return;
  part_ = part;
  slow_probe_.set(part);
  if (!rotation_) return;       // it comes to that speed
  if (part == 1 && powered_) {  // the commanded one
    interrupt_.raise(spn::intstat::Ready::kMask);
  }
  const Ps at = now();
  const double turn = 60e15 / static_cast<double>(present_millirpm());  // ps
  const auto turned = static_cast<Ps>(rotation_->angle(at, 32) * 0x1p-32 * turn);
  rotation_.emplace(at - turned, present_millirpm(), variation());
  show_rotation();
  if (motor_) speed_probe_.set(rpm_of(commanded_) * part_);
}

std::shared_ptr<const SpeedVariation> Spindle::variation() const {
  return part_ < 1 ? nullptr : variations_[static_cast<std::size_t>(commanded_)];
}

void Spindle::rotate_from(Ps at) {
  const double revolution = 60e15 / static_cast<double>(present_millirpm());  // ps
  rotation_.emplace(at - static_cast<Ps>(params_.index_phase_rev * revolution), present_millirpm(), variation());
}

}  // namespace armature::spindle
