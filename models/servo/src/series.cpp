#include "series.h"

#include <algorithm>
#include <cmath>

namespace armature::servo {
namespace {

constexpr double kTurnPerPiece = 3;  // rad of the fastest mode
constexpr int kScan = 8;             // where in a piece a change of the equations is looked for
constexpr double kLeast = 1e-7;      // of a piece: nearer events are the one that just was
constexpr double kBuiltUp = 1e-9;    // of the pivot friction: nearer to it, sliding friction is constant
constexpr int kMostEvents = 1000;    // in one interval; a driver that chatters more is left as it is

template <class Coefficients>
double value(const Coefficients& of, double at, std::size_t terms) {
  double sum = 0;
  for (std::size_t k = terms; k-- > 0;) sum = sum * at + of[k];
  return sum;
}

template <class Coefficients>
double product(const Coefficients& a, const Coefficients& b, std::size_t k) {
  double sum = 0;
  for (std::size_t j = 0; j <= k; ++j) sum += a[j] * b[k - j];
  return sum;
}

}  // namespace

double Equations::fastest() const {
  double rate = slip > 0 ? std::sqrt(slip_slope / mass) : 0;
  rate = std::max(rate, std::sqrt(std::fabs(spring) / mass));
  for (const Mode& mode : modes) rate = std::max(rate, mode.omega * (1 + mode.damping));
  if (voltage_drive) {
    rate = std::max(rate, (resistance + amplifier * feedback) / inductance);
    rate = std::max(rate, force / std::sqrt(mass * inductance));
  }
  return rate;
}

Series::Series(const Equations& equations) : eq_(equations), state_(2 * equations.modes.size()) {}

void Series::choose_driver(const ArmState& state, double command) {
  driver_ = Driver::linear;
  if (!eq_.voltage_drive) return;
  const double v = eq_.amplifier * (eq_.command_scale() * command - eq_.feedback * state.current);
  if (v > eq_.limit) driver_ = Driver::high;
  if (v < -eq_.limit) driver_ = Driver::low;
}

/// How fast the state may change, rad/s: the fastest mode, or friction that builds up while the arm moves.
double Series::rate(ArmState& state) const {
  double fastest = eq_.fastest();
  if (eq_.slip == 0) return fastest;
  double velocity = 0;
  for (std::size_t i = 0; i < eq_.modes.size(); ++i) velocity += eq_.modes[i].in * state.modes[2 * i + 1];
  const double slide = 2 * std::fabs(velocity) * eq_.slip_slope / eq_.slip;
  const double limit = velocity >= 0 ? eq_.slip : -eq_.slip;
  if (slide <= fastest) return fastest;
  if (std::fabs(state.friction - limit) > kBuiltUp * eq_.slip) return slide;
  state.friction = limit;  // built up: the law's fixed point
  return fastest;
}

void Series::advance(ArmState& state, double dt, double command, double base, CoilEnergy* energy) {
  choose_driver(state, command);
  int events = 0;
  while (dt > 0) {
    const double fastest = std::max(rate(state), 1e-9);
    const double piece = std::min(dt, kTurnPerPiece / fastest);
    const std::size_t terms = expand(state, piece, fastest, command, base);
    Event next;
    if (events < kMostEvents) next = event(terms);
    const bool cut = next.at <= 1;
    const double end = cut ? next.at : 1;
    if (energy) integrate(end, piece, base, terms, *energy);
    evaluate(state, end, terms);
    if (cut) driver_ = next.driver;
    events += cut;
    ++pieces_;
    dt = !cut && piece == dt ? 0 : dt - end * piece;
  }
}

/// The coefficients of all series over a time `dt` that counts as 1. Returns how many are needed.
std::size_t Series::expand(const ArmState& state, double dt, double fastest, double command, double base) {
  const std::size_t n = eq_.modes.size();
  const double turn = fastest * dt;
  double size = 1;
  std::size_t terms = 6;
  for (std::size_t k = 1; k < kTerms; ++k) {
    size *= turn / static_cast<double>(k);
    if (k + 1 >= terms && size < 1e-17) break;
    terms = std::max(terms, k + 1);
  }
  for (std::size_t i = 0; i < 2 * n; ++i) state_[i][0] = state.modes[i];
  current_[0] = eq_.voltage_drive ? state.current : command;
  friction_[0] = state.friction;
  double coil_velocity = 0;
  for (std::size_t i = 0; i < n; ++i) coil_velocity += eq_.modes[i].in * state.modes[2 * i + 1];
  sign_ = coil_velocity >= 0 ? 1 : -1;
  for (std::size_t k = 0; k < terms; ++k) {
    double position = 0, velocity = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Mode& mode = eq_.modes[i];
      position += mode.in * state_[2 * i][k] / (mode.omega > 0 ? mode.omega : 1);
      velocity += mode.in * state_[2 * i + 1][k];
    }
    coil_[k] = position;
    coil_velocity_[k] = velocity;
    if (!eq_.voltage_drive && k > 0) current_[k] = 0;
    double force = 0, emf = 0;
    if (eq_.rolloff == 0) {
      factor_[k] = k == 0 ? eq_.force : 0;
      force = eq_.force * current_[k];
      emf = eq_.force * velocity;
    } else {
      square_[k] = product(coil_, coil_, k);
      factor_[k] = (k == 0 ? eq_.force : 0) - eq_.force * eq_.rolloff * square_[k];
      force = product(factor_, current_, k);
      emf = product(factor_, coil_velocity_, k);
    }
    force -= friction_[k] + eq_.spring * position + (k == 0 ? eq_.bias : 0);
    const double acceleration = force / eq_.mass + (k == 0 ? base : 0);
    drive_[k] = eq_.amplifier * ((k == 0 ? eq_.command_scale() * command : 0) - eq_.feedback * current_[k]);
    if (k + 1 == terms) break;
    const double step = dt / static_cast<double>(k + 1);
    for (std::size_t i = 0; i < n; ++i) {
      const Mode& mode = eq_.modes[i];
      const double p = state_[2 * i][k], v = state_[2 * i + 1][k];
      state_[2 * i][k + 1] = step * (mode.omega > 0 ? mode.omega * v : v);
      state_[2 * i + 1][k + 1] =
          step * (mode.in * acceleration - mode.omega * (2 * mode.damping * v + p * (mode.omega > 0)));
    }
    if (eq_.voltage_drive) {
      double v = drive_[k];
      if (driver_ != Driver::linear) v = k > 0 ? 0 : driver_ == Driver::high ? eq_.limit : -eq_.limit;
      current_[k + 1] = step * (v - eq_.resistance * current_[k] - emf) / eq_.inductance;
    }
    const bool builds_up = eq_.slip > 0 && friction_[0] != sign_ * eq_.slip;
    friction_[k + 1] =
        builds_up ? step * eq_.slip_slope * (velocity - sign_ / eq_.slip * product(coil_velocity_, friction_, k)) : 0;
  }
  return terms;
}

/// The first instant up to `limit` at which the series passes the level; over 1 if it does not.
double Series::crossing(const Coefficients& of, double level, bool upwards, std::size_t terms, double limit) const {
  const auto beyond = [&](double at) {
    const double v = value(of, at, terms);
    return upwards ? v > level : v < level;
  };
  double before = 0;
  for (int i = 1; i <= kScan; ++i) {
    const double at = static_cast<double>(i) / kScan;
    if (before > limit) return 2;
    if (beyond(at)) {
      double low = before, high = at;
      for (int k = 0; k < 60 && high - low > 1e-15; ++k) {
        const double middle = 0.5 * (low + high);
        (beyond(middle) ? high : low) = middle;
      }
      return std::max(high, kLeast);
    }
    before = at;
  }
  return 2;
}

Series::Event Series::event(std::size_t terms) const {
  Event first{2, driver_};
  const auto see = [&](double at, Driver driver) {
    if (at < first.at) first = {at, driver};
  };
  if (eq_.voltage_drive && driver_ == Driver::linear) {
    see(crossing(drive_, eq_.limit, true, terms, first.at), Driver::high);
    see(crossing(drive_, -eq_.limit, false, terms, first.at), Driver::low);
  } else if (eq_.voltage_drive) {
    const bool high = driver_ == Driver::high;
    see(crossing(drive_, high ? eq_.limit : -eq_.limit, !high, terms, first.at), Driver::linear);
  }
  if (eq_.slip > 0) see(crossing(coil_velocity_, 0, sign_ < 0, terms, first.at), driver_);
  return first;
}

void Series::evaluate(ArmState& state, double at, std::size_t terms) const {
  for (std::size_t i = 0; i < state.modes.size(); ++i) state.modes[i] = value(state_[i], at, terms);
  state.current = value(current_, at, terms);
  state.friction = value(friction_, at, terms);
}

/// Powers by Gauss and Legendre's rule with 8 points over [0, until].
void Series::integrate(double until, double dt, double base, std::size_t terms, CoilEnergy& energy) const {
  static constexpr double kPoint[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
  static constexpr double kWeight[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
  for (int i = 0; i < 8; ++i) {
    const double at = 0.5 * until * (1 + (i < 4 ? kPoint[i] : -kPoint[i - 4]));
    const double weight = 0.5 * until * dt * kWeight[i % 4];
    const double current = value(current_, at, terms);
    const double velocity = value(coil_velocity_, at, terms);
    double drive = eq_.resistance * current + value(factor_, at, terms) * velocity;  // current drive: what it takes
    if (eq_.voltage_drive)
      drive = driver_ == Driver::linear ? value(drive_, at, terms) : driver_ == Driver::high ? eq_.limit : -eq_.limit;
    double damping = 0;
    for (std::size_t m = 0; m < eq_.modes.size(); ++m) {
      const double v = value(state_[2 * m + 1], at, terms);
      damping += 2 * eq_.modes[m].damping * eq_.modes[m].omega * v * v;
    }
    // Dahl: of the work F v, what the contact does not store as F^2 / (2 sigma) is |v| F^2 / Fc.
    const double friction = value(friction_, at, terms);
    energy.rail += weight * eq_.driver.rail_w(current, drive);
    energy.coil += weight * drive * current;
    energy.heat += weight * eq_.resistance * current * current;
    energy.damping += weight * eq_.mass * damping;
    if (eq_.slip > 0) energy.friction += weight * sign_ * velocity * friction * friction / eq_.slip;
    energy.outside += weight * eq_.mass * base * velocity;
  }
}

}  // namespace armature::servo
