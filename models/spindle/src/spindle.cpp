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
constexpr std::array<const char*, 4> kStateNames = {"stopped", "spin_up", "at_speed", "spin_down"};

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
  v.section("motor", motor, "Motor of the stack: times, energy and current of spin-up and spin-down");
}

std::shared_ptr<const SpeedVariation> SpindleParams::variation(std::string_view stack) const {
  if (jitter_ppm <= 0) return nullptr;
  const Ps turn = Rotation(0, to_millirpm(rpm)).duration({1, 1});
  const std::uint64_t seed = RandomStream(static_cast<std::uint64_t>(jitter_seed), stack).bits();
  return std::make_shared<SpeedVariation>(turn, jitter_ppm, regulation_turns, seed);
}

Ps SpindleParams::earliest() const {
  const std::shared_ptr<const SpeedVariation> varied = variation({});
  return varied ? varied->limit() : 0;
}

Spindle::Spindle(sc_core::sc_module_name name, const SpindleParams& params, const BlockContext& context)
    : sc_module(name),
      params_(params),
      millirpm_(to_millirpm(params.rpm)),
      variation_(params.variation(std::string_view(static_cast<const char*>(name)))),
      motor_(params.motor.given() ? std::optional<Motor>(std::in_place, params.motor, params.rpm) : std::nullopt),
      bank_(spn::kTable) {
  check("rpm", params.rpm, kSpeed);
  check("spin_up_s", params.spin_up_s, kChange);
  check("spin_down_s", params.spin_down_s, kChange);
  check("index_phase_rev", params.index_phase_rev, kPhase);
  check("jitter_ppm", params.jitter_ppm, kJitter);
  check("regulation_turns", params.regulation_turns, kRegulation);

  bank_.on_write(spn::kCtrl, [this](std::uint32_t word) { go(word); });
  bank_.on_read(spn::kStatus, [this] { return status(); });
  bank_.on_write(spn::kIntstat, [this](std::uint32_t) { update_irq(); });
  bank_.on_write(spn::kInten, [this](std::uint32_t) { update_irq(); });
  regs.bind(bank_);

  const std::string path = this->name();
  stack_.declare(context.states, {path, {kStateNames.begin(), kStateNames.end()}});
  angle_probe_.declare(context.probes, path + ".angle", "rev",
                       "Angle since the index; not a number while the stack is not at speed");
  index_probe_.declare(context.probes, path + ".index", "Index pulse, drawn 1/64 revolution wide");
  state_probe_.declare(context.probes, path + ".state", "stopped, spin_up, at_speed or spin_down");
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
    run_ = true;
    state_ = kAtSpeed;
    rotate_from(0);
  }
}

void Spindle::start_of_simulation() {
  if (state_ != kStopped) stack_.enter(state_, 0);
  state_probe_.set(kStateNames[state_]);
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
  const bool run = spn::ctrl::Run::get(ctrl);
  if (run == run_) coasts_ = false;  // what happens is what is wanted
  if (!changing() && run == run_) {  // already there
    bank_[spn::kIntstat] |= spn::intstat::Ready::kMask;
    update_irq();
    return;
  }
  if (run == run_) return;  // under way
  change_speed(run);
}

void Spindle::power_off() {
  if (!powered_) return;
  powered_ = false;
  bank_.reset();
  update_irq();
  if (state_ != kStopped) change_speed(false);
}

void Spindle::power_on() {
  powered_ = true;
}

void Spindle::restart() {
  bank_.reset();
  update_irq();
}

double Spindle::part_of_speed(Ps at) const {
  if (!changing()) return state_ == kAtSpeed ? 1 : 0;
  if (motor_) {
    const double began = change_->when(speed_at_change_ * motor_->full_rad_s());
    return change_->at(began + to_seconds(at - change_began_)).rad_s / motor_->full_rad_s();
  }
  const double full = static_cast<double>(from_seconds(run_ ? params_.spin_up_s : params_.spin_down_s));
  const double changed = static_cast<double>(at - change_began_) / full;
  return std::clamp(speed_at_change_ + (run_ ? changed : -changed), 0.0, 1.0);
}

void Spindle::change_speed(bool run) {
  const Ps at = now();
  const double speed = part_of_speed(at);
  run_ = run;
  coasts_ = !powered_;
  speed_at_change_ = speed;
  change_began_ = at;
  rotation_.reset();
  show_rotation();
  // Half a spin-up is left of one that begins at half the speed: the second half.
  double full = run ? params_.spin_up_s : params_.spin_down_s;
  double passed = full * (run ? speed : 1 - speed);
  double seconds = full * (run ? 1 - speed : speed);
  if (motor_) {
    change_ = run ? &motor_->up() : powered_ ? &motor_->down() : &motor_->coast();
    full = change_->seconds();
    passed = change_->when(speed * motor_->full_rad_s());
    seconds = full - passed;
    show_change(passed);
  }
  enter(run ? kSpinUp : kSpinDown, at, from_seconds(full) - from_seconds(seconds));
  speed_reached_.cancel();
  speed_reached_.notify(to_sc_time(from_seconds(seconds)));
}

/// Speed and current of the motor from now on, where `passed` seconds of its change are over.
void Spindle::show_change(double passed) {
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
    if (point.s > passed) show(point);
}

void Spindle::speed_reached() {
  const Ps at = now();
  if (run_) rotate_from(at);
  show_rotation();
  if (motor_) {
    speed_probe_.cancel();  // the last point of the change is of this instant
    current_probe_.cancel();
    speed_probe_.set(run_ ? params_.rpm : 0);
    current_probe_.set(run_ ? motor_->turning_a() : 0);
  }
  enter(run_ ? kAtSpeed : kStopped, at);
  if (coasts_) return;  // nobody has ordered it
  bank_[spn::kIntstat] |= spn::intstat::Ready::kMask;
  update_irq();
}

std::uint32_t Spindle::status() const {
  if (!rotation_) return 0;
  const auto eighths = static_cast<std::uint32_t>(present_millirpm() * 8 / 1000);
  return spn::status::AtSpeed::set(spn::status::EighthRpm::set(0, eighths), off_speed() ? 0 : 1);
}

void Spindle::update_irq() {
  irq.write((bank_[spn::kIntstat] & bank_[spn::kInten]) != 0);
}

void Spindle::enter(State state, Ps at, Ps passed) {
  changed_until_ = last_change();
  state_ = state;
  stack_.enter_late(state, at, passed);
  state_probe_.set(kStateNames[state]);
}

std::int64_t Spindle::present_millirpm() const {
  return part_ < 1 ? std::llround(static_cast<double>(millirpm_) * part_) : millirpm_;
}

void Spindle::slow(double part) {
  if (part == part_) return;
  part_ = part;
  slow_probe_.set(part);
  if (!rotation_) return;       // it comes to that speed
  if (part == 1 && powered_) {  // the commanded one
    bank_[spn::kIntstat] |= spn::intstat::Ready::kMask;
    update_irq();
  }
  const Ps at = now();
  const double turn = 60e15 / static_cast<double>(present_millirpm());  // ps
  const auto turned = static_cast<Ps>(rotation_->angle(at, 32) * 0x1p-32 * turn);
  rotation_.emplace(at - turned, present_millirpm(), part_ < 1 ? nullptr : variation_);
  show_rotation();
  if (motor_) speed_probe_.set(params_.rpm * part_);
}

void Spindle::rotate_from(Ps at) {
  const double revolution = 60e15 / static_cast<double>(present_millirpm());  // ps
  rotation_.emplace(at - static_cast<Ps>(params_.index_phase_rev * revolution), present_millirpm(),
                    part_ < 1 ? nullptr : variation_);
}

}  // namespace armature::spindle
