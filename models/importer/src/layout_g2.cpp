#include "find_file.h"
#include "layout_mapped.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

// The meaning of the keys is in DiskSim's diskmodel/modules/layout_g2*.modspec, what stands in the table in
// diskmodel/layout_g2_load.c.

namespace armature::importer {
namespace {

using media::Geometry;

/// A number of a place; one that no disk has stays one, so that its blocks are counted as outside.
std::int32_t narrowed(std::int64_t value) {
  return value < 0 || value >= 1 << 30 ? -1 : static_cast<std::int32_t>(value);
}

/// One line of the table: numbers with the words before them.
struct Line {
  std::optional<std::int64_t> lbn, cylinder, head, sector, count;
  bool count_is_of_the_others = false;  // "seqcnt": sectors behind the first
  bool defect = false;
};

std::optional<std::int64_t> whole_of(std::string_view word) {
  std::int64_t value = 0;
  const auto parsed = std::from_chars(word.data(), word.data() + word.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != word.data() + word.size()) return std::nullopt;
  return value;
}

Line parse_line(std::string_view text) {
  constexpr std::string_view kBetween = " \t\r,:=";
  Line line;
  std::string_view before;
  for (std::size_t at = text.find_first_not_of(kBetween); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = text.find_first_not_of(kBetween, end);
    const auto number = whole_of(word);
    if (word == "Defect" || word == "defect") line.defect = true;
    if (!number) {
      before = word;
      continue;
    }
    if (before == "lbn") {
      line.lbn = number;
    } else if (before == "cyl" || before == "cylinder") {
      line.cylinder = number;
    } else if (before == "head") {
      line.head = number;
    } else if (before == "sect" || before == "sector") {
      line.sector = number;
    } else if (!before.empty()) {
      line.count = number;
      line.count_is_of_the_others = before == "seqcnt";
    }
  }
  return line;
}

class Converter {
 public:
  Converter(ParameterFile& file, const ParameterBlock& block, const DiskFacts& disk, const ReadFile& read,
            Report& report)
      : file_(file), block_(block), disk_(disk), read_(read), report_(report), reader_(file, block, report) {}

  Layout convert() {
    const ParameterValue* const zones = reader_.list("Zones");
    if (!zones || zones->items.empty()) throw InputError(block_.place, "a layout needs Zones");
    for (const ParameterValue& item : zones->items) {
      if (item.kind != ParameterValue::block || item.inner->type != "dm_layout_g2_zone")
        throw InputError(item.place, "a zone is a block dm_layout_g2_zone");
      add_zone(*item.inner);
    }
    if (zones_.empty()) throw InputError(zones->place, "no zone of this layout has a cylinder");
    read_table();
    reader_.finish();
    return mapped_layout(std::move(zones_), std::move(runs_), {}, disk_, block_.place,
                         reader_.source("Layout Map File"), report_);
  }

 private:
  void add_zone(const ParameterBlock& block) {
    BlockReader reader(file_, block, report_);
    MappedZone zone;
    zone.first = reader.needed_whole("First cylinder number", {0, Geometry::kMaxCylinders - 1.0});
    zone.last = reader.needed_whole("Last cylinder number", {-1, Geometry::kMaxCylinders - 1.0});
    zone.per_track = reader.needed_whole("Blocks per track", {1, Geometry::kMaxSectorsPerTrack});
    const auto unit = reader.word("Skew units").value_or("sectors");
    if (unit != "sectors" && unit != "revolutions")
      throw InputError(reader.find("Skew units")->value.place,
                       fmt::format("Skew units: {} is neither sectors nor revolutions", printable(unit)));
    const auto skew = [&](const char* key) {
      const double given = reader.number(key, {-1e6, 1e6}).value_or(0);
      if (unit == "revolutions") return part_of_revolution(given);
      if (given != std::trunc(given))
        report_.note(reader.find(key)->place, fmt::format("{}: the part of a sector is dropped", key));
      return part_of_revolution(std::trunc(given) / static_cast<double>(zone.per_track));
    };
    zone.offset = skew("Zone Skew");
    zone.track_skew = skew("Skew for track switch");
    zone.cylinder_skew = skew("Skew for cylinder switch");
    for (const char* const key : {"First LBN", "Last LBN"}) reader.number(key, {-1e15, 1e15});  // the table tells
    reader.finish();
    const auto overlaps = [&zone](const MappedZone& other) {
      return zone.first <= other.last && other.first <= zone.last;
    };
    if (zone.last < zone.first || std::any_of(zones_.begin(), zones_.end(), overlaps)) {
      report_.note(block.place, "this zone has no cylinder of its own: it is left out");
      return;
    }
    zones_.push_back(zone);
  }

  void read_table() {
    const auto name = reader_.word("Layout Map File");
    if (!name || name->empty()) reader_.lacks("Layout Map File");
    const Parameter& parameter = *reader_.find("Layout Map File");
    const std::string& first = file_.files.front();
    const FoundFile found = find_file(*name, parameter.value.place.file, first.substr(0, first.rfind('/') + 1), read_);
    if (found.path.empty())
      throw InputError(parameter.value.place,
                       fmt::format("Layout Map File: {}: cannot be read", printable(found.looked_for_first)));
    if (found.elsewhere)
      report_.note(parameter.place, fmt::format("Layout Map File: {} is not there; the file of that name beside this "
                                                "one is taken",
                                                printable(*name)));
    if (std::find(file_.files.begin(), file_.files.end(), found.path) == file_.files.end())
      file_.files.push_back(found.path);
    parse(found);
  }

  void parse(const FoundFile& found) {
    std::size_t at = 0, odd = 0;
    Place first_odd;
    for (std::size_t number = 1; at < found.text.size(); ++number) {
      const std::size_t end = std::min(found.text.find('\n', at), found.text.size());
      const std::string_view text = std::string_view(found.text).substr(at, end - at);
      at = end + 1;
      const Line line = parse_line(text);
      const bool run = line.lbn && line.cylinder && line.head && line.sector && line.count && !line.defect;
      if (run) {
        const std::int64_t length =
            std::min<std::int64_t>(*line.count, Geometry::kMaxSectorsPerTrack) + (line.count_is_of_the_others ? 1 : 0);
        runs_.push_back(
            {*line.lbn, narrowed(*line.cylinder), narrowed(*line.head), narrowed(*line.sector), narrowed(length), {}});
        if (static_cast<std::int64_t>(runs_.size()) > kMostRuns)
          throw InputError(Place{found.path, number}, fmt::format("over {} million runs", kMostRuns / 1'000'000));
        continue;
      }
      // The first three lines are the drive's name, cylinders and heads; defects are what the runs leave out.
      if (line.defect || number <= 3 || text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
      if (odd++ == 0) first_odd = {found.path, number};
    }
    if (odd > 0) report_.note(first_odd, fmt::format("{} lines are no run of blocks: skipped", odd));
    if (runs_.empty()) throw InputError(Place{found.path}, "there is no run of blocks in this file");
    std::stable_sort(runs_.begin(), runs_.end(), [](const MappedRun& a, const MappedRun& b) { return a.lbn < b.lbn; });
  }

  ParameterFile& file_;
  const ParameterBlock& block_;
  const DiskFacts disk_;
  const ReadFile& read_;
  Report& report_;
  BlockReader reader_;
  std::vector<MappedZone> zones_;
  std::vector<MappedRun> runs_;
};

}  // namespace

Layout layout_g2(ParameterFile& file, const ParameterBlock& layout, const DiskFacts& disk, const ReadFile& read,
                 Report& report) {
  return Converter(file, layout, disk, read, report).convert();
}

}  // namespace armature::importer
