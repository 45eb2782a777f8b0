#include "conversion.h"

#include "armature/core/error.h"
#include "find_file.h"
#include "seek_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

// The meaning of the keys is in DiskSim's diskmodel/modules/mech_g1.modspec and doc/dm_param.tex (the equations), and
// done in diskmodel/mech_g1_load.c and mech_g1_seektime.c. Lee's curve, the three-point line and HPL's are computed
// wrongly there since they were rewritten for integer time; the published equations are taken
// (docs/reference/import.md).

namespace armature::importer {
namespace {

constexpr Range kMilliseconds{0, 1'000};
constexpr double kMostDistance = media::Geometry::kMaxCylinders - 1.0;

class Converter {
 public:
  Converter(ParameterFile& file, const ParameterBlock& block, const DiskFacts& disk, const Layout& layout,
            const ReadFile& read, Report& report)
      : file_(file), disk_(disk), layout_(layout), read_(read), report_(report), reader_(file, block, report) {}

  Mechanics convert() {
    access();
    result_.rpm = reader_.needed_number("Rotation speed (in rpms)", {60, 60'000});
    reader_.expect("Percent error in rpms", 0,
                   "each drive turns at its rated speed (DiskSim reads it and uses it nowhere)");
    seek().head_switch_ms = reader_.number_or_none("Head switch time", {0, below_a_turn()});
    seek().write_settle_ms = reader_.number_or_none("Add. write settling delay", {0, below_a_turn()});
    const std::string type = seek_type();
    std::string write_settle = reader_.source("Add. write settling delay");
    if (type == "extracted") measured_ = measured_curve();
    if (measured_ && settle_by_write_times())
      write_settle = fmt::format("mean of the fourth column, {} ff.", cited(measured_->first_of_four));
    spindle_text();
    DriveText& text = result_.text;
    text.section("seek");
    text.key("head_switch_ms", shortest(seek().head_switch_ms), reader_.source("Head switch time"));
    text.key("write_settle_ms", shortest(seek().write_settle_ms), write_settle);
    curve(type);
    reposition();
    unused_numbers();
    reader_.finish();
    return std::move(result_);
  }

 private:
  actuator::SeekParams& seek() { return result_.seek; }

  /// A drive counts head switches and settling in fractions of a revolution (drive/src/disk_record.cpp). Whole us.
  double below_a_turn() const { return std::floor(0.9999 * 60e6 / result_.rpm) / 1e3; }

  void access() {
    const std::string type = reader_.word("Access time type").value_or("trackSwitchPlusRotation");
    const auto constant = reader_.number("Constant access time", {0, 1e6});
    if (type == "averageRotation") {
      reader_.lose("Access time type", "the angle is always followed, as trackSwitchPlusRotation");
    } else if (type == "constant") {
      reader_.lose("Access time type", "an arm and a turning disk are always modelled");
      if (constant) reader_.lose("Constant access time", "an arm and a turning disk are always modelled");
    } else if (type != "trackSwitchPlusRotation") {
      reader_.lose("Access time type",
                   "is none of constant, averageRotation, trackSwitchPlusRotation: the last is taken");
    }
  }

  /// What an arm at rest needs to settle anew: of the shortest seek the part that is no move (docs/guide/mechanics.md).
  void reposition() {
    if (seek().curve == actuator::SeekCurve::constant) return;
    const actuator::SeekProfile profile(seek(),
                                        static_cast<std::uint32_t>(layout_.params.zones.back().last_cylinder) + 1);
    const double half = static_cast<double>(profile.seek(1)) / 2 / static_cast<double>(kPsPerMs);
    seek().reposition_ms = std::min(half, below_a_turn());
    result_.text.key("reposition_ms", shortest(std::round(seek().reposition_ms * 1e6) / 1e6),
                     half > below_a_turn() ? "[A] half of the seek to the next cylinder is a revolution and more"
                                           : "[A] half of the seek to the next cylinder");
  }

  void spindle_text() {
    DriveText& text = result_.text;
    text.section("spindle");
    text.key("rpm", shortest(result_.rpm), reader_.source("Rotation speed (in rpms)"));
    text.key("spin_up_s", "15", "[A]");
    text.key("spin_down_s", "15", "[A]");
  }

  void curve(const std::string& type) {
    if (type == "extracted") {
      extracted();
    } else if (type == "constant") {
      constant();
    } else if (type == "linear") {
      read_three();
      line();
    } else if (type == "curve") {
      lee();
    } else {
      hpl(type == "hplplus10");
    }
  }

  bool has_three() const {
    return reader_.find("Single cylinder seek time") && reader_.find("Average seek time") &&
           reader_.find("Full strobe seek time");
  }

  /// What the numbers in the block are for; empty: for none.
  std::string type_of_numbers() const {
    if (reader_.find("Full seek curve")) return "extracted";
    if (reader_.find("HPL seek equation values")) return reader_.find("First ten seek times") ? "hplplus10" : "hpl";
    if (has_three()) return "curve";
    return reader_.find("Constant seek time") ? "constant" : "";
  }

  std::string seek_type() {
    const auto given = reader_.word("Seek type");
    for (const char* const type : {"constant", "linear", "curve", "hpl", "hplplus10", "extracted"})
      if (given == type) return type;
    std::string type = type_of_numbers();
    const Parameter* const parameter = reader_.find("Seek type");
    if (type.empty() && given)
      throw InputError(parameter->value.place,
                       fmt::format("Seek type: {} is none of constant, linear, curve, hpl, hplplus10, extracted",
                                   printable(*given)));
    if (type.empty()) throw InputError(reader_.read().place, "there is no Seek type and no seek time");
    report_.note(parameter ? parameter->place : reader_.read().place,
                 fmt::format("Seek type {}: {} is taken, for which the numbers are given",
                             given ? fmt::format("{} is none of DiskSim's", printable(*given)) : "is missing", type));
    return type;
  }

  // ---- A measured curve --------------------------------------------------------------------------------------------

  /// Nothing: there is no file, but three times to do without it.
  std::optional<SeekFile> measured_curve() {
    const auto name = reader_.word("Full seek curve");
    const Parameter* const parameter = reader_.find("Full seek curve");
    if (!name && !has_three()) reader_.lacks("Full seek curve");
    const std::optional<FoundFile> file = name ? seek_file(*name, *parameter) : std::nullopt;
    if (!file) {
      report_.note(parameter ? parameter->place : reader_.read().place,
                   fmt::format("there is no file with the seek curve{}: Lee's curve through the three times is taken",
                               name ? " " + printable(*name) : ""));
      return std::nullopt;
    }
    if (std::find(file_.files.begin(), file_.files.end(), file->path) == file_.files.end())
      file_.files.push_back(file->path);
    return parse_seek_file(file->path, file->text, report_);
  }

  void extracted() {
    if (measured_) {
      table_of(std::move(*measured_), *reader_.find("Full seek curve"));
    } else {
      lee();
    }
  }

  /// Where the file has times of writes: a drive has one curve, of reads, and one settling time that writes need in
  /// addition. The nearest is the mean of what writes take longer, over all moves from anywhere to anywhere.
  bool settle_by_write_times() {
    const std::vector<actuator::SeekPoint>& more = measured_->more;
    if (more.empty()) return false;
    const double mean = mean_over_moves(more);
    const auto ends =
        std::minmax_element(more.begin(), more.end(),
                            [](const actuator::SeekPoint& a, const actuator::SeekPoint& b) { return a.ms < b.ms; });
    const auto note = [&](const std::string& taken) {
      report_.note(measured_->first_of_four,
                   fmt::format("the fourth column is {:.4g} to {:.4g} ms above the second, {:.4g} ms in the mean over "
                               "all moves: {}",
                               ends.first->ms, ends.second->ms, mean, taken));
    };
    if (mean > below_a_turn()) {
      note("as seek times of writes that is too much, more than a revolution; it is not used");
      return false;
    }
    const double settle = std::max(std::round(mean * 1e6) / 1e6, 0.0);
    note(
        fmt::format("these are taken for seek times of writes. A drive has one curve of reads and one settling time "
                    "that all writes need in addition: write_settle_ms = {}{}",
                    shortest(settle), mean < 0 ? ", as it cannot be less" : ""));
    const Parameter* const given = reader_.find("Add. write settling delay");
    if (given && seek().write_settle_ms != 0 && seek().write_settle_ms != settle)
      report_.note(given->place, "Add. write settling delay: the times of writes in the seek file count instead");
    seek().write_settle_ms = settle;
    return true;
  }

  /// Of what is linear between its points and constant outside: every pair of different cylinders counts once.
  double mean_over_moves(const std::vector<actuator::SeekPoint>& points) const {
    const std::int64_t cylinders = std::max<std::int64_t>(layout_.reach + std::int64_t{1}, 2);
    double sum = 0, pairs = 0;
    auto behind = points.begin();
    for (std::int64_t distance = 1; distance < cylinders; ++distance) {
      while (behind != points.end() && behind->cylinders < distance) ++behind;
      double ms = behind == points.end() ? points.back().ms : behind->ms;
      if (behind != points.end() && behind != points.begin() && behind->cylinders > distance) {
        const actuator::SeekPoint &a = *(behind - 1), &b = *behind;
        ms = a.ms + (b.ms - a.ms) * static_cast<double>(distance - a.cylinders) /
                        static_cast<double>(b.cylinders - a.cylinders);
      }
      const auto weight = static_cast<double>(cylinders - distance);
      sum += weight * ms;
      pairs += weight;
    }
    return sum / pairs;
  }

  /// Nothing: there is none, and three times are there to do without it.
  std::optional<FoundFile> seek_file(const std::string& name, const Parameter& parameter) const {
    const Place& place = parameter.value.place;
    for (const char c : name)
      if (static_cast<unsigned char>(c) < ' ' || c == 127)
        throw InputError(place, fmt::format("Full seek curve: {} is no name of a file", printable(name)));
    const std::string& first = file_.files.front();
    FoundFile file = find_file(name, place.file, first.substr(0, first.rfind('/') + 1), read_);
    if (file.elsewhere)
      report_.note(parameter.place, fmt::format("Full seek curve: {} is not there; the file of that name beside this "
                                                "one is taken",
                                                printable(name)));
    if (!file.path.empty()) return file;
    if (has_three()) return std::nullopt;
    throw InputError(place, fmt::format("Full seek curve: {}: cannot be read", printable(file.looked_for_first)));
  }

  void table_of(SeekFile measured, const Parameter& parameter) {
    auto& table = seek().table;
    table = std::move(measured.rows);
    const std::size_t given = table.size();
    if (table.front().cylinders > 1) {
      const double ms = table.front().ms / static_cast<double>(table.front().cylinders);
      report_.note(measured.first, fmt::format("the shortest move measured is {} cylinders: shorter ones lie on the "
                                               "line to 0, as in DiskSim",
                                               table.front().cylinders));
      table.insert(table.begin(), {1, ms});
    }
    const std::int64_t reach = layout_.reach;
    if (given > 1 && reach > table.back().cylinders) {
      const actuator::SeekPoint last = table.back(), before = table[table.size() - 2];
      const double slope = (last.ms - before.ms) / static_cast<double>(last.cylinders - before.cylinders);
      const double ms =
          std::clamp(last.ms + slope * static_cast<double>(reach - last.cylinders), 0.0, kMilliseconds.max);
      report_.note(parameter.place,
                   fmt::format("blocks lie {} cylinders from each other and the longest move measured is {}: the line "
                               "through its last two points goes on, as in DiskSim",
                               reach, last.cylinders));
      table.push_back({reach, ms});
    }
    result_.text.comment(fmt::format("Read seek time (ms) against distance (cylinders), {} points: {} of {}.", given,
                                     cited(measured.first), reader_.source("Full seek curve")));
    result_.text.packed("table", seek());
  }

  // ---- Curves of a few numbers -------------------------------------------------------------------------------------

  void constant() {
    seek().curve = actuator::SeekCurve::constant;
    seek().average_ms = needed_ms("Constant seek time");
    report_.note(reader_.find("Constant seek time")->place,
                 "in DiskSim an access on the cylinder under the head takes this time too, here none");
    result_.text.key("curve", toml_string("constant"), reader_.source("Seek type"));
    result_.text.key("average_ms", shortest(seek().average_ms), reader_.source("Constant seek time"));
  }

  double needed_ms(const char* key) {
    const auto ms = reader_.number(key, kMilliseconds);
    if (!ms) reader_.lacks(key);
    return *ms;
  }

  void read_three() {
    one_ = needed_ms("Single cylinder seek time");
    average_ = needed_ms("Average seek time");
    full_ = needed_ms("Full strobe seek time");
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
      seek().table.push_back({static_cast<std::int64_t>(distance), std::clamp(ms(distance), 0.0, kMilliseconds.max)});
      before = distance;
    }
    result_.text.comment(
        fmt::format("A line from one cylinder to the average at a third of them, and one from there to "
                    "the full stroke: {}.",
                    three()));
    result_.text.packed("table", seek());
  }

  void lee() {
    read_three();
    seek().curve = actuator::SeekCurve::lee;
    seek().single_track_ms = one_;
    seek().average_ms = average_;
    seek().full_stroke_ms = full_;
    const auto zones_end = static_cast<std::uint32_t>(layout_.params.zones.back().last_cylinder) + 1;
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
    result_.text.key("curve", toml_string("lee"), reader_.source("Seek type"));
    result_.text.key("single_track_ms", shortest(one_), reader_.source("Single cylinder seek time"));
    result_.text.key("average_ms", shortest(average_), reader_.source("Average seek time"));
    result_.text.key("full_stroke_ms", shortest(full_), reader_.source("Full strobe seek time"));
  }

  /// Numbers of a list, those outside the range taken as the nearest inside; `none` is allowed too.
  std::vector<double> clamped(const ParameterValue& list, Range range, double none) {
    std::vector<double> values = numbers(list, {-1e12, 1e12});
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double taken = std::clamp(values[i], range.min, range.max);
      if (taken == values[i] || values[i] == none) continue;
      report_.note(list.items[i].place, fmt::format("{} is not in {} to {}, taken as {}", shown(list.items[i]),
                                                    shortest(range.min), shortest(range.max), shortest(taken)));
      values[i] = taken;
    }
    return values;
  }

  /// V1 in cylinders, V2 to V6 in ms; V6 may be -1: none.
  std::vector<double> hpl_values() {
    const ParameterValue* const list = reader_.list("HPL seek equation values");
    if (!list) reader_.lacks("HPL seek equation values");
    if (list->items.size() < 6)
      throw InputError(list->place, fmt::format("6 numbers are expected, not {}", list->items.size()));
    if (list->items.size() > 6) report_.note(list->items[6].place, "only the first 6 numbers are used, as in DiskSim");
    ParameterValue distance = *list, times = *list;
    distance.items.resize(1);
    times.items.resize(6);
    times.items.erase(times.items.begin());
    std::vector<double> v = clamped(distance, {0, kMostDistance}, 0);
    if (v[0] != std::round(v[0])) {
      report_.note(list->items[0].place, fmt::format("{} should be a number of cylinders, taken as {}", shortest(v[0]),
                                                     shortest(std::round(v[0]))));
      v[0] = std::round(v[0]);
    }
    for (const double ms : clamped(times, kMilliseconds, -1)) v.push_back(ms);
    for (std::size_t i = 1; i < 5; ++i) v[i] = std::max(v[i], 0.0);
    return v;
  }

  void hpl(bool first_ten) {
    const std::vector<double> v = hpl_values();
    const double from = std::max(v[0], 1.0);

    auto& table = seek().table;
    const ParameterValue* const times = first_ten ? reader_.list("First ten seek times") : nullptr;
    if (first_ten && (!times || times->items.size() != 10))
      report_.note(times ? times->place : reader_.read().place,
                   fmt::format("10 First ten seek times are expected, {} are given", times ? times->items.size() : 0));
    if (times) {
      const std::vector<double> ms = clamped(*times, kMilliseconds, 0);
      for (std::size_t i = 0; i < std::min<std::size_t>(ms.size(), 10); ++i)
        table.push_back({static_cast<std::int64_t>(i + 1), ms[i]});
    }
    if (table.empty() && v[5] != -1) table.push_back({1, v[5]});
    seek().curve = actuator::SeekCurve::two_piece;
    seek().two_piece = {{static_cast<std::int64_t>(from), v[1], v[2], v[3], v[4]}};
    const auto cylinders = static_cast<std::uint32_t>(layout_.params.zones.back().last_cylinder) + 1;
    try {
      const actuator::SeekProfile profile(seek(), cylinders);
    } catch (const InputError&) {
      tabulate(v, from, cylinders);
      return;
    }
    result_.text.key("curve", toml_string("two_piece"), reader_.source("Seek type"));
    result_.text.comment("First distance of the second piece, a and b (ms, a + b sqrt(d)), c and e (ms, c + e d): " +
                         reader_.source("HPL seek equation values") + ".");
    result_.text.packed("two_piece", seek());
    if (table.empty()) return;
    result_.text.comment(
        "The shortest moves: " + reader_.source(first_ten ? "First ten seek times" : "HPL seek equation values") + ".");
    result_.text.packed("table", seek());
  }

  /// Pieces that do not meet are refused in a drive file as a slip of the pen; here they are what the file says.
  void tabulate(const std::vector<double>& v, double from, std::uint32_t cylinders) {
    auto& table = seek().table;
    const auto last = static_cast<double>(cylinders) - 1;
    for (double d = static_cast<double>(table.size()) + 1; d < from && d <= last; ++d)
      table.push_back({static_cast<std::int64_t>(d), v[1] + v[2] * std::sqrt(d)});
    for (const double d : {from, last})
      if (const auto cylinders_over = static_cast<std::int64_t>(d);
          cylinders_over > (table.empty() ? 0 : table.back().cylinders))
        table.push_back({cylinders_over, v[3] + v[4] * d});
    for (actuator::SeekPoint& row : table) row.ms = std::min(row.ms, kMilliseconds.max);
    seek().curve = actuator::SeekCurve::measured;
    seek().two_piece.clear();
    result_.text.comment("HPL's pieces do not meet, so the curve stands here distance by distance: " +
                         reader_.source("HPL seek equation values") + ".");
    result_.text.packed("table", seek());
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
  std::optional<SeekFile> measured_;
  double one_ = 0, average_ = 0, full_ = 0;
};

}  // namespace

Mechanics mechanics_g1(ParameterFile& file, const ParameterBlock& mechanics, const DiskFacts& disk,
                       const Layout& layout, const ReadFile& read, Report& report) {
  return Converter(file, mechanics, disk, layout, read, report).convert();
}

}  // namespace armature::importer
