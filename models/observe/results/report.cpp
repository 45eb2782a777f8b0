#include "armature/observe/markup.h"
#include "embedded.h"
#include "energy_results.h"
#include "json_text.h"
#include "run_results.h"
#include "temperature_results.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <set>

namespace armature::observe {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kSlowestShown = 25;
constexpr std::size_t kSpikesShown = 40;   // of intervals of the run, besides
constexpr std::size_t kMomentsShown = 60;  // of a slow request's timeline
constexpr std::size_t kFaultsShown = 400;
constexpr std::size_t kTouchedShown = 100;  // requests of a fault

/// Seven significant digits are more than a screen shows.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const double size = std::fabs(value);
  // Of sizes that times and counts have, the power of ten is looked up: a report has some ten thousand numbers a drive.
  static constexpr std::array<double, 8> kPowers = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};
  if (1 <= size && size < kPowers.back()) {
    std::size_t digits = 1;  // before the point
    while (size >= kPowers[digits]) ++digits;
    return std::round(value * kPowers[7 - digits]) / kPowers[7 - digits];
  }
  const double scale = std::pow(10.0, 6 - std::floor(std::log10(size)));
  return std::round(value * scale) / scale;
}
double ms(double ps) {
  return rounded(ps * 1e-9);
}
double ms(Ps ps) {
  return ms(static_cast<double>(ps));
}

/// Fractions at which a distribution is drawn: even steps, then ever finer towards 1.
std::vector<double> fractions() {
  std::vector<double> list;
  for (int i = 0; i < 198; ++i) list.push_back(i / 200.0);
  for (int i = 0; i <= 80; ++i) list.push_back(1 - 0.01 * std::pow(10.0, -i / 20.0));
  list.push_back(1);
  return list;
}

Json distribution(const ResponseSamples& samples, Operation operation) {
  Json points = Json::array();
  if (samples.size(operation) == 0) return points;
  Ps last = -1;
  for (const double fraction : fractions()) {
    const Ps response = samples.quantile(operation, fraction);
    if (response == last) points.erase(points.size() - 1);  // of equal times the highest fraction
    points.push_back({ms(response), rounded(fraction)});
    last = response;
  }
  return points;
}

/// An empty object with room for so many keys. Without the room each key that is too many copies all values before it.
Json object(std::size_t keys) {
  Json json = Json::object();
  json.get_ref<Json::object_t&>().reserve(keys);
  return json;
}

template <class Phases>
Json breakdown_row(const std::string& label, const Phases& phases) {
  Json parts = Json::array();
  for (const double part : phases) parts.push_back(ms(part));
  return {{"label", label}, {"parts", parts}};
}

Json breakdown(const Statistics& statistics) {
  Json rows = Json::array();
  rows.push_back(breakdown_row("all requests", statistics.all().phase_means));
  for (const auto& [label, operation] : {std::pair{"reads", Operation::read}, {"writes", Operation::write}}) {
    const auto figures = statistics.of(operation);
    if (figures.count > 0) rows.push_back(breakdown_row(label, figures.phase_means));
  }
  const BreakdownByResponse& bands = statistics.breakdown();
  rows.push_back(breakdown_row("fastest half", bands.mean(0, 0.5)));
  rows.push_back(breakdown_row("50 to 90 %", bands.mean(0.5, 0.9)));
  rows.push_back(breakdown_row("90 to 99 %", bands.mean(0.9, 0.99)));
  rows.push_back(breakdown_row("slowest 1 %", bands.mean(0.99, 1)));
  return rows;
}

/// Where the arms of the run's first accesses were: for each arm its way, ms and cylinder.
void arm_paths(JsonText& json, const std::vector<ArmHistory::Stop>& opening, std::uint32_t last_cylinder) {
  json.key("paths");
  json.begin_array();
  std::uint32_t paths = 0;
  for (const ArmHistory::Stop& stop : opening) {  // by arm
    const MediaAccess& access = stop.timing.access;
    for (; paths <= access.arm; ++paths) {
      if (paths > 0) json.end_array();
      json.begin_array();
    }
    // One of several heads on a surface may have hung over the edge.
    json.row(ms(stop.timing.move_at), std::min(access.from_cylinder, last_cylinder));
    json.row(ms(stop.timing.ready_at), access.cylinder);
    json.row(ms(access.done_at), access.cylinder);
  }
  if (paths > 0) json.end_array();
  json.end_array();
}

void arm_positions(JsonText& json, const DriveResults& drive) {
  const std::vector<ArmHistory::Stop> opening = drive.arms.opening();
  json.begin_object();
  json.member("cylinders", drive.description.cylinders);
  arm_paths(json, opening, drive.description.cylinders - 1);  // no last one, if the number is unknown
  json.key("requests");
  json.begin_array();
  for (const ArmHistory::Stop& stop : opening)
    json.row(ms(stop.timing.access.first_sector_at), stop.timing.access.cylinder, static_cast<int>(stop.operation),
             stop.id);
  json.end_array();
  json.key("sample");
  json.begin_array();
  for (const ArmHistory::Point& point : drive.arms.sample())
    json.row(rounded(to_seconds(point.at)), point.cylinder, static_cast<int>(point.operation), point.arm);
  json.end_array();
  json.member("sampled_from", drive.arms.seen());
  json.end_object();
}

void depth(JsonText& json, const DepthHistory& history, Ps end) {
  json.begin_object();
  json.member("interval_s", to_seconds(history.interval()));
  json.key("rows");
  json.begin_array();
  Ps begin = 0;
  for (const DepthHistory::Interval& interval : history.intervals()) {
    const Ps length = std::min(history.interval(), end - begin);
    if (length <= 0) break;
    json.row(rounded(to_seconds(begin + length / 2)), interval.min,
             rounded(interval.area / static_cast<double>(length)), interval.max);
    begin += history.interval();
  }
  json.end_array();
  json.end_object();
}

Json service(const ServiceHistory& history) {
  Json rows = Json::array();
  Ps begin = 0;
  for (const ServiceHistory::Interval& interval : history.intervals()) {
    rows.push_back({rounded(to_seconds(begin + history.interval() / 2)), interval.reads, interval.writes});
    begin += history.interval();
  }
  Json kinds = Json::array(), hits = Json::array();
  for (std::size_t kind = 0; kind < kServedByNames.size(); ++kind) {
    kinds.push_back(kServedByNames[kind]);
    hits.push_back(is_hit(static_cast<ServedBy>(kind)));
  }
  return {{"kinds", std::move(kinds)},
          {"hits", std::move(hits)},
          {"interval_s", to_seconds(history.interval())},
          {"reads", history.total().reads},
          {"writes", history.total().writes},
          {"rows", std::move(rows)}};
}

Json heat(const MediaHeat& heat) {
  Json rows = Json::array();
  for (const MediaHeat::Band& band : heat.bands()) {
    rows.push_back({band.first_cylinder, band.last_cylinder, band.sectors_per_track, band.reads, band.writes,
                    rounded(to_seconds(band.positioning)), rounded(to_seconds(band.rotation)),
                    rounded(to_seconds(band.transfer))});
  }
  return {{"by_zone", heat.by_zone()}, {"rows", std::move(rows)}};
}

/// Distributions of the measured and the simulated times, at equal fractions: ms, ms, fraction.
Json measured(const MeasuredComparison& comparison) {
  Json points = Json::array();
  if (comparison.count() == 0) return points;
  for (const double fraction : fractions())
    points.push_back({ms(comparison.measured().quantile(fraction)), ms(comparison.simulated().quantile(fraction)),
                      rounded(fraction)});
  return points;
}

/// Completed requests, bytes, mean and longest response time (ms) and the request that had it, of each interval; shares
/// of requests by what they met.
Json load(const LoadHistory& history, const DriveDescription& drive) {
  Json rows = Json::array();
  Ps begin = 0;
  for (const LoadHistory::Interval& interval : history.intervals()) {
    const double mean = interval.requests > 0 ? interval.response / static_cast<double>(interval.requests) : 0;
    rows.push_back({rounded(to_seconds(begin + history.interval() / 2)), interval.requests, interval.bytes, ms(mean),
                    ms(interval.longest), interval.longest_id});
    begin += history.interval();
  }
  Json json = object(7);
  json["interval_s"] = to_seconds(history.interval());
  json["rows"] = std::move(rows);
  json["seeks"] = history.seeks();
  json["seek_bin"] = drive.cylinders / double{LoadHistory::kBins};
  json["waits"] = history.waits();
  json["wait_bin_ms"] = to_ms(drive.revolution) / LoadHistory::kBins;
  json["depths"] = history.depths();
  return json;
}

void life(JsonText& json, const KeptRequests::Kept& kept) {
  const RequestRecord& record = kept.record;
  json.begin_object();
  json.member("id", record.id);
  json.member("op", record.operation == Operation::read    ? "read"
                    : record.operation == Operation::write ? "write"
                                                           : "flush");
  json.member("lbn", record.lbn);
  json.member("sectors", record.sectors);
  json.member("arrival_s", rounded(to_seconds(record.arrival)));
  json.member("response_ms", ms(record.response()));
  json.key("parts");
  json.begin_array();
  for (const Ps part : record.phases) json.value(ms(part));
  json.end_array();
  json.member("missed", record.missed_revolutions);
  json.member("cause", miss_causes_of(record));
  json.member("status", status_of(record));
  json.member("from_s", to_seconds(record.arrival));
  json.member("to_s", to_seconds(record.completion));
  json.key("moments");  // phase, begin and end after the arrival in ms, whether the link worked below
  json.begin_array();
  for (std::size_t i = 0; i < std::min(kept.timeline.size(), kMomentsShown); ++i) {
    const Segment& segment = kept.timeline[i];
    json.row(static_cast<int>(segment.phase), to_ms(segment.begin - record.arrival),
             to_ms(segment.end - record.arrival), segment.link_below);
  }
  json.end_array();
  json.member("all_moments", kept.timeline.size());
  json.end_object();
}

void slowest(JsonText& json, const std::vector<const KeptRequests::Kept*>& slowest) {
  json.begin_array();
  for (std::size_t i = 0; i < std::min(slowest.size(), kSlowestShown); ++i) life(json, *slowest[i]);
  json.end_array();
}

/// The longest requests of the intervals in which they were longest, as far as their timelines were kept and they are
/// not among the slowest.
void spikes(JsonText& json, const LoadHistory& history, const KeptRequests& kept,
            const std::vector<const KeptRequests::Kept*>& slowest) {
  std::vector<LoadHistory::Interval> intervals = history.intervals();
  std::sort(intervals.begin(), intervals.end(), [](const auto& a, const auto& b) { return a.longest > b.longest; });
  std::set<std::uint64_t> shown;
  for (std::size_t i = 0; i < std::min(slowest.size(), kSlowestShown); ++i) shown.insert(slowest[i]->record.id);
  json.begin_array();
  std::size_t rows = 0;
  const auto by_id = kept.by_id();
  for (const LoadHistory::Interval& interval : intervals) {
    if (rows == kSpikesShown) break;
    const auto found = interval.requests > 0 ? by_id.find(interval.longest_id) : by_id.end();
    if (found == by_id.end() || !shown.insert(interval.longest_id).second) continue;
    life(json, *found->second);
    ++rows;
  }
  json.end_array();
}

/// Number and text, begin and end in seconds (null: it goes on), requests and when each was first touched, and how
/// many.
void faults(JsonText& json, const std::vector<FaultSpan>& spans) {
  json.begin_array();
  for (std::size_t i = 0; i < std::min(spans.size(), kFaultsShown); ++i) {
    const FaultSpan& span = spans[i];
    json.begin_object();
    json.member("number", span.number);
    json.member("what", span.what);
    json.member("begin_s", to_seconds(span.begin));
    if (span.end != kNoTime) json.member("end_s", to_seconds(span.end));
    json.key("touched");
    json.begin_array();
    for (std::size_t k = 0; k < std::min(span.touched.size(), kTouchedShown); ++k)
      json.row(span.touched[k].first, to_seconds(span.touched[k].second));
    json.end_array();
    json.member("all_touched", span.touched.size());
    json.end_object();
  }
  json.end_array();
}

/// What the report calls a drive: its model, and its name in the scenario where several are of one model.
std::string title(const RunResults& results, const DriveResults& drive) {
  const DriveDescription& mine = drive.description;
  if (mine.title.empty()) return mine.name;
  const auto same = std::count_if(results.drives.begin(), results.drives.end(),
                                  [&mine](const DriveResults& other) { return other.description.title == mine.title; });
  return same > 1 ? mine.name + ": " + mine.title : mine.title;
}

/// Local time, "2026-05-17 14:03".
std::string present() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &local)};
}

/// A drive's charts.
void charts(JsonText& json, const RunResults& results, const DriveResults& drive) {
  const ResponseSamples& samples = drive.statistics.responses();
  const std::vector<const KeptRequests::Kept*> slow = drive.kept.slowest();
  json.begin_object();
  json.member("name", drive.description.name);
  json.member("title", title(results, drive));
  json.member("sled", drive.description.sled);
  json.key("cdf");
  json.begin_object();
  json.member("read", distribution(samples, Operation::read));
  json.member("write", distribution(samples, Operation::write));
  json.end_object();
  json.member("breakdown", breakdown(drive.statistics));
  json.key("arm");
  arm_positions(json, drive);
  json.key("arm_places");  // stack, angle in revolutions
  json.begin_array();
  for (const ArmDescription& place : drive.description.arm_places) json.row(place.stack, rounded(place.angle_rev));
  json.end_array();
  json.key("depth");
  depth(json, drive.depth, drive.statistics.end());
  json.member("service", service(drive.service));
  json.member("heat", heat(drive.heat));
  json.member("measured", measured(drive.measured));
  json.member("load", load(drive.load, drive.description));
  json.key("slowest");
  slowest(json, slow);
  json.key("spikes");
  spikes(json, drive.load, drive.kept, slow);
  if (!drive.faults.empty()) {
    json.member("all_faults", drive.faults.size());
    json.key("faults");
    faults(json, drive.faults);
  }
  if (drive.energy) json.member("power", energy_series(*drive.energy));  // the sums are in the summary
  if (drive.temperatures) json.member("temperatures", temperature_series(*drive.temperatures));
  json.end_object();
}

void data(JsonText& json, const RunResults& results, const Json& summarised) {
  json.begin_object();
  json.member("command", results.options.command);
  json.member("date", present());
  json.member("summary", summarised);
  json.key("phases");
  json.begin_array();
  for (const std::string_view phase : kPhaseNames) json.value(phase);
  json.end_array();
  json.key("drives");
  json.begin_array();
  for (const DriveResults& drive : results.drives) charts(json, results, drive);
  json.end_array();
  json.member("configuration", results.options.configuration_toml.empty() ? results.options.configuration
                                                                          : results.options.configuration_toml);
  json.end_object();
}

/// Without the last line's reference to a source map, which would make a browser look for another file.
std::string_view without_source_map(std::string_view text) {
  const auto mark = text.rfind("# sourceMappingURL=");
  return mark == std::string_view::npos ? text : text.substr(0, mark - 2);  // "//" or "/*" before it
}

}  // namespace

std::string report(const RunResults& results, const Json& summarised) {
  std::string html;
  html += "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
  // Nothing may be fetched from anywhere, whatever a name in the data says.
  html +=
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
      "style-src "
      "'unsafe-inline'; img-src data:\">\n";
  html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  html += "<title>" + markup_text(results.options.scenario) + " - Armature</title>\n<!--\nThis file contains ";
  html += embedded::dygraphs_licence();
  html += "-->\n<style>\n";
  html += without_source_map(embedded::dygraphs_css());
  html += "\n";
  html += embedded::report_css();
  html +=
      "</style>\n</head>\n<body>\n<main id=\"report\"><noscript>The charts need JavaScript; the figures are in "
      "summary.json.</noscript></main>\n<script type=\"application/json\" id=\"data\">";
  JsonText json(html);
  data(json, results, summarised);
  html += "</script>\n<script>\n";
  html += without_source_map(embedded::dygraphs_js());
  html += "</script>\n<script>\n";
  html += embedded::palette_js();
  html += embedded::report_overview_js();
  html += embedded::report_medium_js();
  html += embedded::report_energy_js();
  html += embedded::report_jobs_js();
  html += embedded::report_rebuild_js();
  html += embedded::report_faults_js();
  html += embedded::report_requests_js();
  html += embedded::report_js();
  html += "</script>\n</body>\n</html>\n";
  return html;
}

}  // namespace armature::observe
