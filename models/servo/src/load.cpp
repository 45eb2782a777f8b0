#include "armature/core/error.h"
#include "armature/servo/mode.h"
#include "armature/servo/params.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature::servo {
namespace {

using config::Node;

constexpr std::size_t kMostSections = 64;
constexpr double kShapeable = 0.25;  // of a period in a hold
constexpr double kMostTurns = 1e5;   // rad of the fastest movement in a hold: more would take hours to compute

/// How many sections `stem_1`, `stem_2`, ... stand below `path`. Throws InputError if one is left out.
std::size_t count_sections(const Node& document, std::string_view path, std::string_view stem) {
  const Node* const section = document.find(path);
  if (!section) return 0;
  std::size_t count = 0;
  while (count < kMostSections && section->find(fmt::format("{}_{}", stem, count + 1))) ++count;
  for (const auto& [name, node] : section->members) {
    const std::string prefix = fmt::format("{}_", stem);
    if (name.compare(0, prefix.size(), prefix) != 0 || name.size() == prefix.size()) continue;
    const std::string digits = name.substr(prefix.size());
    if (!std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; })) continue;
    const bool known = digits.size() < 4 && digits[0] != '0' && std::stoul(digits) <= count;
    if (!known)
      throw InputError(node.key_place,
                       fmt::format("{}: there are {} such sections in a row; the next is {}_{}, at most {}", node.key,
                                   count, stem, count + 1, kMostSections));
  }
  return count;
}

void check_filter(const ServoParams& servo, const StateSpaceParams& filter, const std::string& key) {
  const std::size_t order = filter.b.size();
  if (filter.c.size() != order) servo.fail(key + ".c", fmt::format("{} numbers are expected, as b has", order));
  if (filter.a.size() != order * order)
    servo.fail(key + ".a", fmt::format("{} numbers are expected, the square of b's {}", order * order, order));
}

void check_chain(const ServoParams& servo, const ChainParams& chain, const std::string& key) {
  check_filter(servo, chain.state_space, key + ".state_space");
  check_filter(servo, chain.fast_state_space, key + ".fast_state_space");
  const double half_rate = 0.5 / servo.hold_s();
  for (std::size_t i = 0; i < chain.notches.size(); ++i) {
    const NotchParams& notch = chain.notches[i];
    const std::string name = fmt::format("{}.notch_{}", key, i + 1);
    if (notch.frequency_hz == 0 && notch.coefficients.size() != 6)
      servo.fail(name + ".coefficients", "six numbers are expected, or a frequency_hz");
    if (notch.frequency_hz >= half_rate)
      servo.fail(name + ".frequency_hz",
                 fmt::format("{} Hz is not below half of the hold rate, {:.1f} Hz", notch.frequency_hz, half_rate));
  }
}

/// With rows_together all that has rows has as many.
void check_cases(const ServoParams& servo) {
  const CasesParams& cases = servo.cases;
  const std::size_t rows = cases.frequency_percent.size();
  const auto same = [&](const char* key, std::size_t count) {
    if (count != 0 && (count != rows || !cases.rows_together))
      servo.fail(
          key, fmt::format("with cases.rows_together as many rows as cases.frequency_percent are expected: {}", rows));
  };
  same("cases.piezo_frequency_percent", cases.piezo_frequency_percent.size());
  same("cases.piezo_damping_percent", cases.piezo_damping_percent.size());
  if (!cases.rows_together) return;
  same("cases.damping_percent", cases.damping_percent.size());
  same("cases.gain_percent", cases.gain_percent.size());
}

/// Nothing so fast that a hold would have to be cut into very many pieces; a second stage that moves at rest.
void check_rates(const ServoParams& servo) {
  const double hold_s = servo.hold_s();
  const DriverParams& driver = servo.driver;
  const double closed = (driver.coil_ohm + driver.amplifier_gain * driver.sense_ohm) / (driver.coil_mh * 1e-3);
  if (driver.kind == DriverKind::voltage && closed * hold_s > kMostTurns)
    servo.fail("driver.coil_mh", fmt::format("the current loop settles in {:.3g} s, too fast beside a hold of {:.3g} s",
                                             1 / closed, hold_s));
  const std::vector<Mode> modes = true_modes(servo.plant);
  for (std::size_t i = 0; i < modes.size(); ++i)
    if (modes[i].omega * (1 + modes[i].damping) * hold_s > kMostTurns)
      servo.fail(fmt::format("plant.mode_{}.frequency_hz", i + 1),
                 fmt::format("is too fast beside a hold of {:.3g} s", hold_s));
  double rest = 0, sum = 0;
  for (const ModeParams& mode : servo.piezo.modes) {
    if (mode.frequency_hz <= 0) continue;
    rest += mode.gain / (mode.frequency_hz * mode.frequency_hz);
    sum += std::fabs(mode.gain) / (mode.frequency_hz * mode.frequency_hz);
  }
  if (servo.piezo.stroke_nm_v > 0 && std::fabs(rest) <= 1e-6 * sum)
    servo.fail("piezo.mode_1.gain", "the modes of the second stage cancel at rest");
}

void check(const ServoParams& servo) {
  const PlantParams& plant = servo.plant;
  if (plant.arm_radius_mm > 0 && (plant.inertia_g_cm2 <= 0 || plant.torque_constant_nm_a <= 0))
    servo.fail("plant.arm_radius_mm", "needs plant.inertia_g_cm2 and plant.torque_constant_nm_a");
  if (servo.driver.drop_v >= servo.driver.supply_v)
    servo.fail("driver.drop_v", "is as much as driver.supply_v; nothing is left for the coil");
  if (servo.piezo.stroke_nm_v > 0 && servo.piezo.modes.empty())
    servo.fail("piezo.stroke_nm_v", "a second stage needs sections piezo.mode_1, ...");
  check_rates(servo);
  for (std::size_t i = 0; i < servo.piezo.modes.size(); ++i)
    if (servo.piezo.modes[i].frequency_hz <= 0)
      servo.fail(fmt::format("piezo.mode_{}.frequency_hz", i + 1),
                 "a mode of the second stage has a frequency above 0");
  if (!servo.rro.phase_deg.empty() && servo.rro.phase_deg.size() != servo.rro.amplitude_tracks.size())
    servo.fail("rro.phase_deg", fmt::format("{} phases for {} amplitudes", servo.rro.phase_deg.size(),
                                            servo.rro.amplitude_tracks.size()));
  if (static_cast<double>(servo.rro.amplitude_tracks.size()) * 2 > static_cast<double>(servo.format.servo_wedges))
    servo.fail("rro.amplitude_tracks", "more harmonics than half of the wedges");
  const NoiseParams& noise = servo.noise;
  if (noise.filtered_a > 0 && noise.filter_denominator.size() <= noise.filter_numerator.size())
    servo.fail("noise.filter_denominator", "is of no higher degree than noise.filter_numerator");
  if (!noise.filter_denominator.empty() && noise.filter_denominator.front() == 0)
    servo.fail("noise.filter_denominator", "begins with 0: the first number is that of the highest power");
  for (const double number : servo.seek.shape_modes) {
    const auto mode = static_cast<std::size_t>(number);
    if (number != std::floor(number) || mode > plant.modes.size() || plant.modes[mode - 1].frequency_hz <= 0 ||
        plant.modes[mode - 1].damping >= 1 || plant.modes[mode - 1].frequency_hz * servo.hold_s() > kShapeable)
      servo.fail("seek.shape_modes",
                 fmt::format("{} is no mode that swings, or there are fewer than four holds in a period", number));
  }
  for (std::size_t i = 1; i < servo.seek.stretch.size(); ++i)
    if (servo.seek.stretch[i].tracks <= servo.seek.stretch[i - 1].tracks)
      servo.fail("seek.stretch", fmt::format("the distance of row {} does not grow", i + 1));
  if (servo.coupling.base_kg_cm2 > 0 && servo.coupling.radius_mm == 0 && plant.arm_radius_mm == 0)
    servo.fail("coupling.radius_mm", "a reaction needs it, or plant.arm_radius_mm");
  if (servo.coupling.wake_percent > 0 && servo.windage.modes.empty())
    servo.fail("coupling.wake_percent", "a wake needs a section windage.mode_1: what the air shakes");
  check_cases(servo);
  check_chain(servo, servo.control.voice_coil, "control");
  check_chain(servo, servo.control.piezo, "control.piezo");
}

}  // namespace

void ServoParams::fail(std::string_view key, std::string_view message) const {
  const Node* node = layers.find(key);
  const std::size_t dot = key.rfind('.');
  if (!node && dot != std::string_view::npos) node = layers.find(key.substr(0, dot));
  throw InputError(node ? node->place : Place{path, 1}, fmt::format("{}: {}", key, message));
}

ServoParams load_servo(const std::string& path, const std::vector<Node>& overrides) {
  ServoParams servo;
  servo.path = path;
  servo.layers = config::load(path);
  for (const Node& assignment : overrides) config::merge(servo.layers, assignment);
  servo.plant.modes.resize(std::max<std::size_t>(1, count_sections(servo.layers, "plant", "mode")));
  servo.piezo.modes.resize(count_sections(servo.layers, "piezo", "mode"));
  servo.windage.modes.resize(count_sections(servo.layers, "windage", "mode"));
  servo.control.voice_coil.notches.resize(count_sections(servo.layers, "control", "notch"));
  servo.control.piezo.notches.resize(count_sections(servo.layers, "control.piezo", "notch"));
  servo.cases.columns = servo.plant.modes.size();
  config::read(servo.layers, servo);
  check(servo);
  if (!servo.layers.find("plant")) throw InputError(Place{path, 1, 1}, "no plant: a section [plant] is expected");
  return servo;
}

config::SectionInfo servo_schema() {
  ServoParams servo;
  servo.piezo.modes.resize(1);
  servo.windage.modes.resize(1);
  servo.control.voice_coil.notches.resize(1);
  servo.control.piezo.notches.resize(1);
  return config::catalogue(servo);
}

namespace {

std::size_t rows_of(const std::vector<std::vector<double>>& table) {
  return std::max<std::size_t>(table.size(), 1);
}

std::size_t rows_of(const std::vector<double>& list) {
  return std::max<std::size_t>(list.size(), 1);
}

void change_modes(ServoParams& servo, const std::vector<std::vector<double>>& rows, std::size_t row,
                  double ModeParams::*change) {
  if (rows.empty()) return;
  for (std::size_t mode = 0; mode < servo.plant.modes.size(); ++mode)
    servo.plant.modes[mode].*change += rows[row][mode];
}

}  // namespace

std::size_t case_count(const CasesParams& cases) {
  const std::size_t gains = rows_of(cases.piezo_gain_percent) * rows_of(cases.loop_gain_percent);
  if (cases.rows_together) return gains * rows_of(cases.frequency_percent);
  return gains * rows_of(cases.frequency_percent) * rows_of(cases.damping_percent) * rows_of(cases.gain_percent);
}

ServoParams with_case(const ServoParams& servo, std::size_t index, std::string* label) {
  ServoParams changed = servo;
  const CasesParams& cases = servo.cases;
  std::string text;
  const auto choose = [&](std::size_t rows) {
    const std::size_t row = index % rows;
    index /= rows;
    return row;
  };
  const auto say = [&](const std::string& part) { text = part + (text.empty() ? "" : ", ") + text; };
  std::size_t frequency = 0, damping = 0, gain = 0;
  if (cases.rows_together) {
    frequency = damping = gain = choose(rows_of(cases.frequency_percent));
    if (cases.frequency_percent.size() > 1) say(fmt::format("row {}", frequency + 1));
    if (!cases.piezo_frequency_percent.empty())
      changed.piezo.frequency_change_percent += cases.piezo_frequency_percent[frequency];
    if (!cases.piezo_damping_percent.empty())
      changed.piezo.damping_change_percent += cases.piezo_damping_percent[frequency];
  } else {
    gain = choose(rows_of(cases.gain_percent));
    damping = choose(rows_of(cases.damping_percent));
    frequency = choose(rows_of(cases.frequency_percent));
    if (cases.gain_percent.size() > 1) say(fmt::format("gain {}", gain + 1));
    if (cases.damping_percent.size() > 1) say(fmt::format("damping {}", damping + 1));
    if (cases.frequency_percent.size() > 1) say(fmt::format("frequency {}", frequency + 1));
  }
  change_modes(changed, cases.gain_percent, gain, &ModeParams::gain_change_percent);
  change_modes(changed, cases.damping_percent, damping, &ModeParams::damping_change_percent);
  change_modes(changed, cases.frequency_percent, frequency, &ModeParams::frequency_change_percent);
  if (!cases.loop_gain_percent.empty()) {
    const double change = cases.loop_gain_percent[choose(cases.loop_gain_percent.size())];
    changed.plant.loop_gain *= 1 + change / 100;
    say(fmt::format("loop gain {:+g} %", change));
  }
  if (!cases.piezo_gain_percent.empty()) {
    const double change = cases.piezo_gain_percent[choose(cases.piezo_gain_percent.size())];
    changed.piezo.gain *= 1 + change / 100;
    say(fmt::format("piezo gain {:+g} %", change));
  }
  if (label) *label = text.empty() ? "as given" : text;
  return changed;
}

}  // namespace armature::servo
