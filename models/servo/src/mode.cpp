#include "armature/servo/mode.h"

#include "armature/core/angle.h"

#include <cmath>

namespace armature::servo {
namespace {

Mode mode_of(const ModeParams& m, double frequency_percent, double damping_percent, double gain_percent) {
  Mode mode;
  mode.omega = kTwoPi * m.frequency_hz * (1 + frequency_percent / 100);
  mode.damping = mode.omega > 0 ? m.damping * (1 + damping_percent / 100) : 0;
  const double gain = m.gain * (1 + gain_percent / 100);
  mode.in = std::sqrt(std::fabs(gain));
  mode.out = gain < 0 ? -mode.in : mode.in;
  return mode;
}

}  // namespace

std::vector<Mode> true_modes(const PlantParams& plant) {
  std::vector<Mode> modes;
  for (std::size_t i = 0; i < plant.modes.size(); ++i) {
    const ModeParams& m = plant.modes[i];
    const auto both = [&](double own, double common) { return i == 0 ? own : (1 + own / 100) * (100 + common) - 100; };
    modes.push_back(mode_of(m, both(m.frequency_change_percent, plant.frequency_change_percent),
                            both(m.damping_change_percent, plant.damping_change_percent),
                            both(m.gain_change_percent, plant.gain_change_percent)));
  }
  return modes;
}

std::vector<Mode> nominal_modes(const PlantParams& plant) {
  std::vector<Mode> modes;
  for (const ModeParams& m : plant.modes) modes.push_back(mode_of(m, 0, 0, 0));
  return modes;
}

std::vector<Mode> piezo_modes(const PiezoParams& piezo, bool with_changes) {
  std::vector<Mode> modes;
  double rest = 0;  // m/V, of the modes as they are given
  for (const ModeParams& m : piezo.modes) {
    Mode mode = with_changes
                    ? mode_of(m, (1 + m.frequency_change_percent / 100) * (100 + piezo.frequency_change_percent) - 100,
                              (1 + m.damping_change_percent / 100) * (100 + piezo.damping_change_percent) - 100,
                              m.gain_change_percent)
                    : mode_of(m, 0, 0, 0);
    rest += mode.in * mode.out / (mode.omega * mode.omega);
    modes.push_back(mode);
  }
  for (Mode& mode : modes) mode.in *= piezo.stroke_nm_v * 1e-9 / rest;
  return modes;
}

}  // namespace armature::servo
