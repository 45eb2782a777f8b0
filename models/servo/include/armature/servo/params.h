#pragma once

#include "armature/core/config.h"
#include "armature/core/schema.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace armature::servo {

/// A section `mode_N`: one resonance. `*_change_percent` move the true plant and leave what a design knows of it.
struct ModeParams {
  double frequency_hz = 0;  ///< 0: a free mass
  double damping = 0;
  double gain = 1;  ///< negative: in antiphase with the coil
  double frequency_change_percent = 0;
  double damping_change_percent = 0;
  double gain_change_percent = 0;
  void keys(KeyVisitor& visitor);
};

struct SpindleParams {
  double rpm = 7200;
  void keys(KeyVisitor& visitor);
};

struct FormatParams {
  std::int64_t servo_wedges = 220;
  double track_pitch_nm = 254;
  void keys(KeyVisitor& visitor);
};

/// Arm, coil force and what hinders them: section `plant`.
struct PlantParams {
  double moving_mass_g = 1;  ///< as felt at the head
  double force_constant_n_a = 1;
  // A rotary arm by its own numbers, if arm_radius_mm is not 0: mass = inertia / radius^2, force = torque / radius.
  double arm_radius_mm = 0;
  double inertia_g_cm2 = 0;
  double torque_constant_nm_a = 0;
  double loop_gain = 1;
  double input_delay_us = 0;
  double stroke_mm = 25;
  double torque_rolloff_percent = 0;
  double friction_ma = 0;
  double friction_slip_um = 1;
  double flex_bias_ma = 0;
  double flex_spring_ma_mm = 0;
  double frequency_change_percent = 0;  ///< of every mode but the first
  double damping_change_percent = 0;
  double gain_change_percent = 0;
  std::vector<ModeParams> modes{1};
  void keys(KeyVisitor& visitor);

  double mass_kg() const {
    return arm_radius_mm > 0 ? inertia_g_cm2 * 1e-7 / square(arm_radius_mm * 1e-3) : moving_mass_g * 1e-3;
  }
  double force_n_a() const {
    return arm_radius_mm > 0 ? torque_constant_nm_a / (arm_radius_mm * 1e-3) : force_constant_n_a;
  }

 private:
  static double square(double x) { return x * x; }
};

enum class DriverKind : int { current, voltage };
enum class RailKind : int { linear, switching };

/// Coil and its driver: section `driver`.
struct DriverParams {
  DriverKind kind = DriverKind::current;
  double supply_v = 12;
  double drop_v = 1;
  double coil_ohm = 8;
  double coil_mh = 1;
  double sense_ohm = 0.2;
  double amplifier_gain = 100;
  double max_current_a = 0;
  RailKind rail = RailKind::linear;
  void keys(KeyVisitor& visitor);

  /// What the rail gives for a current (A) through a coil with a voltage (V) at its ends, W.
  double rail_w(double current, double volts) const {
    if (rail == RailKind::switching) return current * volts > 0 ? current * volts : 0;
    return supply_v * (current < 0 ? -current : current);
  }
};

/// Second stage near the head: section `piezo`.
struct PiezoParams {
  double stroke_nm_v = 0;  ///< 0: there is none
  double limit_v = 0;
  double gain = 1;
  double input_delay_us = 0;
  double frequency_change_percent = 0;
  double damping_change_percent = 0;
  std::vector<ModeParams> modes;
  void keys(KeyVisitor& visitor);
};

/// What is random at the sensor and the coil: section `noise`.
struct NoiseParams {
  std::int64_t seed = 1;
  double sensor_tracks = 0;
  double force_a = 0;
  double filtered_a = 0;
  std::vector<double> filter_numerator;  ///< polynomials of s, the highest power first
  std::vector<double> filter_denominator;
  void keys(KeyVisitor& visitor);
};

/// Repeatable runout: section `rro`.
struct RroParams {
  double scale = 1;
  std::vector<double> amplitude_tracks;
  std::vector<double> phase_deg;
  double sequence_pp_tracks = 0;
  std::string sequence_file;
  void keys(KeyVisitor& visitor);
};

/// A section `windage.mode_N`: one vibration of disk or suspension that the air drives.
struct WindageModeParams {
  double frequency_hz = 1000;
  double damping = 0.01;
  double amplitude_tracks = 0;
  void keys(KeyVisitor& visitor);
};

struct WindageParams {
  double scale = 1;
  double reference_rpm = 0;
  double exponent = 2;
  bool held = true;
  std::vector<WindageModeParams> modes;
  void keys(KeyVisitor& visitor);
};

/// Shock and vibration of the base: section `external`.
struct ExternalParams {
  double shock_gn = 0;
  double shock_rad_s2 = 0;
  double shock_ms = 2;
  double shock_at_ms = 20;
  std::string file;
  double imbalance_percent = 0;
  double radius_mm = 0;
  double sensor_gain = 0;
  double sensor_bandwidth_hz = 2000;
  double sensor_noise_rad_s2 = 0;
  void keys(KeyVisitor& visitor);
};

/// How the arms of a drive shake each other, by way of the base casting and of the air: section `coupling`.
struct CouplingParams {
  double base_kg_cm2 = 0;  ///< 0: the base does not turn
  double frequency_hz = 250;
  double damping = 0.1;
  double radius_mm = 0;
  double feed_forward = 0;  ///< share of the other arms' reaction that is taken back; 0: none
  double wake_percent = 0;  ///< 0: wakes shake nobody
  double wake_deg = 90;
  void keys(KeyVisitor& visitor);
};

/// A section `notch_N`: by its figures or by the six coefficients of its state space.
struct NotchParams {
  double frequency_hz = 0;
  double zero_damping = 0.05;
  double pole_damping = 0.5;
  std::vector<double> coefficients;
  void keys(KeyVisitor& visitor);
};

/// A filter by its matrices: sections `state_space` and `fast_state_space`.
struct StateSpaceParams {
  std::vector<double> a, b, c;
  double d = 0;
  void keys(KeyVisitor& visitor);
  bool given() const { return !b.empty() || d != 0; }
};

/// One controller: sections `control` and `control.piezo`.
struct ChainParams {
  double proportional = 0;
  double integral = 0;
  double derivative = 0;
  double divisor = 1;
  StateSpaceParams state_space;
  StateSpaceParams fast_state_space;
  std::vector<NotchParams> notches;
  void keys(KeyVisitor& visitor);
};

enum class Design : int { given, loop_shape };

struct ControlParams {
  Design design = Design::given;
  std::int64_t multirate = 2;
  double crossover_hz = 1000;
  double lead_ratio = 3;
  double integral_ratio = 10;
  double piezo_crossover_hz = 2500;
  double notch_limit_db = -6;
  bool decouple = false;
  ChainParams voice_coil;
  ChainParams piezo;
  void keys(KeyVisitor& visitor);
};

struct SettleParams {
  double read_percent = 15;
  double write_percent = 10;
  std::int64_t wedges = 4;
  std::int64_t write_wedges = 0;
  double read_limit_percent = 25;
  double inhibit_percent = 15;
  double lost_tracks = 5;
  std::int64_t wedges_for_writing() const { return write_wedges > 0 ? write_wedges : wedges; }
  void keys(KeyVisitor& visitor);
};

inline constexpr std::int64_t kQuietest = 128, kLoudest = 254;  ///< acoustic levels

/// A row of `SeekParams::stretch`.
struct Stretch {
  double tracks = 1;  ///< distance
  double factor = 1;  ///< by which the move is slower
};

struct SeekParams {
  double current_a = 0.5;
  double bandwidth_hz = 1000;
  double damping = 1;
  double discount = 0.9;
  double coast_m_s = 0;
  double smooth_us = 0;
  std::vector<double> shape_modes;  ///< numbers of modes
  std::int64_t acoustic_level = kLoudest;
  double quiet_current_percent = 50;
  double quiet_smooth_us = 1000;
  bool free_pivot = true;
  bool feed_forward = true;
  std::vector<Stretch> stretch;  ///< by growing distance
  /// Factor that slows the profile of a seek over that many tracks; at least 1.
  double stretch_over(double tracks) const;
  void keys(KeyVisitor& visitor);
};

/// Changes of the plant that `track --cases` combines: section `cases`.
struct CasesParams {
  std::size_t columns = 1;  ///< modes of the plant
  std::vector<std::vector<double>> frequency_percent;
  std::vector<std::vector<double>> damping_percent;
  std::vector<std::vector<double>> gain_percent;
  std::vector<double> loop_gain_percent;
  bool rows_together = false;
  std::vector<double> piezo_frequency_percent;
  std::vector<double> piezo_damping_percent;
  std::vector<double> piezo_gain_percent;
  void keys(KeyVisitor& visitor);
};

/// A plant file: everything of one servo.
struct ServoParams {
  SpindleParams spindle;
  FormatParams format;
  PlantParams plant;
  DriverParams driver;
  PiezoParams piezo;
  NoiseParams noise;
  RroParams rro;
  WindageParams windage;
  ExternalParams external;
  CouplingParams coupling;
  ControlParams control;
  SettleParams settle;
  SeekParams seek;
  CasesParams cases;
  config::Node layers;  ///< where each value was written
  std::string path;
  void keys(KeyVisitor& visitor);

  double wedge_s() const { return 60 / spindle.rpm / static_cast<double>(format.servo_wedges); }
  double hold_s() const { return wedge_s() / static_cast<double>(control.multirate); }
  double pitch_m() const { return format.track_pitch_nm * 1e-9; }
  /// Throws InputError at the place of `key`, or of the file's beginning.
  [[noreturn]] void fail(std::string_view key, std::string_view message) const;
};

/// Reads a plant file; `overrides` are assignments of the command line. As many sections `mode_N`, `notch_N` are known
/// as file and overrides have. Throws InputError.
ServoParams load_servo(const std::string& path, const std::vector<config::Node>& overrides);

/// The schema, with one section for each kind that may be repeated.
config::SectionInfo servo_schema();

/// How many combinations `cases` has; 1 if it says nothing.
std::size_t case_count(const CasesParams& cases);

/// The servo with the changes of case `index`; gains of the second stage vary slowest, then loop gains, frequencies,
/// dampings, gains.
/// `label` says what was changed.
ServoParams with_case(const ServoParams& servo, std::size_t index, std::string* label = nullptr);

}  // namespace armature::servo
