#include "armature/observe/save_file.h"

#include "armature/core/error.h"
#include "armature/core/output_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace armature::observe {
namespace {

// Trace flags of GTKWave 3.3 (analyzer.h).
enum Flag : unsigned {
  kHex = 1u << 1,
  kDecimal = 1u << 2,
  kBinary = 1u << 3,
  kRightJustify = 1u << 5,
  kBlank = 1u << 9,
  kAscii = 1u << 11,
  kAnalogStep = 1u << 15,
  kAnalogInterpolated = 1u << 16,
  kAnalogBlankStretch = 1u << 17,
  kClosed = 1u << 22,
  kGroupBegin = 1u << 23,
  kGroupEnd = 1u << 24,
};

// Colours of GTKWave, by number.
enum Colour { kRed = 1, kOrange, kYellow, kGreen };  // the rest is too dark on black

/// How a part of the way stands in the picture.
enum class Shape {
  heading,  ///< a line above it: the closing line of a group would cost as much room as a variable
  group,    ///< folds, and stands open
  folded,   ///< folds, and stands folded
};

/// A part of the way: the block whose module carries this name, with a number behind it or not.
struct Station {
  std::string_view module;
  std::string_view title;
  Colour colour;
  Shape shape = Shape::heading;
};
constexpr std::string_view kSlots = "slots", kRtl = "rtl";
constexpr Station kWay[] = {
    {"requests", "Requests", kGreen, Shape::group},
    {"faults", "Faults", kRed},
    {"host", "Host queue", kGreen},
    {"adapter", "Host adapter", kGreen},
    {"ahci", "AHCI controller", kGreen},
    {"port", "AHCI port", kGreen},
    {"link", "Link (SATA frames)", kYellow},
    {"hif", "Host interface", kYellow},
    {"irq", "Interrupts", kRed, Shape::group},
    {"cpu", "Processor", kOrange},
    {"dbg", "Firmware state", kOrange},
    {"buf", "Buffer RAM", kOrange},
    {"srv", "Arm", kGreen},
    {"sld", "Sled", kGreen},
    {"spn", "Spindle", kOrange},
    {"chn", "Data channel", kYellow},
    {"tip", "Tips", kYellow},
    {"aau", "Arm arbitration", kYellow},
    {"cha", "Channel arbiter", kYellow},
    {kSlots, "Slots of the arm arbitration", kYellow, Shape::group},
    {kRtl, "RTL of", kYellow, Shape::folded},
    {"pmu", "Power state", kOrange},
    {"nvm", "Flash", kOrange},
    {"thermal", "Temperatures", kOrange, Shape::group},
    {"power", "Power", kGreen, Shape::folded},
};
constexpr Station kOther = {"", "Other", kGreen};
constexpr int kAnalogLines = 4;         // more lines below a curve's own
constexpr int kAngleLines = 2;          // a sawtooth needs less
constexpr int kPowerLines = 1;          // there are many of them, and what counts is when they change
constexpr double kPictureWidth = 1000;  // pixels of the waves in a window of 1400
constexpr double kLetterWidth = 7;      // pixels of a letter of a marker's name, which stands centred over the marker
constexpr std::size_t kNamedMarkers = 26;

struct Placed {
  std::size_t station;  // index into kWay; the number of stations for others
  std::string number;   // "0" of "srv0"; "aau" of "aau.rtl"
  const FstTrace::Variable* variable;
  bool sled =
      false;  // of a drive that moves a sled: its sleds and tips have the registers and lines of arms and channels
};

/// "sld0" of "srv0", "grant sled" of "grant arm", "Sled arbitration" of "Arm arbitration".
std::string of_sled(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"srv", "sld"}, {"chn", "tip"}, {"arm", "sled"}, {"Arm", "Sled"}};
  for (const auto& [word, other] : kWords)
    if (const std::size_t at = text.find(word); at != std::string::npos) text.replace(at, word.size(), other);
  return text;
}

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

std::size_t station_of(std::string_view module) {
  std::size_t s = 0;
  while (s < std::size(kWay) && kWay[s].module != module) ++s;
  return s;
}

Placed place(const FstTrace::Variable& variable) {
  const auto parts = parts_of(variable.info.path);
  // The innermost module decides; the leaf itself and the drive are none.
  for (std::size_t i = parts.size() - 1; i-- > 1;) {
    if (parts[i] == kRtl) return {station_of(kRtl), parts[i - 1], &variable};
    const auto digits = parts[i].find_last_not_of("0123456789") + 1;
    const std::size_t s = station_of(std::string_view(parts[i]).substr(0, digits));
    if (s == std::size(kWay)) continue;
    if (kWay[s].module == "aau" && parts.back().rfind("slot", 0) == 0) return {station_of(kSlots), "", &variable};
    return {s, parts[i].substr(digits), &variable};
  }
  // What stands outside of all drives.
  return {parts.size() == 2 ? station_of(parts.front()) : std::size(kWay), "", &variable};
}

/// "tag" of "atlas.disk.chn0.tag"; "disk0 share" of "array.power.disk0.share"; the whole path below the drive if the
/// module is none that we know.
std::string display_name(const Placed& placed) {
  const std::string& path = placed.variable->info.path;
  constexpr std::string_view kArrayPower = "array.power.";
  const std::size_t begin = path.rfind(kArrayPower, 0) == 0     ? kArrayPower.size()
                            : placed.station == std::size(kWay) ? path.find('.') + 1
                                                                : path.rfind('.') + 1;
  std::string name = path.substr(begin);
  if (path.rfind(kArrayPower, 0) == 0) std::replace(name.begin(), name.end(), '.', ' ');
  if (placed.station < std::size(kWay)) std::replace(name.begin(), name.end(), '_', ' ');
  const bool shared = placed.station < std::size(kWay) &&
                      (kWay[placed.station].module == "irq" || kWay[placed.station].module == "aau");
  if (placed.sled && shared) name = of_sled(name);
  const std::string& unit = placed.variable->info.unit;
  if (!unit.empty() && unit != "hex") name += ", " + unit;
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
      flags = kRightJustify | (variable.info.unit == "hex" ? kHex : kDecimal);
      break;
    case ProbeInfo::Kind::text:
      flags = kRightJustify | kAscii;
      break;
    case ProbeInfo::Kind::real:
      if (variable.info.unit == "us") break;  // a figure that is read, not a curve
      flags = kRightJustify | kBinary | (variable.info.held ? kAnalogStep : kAnalogInterpolated);
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

void write_station(std::string& out, const std::string& title, const std::vector<Placed>& members,
                   const Station& station, bool selected) {
  const bool group = station.shape != Shape::heading && members.size() > 1;
  const unsigned folded = station.shape == Shape::folded && !selected ? static_cast<unsigned>(kClosed) : 0;
  out += fmt::format("@{:x}\n-{}\n", kBlank | (group ? kGroupBegin | folded : 0), title);
  for (const Placed& placed : members) write_variable(out, placed, station.colour);
  if (group) out += fmt::format("@{:x}\n-{}\n", kBlank | kGroupEnd | folded, title);
}

/// Markers that share a name.
struct NamedTogether {
  std::size_t first, last;  ///< of the markers
  std::string name;
};

/// Markers that stand too close for their names share one: the first has the names, of more than two the first and the
/// last.
std::vector<NamedTogether> named_together(const std::vector<Marker>& markers, double ps_per_pixel) {
  const auto collide = [&](const NamedTogether& a, const NamedTogether& b) {
    const auto letters = static_cast<double>(a.name.size() + b.name.size()) / 2 + 1;
    return static_cast<double>(markers[b.first].at - markers[a.first].at) < letters * kLetterWidth * ps_per_pixel;
  };
  std::vector<NamedTogether> names;
  for (std::size_t i = 0; i < std::min(markers.size(), kNamedMarkers); ++i) {
    names.push_back({i, i, markers[i].name});
    while (names.size() > 1 && collide(names[names.size() - 2], names.back())) {
      const std::size_t last = names.back().last;
      names.pop_back();
      NamedTogether& first = names.back();
      first.last = last;
      first.name = markers[first.first].name + (last == first.first + 1 ? ", " : " .. ") + markers[last].name;
    }
  }
  return names;
}

/// The line of zoom and markers, and the markers' names. The zoom is -log2 of the time that 200 pixels stand for.
std::string picture(Ps from, Ps to, const std::vector<Marker>& markers) {
  const double ps_per_pixel = static_cast<double>(std::max<Ps>(to - from, 1)) / kPictureWidth;
  std::string out =
      fmt::format("*{:.6f} {}", -std::log2(ps_per_pixel * 200), markers.empty() ? -1 : markers.front().at);
  for (std::size_t i = 0; i < kNamedMarkers; ++i) out += fmt::format(" {}", i < markers.size() ? markers[i].at : -1);
  out += '\n';
  // Those that share the first one's name have a dot: without a name they would show their letter.
  for (const NamedTogether& together : named_together(markers, ps_per_pixel))
    for (std::size_t i = together.first; i <= together.last; ++i)
      out += fmt::format("[markername] {}{}\n", static_cast<char>('A' + i), i == together.first ? together.name : ".");
  return out;
}

/// What a view shows, in its order: a part of the way with its variables.
struct Part {
  std::string drive;
  const Station* station;
  std::string title;
  std::vector<Placed> members;
};

std::vector<Part> parts_of(const WaveView& view) {
  std::vector<std::string> drives;
  std::vector<Placed> all;
  if (!view.first_drive.empty()) drives.push_back(view.first_drive);
  for (const auto& variable : view.variables) {
    const std::string drive = parts_of(variable.info.path).front();
    if (std::find(drives.begin(), drives.end(), drive) == drives.end()) drives.push_back(drive);
    const Placed placed = place(variable);
    // Pins and nets are shown as they are: a reset that stays released says something.
    const bool pin = placed.station < std::size(kWay) && kWay[placed.station].module == kRtl;
    if (variable.info.kind == ProbeInfo::Kind::bit && !variable.changed && !pin) continue;
    if (variable.silent) continue;  // a slot that nobody used
    all.push_back(placed);
  }
  std::vector<Part> parts;
  for (const std::string& drive : drives) {
    std::vector<Placed> mine;
    for (const Placed& placed : all) {
      if (parts_of(placed.variable->info.path).front() == drive) mine.push_back(placed);
    }
    const bool sled = std::any_of(mine.begin(), mine.end(), [](const Placed& placed) {
      return placed.station < std::size(kWay) && kWay[placed.station].module == "sld";
    });
    for (Placed& placed : mine) placed.sled = sled;
    std::stable_sort(mine.begin(), mine.end(), [](const Placed& a, const Placed& b) {
      if (a.station != b.station) return a.station < b.station;
      return a.number.size() != b.number.size() ? a.number.size() < b.number.size() : a.number < b.number;
    });
    for (std::size_t i = 0; i < mine.size();) {
      const std::size_t first = i;
      const Station& station = mine[first].station < std::size(kWay) ? kWay[mine[first].station] : kOther;
      Part part{drive, &station, std::string(station.title), {}};
      while (i < mine.size() && mine[i].station == mine[first].station && mine[i].number == mine[first].number)
        part.members.push_back(mine[i++]);
      if (station.module == kRtl)
        part.title += mine[first].number == "aau" ? " the arm arbitration" : " the channel arbiter";
      else if (!mine[first].number.empty())
        part.title += " " + mine[first].number;
      if (sled) part.title = of_sled(part.title);
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

}  // namespace

std::string save_file_text(const WaveView& view) {
  std::string out = "[*] Armature: the values in the order of a request's way\n";
  out += fmt::format("[timestart] {}\n[size] 1400 1000\n[pos] -1 -1\n", view.from);
  out += picture(view.from, view.to, view.markers);
  out += "[sst_width] 180\n[signals_width] 300\n[sst_expanded] 0\n";
  const std::vector<Part> parts = parts_of(view);
  const bool several = !parts.empty() && parts.front().drive != parts.back().drive;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    if (several && (i == 0 || parts[i - 1].drive != part.drive))
      out += fmt::format("@{:x}\n-{}\n", kGroupBegin | kBlank, part.drive);
    write_station(out, part.title, part.members, *part.station, view.selected);
    if (several && (i + 1 == parts.size() || parts[i + 1].drive != part.drive))
      out += fmt::format("@{:x}\n-{}\n", kGroupEnd | kBlank, part.drive);
  }
  out += "[pattern_trace] 1\n[pattern_trace] 0\n";
  return out;
}

std::string surfer_commands(const WaveView& view) {
  const auto word = [](std::string text) {
    std::replace(text.begin(), text.end(), ' ', '_');
    return text;
  };
  std::string out = "# Armature: the values in the order of a request's way, as commands of the Surfer viewer\n";
  const std::vector<Part> parts = parts_of(view);
  const bool several = !parts.empty() && parts.front().drive != parts.back().drive;
  for (const Part& part : parts) {
    out += fmt::format("divider_add {}\n", word(several ? part.drive + ": " + part.title : part.title));
    for (const Placed& placed : part.members) out += fmt::format("variable_add {}\n", placed.variable->info.path);
  }
  for (const Marker& marker : view.markers) out += fmt::format("marker_set {} {}\n", word(marker.name), marker.at);
  if (!view.markers.empty()) out += fmt::format("cursor_set {}\n", view.markers.front().at);
  return out;
}

void write_save_files(const std::filesystem::path& stem, const WaveView& view) {
  const auto write = [&stem](const char* extension, const std::string& text) {
    std::filesystem::path file = stem;
    file += extension;
    write_output_file(file, text);
  };
  write(".gtkw", save_file_text(view));
  write(".sucl", surfer_commands(view));
}

}  // namespace armature::observe
