#include "track_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace armature::app {
namespace {

constexpr double kWidth = 1000, kLeft = 20, kRight = 980;
constexpr double kDiskX = 160, kDiskY = 175, kRadius = 120;
constexpr double kStripY = 400, kStripHeight = 46;
constexpr const char* kColours[] = {"#7fb3d5", "#a9cce3"};
constexpr const char* kWedgeColour = "#c0392b";
constexpr const char* kSplitColour = "#f5b041";
constexpr double kShown = 3;  // wedges, with what follows each, in the strip

double revolutions(std::int64_t angle) {
  return static_cast<double>(angle) / static_cast<double>(media::Wedges::kTurn);
}

/// A piece of the ring between two angles, clockwise from the top.
std::string ring(double begin, double end, double inner, double outer, const char* colour) {
  const double pi = std::acos(-1.0);
  const auto x = [&](double angle, double radius) { return kDiskX + radius * std::sin(2 * pi * angle); };
  const auto y = [&](double angle, double radius) { return kDiskY - radius * std::cos(2 * pi * angle); };
  const int far = end - begin > 0.5 ? 1 : 0;
  return fmt::format(
      "<path d='M{:.2f} {:.2f} A{} {} 0 {} 1 {:.2f} {:.2f} L{:.2f} {:.2f} A{} {} 0 {} 0 {:.2f} {:.2f} Z' fill='{}'/>\n",
      x(begin, outer), y(begin, outer), outer, outer, far, x(end, outer), y(end, outer), x(end, inner), y(end, inner),
      inner, inner, far, x(begin, inner), y(begin, inner), colour);
}

std::string text(double x, double y, const std::string& what, const char* anchor = "start", int size = 14) {
  return fmt::format("<text x='{:.1f}' y='{:.1f}' font-size='{}' text-anchor='{}'>{}</text>\n", x, y, size, anchor,
                     what);
}

std::string legend() {
  return fmt::format("<rect x='340' y='160' width='16' height='16' fill='{}'/>\n", kWedgeColour) +
         text(364, 173, "servo wedge and resync field") +
         fmt::format("<rect x='340' y='186' width='16' height='16' fill='{}'/>\n", kColours[0]) +
         text(364, 199, "sector (gap, sync, data, check bytes)") +
         fmt::format("<rect x='340' y='212' width='16' height='16' fill='{}'/>\n", kSplitColour) +
         text(364, 225, "sector that a wedge splits");
}

}  // namespace

std::string track_picture(const media::Geometry& geometry, const media::Location& at) {
  const media::TrackAngles track = geometry.track_angles(at);
  const media::Wedges& wedges = track.wedges();
  const auto sectors = static_cast<std::uint32_t>(track.sectors());
  const double pitch = wedges.count > 0 ? 1.0 / static_cast<double>(wedges.count) : 1.0;
  const double shown = wedges.count > 0 ? std::min(1.0, kShown * pitch) : std::min(1.0, 8.0 / sectors);
  const double width = revolutions(wedges.width);
  std::string disk, strip, labels;
  const auto place = [&](double angle) { return kLeft + angle / shown * (kRight - kLeft); };
  const auto bar = [&](double begin, double end, const char* colour) {
    if (begin >= shown) return;
    end = std::min(end, shown);
    strip += fmt::format("<rect x='{:.2f}' y='{}' width='{:.2f}' height='{}' fill='{}'/>\n", place(begin), kStripY,
                         place(end) - place(begin), kStripHeight, colour);
  };
  int split = 0;
  for (std::uint32_t sector = 0; sector < sectors; ++sector) {
    const std::vector<media::TrackAngles::Part> parts = track.parts(sector);
    split += parts.size() > 1;
    const char* const colour = parts.size() > 1 ? kSplitColour : kColours[sector % std::size(kColours)];
    for (const media::TrackAngles::Part& part : parts) {
      const double begin = revolutions(part.begin % media::Wedges::kTurn);
      const double end = begin + revolutions(part.end - part.begin);
      disk += ring(begin, end, kRadius - 26, kRadius, colour);
      bar(begin, end, colour);
      if (end > 1) bar(begin - 1, end - 1, colour);
      const double middle = (begin + end) / 2;
      if (middle < shown && place(end) - place(begin) > 24)
        labels += text(place(middle), kStripY + kStripHeight / 2 + 5, std::to_string(sector), "middle", 13);
    }
  }
  for (std::int64_t wedge = 0; wedge < wedges.count; ++wedge) {
    const double begin = static_cast<double>(wedge) * pitch;
    disk += ring(begin, begin + width, kRadius - 26, kRadius + 12, kWedgeColour);
    bar(begin, begin + width, kWedgeColour);
    if (begin < shown) labels += text(place(begin), kStripY - 8, fmt::format("wedge {}", wedge));
  }
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {} 500' font-family='sans-serif' fill='#222'>\n"
      "<rect width='{}' height='500' fill='white'/>\n",
      kWidth, kWidth);
  svg += disk + strip + labels;
  svg += fmt::format("<path d='M{} {} v-28' stroke='#222' stroke-width='2'/>\n", kDiskX, kDiskY - kRadius - 12);
  svg += text(kDiskX + 8, kDiskY - kRadius - 28, "index");
  svg += text(340, 70, fmt::format("Track of cylinder {}, head {}", at.cylinder, at.head), "start", 20);
  svg += text(340, 105, fmt::format("{} sectors of 512 bytes, {} of them split by a wedge", sectors, split));
  if (wedges.count > 0)
    svg += text(340, 130,
                fmt::format("{} wedges with their resync fields take {:.2f} % of the turn", wedges.count,
                            100 * width * static_cast<double>(wedges.count)));
  svg += legend();
  svg += text(kLeft, kStripY - 34, "From the index, stretched: sectors by number");
  svg += text(kLeft, kStripY + kStripHeight + 24, "0") +
         text(kRight, kStripY + kStripHeight + 24, fmt::format("{:.5f} revolution", shown), "end");
  return svg + "</svg>\n";
}

}  // namespace armature::app
