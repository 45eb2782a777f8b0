#include "conversion.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

// What the keys mean is said in DiskSim's diskmodel/modules/mech_g1.modspec and doc/dm_param.tex (the equations), and
// done in diskmodel/mech_g1_load.c and mech_g1_seektime.c. Lee's curve, the three-point line and HPL's are computed
// wrongly there since they were rewritten for integer time; the published equations are taken (docs/import.md).

namespace armature::importer {
namespace {

constexpr Range kMilliseconds{0, 1'000};
constexpr double kMostDistance = 1 << 18;

struct SeekFile {
  std::vector<std::vector<double>> rows;  // distance, ms
  Place first;
};

/// "Seek distances measured: N", then lines "distance, ms" (a third number, the deviation, is not used).
SeekFile parse_seek_file(const std::string& path, const std::string& text, Report& report) {
  SeekFile seek;
  std::size_t line_number = 0, at = 0;
  std::int64_t announced = -1;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    ++line_number;
    const Place place{path, line_number};
    const auto fail = [&](const std::string& what) {
      return InputError(place, fmt::format("{}, not \"{}\"", what, printable(line)));
    };
    constexpr std::string_view kTitle = "Seek distances measured:";
    const char* from = line.data();
    const char* const last = line.data() + line.size();
    const auto skip = [&] {
      while (from != last && std::strchr(" \t\r\f\v", *from) && *from != '\0') ++from;
    };
    if (line_number == 1 && line.compare(0, kTitle.size(), kTitle) == 0) {
      from += kTitle.size();
      skip();
      const auto parsed = std::from_chars(from, last, announced);
      from = parsed.ptr;
      skip();
      if (parsed.ec != std::errc() || from != last || announced < 0)
        throw fail("a number of seek distances is expected");
      continue;
    }
    skip();
    if (from == last) continue;
    std::int64_t distance = 0;
    double ms = 0, deviation = 0;
    const auto parsed = std::from_chars(from, last, distance);
    from = parsed.ptr;
    skip();
    if (parsed.ec != std::errc() || from == last || *from++ != ',')
      throw fail("\"distance, milliseconds\" is expected");
    skip();
    const auto time = std::from_chars(from, last, ms);
    from = time.ptr;
    skip();
    if (time.ec != std::errc()) throw fail("\"distance, milliseconds\" is expected");
    if (from != last && *from == ',') {
      ++from;
      skip();
      from = std::from_chars(from, last, deviation).ptr;
      skip();
    }
    if (from != last) throw fail("\"distance, milliseconds\" is expected");
    if (distance < 1 || static_cast<double>(distance) > kMostDistance)
      throw InputError(place, fmt::format("a distance of {} cylinders is out of range", distance));
    if (!(ms >= kMilliseconds.min && ms <= kMilliseconds.max))
      throw InputError(place, fmt::format("a seek of {} ms is out of range; allowed: 0 to 1000", ms));
    if (!seek.rows.empty() && static_cast<double>(distance) == seek.rows.back()[0]) {
      report.note(place, fmt::format("distance {} stands twice: the first time counts, as in DiskSim", distance));
      continue;
    }
    if (!seek.rows.empty() && static_cast<double>(distance) < seek.rows.back()[0])
      throw InputError(place, fmt::format("distance {} does not follow {}: they must grow", distance,
                                          shortest(seek.rows.back()[0])));
    if (seek.rows.empty()) seek.first = place;
    seek.rows.push_back({static_cast<double>(distance), ms});
  }
  if (seek.rows.empty()) throw InputError(Place{path}, "there is no seek time in this file");
  if (announced >= 0 && announced != static_cast<std::int64_t>(seek.rows.size()))
    report.note(Place{path, 1}, fmt::format("{} seek distances are announced, {} follow", announced, seek.rows.size()));
  return seek;
}

class Converter {
 public:
  Converter(ParameterFile& file, const ParameterBlock& block, const DiskFacts& disk, const Layout& layout,
            const ReadFile& read, Report& report)
      : file_(file), disk_(disk), layout_(layout), read_(read), report_(report), reader_(file, block, report) {}

  Mechanics convert() {
    access();
    result_.rpm = static_cast<double>(reader_.needed_whole("Rotation speed (in rpms)", {60, 60'000}));
    reader_.expect("Percent error in rpms", 0,
                   "each drive turns at its rated speed (DiskSim reads it and uses it nowhere)");
    seek().head_switch_ms = reader_.needed_number("Head switch time", kMilliseconds);
    seek().write_settle_ms = reader_.needed_number("Add. write settling delay", kMilliseconds);
    spindle_text();
    DriveText& text = result_.text;
    text.section("seek");
    text.key("head_switch_ms", shortest(seek().head_switch_ms), reader_.source("Head switch time"));
    text.key("write_settle_ms", shortest(seek().write_settle_ms), reader_.source("Add. write settling delay"));
    curve();
    reposition();
    unused_numbers();
    reader_.finish();
    return std::move(result_);
  }

 private:
  actuator::SeekParams& seek() { return result_.seek; }

  void access() {
    const std::string type = reader_.needed_word("Access time type");
    const auto constant = reader_.number("Constant access time", {0, 1e6});
    if (type == "averageRotation") {
      reader_.lose("Access time type", "the angle is always followed, as trackSwitchPlusRotation");
    } else if (type == "constant") {
      reader_.lose("Access time type", "an arm and a turning disk are always modelled");
      if (constant) reader_.lose("Constant access time", "an arm and a turning disk are always modelled");
    } else if (type != "trackSwitchPlusRotation") {
      throw InputError(reader_.find("Access time type")->value.place,
                       fmt::format("Access time type: {} is none of constant, averageRotation, trackSwitchPlusRotation",
                                   printable(type)));
    }
  }

  /// What the shortest seek takes is settling, and that an arm at rest needs on any track (docs/mechanics.md).
  void reposition() {
    if (seek().curve == static_cast<int>(actuator::SeekCurve::constant)) return;
    const actuator::SeekProfile profile(seek(), static_cast<std::uint32_t>(layout_.params.zones.back()[1]) + 1);
    seek().reposition_ms = static_cast<double>(profile.seek(1)) / static_cast<double>(kPsPerMs);
    result_.text.key("reposition_ms", shortest(std::round(seek().reposition_ms * 1e6) / 1e6),
                     "as the seek to the next cylinder, which is all settling");
  }

  void spindle_text() {
    DriveText& text = result_.text;
    text.section("spindle");
    text.key("rpm", shortest(result_.rpm), reader_.source("Rotation speed (in rpms)"));
    text.key("spin_up_s", "15", "[A]");
    text.key("spin_down_s", "15", "[A]");
  }

  void curve() {
    const std::string type = reader_.needed_word("Seek type");
    if (type == "extracted") {
      extracted();
    } else if (type == "constant") {
      constant();
    } else if (type == "linear") {
      read_three();
      line();
    } else if (type == "curve") {
      lee();
    } else if (type == "hpl" || type == "hplplus10") {
      hpl(type == "hplplus10");
    } else {
      throw InputError(
          reader_.find("Seek type")->value.place,
          fmt::format("Seek type: {} is none of constant, linear, curve, hpl, hplplus10, extracted", printable(type)));
    }
  }

  // ---- A measured curve --------------------------------------------------------------------------------------------

  void extracted() {
    const std::string name = reader_.needed_word("Full seek curve");
    const Parameter& parameter = *reader_.find("Full seek curve");
    const auto [path, contents] = find_file(name, parameter.value.place);
    if (std::find(file_.files.begin(), file_.files.end(), path) == file_.files.end()) file_.files.push_back(path);
    SeekFile measured = parse_seek_file(path, contents, report_);
    auto& table = seek().table;
    table = std::move(measured.rows);
    const std::size_t given = table.size();
    if (table.front()[0] > 1) {
      const double ms = table.front()[1] / table.front()[0];
      report_.note(measured.first, fmt::format("the shortest move measured is {} cylinders: shorter ones lie on the "
                                               "line to 0, as in DiskSim",
                                               shortest(table.front()[0])));
      table.insert(table.begin(), {1, ms});
    }
    const double reach = layout_.reach;
    if (given > 1 && reach > table.back()[0]) {
      const auto& last = table.back();
      const auto& before = table[table.size() - 2];
      const double slope = (last[1] - before[1]) / (last[0] - before[0]);
      const double ms = std::clamp(last[1] + slope * (reach - last[0]), 0.0, kMilliseconds.max);
      report_.note(parameter.place,
                   fmt::format("blocks lie {} cylinders from each other and the longest move measured is {}: the line "
                               "through its last two points goes on, as in DiskSim",
                               shortest(reach), shortest(last[0])));
      table.push_back({reach, ms});
    }
    result_.text.comment(fmt::format("Read seek time (ms) against distance (cylinders), {} points: {} of {}.", given,
                                     cited(measured.first), reader_.source("Full seek curve")));
    result_.text.packed("table", table);
  }

  std::pair<std::string, std::string> find_file(const std::string& name, const Place& place) const {
    for (const char c : name)
      if (static_cast<unsigned char>(c) < ' ' || c == 127)
        throw InputError(place, fmt::format("Full seek curve: {} is no name of a file", printable(name)));
    std::vector<std::string> paths;
    for (const std::string& beside : {place.file, file_.files.front()}) {
      const std::size_t slash = beside.rfind('/');
      paths.push_back(name[0] == '/' || slash == std::string::npos ? name : beside.substr(0, slash + 1) + name);
    }
    for (const std::string& path : paths) {
      try {
        return {path, read_(path)};
      } catch (const InputError&) {
        continue;
      }
    }
    throw InputError(place, fmt::format("Full seek curve: {}: cannot be read", printable(paths.front())));
  }

  // ---- Curves of a few numbers -------------------------------------------------------------------------------------

  void constant() {
    seek().curve = static_cast<int>(actuator::SeekCurve::constant);
    seek().average_ms = reader_.needed_number("Constant seek time", kMilliseconds);
    report_.note(reader_.find("Constant seek time")->place,
                 "in DiskSim an access on the cylinder under the head takes this time too, here none");
    result_.text.key("curve", quoted("constant"), reader_.source("Seek type"));
    result_.text.key("average_ms", shortest(seek().average_ms), reader_.source("Constant seek time"));
  }

  void read_three() {
    one_ = reader_.needed_number("Single cylinder seek time", kMilliseconds);
    average_ = reader_.needed_number("Average seek time", kMilliseconds);
    full_ = reader_.needed_number("Full strobe seek time", kMilliseconds);
  }

  std::string three() const {
    return fmt::format("{}; {}; {}", reader_.source("Single cylinder seek time"), reader_.source("Average seek time"),
                       reader_.source("Full strobe seek time"));
  }

  /// From one cylinder to the average at a third of the cylinders, and from there to the full stroke.
  void line() {
    const auto cylinders = static_cast<double>(disk_.cylinders);
    const double third = std::floor(cylinders / 3);
    const auto ms = [&](double distance) {
      return distance <= third ? one_ + 3 * (distance - 1) / cylinders * (average_ - one_)
                               : average_ + (3 * distance - cylinders) / (2 * cylinders) * (full_ - average_);
    };
    double before = 0;
    for (const double distance : {1.0, third, third + 1, cylinders - 1}) {
      if (distance <= before) continue;
      seek().table.push_back({distance, std::clamp(ms(distance), 0.0, kMilliseconds.max)});
      before = distance;
    }
    result_.text.comment(
        fmt::format("A line from one cylinder to the average at a third of them, and one from there to "
                    "the full stroke: {}.",
                    three()));
    result_.text.packed("table", seek().table);
  }

  void lee() {
    read_three();
    seek().curve = static_cast<int>(actuator::SeekCurve::lee);
    seek().single_track_ms = one_;
    seek().average_ms = average_;
    seek().full_stroke_ms = full_;
    const auto zones_end = static_cast<std::uint32_t>(layout_.params.zones.back()[1]) + 1;
    if (zones_end != static_cast<std::uint32_t>(disk_.cylinders))
      report_.note(reader_.find("Seek type")->place,
                   fmt::format("the curve is for the {} cylinders of the zones, not for the {} of Number of cylinders",
                               zones_end, disk_.cylinders));
    try {
      const actuator::SeekProfile profile(seek(), zones_end);
    } catch (const InputError&) {
      // As DiskSim 2.0 did, from which the equation comes.
      report_.note(reader_.find("Seek type")->place,
                   "Lee's curve would fall somewhere with these times: two lines are taken instead");
      actuator::SeekParams plain;
      plain.head_switch_ms = seek().head_switch_ms;
      plain.write_settle_ms = seek().write_settle_ms;
      seek() = plain;
      line();
      return;
    }
    result_.text.key("curve", quoted("lee"), reader_.source("Seek type"));
    result_.text.key("single_track_ms", shortest(one_), reader_.source("Single cylinder seek time"));
    result_.text.key("average_ms", shortest(average_), reader_.source("Average seek time"));
    result_.text.key("full_stroke_ms", shortest(full_), reader_.source("Full strobe seek time"));
  }

  void hpl(bool first_ten) {
    const ParameterValue* const values = reader_.list("HPL seek equation values");
    if (!values) reader_.needed_word("HPL seek equation values");  // says that it is lacking
    const std::vector<double> v = numbers(*values, {-1, kMostDistance});
    if (v.size() != 6) throw InputError(values->place, fmt::format("6 numbers are expected, not {}", v.size()));
    for (std::size_t i = 0; i < v.size(); ++i)
      if ((v[i] < 0 && !(i == 5 && v[i] == -1)) || (i > 0 && v[i] > kMilliseconds.max))
        throw InputError(values->items[i].place, fmt::format("{} is out of range", shown(values->items[i])));
    if (v[0] != std::floor(v[0])) throw InputError(values->items[0].place, "a number of cylinders is expected");
    const double from = std::max(v[0], 1.0);

    auto& table = seek().table;
    if (first_ten) {
      const ParameterValue* const times = reader_.list("First ten seek times");
      if (!times) reader_.needed_word("First ten seek times");
      const std::vector<double> ms = numbers(*times, kMilliseconds);
      if (ms.size() != 10) throw InputError(times->place, fmt::format("10 numbers are expected, not {}", ms.size()));
      for (std::size_t i = 0; i < ms.size(); ++i) table.push_back({static_cast<double>(i + 1), ms[i]});
    } else if (v[5] != -1) {
      table.push_back({1, v[5]});
    }
    seek().curve = static_cast<int>(actuator::SeekCurve::two_piece);
    seek().two_piece = {{from, v[1], v[2], v[3], v[4]}};
    const auto cylinders = static_cast<std::uint32_t>(layout_.params.zones.back()[1]) + 1;
    try {
      const actuator::SeekProfile profile(seek(), cylinders);
    } catch (const InputError&) {
      tabulate(v, from, cylinders);
      return;
    }
    result_.text.key("curve", quoted("two_piece"), reader_.source("Seek type"));
    result_.text.comment("First distance of the second piece, a and b (ms, a + b sqrt(d)), c and e (ms, c + e d): " +
                         reader_.source("HPL seek equation values") + ".");
    result_.text.packed("two_piece", seek().two_piece);
    if (table.empty()) return;
    result_.text.comment(
        "The shortest moves: " + reader_.source(first_ten ? "First ten seek times" : "HPL seek equation values") + ".");
    result_.text.packed("table", table);
  }

  /// Pieces that do not meet are refused in a drive file as a slip of the pen; here they are what the file says.
  void tabulate(const std::vector<double>& v, double from, std::uint32_t cylinders) {
    auto& table = seek().table;
    const auto last = static_cast<double>(cylinders) - 1;
    for (double d = static_cast<double>(table.size()) + 1; d < from && d <= last; ++d)
      table.push_back({d, v[1] + v[2] * std::sqrt(d)});
    for (const double d : {from, last})
      if (d > (table.empty() ? 0 : table.back()[0])) table.push_back({d, v[3] + v[4] * d});
    for (auto& row : table) row[1] = std::min(row[1], kMilliseconds.max);
    seek().curve = static_cast<int>(actuator::SeekCurve::measured);
    seek().two_piece.clear();
    result_.text.comment("HPL's pieces do not meet, so the curve stands here distance by distance: " +
                         reader_.source("HPL seek equation values") + ".");
    result_.text.packed("table", table);
  }

  /// Those that another type of curve would use: DiskSim does not look at them either.
  void unused_numbers() {
    for (const char* const key :
         {"Single cylinder seek time", "Average seek time", "Full strobe seek time", "Constant seek time",
          "Full seek curve", "First ten seek times", "HPL seek equation values"})
      reader_.ignore(key);
  }

  ParameterFile& file_;
  const DiskFacts disk_;
  const Layout& layout_;
  const ReadFile& read_;
  Report& report_;
  BlockReader reader_;
  Mechanics result_;
  double one_ = 0, average_ = 0, full_ = 0;
};

}  // namespace

Mechanics mechanics_g1(ParameterFile& file, const ParameterBlock& mechanics, const DiskFacts& disk,
                       const Layout& layout, const ReadFile& read, Report& report) {
  return Converter(file, mechanics, disk, layout, read, report).convert();
}

}  // namespace armature::importer
