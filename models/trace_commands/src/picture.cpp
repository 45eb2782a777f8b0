#include "armature/cli/terminal.h"
#include "armature/observe/markup.h"
#include "results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

namespace armature::trace_commands {
namespace {

using workload::HeatMap;
using workload::LogHistogram;
using workload::StreamProfile;

constexpr const char* kReads = "#2a6fb0";
constexpr const char* kWrites = "#d9822b";
constexpr double kWidth = 1000;

/// An area with axes; y grows upwards from its lower edge.
struct Panel {
  double x;
  double y;
  double width;
  double height;

  double at_x(double fraction) const { return x + fraction * width; }
  double at_y(double fraction) const { return y + height - fraction * height; }
};

std::string text(double x, double y, const std::string& what, const char* anchor = "middle", const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more, what);
}

std::string line(double x1, double y1, double x2, double y2, const char* colour) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1, x2, y2,
                     colour);
}

std::string frame(const Panel& p, const std::string& title) {
  return fmt::format(
             "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
             "stroke=\"#999\"/>\n",
             p.x, p.y, p.width, p.height) +
         text(p.x, p.y - 10, title, "start", " font-weight=\"bold\"");
}

/// Shares on the left side: 0, 50, 100 %.
std::string share_axis(const Panel& p) {
  std::string out;
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    if (share > 0 && share < 1) out += line(p.x, p.at_y(share), p.x + p.width, p.at_y(share), "#e4e4e4");
    out += text(p.x - 6, p.at_y(share) + 4, fmt::format("{:.0f} %", share * 100), "end");
  }
  return out;
}

struct Curve {
  const LogHistogram& histogram;
  const char* colour;
  const char* name;
};

/// Cumulated shares over a logarithmic axis. `label` says a value in words.
std::string distributions(const Panel& p, const std::string& title, const std::vector<Curve>& curves,
                          std::string (*label)(double)) {
  std::string out = frame(p, title) + share_axis(p);
  double low = 1e300;
  double high = 0;
  for (const Curve& c : curves) {
    if (c.histogram.count() == 0) continue;
    // Nothing is drawn left of the smallest number above zero; the curve begins at the share of zeros.
    for (const LogHistogram::Bucket& b : c.histogram.buckets()) {
      if (b.last == 0) continue;
      low = std::min(low, static_cast<double>(std::max<std::uint64_t>(b.first, 1)));
      break;
    }
    high = std::max(high, static_cast<double>(c.histogram.max()));
  }
  if (high <= 0) return out + text(p.at_x(0.5), p.at_y(0.5), "nothing to show");
  low = std::pow(10, std::floor(std::log10(low)));
  high = std::max(low * 10, std::pow(10, std::ceil(std::log10(high))));
  const double decades = std::log10(high / low);
  const auto x_of = [&](double value) { return p.at_x(std::log10(std::max(value, low) / low) / decades); };
  const int step = static_cast<int>(std::ceil(decades / 6));
  for (int i = 0; i <= static_cast<int>(std::lround(decades)); ++i) {
    const double value = low * std::pow(10, i);
    if (i > 0 && value < high * 0.99) out += line(x_of(value), p.y, x_of(value), p.y + p.height, "#e4e4e4");
    if (i % step == 0) out += text(x_of(value), p.y + p.height + 16, label(value));
  }
  double legend = p.y + p.height - 26;
  for (const Curve& c : curves) {
    const auto all = static_cast<double>(c.histogram.count());
    if (all == 0) continue;
    std::string path;
    std::uint64_t seen = 0;
    double before = 0;
    for (const LogHistogram::Bucket& b : c.histogram.buckets()) {
      const double x = x_of(static_cast<double>(std::max<std::uint64_t>(b.last, 1)));
      seen += b.count;
      const double share = static_cast<double>(seen) / all;
      path +=
          fmt::format("{}{:.1f},{:.1f} L{:.1f},{:.1f}", path.empty() ? "M" : " L", x, p.at_y(before), x, p.at_y(share));
      before = share;
    }
    out += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"/>\n", path, c.colour);
    if (curves.size() > 1) {
      out += line(p.x + p.width - 130, legend - 4, p.x + p.width - 110, legend - 4, c.colour) +
             text(p.x + p.width - 104, legend, c.name, "start");
      legend += 16;
    }
  }
  return out;
}

/// Reads and writes by powers of two of their size.
std::string sizes(const Panel& p, const StreamProfile& s) {
  std::string out = frame(p, "Size: share of the requests");
  constexpr std::size_t kClasses = 17;  // up to 1, 2, 4, ... 65,536 sectors
  double of[2][kClasses] = {};
  const LogHistogram* const histograms[2] = {&s.read_sizes, &s.write_sizes};
  for (std::size_t kind = 0; kind < 2; ++kind) {
    for (const LogHistogram::Bucket& b : histograms[kind]->buckets()) {
      std::size_t i = 0;
      while (i + 1 < kClasses && (std::uint64_t{1} << i) < b.first) ++i;
      of[kind][i] += static_cast<double>(b.count);
    }
  }
  const auto all = static_cast<double>(std::max<std::uint64_t>(1, s.reads + s.writes));
  double most = 0;
  std::size_t first = kClasses;
  std::size_t last = 0;
  for (std::size_t i = 0; i < kClasses; ++i) {
    const double here = of[0][i] + of[1][i];
    if (here == 0) continue;
    most = std::max(most, here / all);
    first = std::min(first, i);
    last = i;
  }
  if (most == 0) return out + text(p.at_x(0.5), p.at_y(0.5), "nothing to show");
  const double top = std::ceil(most * 10) / 10;
  for (const double share : {0.0, top / 2, top}) {
    out += text(p.x - 6, p.at_y(share / top) + 4, fmt::format("{:.0f} %", share * 100), "end");
    if (share > 0 && share < top) out += line(p.x, p.at_y(0.5), p.x + p.width, p.at_y(0.5), "#e4e4e4");
  }
  const auto classes = static_cast<double>(std::max<std::size_t>(last - first + 1, 4));
  const double width = p.width / classes;
  for (std::size_t i = first; i <= last; ++i) {
    const double left = p.x + static_cast<double>(i - first) * width;
    double y = 0;
    for (std::size_t kind = 0; kind < 2; ++kind) {
      const double height = of[kind][i] / all / top;
      out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
                         left + width * 0.12, p.at_y(y + height), width * 0.76, height * p.height,
                         kind == 0 ? kReads : kWrites);
      y += height;
    }
    if (classes <= 9 || (i - first) % 2 == 0)
      out += text(left + width / 2, p.y + p.height + 16, short_size(std::ldexp(1.0, static_cast<int>(i))));
  }
  const auto legend = [&](double y, const char* colour, const char* name) {
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", p.x + p.width - 70,
                       y - 10, colour) +
           text(p.x + p.width - 52, y, name, "start");
  };
  legend(p.y + 18, kReads, "reads");
  legend(p.y + 35, kWrites, "writes");
  return out;
}

std::size_t used_columns(const StreamProfile& s) {
  return std::min<std::size_t>(HeatMap::kColumns, static_cast<std::size_t>(s.last_arrival / s.heat.cell_time()) + 1);
}

std::string time_axis(const Panel& p, double span_ps) {
  std::string out;
  for (const double fraction : {0.0, 0.25, 0.5, 0.75, 1.0})
    out += text(p.at_x(fraction), p.y + p.height + 16, short_time(span_ps * fraction));
  return out;
}

std::string rate_over_time(const Panel& p, const StreamProfile& s) {
  std::string out = frame(p, "Reads and writes a second over time");
  const std::size_t columns = used_columns(s);
  std::vector<double> rates(columns);
  for (std::size_t i = 0; i < columns; ++i)
    for (std::size_t row = 0; row < HeatMap::kRows; ++row)
      rates[i] += s.heat.count(i, row) / to_seconds(s.heat.cell_time());
  const double most = *std::max_element(rates.begin(), rates.end());
  if (most == 0) return out + text(p.at_x(0.5), p.at_y(0.5), "nothing to show");
  const double power = std::pow(10, std::floor(std::log10(most)));
  const double top = std::ceil(most / power) * power;
  for (const double share : {0.0, 0.5, 1.0}) {
    out += text(p.x - 6, p.at_y(share) + 4, cli::short_count(top * share), "end");
    if (share == 0.5) out += line(p.x, p.at_y(share), p.x + p.width, p.at_y(share), "#e4e4e4");
  }
  const double width = p.width / static_cast<double>(columns);
  std::string path = fmt::format("M{:.1f},{:.1f}", p.x, p.at_y(0));
  for (std::size_t i = 0; i < columns; ++i) {
    const double y = p.at_y(rates[i] / top);
    path += fmt::format(" L{:.1f},{:.1f} L{:.1f},{:.1f}", p.x + static_cast<double>(i) * width, y,
                        p.x + static_cast<double>(i + 1) * width, y);
  }
  path += fmt::format(" L{:.1f},{:.1f} Z", p.x + p.width, p.at_y(0));
  out += fmt::format("<path d=\"{}\" fill=\"#9dbfe0\" stroke=\"{}\"/>\n", path, kReads);
  return out + time_axis(p, static_cast<double>(s.heat.cell_time()) * static_cast<double>(columns));
}

std::string heat_map(const Panel& p, const StreamProfile& s, const std::string& device) {
  std::string out = frame(p, "Addresses over time" + device);
  constexpr const char* kColours[] = {"#deebf7", "#c6dbef", "#9ecae1", "#6baed6",
                                      "#4292c6", "#2171b5", "#08519c", "#08306b"};
  constexpr std::size_t kLevels = std::size(kColours);
  const HeatMap& heat = s.heat;
  const std::size_t columns = used_columns(s);
  const std::size_t rows = std::clamp<std::size_t>(
      static_cast<std::size_t>((s.end_lbn + heat.cell_sectors() - 1) / heat.cell_sectors()), 1, HeatMap::kRows);
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < columns; ++i)
    for (std::size_t row = 0; row < rows; ++row) most = std::max(most, heat.count(i, row));
  if (most == 0) return out + text(p.at_x(0.5), p.at_y(0.5), "nothing to show");
  // One path a colour, runs of equal cells in one piece; the colour goes with the logarithm of the count.
  const auto level = [&](std::uint32_t count) {
    const double fraction = most == 1 ? 1 : std::log(count) / std::log(most);
    return std::min(kLevels - 1, static_cast<std::size_t>(fraction * kLevels));
  };
  std::string paths[kLevels];
  const double width = p.width / static_cast<double>(columns);
  const double height = p.height / static_cast<double>(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < columns;) {
      const std::uint32_t count = heat.count(i, row);
      if (count == 0) {
        ++i;
        continue;
      }
      const std::size_t colour = level(count);
      const std::size_t begin = i;
      while (i < columns && heat.count(i, row) > 0 && level(heat.count(i, row)) == colour) ++i;
      paths[colour] +=
          fmt::format("M{:.2f},{:.2f}h{:.2f}v{:.2f}h-{:.2f}z", p.x + static_cast<double>(begin) * width,
                      p.at_y(static_cast<double>(row + 1) / static_cast<double>(rows)),
                      static_cast<double>(i - begin) * width, height, static_cast<double>(i - begin) * width);
    }
  }
  for (std::size_t i = 0; i < kLevels; ++i)
    if (!paths[i].empty()) out += fmt::format("<path d=\"{}\" fill=\"{}\"/>\n", paths[i], kColours[i]);
  const double end = static_cast<double>(heat.cell_sectors()) * static_cast<double>(rows);
  for (const double fraction : {0.0, 0.5, 1.0})
    out += text(p.x - 6, p.at_y(fraction) + 4, fraction == 0 ? "0" : short_size(end * fraction), "end");
  out += time_axis(p, static_cast<double>(heat.cell_time()) * static_cast<double>(columns));
  // Key of the colours.
  const double key = p.x + p.width - 250;
  out += text(key - 6, p.y - 10, "1", "end");
  for (std::size_t i = 0; i < kLevels; ++i) {
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"20\" height=\"10\" fill=\"{}\"/>\n",
                       key + static_cast<double>(i) * 20, p.y - 19, kColours[i]);
  }
  out += text(key + 20.0 * kLevels + 6, p.y - 10, fmt::format("{} a cell", most), "start");
  return out;
}

}  // namespace

std::string trace_picture(const TraceInfo& info) {
  constexpr std::size_t kMaps = 4;
  constexpr double kLeft = 80;
  constexpr double kRight = 570;
  const StreamProfile& all = info.profile.all();

  // The busiest devices get a map each.
  std::vector<std::pair<std::uint32_t, const StreamProfile*>> mapped;
  for (const auto& [number, stream] : info.profile.devices()) mapped.emplace_back(number, stream.get());
  std::stable_sort(mapped.begin(), mapped.end(),
                   [](const auto& a, const auto& b) { return a.second->requests > b.second->requests; });
  if (mapped.size() > kMaps) mapped.resize(kMaps);
  while (!mapped.empty() && mapped.back().second->requests * 100 < mapped.front().second->requests) mapped.pop_back();

  std::string body = text(20, 30, observe::markup_text(info.title), "start", " font-size=\"18\" font-weight=\"bold\"");
  body += text(20, 50,
               fmt::format("{} requests, {} read, {} written in {}", all.requests,
                           short_size(static_cast<double>(all.sectors_read)),
                           short_size(static_cast<double>(all.sectors_written)),
                           short_time(static_cast<double>(all.duration()))),
               "start");
  // Without response times the idle times are the times between arrivals.
  std::vector<Curve> times = {{all.gaps, kReads, "between arrivals"}};
  if (all.responses.count() > 0) times.push_back({all.idle, "#666", "idle"});
  body += distributions({kLeft, 95, 380, 220},
                        times.size() > 1 ? "Time between arrivals, and idle times" : "Time between arrivals", times,
                        short_time);
  body += sizes({kRight, 95, 400, 220}, all);
  body += distributions({kLeft, 385, 380, 180}, "Seek distance in sectors of requests that are not sequential",
                        {{all.seeks, kReads, ""}}, cli::short_count);
  body += rate_over_time({kRight, 385, 400, 180}, all);
  double y = 640;
  for (const auto& [number, stream] : mapped) {
    body += heat_map({kLeft, y, kWidth - kLeft - 30, 300}, *stream,
                     info.profile.device_count() > 1 ? ", device " + observe::markup_text(info.device(number)) : "");
    y += 370;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{2}</svg>\n",
      kWidth, y - 30, body);
}

}  // namespace armature::trace_commands
