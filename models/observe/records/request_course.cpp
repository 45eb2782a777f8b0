#include "request_course.h"

#include <algorithm>
#include <cstdlib>

namespace armature::observe {

void RequestCourse::begin(const Arrival& request, std::uint32_t tag, Ps at) {
  arrival = request;
  record = RequestRecord{};
  record.id = request.id;
  record.lbn = request.lbn;
  record.sectors = request.sectors;
  record.device = request.device;
  record.operation = request.operation;
  record.fua = request.fua;
  record.measured_response = request.measured_response;
  record.arrival = request.at;
  record.tag = tag;
  record.dispatched = at;
  accesses.clear();
  grants.clear();
  media.clear();
  link.clear();
  base.clear();
  base.push_back({arrival.at, static_cast<std::uint8_t>(Phase::host_queue)});
}

void RequestCourse::begin_again(Ps at) {
  for (auto* track : {&media, &link}) {
    while (!track->empty() && track->back().at > at) track->pop_back();
    if (!track->empty() && track->back().phase != kIdle) track->push_back({at, kIdle});
  }
  accesses.clear();
  record.granted = record.predicted_positioning = kNoTime;
}

Ps RequestCourse::divide(Ps completion, std::vector<Segment>& timeline) {
  record.completion = completion;
  record.phases.fill(0);
  record.link_overlapped = 0;
  timeline.clear();

  // What each track says now, and when it says something else.
  struct Cursor {
    const RequestEvent* next;
    const RequestEvent* end;
    std::uint8_t present = kIdle;
    Ps until = 0;

    explicit Cursor(const std::vector<RequestEvent>& track) : next(track.data()), end(track.data() + track.size()) {}
    void advance(Ps t, Ps completion) {
      if (until > t) return;
      while (next != end && next->at <= t) present = (next++)->phase;
      until = next != end ? std::min(next->at, completion) : completion;
    }
  };
  Cursor of_base(base), of_media(media), of_link(link);
  auto grant = grants.cbegin();
  const auto last_grant = grants.cend();
  std::uint32_t arm = 0;
  for (Ps t = record.arrival; t < completion;) {
    of_base.advance(t, completion);
    of_media.advance(t, completion);
    of_link.advance(t, completion);
    const Ps until = std::min(of_base.until, std::min(of_media.until, of_link.until));
    const bool link_below = of_media.present != kIdle && of_link.present != kIdle;
    const auto phase = static_cast<Phase>(of_media.present != kIdle  ? of_media.present
                                          : of_link.present != kIdle ? of_link.present
                                                                     : of_base.present);
    for (; grant != last_grant && grant->at <= t; ++grant) arm = grant->arm;
    record.phases[static_cast<std::size_t>(phase)] += until - t;
    if (link_below) record.link_overlapped += until - t;
    Segment* const last = timeline.empty() ? nullptr : &timeline.back();
    if (last && last->phase == phase && last->link_below == link_below &&
        (of_media.present == kIdle || last->arm == arm)) {
      last->end = until;
    } else {
      Segment& next = timeline.emplace_back();  // in place, as in RequestTracker::append
      next.begin = t;
      next.end = until;
      next.phase = phase;
      next.link_below = link_below;
      next.arm = arm;
    }
    t = until;
  }

  Ps sum = 0;
  for (const Ps part : record.phases) sum += part;
  return sum;
}

void RequestCourse::time_accesses(std::vector<AccessTiming>& timings) const {
  timings.clear();
  std::size_t cursor = 0;
  while (cursor < media.size() && media[cursor].at < record.granted) ++cursor;
  Ps previous_done = record.granted != kNoTime ? record.granted : record.dispatched;
  for (const MediaAccess& access : accesses) {
    AccessTiming timing{access, previous_done, previous_done, previous_done, 0};
    bool moving = false;
    const auto on_track = [&timing, &moving](Ps at) {
      timing.ready_at = at;
      timing.moved += at - timing.move_at;
      moving = false;
    };
    for (; cursor < media.size(); ++cursor) {
      const RequestEvent& event = media[cursor];
      if (event.at > access.first_sector_at) break;
      if (event.phase == static_cast<std::uint8_t>(Phase::seek)) {
        if (!moving) timing.move_at = event.at;
        moving = true;
      } else if (event.phase == kIdle && moving) {
        on_track(event.at);
      } else if (event.phase == static_cast<std::uint8_t>(Phase::rotation) ||
                 event.phase == static_cast<std::uint8_t>(Phase::transfer)) {
        timing.go_at = event.at;
        if (moving) on_track(event.at);  // the channel was armed while the arm settled
        const RequestEvent* const next = cursor + 1 < media.size() ? &media[cursor + 1] : nullptr;
        if (next && next->phase == kIdle && next->at <= access.first_sector_at) continue;  // it gave way to another arm
        ++cursor;
        break;
      }
    }
    timings.push_back(timing);
    previous_done = access.done_at;
    while (cursor < media.size() && media[cursor].at < access.done_at) ++cursor;
  }
}

void RequestCourse::note_first_access() {
  record.accesses = static_cast<std::uint32_t>(accesses.size());
  if (accesses.empty()) return;
  const MediaAccess& first = accesses.front();
  record.arm = first.arm;
  record.head = first.head;
  record.cylinder = first.cylinder;
  record.seek_cylinders =
      static_cast<std::uint32_t>(std::abs(std::int64_t{first.cylinder} - std::int64_t{first.from_cylinder}));
  record.first_sector = first.first_sector_at;
  if (record.granted != kNoTime) record.positioning = record.first_sector - record.granted;
}

}  // namespace armature::observe
