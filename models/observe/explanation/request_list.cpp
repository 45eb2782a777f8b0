#include "armature/observe/explanation.h"

#include "armature/core/error.h"
#include "armature/observe/request_record.h"
#include "csv_table.h"
#include "run_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace armature::observe {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostListed = 100;

struct Listed {
  std::uint64_t id = 0, lbn = 0, sectors = 0, missed = 0;
  std::string op, cause;
  Ps arrival = 0, completion = 0;
  std::size_t longest = 0;  ///< phase
  Ps longest_time = 0;

  Ps response() const { return completion - arrival; }
};

/// requests.csv, row by row.
class RequestRows {
 public:
  explicit RequestRows(const fs::path& file) : table_(file) {
    for (std::size_t i = 0; i < kPhases; ++i) phases_[i] = table_.column(fmt::format("{}_us", kPhaseNames[i]));
  }

  bool next(Listed& row) {
    if (!table_.next()) return false;
    row.id = table_.number(id_);
    row.op = table_.text(op_);
    row.lbn = table_.number(lbn_);
    row.sectors = table_.number(sectors_);
    row.arrival = table_.time(arrival_);
    row.completion = table_.time(completion_);
    row.missed = table_.number(missed_);
    row.cause = table_.text(cause_);
    row.longest = 0;
    row.longest_time = -1;
    for (std::size_t i = 0; i < kPhases; ++i) {
      const Ps time = table_.time(phases_[i]);
      if (time <= row.longest_time) continue;
      row.longest = i;
      row.longest_time = time;
    }
    return true;
  }

 private:
  Table table_;
  std::size_t id_ = table_.column("id"), op_ = table_.column("op"), lbn_ = table_.column("lbn"),
              sectors_ = table_.column("sectors"), arrival_ = table_.column("arrival_us"),
              completion_ = table_.column("completion_us"), missed_ = table_.column("missed_revolutions"),
              cause_ = table_.column("miss_cause");
  std::array<std::size_t, kPhases> phases_{};
};

bool chosen(const RequestChoice& choice, const Listed& row) {
  if (choice.at) return row.arrival <= *choice.at && *choice.at < row.completion;
  if (!choice.missed.empty()) {
    const auto causes = causes_of(row.cause, row.missed);
    return row.missed > 0 &&
           (choice.missed == "any" ||
            std::any_of(causes.begin(), causes.end(), [&](const auto& cause) { return cause.first == choice.missed; }));
  }
  return true;
}

std::string heading(const RequestChoice& choice, std::size_t found, std::size_t shown) {
  const std::string of = shown < found ? fmt::format("; the {} slowest of them", shown) : std::string();
  const char* const s = found == 1 ? "" : "s";
  if (choice.at) return fmt::format("{} request{} in the system at {}{}", found, s, in_s(*choice.at), of);
  if (!choice.missed.empty())
    return fmt::format("{} request{} missed a revolution{}{}", found, s,
                       choice.missed == "any" ? std::string() : ", " + choice.missed, of);
  return fmt::format("the {} slowest of {} requests", shown, found);
}

/// "seek" or, if the order of its phases was kept, what it was in at that time.
std::string phase_at(const fs::path& folder, const Listed& row, Ps at) {
  for (const Segment& segment : read_timeline(folder / "events.csv", row.id))
    if (at >= segment.begin && at < segment.end) return std::string(name_of(segment.phase));
  return "";
}

std::string list_of(const fs::path& folder, const RequestChoice& choice) {
  RequestRows rows(folder / "requests.csv");
  const std::size_t most = choice.slowest > 0 ? choice.slowest : kMostListed;
  const auto slower = [](const Listed& a, const Listed& b) {
    return a.response() != b.response() ? a.response() > b.response() : a.id < b.id;
  };
  std::vector<Listed> kept;  // a heap whose front is the fastest
  std::size_t found = 0;
  for (Listed row; rows.next(row);) {
    if (!chosen(choice, row)) continue;
    ++found;
    if (kept.size() == most && !slower(row, kept.front())) continue;
    if (kept.size() == most) {
      std::pop_heap(kept.begin(), kept.end(), slower);
      kept.pop_back();
    }
    kept.push_back(row);
    std::push_heap(kept.begin(), kept.end(), slower);
  }
  std::sort(kept.begin(), kept.end(), [&](const Listed& a, const Listed& b) {
    if (!choice.at) return slower(a, b);
    return a.arrival != b.arrival ? a.arrival < b.arrival : a.id < b.id;
  });
  std::string out = heading(choice, found, kept.size()) + "\n";
  if (kept.empty()) return out;
  out += fmt::format("  {:>10}  {:5}  {:>21}  {:>18}  {:>14}  {:29}  {:>6}{}\n", "request", "op", "LBN+sectors",
                     "arrived, s", "response, ms", "most of it", "missed", choice.at ? "  at that time" : "");
  for (const Listed& row : kept) {
    const std::string missed = row.missed == 0 ? "0" : fmt::format("{} {}", row.missed, row.cause);
    out += fmt::format("  {:>10}  {:5}  {:>21}  {:>18.9f}  {:>14.6f}  {:13} {:>12.6f} ms  {:>6}{}\n", row.id, row.op,
                       fmt::format("{}+{}", row.lbn, row.sectors), to_seconds(row.arrival), to_ms(row.response()),
                       kPhaseNames[row.longest], to_ms(row.longest_time), missed,
                       choice.at ? "  " + phase_at(folder, row, *choice.at) : "");
  }
  return out;
}

void check_cause(const std::string& cause) {
  std::string known = "any";
  for (std::size_t i = 1; i < kMissCauseNames.size(); ++i) known += fmt::format(", {}", kMissCauseNames[i]);
  const bool any =
      cause == "any" || (std::find(kMissCauseNames.begin() + 1, kMissCauseNames.end(), cause) != kMissCauseNames.end());
  if (!any) throw InputError(fmt::format("--missed {}: a cause is one of {}", cause, known));
}

}  // namespace

std::string list_requests(const fs::path& run, const RequestChoice& choice, const std::string& drive) {
  if (!choice.missed.empty()) check_cause(choice.missed);
  if (!drive.empty()) return list_of(directory_of(run, drive), choice);
  const std::vector<fs::path> folders = directories_of(run);
  std::string out;
  for (const fs::path& folder : folders) {
    if (folders.size() > 1) out += fmt::format("{}{}: ", out.empty() ? "" : "\n", folder.filename().string());
    out += list_of(folder, choice);
  }
  return out;
}

}  // namespace armature::observe
