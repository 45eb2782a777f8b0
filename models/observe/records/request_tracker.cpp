#include "armature/observe/request_tracker.h"

#include "armature/core/kernel_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace armature::observe {
namespace {

constexpr std::size_t kFirstWaitingSlots = 16;  // a power of two; the table grows with what waits

constexpr unsigned bit(Phase phase) {
  return 1u << static_cast<unsigned>(phase);
}
constexpr unsigned kMediaPhases =
    bit(Phase::seek) | bit(Phase::write_settle) | bit(Phase::rotation) | bit(Phase::transfer);
constexpr unsigned kLinkPhases = bit(Phase::link_wait) | bit(Phase::link_data);
constexpr unsigned kBasePhases = ((1u << kPhases) - 1) & ~kMediaPhases & ~kLinkPhases;

void count_missed_by(RequestRecord& record, MissCause cause, std::uint32_t revolutions) {
  if (revolutions == 0) return;
  record.missed_revolutions += revolutions;
  record.missed_by[static_cast<std::size_t>(cause)] += revolutions;
  if (record.miss_cause == MissCause::none) record.miss_cause = cause;
}

std::size_t hash(std::uint64_t id) {
  return static_cast<std::size_t>(id * 0x9E37'79B9'7F4A'7C15u >> 20);
}

}  // namespace

RequestTracker::RequestTracker(std::string name, Ps revolution)
    : name_(std::move(name)),
      revolution_(revolution),
      waiting_slots_(kFirstWaitingSlots),
      waiting_used_(kFirstWaitingSlots, 0) {}

std::vector<Segment> RequestTracker::shared_timeline;
std::vector<AccessTiming> RequestTracker::shared_timings;

// ---- the host's side

void RequestTracker::arrived(const Arrival& arrival) {
  check_order(arrival.at, "arrives");
  if (find_waiting(arrival.id) != waiting_slots_.size())
    impossible(fmt::format("request {} arrives twice", arrival.id));
  if (outstanding() == 0) busy_since_ = arrival.at;
  insert_waiting(arrival);
  for (RequestSink* sink : of_arrivals_) sink->arrived(arrival);
}

void RequestTracker::dispatched(std::uint64_t id, std::uint32_t tag, Ps at) {
  const std::size_t position = find_waiting(id);
  if (position == waiting_slots_.size()) impossible(fmt::format("request {} is dispatched but does not wait", id));
  const Arrival arrival = waiting_slots_[position];
  erase_waiting(position);
  if (tag >= by_tag_.size()) by_tag_.resize(tag + 1, kNone);
  if (by_tag_[tag] != kNone) {
    impossible(
        fmt::format("request {} gets tag {} which request {} holds", id, tag, entries_[by_tag_[tag]].arrival.id));
  }
  by_tag_[tag] = new_entry();
  ++dispatched_count_;
  Entry& entry = entries_[by_tag_[tag]];
  entry.arrival = arrival;
  entry.record = RequestRecord{};
  entry.record.tag = tag;
  entry.record.dispatched = at;
  entry.accesses.clear();
  entry.grants.clear();
  entry.media_track.clear();
  entry.link_track.clear();
  entry.base_track.clear();
  entry.base_track.push_back({arrival.at, static_cast<std::uint8_t>(Phase::host_queue)});
  append(entry.base_track, static_cast<std::uint8_t>(Phase::link_command), at, entry, "base");
  for (RequestSink* sink : of_dispatches_) sink->dispatched(arrival, tag, at);
}

void RequestTracker::joined(std::uint32_t tag, std::uint32_t leader) {
  require(tag, "joins another").record.joined = true;
  require(leader, "is joined");
  followers_.push_back({tag, leader});
}

void RequestTracker::tier(std::uint32_t tag, TierUse use) {
  require(tag, "is served by a tier").record.tier = use;
}

void RequestTracker::withdrawn(std::uint32_t tag, Ps at) {
  const Arrival arrival = require(tag, "is withdrawn").arrival;
  check_order(at, "is withdrawn");
  free_entries_.push_back(release(tag));
  insert_waiting(arrival);
  for (RequestSink* sink : of_dispatches_) sink->withdrawn(arrival, tag, at);
}

/// The tag is free. Returns its entry.
std::uint32_t RequestTracker::release(std::uint32_t tag) {
  const std::uint32_t entry = by_tag_[tag];
  by_tag_[tag] = kNone;
  --dispatched_count_;
  const auto of_tag = [tag](const Follower& f) { return f.tag == tag || f.leader == tag; };
  if (!followers_.empty())
    followers_.erase(std::remove_if(followers_.begin(), followers_.end(), of_tag), followers_.end());
  return entry;
}

void RequestTracker::completed(std::uint32_t tag, bool ok, std::uint8_t ata_error, Ps at, bool gave_up) {
  Entry& entry = require(tag, "completes");
  check_order(at, "completes");
  RequestRecord& record = entry.record;
  copy_arrival(entry, at);
  record.ok = ok;
  record.ata_error = ok ? 0 : ata_error;
  record.gave_up = gave_up;
  if (at < record.arrival) impossible(fmt::format("request {} completes before it arrives", record.id));
  if (ok) {
    for (const auto* track : {&entry.media_track, &entry.link_track}) {
      if (track->empty() || (track->back().phase == kIdle && track->back().at <= at)) continue;
      impossible(fmt::format("request {} completes at {} ps, but its {} work ends {}", record.id, at,
                             track == &entry.media_track ? "media" : "link",
                             track->back().phase == kIdle ? fmt::format("at {} ps", track->back().at) : "never"));
    }
  }
  merge(entry, at);
  record.adapter = kNoTime;
  if (record.answered != kNoTime)
    record.adapter = record.phases[static_cast<std::size_t>(Phase::host_queue)] + at - record.answered;

  time_accesses(entry);
  record.accesses = static_cast<std::uint32_t>(entry.accesses.size());
  if (record.accesses > 0) {
    const MediaAccess& first = entry.accesses.front();
    record.arm = first.arm;
    record.head = first.head;
    record.cylinder = first.cylinder;
    record.seek_cylinders =
        static_cast<std::uint32_t>(std::abs(std::int64_t{first.cylinder} - std::int64_t{first.from_cylinder}));
    record.first_sector = first.first_sector_at;
    if (record.granted != kNoTime) record.positioning = record.first_sector - record.granted;
    if (revolution_ > 0) count_missed(entry);
  }

  latest_served_ = std::max(latest_served_, record.dispatched);
  const std::uint32_t index = release(tag);
  const CompletedRequest request{record, shared_timeline, shared_timings};
  for (RequestSink* sink : sinks_) sink->completed(request);
  free_entries_.push_back(index);
}

// ---- the drive's side

template <class Change>
void RequestTracker::each(std::uint32_t tag, const Change& change) {
  if (Entry* entry = active(tag)) change(*entry);
  for (const Follower& follower : followers_)
    if (follower.leader == tag) change(*active(follower.tag));
}

void RequestTracker::received(std::uint32_t tag, Ps at) {
  each(tag, [&](Entry& entry) {
    if (!entry.media_track.empty() || !entry.link_track.empty()) begin_again(entry, at);
  });
}

void RequestTracker::power_lost(Ps at) {
  for (const std::uint32_t index : by_tag_) {
    if (index == kNone) continue;
    Entry& entry = entries_[index];
    begin_again(entry, at);
    while (!entry.base_track.empty() && entry.base_track.back().at > at) entry.base_track.pop_back();
    append(entry.base_track, static_cast<std::uint8_t>(Phase::link_command), at, entry, "base");
  }
}

void RequestTracker::base(std::uint32_t tag, Phase phase, Ps at) {
  if (!(kBasePhases >> static_cast<unsigned>(phase) & 1)) wrong_phase(phase, "base");
  each(tag, [&](Entry& entry) { append(entry.base_track, static_cast<std::uint8_t>(phase), at, entry, "base"); });
}

void RequestTracker::media(std::uint32_t tag, Phase phase, Ps at) {
  if (!(kMediaPhases >> static_cast<unsigned>(phase) & 1)) wrong_phase(phase, "media");
  each(tag, [&](Entry& entry) { append(entry.media_track, static_cast<std::uint8_t>(phase), at, entry, "media"); });
}

void RequestTracker::media_done(std::uint32_t tag, Ps at) {
  each(tag, [&](Entry& entry) {
    append(entry.media_track, kIdle, at, entry, "media");
    if (entry.accesses.empty() || entry.accesses.back().done_at <= at) return;
    // It was announced for longer, and ended: the arm failed, or a sector could not be read.
    MediaAccess& cut_short = entry.accesses.back();
    cut_short.done_at = at;
    if (cut_short.first_sector_at > at) entry.accesses.pop_back();
  });
}

void RequestTracker::link(std::uint32_t tag, Phase phase, Ps at) {
  if (!(kLinkPhases >> static_cast<unsigned>(phase) & 1)) wrong_phase(phase, "link");
  each(tag, [&](Entry& entry) { append(entry.link_track, static_cast<std::uint8_t>(phase), at, entry, "link"); });
}

void RequestTracker::link_done(std::uint32_t tag, Ps at) {
  each(tag, [&](Entry& entry) { append(entry.link_track, kIdle, at, entry, "link"); });
}

void RequestTracker::granted(std::uint32_t tag, std::uint32_t arm, Ps predicted_positioning, Ps at) {
  Entry* entry = active(tag);
  if (!entry) return;
  entry->grants.push_back({at, arm});
  if (!entry->accesses.empty()) return;  // a later grant continues the request
  entry->record.arm = arm;
  entry->record.granted = at;
  entry->record.predicted_positioning = predicted_positioning;
}

void RequestTracker::access(std::uint32_t tag, const MediaAccess& access) {
  Entry* entry = active(tag);
  if (!entry) return;
  entry->accesses.push_back(access);
}

void RequestTracker::access_extended(std::uint32_t tag, Ps done_at, std::uint32_t retried) {
  Entry* entry = active(tag);
  if (!entry || entry->accesses.empty()) return;
  entry->accesses.back().done_at = done_at;
  entry->accesses.back().retried = retried;
}

void RequestTracker::access_strayed(std::uint32_t tag, Ps at) {
  Entry* entry = active(tag);
  if (!entry || entry->accesses.empty()) return;
  entry->accesses.back().done_at = at;
  entry->accesses.back().strayed = true;
}

std::int64_t RequestTracker::request_of(std::uint32_t tag) const {
  return tag < by_tag_.size() && by_tag_[tag] != kNone ? static_cast<std::int64_t>(entries_[by_tag_[tag]].arrival.id)
                                                       : -1;
}

std::optional<Phase> RequestTracker::phase(std::uint32_t tag, Ps at) const {
  if (request_of(tag) < 0) return std::nullopt;
  const Entry& entry = entries_[by_tag_[tag]];
  for (const std::vector<Event>* const track : {&entry.media_track, &entry.link_track, &entry.base_track}) {
    const auto come = std::find_if(track->rbegin(), track->rend(), [at](const Event& event) { return event.at <= at; });
    if (come != track->rend() && come->phase != kIdle) return static_cast<Phase>(come->phase);
  }
  return std::nullopt;
}

void RequestTracker::show_unfinished(Ps end) {
  for (const std::uint32_t index : by_tag_) {
    if (index == kNone || entries_[index].arrival.at > end) continue;
    Entry& entry = entries_[index];
    copy_arrival(entry, end);
    merge(entry, end);
    shared_timings.clear();
    for (RequestSink* sink : sinks_) sink->unfinished({entry.record, shared_timeline, shared_timings});
  }
}

std::vector<RequestTracker::AtDrive> RequestTracker::at_drive() const {
  std::vector<AtDrive> all;
  for (std::uint32_t tag = 0; tag < by_tag_.size(); ++tag) {
    if (by_tag_[tag] == kNone) continue;
    const Entry& entry = entries_[by_tag_[tag]];
    AtDrive& request = all.emplace_back();
    request.arrival = entry.arrival;
    request.tag = tag;
    for (const auto* track : {&entry.base_track, &entry.link_track, &entry.media_track}) {  // the last one wins
      if (track->empty()) continue;
      request.since = std::max(request.since, track->back().at);
      if (track->back().phase != kIdle) request.phase = static_cast<Phase>(track->back().phase);
    }
    if (entry.grants.empty()) continue;
    request.arm = entry.grants.back().arm;
    request.granted = entry.grants.back().at;
    request.since = std::max(request.since, request.granted);
  }
  return all;
}

std::vector<Arrival> RequestTracker::unfinished() const {
  std::vector<Arrival> all;
  for (std::size_t i = 0; i < waiting_slots_.size(); ++i) {
    if (waiting_used_[i]) all.push_back(waiting_slots_[i]);
  }
  for (const std::uint32_t index : by_tag_) {
    if (index != kNone) all.push_back(entries_[index].arrival);
  }
  std::sort(all.begin(), all.end(),
            [](const Arrival& a, const Arrival& b) { return a.at != b.at ? a.at < b.at : a.id < b.id; });
  return all;
}

// ---- one request's accounts

void RequestTracker::copy_arrival(Entry& entry, Ps completion) {
  RequestRecord& record = entry.record;
  record.id = entry.arrival.id;
  record.lbn = entry.arrival.lbn;
  record.sectors = entry.arrival.sectors;
  record.device = entry.arrival.device;
  record.operation = entry.arrival.operation;
  record.fua = entry.arrival.fua;
  record.measured_response = entry.arrival.measured_response;
  record.arrival = entry.arrival.at;
  record.completion = completion;
}

void RequestTracker::append(std::vector<Event>& track, std::uint8_t phase, Ps at, const Entry& entry,
                            const char* track_name) {
  // What was announced for a time to come can still be replaced.
  while (!track.empty() && track.back().at > at && track.back().at > now()) track.pop_back();
  const Ps last = track.empty() ? entry.arrival.at : track.back().at;
  if (at < last) goes_back(entry, track_name, last, at);
  // Written in place: a structure copied as soon as its members are written stalls the processor for a dozen clocks.
  Event& event = track.emplace_back();
  event.at = at;
  event.phase = phase;
}

void RequestTracker::goes_back(const Entry& entry, const char* track_name, Ps last, Ps at) const {
  impossible(fmt::format("request {} (tag {}): the {} track goes from {} ps back to {} ps", entry.arrival.id,
                         entry.record.tag, track_name, last, at));
}

/// The drive dropped the command and has it again.
void RequestTracker::begin_again(Entry& entry, Ps at) {
  for (auto* track : {&entry.media_track, &entry.link_track}) {
    while (!track->empty() && track->back().at > at) track->pop_back();
    if (!track->empty() && track->back().phase != kIdle) track->push_back({at, kIdle});
  }
  entry.accesses.clear();
  entry.record.granted = entry.record.predicted_positioning = kNoTime;
}

/// Divides [arrival, completion] among the phases and leaves the segments in `shared_timeline`.
void RequestTracker::merge(Entry& entry, Ps completion) {
  RequestRecord& record = entry.record;
  record.phases.fill(0);
  record.link_overlapped = 0;
  shared_timeline.clear();

  // What each track says now, and when it says something else.
  struct Cursor {
    const Event* next;
    const Event* end;
    std::uint8_t present = kIdle;
    Ps until = 0;

    explicit Cursor(const std::vector<Event>& track) : next(track.data()), end(track.data() + track.size()) {}
    void advance(Ps t, Ps completion) {
      if (until > t) return;
      while (next != end && next->at <= t) present = (next++)->phase;
      until = next != end ? std::min(next->at, completion) : completion;
    }
  };
  Cursor base(entry.base_track), media(entry.media_track), link(entry.link_track);
  auto grant = entry.grants.cbegin();
  std::uint32_t arm = 0;
  for (Ps t = record.arrival; t < completion;) {
    base.advance(t, completion);
    media.advance(t, completion);
    link.advance(t, completion);
    const Ps until = std::min(base.until, std::min(media.until, link.until));
    const bool link_below = media.present != kIdle && link.present != kIdle;
    const auto phase = static_cast<Phase>(media.present != kIdle  ? media.present
                                          : link.present != kIdle ? link.present
                                                                  : base.present);
    for (; grant != entry.grants.cend() && grant->at <= t; ++grant) arm = grant->arm;
    record.phases[static_cast<std::size_t>(phase)] += until - t;
    if (link_below) record.link_overlapped += until - t;
    Segment* const last = shared_timeline.empty() ? nullptr : &shared_timeline.back();
    if (last && last->phase == phase && last->link_below == link_below &&
        (media.present == kIdle || last->arm == arm)) {
      last->end = until;
    } else {
      Segment& next = shared_timeline.emplace_back();  // in place, as in append
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
  if (sum != record.response()) {
    impossible(fmt::format("request {}: phases add up to {} ps, the response time is {} ps", record.id, sum,
                           record.response()));
  }
}

/// Finds the times around each access on the media track: the move, on track, the channel's start.
void RequestTracker::time_accesses(const Entry& entry) {
  shared_timings.clear();
  std::size_t cursor = 0;
  while (cursor < entry.media_track.size() && entry.media_track[cursor].at < entry.record.granted) ++cursor;
  Ps previous_done = entry.record.granted != kNoTime ? entry.record.granted : entry.record.dispatched;
  for (const MediaAccess& access : entry.accesses) {
    AccessTiming timing{access, previous_done, previous_done, previous_done, 0};
    bool moving = false;
    const auto on_track = [&timing, &moving](Ps at) {
      timing.ready_at = at;
      timing.moved += at - timing.move_at;
      moving = false;
    };
    for (; cursor < entry.media_track.size(); ++cursor) {
      const Event& event = entry.media_track[cursor];
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
        const Event* const next = cursor + 1 < entry.media_track.size() ? &entry.media_track[cursor + 1] : nullptr;
        if (next && next->phase == kIdle && next->at <= access.first_sector_at) continue;  // it gave way to another arm
        ++cursor;
        break;
      }
    }
    shared_timings.push_back(timing);
    previous_done = access.done_at;
    while (cursor < entry.media_track.size() && entry.media_track[cursor].at < access.done_at) ++cursor;
  }
}

/// When the last data transfer ended that access `i` may have waited for, kNoTime if none: a write's own data (each
/// access has one transfer, in order), for a read the last one that freed buffer space before the channel was started.
Ps RequestTracker::link_done_before(const Entry& entry, std::size_t i) const {
  Ps last = kNoTime;
  std::size_t transfers = 0;
  for (const Event& event : entry.link_track) {
    if (event.phase != kIdle || event.at < entry.record.granted || event.at > shared_timings[i].go_at) continue;
    last = event.at;
    if (entry.record.operation == Operation::write && transfers++ == i) break;
  }
  return last;
}

/// Whether the access's arm, on its track, let the passage at `at` go by for want of a channel: none was free, or one
/// was that another arm needed before this access would have been over.
bool RequestTracker::waited_for_channel(const AccessTiming& timing, Ps at) {
  if (at < timing.ready_at || at >= timing.go_at) return false;
  return std::any_of(shared_timeline.begin(), shared_timeline.end(), [&](const Segment& segment) {
    return (segment.phase == Phase::channel_wait || segment.phase == Phase::rotation) && segment.begin <= at &&
           at < segment.end;
  });
}

/// Why the passage of access `i`'s first sector at `passed` was not used: the table of docs/reference/results.md.
MissCause RequestTracker::cause_of(const Entry& entry, std::size_t i, Ps earliest, Ps passed) const {
  const AccessTiming& timing = shared_timings[i];
  const Ps link_at = link_done_before(entry, i);
  const bool write = entry.record.operation == Operation::write;
  if (write && link_at > passed && link_at > timing.ready_at) return MissCause::late_data;
  if (!write && link_at > passed) return MissCause::late_link;
  if (earliest > passed)
    return i > 0 && shared_timings[i - 1].access.strayed ? MissCause::inhibit : MissCause::late_servo;
  if (waited_for_channel(timing, passed)) return MissCause::late_channel;
  return MissCause::late_firmware;
}

/// docs/reference/results.md, "Missed revolutions".
void RequestTracker::count_missed(Entry& entry) {
  RequestRecord& record = entry.record;
  record.missed_revolutions = 0;
  record.miss_cause = MissCause::none;
  record.missed_by.fill(0);
  for (std::size_t i = 0; i < shared_timings.size(); ++i) {
    const AccessTiming& timing = shared_timings[i];
    const MediaAccess* const before = i > 0 ? &shared_timings[i - 1].access : nullptr;
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
      if (late > 0) missed = (late + revolution_ / 2) / revolution_;
    } else {
      // Passages while the arm was off the track, which it should not have left, are missed, too.
      missed = (first - (before && before->strayed ? free_at : earliest)) / revolution_;
    }
    // Each passage that was not used, in their order.
    for (; missed > 0; --missed) count_missed_by(record, cause_of(entry, i, earliest, first - missed * revolution_), 1);
  }
  // Within an access, so behind its own positioning.
  count_missed_by(record, MissCause::read_retry, shared_timings.back().access.retried);
}

// ---- tables

RequestTracker::Entry* RequestTracker::active(std::uint32_t tag) {
  return tag < by_tag_.size() && by_tag_[tag] != kNone ? &entries_[by_tag_[tag]] : nullptr;
}

RequestTracker::Entry& RequestTracker::require(std::uint32_t tag, const char* what) {
  Entry* entry = active(tag);
  if (!entry) impossible(fmt::format("tag {} {}, but no request holds it", tag, what));
  return *entry;
}

std::uint32_t RequestTracker::new_entry() {
  if (free_entries_.empty()) {
    entries_.emplace_back();
    return static_cast<std::uint32_t>(entries_.size() - 1);
  }
  const std::uint32_t index = free_entries_.back();
  free_entries_.pop_back();
  return index;
}

/// waiting_slots_.size() if no request of this id waits.
std::size_t RequestTracker::find_waiting(std::uint64_t id) const {
  const std::size_t mask = waiting_slots_.size() - 1;
  for (std::size_t i = hash(id) & mask; waiting_used_[i]; i = (i + 1) & mask) {
    if (waiting_slots_[i].id == id) return i;
  }
  return waiting_slots_.size();
}

void RequestTracker::insert_waiting(const Arrival& arrival) {
  if ((waiting_count_ + 1) * 4 > waiting_slots_.size() * 3) {
    std::vector<Arrival> slots(waiting_slots_.size() * 2);
    std::vector<std::uint8_t> used(slots.size(), 0);
    slots.swap(waiting_slots_);
    used.swap(waiting_used_);
    waiting_count_ = 0;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (used[i]) insert_waiting(slots[i]);
    }
  }
  const std::size_t mask = waiting_slots_.size() - 1;
  std::size_t i = hash(arrival.id) & mask;
  while (waiting_used_[i]) i = (i + 1) & mask;
  waiting_slots_[i] = arrival;
  waiting_used_[i] = 1;
  ++waiting_count_;
}

void RequestTracker::erase_waiting(std::size_t position) {
  const std::size_t mask = waiting_slots_.size() - 1;
  // Closes the gap with the next entry that may stand there, so that no tombstone is needed.
  std::size_t gap = position;
  for (std::size_t i = (gap + 1) & mask; waiting_used_[i]; i = (i + 1) & mask) {
    const std::size_t home = hash(waiting_slots_[i].id) & mask;
    if (((i - home) & mask) < ((i - gap) & mask)) continue;
    waiting_slots_[gap] = waiting_slots_[i];
    gap = i;
  }
  waiting_used_[gap] = 0;
  --waiting_count_;
}

void RequestTracker::check_order(Ps at, const char* what) {
  if (at < last_host_event_) {
    impossible(fmt::format("a request {} at {} ps, after an event of the host at {} ps", what, at, last_host_event_));
  }
  last_host_event_ = at;
}

void RequestTracker::wrong_phase(Phase phase, const char* track_name) const {
  impossible(fmt::format("{} is no {} phase", name_of(phase), track_name));
}

void RequestTracker::impossible(const std::string& what) const {
  SC_REPORT_FATAL("observe/tracker", (name_ + ": " + what).c_str());
  std::abort();  // not reached unless fatal reports are switched off
}

}  // namespace armature::observe
