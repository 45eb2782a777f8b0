#include "armature/observe/explanation.h"

#include "armature/core/conversions.h"
#include "armature/core/error.h"
#include "armature/observe/request_columns.h"
#include "armature/observe/request_record.h"
#include "armature/observe/save_file.h"
#include "armature/observe/unfinished_dump.h"
#include "csv_table.h"
#include "fault_spans.h"
#include "request_view.h"
#include "run_files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

namespace armature::observe {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBarWidth = 64;
constexpr std::size_t kNeighboursShown = 5;

/// Of each phase, in the bar.
constexpr std::array<char, kPhases> kLetters = {'Q', 'C', 'F', 'D', 'A', 'S', 'W', 'H',
                                                'R', 'T', 'b', 'K', 'w', 'd', 's'};

/// What a phase means; of a MEMS store where that differs from a disk.
std::string_view meaning_of(std::size_t phase, bool sled) {
  if (sled) {
    switch (static_cast<Phase>(phase)) {
      case Phase::drive_queue:
        return "waited in the drive for the sled";
      case Phase::seek:
        return "the sled moved in X and Y, settled, turned round or started";
      case Phase::channel_wait:
        return "the sled was there, waited for a data channel";
      case Phase::transfer:
        return "rows passed under the tips, and the sled moved from row to row";
      default:
        break;
    }
  }
  return kPhaseMeanings[phase];
}

const char* meaning_of(std::string_view cause) {
  if (cause == "late_data") return "the write's data had not come over the link when the sector passed";
  if (cause == "late_link") return "earlier data of the read still held the buffer when the sector passed";
  if (cause == "late_firmware")
    return "the drive's processor started the arm or the channel after the sector had passed";
  if (cause == "late_servo") return "the arm was slower than the arbitration unit had predicted";
  if (cause == "late_channel") return "the arm was on its track, and others had the data channels or needed them first";
  if (cause == "inhibit")
    return "the arm left its track: a write is inhibited, a read fails, and both go on a turn later";
  if (cause == "read_retry") return "a sector could not be read, and was read again a revolution later";
  return "unknown cause";
}

struct Row {
  std::uint64_t id = 0, device = 0, lbn = 0, sectors = 0, tag = 0, accesses = 0, missed = 0;
  std::string op, arm, head, cylinder, seek_cylinders, cause, status, job;
  Ps arrival = 0, completion = 0, link_overlapped = 0, adapter = kNoTime, predicted = kNoTime, positioning = kNoTime;
  std::array<Ps, kPhases> phases{};
};

Row find_row(const fs::path& file, std::uint64_t id) {
  Table table(file);
  const std::size_t id_column = table.column("id");
  std::uint64_t rows = 0, lowest = ~std::uint64_t{0}, highest = 0;
  while (table.next()) {
    const std::uint64_t present = table.number(id_column);
    ++rows;
    lowest = std::min(lowest, present);
    highest = std::max(highest, present);
    if (present != id) continue;
    Row row;
    row.id = id;
    row.device = table.number(table.column("device"));
    row.op = table.text(table.column("op"));
    row.lbn = table.number(table.column("lbn"));
    row.sectors = table.number(table.column("sectors"));
    row.tag = table.number(table.column("tag"));
    row.arm = table.text(table.column("arm"));
    row.head = table.text(table.column("head"));
    row.cylinder = table.text(table.column("cylinder"));
    row.seek_cylinders = table.text(table.column("seek_cylinders"));
    row.accesses = table.number(table.column("accesses"));
    row.arrival = table.time(table.column("arrival_us"));
    row.completion = table.time(table.column("completion_us"));
    for (std::size_t i = 0; i < kPhases; ++i) {
      row.phases[i] = table.time(table.column(std::string(kPhaseNames[i]) + "_us"));
    }
    row.link_overlapped = table.time(table.column("link_overlapped_us"));
    row.adapter = table.time(table.column("adapter_us"));
    row.predicted = table.time(table.column("predicted_positioning_us"));
    row.positioning = table.time(table.column("positioning_us"));
    row.missed = table.number(table.column("missed_revolutions"));
    row.cause = table.text(table.column("miss_cause"));
    row.status = table.text(table.column("status"));
    row.job = table.text(table.column("job"));
    return row;
  }
  throw InputError(rows == 0 ? fmt::format("{}: no request completed in this run", file.string())
                             : fmt::format("{}: no request {}; it holds {} requests with ids from {} to {}",
                                           file.string(), id, rows, lowest, highest));
}

/// The others that were in the system together with the request.
struct Neighbours {
  std::uint64_t ahead = 0;                  ///< in the system when it arrived
  std::uint64_t ahead_first = 0;            ///< of these, completed before it
  std::uint64_t overtook = 0;               ///< arrived after it, completed before it
  std::vector<std::string> last;            ///< the last that completed before it
  std::set<std::uint64_t> overtaken_under;  ///< tags of those that overtook it
};

Neighbours find_neighbours(const fs::path& file, const Row& row) {
  Neighbours found;
  Table table(file);
  const std::size_t id = table.column("id"), arrival = table.column("arrival_us"),
                    completion = table.column("completion_us"), op = table.column("op"), lbn = table.column("lbn"),
                    tag = table.column("tag");
  while (table.next()) {
    const std::uint64_t other = table.number(id);
    if (other == row.id) continue;
    const Ps came = table.time(arrival), went = table.time(completion);
    if (went <= row.arrival || came >= row.completion) continue;
    const bool before = came < row.arrival || (came == row.arrival && other < row.id);
    const bool first = went <= row.completion;
    if (before) ++found.ahead;
    if (before && first) ++found.ahead_first;
    if (!before && first) {
      ++found.overtook;
      found.overtaken_under.insert(table.number(tag));
    }
    if (!first) continue;
    found.last.push_back(fmt::format("  {:>12}  {:5}  LBN {:<12} completed {} before it", other, table.text(op),
                                     table.text(lbn), in_ms(row.completion - went)));
    if (found.last.size() > kNeighboursShown) found.last.erase(found.last.begin());
  }
  return found;
}

void write_bar(std::string& out, const Row& row, const std::vector<Segment>& timeline) {
  const Ps response = row.completion - row.arrival;
  if (response <= 0) return;
  std::string bar;
  if (!timeline.empty()) {
    for (std::size_t i = 0; i < kBarWidth; ++i) {
      // The phase at the middle of the character's time.
      const Ps at = row.arrival + static_cast<Ps>(__int128{response} * static_cast<Ps>(2 * i + 1) / (2 * kBarWidth));
      const auto segment =
          std::find_if(timeline.begin(), timeline.end(), [at](const Segment& s) { return at < s.end; });
      bar += segment == timeline.end() ? ' ' : kLetters[static_cast<std::size_t>(segment->phase)];
    }
    out += "\n  in time  |" + bar + "|\n";
  } else {
    // Only sums are known: phases in the order of the way, widths by rounding the running total.
    Ps sum = 0;
    for (std::size_t i = 0; i < kPhases; ++i) {
      sum += row.phases[i];
      const auto upto = static_cast<std::size_t>(__int128{sum} * static_cast<Ps>(kBarWidth) / response);
      while (bar.size() < upto) bar += kLetters[i];
    }
    out += "\n  in sum   |" + bar + "|\n";
  }
}

void write_phases(std::string& out, const Row& row, bool sled) {
  const Ps response = row.completion - row.arrival;
  out += "\n";
  for (std::size_t i = 0; i < kPhases; ++i) {
    if (row.phases[i] == 0) continue;
    out += fmt::format("  {} {:<13} {:>16}  {:5.1f} %  {}\n", kLetters[i], kPhaseNames[i], in_ms(row.phases[i]),
                       100.0 * static_cast<double>(row.phases[i]) / static_cast<double>(response), meaning_of(i, sled));
  }
  out += fmt::format("    {:<13} {:>16}\n", "sum", in_ms(response));
  if (row.link_overlapped > 0) {
    out +=
        fmt::format("  Beside these, {} of its link time passed under mechanical work.\n", in_ms(row.link_overlapped));
  }
}

void write_timeline(std::string& out, const Row& row, const std::vector<Segment>& timeline) {
  if (timeline.empty()) {
    out +=
        "\nThe order of its phases was not kept: events.csv holds the slowest requests (output.timelines), of which it "
        "has\n"
        "room for a million phases, those of the window of the waves, and those asked for (output.explain).\n";
    return;
  }
  out += "\nIn order, from its arrival:\n";
  for (const Segment& segment : timeline) {
    out += fmt::format("  +{:>16}  {:<13} {:>16}{}\n", in_ms(segment.begin - row.arrival), name_of(segment.phase),
                       in_ms(segment.end - segment.begin), segment.link_below ? "  (and the link worked for it)" : "");
  }
}

void write_media(std::string& out, const Row& row, bool sled) {
  const auto longest =
      static_cast<std::size_t>(std::max_element(row.phases.begin(), row.phases.end()) - row.phases.begin());
  if (row.completion > row.arrival) {
    out += fmt::format("\nMost of the time: {} - {}.\n", kPhaseNames[longest], meaning_of(longest, sled));
  }
  if (row.accesses == 0) {
    out += "It used no medium.\n";
    return;
  }
  out += fmt::format(sled ? "Medium: sled {}, track {}, X position {}, a move of {} positions; {} access{}.\n"
                          : "Medium: arm {}, head {}, cylinder {}, a move of {} cylinders; {} access{}.\n",
                     row.arm, row.head, row.cylinder, row.seek_cylinders, row.accesses, row.accesses == 1 ? "" : "es");
  if (row.positioning != kNoTime) {
    out += fmt::format("Positioning (grant to first sector): {}", in_ms(row.positioning));
    if (row.predicted != kNoTime) {
      const Ps error = row.positioning - row.predicted;
      out += fmt::format(", predicted {}: ", in_ms(row.predicted));
      out += error == 0 ? "exactly as predicted"
                        : fmt::format("{} {}", in_ms(std::abs(error)), error < 0 ? "shorter" : "longer");
    }
    out += ".\n";
  }
  if (sled) return;
  if (row.missed == 0) {
    out += "No revolution was missed.\n";
    return;
  }
  const auto causes = causes_of(row.cause, row.missed);
  out += fmt::format("{} revolution{} missed", row.missed, row.missed == 1 ? "" : "s");
  if (causes.size() == 1) {
    out += fmt::format(", {}: {}.\n", row.cause, meaning_of(row.cause));
    return;
  }
  out += ":\n";
  for (const auto& [cause, revolutions] : causes)
    out += fmt::format("  {} {}: {}\n", revolutions, cause, meaning_of(cause));
}

/// What an array controller sent to its drives for the request.
void write_members(std::string& out, const fs::path& file, const Row& row) {
  if (!fs::exists(file)) return;
  Table table(file);
  const std::size_t request = table.column("request"), drive = table.column("drive"), id = table.column("id"),
                    purpose = table.column("purpose"), op = table.column("op"), lbn = table.column("lbn"),
                    sectors = table.column("sectors"), begin = table.column("begin_us"), end = table.column("end_us"),
                    bus = table.column("bus"), bus_wait = table.column("bus_wait_us"),
                    bus_time = table.column("bus_us"), status = table.column("status");
  out += "\nIts member operations, in the order of their ends:\n";
  while (table.next()) {
    if (table.text(request).empty() || table.number(request) != row.id) continue;
    const Ps begun = table.time(begin);
    out += fmt::format("  +{:>16}  {:>16}  {:<10} request {:<10} {:<12} {:5} of {} sectors at LBN {}{}\n",
                       in_ms(begun - row.arrival), in_ms(table.time(end) - begun), table.text(drive), table.text(id),
                       table.text(purpose), table.text(op), table.text(sectors), table.text(lbn),
                       table.text(status) == "ok" ? "" : ", " + table.text(status));
    if (table.text(id).empty()) out += "                      by the cache of the array alone\n";
    if (!table.text(bus).empty())
      out += fmt::format("  {:>17}  {:>16}  of it on bus {}, and {} waiting for it\n", "", in_ms(table.time(bus_time)),
                         table.text(bus), in_ms(table.time(bus_wait)));
  }
}

/// Faults of the drive that the request met ([[faults]]), and those that were at work while it was in the system.
void write_faults(std::string& out, const fs::path& file, const Row& row) {
  for (const FaultSpan& span : read_fault_spans(file)) {
    const auto met =
        std::find_if(span.touched.begin(), span.touched.end(), [&](const auto& one) { return one.first == row.id; });
    const bool touched = met != span.touched.end();
    const bool meanwhile = span.begin <= row.completion && (span.end == kNoTime || span.end >= row.arrival);
    if (!touched && !meanwhile) continue;
    out += fmt::format("\n{} fault {} ({}): at work from {}{}.", touched ? "Touched by" : "Meanwhile", span.number,
                       span.what, in_s(span.begin), span.end == kNoTime ? " on" : " to " + in_s(span.end));
    if (touched) out += fmt::format(" First met {} after the request's arrival.", in_ms(met->second - row.arrival));
    out += "\n";
  }
}

void write_neighbours(std::string& out, const Neighbours& found) {
  out += fmt::format("\nIt arrived as number {} in the queue: {} in the system before it, {} of them completed first",
                     found.ahead + 1, found.ahead, found.ahead_first);
  out += fmt::format("; {} that came later overtook it.\n", found.overtook);
  if (found.last.empty()) return;
  out += "The last to complete before it:\n";
  for (const std::string& line : found.last) out += line + "\n";
}

void write_waves(std::string& out, const fs::path& run, const RequestInWaves& request, RequestView* found,
                 const std::vector<Segment>& timeline, const std::string& hint) {
  const fs::path dump = run / "waves.fst";
  if (!found) {
    if (!fs::exists(dump))
      out += "\nThis run has no waves.";
    else if (is_unfinished_dump(dump) && !range_of_dump(dump))
      out += "\nThis run was killed before the first part of its waves was written.";
    else if (!range_of_dump(dump))
      out += "\nThe waves of this run are damaged: " + dump.string() + " is no FST dump.";
    else
      out += "\nThe waves of this run do not hold the request.";
    if (!hint.empty()) out += " To get them: " + hint;
    out += "\n";
    return;
  }
  found->view.markers = markers_of(request, timeline);
  fs::path stem = run / fmt::format("request-{}", request.id);
  try {
    write_save_files(stem, found->view);
  } catch (const InputError&) {
    stem = run / "waves";  // a folder that cannot be written: the view of the whole run serves too
  }
  out += fmt::format("\nIn the waves from {} to {}:\n  gtkwave {} {}.gtkw\n", in_s(request.arrival),
                     in_s(request.completion), dump.string(), stem.string());
}

/// The view of the request, if the run's waves hold all of it.
std::optional<RequestView> look_at_waves(const fs::path& run, const RequestInWaves& request) {
  const auto range = range_of_dump(run / "waves.fst");
  if (!range || request.arrival < range->first || request.completion > range->second) return std::nullopt;
  return view_of_request(run / "waves.fst", request);
}

/// By the summary of the run, of which there may be none yet.
bool has_sled(const fs::path& run, const std::string& drive) {
  std::ifstream summary(run / "summary.json");
  const auto json = nlohmann::json::parse(summary, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("drives") || !json["drives"].is_array()) return false;
  for (const auto& entry : json["drives"])
    if (entry.is_object() && (drive.empty() || entry.value("name", "") == drive))
      return entry.value("medium", "") == "sled";
  return false;
}

/// Of a request that waited for an arm: whether the drive has taken arms for itself. Which request met that is not
/// recorded.
void write_own_work(std::string& out, const nlohmann::json& summary, const Row& row, const std::string& drive) {
  const auto longest = std::max_element(row.phases.begin(), row.phases.end()) - row.phases.begin();
  if (static_cast<Phase>(longest) != Phase::drive_queue || !summary.contains("drives")) return;
  for (const auto& entry : summary["drives"]) {
    if (!entry.is_object() || (!drive.empty() && entry.value("name", "") != drive)) continue;
    const nlohmann::json::json_pointer recalibrations("/counters/recalibrations");
    if (!entry.contains(recalibrations) || entry[recalibrations] == 0) continue;
    out +=
        fmt::format("Recalibrations of the drive's arms in this run: {}. A request that meets one waits for its end.\n",
                    entry[recalibrations].dump());
    return;
  }
}

/// The supply failed while the request was there: what was out was sent again.
void write_supply(std::string& out, const nlohmann::json& summary, const Row& row, const std::string& drive) {
  if (!summary.contains("drives")) return;
  for (const auto& entry : summary["drives"]) {
    if (!entry.is_object() || (!drive.empty() && entry.value("name", "") != drive)) continue;
    if (!entry.contains("power_cuts")) continue;
    for (const auto& cut : entry["power_cuts"]) {
      const Ps off = from_seconds(cut.value("off_s", 0.0));
      const bool back = cut.contains("on_s");
      const Ps on = back ? from_seconds(cut.value("on_s", 0.0)) : row.completion;
      if (off > row.completion || on < row.arrival) continue;
      out += fmt::format("The drive had no supply from {}{}: {}.\n", in_s(off),
                         back ? fmt::format(" to {}", in_s(on)) : std::string(" on"),
                         off < row.arrival ? "the request waited for it"
                                           : "the drive lost the request, if it had it, and the host sent it again");
    }
    return;
  }
}

}  // namespace

std::string explain(const fs::path& run, std::uint64_t id, const std::string& drive, const std::string& hint) {
  std::ifstream summary(run / "summary.json");
  const bool finished = summary.is_open();
  const auto json = nlohmann::json::parse(summary, nullptr, /*allow_exceptions=*/false);
  if (finished && !json.is_object())
    throw InputError(Place{(run / "summary.json").string()}, "the file is damaged; run the scenario again");
  const fs::path directory = directory_of(run, drive);
  const Row row = find_row(directory / "requests.csv", id);
  std::vector<Segment> timeline = read_timeline(directory / "events.csv", id);
  const Neighbours neighbours = find_neighbours(directory / "requests.csv", row);
  const RequestInWaves waves{drive, row.id, row.tag, row.arrival, row.completion, row.arm, neighbours.overtaken_under};
  std::optional<RequestView> view = look_at_waves(run, waves);
  if (timeline.empty() && view) timeline = view->timeline;
  std::string out;
  out += fmt::format("Request {}: {} of {} sectors at LBN {} (device {}, tag {}), {}\n", row.id, row.op, row.sectors,
                     row.lbn, row.device, row.tag,
                     row.status == "ok"        ? "completed"
                     : row.status == "gave up" ? "given up by the host"
                                               : "failed with " + row.status);
  out += fmt::format("arrived at {}, completed at {}: {}\n", in_s(row.arrival), in_s(row.completion),
                     in_ms(row.completion - row.arrival));
  if (row.status == "gave up")
    out +=
        "The drive did not answer within host.timeout_s. The host reset it and sent the command again, host.retries "
        "times, before it gave the request up.\n";
  if (!row.job.empty()) out += fmt::format("for job {} of the host\n", row.job);
  if (row.adapter != kNoTime)
    out += fmt::format("{} of it are the host's adapter's, in host_queue and link_status\n", in_ms(row.adapter));
  if (finished) write_supply(out, json, row, drive);
  write_bar(out, row, timeline);
  const bool sled = has_sled(run, drive);
  write_phases(out, row, sled);
  write_timeline(out, row, timeline);
  if (!fs::exists(directory / "members.csv")) {
    write_media(out, row, sled);
    write_own_work(out, json, row, drive);
  }
  write_faults(out, directory / "faults.csv", row);
  write_members(out, directory / "members.csv", row);
  write_neighbours(out, neighbours);
  write_waves(out, run, waves, view ? &*view : nullptr, timeline, hint);

  if (!finished) {
    out += "\nThe run was not finished: there is no summary.json, and the last requests are missing.\n";
    return out;
  }
  const auto complete = json.find("complete"), reason = json.find("reason");
  if (complete != json.end() && *complete == false) {
    const bool known = reason != json.end() && reason->is_string();
    out += "\nThe run was stopped: " + (known ? reason->get<std::string>() : "no reason is known") + ".\n";
  }
  return out;
}

}  // namespace armature::observe
