#include "armature/servo/surroundings.h"

#include "armature/core/angle.h"
#include "armature/core/error.h"
#include "hold.h"
#include "normal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace armature::servo {
namespace {

constexpr double kGravity = 9.80665;  // m/s2

/// Rows of `columns` numbers, separated by blanks, tabs or commas; empty lines and those that begin with # or a letter
/// (a header, before the first row) are left out. Throws InputError with file and line.
std::vector<std::vector<double>> read_rows(const ServoParams& servo, const std::string& key, const std::string& name,
                                           std::size_t columns) {
  namespace fs = std::filesystem;
  const config::Node* const node = servo.layers.find(key);
  fs::path path(name);
  if (path.is_relative() && !(node && node->from_command_line && fs::exists(path)))
    path = fs::path(servo.path).parent_path() / path;
  if (!fs::is_regular_file(path)) servo.fail(key, fmt::format("there is no file {}", path.string()));
  std::ifstream stream(path);
  if (!stream) servo.fail(key, fmt::format("{} cannot be read", path.string()));
  std::vector<std::vector<double>> rows;
  std::string line;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == ',' || c == '\t' || c == '\r'; }, ' ');
    const std::size_t first = line.find_first_not_of(' ');
    if (first == std::string::npos || line[first] == '#') continue;
    if (rows.empty() && std::isalpha(static_cast<unsigned char>(line[first]))) continue;
    std::vector<double>& row = rows.emplace_back();
    const char* at = line.c_str();
    for (;;) {
      at += std::string_view(at).find_first_not_of(' ') == std::string_view::npos
                ? std::string_view(at).size()
                : std::string_view(at).find_first_not_of(' ');
      if (*at == '\0') break;
      char* end = nullptr;
      const double value = std::strtod(at, &end);
      if (end == at || !std::isfinite(value))
        throw InputError(Place{path.string(), number}, fmt::format("\"{}\" is no number", at));
      row.push_back(value);
      at = end;
    }
    if (columns > 0 && row.size() != columns)
      throw InputError(Place{path.string(), number},
                       fmt::format("{} numbers are expected, not {}", columns, row.size()));
  }
  if (rows.empty()) throw InputError(Place{path.string(), 1}, "holds no numbers");
  return rows;
}

std::vector<double> runout_of(const ServoParams& servo) {
  const auto wedges = static_cast<std::size_t>(servo.format.servo_wedges);
  const RroParams& rro = servo.rro;
  std::vector<double> sequence(wedges, 0.0);
  NormalStream random(static_cast<std::uint64_t>(servo.noise.seed), "servo.rro");
  for (std::size_t i = 0; i < rro.amplitude_tracks.size(); ++i) {
    const double phase = rro.phase_deg.empty() ? random.uniform() * kTwoPi : rro.phase_deg[i] * kTwoPi / 360;
    for (std::size_t w = 0; w < wedges; ++w) {
      const double angle = kTwoPi * static_cast<double>((i + 1) * w % wedges) / static_cast<double>(wedges);
      sequence[w] += rro.amplitude_tracks[i] * std::sin(angle + phase);
    }
  }
  if (!rro.sequence_file.empty()) {
    std::vector<double> values;
    for (const auto& row : read_rows(servo, "rro.sequence_file", rro.sequence_file, 0))
      values.insert(values.end(), row.begin(), row.end());
    if (values.size() != wedges)
      servo.fail("rro.sequence_file", fmt::format("{} numbers for {} wedges", values.size(), wedges));
    for (std::size_t w = 0; w < wedges; ++w) sequence[w] += values[w];
  } else if (rro.sequence_pp_tracks > 0) {
    std::vector<double> drawn(wedges);
    for (double& value : drawn) value = random.next();
    const auto [low, high] = std::minmax_element(drawn.begin(), drawn.end());
    const double scale = rro.sequence_pp_tracks / (*high - *low);
    for (std::size_t w = 0; w < wedges; ++w) sequence[w] += scale * drawn[w];
  }
  for (double& value : sequence) value *= rro.scale;
  return sequence;
}

}  // namespace

std::vector<WindageFilter> windage_filters(const ServoParams& servo) {
  const WindageParams& windage = servo.windage;
  double scale = windage.scale;
  if (windage.reference_rpm > 0) scale *= std::pow(servo.spindle.rpm / windage.reference_rpm, windage.exponent);
  std::vector<WindageFilter> filters;
  for (const WindageModeParams& mode : windage.modes) {
    const double omega = kTwoPi * mode.frequency_hz;
    filters.push_back({scale * mode.amplitude_tracks * 2 * mode.damping * omega * omega, omega, mode.damping});
  }
  return filters;
}

NoiseFilter noise_filter(const NoiseParams& noise) {
  NoiseFilter filter;
  if (noise.filtered_a == 0 || noise.filter_denominator.size() < 2) return filter;
  // States scaled by powers of the filter's own rate, so that the exponential of A meets numbers of one size.
  const std::size_t n = noise.filter_denominator.size() - 1;
  const double lead = noise.filter_denominator.front();
  const double rate =
      std::pow(std::max(std::fabs(noise.filter_denominator.back() / lead), 1.0), 1.0 / static_cast<double>(n));
  filter.a.assign(n * n, 0.0);
  filter.b.assign(n, 0.0);
  filter.c.assign(n, 0.0);
  for (std::size_t i = 0; i + 1 < n; ++i) filter.a[i * n + i + 1] = rate;
  for (std::size_t i = 0; i < n; ++i)
    filter.a[(n - 1) * n + i] =
        -noise.filter_denominator[n - i] / lead / std::pow(rate, static_cast<double>(n - 1 - i));
  filter.b[n - 1] = 1;
  for (std::size_t i = 0; i < noise.filter_numerator.size(); ++i)
    filter.c[i] = noise.filter_numerator[noise.filter_numerator.size() - 1 - i] / lead /
                  std::pow(rate, static_cast<double>(n - 1 - i));
  return filter;
}

struct Surroundings::State {
  struct Vibration {
    double p = 0, v = 0, noise = 0, pp, pv, vp, vv, input_p, input_v, input_vv, out;
    NormalStream random;
  };

  State(const ServoParams& servo, std::int64_t points)
      : runout(runout_of(servo)),
        sensor(static_cast<std::uint64_t>(servo.noise.seed), "servo.sensor"),
        force(static_cast<std::uint64_t>(servo.noise.seed), "servo.force"),
        vibration_sensor(static_cast<std::uint64_t>(servo.noise.seed), "servo.vibration"),
        filtered(static_cast<std::uint64_t>(servo.noise.seed), "servo.filtered"),
        external(servo.external) {
    sensor_sigma = servo.noise.sensor_tracks;
    force_sigma = servo.noise.force_a * std::sqrt(static_cast<double>(servo.control.multirate));
    filtered_sigma = servo.noise.filtered_a * std::sqrt(static_cast<double>(servo.control.multirate));
    colour = noise_filter(servo.noise);
    if (!colour.b.empty()) filter_hold = hold(colour.a, colour.b, 1, servo.hold_s());
    filter_state.assign(colour.b.size(), 0.0);
    filter_next = filter_state;
    std::size_t number = 0;
    for (const WindageFilter& filter : windage_filters(servo)) {
      const std::string name = fmt::format("servo.windage.{}", ++number);
      if (filter.numerator == 0) continue;
      // In the state of a mode (position times frequency, velocity), as Plant keeps it.
      const std::vector<double> a = {0, filter.omega, -filter.omega, -2 * filter.damping * filter.omega};
      const double step_s = servo.hold_s() / static_cast<double>(points);
      const Held held = hold(a, {0, filter.numerator}, 1, step_s);
      std::vector<double> input = {held.input[0], 0, held.input[1], 0};
      // White at all frequencies, with the density that the held noise has at low ones.
      if (!servo.windage.held) input = noise_factor(a, {0, filter.numerator * std::sqrt(servo.wedge_s())}, step_s);
      vibrations.push_back({0, 0, 0, held.transition[0], held.transition[1], held.transition[2], held.transition[3],
                            input[0], input[2], input[3], 1 / filter.omega,
                            NormalStream(static_cast<std::uint64_t>(servo.noise.seed), name)});
    }
    radius = (external.radius_mm > 0 ? external.radius_mm : servo.plant.arm_radius_mm) * 1e-3;
    if (radius == 0 && (external.shock_rad_s2 != 0 || external.sensor_gain > 0))
      servo.fail("external.radius_mm", "rotation needs it, or plant.arm_radius_mm");
    if (!external.file.empty()) {
      rows = read_rows(servo, "external.file", external.file, 3);
      for (std::size_t i = 1; i < rows.size(); ++i)
        if (rows[i][0] <= rows[i - 1][0])
          servo.fail("external.file", fmt::format("the time of row {} does not grow", i + 1));
    }
    amperes_per_acceleration = servo.plant.mass_kg() / servo.plant.force_n_a();
    wedge_s = servo.wedge_s();
    windage_held = servo.windage.held;
    steps = servo.control.multirate * points;
  }

  std::vector<double> runout;
  std::vector<Vibration> vibrations;
  NormalStream sensor, force, vibration_sensor, filtered;
  NoiseFilter colour;
  Held filter_hold;
  std::vector<double> filter_state, filter_next;
  double filtered_sigma = 0;
  ExternalParams external;
  std::vector<std::vector<double>> rows;
  double sensor_sigma, force_sigma, radius, amperes_per_acceleration, wedge_s;
  bool windage_held = true;
  std::int64_t steps = 1, at_step = 0;  // of the wedge: where the next call of windage is
  double sensed = 0;                    // rad/s2, behind the sensor's low pass

  double half_sine(double at) const {
    const double since = (at - external.shock_at_ms * 1e-3) / (external.shock_ms * 1e-3);
    return since > 0 && since < 1 ? std::sin(0.5 * kTwoPi * since) : 0;
  }
  double from_file(double at, std::size_t column) const {
    if (rows.empty() || at < rows.front()[0] || at > rows.back()[0]) return 0;
    const auto after =
        std::lower_bound(rows.begin(), rows.end(), at, [](const auto& row, double t) { return row[0] < t; });
    if (after == rows.begin()) return (*after)[column];
    const auto before = after - 1;
    return (*before)[column] +
           ((*after)[column] - (*before)[column]) * (at - (*before)[0]) / ((*after)[0] - (*before)[0]);
  }
  double rotation(double at) const { return external.shock_rad_s2 * half_sine(at) + from_file(at, 2); }
  double linear(double at) const { return external.shock_gn * kGravity * half_sine(at) + from_file(at, 1); }
};

Surroundings::Surroundings(const ServoParams& servo, std::int64_t points)
    : state_(std::make_unique<State>(servo, points)) {}
Surroundings::~Surroundings() = default;
Surroundings::Surroundings(Surroundings&&) noexcept = default;

const std::vector<double>& Surroundings::runout() const {
  return state_->runout;
}

double Surroundings::windage(double growth) {
  State& s = *state_;
  const bool fresh = !s.windage_held || s.at_step == 0;
  if (++s.at_step == s.steps) s.at_step = 0;
  double sum = 0;
  for (State::Vibration& m : s.vibrations) {
    sum += m.out * m.p;
    if (fresh) m.noise = growth * m.random.next();
    const double p = m.p, v = m.v;
    m.p = m.pp * p + m.pv * v + m.input_p * m.noise;
    m.v = m.vp * p + m.vv * v + m.input_v * m.noise;
    if (m.input_vv != 0) m.v += m.input_vv * growth * m.random.next();
  }
  return sum;
}

double Surroundings::sensor_noise() {
  return state_->sensor_sigma > 0 ? state_->sensor_sigma * state_->sensor.next() : 0;
}

double Surroundings::force_noise() {
  State& s = *state_;
  double sum = s.force_sigma > 0 ? s.force_sigma * s.force.next() : 0;
  const std::size_t n = s.colour.b.size();
  if (n == 0) return sum;
  const double input = s.filtered_sigma * s.filtered.next();
  for (std::size_t i = 0; i < n; ++i) {
    sum += s.colour.c[i] * s.filter_state[i];
    double next = s.filter_hold.input[i] * input;
    for (std::size_t j = 0; j < n; ++j) next += s.filter_hold.transition[i * n + j] * s.filter_state[j];
    s.filter_next[i] = next;
  }
  std::swap(s.filter_state, s.filter_next);
  return sum;
}

bool Surroundings::base_moves() const {
  const State& s = *state_;
  return s.external.shock_gn != 0 || s.external.shock_rad_s2 != 0 || !s.rows.empty();
}

std::vector<BasePoint> Surroundings::base_course() const {
  constexpr int kOfShock = 32;
  constexpr double kEdge = 1e-9;  // s, of a file that does not begin or end with 0
  const State& s = *state_;
  std::vector<double> times;
  if (s.external.shock_gn != 0 || s.external.shock_rad_s2 != 0)
    for (int i = 0; i <= kOfShock; ++i)
      times.push_back(1e-3 * (s.external.shock_at_ms + s.external.shock_ms * i / kOfShock));
  for (const auto& row : s.rows) times.push_back(row[0]);
  if (!s.rows.empty()) {
    times.push_back(s.rows.front()[0] - kEdge);
    times.push_back(s.rows.back()[0] + kEdge);
  }
  if (!times.empty()) times.push_back(0);
  std::sort(times.begin(), times.end());
  std::vector<BasePoint> course;
  for (const double at : times)
    if (at >= 0) course.push_back({at, s.linear(at) / kGravity, s.rotation(at)});
  return course;
}

double Surroundings::base(double from, double to) const {
  const State& s = *state_;
  const double at = 0.5 * (from + to);
  return -s.rotation(at) * s.radius - s.linear(at) * s.external.imbalance_percent / 100;
}

double Surroundings::feed_forward(double at, double turning) {
  State& s = *state_;
  if (s.external.sensor_gain == 0) return 0;
  const double share = 1 - std::exp(-kTwoPi * s.external.sensor_bandwidth_hz * s.wedge_s);
  s.sensed += share * (s.rotation(at) + turning - s.sensed);
  const double noise =
      s.external.sensor_noise_rad_s2 > 0 ? s.external.sensor_noise_rad_s2 * s.vibration_sensor.next() : 0;
  return s.external.sensor_gain * (s.sensed + noise) * s.radius * s.amperes_per_acceleration;
}

}  // namespace armature::servo
