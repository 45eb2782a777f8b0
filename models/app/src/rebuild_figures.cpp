#include "rebuild_figures.h"

#include "armature/core/conversions.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::app {

void RebuildFigures::completed(const observe::CompletedRequest& request) {
  const array::ArrayController::Counters& array = controller_.counters();
  const Part part = array.rebuild_began < 0 ? kBefore : controller_.rebuilding() ? kDuring : kAfter;
  responses_[part].push_back(request.record.completion - request.record.arrival);
}

double RebuildFigures::percentile(Part part, std::size_t percent) const {
  std::vector<Ps> times = responses_[part];
  if (times.empty()) return 0;
  const auto at = times.begin() + static_cast<std::ptrdiff_t>((times.size() * percent + 99) / 100 - 1);
  std::nth_element(times.begin(), at, times.end());
  return to_ms(*at);
}

double RebuildFigures::share() const {
  const array::ArrayController::Counters& array = controller_.counters();
  return static_cast<double>(array.rebuild_reached) / static_cast<double>(controller_.layout().used_sectors());
}

double RebuildFigures::mb_s() const {
  const array::ArrayController::Counters& array = controller_.counters();
  const double seconds = to_seconds(array.rebuild_last - array.rebuild_began);
  return seconds > 0 ? static_cast<double>(array.rebuild_reached) * 512e-6 / seconds : 0;
}

double RebuildFigures::end_s() const {
  const array::ArrayController::Counters& array = controller_.counters();
  if (array.rebuild_ended >= 0) return to_seconds(array.rebuild_ended);
  return share() > 0 ? to_seconds(array.rebuild_began) + to_seconds(array.rebuild_last - array.rebuild_began) / share()
                     : 0;
}

std::vector<observe::Counter> RebuildFigures::counters() const {
  if (controller_.counters().rebuild_began < 0) return {};
  std::vector<observe::Counter> counted = {
      {"rebuild_share", "", "of the member that the last rebuild has done", share()},
      {"rebuild_mb_s", "MB/s", "mean rate of the last rebuild", mb_s()}};
  if (end_s() > 0)
    counted.push_back({"rebuild_projected_end_s", "s", "when it was complete, or would be at its mean rate", end_s()});
  const auto add = [&](Part part, const char* name, const char* when) {
    if (responses_[part].empty()) return;
    counted.push_back(
        {fmt::format("rebuild_p99_{}_ms", name), "ms",
         fmt::format("response time that 99 % of the array's requests do not exceed, of those that ended {}", when),
         percentile(part, 99)});
    counted.push_back({fmt::format("rebuild_requests_{}", name), "requests", fmt::format("that ended {}", when),
                       static_cast<double>(responses_[part].size())});
  };
  add(kBefore, "before", "before a rebuild began");
  add(kDuring, "during", "while a rebuild was under way");
  add(kAfter, "after", "after a rebuild");
  return counted;
}

std::string RebuildFigures::text() const {
  const array::ArrayController::Counters& array = controller_.counters();
  if (array.rebuild_began < 0) return {};
  std::string text = fmt::format("rebuild: {:.1f} % done, {:.2f} MB/s, began at {:.3f} s", share() * 100, mb_s(),
                                 to_seconds(array.rebuild_began));
  if (end_s() > 0)
    text += fmt::format(", {} {:.1f} s", array.rebuild_ended >= 0 ? "ended at" : "would end at", end_s());
  const auto cell = [this](Part part) {
    return responses_[part].empty() ? std::string("-") : fmt::format("{:.3f}", percentile(part, 99));
  };
  text += fmt::format("; 99 % of the response times, ms: before {}, during {}, after {}", cell(kBefore), cell(kDuring),
                      cell(kAfter));
  return text;
}

}  // namespace armature::app
