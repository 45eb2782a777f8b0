#include "armature/servo/design.h"

#include "armature/core/angle.h"
#include "armature/servo/analysis.h"

#include <algorithm>
#include <cmath>

namespace armature::servo {
namespace {

constexpr double kPoleDamping = 0.2;  // of a notch: wide enough for a mode that moves by a few percent
constexpr double kLeastZero = 0.005;
constexpr double kNearRate = 0.95;  // of half the hold rate: higher up a notch cannot be made

/// Gain of the open loop of one controller at a frequency, the other one off.
double loop_gain(const ServoParams& servo, double frequency_hz) {
  return std::abs(LoopAnalysis(servo, true).at(frequency_hz).loop);
}

void scale_to_one(ServoParams& servo, ChainParams& chain, double crossover_hz, const char* key) {
  const double gain = loop_gain(servo, crossover_hz);
  if (!(gain > 0)) servo.fail(key, "the plant does not answer at this frequency");
  chain.divisor *= gain;
}

/// Greatest gain of the open loop around a resonance.
double peak(const ServoParams& servo, const Mode& mode) {
  const LoopAnalysis analysis(servo, true);
  const double width = std::max(mode.damping, 0.002);
  double greatest = 0;
  for (int i = -20; i <= 20; ++i)
    greatest = std::max(greatest, std::abs(analysis.at(mode.omega / kTwoPi * (1 + 0.25 * i * width)).loop));
  return greatest;
}

void add_notches(ServoParams& servo, ChainParams& chain, const std::vector<Mode>& modes, double above_hz) {
  const double limit = std::pow(10, servo.control.notch_limit_db / 20);
  std::vector<NotchParams> notches;
  for (const Mode& mode : modes) {
    const double frequency = mode.omega / kTwoPi;
    if (frequency <= above_hz || frequency > kNearRate * 0.5 / servo.hold_s()) continue;
    const double gain = peak(servo, mode);
    if (gain <= limit) continue;
    NotchParams notch;
    notch.frequency_hz = frequency;
    notch.pole_damping = kPoleDamping;
    notch.zero_damping = std::max(kLeastZero, kPoleDamping * std::min(1.0, 0.5 * limit / gain));
    notches.push_back(notch);
  }
  chain.notches = std::move(notches);
}

}  // namespace

ServoParams designed(const ServoParams& servo) {
  if (servo.control.design == Design::given) return servo;
  ServoParams made = servo;
  ControlParams& control = made.control;
  // Each controller alone while it is designed: the other is off, and so is what joins them.
  const double stroke = made.piezo.stroke_nm_v;
  made.piezo.stroke_nm_v = 0;
  ChainParams& coil = control.voice_coil;
  coil = {};
  coil.proportional = 1;
  coil.integral = kTwoPi * control.crossover_hz / control.integral_ratio * made.wedge_s();
  coil.derivative = control.lead_ratio / (kTwoPi * control.crossover_hz * made.wedge_s());
  if (control.crossover_hz >= 0.5 / made.wedge_s())
    servo.fail("control.crossover_hz", "is not below half of the wedge rate");
  scale_to_one(made, coil, control.crossover_hz, "control.crossover_hz");
  add_notches(made, coil, nominal_modes(made.plant), control.crossover_hz);
  scale_to_one(made, coil, control.crossover_hz, "control.crossover_hz");
  if (stroke > 0) {
    ServoParams second = made;
    second.piezo.stroke_nm_v = stroke;
    second.control.voice_coil = {};
    second.control.decouple = false;
    ChainParams& piezo = second.control.piezo;
    piezo = {};
    piezo.integral = 1;
    scale_to_one(second, piezo, control.piezo_crossover_hz, "control.piezo_crossover_hz");
    add_notches(second, piezo, piezo_modes(second.piezo, false), control.piezo_crossover_hz);
    scale_to_one(second, piezo, control.piezo_crossover_hz, "control.piezo_crossover_hz");
    control.piezo = piezo;
  }
  made.piezo.stroke_nm_v = stroke;
  control.design = Design::given;
  return made;
}

}  // namespace armature::servo
