#include "armature/servo_commands/commands.h"

#include "armature/cli/status.h"
#include "armature/cli/terminal.h"
#include "armature/core/error.h"
#include "armature/core/output_file.h"
#include "armature/servo/design.h"
#include "armature/servo/params.h"
#include "drive_loop.h"
#include "picture.h"
#include "results.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace armature::servo_commands {
namespace {

/// `armature servo track|seek|bode FILE`: the voice-coil servo of a plant file on its own; `servo curve|fit DRIVE`:
/// that of a drive against its section `seek` (docs/guide/servo.md).
class ServoCommand {
 public:
  ServoCommand(const cli::Command& program, LoadLoop load_loop);

 private:
  void add_common(const cli::Command& command);
  servo::ServoParams load() const;
  int track() const;
  int track_cases(const servo::ServoParams& servo) const;
  std::int64_t points_of_hold(const servo::ServoParams& servo) const;
  int seek() const;
  int bode() const;
  int curve() const;
  int fit() const;

  LoadLoop load_loop_;
  std::string plant_;
  std::string file_;
  std::vector<std::string> sets_;
  std::int64_t revolutions_ = 100;
  bool cases_ = false;
  std::int64_t case_ = 0;
  cli::Option of_case_;
  std::int64_t points_ = 0;  // of a wedge; 0: the default
  std::vector<double> distances_;
  double from_tracks_ = 0;
  cli::Option from_;
  std::string json_;
  std::string series_;
  std::string signals_;
  bool wedges_only_ = false;
  std::string svg_;
  std::string tsv_;
  bool quiet_ = false;
};

using Json = nlohmann::ordered_json;

std::string name_of(const servo::ServoParams& servo) {
  return std::filesystem::path(servo.path).filename().string();
}

/// "[=====>     ]  42 %" on a terminal; nothing elsewhere.
class Bar {
 public:
  explicit Bar(bool quiet) : shown_(!quiet && cli::is_terminal(stderr)) {}
  ~Bar() {
    if (shown_) fmt::print(stderr, "\r\033[K");
  }
  Bar(const Bar&) = delete;
  Bar& operator=(const Bar&) = delete;

  void show(double fraction) {
    const int percent = static_cast<int>(fraction * 100);
    if (!shown_ || percent == percent_) return;
    percent_ = percent;
    const auto filled = static_cast<std::size_t>(percent / 4);
    fmt::print(stderr, "\r[{}>{}] {:3} %", std::string(filled, '='), std::string(25 - filled, ' '), percent);
    std::fflush(stderr);
  }

 private:
  bool shown_;
  int percent_ = -1;
};

/// From spectra; a loop that is not stable has no variances.
std::optional<servo::Prediction> predict(const servo::LoopAnalysis& analysis, const servo::Margins& margins) {
  if (!margins.stable) return std::nullopt;
  return analysis.predict();
}

Json spectra_of(const std::optional<servo::Prediction>& prediction) {
  return prediction ? json_of(*prediction) : Json();
}

void print_follow(const servo::ServoParams& servo, const servo::FollowResult& r,
                  const std::optional<servo::Prediction>& p, const servo::Margins& margins, double wall_s) {
  fmt::print("{}: {} revolutions, {:.3f} s in {:.2f} s\n", name_of(servo), r.revolutions, r.simulated_s, wall_s);
  if (!r.stable)
    fmt::print("servo lost after {:.6f} s: the position error passed {:g} tracks\n", r.lost_at_s, servo::kLostTracks);
  fmt::print("                                    % of a track   from spectra\n");
  const auto row = [](const char* name, std::optional<double> value, std::optional<double> predicted = {}) {
    const auto cell = [](std::optional<double> v) { return v ? fmt::format("{:.3f}", *v) : std::string(); };
    fmt::print("{:<36}{:>12}{:>15}\n", name, cell(value), cell(predicted));
  };
  const auto of = [&](double servo::Prediction::*part) { return p ? std::optional<double>((*p).*part) : std::nullopt; };
  row("non-repeatable error, 3 sigma", r.nrpe_3sigma_percent, of(&servo::Prediction::nrpe_3sigma_percent));
  row("  of it sensor noise", {}, of(&servo::Prediction::sensor_percent));
  row("  of it force noise", {}, of(&servo::Prediction::force_percent));
  row("  of it windage", {}, of(&servo::Prediction::windage_percent));
  row("repeatable error, peak to peak", r.rpe_pp_percent, of(&servo::Prediction::rpe_pp_percent));
  row("position error signal, 3 sigma", r.pes_3sigma_percent);
  row("head off track, 3 sigma", r.off_track_3sigma_percent);
  row("head in space, 3 sigma", r.head_3sigma_percent);
  row("largest position error signal", r.largest_percent);
  fmt::print("coil {:.3f} mA rms, {:.3f} mW of heat; {:.3f} mW from the supply\n", r.current_rms_a * 1e3,
             r.coil_w * 1e3, r.rail_w * 1e3);
  fmt::print("loop: {}\n", margins_text(margins));
}

void print_seek(const servo::SeekResult& r) {
  const auto time = [](bool settled, double s) { return settled ? fmt::format("{:.3f}", s * 1e3) : std::string("-"); };
  fmt::print("{:.10g}\t{}\t{}\t{}\t{:.3f}\t{:.3f}\t{:.3f}\t{:.4f}\t{:.4f}\t{}", r.distance_tracks,
             time(r.settled_read, r.read_s), time(r.settled_write, r.write_s), r.left_write, r.last_exit_s * 1e3,
             r.profile_s * 1e3, r.overshoot_tracks, r.top_speed_m_s, r.peak_current_a, r.saturated ? "yes" : "no");
  for (const servo::PhaseEnergy& phase : r.phases)
    fmt::print("\t{:.3f}\t{:.4f}", phase.time_s * 1e3, phase.energy.rail * 1e3);
  fmt::print("\t{:.4f}\t{:.4f}\n", r.total.rail * 1e3, r.total.heat * 1e3);
}

constexpr const char* kSeekHeader =
    "distance_tracks\tread_ms\twrite_ms\tleft_write\tlast_exit_ms\tprofile_ms\tovershoot_tracks\ttop_speed_m_s\tpeak_"
    "current_"
    "a\tsaturated\t"
    "accelerate_ms\taccelerate_mj\tcoast_ms\tcoast_mj\tdecelerate_ms\tdecelerate_mj\tsettle_ms\tsettle_mj\trail_"
    "mj\theat_mj\n";

}  // namespace

ServoCommand::ServoCommand(const cli::Command& program, LoadLoop load_loop) : load_loop_(std::move(load_loop)) {
  const cli::Command servo =
      program.add_command("servo", "the voice-coil servo of a plant file on its own (docs/guide/servo.md)");
  servo.require_command();
  const cli::Command track =
      servo.add_command("track", "follow a track: position error by its causes").runs([this] { return this->track(); });
  add_common(track);
  track.add_option("--revolutions", revolutions_, "how many (100), after 10 ms that are left out")
      .range(std::int64_t{1}, std::int64_t{100'000'000})
      .type_name("N");
  const cli::Option all =
      track.add_flag("--cases", cases_, "every changed plant of the file's section cases, one line each");
  of_case_ = track.add_option("--case", case_, "one of them, from 1").type_name("N").excludes(all);
  track
      .add_option("--points", points_,
                  "points of a wedge at which the head's path is looked at (10), rounded up to a multiple of "
                  "control.multirate; --series then has a row a point")
      .range(std::int64_t{1}, std::int64_t{1000})
      .type_name("N");

  const cli::Command seek =
      servo.add_command("seek", "seeks: settling times, power by phase").runs([this] { return this->seek(); });
  add_common(seek);
  seek.add_option("--distance", distances_, "tracks, negative: outwards; may be repeated")
      .required()
      .one_at_a_time()
      .type_name("D");
  from_ = seek.add_option("--from", from_tracks_,
                          "start, tracks from the middle of the stroke (half the distance before it)")
              .type_name("TRACK");

  for (const cli::Command& command : {track, seek}) {
    command.add_option("--series", series_, "signals over time, tab-separated").type_name("FILE");
    command.add_option("--signals", signals_, "which: error_tracks,current_a (all)").type_name("NAMES");
    command.add_flag("--wedges", wedges_only_, "a row of them a wedge, not a hold");
  }
  const cli::Command bode =
      servo.add_command("bode", "the loop in the frequency domain: margins, gains that a design made").runs([this] {
        return this->bode();
      });
  add_common(bode);
  bode.add_option("--tsv", tsv_, "frequency, open loop, sensitivity, tab-separated").type_name("FILE");
  const cli::Command curve =
      servo.add_command("curve", "the seek times of a drive's servo loop as a section seek").runs([this] {
        return this->curve();
      });
  const cli::Command fit =
      servo.add_command("fit", "keys of the plant file with which the loop has the drive's datasheet seeks")
          .runs([this] { return this->fit(); });
  for (const cli::Command& command : {curve, fit}) {
    command.add_option("DRIVE", file_, "the drive file (.toml)").required();
    command.add_option("--plant", plant_, "plant file (the drive file's mechanics.plant)").type_name("FILE");
    command.add_option("--set", sets_, "override a key of the plant file: --set seek.current_a=0.6")
        .one_at_a_time()
        .type_name("KEY=VALUE");
  }
  for (const cli::Command& command : {seek, bode})
    command.add_option("--svg", svg_, "a picture of it").type_name("FILE");
}

void ServoCommand::add_common(const cli::Command& command) {
  command.add_option("FILE", file_, "the plant file (.toml)").required();
  command.add_option("--set", sets_, "override a key: --set plant.mode_2.frequency_hz=4500 (describe servo)")
      .one_at_a_time()
      .type_name("KEY=VALUE");
  command.add_option("--json", json_, "results and configuration; - for standard output alone").type_name("FILE");
  command.add_flag("-q,--quiet", quiet_, "no progress, nothing on standard output but --json -");
}

servo::ServoParams ServoCommand::load() const {
  std::vector<config::Node> overrides;
  for (const std::string& set : sets_) overrides.push_back(config::assignment(set));
  return servo::load_servo(file_, overrides);
}

int ServoCommand::curve() const {
  print_servo_curve(load_loop_(file_, plant_, sets_));
  return kOk;
}

int ServoCommand::fit() const {
  return fit_servo(load_loop_(file_, plant_, sets_)) ? kOk : kNoProgress;
}

int ServoCommand::track() const {
  servo::ServoParams servo = load();
  if (cases_) return track_cases(servo);
  if (of_case_.given()) {
    const std::size_t count = servo::case_count(servo.cases);
    if (case_ < 1 || static_cast<std::size_t>(case_) > count)
      throw InputError(fmt::format("--case {}: the file has cases 1 to {}", case_, count));
    servo = servo::with_case(servo, static_cast<std::size_t>(case_ - 1));
  }
  servo = servo::designed(servo);
  std::unique_ptr<SeriesFile> series;
  if (!series_.empty()) series = std::make_unique<SeriesFile>(series_, signals_, wedges_only_);
  servo::Recorder recorder;
  // A row a hold unless other points are asked for.
  if (series)
    recorder = [&](const servo::Instant& now) {
      if (now.hold || points_ != 0) series->add(now);
    };
  const auto begin = std::chrono::steady_clock::now();
  servo::FollowResult result;
  {
    Bar bar(quiet_);
    servo::FollowOptions options;
    options.points = points_of_hold(servo);
    options.recorder = recorder;
    options.progress = [&](double fraction) { bar.show(fraction); };
    result = servo::follow(servo, revolutions_, options);
  }
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (series) series->close();
  const servo::LoopAnalysis analysis(servo);
  const servo::Margins margins = analysis.margins();
  const std::optional<servo::Prediction> prediction = predict(analysis, margins);
  if (!quiet_ && json_ != "-") print_follow(servo, result, prediction, margins, wall);
  if (!json_.empty())
    write_json(json_, servo,
               {{"follow", json_of(result)}, {"spectra", spectra_of(prediction)}, {"loop", json_of(margins)}});
  return result.stable && margins.stable ? kOk : kNoProgress;
}

std::int64_t ServoCommand::points_of_hold(const servo::ServoParams& servo) const {
  constexpr std::int64_t kPoints = 10;
  const std::int64_t holds = servo.control.multirate;
  return ((points_ == 0 ? kPoints : points_) + holds - 1) / holds;
}

int ServoCommand::track_cases(const servo::ServoParams& servo) const {
  if (!series_.empty()) throw InputError("--series: one case at a time has one; choose it with --case");
  const bool table = !quiet_ && json_ != "-";
  const std::size_t count = servo::case_count(servo.cases);
  const servo::ServoParams made = servo::designed(servo);
  if (table)
    fmt::print(
        "case\tstable\tnrpe_3sigma_percent\tspectra_percent\trpe_pp_percent\tpes_3sigma_percent\t"
        "head_3sigma_percent\tphase_deg\tgain_db\tpeak_db\tchanges\n");
  Json rows = Json::array();
  bool stable = true;
  for (std::size_t i = 0; i < count; ++i) {
    std::string label;
    const servo::ServoParams changed = servo::with_case(made, i, &label);
    servo::FollowResult result;
    {
      Bar bar(quiet_);
      servo::FollowOptions options;
      options.points = points_of_hold(changed);
      options.progress = [&](double part) { bar.show((static_cast<double>(i) + part) / static_cast<double>(count)); };
      result = servo::follow(changed, revolutions_, options);
    }
    const servo::LoopAnalysis analysis(changed);
    const servo::Margins margins = analysis.margins();
    const std::optional<servo::Prediction> prediction = predict(analysis, margins);
    stable = stable && result.stable && margins.stable;
    if (table) {
      fmt::print("{}\t{}\t{:.3f}\t{}\t{:.3f}\t{:.3f}\t{:.3f}\t{:.1f}\t{:.1f}\t{:.1f}\t{}\n", i + 1,
                 result.stable && margins.stable ? "yes" : "no", result.nrpe_3sigma_percent,
                 prediction ? fmt::format("{:.3f}", prediction->nrpe_3sigma_percent) : "-", result.rpe_pp_percent,
                 result.pes_3sigma_percent, result.head_3sigma_percent, margins.phase_deg, margins.gain_db,
                 margins.peak_db, label);
      std::fflush(stdout);
    }
    rows.push_back({{"case", i + 1},
                    {"changes", label},
                    {"follow", json_of(result)},
                    {"spectra", spectra_of(prediction)},
                    {"loop", json_of(margins)}});
  }
  if (!json_.empty()) write_json(json_, made, {{"cases", rows}});
  return stable ? kOk : kNoProgress;
}

int ServoCommand::seek() const {
  if (std::find(distances_.begin(), distances_.end(), 0) != distances_.end())
    throw InputError("--distance 0: the head stays; tracks other than 0 are expected");
  const servo::ServoParams servo = servo::designed(load());
  if (distances_.size() > 1 && (!series_.empty() || !svg_.empty()))
    throw InputError("--distance: one of them has a picture or a series; several were given");
  std::unique_ptr<SeriesFile> series;
  if (!series_.empty()) series = std::make_unique<SeriesFile>(series_, signals_, wedges_only_);
  std::vector<servo::Instant> instants;
  servo::Recorder recorder;
  if (series || !svg_.empty())
    recorder = [&](const servo::Instant& now) {
      if (series) series->add(now);
      if (!svg_.empty()) instants.push_back(now);
    };
  const bool table = !quiet_ && json_ != "-";
  if (table) fmt::print("{}", kSeekHeader);
  Json rows = Json::array();
  bool settled = true;
  for (const double distance : distances_) {
    const servo::SeekResult result = servo::seek(servo, distance, recorder, from_.given() ? &from_tracks_ : nullptr);
    settled = settled && result.settled_read && result.settled_write;
    if (table) print_seek(result);
    rows.push_back(json_of(result));
    if (!svg_.empty())
      write_output_file(svg_, seek_picture(servo, result, instants,
                                           fmt::format("{}: seek over {:g} tracks", name_of(servo), distance)));
  }
  if (series) series->close();
  if (!json_.empty()) write_json(json_, servo, {{"seeks", rows}});
  return settled ? kOk : kNoProgress;
}

int ServoCommand::bode() const {
  const servo::ServoParams servo = servo::designed(load());
  const servo::LoopAnalysis analysis(servo);
  const servo::Margins margins = analysis.margins();
  const std::optional<servo::Prediction> prediction = predict(analysis, margins);
  if (!quiet_ && json_ != "-") {
    fmt::print("{}: {}\n", name_of(servo), margins_text(margins));
    const auto chain = [](const char* name, const servo::ChainParams& c) {
      if (c.state_space.given()) return fmt::print("{}: by its matrices, order {}\n", name, c.state_space.b.size());
      fmt::print("{}: P {:.6g}, I {:.6g}, D {:.6g}\n", name, c.proportional / c.divisor, c.integral / c.divisor,
                 c.derivative / c.divisor);
      for (const servo::NotchParams& notch : c.notches)
        if (notch.frequency_hz > 0)
          fmt::print("  notch at {:.1f} Hz, zeros {:.4f}, poles {:.4f}\n", notch.frequency_hz, notch.zero_damping,
                     notch.pole_damping);
    };
    chain("voice coil", servo.control.voice_coil);
    if (servo.piezo.stroke_nm_v > 0) chain("second stage", servo.control.piezo);
    if (prediction)
      fmt::print("from spectra: non-repeatable error 3 sigma {:.3f} % of a track\n", prediction->nrpe_3sigma_percent);
  }
  if (!tsv_.empty()) {
    std::string out = "frequency_hz\tplant_tracks_a\tplant_deg\tloop_db\tloop_deg\tsensitivity_db\n";
    const auto degrees = [](std::complex<double> v) { return 180 / 3.14159265358979323846 * std::arg(v); };
    for (double f = 1; f < analysis.highest_hz(); f *= 1.002) {
      const servo::LoopPoint p = analysis.at(f);
      out +=
          fmt::format("{:.6g}\t{:.6g}\t{:.4f}\t{:.4f}\t{:.4f}\t{:.4f}\n", f, std::abs(p.plant), degrees(p.plant),
                      20 * std::log10(std::abs(p.loop)), degrees(p.loop), 20 * std::log10(std::abs(p.sensitivity())));
    }
    write_output_file(tsv_, out);
  }
  if (!svg_.empty()) write_output_file(svg_, bode_picture(servo, name_of(servo)));
  if (!json_.empty()) write_json(json_, servo, {{"loop", json_of(margins)}, {"spectra", spectra_of(prediction)}});
  return margins.stable ? kOk : kNoProgress;
}

void add(const cli::Command& program, LoadLoop load) {
  program.add<ServoCommand>(std::move(load));
}

}  // namespace armature::servo_commands
