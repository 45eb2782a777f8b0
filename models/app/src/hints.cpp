#include "hints.h"

#include "armature/actuator/seek_profile.h"
#include "armature/workload/remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace armature::app {
namespace {

constexpr double kSmallPart = 0.05;      // of a drive's sectors: below it most seeks are short
constexpr double kQueueLeft = 0.05;      // of the run, after the last arrival
constexpr std::uint64_t kManyLeft = 64;  // requests: fewer are no sign of anything

using Skew = double media::ZoneParams::*;

/// Time that the head has to the next track, of all zones the least, ms: for a head switch or a cylinder switch.
double least_skew_ms(const media::GeometryParams& geometry, Skew skew, double rpm) {
  double least = std::numeric_limits<double>::infinity();
  const bool revolutions = geometry.skew_unit == media::SkewUnit::revolutions;
  for (const media::ZoneParams& zone : geometry.zones)
    if (zone.*skew > 0)
      least = std::min(least, zone.*skew / (revolutions ? 1 : static_cast<double>(zone.sectors_per_track)));
  return least * 60'000 / rpm;
}

/// The speeds of drive files, rpm. Drives of one file ask for it again, and reading it takes a millisecond.
class SpeedsOfFiles {
 public:
  double of(const std::string& model) {
    const auto [entry, is_new] = known_.try_emplace(model, 0.0);
    if (is_new) entry->second = load_drive(model).drive.spindle.rpm;
    return entry->second;
  }

 private:
  std::map<std::string, double> known_;
};

/// The skews stand in the drive file, and at the speed that was set instead of the file's a switch takes longer.
void add_skews(std::vector<std::string>& notes, const DriveSetup& setup, std::uint32_t cylinders,
               SpeedsOfFiles& speeds) {
  const config::Node* const zones = setup.layers.find("geometry.zones");
  if (setup.model.empty() || !zones || zones->place.file == setup.place.file || zones->from_command_line) return;
  const media::GeometryParams& geometry = setup.drive.geometry;
  if (geometry.skew_scale != 1) return;
  const double made_for = speeds.of(setup.model), now = setup.drive.spindle.rpm;
  if (made_for == now) return;
  const auto missed = [&](Skew skew, double needed_ms) {
    return least_skew_ms(geometry, skew, made_for) >= needed_ms && least_skew_ms(geometry, skew, now) < needed_ms;
  };
  const actuator::SeekProfile profile(setup.drive.seek, cylinders);
  const bool head = geometry.heads > 1 && missed(&media::ZoneParams::track_skew, setup.drive.seek.head_switch_ms);
  const bool cylinder =
      cylinders > 1 && missed(&media::ZoneParams::cylinder_skew, static_cast<double>(profile.seek(0, 1)) / kPsPerMs);
  if (!head && !cylinder) return;
  notes.push_back(
      fmt::format("{}: the skews of its layout were made for {:g} rpm. At {:g} rpm a {} switch takes longer than its "
                  "skew, and costs "
                  "a sequential transfer a revolution; geometry.skew_scale = {:.3g} gives it the time that it had",
                  setup.name, made_for, now,
                  head && cylinder ? "head or cylinder"
                  : head           ? "head"
                                   : "cylinder",
                  now / made_for));
}

void add_channels(std::vector<std::string>& notes, const DriveSetup& setup) {
  const unsigned arms = setup.drive.arms.arms(), channels = setup.drive.arms.channel_count();
  if (channels >= arms) return;
  notes.push_back(fmt::format("{}: {} arms share {} channel{}: no more transfer at once", setup.name, arms, channels,
                              channels == 1 ? "" : "s"));
}

void add_caches(std::vector<std::string>& notes, const DriveSetup& setup) {
  if (setup.drive.cache.look_ahead || setup.drive.cache.write) return;
  notes.push_back(
      fmt::format("{}: its caches are off; drives are shipped with cache.look_ahead and cache.write on", setup.name));
}

void add_footprint(std::vector<std::string>& notes, const DriveSetup& setup, const Footprint& footprint,
                   std::uint64_t sectors, bool whole) {
  if (footprint.requests == 0 || footprint.end <= footprint.first || sectors == 0) return;
  const auto part = static_cast<double>(footprint.end - footprint.first) / static_cast<double>(sectors);
  if (part >= kSmallPart) return;
  const double from = static_cast<double>(footprint.first) / static_cast<double>(sectors);
  notes.push_back(fmt::format("{}: the {} lie in {} of the drive: most seeks are short", setup.name,
                              whole ? std::string("requests") : fmt::format("first {} requests", footprint.requests),
                              from < part ? fmt::format("the first {:.2g} %", (from + part) * 100)
                                          : fmt::format("{:.2g} %, from {:.3g} % on,", part * 100, from * 100)));
}

/// How the trace is read, which is often a guess, and whether its rates make sense then.
void add_reading(std::vector<std::string>& notes, const std::string& name, const Footprint& footprint) {
  if (footprint.reading.empty()) return;
  notes.push_back(fmt::format("{}: the trace is read as {}", name, footprint.reading));
  const std::string question = workload::question_of_rate(footprint.requests, footprint.sectors,
                                                          footprint.last_arrival - footprint.first_arrival);
  if (!question.empty()) notes.push_back(fmt::format("{}: {}", name, question));
}

/// What several drives have in common is said once.
std::vector<std::string> merged(const std::vector<std::string>& notes, const Scenario& scenario) {
  std::vector<std::string> result;
  std::vector<std::vector<std::string>> drives;
  for (const std::string& note : notes) {
    const std::size_t colon = note.find(':');
    const std::string what = note.substr(colon);
    const auto same = std::find(result.begin(), result.end(), what);
    if (same == result.end()) {
      result.push_back(what);
      drives.push_back({note.substr(0, colon)});
    } else {
      drives[static_cast<std::size_t>(same - result.begin())].push_back(note.substr(0, colon));
    }
  }
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = (drives[i].size() > 1 && drives[i].size() == scenario.drives.size()
                     ? std::string("all drives")
                     : fmt::format("{}", fmt::join(drives[i], ", "))) +
                result[i];
  return result;
}

}  // namespace

std::vector<std::string> hints(const Scenario& scenario, const Preparation& preparation) {
  std::vector<std::string> notes;
  SpeedsOfFiles speeds;
  for (std::size_t i = 0; i < scenario.drives.size(); ++i) {
    const DriveSetup& setup = scenario.drives[i];
    if (!setup.store) {  // words of a hard disk
      add_skews(notes, setup, preparation.drives.at(i).cylinders, speeds);
      add_channels(notes, setup);
      add_caches(notes, setup);
    }
    const Footprint& footprint = preparation.footprints.at(i);
    add_reading(notes, setup.name, footprint);
    add_footprint(notes, setup, footprint, preparation.sectors.at(i), footprint.requests == preparation.requests.at(i));
  }
  if (scenario.array) add_reading(notes, kArrayName, preparation.footprints.back());
  return merged(notes, scenario);
}

std::vector<std::string> hints(const std::string& name, const observe::Statistics& statistics) {
  const std::uint64_t left = statistics.arrivals() - statistics.completions();
  const auto end = static_cast<double>(statistics.end());
  const auto after = end - static_cast<double>(statistics.last_arrival());
  const bool unserved =
      left > kManyLeft && static_cast<double>(left) > kQueueLeft * static_cast<double>(statistics.arrivals());
  const bool queue_left = statistics.max_depth() > kManyLeft && end > 0 && after > kQueueLeft * end;
  if (!unserved && !queue_left) return {};
  const double arriving = statistics.last_arrival() > 0
                              ? static_cast<double>(statistics.arrivals()) / to_seconds(statistics.last_arrival())
                              : 0;
  return {
      fmt::format("{}: overloaded: {:.1f} requests a second arrived, {:.1f} were served, and the queue grew to {}; "
                  "its response times say how long the run was",
                  name, arriving, statistics.rate(), statistics.max_depth())};
}

}  // namespace armature::app
