#include "armature/servo/plant.h"

#include "hold.h"
#include "series.h"

#include <algorithm>
#include <cmath>

namespace armature::servo {
namespace {

constexpr double kWellBelow = 0.5;  // of the limit at both ends of an interval: between them the driver cannot reach it

struct Delay {
  std::size_t whole = 0;  // holds
  double rest_s = 0;      // of the next one
};

Delay delay_of(double delay_us, double hold_s) {
  const double holds = delay_us * 1e-6 / hold_s;
  Delay delay;
  delay.whole = static_cast<std::size_t>(std::floor(holds + 1e-9));
  delay.rest_s = std::max(0.0, holds - static_cast<double>(delay.whole)) * hold_s;
  if (delay.rest_s < 1e-9 * hold_s) delay.rest_s = 0;
  return delay;
}

/// A mode's state as Series keeps it, for an input of acceleration.
std::vector<double> matrix_of(const Mode& mode) {
  return {0, mode.omega > 0 ? mode.omega : 1, -mode.omega, -2 * mode.damping * mode.omega};
}

}  // namespace

struct Plant::State {
  // Current drive: each mode for itself. The command acts as old_* before the delay has passed and as new_* after.
  struct Block {
    double pp, pv, vp, vv;
    double old_p, old_v, new_p, new_v, base_p, base_v;
  };

  Equations eq;
  Series series;
  ArmState arm;
  double hold_s;
  Delay delay;
  double loop_gain;
  double max_current;
  bool linear;
  bool accounted = false;
  CoilEnergy energy;
  std::vector<double> commands;  // the latest first
  std::vector<Block> blocks;
  Held before, after;  // voltage drive: inputs are command and base
  std::vector<double> scratch;
  double base_bias;
  std::size_t exact = 0;

  State(const PlantParams& plant, const DriverParams& driver, double hold);
  static Equations equations(const PlantParams& plant, const DriverParams& driver);
  void make_blocks();
  void make_matrices();
  void exact_blocks(double old_command, double new_command, double base);
  bool exact_voltage(double old_command, double new_command, double base);
  double drive(double command) const {
    return eq.amplifier * (eq.command_scale() * command - eq.feedback * arm.current);
  }
  void apply(const Held& held, double command, double base);
};

Equations Plant::State::equations(const PlantParams& plant, const DriverParams& driver) {
  Equations eq;
  eq.modes = true_modes(plant);
  eq.mass = plant.mass_kg();
  eq.force = plant.force_n_a();
  const double half = plant.stroke_mm * 0.5e-3;
  eq.rolloff = plant.torque_rolloff_percent / 100 / (half * half);
  eq.bias = eq.force * plant.flex_bias_ma * 1e-3;
  eq.spring = eq.force * plant.flex_spring_ma_mm;  // mA/mm is A/m
  eq.slip = eq.force * plant.friction_ma * 1e-3;
  eq.slip_slope = eq.slip / (plant.friction_slip_um * 1e-6);
  eq.voltage_drive = driver.kind == DriverKind::voltage;
  eq.resistance = driver.coil_ohm;
  eq.inductance = driver.coil_mh * 1e-3;
  eq.feedback = driver.sense_ohm;
  eq.amplifier = driver.amplifier_gain;
  eq.limit = driver.supply_v - driver.drop_v;
  eq.driver = driver;
  return eq;
}

Plant::State::State(const PlantParams& plant, const DriverParams& driver, double hold)
    : eq(equations(plant, driver)),
      series(eq),
      hold_s(hold),
      delay(delay_of(plant.input_delay_us, hold)),
      loop_gain(plant.loop_gain),
      max_current(driver.max_current_a),
      linear(eq.rolloff == 0 && eq.slip == 0 && eq.spring == 0),
      commands(delay.whole + 2, 0.0),
      base_bias(-eq.bias / eq.mass) {
  arm.modes.assign(2 * eq.modes.size(), 0.0);
  if (!linear) return;
  if (eq.voltage_drive)
    make_matrices();
  else
    make_blocks();
}

void Plant::State::make_blocks() {
  for (const Mode& mode : eq.modes) {
    const std::vector<double> a = matrix_of(mode);
    const std::vector<double> b = {0, mode.in};
    const Held all = hold(a, b, 1, hold_s);
    const Held late = hold(a, b, 1, hold_s - delay.rest_s);
    Block block{};
    block.pp = all.transition[0];
    block.pv = all.transition[1];
    block.vp = all.transition[2];
    block.vv = all.transition[3];
    const double gain = eq.force / eq.mass;
    block.new_p = late.input[0] * gain;
    block.new_v = late.input[1] * gain;
    block.old_p = all.input[0] * gain - block.new_p;
    block.old_v = all.input[1] * gain - block.new_v;
    block.base_p = all.input[0];
    block.base_v = all.input[1];
    blocks.push_back(block);
  }
}

void Plant::State::make_matrices() {
  const std::size_t n = 2 * eq.modes.size() + 1;
  std::vector<double> a(n * n, 0.0), b(n * 2, 0.0);
  for (std::size_t i = 0; i < eq.modes.size(); ++i) {
    const Mode& mode = eq.modes[i];
    const std::vector<double> own = matrix_of(mode);
    for (std::size_t r = 0; r < 2; ++r)
      for (std::size_t c = 0; c < 2; ++c) a[(2 * i + r) * n + 2 * i + c] = own[2 * r + c];
    a[(2 * i + 1) * n + n - 1] = mode.in * eq.force / eq.mass;
    a[(n - 1) * n + 2 * i + 1] = -mode.in * eq.force / eq.inductance;
    b[(2 * i + 1) * 2 + 1] = mode.in;
  }
  a[n * n - 1] = -(eq.resistance + eq.amplifier * eq.feedback) / eq.inductance;
  b[(n - 1) * 2] = eq.amplifier * eq.command_scale() / eq.inductance;
  if (delay.rest_s > 0) before = hold(a, b, 2, delay.rest_s);
  after = hold(a, b, 2, hold_s - delay.rest_s);
  scratch.resize(n);
}

void Plant::State::exact_blocks(double old_command, double new_command, double base) {
  double* x = arm.modes.data();
  for (const Block& m : blocks) {
    const double p = x[0], v = x[1];
    x[0] = m.pp * p + m.pv * v + m.old_p * old_command + m.new_p * new_command + m.base_p * base;
    x[1] = m.vp * p + m.vv * v + m.old_v * old_command + m.new_v * new_command + m.base_v * base;
    x += 2;
  }
  arm.current = new_command;
}

void Plant::State::apply(const Held& held, double command, double base) {
  const std::size_t n = held.order;
  const double* row = held.transition.data();
  for (std::size_t i = 0; i < n; ++i, row += n) {
    double sum = held.input[2 * i] * command + held.input[2 * i + 1] * base + row[n - 1] * arm.current;
    for (std::size_t j = 0; j + 1 < n; ++j) sum += row[j] * arm.modes[j];
    scratch[i] = sum;
  }
  std::copy(scratch.begin(), scratch.end() - 1, arm.modes.begin());
  arm.current = scratch.back();
}

/// False, and nothing has moved, if the driver comes near its limit.
bool Plant::State::exact_voltage(double old_command, double new_command, double base) {
  const double limit = kWellBelow * eq.limit;
  const ArmState saved = arm;
  if (delay.rest_s > 0) {
    if (std::fabs(drive(old_command)) > limit) return false;
    apply(before, old_command, base);
    if (std::fabs(drive(old_command)) > limit || std::fabs(drive(new_command)) > limit) {
      arm = saved;
      return false;
    }
  } else if (std::fabs(drive(new_command)) > limit) {
    return false;
  }
  apply(after, new_command, base);
  if (std::fabs(drive(new_command)) <= limit) return true;
  arm = saved;
  return false;
}

Plant::Plant(const PlantParams& plant, const DriverParams& driver, double hold_s)
    : state_(std::make_unique<State>(plant, driver, hold_s)) {}
Plant::~Plant() = default;
Plant::Plant(Plant&&) noexcept = default;

void Plant::reset(double position_m) {
  State& s = *state_;
  std::fill(s.arm.modes.begin(), s.arm.modes.end(), 0.0);
  std::fill(s.commands.begin(), s.commands.end(), 0.0);
  s.arm.current = s.arm.friction = 0;
  s.energy = {};
  s.series.set_driver(Driver::linear);
  const Mode& arm = s.eq.modes.front();
  s.arm.modes[0] = position_m / arm.out * (arm.omega > 0 ? arm.omega : 1);
}

void Plant::step(double command_a, double base_m_s2) {
  State& s = *state_;
  double command = command_a * s.loop_gain;
  if (s.max_current > 0) command = std::clamp(command, -s.max_current, s.max_current);
  std::copy_backward(s.commands.begin(), s.commands.end() - 1, s.commands.end());
  s.commands.front() = command;
  const double new_command = s.commands[s.delay.whole];
  const double old_command = s.commands[s.delay.whole + 1];
  if (s.linear && !s.accounted) {
    const double base = base_m_s2 + s.base_bias;
    if (!s.eq.voltage_drive) {
      s.exact_blocks(old_command, new_command, base);
      ++s.exact;
      return;
    }
    if (s.exact_voltage(old_command, new_command, base)) {
      ++s.exact;
      return;
    }
  }
  CoilEnergy* const energy = s.accounted ? &s.energy : nullptr;
  if (s.delay.rest_s > 0) s.series.advance(s.arm, s.delay.rest_s, old_command, base_m_s2, energy);
  s.series.advance(s.arm, s.hold_s - s.delay.rest_s, new_command, base_m_s2, energy);
}

double Plant::position() const {
  double sum = 0;
  for (std::size_t i = 0; i < state_->eq.modes.size(); ++i) {
    const Mode& mode = state_->eq.modes[i];
    sum += mode.out * state_->arm.modes[2 * i] / (mode.omega > 0 ? mode.omega : 1);
  }
  return sum;
}

double Plant::velocity() const {
  double sum = 0;
  for (std::size_t i = 0; i < state_->eq.modes.size(); ++i)
    sum += state_->eq.modes[i].out * state_->arm.modes[2 * i + 1];
  return sum;
}

double Plant::coil_velocity() const {
  double sum = 0;
  for (std::size_t i = 0; i < state_->eq.modes.size(); ++i)
    sum += state_->eq.modes[i].in * state_->arm.modes[2 * i + 1];
  return sum;
}

double Plant::current() const {
  return state_->arm.current;
}

double Plant::voltage() const {
  const State& s = *state_;
  if (s.eq.voltage_drive) return std::clamp(s.drive(s.commands[s.delay.whole]), -s.eq.limit, s.eq.limit);
  double coil = 0;
  for (std::size_t i = 0; i < s.eq.modes.size(); ++i) {
    const Mode& mode = s.eq.modes[i];
    coil += mode.in * s.arm.modes[2 * i] / (mode.omega > 0 ? mode.omega : 1);
  }
  return s.eq.resistance * s.arm.current + s.eq.force * (1 - s.eq.rolloff * coil * coil) * coil_velocity();
}

bool Plant::saturated() const {
  return state_->eq.voltage_drive &&
         std::fabs(state_->drive(state_->commands[state_->delay.whole])) >= state_->eq.limit;
}

double Plant::kinetic() const {
  const State& s = *state_;
  double sum = 0, coil = 0;
  for (std::size_t i = 0; i < s.eq.modes.size(); ++i) {
    const Mode& mode = s.eq.modes[i];
    const double p = s.arm.modes[2 * i], v = s.arm.modes[2 * i + 1];
    sum += 0.5 * s.eq.mass * (v * v + (mode.omega > 0 ? p * p : 0));
    coil += mode.in * p / (mode.omega > 0 ? mode.omega : 1);
  }
  if (s.eq.voltage_drive) sum += 0.5 * s.eq.inductance * s.arm.current * s.arm.current;
  if (s.eq.slip > 0) sum += 0.5 * s.arm.friction * s.arm.friction / s.eq.slip_slope;
  return sum + s.eq.bias * coil + 0.5 * s.eq.spring * coil * coil;
}

void Plant::account_energy(bool on) {
  state_->accounted = on;
}

const CoilEnergy& Plant::energy() const {
  return state_->energy;
}

std::size_t Plant::exact_steps() const {
  return state_->exact;
}

std::size_t Plant::series_steps() const {
  return state_->series.pieces();
}

Stage::Stage(const PiezoParams& piezo, double hold_s) : limit_(piezo.limit_v), gain_(piezo.gain) {
  const Delay delay = delay_of(piezo.input_delay_us, hold_s);
  commands_.assign(delay.whole + 2, 0.0);
  for (const Mode& mode : piezo_modes(piezo, true)) {
    const Held all = hold(matrix_of(mode), {0, mode.in}, 1, hold_s);
    const Held late = hold(matrix_of(mode), {0, mode.in}, 1, hold_s - delay.rest_s);
    Block block{};
    block.pp = all.transition[0];
    block.pv = all.transition[1];
    block.vp = all.transition[2];
    block.vv = all.transition[3];
    block.new_p = late.input[0];
    block.new_v = late.input[1];
    block.old_p = all.input[0] - late.input[0];
    block.old_v = all.input[1] - late.input[1];
    block.out = mode.out / mode.omega;
    blocks_.push_back(block);
  }
}

void Stage::step(double command_v) {
  double command = command_v * gain_;
  if (limit_ > 0) command = std::clamp(command, -limit_, limit_);
  std::copy_backward(commands_.begin(), commands_.end() - 1, commands_.end());
  commands_.front() = command;
  const double new_command = commands_[commands_.size() - 2];
  const double old_command = commands_.back();
  for (Block& m : blocks_) {
    const double p = m.p, v = m.v;
    m.p = m.pp * p + m.pv * v + m.old_p * old_command + m.new_p * new_command;
    m.v = m.vp * p + m.vv * v + m.old_v * old_command + m.new_v * new_command;
  }
}

double Stage::position() const {
  double sum = 0;
  for (const Block& block : blocks_) sum += block.out * block.p;
  return sum;
}

}  // namespace armature::servo
