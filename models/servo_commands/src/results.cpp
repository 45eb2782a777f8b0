#include "results.h"

#include "armature/cli/version.h"
#include "armature/core/error.h"
#include "armature/core/output_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <iterator>

namespace armature::servo_commands {
namespace {

using Json = nlohmann::ordered_json;
using servo::Instant;

struct Signal {
  const char* name;
  double (*value)(const Instant&);
};

constexpr Signal kSignals[] = {
    {"time_s", [](const Instant& n) { return n.time_s; }},
    {"position_m", [](const Instant& n) { return n.position_m; }},
    {"velocity_m_s", [](const Instant& n) { return n.velocity_m_s; }},
    {"reference_m", [](const Instant& n) { return n.reference_m; }},
    {"error_tracks", [](const Instant& n) { return n.error_tracks; }},
    {"off_track_tracks", [](const Instant& n) { return n.off_track_tracks; }},
    {"command_a", [](const Instant& n) { return n.command_a; }},
    {"current_a", [](const Instant& n) { return n.current_a; }},
    {"voltage_v", [](const Instant& n) { return n.voltage_v; }},
    {"piezo_v", [](const Instant& n) { return n.piezo_v; }},
    {"rail_w", [](const Instant& n) { return n.rail_w; }},
    {"base_m_s2", [](const Instant& n) { return n.base_m_s2; }},
    {"settled", [](const Instant& n) { return n.settled ? 1.0 : 0.0; }},
    {"wedge", [](const Instant& n) { return n.wedge ? 1.0 : 0.0; }},
};

Json json_of(const servo::CoilEnergy& energy) {
  return {{"rail_j", energy.rail},       {"coil_j", energy.coil},         {"heat_j", energy.heat},
          {"damping_j", energy.damping}, {"friction_j", energy.friction}, {"outside_j", energy.outside}};
}

}  // namespace

Json json_of(const servo::FollowResult& r) {
  return {{"stable", r.stable},
          {"lost_at_s", r.stable ? Json() : Json(r.lost_at_s)},
          {"revolutions", r.revolutions},
          {"simulated_s", r.simulated_s},
          {"nrpe_3sigma_percent", r.nrpe_3sigma_percent},
          {"rpe_pp_percent", r.rpe_pp_percent},
          {"pes_3sigma_percent", r.pes_3sigma_percent},
          {"off_track_3sigma_percent", r.off_track_3sigma_percent},
          {"head_3sigma_percent", r.head_3sigma_percent},
          {"largest_percent", r.largest_percent},
          {"wedges_outside_write_window", r.outside_write},
          {"current_rms_a", r.current_rms_a},
          {"coil_w", r.coil_w},
          {"rail_w", r.rail_w},
          {"piezo_rms_v", r.piezo_rms_v}};
}

Json json_of(const servo::Prediction& p) {
  return {{"nrpe_3sigma_percent", p.nrpe_3sigma_percent},
          {"sensor_percent", p.sensor_percent},
          {"force_percent", p.force_percent},
          {"windage_percent", p.windage_percent},
          {"rpe_pp_percent", p.rpe_pp_percent}};
}

Json json_of(const servo::Margins& m) {
  return {{"stable", m.stable},
          {"first_crossover_hz", m.first_crossover_hz},
          {"crossover_hz", m.crossover_hz},
          {"phase_deg", m.phase_deg},
          {"gain_db", m.gain_db},
          {"sensitivity_peak_db", m.peak_db},
          {"sensitivity_peak_hz", m.peak_hz},
          {"modulus", m.modulus}};
}

Json json_of(const servo::SeekResult& r) {
  Json phases = Json::object();
  for (std::size_t i = 0; i < r.phases.size(); ++i) {
    const servo::PhaseEnergy& phase = r.phases[i];
    Json& out = phases[servo::kSeekPhaseNames[i]];
    out = {{"time_s", phase.time_s}};
    out.update(json_of(phase.energy));
    out["rail_w"] = phase.time_s > 0 ? phase.energy.rail / phase.time_s : 0;
    out["coil_heat_w"] = phase.time_s > 0 ? phase.energy.heat / phase.time_s : 0;
  }
  return {{"distance_tracks", r.distance_tracks},
          {"stable", r.stable},
          {"settled_read", r.settled_read},
          {"settled_write", r.settled_write},
          {"read_s", r.settled_read ? Json(r.read_s) : Json()},
          {"write_s", r.settled_write ? Json(r.write_s) : Json()},
          {"wedges_outside_write_window_after", r.left_write},
          {"last_exit_s", r.last_exit_s},
          {"profile_s", r.profile_s},
          {"overshoot_tracks", r.overshoot_tracks},
          {"top_speed_m_s", r.top_speed_m_s},
          {"peak_current_a", r.peak_current_a},
          {"saturated", r.saturated},
          {"energy", json_of(r.total)},
          {"phases", phases}};
}

void write_json(const std::string& path, const servo::ServoParams& servo, const Json& results) {
  servo::ServoParams copy = servo;  // visitors may write
  Json document = {{"program", fmt::format("armature {}", cli::version())},
                   {"file", std::filesystem::path(servo.path).filename().string()}};
  document.update(results);
  document["configuration"] = Json::parse(config::to_json(config::catalogue(copy)));
  const std::string text = document.dump(2) + "\n";
  if (path == "-") {
    fmt::print("{}", text);
    return;
  }
  write_output_file(path, text);
}

std::string margins_text(const servo::Margins& m) {
  if (!m.stable) return "not stable";
  return fmt::format(
      "crossover {:.0f} Hz, phase margin {:.1f} degrees, gain margin {:.1f} dB, sensitivity at most {:.1f} dB (at "
      "{:.0f} Hz)",
      m.first_crossover_hz, m.phase_deg, m.gain_db, m.peak_db, m.peak_hz);
}

SeriesFile::SeriesFile(const std::string& path, const std::string& signals, bool wedges_only)
    : path_(path), wedges_only_(wedges_only) {
  for (std::size_t at = 0; at < signals.size();) {
    const std::size_t comma = std::min(signals.find(',', at), signals.size());
    const std::string name = signals.substr(at, comma - at);
    std::vector<std::string_view> names;
    for (const Signal& signal : kSignals) names.emplace_back(signal.name);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw InputError(fmt::format("--signals: there is no signal \"{}\"; there are {}", name, fmt::join(names, ", ")));
    columns_.push_back(static_cast<std::size_t>(found - names.begin()));
    at = comma + 1;
  }
  if (columns_.empty())
    for (std::size_t i = 0; i < std::size(kSignals); ++i) columns_.push_back(i);
  stream_.open(path, std::ios::binary);
  for (std::size_t i = 0; i < columns_.size(); ++i) stream_ << (i > 0 ? "\t" : "") << kSignals[columns_[i]].name;
  stream_ << "\n";
}

void SeriesFile::add(const servo::Instant& now) {
  if (wedges_only_ && !now.wedge) return;
  std::string line;
  for (const std::size_t column : columns_)
    line += fmt::format("{}{:.9g}", line.empty() ? "" : "\t", kSignals[column].value(now));
  stream_ << line << "\n";
}

void SeriesFile::close() {
  stream_.flush();
  if (!stream_) throw InputError(Place{path_}, "cannot be written");
}

}  // namespace armature::servo_commands
