#include "armature/servo/analysis.h"

#include "armature/core/angle.h"
#include "armature/servo/surroundings.h"

#include <algorithm>
#include <cmath>

namespace armature::servo {
namespace {

using Complex = std::complex<double>;

constexpr int kAliases = 20;  // on either side beyond the highest mode; they fall with the third power of the frequency
constexpr double kAmplifies = 2;  // square of a sensitivity above which bands are looked at more closely
constexpr double kAgree = 0.02;
constexpr int kCuts = 7;           // each to a third
constexpr double kOutside = 0.05;  // Hz: how far outside of the unit circle Nyquist's curve is drawn

double square(double x) {
  return x * x;
}

/// The sum over modes of in * (in or out) / (s^2 + 2 z w s + w^2).
Complex receptance(const std::vector<Mode>& modes, Complex s, bool head) {
  Complex sum = 0;
  for (const Mode& mode : modes)
    sum += mode.in * (head ? mode.out : mode.in) / (s * s + 2 * mode.damping * mode.omega * s + square(mode.omega));
  return sum;
}

}  // namespace

LoopAnalysis::LoopAnalysis(const ServoParams& servo, bool nominal)
    : servo_(servo),
      modes_(nominal ? nominal_modes(servo.plant) : true_modes(servo.plant)),
      chain_(servo.control.voice_coil, servo.hold_s()) {
  if (nominal) servo_.plant.loop_gain = servo_.piezo.gain = 1;
  if (servo.piezo.stroke_nm_v > 0) {
    piezo_modes_ = piezo_modes(servo.piezo, !nominal);
    piezo_chain_.emplace(servo.control.piezo, servo.hold_s());
  }
  for (const std::vector<Mode>* const list : {&modes_, &piezo_modes_})
    for (const Mode& mode : *list) highest_mode_hz_ = std::max(highest_mode_hz_, mode.omega / kTwoPi);
  gain_ = servo_.plant.loop_gain * servo_.plant.force_n_a() / servo_.plant.mass_kg() / servo_.pitch_m();
  delay_s_ = servo_.plant.input_delay_us * 1e-6;
  // Flex cable, and the pivot's friction as the spring that it is for movements far below its slip.
  spring_ = servo_.plant.force_n_a() *
            (servo_.plant.flex_spring_ma_mm + servo_.plant.friction_ma * 1e-3 / (servo_.plant.friction_slip_um * 1e-6));
}

Complex LoopAnalysis::voice_coil(Complex s) const {
  const PlantParams& plant = servo_.plant;
  const DriverParams& driver = servo_.driver;
  const Complex per_ampere = gain_ * std::exp(-s * delay_s_) * receptance(modes_, s, true);
  const bool voltage = driver.kind == DriverKind::voltage;
  if (!voltage && spring_ == 0) return per_ampere;
  const double force = plant.force_n_a();
  const Complex coil = receptance(modes_, s, false) / plant.mass_kg();
  const Complex held = 1.0 + spring_ * coil;
  if (!voltage) return per_ampere / held;
  const double closed = driver.coil_ohm + driver.amplifier_gain * driver.sense_ohm;
  return per_ampere / held * closed / (closed + s * driver.coil_mh * 1e-3 + square(force) * s * coil / held);
}

Complex LoopAnalysis::piezo(Complex s) const {
  return servo_.piezo.gain * std::exp(-s * servo_.piezo.input_delay_us * 1e-6) * receptance(piezo_modes_, s, true) /
         servo_.pitch_m();
}

/// What colours the second noise of the command.
Complex LoopAnalysis::filter(Complex s) const {
  Complex above = 0, below = 0;
  for (const double k : servo_.noise.filter_numerator) above = above * s + k;
  for (const double k : servo_.noise.filter_denominator) below = below * s + k;
  return above / below;
}

template <class Plant>
Complex LoopAnalysis::sampled(const Plant& plant, Complex s, double period_s) const {
  const Complex hold = 1.0 - std::exp(-s * period_s);
  const int aliases = kAliases + static_cast<int>(std::min(highest_mode_hz_ * period_s, 2000.0));
  Complex sum = 0;
  for (int k = -aliases; k <= aliases; ++k) {
    const Complex alias = s + Complex(0, kTwoPi * k / period_s);
    if (std::abs(alias) == 0) return plant(Complex(0, 1e-6));
    sum += plant(alias) / alias;
  }
  return hold * sum / period_s;
}

Complex LoopAnalysis::voice_coil_at_wedges(double frequency_hz) const {
  return sampled([this](Complex s) { return voice_coil(s); }, Complex(0, kTwoPi * frequency_hz), servo_.wedge_s());
}

Complex LoopAnalysis::piezo_at_wedges(double frequency_hz) const {
  return sampled([this](Complex s) { return piezo(s); }, Complex(0, kTwoPi * frequency_hz), servo_.wedge_s());
}

LoopPoint LoopAnalysis::at(Complex s) const {
  const double wedge_s = servo_.wedge_s(), hold_s = servo_.hold_s();
  const auto holds = static_cast<int>(servo_.control.multirate);
  const Complex z = std::exp(s * wedge_s);
  LoopPoint point;
  point.frequency_hz = s.imag() / kTwoPi;
  Complex coil = 0, piezo_head = 0, piezo_estimate = 0;
  for (int k = 0; k < holds; ++k) {
    const Complex alias = s + Complex(0, kTwoPi * k / wedge_s);
    const Complex fast = std::exp(alias * hold_s);
    Complex held = 0;  // a value of the wedge rate stands for each of its holds
    for (int m = 0; m < holds; ++m) held += std::pow(fast, -m);
    held /= static_cast<double>(holds);
    const Complex head = sampled([this](Complex x) { return voice_coil(x); }, alias, hold_s);
    if (k == 0) point.plant = head;
    point.plant_power += std::norm(head);
    if (servo_.noise.filtered_a > 0)
      point.filtered_power += std::norm(head * sampled([this](Complex x) { return filter(x); }, alias, hold_s));
    coil += held * chain_.fast_response(fast) * head;
    if (!piezo_chain_) continue;
    const Complex command = held * piezo_chain_->fast_response(fast);
    piezo_head += command * sampled([this](Complex x) { return piezo(x); }, alias, hold_s);
    piezo_estimate += command / fast * (servo_.piezo.stroke_nm_v * 1e-9 / servo_.pitch_m());
  }
  const Complex voice = coil * chain_.slow_response(z);
  point.loop = voice;
  if (piezo_chain_) {
    const Complex second = piezo_chain_->slow_response(z);
    point.loop += piezo_head * second;
    if (servo_.control.decouple) point.loop += voice * piezo_estimate * second;
  }
  return point;
}

/// Fine enough for the narrowest resonance: the error of the sum falls as e^(-2 pi half width / grid).
double LoopAnalysis::grid_hz() const {
  double narrow = 3;
  const auto see = [&](double omega, double damping) {
    if (omega > 0 && damping > 0) narrow = std::min(narrow, omega * damping / kTwoPi);
  };
  for (const Mode& mode : modes_) see(mode.omega, mode.damping);
  for (const WindageFilter& filter : windage_filters(servo_))
    if (filter.numerator > 0) see(filter.omega, filter.damping);
  return std::max(narrow / 2, 0.1);
}

/// Does 1 + L not turn around 0 on a circle just outside of the unit circle? The open loop has no pole there.
bool LoopAnalysis::stable() const {
  double turned = 0;
  Complex before = 0;
  const auto go = [&](double frequency) {
    const Complex value = 1.0 + at(Complex(kTwoPi * kOutside, kTwoPi * frequency)).loop;
    if (before != 0.0) turned += std::arg(value / before);
    before = value;
  };
  go(0);
  for (double f = 1e-3; f < 5; f *= 1.02) go(f);
  const double step = grid_hz() * 1.5;
  for (double f = 5; f < highest_hz(); f += step) go(f);
  go(highest_hz());
  return std::fabs(turned) < 1;
}

Margins LoopAnalysis::margins() const {
  Margins margins;
  margins.stable = stable();
  margins.phase_deg = 180;
  margins.gain_db = 200;
  margins.modulus = 1e300;
  LoopPoint before = at(5.0);
  const double step = grid_hz() * 2;
  for (double f = 5 + step; f < highest_hz(); f += step) {
    const LoopPoint now = at(f);
    const double a = std::abs(before.loop), b = std::abs(now.loop);
    if ((a - 1) * (b - 1) <= 0 && a != b) {
      const double crossing = before.frequency_hz + (f - before.frequency_hz) * (a - 1) / (a - b);
      if (margins.first_crossover_hz == 0) margins.first_crossover_hz = crossing;
      margins.crossover_hz = crossing;
      const double share = (a - 1) / (a - b);
      const Complex there = before.loop + share * (now.loop - before.loop);
      margins.phase_deg = std::min(margins.phase_deg, std::fabs(180 / kPi * std::arg(-there)));
    }
    if (before.loop.imag() * now.loop.imag() <= 0 && before.loop.real() < 0 && now.loop.real() < 0 && a < 1)
      margins.gain_db = std::min(margins.gain_db, -20 * std::log10(std::max(a, b)));
    const double distance = std::abs(1.0 + now.loop);
    if (distance < margins.modulus) {
      margins.modulus = distance;
      margins.peak_hz = f;
    }
    before = now;
  }
  margins.peak_db = -20 * std::log10(margins.modulus);
  return margins;
}

/// The powers in a band of the sensitivity's square times each density, by its middle. Where the loop amplifies, a pole
/// of the closed loop may be nearer to the edge than any of the open one: there the band is cut in three until the
/// thirds agree with their middle.
LoopAnalysis::Powers LoopAnalysis::powers(double middle_hz, double width_hz, int cuts, const Powers* known) const {
  const Powers whole = known ? *known : powers_at(middle_hz);
  const auto scaled = [&](const Powers& p) {
    const double share = width_hz / highest_hz();
    return Powers{p.sensor * share, p.force * share, p.air * share};
  };
  if (whole.sensor < kAmplifies || cuts == 0) return scaled(whole);
  const double third = width_hz / 3;
  const Powers below = powers_at(middle_hz - third), above = powers_at(middle_hz + third);
  const double mean = (below.sensor + whole.sensor + above.sensor) / 3;
  if (std::fabs(mean - whole.sensor) < kAgree * whole.sensor)
    return scaled({mean, (below.force + whole.force + above.force) / 3, (below.air + whole.air + above.air) / 3});
  Powers sum = powers(middle_hz, third, cuts - 1, &whole);
  sum += powers(middle_hz - third, third, cuts - 1, &below);
  sum += powers(middle_hz + third, third, cuts - 1, &above);
  return sum;
}

LoopAnalysis::Powers LoopAnalysis::powers_at(double frequency_hz) const {
  const Complex s(0, kTwoPi * frequency_hz);
  const LoopPoint point = at(s);
  const double weight = std::norm(point.sensitivity());
  Powers powers{weight,
                weight * (square(servo_.noise.force_a) * point.plant_power +
                          square(servo_.noise.filtered_a) * point.filtered_power),
                0};
  for (const WindageFilter& w : windage_filters(servo_)) {
    if (w.numerator == 0) continue;
    const auto filter = [&w](Complex x) {
      return w.numerator / (x * x + 2 * w.damping * w.omega * x + square(w.omega));
    };
    if (servo_.windage.held) {
      powers.air += weight * std::norm(sampled(filter, s, servo_.wedge_s()));
      continue;
    }
    for (int k = -kAliases; k <= kAliases; ++k)
      powers.air += weight * std::norm(filter(s + Complex(0, kTwoPi * k / servo_.wedge_s())));
  }
  return powers;
}

Prediction LoopAnalysis::predict() const {
  const auto points = static_cast<std::size_t>(std::ceil(highest_hz() / grid_hz()));
  const double width = highest_hz() / static_cast<double>(points);
  Powers all;
  for (std::size_t i = 0; i < points; ++i) all += powers((static_cast<double>(i) + 0.5) * width, width, kCuts, nullptr);
  double sensor = all.sensor;
  const double force = all.force, air = all.air;
  // A hold's noise is larger by the root of the holds; of `holds` aliases each counts 1 / holds.
  sensor *= square(servo_.noise.sensor_tracks);
  Prediction result;
  result.sensor_percent = 300 * std::sqrt(sensor);
  result.force_percent = 300 * std::sqrt(force);
  result.windage_percent = 300 * std::sqrt(air);
  result.nrpe_3sigma_percent = 300 * std::sqrt(sensor + force + air);

  const std::vector<double> runout = Surroundings(servo_).runout();
  const std::size_t n = runout.size();
  std::vector<double> error(n, 0.0);
  for (std::size_t k = 0; k <= n / 2; ++k) {
    Complex line = 0;
    for (std::size_t w = 0; w < n; ++w)
      line += runout[w] * std::polar(1.0, -kTwoPi * static_cast<double>(k * w % n) / static_cast<double>(n));
    if (std::abs(line) < 1e-15 * static_cast<double>(n)) continue;
    // An integrator leaves nothing of the mean.
    line *= at(std::max(static_cast<double>(k) * servo_.spindle.rpm / 60, 1e-3)).sensitivity() / static_cast<double>(n);
    const double both = k == 0 || 2 * k == n ? 1 : 2;
    for (std::size_t w = 0; w < n; ++w)
      error[w] +=
          both * std::real(line * std::polar(1.0, kTwoPi * static_cast<double>(k * w % n) / static_cast<double>(n)));
  }
  const auto [low, high] = std::minmax_element(error.begin(), error.end());
  result.rpe_pp_percent = 100 * (*high - *low);
  return result;
}

std::vector<double> LoopAnalysis::step_response(std::size_t wedges) const {
  // The complementary sensitivity at N frequencies of a period of N wedges, to half a period of a square wave.
  const std::size_t n = 8 * wedges;
  std::vector<double> response(wedges, 0.0);
  for (std::size_t k = 1; k <= n / 2; k += 2) {
    const double f = static_cast<double>(k) / (static_cast<double>(n) * servo_.wedge_s());
    const Complex loop = at(f).loop;
    const Complex through = loop / (1.0 + loop);
    // Of a square wave from 0 to 1: the k-th line of its discrete spectrum.
    const Complex line = 2.0 / (static_cast<double>(n) *
                                (1.0 - std::polar(1.0, -kTwoPi * static_cast<double>(k) / static_cast<double>(n))));
    const double both = 2 * k == n ? 1 : 2;
    for (std::size_t w = 0; w < wedges; ++w)
      response[w] +=
          both *
          std::real(line * through * std::polar(1.0, kTwoPi * static_cast<double>(k * w % n) / static_cast<double>(n)));
  }
  for (double& value : response) value += 0.5;
  return response;
}

}  // namespace armature::servo
