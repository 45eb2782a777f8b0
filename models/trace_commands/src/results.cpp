#include "results.h"

#include "armature/cli/terminal.h"
#include "armature/core/error.h"
#include "armature/core/output_file.h"
#include "armature/observe/markup.h"
#include "armature/workload/remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <utility>
#include <vector>

namespace armature::trace_commands {
namespace {

namespace fs = std::filesystem;
using workload::LogHistogram;
using workload::StreamProfile;

/// One figure of a stream: name, unit, value in the unit, and as a person reads it.
struct Figure {
  std::string name;
  std::string unit;
  double value = 0;
  std::string text;
};

std::string percent(double fraction) {
  return fmt::format("{:.1f} %", fraction * 100);
}

double share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

class Figures {
 public:
  void count(std::string name, std::uint64_t value) {
    add(std::move(name), "", static_cast<double>(value), fmt::format("{}", value));
  }
  void number(std::string name, std::string unit, double value, int digits = 2) {
    add(std::move(name), std::move(unit), value, fmt::format("{:.{}f}", value, digits));
  }
  void fraction(std::string name, double value) { add(std::move(name), "", value, percent(value)); }
  void time(std::string name, double ps) { add(std::move(name), "s", ps * 1e-12, short_time(ps)); }
  void size(std::string name, double sectors) { add(std::move(name), "bytes", sectors * 512, short_size(sectors)); }
  void add(std::string name, std::string unit, double value, std::string text) {
    list_.push_back({std::move(name), std::move(unit), value, std::move(text)});
  }
  const std::vector<Figure>& list() const { return list_; }

 private:
  std::vector<Figure> list_;
};

void quantiles(Figures& figures, const std::string& name, const LogHistogram& histogram, bool times) {
  for (const auto& [label, q] :
       {std::pair{"median", 0.5}, std::pair{"90 %", 0.9}, std::pair{"99 %", 0.99}, std::pair{"99.9 %", 0.999}}) {
    const auto value = static_cast<double>(histogram.quantile(q));
    if (times)
      figures.time(name + " " + label, value);
    else
      figures.size(name + " " + label, value);
  }
  if (times)
    figures.time(name + " longest", static_cast<double>(histogram.max()));
  else
    figures.size(name + " largest", static_cast<double>(histogram.max()));
}

Figures figures_of(const StreamProfile& s) {
  Figures f;
  const auto requests = static_cast<double>(s.requests);
  const auto duration = static_cast<double>(s.duration());
  f.count("requests", s.requests);
  f.count("reads", s.reads);
  f.count("writes", s.writes);
  f.count("flushes", s.flushes);
  f.count("forced unit access", s.fua);
  f.fraction("read share", share(static_cast<double>(s.reads), static_cast<double>(s.reads + s.writes)));
  f.size("read", static_cast<double>(s.sectors_read));
  f.size("written", static_cast<double>(s.sectors_written));
  f.time("duration", duration);
  if (s.duration() > 0) {
    f.number("request rate", "requests/s", (requests - 1) / (duration * 1e-12));
    f.number("data rate", "MB/s", static_cast<double>(s.sectors()) * 512 / 1e6 / (duration * 1e-12), 3);
    f.time("gap mean", s.gaps.mean());
    f.number("gap variation", "", share(s.gaps.deviation(), s.gaps.mean()));
    quantiles(f, "gap", s.gaps, true);
    if (s.dispersion() > 0) f.number("dispersion of arrivals in 1 s", "", s.dispersion());
    // Without response times the end of a request is its arrival, and all time would be idle.
    if (s.responses.count() > 0) f.fraction("idle share", share(s.idle_time, duration));
    quantiles(f, "idle", s.idle, true);
    for (std::size_t i = 0; i < StreamProfile::kIdleLimits.size(); ++i) {
      f.fraction(fmt::format("in idle times over {}", short_time(static_cast<double>(StreamProfile::kIdleLimits[i]))),
                 share(s.idle_in_longer[i], duration));
    }
  }
  f.size("size mean", s.sizes.mean());
  f.size("size mean of reads", s.read_sizes.mean());
  f.size("size mean of writes", s.write_sizes.mean());
  quantiles(f, "size", s.sizes, false);
  if (s.placed > 0) {
    const auto placed = static_cast<double>(s.placed);
    f.fraction("sequential", share(static_cast<double>(s.sequential), placed));
    f.fraction("continues one of 32 streams", share(static_cast<double>(s.of_streams), placed));
    f.fraction("forward of the rest", share(static_cast<double>(s.forward), static_cast<double>(s.seeks.count())));
    quantiles(f, "seek", s.seeks, false);
  }
  if (s.end_lbn > 0) {
    constexpr double kPage = StreamProfile::kPageSectors;
    f.size("footprint", s.pages.estimate() * kPage);
    f.size("footprint of writes", s.written_pages.estimate() * kPage);
    f.size("highest address", static_cast<double>(s.end_lbn));
  }
  if (s.responses.count() > 0) {
    f.time("response mean", s.responses.mean());
    quantiles(f, "response", s.responses, true);
    f.number("mean in flight", "requests", s.mean_in_flight(), 3);
  }
  return f;
}

/// Figures in two columns.
std::string columns(const std::vector<Figure>& list) {
  const std::size_t half = (list.size() + 1) / 2;
  std::string out;
  const auto cell = [](const Figure& f) {
    return fmt::format("{:<30} {:>12}{}", f.name, f.text,
                       f.unit.empty() || f.unit == "s" || f.unit == "bytes" ? "" : " " + f.unit);
  };
  for (std::size_t i = 0; i < half; ++i) {
    std::string line = fmt::format("{:<57}", cell(list[i]));
    if (i + half < list.size()) line += cell(list[i + half]);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string histogram_tsv(const LogHistogram& histogram, const char* unit, double factor) {
  std::string out = fmt::format("first_{0}\tlast_{0}\tcount\tcumulated_share\n", unit);
  std::uint64_t seen = 0;
  for (const LogHistogram::Bucket& b : histogram.buckets()) {
    seen += b.count;
    out += fmt::format("{:.9g}\t{:.9g}\t{}\t{:.9g}\n", static_cast<double>(b.first) * factor,
                       static_cast<double>(b.last) * factor, b.count,
                       share(static_cast<double>(seen), static_cast<double>(histogram.count())));
  }
  return out;
}

std::string summary_tsv(const TraceInfo& info) {
  std::string out = "device\tfigure\tunit\tvalue\n";
  const auto rows = [&](const std::string& device, const StreamProfile& s) {
    const Figures figures = figures_of(s);
    for (const Figure& f : figures.list()) out += fmt::format("{}\t{}\t{}\t{:.12g}\n", device, f.name, f.unit, f.value);
  };
  rows("all", info.profile.all());
  for (const auto& [number, stream] : info.profile.devices()) rows(info.device(number), *stream);
  return out;
}

std::string sizes_tsv(const TraceInfo& info) {
  std::string out = "sectors\tcount\n";
  for (const auto& [sectors, count] : info.profile.common_sizes(65'536)) out += fmt::format("{}\t{}\n", sectors, count);
  return out;
}

/// Sizes of reads and writes of each device; exact below 64 sectors, otherwise in steps of 3.2 %.
std::string sizes_by_device_tsv(const TraceInfo& info) {
  std::string out = "device\toperation\tfirst_sectors\tlast_sectors\tcount\n";
  const auto rows = [&out](const std::string& device, const StreamProfile& s) {
    for (const auto& [operation, sizes] : {std::pair{'R', &s.read_sizes}, std::pair{'W', &s.write_sizes}})
      for (const LogHistogram::Bucket& b : sizes->buckets())
        out += fmt::format("{}\t{}\t{}\t{}\t{}\n", device, operation, b.first, b.last, b.count);
  };
  for (const auto& [number, stream] : info.profile.devices()) rows(fmt::format("{}", number), *stream);
  return out;
}

std::string heat_tsv(const TraceInfo& info) {
  std::string out = "device\ttime_s\tcell_s\tlbn\tcell_sectors\tcount\n";
  for (const auto& [number, stream] : info.profile.devices()) {
    const workload::HeatMap& heat = stream->heat;
    for (std::size_t column = 0; column < workload::HeatMap::kColumns; ++column) {
      for (std::size_t row = 0; row < workload::HeatMap::kRows; ++row) {
        if (heat.count(column, row) == 0) continue;
        out += fmt::format("{}\t{:.6g}\t{:.6g}\t{}\t{}\t{}\n", info.device(number),
                           to_seconds(heat.cell_time()) * static_cast<double>(column), to_seconds(heat.cell_time()),
                           heat.cell_sectors() * row, heat.cell_sectors(), heat.count(column, row));
      }
    }
  }
  return out;
}

std::string device_table(const TraceInfo& info) {
  std::string out = fmt::format("{:<24} {:>10} {:>7} {:>9} {:>9} {:>10} {:>10} {:>10}\n", "device", "requests", "reads",
                                "mean size", "rate, 1/s", "gap median", "sequential", "footprint");
  for (const auto& [number, stream] : info.profile.devices()) {
    const StreamProfile& s = *stream;
    std::string name = info.device(number);
    if (name.size() > 24) name = "..." + name.substr(name.size() - 21);
    out += fmt::format("{:<24} {:>10} {:>7} {:>9} {:>9} {:>10} {:>10} {:>10}\n", name, s.requests,
                       percent(share(static_cast<double>(s.reads), static_cast<double>(s.reads + s.writes))),
                       short_size(s.sizes.mean()),
                       s.duration() > 0
                           ? fmt::format("{:.2f}", static_cast<double>(s.requests - 1) / to_seconds(s.duration()))
                           : std::string("-"),
                       s.gaps.count() > 0 ? short_time(static_cast<double>(s.gaps.quantile(0.5))) : std::string("-"),
                       percent(share(static_cast<double>(s.sequential), static_cast<double>(s.placed))),
                       short_size(s.pages.estimate() * StreamProfile::kPageSectors));
  }
  const std::size_t more = info.profile.device_count() - info.profile.devices().size();
  if (more > 0) out += fmt::format("and {} more devices\n", more);
  return out;
}

}  // namespace

std::string TraceInfo::device(std::uint32_t number) const {
  std::string name = source.device_name(number);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c < ' ' || c > '~'; }, '?');  // for terminal and XML
  return name.empty() ? fmt::format("{}", number) : fmt::format("{} ({})", name, number);
}

std::string short_time(double ps) {
  constexpr std::pair<double, const char*> kUnits[] = {{86'400e12, "d"}, {3'600e12, "h"}, {60e12, "min"}, {1e12, "s"},
                                                       {1e9, "ms"},      {1e6, "us"},     {1e3, "ns"},    {1, "ps"}};
  if (ps == 0) return "0 s";
  for (const auto& [unit, name] : kUnits)
    if (ps >= unit) return fmt::format("{:.3g} {}", ps / unit, name);
  return fmt::format("{:.3g} ps", ps);
}

std::string short_size(double sectors) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double bytes = sectors * 512;
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1024;
  return bytes >= 999.5 ? fmt::format("{:.0f} {}", bytes, kUnits[unit]) : fmt::format("{:.3g} {}", bytes, kUnits[unit]);
}

std::string trace_tables(const TraceInfo& info) {
  const StreamProfile& all = info.profile.all();
  std::string out = fmt::format("{}: {} requests of {} device{}\n", info.title, all.requests,
                                info.profile.device_count(), info.profile.device_count() == 1 ? "" : "s");
  if (const std::string reading = info.source.reading(); !reading.empty()) out += "read as " + reading + "\n";
  out += "\n";
  const Figures figures = figures_of(all);
  out += columns(figures.list());
  const auto sizes = info.profile.common_sizes(6);
  if (!sizes.empty()) {
    out += "\nmost frequent sizes:";
    for (const auto& [sectors, count] : sizes) {
      out += fmt::format("  {} {}", short_size(sectors),
                         percent(share(static_cast<double>(count), static_cast<double>(all.reads + all.writes))));
    }
    out += "\n";
  }
  if (all.duration() <= 0 && all.requests > 1) out += "\nno times: all requests arrive at once or as they complete\n";
  if (all.duration() > 0 && all.responses.count() == 0)
    out += "\nno response times: idle times are those since the arrival before\n";
  if (const std::string left_out = workload::left_out_text(info.source); !left_out.empty())
    out += fmt::format("\n{}\n", left_out);
  if (const std::string question = workload::question_of_rate(all.requests, all.sectors(), all.duration());
      !question.empty())
    out += fmt::format("\n{}\n", question);
  if (info.profile.device_count() > 1) out += "\n" + device_table(info);
  return out;
}

void write_trace_info(const TraceInfo& info, const std::string& directory) {
  const fs::path path(directory);
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw InputError(Place{directory}, fmt::format("cannot be made: {}", error.message()));
  const StreamProfile& all = info.profile.all();
  const std::string picture = trace_picture(info);
  write_output_file(path / "summary.tsv", summary_tsv(info));
  write_output_file(path / "sizes.tsv", sizes_tsv(info));
  write_output_file(path / "sizes_by_device.tsv", sizes_by_device_tsv(info));
  write_output_file(path / "gaps.tsv", histogram_tsv(all.gaps, "s", 1e-12));
  write_output_file(path / "idle.tsv", histogram_tsv(all.idle, "s", 1e-12));
  write_output_file(path / "seeks.tsv", histogram_tsv(all.seeks, "sectors", 1));
  write_output_file(path / "heat.tsv", heat_tsv(info));
  write_output_file(path / "trace.svg", picture);
  write_output_file(
      path / "trace.html",
      fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n"
                  "<meta name=\"viewport\" content=\"width=device-width\">\n"
                  "<style>body{{font:14px/1.4 sans-serif;margin:24px;max-width:1060px;color:#1b2330}}"
                  "svg{{max-width:100%;height:auto;background:white}}pre{{font-size:12px;white-space:pre-wrap}}"
                  "@media screen and (prefers-color-scheme:dark){{body{{background:#14181f;color:#d7deea}}}}"
                  "</style></head><body>\n{1}\n<pre>{2}</pre>\n"
                  "</body></html>\n",
                  observe::markup_text(info.title), picture, observe::markup_text(trace_tables(info))));
}

}  // namespace armature::trace_commands
