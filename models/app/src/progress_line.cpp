#include "progress_line.h"

#include "armature/cli/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature::app {
namespace {

constexpr int kBarWidth = 24;

std::string minutes(double seconds) {
  const auto whole = static_cast<long long>(std::ceil(seconds));
  if (whole < 3600) return fmt::format("{}:{:02}", whole / 60, whole % 60);
  return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

}  // namespace

std::string ProgressLine::text(const Progress& progress, bool bar) {
  std::string line;
  const double fraction = std::min(progress.fraction, 1.0);
  if (fraction >= 0) {
    if (bar) {
      const int filled = static_cast<int>(fraction * kBarWidth);
      line +=
          fmt::format("[{}{}{}] ", std::string(static_cast<std::size_t>(filled), '='), filled < kBarWidth ? ">" : "",
                      std::string(static_cast<std::size_t>(std::max(0, kBarWidth - 1 - filled)), ' '));
    }
    line += fmt::format("{:3.0f} %  ", std::floor(fraction * 100));
  }
  line += progress.expected > 0 ? fmt::format("{} of {} requests", progress.completed, progress.expected)
                                : fmt::format("{} requests", progress.completed);
  const double wall = std::max(progress.wall_seconds, 1e-3);
  line += fmt::format("  {}/s  simulated {:.1f} s", cli::short_count(static_cast<double>(progress.completed) / wall),
                      to_seconds(progress.at));
  if (progress.rebuilt >= 0) line += fmt::format("  rebuild {:.1f} %", std::floor(progress.rebuilt * 1000) / 10);
  if (fraction > 0.005 && fraction < 1 && wall > 0.3)
    line += fmt::format("  {} left", minutes(wall * (1 - fraction) / fraction));
  return line;
}

void ProgressLine::show(const Progress& progress) {
  if (terminal_) {
    std::string line = text(progress, /*bar=*/true);
    line.resize(std::min(line.size(), static_cast<std::size_t>(std::max(width_ - 1, 20))));
    fmt::print(stream_, "\r\033[K{}", line);
    std::fflush(stream_);
    shown_ = true;
    return;
  }
  const int tenths = static_cast<int>(std::floor(std::clamp(progress.fraction, 0.0, 1.0) * 10));
  if (tenths <= tenths_) return;
  tenths_ = tenths;
  fmt::print(stream_, "{}\n", text(progress, /*bar=*/false));
  std::fflush(stream_);
}

void ProgressLine::clear() {
  if (!shown_) return;
  fmt::print(stream_, "\r\033[K");
  std::fflush(stream_);
  shown_ = false;
}

void ProgressLine::end() {
  if (shown_) fmt::print(stream_, "\n");
  shown_ = false;
}

}  // namespace armature::app
