#include "missed_revolutions.h"

#include <algorithm>

namespace armature::observe {
namespace {

void count_missed_by(RequestRecord& record, MissCause cause, std::uint32_t revolutions) {
  if (revolutions == 0) return;
  record.missed_revolutions += revolutions;
  record.missed_by[static_cast<std::size_t>(cause)] += revolutions;
  if (record.miss_cause == MissCause::none) record.miss_cause = cause;
}

/// When the last data transfer ended that access `i`, whose channel was started at `go_at`, may have waited for,
/// kNoTime if none: a write's own data (each access has one transfer, in order), for a read the last one that freed
/// buffer space before the channel was started.
Ps link_done_before(const RequestCourse& course, std::size_t i, Ps go_at) {
  Ps last = kNoTime;
  std::size_t transfers = 0;
  for (const RequestEvent& event : course.link) {
    if (event.phase != kIdle || event.at < course.record.granted || event.at > go_at) continue;
    last = event.at;
    if (course.record.operation == Operation::write && transfers++ == i) break;
  }
  return last;
}

/// Whether the access's arm, on its track, let the passage at `at` go by for want of a channel: none was free, or one
/// was that another arm needed before this access would have been over.
bool waited_for_channel(const AccessTiming& timing, const std::vector<Segment>& timeline, Ps at) {
  if (at < timing.ready_at || at >= timing.go_at) return false;
  return std::any_of(timeline.begin(), timeline.end(), [&](const Segment& segment) {
    return (segment.phase == Phase::channel_wait || segment.phase == Phase::rotation) && segment.begin <= at &&
           at < segment.end;
  });
}

/// Why the passage of access `i`'s first sector at `passed` was not used: the table of docs/reference/results.md.
MissCause cause_of(const RequestCourse& course, const std::vector<Segment>& timeline,
                   const std::vector<AccessTiming>& timings, std::size_t i, Ps earliest, Ps passed) {
  const AccessTiming& timing = timings[i];
  const Ps link_at = link_done_before(course, i, timing.go_at);
  const bool write = course.record.operation == Operation::write;
  if (write && link_at > passed && link_at > timing.ready_at) return MissCause::late_data;
  if (!write && link_at > passed) return MissCause::late_link;
  if (earliest > passed) return i > 0 && timings[i - 1].access.strayed ? MissCause::inhibit : MissCause::late_servo;
  if (waited_for_channel(timing, timeline, passed)) return MissCause::late_channel;
  return MissCause::late_firmware;
}

}  // namespace

void count_missed(RequestCourse& course, const std::vector<Segment>& timeline, const std::vector<AccessTiming>& timings,
                  Ps revolution) {
  RequestRecord& record = course.record;
  for (std::size_t i = 0; i < timings.size(); ++i) {
    const AccessTiming& timing = timings[i];
    const MediaAccess* const before = i > 0 ? &timings[i - 1].access : nullptr;
    if (before) count_missed_by(record, MissCause::read_retry, before->retried);
    if (before && timing.access.arm != before->arm) continue;  // it waited for another arm meanwhile
    if (before && before->strayed) count_missed_by(record, MissCause::inhibit, 1);  // the passage that it broke off
    const Ps first = timing.access.first_sector_at;
    const Ps free_at = before ? before->done_at : record.granted != kNoTime ? record.granted : timing.move_at;
    // On track at the earliest: had the move begun at once.
    const Ps earliest = free_at + (timing.ready_at - timing.move_at);
    std::int64_t missed = 0;
    if (i == 0 && record.predicted_positioning != kNoTime) {
      const Ps late = first - (record.granted + record.predicted_positioning);
      if (late > 0) missed = (late + revolution / 2) / revolution;
    } else {
      // Passages while the arm was off the track, which it should not have left, are missed, too.
      missed = (first - (before && before->strayed ? free_at : earliest)) / revolution;
    }
    // Each passage that was not used, in their order.
    for (; missed > 0; --missed)
      count_missed_by(record, cause_of(course, timeline, timings, i, earliest, first - missed * revolution), 1);
  }
  // Within an access, so behind its own positioning.
  count_missed_by(record, MissCause::read_retry, timings.back().access.retried);
}

}  // namespace armature::observe
