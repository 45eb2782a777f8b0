#include "armature/observe/histories.h"

#include <algorithm>

namespace armature::observe {

void DepthHistory::change(Ps at, int by) {
  advance(at);
  depth_ += static_cast<std::uint32_t>(by);
  Interval& present = intervals_.all().back();
  present.min = std::min(present.min, depth_);
  present.max = std::max(present.max, depth_);
}

/// Integrates up to `to`; afterwards the last interval holds `to`.
void DepthHistory::advance(Ps to) {
  const std::size_t wanted = intervals_.fit(to);
  std::vector<Interval>& intervals = intervals_.all();
  if (intervals.empty()) intervals.push_back({depth_, depth_, 0});
  for (;;) {
    const Ps border = static_cast<Ps>(intervals.size()) * intervals_.width();
    const Ps until = std::min(to, border);
    intervals.back().area += static_cast<double>(depth_) * static_cast<double>(until - time_);
    time_ = until;
    if (intervals.size() > wanted) break;
    intervals.push_back({depth_, depth_, 0});
  }
}

DepthHistory::Interval& DepthHistory::Interval::operator+=(const Interval& other) {
  min = std::min(min, other.min);
  max = std::max(max, other.max);
  area += other.area;
  return *this;
}

void DepthHistory::finish(Ps end) {
  advance(std::max(end, time_));
}

ArmHistory::ArmHistory() : random_(0, "observe.arm_history") {
  opening_.reserve(kOpening);
  sample_.reserve(kSample);
}

void ArmHistory::completed(const CompletedRequest& request) {
  const RequestRecord& record = request.record;
  for (const AccessTiming& timing : request.accesses) {
    if (opening_.size() == kOpening) break;
    opening_.push_back({record.id, record.operation, timing});
  }
  if (record.accesses == 0) return;
  const Point point{record.first_sector, record.arm, record.cylinder, record.operation, record.response()};
  if (seen_++ < kSample) {
    sample_.push_back(point);
  } else if (const std::uint64_t at = random_.below(seen_); at < kSample) {
    sample_[at] = point;
  }
}

std::vector<ArmHistory::Stop> ArmHistory::opening() const {
  std::vector<Stop> stops = opening_;
  std::sort(stops.begin(), stops.end(), [](const Stop& a, const Stop& b) {
    if (a.timing.access.arm != b.timing.access.arm) return a.timing.access.arm < b.timing.access.arm;
    return a.timing.access.first_sector_at < b.timing.access.first_sector_at;
  });
  return stops;
}

std::vector<ArmHistory::Point> ArmHistory::sample() const {
  std::vector<Point> points = sample_;
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.at != b.at ? a.at < b.at : a.arm < b.arm; });
  return points;
}

}  // namespace armature::observe
