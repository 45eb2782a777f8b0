#include "run_results.h"

#include "armature/core/error.h"
#include "energy_results.h"
#include "temperature_results.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace armature::observe {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormatVersion = 1;

constexpr struct {
  const char* name;
  double q;
} kQuantiles[] = {{"p50_ms", 0.5},  {"p90_ms", 0.9},     {"p95_ms", 0.95},
                  {"p99_ms", 0.99}, {"p99_9_ms", 0.999}, {"p99_99_ms", 0.9999}};

struct Definition {
  const char* key;
  const char* unit;
  const char* meaning;
};

constexpr Definition kDefinitions[] = {
    {"simulated_s", "s", "simulated time at the end of the run"},
    {"wall_s", "s", "time that the simulation took, without set-up and without writing results"},
    {"requests_per_wall_s", "1/s", "completed requests of all drives per second of wall time"},
    {"peak_memory_bytes", "byte", "largest resident memory of the process up to the end of the run"},
    {"sectors_compared", "sectors", "sectors read and compared with what had been written (host.verify)"},
    {"mismatches", "sectors", "of these, the ones with data that no admissible write had left"},
    {"array_faults", "",
     "what an array found besides: parts, rows and stretches whose copies or parity do not agree, and sectors that "
     "only "
     "its cache or store had and the members did not take"},
    {"off_s", "s", "when the drive's supply failed (power_cuts)"},
    {"on_s", "s", "when it was back; not there: it stayed away"},
    {"arrived", "requests", "requests that reached the host queue"},
    {"completed", "requests", "requests whose completion frame reached the host, failed ones included"},
    {"failed", "requests", "completed requests that ended with an ATA error, or were given up"},
    {"unfinished", "requests", "requests that had arrived and not completed at the end; in no mean and no quantile"},
    {"dropped", "requests",
     "requests of the input that were left out: outside the drive (out_of_range = \"drop\"), or a command no drive "
     "here "
     "knows"},
    {"end_s", "s",
     "when the drive's last request had completed, or the end of the run if it had more to do: rates, shares, energy, "
     "counters and mean_depth of the drive are over the time until then"},
    {"requests_per_s", "1/s", "completed requests divided by end_s; under common_window by its length_s"},
    {"megabytes_per_s", "10^6 byte/s",
     "data of the requests that did not fail, divided by end_s; under common_window by its length_s"},
    {"count", "requests", "completed requests of this kind, failed ones included"},
    {"mean_ms", "ms", "mean of the response time: completion at the host minus arrival at the host queue"},
    {"standard_deviation_ms", "ms",
     "square root of the variance of the response time, over all requests (divided by n)"},
    {"variance_ms2", "ms^2", "variance of the response time, over all requests (divided by n)"},
    {"min_ms", "ms", "shortest response time"},
    {"max_ms", "ms", "longest response time"},
    {"p50_ms", "ms", "median response time: of n requests in order of response time, number ceil(0.5 n)"},
    {"p90_ms", "ms", "the same at 0.9"},
    {"p95_ms", "ms", "the same at 0.95"},
    {"p99_ms", "ms", "the same at 0.99"},
    {"p99_9_ms", "ms", "the same at 0.999"},
    {"p99_99_ms", "ms", "the same at 0.9999"},
    {"quantiles_exact", "", "true: quantiles over all requests; false: over a uniform sample of 10^7 of them"},
    {"phase_means_ms", "ms",
     "mean time in each phase of a request; the phases partition the response time, so they add up to mean_ms"},
    {"link_overlapped_ms", "ms", "mean link time under a mechanical phase, therefore in no phase"},
    {"mean_positioning_ms", "ms", "mean time from the grant to the first sector, of requests with a media access"},
    {"mean_prediction_error_ms", "ms", "mean of realised minus predicted positioning time"},
    {"mean_seek_cylinders", "cylinders", "mean distance of the move to a request's first access, zeros included"},
    {"moved", "requests", "requests whose first access moved the arm"},
    {"missed_revolutions", "revolutions",
     "whole turns lost because something came late after the sector could have been reached"},
    {"missed_by_cause", "revolutions", "missed revolutions by their cause"},
    {"mean_depth", "requests",
     "time average of the number of requests between arrival and completion (Little's law: arrival rate times mean "
     "time in the system)"},
    {"max_depth", "requests", "most requests between arrival and completion at a time"},
    {"medium", "requests",
     "completed without an error after an access to the medium for them; of an array with a cache or a store in front "
     "of its members, after an access to a member"},
    {"buffer", "requests",
     "completed without an error and without one: read hits, writes that the cache took; of such an array, what its "
     "cache or store served alone"},
    {"buffer_fill", "requests", "the same, but waited for data that another request or read-ahead was just bringing"},
    {"write_back", "requests", "the same, but waited until written data had gone to the medium"},
    {"hit_share", "", "buffer and buffer_fill, divided by all four"},
    {"by_zone", "", "true: by zone of the disk; false: by bands of cylinders of equal width"},
    {"first_cylinder", "", "of a zone or band"},
    {"last_cylinder", "", "of a zone or band"},
    {"reads", "accesses", "under heat: media accesses of reads there; one a track or buffer segment"},
    {"writes", "accesses", "under heat: the same of writes"},
    {"positioning_s", "s", "time of moves to there, head switches and settling, for requests"},
    {"rotation_s", "s", "time the head waited there for the first sector of an access"},
    {"transfer_s", "s", "time the sectors of accesses took to pass"},
    {"dash", "",
     "disk stacks, arm assemblies of each, surfaces that one accesses at once, heads of an arm on a surface; of drives "
     "where not all are 1"},
    {"data_paths", "",
     "product of these four: places at which data can be read or written at once, had each a channel"},
    {"arm", "",
     "number of an arm, by stack, assembly, independent part of it; under arms, of drives with more than one"},
    {"requests", "requests", "under arms: requests whose first access was this arm's"},
    {"seek_s", "s", "time of this arm's moves, head switches and settling for requests, repeated ones included"},
    {"wait_s", "s", "time it waited for their sectors"},
    {"busy_s", "s", "seek_s, wait_s and the transfer together; without the drive's own work"},
    {"utilisation", "", "under arms: busy_s divided by end_s"},
    {"mean_wait_ms", "ms", "wait_s divided by the requests"},
    {"failed_at_s", "s", "under arms: when the arm's actuator failed, if it did"},
    {"head_failures", "", "under arms: rows of arms.head_failures that came, if some did"},
    {"compared", "requests", "requests without an error for which the trace has the real drive's response time"},
    {"mean_measured_ms", "ms", "mean of the real drive's response time over them"},
    {"mean_simulated_ms", "ms", "mean of the simulated one over the same requests"},
    {"mean_error_ms", "ms", "simulated minus measured, mean over them"},
    {"mean_absolute_error_ms", "ms", "absolute difference of the two, mean over them"},
    {"rms_distance_ms", "ms",
     "root mean square horizontal distance between the two cumulative distributions at 10,000 quantiles (DiskSim's "
     "metric); quantiles from buckets of 0.3 %"},
    {"time_s", "s",
     "simulated time in this state; under modes: the drive's, divided equally among the modes of the arms at work"},
    {"share", "", "time in this state divided by the drive's end_s"},
};

/// Of runs with several drives.
constexpr Definition kSharedDefinitions[] = {
    {"common_window", "",
     "of runs with several drives: figures over the time from 0 to the end of the whole run, the same for all of them; "
     "all others of a drive are those that it has alone"},
    {"length_s", "s", "length of the common window"},
};

constexpr Definition kArrayDefinitions[] = {
    {"members", "", "names of an array's drives, spares last; its requests are the host's, theirs are its operations"},
    {"energy", "",
     "of an array: what its drives draw together up to the array's end_s; components are these drives, and time_s of a "
     "mode is the mean of theirs. What they draw afterwards, until each has nothing more to do, is in their own "
     "figures and in common_window"},
};

/// Of runs with a rule for the warm-up.
constexpr Definition kSteadyDefinitions[] = {
    {"steady_state", "", "figures of the requests that the rule for the warm-up (output.warm_up) leaves"},
    {"left_out", "requests", "under steady_state: completed requests of the warm-up"},
    {"from_s", "s", "under steady_state: arrival of the first request that counts; rates are from there to end_s"},
    {"settled", "",
     "under steady_state: false if MSER-5's least value is at the border of what it may leave out: the run is too "
     "short "
     "or its queue grows"},
};

/// Of runs in which a drive's energy is counted.
constexpr Definition kEnergyDefinitions[] = {
    {"energy_j", "J", "under energy: drawn in the run, by the drive or the part of it that is named"},
    {"average_w", "W",
     "energy_j divided by end_s, of an array by the array's; under common_window divided by its length_s"},
    {"peak_w", "W", "greatest power at any time"},
    {"peak_at_s", "s", "when it was drawn first"},
    {"energy_per_request_j", "J", "energy_j divided by the completed requests"},
    {"energy_delay_js", "J s", "energy_per_request_j times the mean response time"},
    {"window_s", "s", "length of a rolling average (output.power_windows_ms)"},
    {"most_w", "W", "greatest average power over any window of that length within the run"},
    {"ends_s", "s", "end of the first such window"},
    {"covers_s", "s", "its length: that of the run if this is shorter"},
    {"by_rail_j", "J", "of a component, by the rail it draws from"},
    {"by_mode_j", "J",
     "of a component, by operating mode; what is common is divided equally among the arms at work "
     "(docs/guide/energy.md)"},
};

/// Of runs of drives with temperatures.
constexpr Definition kThermalDefinitions[] = {
    {"thermal", "", "temperatures of the drive's parts (docs/guide/thermal.md)"},
    {"ambient_c", "C", "of the air around the case"},
    {"limit_c", "C", "greatest temperature of the case that the datasheet allows"},
    {"headroom_c", "C",
     "of the allowed rise above the air, what the case in the steady state leaves; negative: too warm"},
    {"above_limit_s", "s", "how long the case was warmer"},
    {"time_constant_s", "s", "the slowest of the drive: after five of them a change of power has had its effect"},
    {"end_c", "C", "of a part at end_s"},
    {"most_c", "C", "of a part, the greatest in the run"},
    {"steady_c", "C", "of a part, where it ends if the run's mean power goes on for ever"},
};

/// Of runs in which jobs of the host's programs are known.
constexpr Definition kJobDefinitions[] = {
    {"jobs", "", "the jobs of the host's programs, as in jobs.csv; the last, without a name, is nobody's"},
    {"job", "", "name of a job"},
    {"begin_s", "s", "under jobs: first arrival; rates are from there to end_s, its last completion"},
    {"adapter_us", "us", "under jobs: mean time of the adapter in a request"},
    {"by_component_j", "J", "under jobs: its share of what each component drew"},
};

double ms(double ps) {
  return ps * 1e-9;
}
double ms(Ps ps) {
  return to_ms(ps);
}

template <class Quantile>
Json response(const Statistics::Figures& figures, const Quantile& quantile) {
  Json json;
  json["count"] = figures.count;
  json["failed"] = figures.failed;
  if (figures.count == 0) return json;
  json["mean_ms"] = ms(figures.mean);
  json["standard_deviation_ms"] = ms(std::sqrt(figures.variance));
  json["variance_ms2"] = figures.variance * 1e-18;
  json["min_ms"] = ms(figures.min);
  for (const auto& [name, q] : kQuantiles) json[name] = ms(quantile(q));
  json["max_ms"] = ms(figures.max);
  Json& phases = json["phase_means_ms"];
  for (std::size_t i = 0; i < kPhases; ++i) phases[std::string(kPhaseNames[i])] = ms(figures.phase_means[i]);
  json["link_overlapped_ms"] = ms(figures.link_overlapped_mean);
  return json;
}

Json service(const ServiceHistory::Counts& counts) {
  Json json;
  std::uint64_t sum = 0, hits = 0;
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    json[std::string(kServedByNames[kind])] = counts[kind];
    sum += counts[kind];
    if (is_hit(static_cast<ServedBy>(kind))) hits += counts[kind];
  }
  if (sum > 0) json["hit_share"] = static_cast<double>(hits) / static_cast<double>(sum);
  return json;
}

Json heat(const MediaHeat& heat) {
  Json json;
  json["by_zone"] = heat.by_zone();
  Json& bands = json["bands"] = Json::array();
  for (const MediaHeat::Band& band : heat.bands()) {
    bands.push_back({{"first_cylinder", band.first_cylinder},
                     {"last_cylinder", band.last_cylinder},
                     {"reads", band.reads},
                     {"writes", band.writes},
                     {"positioning_s", to_seconds(band.positioning)},
                     {"rotation_s", to_seconds(band.rotation)},
                     {"transfer_s", to_seconds(band.transfer)}});
  }
  return json;
}

Json measured(const MeasuredComparison& comparison) {
  Json json;
  json["compared"] = comparison.count();
  if (comparison.count() == 0) return json;
  json["mean_measured_ms"] = ms(comparison.mean_measured());
  json["mean_simulated_ms"] = ms(comparison.mean_simulated());
  json["mean_error_ms"] = ms(comparison.mean_error());
  json["mean_absolute_error_ms"] = ms(comparison.mean_absolute_error());
  json["rms_distance_ms"] = ms(comparison.rms_distance());
  return json;
}

Json arms(const ArmUse& use, const std::vector<ArmDescription>& places, Ps end) {
  Json json = Json::array();
  for (std::size_t i = 0; i < use.arms().size(); ++i) {
    const ArmUse::Use& arm = use.arms()[i];
    Json entry;
    entry["arm"] = i;
    entry["requests"] = arm.requests;
    entry["seek_s"] = to_seconds(arm.seek);
    entry["wait_s"] = to_seconds(arm.wait);
    entry["transfer_s"] = to_seconds(arm.transfer);
    entry["busy_s"] = to_seconds(arm.busy());
    entry["utilisation"] = end > 0 ? to_seconds(arm.busy()) / to_seconds(end) : 0;
    entry["mean_wait_ms"] = arm.requests > 0 ? to_ms(arm.wait) / static_cast<double>(arm.requests) : 0;
    entry["mean_seek_cylinders"] =
        arm.requests > 0 ? static_cast<double>(arm.seek_cylinders) / static_cast<double>(arm.requests) : 0;
    if (i < places.size()) {
      const ArmDescription& place = places[i];
      if (place.fails != kNoTime && place.fails < end) entry["failed_at_s"] = to_seconds(place.fails);
      const auto failed =
          std::count_if(place.heads_fail.begin(), place.heads_fail.end(), [end](Ps at) { return at < end; });
      if (failed > 0) entry["head_failures"] = failed;
    }
    json.push_back(std::move(entry));
  }
  return json;
}

Json steady_figures(const SteadyState::Figures& figures) {
  Json json;
  json["count"] = figures.count;
  if (figures.count == 0) return json;
  json["mean_ms"] = ms(figures.mean);
  json["standard_deviation_ms"] = ms(figures.deviation);
  static_assert(std::size(kQuantiles) == SteadyState::kQuantiles.size());
  for (std::size_t i = 0; i < figures.quantiles.size(); ++i) json[kQuantiles[i].name] = ms(figures.quantiles[i]);
  json["max_ms"] = ms(figures.max);
  return json;
}

Json steady_state(const SteadyState& steady) {
  constexpr std::array<const char*, 4> kRules = {"none", "mser5", "requests", "time"};
  Json json;
  json["rule"] = kRules.at(static_cast<std::size_t>(steady.rule().kind));
  json["left_out"] = steady.left_out();
  json["from_s"] = to_seconds(steady.from());
  json["settled"] = steady.settled();
  json["requests_per_s"] = steady.rate();
  json["megabytes_per_s"] = steady.byte_rate() * 1e-6;
  json["all"] = steady_figures(steady.all());
  json["read"] = steady_figures(steady.of(Operation::read));
  json["write"] = steady_figures(steady.of(Operation::write));
  return json;
}

Json power_cuts(const std::vector<SupplyLoss>& losses) {
  Json cuts = Json::array();
  for (const SupplyLoss& loss : losses) {
    Json& one = cuts.emplace_back();
    one["off_s"] = to_seconds(loss.off);
    if (loss.on >= 0) one["on_s"] = to_seconds(loss.on);
  }
  return cuts;
}

Json jobs(const JobAccount& account) {
  const std::vector<std::string> components = account.components();
  Json json = Json::array();
  for (const JobFigures& job : account.jobs()) {
    Json one = {{"job", job.name},
                {"requests", job.requests},
                {"begin_s", to_seconds(job.begin)},
                {"end_s", to_seconds(job.end)},
                {"mean_ms", ms(job.mean_response)},
                {"p99_ms", to_ms(job.p99_response)},
                {"adapter_us", job.mean_adapter * 1e-6}};
    if (!components.empty()) one["energy_j"] = job.energy_j;
    for (std::size_t i = 0; i < components.size(); ++i) one["by_component_j"][components[i]] = job.component_j[i];
    json.push_back(one);
  }
  return json;
}

Json counted(const std::vector<Counter>& counters) {
  Json json = Json::object();
  for (const Counter& counter : counters) {
    if (!counter.text.empty())
      json[counter.name] = counter.text;
    else if (counter.value == std::floor(counter.value))
      json[counter.name] = static_cast<std::int64_t>(counter.value);
    else
      json[counter.name] = counter.value;
  }
  return json;
}

Json drive(const DriveResults& results) {
  const Statistics& statistics = results.statistics;
  const Statistics::Figures all = statistics.all();
  Json json;
  json["name"] = results.description.name;
  json["title"] = results.description.title;
  if (results.description.sled) json["medium"] = "sled";
  if (!results.description.members.empty()) json["members"] = results.description.members;
  json["arrived"] = statistics.arrivals();
  json["completed"] = statistics.completions();
  json["failed"] = all.failed;
  json["unfinished"] = results.unfinished;
  json["dropped"] = results.dropped;
  json["end_s"] = to_seconds(statistics.end());
  json["requests_per_s"] = statistics.rate();
  json["megabytes_per_s"] = statistics.byte_rate() * 1e-6;
  Json& times = json["response"];
  const ResponseSamples& samples = statistics.responses();
  times["quantiles_exact"] = samples.exact();
  times["all"] = response(all, [&samples](double q) { return samples.quantile(q); });
  for (const auto& [name, operation] :
       {std::pair{"read", Operation::read}, {"write", Operation::write}, {"flush", Operation::flush}}) {
    const Operation op = operation;
    times[name] = response(statistics.of(op), [&samples, op](double q) { return samples.quantile(op, q); });
  }
  if (results.steady) json["steady_state"] = steady_state(*results.steady);
  Json& positioning = json["positioning"];
  positioning["mean_positioning_ms"] = ms(statistics.mean_positioning());
  positioning["mean_prediction_error_ms"] = ms(statistics.mean_prediction_error());
  positioning["mean_seek_cylinders"] = statistics.mean_seek_cylinders();
  positioning["moved"] = statistics.seeks();
  positioning["missed_revolutions"] = statistics.missed_revolutions();
  Json& causes = positioning["missed_by_cause"];
  for (std::size_t i = 1; i < kMissCauseNames.size(); ++i) {
    causes[std::string(kMissCauseNames[i])] = statistics.missed_by(static_cast<MissCause>(i));
  }
  json["queue"]["mean_depth"] = statistics.mean_depth();
  json["queue"]["max_depth"] = statistics.max_depth();
  if (results.counters) json["counters"] = counted(*results.counters);
  if (results.supply && !results.supply->empty()) json["power_cuts"] = power_cuts(*results.supply);
  if (results.description.arms > 1 || results.description.data_paths > 1) {
    json["dash"] = results.description.dash;
    json["data_paths"] = results.description.data_paths;
  }
  if (results.description.arms > 1) json["arms"] = arms(results.use, results.description.arm_places, statistics.end());
  if (results.energy) json["energy"] = energy_summary(*results.energy, statistics.completions(), all.mean * 1e-12);
  if (results.temperatures) json["thermal"] = temperature_summary(*results.temperatures);
  if (results.jobs) json["jobs"] = jobs(*results.jobs);
  json["service"]["read"] = service(results.service.total().reads);
  json["service"]["write"] = service(results.service.total().writes);
  json["heat"] = heat(results.heat);
  json["measured"] = measured(results.measured);
  return json;
}

/// What a drive did, and what it drew then and afterwards, over the time of the whole run.
Json common_window(const DriveResults& results, Ps length) {
  const Statistics& statistics = results.statistics;
  const double share = length > 0 ? static_cast<double>(statistics.end()) / static_cast<double>(length) : 0;
  Json json;
  json["length_s"] = to_seconds(length);
  json["requests_per_s"] = statistics.rate() * share;
  json["megabytes_per_s"] = statistics.byte_rate() * 1e-6 * share;
  if (results.energy) {
    json["energy_j"] = results.energy_of_run_j;
    json["average_w"] = length > 0 ? results.energy_of_run_j / to_seconds(length) : 0;
  }
  return json;
}

Json utilisation(const StateTimes& states) {
  Json list = Json::array();
  for (const auto& component : states.components()) {
    Json entry;
    entry["component"] = component.info.path;
    Ps all = 0;  // the time that its drive was looked at
    for (const Ps time : component.times) all += time;
    for (std::size_t i = 0; i < component.times.size(); ++i) {
      Json& state = entry["states"][component.info.states[i]];
      state["time_s"] = to_seconds(component.times[i]);
      state["share"] = all > 0 ? static_cast<double>(component.times[i]) / static_cast<double>(all) : 0;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace

nlohmann::ordered_json summary(const RunResults& results) {
  Json json;
  json["format"] = "armature summary";
  json["format_version"] = kFormatVersion;
  json["program_version"] = results.options.program_version;
  json["scenario"] = results.options.scenario;
  json["complete"] = results.end.complete;
  json["reason"] = results.end.complete ? Json() : Json(results.end.reason);
  json["labels"] = results.options.labels;
  std::uint64_t completed = 0;
  for (const DriveResults& drive : results.drives)
    if (drive.description.members.empty()) completed += drive.statistics.completions();
  json["run"]["simulated_s"] = to_seconds(results.end.end);
  json["run"]["wall_s"] = results.end.wall_seconds;
  json["run"]["completed"] = completed;
  json["run"]["requests_per_wall_s"] =
      results.end.wall_seconds > 0 ? static_cast<double>(completed) / results.end.wall_seconds : 0;
  json["run"]["peak_memory_bytes"] = results.peak_memory_bytes;
  if (results.end.verification) {
    Json& verify = json["verify"];
    verify["sectors_compared"] = results.end.verification->sectors_compared;
    verify["mismatches"] = results.end.verification->mismatches;
    verify["array_faults"] = results.end.verification->array_faults;
    verify["first_mismatches"] = results.end.verification->descriptions;
  }
  json["drives"] = Json::array();
  for (const DriveResults& each : results.drives) {
    json["drives"].push_back(drive(each));
    if (results.drives.size() > 1) json["drives"].back()["common_window"] = common_window(each, results.end.end);
  }
  json["utilisation"] = utilisation(results.states);
  const auto define = [&json](const Definition& definition) {
    json["definitions"][definition.key] = {{"unit", definition.unit}, {"meaning", definition.meaning}};
  };
  for (const Definition& definition : kDefinitions) define(definition);
  if (results.drives.size() > 1)
    for (const Definition& definition : kSharedDefinitions) define(definition);
  const auto has_members = [](const DriveResults& each) { return !each.description.members.empty(); };
  if (std::any_of(results.drives.begin(), results.drives.end(), has_members))
    for (const Definition& definition : kArrayDefinitions) define(definition);
  if (results.options.warm_up.kind != WarmUpRule::none)
    for (const Definition& definition : kSteadyDefinitions) define(definition);
  if (std::any_of(results.drives.begin(), results.drives.end(), [](const DriveResults& each) { return each.energy; }))
    for (const Definition& definition : kEnergyDefinitions) define(definition);
  const auto has_temperatures = [](const DriveResults& each) { return each.temperatures != nullptr; };
  if (std::any_of(results.drives.begin(), results.drives.end(), has_temperatures))
    for (const Definition& definition : kThermalDefinitions) define(definition);
  if (std::any_of(results.drives.begin(), results.drives.end(), [](const DriveResults& each) { return each.jobs; }))
    for (const Definition& definition : kJobDefinitions) define(definition);
  for (const std::vector<Counter>& drive : results.end.counters)
    for (const Counter& counter : drive)
      json["definitions"][counter.name] = {{"unit", counter.unit}, {"meaning", counter.meaning}};
  return json;
}

/// The configuration is text already, and with many drives most of the file.
std::string summary_text(const nlohmann::ordered_json& summary, const std::string& configuration) {
  std::string text = summary.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text.resize(text.size() - 2);  // the last brace and its line
  text += ",\n  \"configuration\": ";
  if (configuration.empty()) text += "null";
  for (const char c : configuration) {
    text += c;
    if (c == '\n') text += "  ";
  }
  return text + "\n}\n";
}

}  // namespace armature::observe
