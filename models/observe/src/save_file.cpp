#include "armature/observe/save_file.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

namespace armature::observe {
namespace {

// Trace flags of GTKWave 3.3 (analyzer.h).
enum Flag : unsigned {
  kDecimal = 1u << 2,
  kBinary = 1u << 3,
  kRightJustify = 1u << 5,
  kBlank = 1u << 9,
  kAscii = 1u << 11,
  kAnalogStep = 1u << 15,
  kAnalogInterpolated = 1u << 16,
  kAnalogBlankStretch = 1u << 17,
  kGroupBegin = 1u << 23,
  kGroupEnd = 1u << 24,
};

// Colours of GTKWave, by number.
enum Colour { kRed = 1, kOrange, kYellow, kGreen };  // the rest is too dark on black

/// A part of the way: the block whose module carries this name, with a number behind it or not.
struct Station {
  std::string_view module;
  std::string_view title;
  Colour colour;
};
constexpr Station kWay[] = {
    {"host", "Host queue", kGreen},
    {"adapter", "Host adapter", kGreen},
    {"link", "Link (SATA frames)", kYellow},
    {"hif", "Host interface", kYellow},
    {"irq", "Interrupts", kRed},
    {"cpu", "Processor", kOrange},
    {"dbg", "Firmware state", kOrange},
    {"aau", "Arm arbitration", kYellow},
    {"srv", "Arm", kGreen},
    {"spn", "Spindle", kOrange},
    {"cha", "Channel arbiter", kYellow},
    {"chn", "Data channel", kYellow},
    {"sld", "Sled", kGreen},
    {"tip", "Tips", kYellow},
    {"pmu", "Power state", kOrange},
    {"power", "Power", kGreen},
};
constexpr Station kOther = {"", "Other", kGreen};
constexpr int kAnalogLines = 4;         // more lines below a curve's own
constexpr int kAngleLines = 2;          // a sawtooth needs less
constexpr int kPowerLines = 1;          // there are many of them, and what counts is when they change
constexpr double kPictureWidth = 1000;  // pixels of the waves in a window of 1400
constexpr double kNameWidth = 90;       // pixels that a marker's name needs
constexpr std::size_t kNamedMarkers = 26;

struct Placed {
  std::size_t station;  // index into kWay; the number of stations for others
  std::string number;   // "0" of "srv0"
  const FstTrace::Variable* variable;
};

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts(1);
  for (const char c : path) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

Placed place(const FstTrace::Variable& variable) {
  const auto parts = parts_of(variable.info.path);
  // The innermost module decides; the leaf itself and the drive are none.
  for (std::size_t i = parts.size() - 1; i-- > 1;) {
    const auto digits = parts[i].find_last_not_of("0123456789") + 1;
    for (std::size_t s = 0; s < std::size(kWay); ++s) {
      if (parts[i].compare(0, digits, kWay[s].module) == 0) return {s, parts[i].substr(digits), &variable};
    }
  }
  return {std::size(kWay), "", &variable};
}

/// "tag" of "atlas.disk.chn0.tag"; the whole path below the drive if the module is none that we know.
std::string display_name(const Placed& placed) {
  const std::string& path = placed.variable->info.path;
  const std::size_t begin = placed.station == std::size(kWay) ? path.find('.') + 1 : path.rfind('.') + 1;
  std::string name = path.substr(begin);
  if (placed.station < std::size(kWay)) std::replace(name.begin(), name.end(), '_', ' ');
  if (!placed.variable->info.unit.empty()) name += ", " + placed.variable->info.unit;
  return name;
}

void write_variable(std::string& out, const Placed& placed, Colour colour) {
  const FstTrace::Variable& variable = *placed.variable;
  unsigned flags = kRightJustify | kBinary;
  bool analog = false;
  switch (variable.info.kind) {
    case ProbeInfo::Kind::bit:
      break;
    case ProbeInfo::Kind::vector:
      flags = kRightJustify | kDecimal;
      break;
    case ProbeInfo::Kind::text:
      flags = kRightJustify | kAscii;
      break;
    case ProbeInfo::Kind::real:
      // Power changes at once, with a state; positions and angles are trajectories.
      flags = kRightJustify | kBinary | (variable.info.unit == "W" ? kAnalogStep : kAnalogInterpolated);
      analog = true;
      break;
  }
  out += fmt::format("@{:x}\n[color] {}\n+{{{}}} {}\n", flags, static_cast<int>(colour), display_name(placed),
                     variable.name);
  if (!analog) return;
  out += fmt::format("@{:x}\n", static_cast<unsigned>(kAnalogBlankStretch));
  const int lines = variable.info.unit == "rev" ? kAngleLines : variable.info.unit == "W" ? kPowerLines : kAnalogLines;
  for (int line = 0; line < lines; ++line) out += "-\n";
}

/// A heading rather than a group that folds: its closing line would cost as much room as a variable.
void write_station(std::string& out, const std::string& title, const std::vector<Placed>& members, Colour colour) {
  out += fmt::format("@{:x}\n-{}\n", static_cast<unsigned>(kBlank), title);
  for (const Placed& placed : members) write_variable(out, placed, colour);
}

/// The line of zoom and markers, and the markers' names. The zoom is -log2 of the time that 200 pixels stand for.
std::string picture(Ps from, Ps to, const std::vector<Marker>& markers) {
  const double ps_per_pixel = static_cast<double>(std::max<Ps>(to - from, 1)) / kPictureWidth;
  std::string out =
      fmt::format("*{:.6f} {}", -std::log2(ps_per_pixel * 200), markers.empty() ? -1 : markers.front().at);
  for (std::size_t i = 0; i < kNamedMarkers; ++i) out += fmt::format(" {}", i < markers.size() ? markers[i].at : -1);
  out += '\n';
  // Markers that stand too close for their names share one: the first has all names, the others a blank one, for
  // without a name they would show their letter.
  std::size_t first = 0;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(markers.size(), kNamedMarkers); ++i) {
    if (i > 0 && static_cast<double>(markers[i].at - markers[first].at) < kNameWidth * ps_per_pixel) {
      names[first] += ", " + markers[i].name;
      names.emplace_back(".");
    } else {
      first = i;
      names.push_back(markers[i].name);
    }
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += fmt::format("[markername] {}{}\n", static_cast<char>('A' + i), names[i]);
  }
  return out;
}

}  // namespace

std::string save_file_text(const WaveView& view) {
  std::string out = "[*] Armature: the values in the order of a request's way\n";
  out += fmt::format("[timestart] {}\n[size] 1400 1000\n[pos] -1 -1\n", view.from);
  out += picture(view.from, view.to, view.markers);
  out += "[sst_width] 180\n[signals_width] 230\n[sst_expanded] 0\n";

  std::vector<std::string> drives;
  std::vector<Placed> all;
  for (const auto& variable : view.variables) {
    const std::string drive = parts_of(variable.info.path).front();
    if (std::find(drives.begin(), drives.end(), drive) == drives.end()) drives.push_back(drive);
    if (variable.info.kind == ProbeInfo::Kind::bit && !variable.changed) continue;
    if (variable.silent) continue;  // a slot that nobody used
    all.push_back(place(variable));
  }
  for (const std::string& drive : drives) {
    std::vector<Placed> mine;
    for (const Placed& placed : all) {
      if (parts_of(placed.variable->info.path).front() == drive) mine.push_back(placed);
    }
    std::stable_sort(mine.begin(), mine.end(), [](const Placed& a, const Placed& b) {
      if (a.station != b.station) return a.station < b.station;
      return a.number.size() != b.number.size() ? a.number.size() < b.number.size() : a.number < b.number;
    });
    if (drives.size() > 1) out += fmt::format("@{:x}\n-{}\n", kGroupBegin | kBlank, drive);
    for (std::size_t i = 0; i < mine.size();) {
      std::vector<Placed> group;
      const std::size_t first = i;
      while (i < mine.size() && mine[i].station == mine[first].station && mine[i].number == mine[first].number) {
        group.push_back(mine[i++]);
      }
      const Station& station = mine[first].station < std::size(kWay) ? kWay[mine[first].station] : kOther;
      std::string title(station.title);
      if (!mine[first].number.empty()) title += " " + mine[first].number;
      write_station(out, title, group, station.colour);
    }
    if (drives.size() > 1) out += fmt::format("@{:x}\n-{}\n", kGroupEnd | kBlank, drive);
  }
  out += "[pattern_trace] 1\n[pattern_trace] 0\n";
  return out;
}

void write_save_file(const std::filesystem::path& file, const WaveView& view) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << save_file_text(view);
  out.close();
  if (!out) throw InputError("cannot write " + file.string());
}

std::string with_picture(const std::string& text, Ps from, Ps to, const std::vector<Marker>& markers) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("[markername]", 0) == 0) continue;
    if (line.rfind("[timestart]", 0) == 0) {
      out += fmt::format("[timestart] {}\n", from);
    } else if (line.rfind('*', 0) == 0) {
      out += picture(from, to, markers);
    } else {
      out += line + "\n";
    }
  }
  return out;
}

}  // namespace armature::observe
