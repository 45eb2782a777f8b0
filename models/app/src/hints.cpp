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
  if (made_for >= now) return;
  const actuator::SeekProfile profile(setup.drive.seek, cylinders);
  const double cylinder_ms = static_cast<double>(profile.seek(0, 1)) / kPsPerMs;
  const double handlers_ms =
      static_cast<double>(setup.drive.firmware.positioning_cycles()) / (setup.drive.controller.cpu_mhz * 1000);
  // A switch that had its time at the file's speed, and has it no more with what the processor needs to go on.
  const auto missed = [&](Skew skew, double needed_ms) {
    return least_skew_ms(geometry, skew, made_for) >= needed_ms &&
           least_skew_ms(geometry, skew, now) < needed_ms + handlers_ms;
  };
  struct Late {
    bool head, cylinder;
    bool any() const { return head || cylinder; }
  };
  const auto late = [&](double settle_ms) {
    return Late{
        geometry.heads > 1 && missed(&media::ZoneParams::track_skew, setup.drive.seek.head_switch_ms + settle_ms),
        cylinders > 1 && missed(&media::ZoneParams::cylinder_skew, cylinder_ms + settle_ms)};
  };
  const Late reading = late(0), writing = late(setup.drive.seek.write_settle_ms);
  if (!reading.any() && !writing.any()) return;
  const Late& shown = reading.any() ? reading : writing;
  notes.push_back(fmt::format(
      "{}: the skews of its layout were made for {:g} rpm. At {:g} rpm a {} switch{} takes longer than its skew, and "
      "costs a sequential {} a revolution; geometry.skew_scale = {:.3g} gives it the time that it had",
      setup.name, made_for, now,
      shown.head && shown.cylinder ? "head or cylinder"
      : shown.head                 ? "head"
                                   : "cylinder",
      reading.any() ? "" : " with its settling for a write", reading.any() ? "transfer" : "write", now / made_for));
}

/// The longest that a rebuild may take without a note, s.
constexpr double kLongRebuild = 7 * 86'400.0;

/// "23 days", "5.1 days".
std::string days(double seconds) {
  const double days = seconds / 86'400;
  return fmt::format("{:.{}f} days", days, days < 10 ? 1 : 0);
}

/// A unit of a rebuild is read from the members and then written to the spare, which has turned past its place
/// meanwhile. Where requests have moved the members' arms since the last unit, it costs a seek, half a revolution, then
/// a whole one of the spare, and twice the time of its data.
void add_rebuild(std::vector<std::string>& notes, const Scenario& scenario, const Preparation& preparation) {
  if (!preparation.array || preparation.array->spares.empty() || scenario.array->failures.empty()) return;
  const array::ArrayParams& params = *scenario.array;
  if (!preparation.array->layout->redundant()) return;
  const DriveSetup& spare = scenario.drives[preparation.array->spares.front()];
  if (spare.store) return;
  const auto sectors = static_cast<double>(preparation.array->layout->used_sectors());
  const double turn_s = 60 / spare.drive.spindle.rpm;
  const actuator::SeekProfile profile(spare.drive.seek,
                                      preparation.drives[preparation.array->spares.front()].cylinders);
  const double positioning_s = profile.mean_over_cylinders_ms() / 1000 + 1.5 * turn_s;
  double track = 0;  // sectors, mean of the zones
  for (const media::ZoneParams& zone : spare.drive.layout().zones) track += static_cast<double>(zone.sectors_per_track);
  track /= static_cast<double>(spare.drive.layout().zones.size());
  const auto seconds = [&](double unit_sectors) {
    const double unit_s = positioning_s + 2 * turn_s * unit_sectors / track;
    const double limit_s = params.rebuild_mb_s > 0 ? unit_sectors * 512 / (params.rebuild_mb_s * 1e6) : 0;
    return sectors / unit_sectors * std::max(unit_s, limit_s);
  };
  const double unit = params.rebuild_sectors(), now_s = seconds(unit);
  if (now_s < kLongRebuild) return;
  constexpr double kLargest = 32'768 * 2;  // of array.rebuild_unit
  const double at_best_s = seconds(kLargest);
  const std::string better = at_best_s < 0.8 * now_s
                                 ? fmt::format("array.rebuild_unit = \"32 MiB\" makes it {}", days(at_best_s))
                                 : "array.rebuild_mb_s is the limit";
  notes.push_back(fmt::format(
      "{}: the rebuild of a member of {:.1f} TB in units of {:g} KiB takes about {} where requests move the "
      "arms between two units; {}",
      kArrayName, sectors * 512 / 1e12, unit / 2, days(now_s), better));
}

void add_channels(std::vector<std::string>& notes, const DriveSetup& setup) {
  const unsigned arms = setup.drive.arms.arms(), channels = setup.drive.arms.channel_count();
  if (channels >= arms) return;
  notes.push_back(fmt::format("{}: {} arms share {} channel{}: only {} at a time", setup.name, arms, channels,
                              channels == 1 ? "" : "s",
                              channels == 1 ? "one transfers" : fmt::format("{} transfer", channels)));
}

/// Keys that are in order and do not do what they are for.
void add_idle_keys(std::vector<std::string>& notes, const Scenario& scenario, const DriveSetup& setup) {
  const drive::DriveParams& drive = setup.drive;
  if (setup.host.background_outstanding > 0 && drive.background.max_added_us <= 0)
    notes.push_back(setup.name +
                    ": serves the host's background reads like its requests, since background.max_added_us is 0");
  if (drive.governor.objective == drive::GovernorParams::share && scenario.array && scenario.array->power.cap_w <= 0)
    notes.push_back(setup.name + ": its governor saves nothing, since array.power.cap_w is 0");
  if (drive.throttle.at_c > 0 && drive.throttle.at_c - drive.throttle.hysteresis_c <= setup.thermal.ambient_c)
    notes.push_back(fmt::format(
        "{}: never leaves throttling: throttle.at_c less hysteresis_c, {:g} C, is not above thermal.ambient_c, {:g} C",
        setup.name, drive.throttle.at_c - drive.throttle.hysteresis_c, setup.thermal.ambient_c));
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

/// Prints once what several drives have in common.
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
    add_idle_keys(notes, scenario, setup);
    const Footprint& footprint = preparation.footprints.at(i);
    add_reading(notes, setup.name, footprint);
    add_footprint(notes, setup, footprint, preparation.sectors.at(i), footprint.requests == preparation.requests.at(i));
  }
  if (scenario.array) add_reading(notes, kArrayName, preparation.footprints.back());
  add_rebuild(notes, scenario, preparation);
  std::vector<std::string> all;
  for (const DriveSetup& setup : scenario.drives)
    for (const std::string& text : setup.old_forms)
      if (std::find(all.begin(), all.end(), text) == all.end()) all.push_back(text);
  const std::vector<std::string> rest = merged(notes, scenario);
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
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
