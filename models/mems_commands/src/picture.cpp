#include "tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace armature::mems_commands {
namespace {

using mems::Layout;
using mems::Path;
using mems::SledModel;
using mems::SledState;

constexpr const char* kStyle = "font-family=\"sans-serif\" font-size=\"14\" fill=\"#222\"";

double ms(Ps t) {
  return static_cast<double>(t) / static_cast<double>(kPsPerMs);
}

std::string head(double width, double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" {}>\n"
      "<rect width=\"{:.0f}\" height=\"{:.0f}\" fill=\"#fff\"/>\n",
      width, height, kStyle, width, height);
}

std::string text(double x, double y, const std::string& what, const char* anchor = "middle", const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more, what);
}

std::string line(double x1, double y1, double x2, double y2, const char* colour) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2, y2,
                     colour);
}

/// From blue over green to yellow, for 0 to 1: in equal steps of lightness.
std::string colour(double share) {
  constexpr double kStops[5][3] = {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
  const double at = std::clamp(share, 0.0, 1.0) * 4;
  const int stop = std::min(3, static_cast<int>(at));
  const auto mix = [&](int channel) {
    return static_cast<int>(
        std::lround(kStops[stop][channel] + (at - stop) * (kStops[stop + 1][channel] - kStops[stop][channel])));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2));
}

/// A step of 1, 2 or 5 times a power of ten that divides a range into about five.
double tick(double range) {
  const double power = std::pow(10, std::floor(std::log10(range / 5)));
  for (const double step : {1.0, 2.0, 5.0})
    if (range / (step * power) <= 6) return step * power;
  return 10 * power;
}

/// A panel over time.
struct Panel {
  double x, y, width, height;
  double last;       // milliseconds
  double low, high;  // of what it shows

  double at_time(double t) const { return x + t / last * width; }
  double at_value(double v) const { return y + height - (v - low) / (high - low) * height; }

  std::string axes(const std::string& title) const {
    std::string out;
    for (double v = std::ceil(low / tick(high - low)) * tick(high - low); v <= high * 1.0001; v += tick(high - low)) {
      out += line(x, at_value(v), x + width, at_value(v), "#e4e4e4");
      out += text(x - 8, at_value(v) + 5, fmt::format("{:g}", std::abs(v) < 1e-9 ? 0 : v), "end");
    }
    for (double t = 0; t <= last * 1.0001; t += tick(last)) {
      out += line(at_time(t), y, at_time(t), y + height, "#e4e4e4");
      out += text(at_time(t), y + height + 20, fmt::format("{:g}", t));
    }
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" stroke=\"#999\"/>\n", x, y,
        width, height);
    return out + text(x, y - 10, title, "start", " font-weight=\"bold\"");
  }
};

std::string curve(const std::vector<std::pair<double, double>>& points, const char* stroke) {
  std::string out = "<polyline fill=\"none\" stroke-width=\"2\" stroke=\"";
  out += fmt::format("{}\" points=\"", stroke);
  for (const auto& [x, y] : points) out += fmt::format("{:.2f},{:.2f} ", x, y);
  return out + "\"/>\n";
}

/// The sled stops at `at` and comes back, in `whole` seconds; a parabola.
void turn(Path& path, double at, double speed, double whole) {
  constexpr int kPoints = 24;
  const double begin = path.empty() ? 0 : path.back().seconds;
  for (int i = 0; i <= kPoints && whole > 0; ++i) {
    const double t = whole * i / kPoints;
    path.push_back({begin + t, at + speed * t * (1 - t / whole), speed * (1 - 2 * t / whole)});
  }
}

void append(Path& path, const Path& more) {
  const double begin = path.empty() ? 0 : path.back().seconds;
  // Between two points the force is constant.
  for (std::size_t i = 0; i < more.size(); ++i) {
    path.push_back({begin + more[i].seconds, more[i].metres, more[i].speed});
    if (i + 1 == more.size()) break;
    constexpr int kBetween = 8;
    const mems::PathPoint &a = more[i], &b = more[i + 1];
    for (int j = 1; j < kBetween; ++j) {
      const double share = static_cast<double>(j) / kBetween;
      const double speed = a.speed + share * (b.speed - a.speed);
      const double sum = a.speed + b.speed;
      // The share of the way that is done when the speed has gone so far.
      const double done = sum != 0 ? share * (a.speed + speed) / sum : share;
      path.push_back(
          {begin + a.seconds + share * (b.seconds - a.seconds), a.metres + done * (b.metres - a.metres), speed});
    }
  }
}

}  // namespace

std::string path_picture(const mems::MemsParams& params, const SledState& from, const SledState& to) {
  const Layout layout(params);
  const SledModel model(params);
  const mems::Positioning time = model.time(from, to);
  const double bit = model.bit_metres();
  Path x = model.x_path(from.x, to.x), y;
  const bool way_up = from.y < to.y;
  const auto speed = [](const SledState& state) { return static_cast<double>(state.y_speed_nm_s) * 1e-9; };
  const auto turn_seconds = [&model](const SledState& state) {
    return ms(model.turnaround(state.y, state.y_speed_nm_s)) * 1e-3;
  };
  if (from != to && (from.y_speed_nm_s >= 0) != way_up) turn(y, from.y * bit, speed(from), turn_seconds(from));
  append(y, model.y_path(from.y, to.y));
  if (from != to && (to.y_speed_nm_s > 0) != way_up) turn(y, to.y * bit, -speed(to), turn_seconds(to));
  Path x_all;
  append(x_all, x);
  if (x_all.empty()) x_all.push_back({0, from.x * bit, 0});
  if (y.empty()) y.push_back({0, from.y * bit, 0});

  const double last = std::max(ms(time.total()), 1e-6);
  const double reach = 1e6 * bit * std::max(layout.reach_x(), layout.reach_y());
  double fastest = 1e3 * model.access_speed();
  for (const Path* path : {&x_all, &y})
    for (const mems::PathPoint& point : *path) fastest = std::max(fastest, 1e3 * std::abs(point.speed));
  const Panel where{80, 60, 830, 260, last, -1.05 * reach, 1.05 * reach};
  const Panel fast{80, 390, 830, 220, last, -1.05 * fastest, 1.05 * fastest};
  std::string out = head(940, 670);
  out += where.axes("place, micrometres from the middle");
  out += fast.axes("speed, mm/s");
  const auto draw = [&](const Path& path, const char* stroke) {
    std::vector<std::pair<double, double>> places, speeds;
    for (const mems::PathPoint& p : path) {
      places.emplace_back(where.at_time(p.seconds * 1e3), where.at_value(p.metres * 1e6));
      speeds.emplace_back(fast.at_time(p.seconds * 1e3), fast.at_value(p.speed * 1e3));
    }
    out += curve(places, stroke) + curve(speeds, stroke);
  };
  draw(x_all, "#2a6fb0");
  draw(y, "#d9822b");
  if (time.x > 0) {
    const double settled = where.at_time(ms(time.x)), arrived = where.at_time(ms(time.x - model.settle()));
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"#2a6fb0\" opacity=\"0.15\"/>\n",
        arrived, where.y, settled - arrived, where.height);
    if (settled - arrived > 60)
      out += text((arrived + settled) / 2, where.y + where.height - 10, "X settles", "middle", " fill=\"#2a6fb0\"");
  }
  out += text(700, 40, "X", "start", " fill=\"#2a6fb0\" font-weight=\"bold\"") +
         text(740, 40, "Y", "start", " fill=\"#d9822b\" font-weight=\"bold\"");
  return out + text(910, 655, "milliseconds", "end") + "</svg>\n";
}

/// Names and numbers of the two axes on the floor. `place` projects a point of the unit cube.
template <class Place>
static std::string floor_labels(const Place& place, const Layout& layout) {
  std::string out;
  for (const double u : {0.0, 0.5, 1.0}) {
    const auto [x1, y1] = place(u, 0, 0);
    out += text(x1 + 14, y1 + 22, fmt::format("{:g}", std::round((2 * u - 1) * layout.reach_x())), "start");
    const auto [x2, y2] = place(0, u, 0);
    out += text(x2 - 14, y2 + 22, fmt::format("{:g}", std::round((2 * u - 1) * layout.reach_y())), "end");
  }
  const auto [xx, xy] = place(0.5, 0, 0);
  out += text(xx + 60, xy + 50, "X, bits");
  const auto [yx, yy] = place(0, 0.5, 0);
  return out + text(yx - 60, yy + 50, "Y, bits");
}

std::string surface_picture(const mems::MemsParams& params, const SledState& from, std::int64_t end_speed_nm_s,
                            std::int64_t points) {
  constexpr double kWidth = 940, kHeight = 640;
  const Layout layout(params);
  const SledModel model(params);
  const auto count = static_cast<std::size_t>(points);
  const auto at = [points](std::size_t number, std::int32_t reach) {
    return static_cast<std::int32_t>(-reach + 2 * reach * static_cast<std::int64_t>(number) / (points - 1));
  };
  std::vector<double> time(count * count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < count; ++j)
      time[i * count + j] =
          ms(model.time(from, {at(i, layout.reach_x()), at(j, layout.reach_y()), end_speed_nm_s}).total());
  const double most = std::max(*std::max_element(time.begin(), time.end()), 1e-6);

  // Seen from the corner of small x and y, a little above; the farthest patches are drawn first.
  const auto place = [&](double u, double v, double t) {
    return std::pair{kWidth / 2 - 20 + (u - v) * 370, kHeight - 120 - (u + v) * 130 - t / most * 230};
  };
  std::string out = head(kWidth, kHeight);
  out += text(30, 34, fmt::format("Seek time from {},{} bits, ms", from.x, from.y), "start", " font-weight=\"bold\"");
  const auto edge = [&](double u1, double v1, double t1, double u2, double v2, double t2) {
    const auto [x1, y1] = place(u1, v1, t1);
    const auto [x2, y2] = place(u2, v2, t2);
    out += line(x1, y1, x2, y2, "#bbb");
  };
  for (double t = 0; t <= most; t += tick(most)) {
    edge(0, 1, t, 1, 1, t);
    edge(1, 0, t, 1, 1, t);
    const auto [x, y] = place(0, 1, t);
    out += text(x - 8, y + 5, fmt::format("{:g}", t), "end");
  }
  const auto share = [count](std::size_t i) { return static_cast<double>(i) / static_cast<double>(count - 1); };
  for (std::size_t sum = 2 * (count - 2) + 1; sum-- > 0;)
    for (std::size_t i = sum > count - 2 ? sum - (count - 2) : 0; i <= std::min(sum, count - 2); ++i) {
      const std::size_t j = sum - i;
      std::string corners;
      double mean = 0;
      for (const auto& [a, b] : {std::pair{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}}) {
        const double t = time[a * count + b];
        const auto [x, y] = place(share(a), share(b), t);
        corners += fmt::format("{:.1f},{:.1f} ", x, y);
        mean += t / 4;
      }
      out += fmt::format("<polygon points=\"{}\" fill=\"{}\" stroke=\"#fff\" stroke-width=\"0.4\"/>\n", corners,
                         colour(mean / most));
    }
  edge(0, 0, 0, 1, 0, 0);
  edge(0, 0, 0, 0, 1, 0);
  return out + floor_labels(place, layout) + "</svg>\n";
}

}  // namespace armature::mems_commands
