#include "picture.h"

#include "armature/observe/markup.h"
#include "results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace armature::servo_commands {
namespace {

constexpr double kWidth = 1100, kHeight = 900, kPi = 3.14159265358979323846;
constexpr const char* kBlue = "#2a6fb0";
constexpr const char* kOrange = "#d9822b";
constexpr const char* kRed = "#c0392b";
constexpr const char* kGrey = "#8a8a8a";

std::string text(double x, double y, const std::string& what, const char* anchor = "middle", const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", x, y, anchor, more,
                     observe::markup_text(what));
}

/// Round steps for an axis: 1, 2 or 5 times a power of ten.
double step_of(double range) {
  const double raw = range / 6, power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power) return factor * power;
  return 10 * power;
}

/// An area with axes, x straight or logarithmic.
struct Panel {
  double x, y, width, height;
  double low_x, high_x, low_y, high_y;
  bool logarithmic;

  double at_x(double v) const {
    const double share = logarithmic ? std::log(v / low_x) / std::log(high_x / low_x) : (v - low_x) / (high_x - low_x);
    return x + width * share;
  }
  double at_y(double v) const { return y + height * (1 - (std::clamp(v, low_y, high_y) - low_y) / (high_y - low_y)); }

  std::string line(double x1, double y1, double x2, double y2, const char* colour, const char* more = "") const {
    return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\" {}/>\n", at_x(x1),
                       at_y(y1), at_x(x2), at_y(y2), colour, more);
  }

  std::string frame(const std::string& title, const std::string& below, double step_y) const {
    std::string out;
    for (double v = std::ceil(low_y / step_y - 1e-9) * step_y; v <= high_y * (1 + 1e-12) + 1e-9 * step_y; v += step_y) {
      out += line(low_x, v, high_x, v, "#e4e4e4") +
             text(x - 6, at_y(v) + 4, fmt::format("{:g}", std::fabs(v) < 1e-9 * step_y ? 0 : v), "end");
    }
    if (logarithmic) {
      for (double decade = std::pow(10, std::floor(std::log10(low_x))); decade < high_x; decade *= 10)
        for (int k = 1; k < 10; ++k) {
          const double v = k * decade;
          if (v < low_x * 0.999 || v > high_x) continue;
          out += line(v, low_y, v, high_y, k == 1 ? "#cfcfcf" : "#efefef");
          if (k == 1 || k == 2 || k == 5)
            out += text(at_x(v), y + height + 16, v >= 1000 ? fmt::format("{:g} k", v / 1000) : fmt::format("{:g}", v));
        }
    } else {
      const double step = step_of(high_x - low_x);
      for (double v = std::ceil(low_x / step - 1e-9) * step; v <= high_x * (1 + 1e-12); v += step)
        out += line(v, low_y, v, high_y, "#efefef") +
               text(at_x(v), y + height + 16, fmt::format("{:g}", std::fabs(v) < 1e-12 ? 0 : v));
    }
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" stroke=\"#999\"/>\n", x, y,
        width, height);
    return out + text(x, y - 8, title, "start", "font-weight=\"bold\"") +
           text(x + width, y + height + 32, below, "end");
  }

  std::string curve(const std::vector<std::pair<double, double>>& points, const char* colour,
                    const char* more = "stroke-width=\"1.6\"") const {
    std::string path;
    double px = -1e9, py = -1e9;
    for (const auto& [vx, vy] : points) {
      if (vx < low_x || vx > high_x || !std::isfinite(vy)) continue;
      const double nx = at_x(vx), ny = at_y(vy);
      if (std::fabs(nx - px) < 0.3 && std::fabs(ny - py) < 0.5) continue;
      path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "M" : " L", nx, ny);
      px = nx;
      py = ny;
    }
    return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" {}/>\n", path, colour, more);
  }
};

std::string document(const std::string& title, const std::string& subtitle, const std::string& body) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"13\" "
      "fill=\"#222\">\n<rect width=\"{}\" height=\"{}\" fill=\"white\"/>\n{}{}{}</svg>\n",
      kWidth, kHeight, kWidth, kHeight, text(70, 30, title, "start", "font-size=\"20\""),
      text(70, 52, subtitle, "start"), body);
}

double decibels(double gain) {
  return 20 * std::log10(std::max(gain, 1e-12));
}

}  // namespace

std::string bode_picture(const servo::ServoParams& servo, const std::string& title) {
  const servo::LoopAnalysis analysis(servo);
  const servo::Margins margins = analysis.margins();
  const double low = 10, high = analysis.highest_hz();
  std::vector<std::pair<double, double>> gain, phase, sensitivity, closed;
  const auto see = [&](double f) {
    const servo::LoopPoint point = analysis.at(f);
    gain.emplace_back(f, decibels(std::abs(point.loop)));
    phase.emplace_back(f, 180 / kPi * std::arg(point.loop));
    sensitivity.emplace_back(f, decibels(std::abs(point.sensitivity())));
    closed.emplace_back(f, decibels(std::abs(point.loop * point.sensitivity())));
  };
  for (double f = low; f < high; f *= 1.0015) see(f);

  std::string body;
  const double wide = kWidth - 110;
  const Panel loop{70, 90, wide, 210, low, high, -60, 60, true};
  body += loop.frame("Open loop: gain, dB", "", 20) + loop.line(low, 0, high, 0, kGrey) + loop.curve(gain, kBlue);
  if (margins.first_crossover_hz > 0)
    body +=
        loop.line(margins.first_crossover_hz, -60, margins.first_crossover_hz, 60, kRed, "stroke-dasharray=\"4 3\"") +
        text(loop.at_x(margins.first_crossover_hz) + 6, 106, fmt::format("{:.0f} Hz", margins.first_crossover_hz),
             "start");
  const Panel angle{70, 350, wide, 150, low, high, -180, 180, true};
  // A jump from -180 to 180 degrees is drawn as none.
  std::string parts;
  std::vector<std::pair<double, double>> part;
  for (const auto& point : phase) {
    if (!part.empty() && std::fabs(point.second - part.back().second) > 180) {
      parts += angle.curve(part, kBlue);
      part.clear();
    }
    part.push_back(point);
  }
  parts += angle.curve(part, kBlue);
  body += angle.frame("Open loop: phase, degrees", "frequency, Hz", 60) + parts;
  const Panel error{70, 560, wide * 0.56, 270, low, high, -60, 20, true};
  body += error.frame("Sensitivity (blue) and closed loop (orange), dB", "frequency, Hz", 20) +
          error.line(low, 0, high, 0, kGrey) + error.curve(closed, kOrange) + error.curve(sensitivity, kBlue);
  if (margins.stable) {
    const auto wedges = static_cast<std::size_t>(std::ceil(std::max(60.0, 0.004 / servo.wedge_s())));
    const std::vector<double> response = analysis.step_response(wedges);
    std::vector<std::pair<double, double>> points;
    for (std::size_t i = 0; i < response.size(); ++i) {
      points.emplace_back(1e3 * static_cast<double>(i) * servo.wedge_s(), response[i]);
      points.emplace_back(1e3 * static_cast<double>(i + 1) * servo.wedge_s(), response[i]);
    }
    const Panel step{70 + wide * 0.62, 560, wide * 0.38, 270, 0, points.back().first, -0.5, 2, false};
    body += step.frame("Step of the track by 1: head", "time, ms", 0.5) + step.line(0, 1, step.high_x, 1, kGrey) +
            step.curve(points, kBlue);
  }
  return document(title, margins_text(margins), body);
}

std::string seek_picture(const servo::ServoParams& servo, const servo::SeekResult& result,
                         const std::vector<servo::Instant>& instants, const std::string& title) {
  std::vector<std::pair<double, double>> position, speed, current, command, away;
  const double target = instants.empty() ? 0 : instants.back().reference_m;
  double fast = 1e-9, strong = 1e-9, low = 1e300, high = -1e300, end = 0;
  for (const servo::Instant& now : instants) {
    const double t = now.time_s * 1e3;
    end = t;
    position.emplace_back(t, now.position_m * 1e3);
    speed.emplace_back(t, now.velocity_m_s);
    current.emplace_back(t, now.current_a);
    command.emplace_back(t, now.command_a);
    if (now.wedge) away.emplace_back(t, 100 * (now.error_tracks + (now.reference_m - target) / servo.pitch_m()));
    fast = std::max(fast, std::fabs(now.velocity_m_s));
    strong = std::max(strong, std::fabs(now.current_a));
    low = std::min(low, now.position_m * 1e3);
    high = std::max(high, now.position_m * 1e3);
  }
  const double wide = kWidth - 110, margin = std::max(1e-6, 0.05 * (high - low));
  std::string body;
  const Panel where{70, 90, wide * 0.47, 300, 0, end, low - margin, high + margin, false};
  body += where.frame("Head: mm from the middle of the stroke", "time, ms", step_of(where.high_y - where.low_y)) +
          where.curve(position, kBlue);
  const Panel how_fast{70 + wide * 0.54, 90, wide * 0.46, 300, 0, end, -1.1 * fast, 1.1 * fast, false};
  body += how_fast.frame("Speed, m/s", "time, ms", step_of(2.2 * fast)) + how_fast.curve(speed, kBlue);
  const Panel coil{70, 470, wide * 0.47, 340, 0, end, -1.2 * strong, 1.2 * strong, false};
  body += coil.frame("Coil current (blue) and command (grey), A", "time, ms", step_of(2.4 * strong)) +
          coil.curve(command, kGrey, "stroke-width=\"1\"") + coil.curve(current, kBlue);
  const double from = std::max(0.0, std::min(result.read_s, result.profile_s) * 1e3 - 1.5);
  const Panel near{70 + wide * 0.54, 470, wide * 0.46, 340, from, end, -60, 60, false};
  body += near.frame("Position error to the target, % of a track", "time, ms", 20);
  for (const double sign : {-1.0, 1.0}) {
    body += near.line(from, sign * servo.settle.read_percent, end, sign * servo.settle.read_percent, kOrange);
    body += near.line(from, sign * servo.settle.write_percent, end, sign * servo.settle.write_percent, kRed);
  }
  body += near.curve(away, kBlue);
  if (result.settled_read)
    body += near.line(result.read_s * 1e3, -60, result.read_s * 1e3, 60, kOrange, "stroke-dasharray=\"4 3\"");
  if (result.settled_write)
    body += near.line(result.write_s * 1e3, -60, result.write_s * 1e3, 60, kRed, "stroke-dasharray=\"4 3\"");
  body += text(near.x + near.width - 6, near.y + 16, "window for reading, and settled", "end", "fill=\"#d9822b\"") +
          text(near.x + near.width - 6, near.y + 34, "window for writing, and settled", "end", "fill=\"#c0392b\"");
  const std::string subtitle =
      fmt::format("settled for reading after {}, for writing after {}; {:.1f} mJ from the supply",
                  result.settled_read ? fmt::format("{:.3f} ms", result.read_s * 1e3) : "-",
                  result.settled_write ? fmt::format("{:.3f} ms", result.write_s * 1e3) : "-", result.total.rail * 1e3);
  return document(title, subtitle, body);
}

}  // namespace armature::servo_commands
