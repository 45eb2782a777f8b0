#pragma once

#include "armature/core/angle.h"
#include "armature/servo/controller.h"
#include "armature/servo/mode.h"
#include "armature/servo/params.h"

#include <complex>
#include <optional>
#include <vector>

namespace armature::servo {

/// The loop at one frequency, as the samples of the wedges see it.
struct LoopPoint {
  double frequency_hz = 0;
  std::complex<double> plant;  ///< head over command at the hold rate, tracks/A
  std::complex<double> loop;   ///< open loop
  double plant_power = 0;  ///< sum of |plant|^2 over the frequencies of the hold rate that the wedges cannot tell apart
  double filtered_power = 0;  ///< the same behind the filter of the command's second noise
  std::complex<double> sensitivity() const { return 1.0 / (1.0 + loop); }
};

struct Margins {
  bool stable = false;      ///< by Nyquist's criterion
  double crossover_hz = 0;  ///< the lowest frequency above which the open loop stays below 1; its last crossing
  double first_crossover_hz = 0;
  double phase_deg = 0;  ///< least over all crossings of 1
  double gain_db = 0;    ///< least over all crossings of -180 degrees, upwards
  double peak_db = 0;    ///< of the sensitivity
  double peak_hz = 0;
  double modulus = 0;  ///< least distance of the open loop from -1
};

/// Variances of the position error signal by what causes them, from spectra; percent of a track, 3 sigma.
struct Prediction {
  double sensor_percent = 0;
  double force_percent = 0;
  double windage_percent = 0;
  double nrpe_3sigma_percent = 0;
  double rpe_pp_percent = 0;
};

/// The loop in the frequency domain: margins, spectra, variances. It shares no arithmetic with the simulation: the
/// sampled plant is the sum of the continuous plant's aliases behind the hold, (1/T) sum P(s_k) (1 - e^(-s_k T)) / s_k
/// e^(-s_k Td), and the two rates of the controller meet as aliases too. Friction, torque factor and limits are left
/// out; the arm is in the middle of its stroke.
class LoopAnalysis {
 public:
  /// @param nominal  the plant without its changes: what a design is made for
  explicit LoopAnalysis(const ServoParams& servo, bool nominal = false);

  LoopPoint at(double frequency_hz) const { return at(std::complex<double>(0, kTwoPi * frequency_hz)); }
  /// The continuous plant, tracks/A, delay and loop gain included; the second stage's, tracks/V.
  std::complex<double> voice_coil(std::complex<double> s) const;
  std::complex<double> piezo(std::complex<double> s) const;
  std::complex<double> filter(std::complex<double> s) const;
  /// A continuous plant behind a hold of `period_s`, sampled as often.
  template <class Plant>
  std::complex<double> sampled(const Plant& plant, std::complex<double> s, double period_s) const;
  /// The plant with its hold at the wedge rate, without controller: tracks/A and tracks/V.
  std::complex<double> voice_coil_at_wedges(double frequency_hz) const;
  std::complex<double> piezo_at_wedges(double frequency_hz) const;

  Margins margins() const;
  Prediction predict() const;
  /// Response of the head to a step of the track by 1, at each wedge.
  std::vector<double> step_response(std::size_t wedges) const;

  double highest_hz() const { return 0.5 / servo_.wedge_s(); }

 private:
  struct Powers {
    double sensor = 0, force = 0, air = 0;
    void operator+=(const Powers& other) {
      sensor += other.sensor;
      force += other.force;
      air += other.air;
    }
  };
  Powers powers(double middle_hz, double width_hz, int cuts, const Powers* known) const;
  Powers powers_at(double frequency_hz) const;
  LoopPoint at(std::complex<double> s) const;
  double grid_hz() const;
  bool stable() const;

  ServoParams servo_;
  double gain_ = 0;  // tracks/s2 an ampere
  double delay_s_ = 0;
  double highest_mode_hz_ = 0;
  double spring_ = 0;  // N/m
  std::vector<Mode> modes_;
  std::vector<Mode> piezo_modes_;
  Chain chain_;
  std::optional<Chain> piezo_chain_;
};

}  // namespace armature::servo
