#include "armature/servo/params.h"

#include "armature/core/typed_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature::servo {
namespace {

constexpr Range kChange{-300, 300};

template <class Params>
void numbered(KeyVisitor& v, std::string_view stem, std::vector<Params>& list, std::string_view meaning) {
  for (std::size_t i = 0; i < list.size(); ++i) v.section(fmt::format("{}_{}", stem, i + 1), list[i], meaning);
}

void changes(KeyVisitor& v, double& frequency, double& damping) {
  v.key("frequency_change_percent", frequency, "%", {-90, 300}, "Change of the frequency of the true plant");
  v.key("damping_change_percent", damping, "%", {-100, 1000}, "Change of its damping");
}

}  // namespace

void ModeParams::keys(KeyVisitor& v) {
  v.key("frequency_hz", frequency_hz, "Hz", {0, 1e6},
        "Natural frequency; 0: a free mass (then damping counts nothing)");
  v.key("damping", damping, "", {0, 10}, "Damping ratio");
  v.key("gain", gain, "", {-1e6, 1e6}, "Share of the head's acceleration; negative: in antiphase with the coil");
  changes(v, frequency_change_percent, damping_change_percent);
  v.key("gain_change_percent", gain_change_percent, "%", kChange, "Change of its gain; -200 turns the sign");
}

void SpindleParams::keys(KeyVisitor& v) {
  v.key("rpm", rpm, "rpm", {60, 60'000}, "Speed of the disk stack");
}

void FormatParams::keys(KeyVisitor& v) {
  v.key("servo_wedges", servo_wedges, "", {4, 4000}, "Servo wedges a revolution: samples of the position error");
  v.key("track_pitch_nm", track_pitch_nm, "nm", {1, 1e6}, "From track to track");
}

void PlantParams::keys(KeyVisitor& v) {
  v.key("moving_mass_g", moving_mass_g, "g", {1e-3, 1e3}, "Mass of arm and coil as felt at the head");
  v.key("force_constant_n_a", force_constant_n_a, "", {1e-6, 1e3},
        "Force at the head by coil current, N/A: in the middle of the stroke");
  v.key("arm_radius_mm", arm_radius_mm, "mm", {0, 200},
        "From pivot to head: mass and force are then inertia / radius^2 and torque / radius; 0: the two keys above");
  v.key("inertia_g_cm2", inertia_g_cm2, "g cm2", {0, 1e6}, "Moment of inertia of arm and coil, with arm_radius_mm");
  v.key("torque_constant_nm_a", torque_constant_nm_a, "", {0, 100},
        "Torque by coil current, N m/A, with arm_radius_mm");
  v.key("loop_gain", loop_gain, "", {0, 100}, "Factor at the plant's input, the force noise included: a gain error");
  v.key("input_delay_us", input_delay_us, "us", {0, 1e4}, "From the sample of a wedge to the first effect on the coil");
  v.key("stroke_mm", stroke_mm, "mm", {0.1, 200}, "From the outermost to the innermost track, the middle at 0");
  v.key("torque_rolloff_percent", torque_rolloff_percent, "%", {0, 90},
        "How much less force a current makes at either end of the stroke; falls with the square of the distance from "
        "the middle");
  v.key("friction_ma", friction_ma, "mA", {0, 1e4},
        "Pivot friction, as the coil current that overcomes it (Dahl's law)");
  v.key("friction_slip_um", friction_slip_um, "um", {1e-4, 1e4}, "Movement over which friction builds up to 63 %");
  v.key("flex_bias_ma", flex_bias_ma, "mA", {-1e4, 1e4}, "Force of the flex cable in the middle, as a coil current");
  v.key("flex_spring_ma_mm", flex_spring_ma_mm, "", {-1e4, 1e4},
        "Its slope over the position, mA/mm: pulls back if positive");
  changes(v, frequency_change_percent, damping_change_percent);
  v.key("gain_change_percent", gain_change_percent, "%", kChange,
        "Change of gain; these three are of every mode but mode_1, on top of the mode's own");
  numbered(v, "mode", modes, "A mode of the arm; mode_1 is the arm's own movement");
}

void DriverParams::keys(KeyVisitor& v) {
  choice(v, "kind", kind, {"current", "voltage"},
         "current: the coil carries what is commanded; voltage: an amplifier with current feedback drives coil and "
         "back-EMF");
  v.key("supply_v", supply_v, "V", {0.1, 100}, "Rail");
  v.key("drop_v", drop_v, "V", {0, 50}, "What the driver's transistors keep of it");
  v.key("coil_ohm", coil_ohm, "Ohm", {0, 1e3}, "Resistance of the coil");
  v.key("coil_mh", coil_mh, "", {1e-4, 1e3}, "Inductance of the coil, mH");
  v.key("sense_ohm", sense_ohm, "Ohm", {0, 100}, "Volts of current feedback an ampere");
  v.key("amplifier_gain", amplifier_gain, "", {0.1, 1e5}, "V/V, behind the difference of command and feedback");
  v.key("max_current_a", max_current_a, "A", {0, 100}, "Limit of the command; 0: none");
  choice(v, "rail", rail, {"linear", "switching"},
         "What the supply gives: linear: the coil's current at its full voltage; switching: voltage times current at "
         "the coil, nothing while braking gives more back than the winding takes");
}

void PiezoParams::keys(KeyVisitor& v) {
  v.key("stroke_nm_v", stroke_nm_v, "", {0, 1e6},
        "Movement of the head at rest a volt, nm/V; 0: there is no second stage");
  v.key("limit_v", limit_v, "V", {0, 1e3}, "Limit of its command; 0: none");
  v.key("gain", gain, "", {0, 100}, "Factor at its input: a gain error");
  v.key("input_delay_us", input_delay_us, "us", {0, 1e4}, "From the sample of a wedge to the first effect");
  changes(v, frequency_change_percent, damping_change_percent);
  numbered(v, "mode", modes, "A mode of the second stage; together they are scaled to stroke_nm_v at rest");
}

void NoiseParams::keys(KeyVisitor& v) {
  v.key("seed", seed, "", {0, 9'007'199'254'740'992.0}, "Seed of all that is random here");
  v.key("sensor_tracks", sensor_tracks, "tracks", {0, 100},
        "1 sigma of the noise of each sample of the position error");
  v.key("force_a", force_a, "A", {0, 100},
        "1 sigma of the noise added to the command, as a mean over a wedge; white, so larger by the root of "
        "control.multirate in each hold");
  v.key(
      "filtered_a", filtered_a, "A", {0, 1e6},
      "1 sigma of a second noise of the command, as a mean over a wedge, in front of the filter below: vibration that "
      "comes in by the pivot");
  v.list("filter_numerator", filter_numerator, "", {-1e30, 1e30}, "Polynomial of s, the highest power first");
  v.list("filter_denominator", filter_denominator, "", {-1e30, 1e30},
         "The same; its degree is higher than the numerator's");
}

void RroParams::keys(KeyVisitor& v) {
  v.key("scale", scale, "", {0, 1e6}, "Factor on all of it");
  v.list("amplitude_tracks", amplitude_tracks, "tracks", {0, 1e6}, "Of the harmonics 1, 2, 3, ... of the rotation");
  v.list("phase_deg", phase_deg, "", {-1e6, 1e6},
         "Their phases at wedge 0, degrees of the harmonic; drawn if left out");
  v.key("sequence_pp_tracks", sequence_pp_tracks, "tracks", {0, 1e6},
        "Peak to peak of a sequence drawn for each wedge, added to the harmonics; 0: none");
  v.key("sequence_file", sequence_file, "A number (tracks) a wedge, one a line, in place of the drawn sequence");
}

void WindageModeParams::keys(KeyVisitor& v) {
  v.key("frequency_hz", frequency_hz, "Hz", {0.1, 1e6}, "Natural frequency");
  v.key("damping", damping, "", {1e-6, 1}, "Damping ratio");
  v.key("amplitude_tracks", amplitude_tracks, "tracks", {0, 1e6},
        "1 sigma of white noise, one value a wedge, through a2zw^2/(s^2+2zws+w^2)/a: a filter with gain 1 at its peak");
}

void WindageParams::keys(KeyVisitor& v) {
  v.key("scale", scale, "", {0, 1e6}, "Factor on all amplitudes");
  v.key("reference_rpm", reference_rpm, "rpm", {0, 60'000}, "Speed at which the amplitudes hold; 0: any");
  v.key("exponent", exponent, "", {0, 6}, "Amplitude grows with this power of the speed");
  v.key("held", held, "The white noise keeps its value from wedge to wedge; false: it is white at all frequencies");
  numbered(v, "mode", modes, "A vibration of disk, suspension or arm in the air");
}

void ExternalParams::keys(KeyVisitor& v) {
  v.key("shock_gn", shock_gn, "gn", {-1e4, 1e4}, "Half-sine shock along the head's movement, peak; 0: none");
  v.key("shock_rad_s2", shock_rad_s2, "", {-1e6, 1e6},
        "Rotation about the pivot's axis in the same half-sine, peak, rad/s2");
  v.key("shock_ms", shock_ms, "ms", {1e-3, 1e4}, "Length of the half-sine");
  v.key("shock_at_ms", shock_at_ms, "ms", {0, 1e9}, "When it begins");
  v.key("file", file,
        "Vibration: rows of time_s, m/s2, rad/s2, separated by tabs or commas, straight between; added to the shock");
  v.key("imbalance_percent", imbalance_percent, "%", {-100, 100},
        "How much of a linear acceleration moves a balanced arm");
  v.key("radius_mm", radius_mm, "mm", {0, 200}, "From pivot to head for rotation; 0: plant.arm_radius_mm");
  v.key("sensor_gain", sensor_gain, "", {0, 10},
        "Feed-forward of the rotation sensor; 1: cancels what it measures, 0: there is none");
  v.key("sensor_bandwidth_hz", sensor_bandwidth_hz, "Hz", {1, 1e6}, "Of the sensor, a first-order low pass");
  v.key("sensor_noise_rad_s2", sensor_noise_rad_s2, "", {0, 1e6}, "1 sigma of its samples, rad/s2");
}

void CouplingParams::keys(KeyVisitor& v) {
  v.key("base_kg_cm2", base_kg_cm2, "kg cm2", {0, 1e6},
        "Moment of inertia of the drive without its arms, which takes the reaction of each arm's coil and shakes the "
        "others; 0: arms do not shake each other. A block of 0.65 kg and 147 mm x 102 mm has 17");
  v.key("frequency_hz", frequency_hz, "Hz", {1, 1e5}, "The drive turns on its mounts with this natural frequency");
  v.key("damping", damping, "", {0, 0.99}, "and this damping ratio");
  v.key("radius_mm", radius_mm, "mm", {0, 200}, "From pivot to head; 0: plant.arm_radius_mm");
  v.key("feed_forward", feed_forward, "", {0, 2},
        "The drive knows how the coils of the other arms push, and what the base does then: the share of this that an "
        "arm's coil works against, from its next wedge on; 0: none. A sensor of the base's rotation: "
        "external.sensor_gain");
  v.key("wake_percent", wake_percent, "%", {0, 1000},
        "Turbulence that an arm on the same disks, wake_deg upstream, adds to an arm's windage, in percent of that; 0: "
        "none");
  v.key("wake_deg", wake_deg, "", {1, 360},
        "Angle to which wake_percent applies, degrees: a wake falls with the square root of the angle");
}

void NotchParams::keys(KeyVisitor& v) {
  v.key("frequency_hz", frequency_hz, "Hz", {0, 1e6}, "Middle; 0: by its coefficients");
  v.key("zero_damping", zero_damping, "", {0, 10}, "Damping ratio of the zeros: zero / pole is the depth");
  v.key("pole_damping", pole_damping, "", {1e-3, 10}, "Damping ratio of the poles: the width");
  v.list("coefficients", coefficients, "", {-1e6, 1e6},
         "a11, a12, b, c1, c2, d of x1' = a11 x1 + a12 x2 + b u, x2' = x1, y = c1 x1 + c2 x2 + d u, at the hold rate");
}

void StateSpaceParams::keys(KeyVisitor& v) {
  v.list("a", a, "", {-1e9, 1e9}, "Matrix A by rows, n x n numbers");
  v.list("b", b, "", {-1e9, 1e9}, "Matrix B, n numbers");
  v.list("c", c, "", {-1e9, 1e9}, "Matrix C, n numbers");
  v.key("d", d, "", {-1e9, 1e9}, "Direct share");
}

void ChainParams::keys(KeyVisitor& v) {
  v.key("proportional", proportional, "", {-1e9, 1e9},
        "Proportional gain, A a track (piezo: V a track), over the divisor");
  v.key("integral", integral, "", {-1e9, 1e9}, "Integral gain a wedge: P + I / (z - 1) + D (z - 1) / z");
  v.key("derivative", derivative, "", {-1e9, 1e9}, "Derivative gain times wedges");
  v.key("divisor", divisor, "", {1e-12, 1e12}, "All three, or what the matrices give, are divided by it");
  v.section("state_space", state_space, "A filter by its matrices at the wedge rate, in place of the three gains");
  v.section("fast_state_space", fast_state_space, "A filter by its matrices at the hold rate, behind the notches");
  numbered(v, "notch", notches, "A notch filter at the hold rate");
}

void ControlParams::keys(KeyVisitor& v) {
  choice(v, "design", design, {"given", "loop_shape"},
         "given: gains as they stand; loop_shape: gains and notches from the plant");
  v.key("multirate", multirate, "", {1, 32}, "Outputs of the controller a wedge: hold rate over wedge rate");
  v.key("crossover_hz", crossover_hz, "Hz", {1, 1e5}, "loop_shape: where the open loop has gain 1");
  v.key("lead_ratio", lead_ratio, "", {1, 20}, "loop_shape: crossover over the zero of the derivative");
  v.key("integral_ratio", integral_ratio, "", {2, 1000}, "loop_shape: crossover over the zero of the integral");
  v.key("piezo_crossover_hz", piezo_crossover_hz, "Hz", {1, 1e5}, "loop_shape: the same of the second stage");
  v.key("notch_limit_db", notch_limit_db, "dB", {-60, 20},
        "loop_shape: resonances whose peak in the open loop is higher get a notch");
  v.key("decouple", decouple, "The voice coil follows head plus estimated stroke of the second stage");
  voice_coil.keys(v);
  v.section("piezo", piezo, "Controller of the second stage");
}

void SettleParams::keys(KeyVisitor& v) {
  v.key("read_percent", read_percent, "%", {0.1, 100}, "Window of the position error for reading, of a track");
  v.key("write_percent", write_percent, "%", {0.1, 100}, "Window for writing");
  v.key("wedges", wedges, "", {1, 1000}, "Samples in a row within the window after which the arm has settled");
  v.key("write_wedges", write_wedges, "", {0, 1000}, "The same for writing; 0: as many as for reading");
  v.key("read_limit_percent", read_limit_percent, "%", {0.1, 1000},
        "In a drive: farther from the middle of the track, of a track, a read fails");
  v.key("inhibit_percent", inhibit_percent, "%", {0.1, 1000},
        "In a drive: farther from the middle of the track, of a track, the write gate closes");
  v.key("lost_tracks", lost_tracks, "tracks", {0.5, 1000},
        "In a drive: farther from the middle of the track the servo is lost, and the arm is sent there anew");
}

void SeekParams::keys(KeyVisitor& v) {
  v.key("current_a", current_a, "A", {1e-6, 100}, "Greatest current of the profile");
  v.key("bandwidth_hz", bandwidth_hz, "Hz", {1, 1e5},
        "Of the profile near its end, where it is linear: the square root of position gain times acceleration");
  v.key("damping", damping, "", {0.5, 5},
        "Of the same; with 1 the profile does not pass its end, with 1 / sqrt(2 discount) the law is Workman's");
  v.key("discount", discount, "", {0.1, 1}, "Share of it that the profile brakes with");
  v.key("coast_m_s", coast_m_s, "m/s", {0, 100}, "Greatest speed of the profile; 0: none");
  v.key("smooth_us", smooth_us, "us", {0, 1e5}, "Time over which the profile's current rises and falls");
  v.list("shape_modes", shape_modes, "", {2, 64},
         "Modes that a seek does not leave ringing: the current is averaged over a period of each, with weights that "
         "fall as the mode does, so that their sum is 0 at its pole");
  v.key("acoustic_level", acoustic_level, "", {kQuietest, kLoudest},
        "As in SET FEATURES 42h: 254 loudest and fastest, 128 quietest");
  v.key("quiet_current_percent", quiet_current_percent, "%", {1, 100},
        "Current at acoustic level 128, straight between");
  v.key("quiet_smooth_us", quiet_smooth_us, "us", {0, 1e5},
        "Time of rise and fall at acoustic level 128, straight between");
  v.key("free_pivot", free_pivot,
        "mode_1 is a free mass in seeks: its spring is friction, which holds over micrometres only");
  v.key("feed_forward", feed_forward, "The profile's current goes to the coil at once, not only by way of the error");
  rows(v, "stretch", stretch,
       {{"distance", "tracks", &Stretch::tracks, {1, 1e7}}, {"factor", "", &Stretch::factor, {1, 100}}},
       "Seeks that use less than current_a, coast_m_s and bandwidth_hz allow: over so many tracks the path is gone "
       "slower by the factor (its current falls with the square); rows with growing distance, straight over the "
       "logarithm of the distance in between");
}

double SeekParams::stretch_over(double tracks) const {
  if (stretch.empty()) return 1;
  const auto after = std::lower_bound(stretch.begin(), stretch.end(), tracks,
                                      [](const Stretch& row, double d) { return row.tracks < d; });
  if (after == stretch.end()) return stretch.back().factor;
  if (after == stretch.begin()) return stretch.front().factor;
  const Stretch &low = *(after - 1), &high = *after;
  return low.factor + (high.factor - low.factor) * std::log(tracks / low.tracks) / std::log(high.tracks / low.tracks);
}

void CasesParams::keys(KeyVisitor& v) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < columns; ++i) names.push_back(fmt::format("mode_{}", i + 1));
  std::vector<Column> by_mode;
  for (const std::string& name : names) by_mode.push_back({name, "%", kChange, false});
  v.table("frequency_percent", frequency_percent, by_mode, "Rows of changes of the frequencies, a number a mode");
  v.table("damping_percent", damping_percent, by_mode, "Rows of changes of the dampings");
  v.table("gain_percent", gain_percent, by_mode, "Rows of changes of the gains");
  v.list("loop_gain_percent", loop_gain_percent, "%", {-99, 1000}, "Changes of the loop gain");
  v.key("rows_together", rows_together,
        "Row n of the frequencies goes with row n of the dampings and gains, and with number n of the two below");
  v.list("piezo_frequency_percent", piezo_frequency_percent, "%", {-90, 300},
         "Changes of all frequencies of the second stage, with rows_together");
  v.list("piezo_damping_percent", piezo_damping_percent, "%", {-100, 1000}, "Changes of its dampings, likewise");
  v.list("piezo_gain_percent", piezo_gain_percent, "%", {-99, 1000}, "Changes of its gain");
}

void ServoParams::keys(KeyVisitor& v) {
  v.section("spindle", spindle, "Rotation");
  v.section("format", format, "Track");
  v.section("plant", plant, "Arm and coil force");
  v.section("driver", driver, "Coil and its driver");
  v.section("piezo", piezo, "Second stage near the head");
  v.section("noise", noise, "Random noise");
  v.section("rro", rro, "Repeatable runout");
  v.section("windage", windage, "Vibration driven by the air: flutter");
  v.section("external", external, "Shock and vibration from outside");
  v.section("coupling", coupling, "In a drive: how its arms shake each other");
  v.section("control", control, "Controller of the voice coil");
  v.section("settle", settle, "When a seek has ended");
  v.section("seek", seek, "Profile of seeks");
  v.section("cases", cases, "Changed plants of track --cases: every combination of the rows");
}

}  // namespace armature::servo
