#include "armature/observe/request_tracker.h"

#include "armature/core/kernel_time.h"
#include "missed_revolutions.h"
#include "request_course.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace armature::observe {
namespace {

constexpr unsigned bit(Phase phase) {
  return 1u << static_cast<unsigned>(phase);
}
constexpr unsigned kMediaPhases =
    bit(Phase::seek) | bit(Phase::write_settle) | bit(Phase::rotation) | bit(Phase::transfer);
constexpr unsigned kLinkPhases = bit(Phase::link_wait) | bit(Phase::link_data);
constexpr unsigned kBasePhases = ((1u << kPhases) - 1) & ~kMediaPhases & ~kLinkPhases;

}  // namespace

RequestTracker::RequestTracker(std::string name, Ps revolution) : name_(std::move(name)), revolution_(revolution) {}

RequestTracker::~RequestTracker() = default;

std::vector<Segment> RequestTracker::shared_timeline;
std::vector<AccessTiming> RequestTracker::shared_timings;

// ---- the host's side

void RequestTracker::arrived(const Arrival& arrival) {
  check_order(arrival.at, "arrives");
  if (outstanding() == 0) busy_since_ = arrival.at;
  if (!waiting_.emplace(arrival.id, arrival).second) impossible(fmt::format("request {} arrives twice", arrival.id));
  for (RequestSink* sink : of_arrivals_) sink->arrived(arrival);
}

void RequestTracker::dispatched(std::uint64_t id, std::uint32_t tag, Ps at) {
  const auto waits = waiting_.find(id);
  if (waits == waiting_.end()) impossible(fmt::format("request {} is dispatched but does not wait", id));
  const Arrival arrival = waits->second;
  waiting_.erase(waits);
  if (tag >= by_tag_.size()) by_tag_.resize(tag + 1, kNone);
  if (by_tag_[tag] != kNone) {
    impossible(
        fmt::format("request {} gets tag {} which request {} holds", id, tag, entries_[by_tag_[tag]].arrival.id));
  }
  by_tag_[tag] = new_entry();
  ++dispatched_count_;
  RequestCourse& entry = entries_[by_tag_[tag]];
  entry.begin(arrival, tag, at);
  append(entry.base, static_cast<std::uint8_t>(Phase::link_command), at, entry, "base");
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
  waiting_.emplace(arrival.id, arrival);
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

void RequestTracker::answered(std::uint32_t tag, Ps at) {
  require(tag, "is answered").record.answered = at;
}

void RequestTracker::completed(std::uint32_t tag, bool ok, std::uint8_t ata_error, Ps at, bool gave_up) {
  RequestCourse& entry = require(tag, "completes");
  check_order(at, "completes");
  RequestRecord& record = entry.record;
  record.ok = ok;
  record.ata_error = ok ? 0 : ata_error;
  record.gave_up = gave_up;
  if (at < record.arrival) impossible(fmt::format("request {} completes before it arrives", record.id));
  if (ok) {
    for (const auto* track : {&entry.media, &entry.link}) {
      if (track->empty() || (track->back().phase == kIdle && track->back().at <= at)) continue;
      impossible(fmt::format("request {} completes at {} ps, but its {} work ends {}", record.id, at,
                             track == &entry.media ? "media" : "link",
                             track->back().phase == kIdle ? fmt::format("at {} ps", track->back().at) : "never"));
    }
  }
  divide(entry, at);
  record.adapter = kNoTime;
  if (record.answered != kNoTime)
    record.adapter = record.phases[static_cast<std::size_t>(Phase::host_queue)] + at - record.answered;

  entry.time_accesses(shared_timings);
  entry.note_first_access();
  if (record.accesses > 0 && revolution_ > 0) count_missed(entry, shared_timeline, shared_timings, revolution_);

  latest_served_ = std::max(latest_served_, record.dispatched);
  const std::uint32_t index = release(tag);
  const CompletedRequest request{record, shared_timeline, shared_timings};
  for (RequestSink* sink : sinks_) sink->completed(request);
  free_entries_.push_back(index);
}

// ---- the drive's side

template <class Change>
void RequestTracker::each(std::uint32_t tag, const Change& change) {
  if (RequestCourse* entry = active(tag)) change(*entry);
  for (const Follower& follower : followers_)
    if (follower.leader == tag) change(*active(follower.tag));
}

void RequestTracker::received(std::uint32_t tag, Ps at) {
  each(tag, [&](RequestCourse& entry) {
    if (!entry.media.empty() || !entry.link.empty()) entry.begin_again(at);
  });
}

void RequestTracker::power_lost(Ps at) {
  for (const std::uint32_t index : by_tag_) {
    if (index == kNone) continue;
    RequestCourse& entry = entries_[index];
    entry.begin_again(at);
    while (!entry.base.empty() && entry.base.back().at > at) entry.base.pop_back();
    append(entry.base, static_cast<std::uint8_t>(Phase::link_command), at, entry, "base");
  }
}

void RequestTracker::base(std::uint32_t tag, Phase phase, Ps at) {
  if (!(kBasePhases >> static_cast<unsigned>(phase) & 1)) wrong_phase(phase, "base");
  each(tag, [&](RequestCourse& entry) { append(entry.base, static_cast<std::uint8_t>(phase), at, entry, "base"); });
}

void RequestTracker::media(std::uint32_t tag, Phase phase, Ps at) {
  if (!(kMediaPhases >> static_cast<unsigned>(phase) & 1)) wrong_phase(phase, "media");
  each(tag, [&](RequestCourse& entry) { append(entry.media, static_cast<std::uint8_t>(phase), at, entry, "media"); });
}

void RequestTracker::media_done(std::uint32_t tag, Ps at) {
  each(tag, [&](RequestCourse& entry) {
    append(entry.media, kIdle, at, entry, "media");
    if (entry.accesses.empty() || entry.accesses.back().done_at <= at) return;
    // It was announced for longer, and ended: the arm failed, or a sector could not be read.
    MediaAccess& cut_short = entry.accesses.back();
    cut_short.done_at = at;
    if (cut_short.first_sector_at > at) entry.accesses.pop_back();
  });
}

void RequestTracker::link(std::uint32_t tag, Phase phase, Ps at) {
  if (!(kLinkPhases >> static_cast<unsigned>(phase) & 1)) wrong_phase(phase, "link");
  each(tag, [&](RequestCourse& entry) { append(entry.link, static_cast<std::uint8_t>(phase), at, entry, "link"); });
}

void RequestTracker::link_done(std::uint32_t tag, Ps at) {
  each(tag, [&](RequestCourse& entry) { append(entry.link, kIdle, at, entry, "link"); });
}

void RequestTracker::granted(std::uint32_t tag, std::uint32_t arm, Ps predicted_positioning, Ps at) {
  RequestCourse* entry = active(tag);
  if (!entry) return;
  entry->grants.push_back({at, arm});
  if (!entry->accesses.empty()) return;  // a later grant continues the request
  entry->record.arm = arm;
  entry->record.granted = at;
  entry->record.predicted_positioning = predicted_positioning;
}

void RequestTracker::access(std::uint32_t tag, const MediaAccess& access) {
  RequestCourse* entry = active(tag);
  if (!entry) return;
  entry->accesses.push_back(access);
}

void RequestTracker::access_extended(std::uint32_t tag, Ps done_at, std::uint32_t retried) {
  RequestCourse* entry = active(tag);
  if (!entry || entry->accesses.empty()) return;
  entry->accesses.back().done_at = done_at;
  entry->accesses.back().retried = retried;
}

void RequestTracker::access_strayed(std::uint32_t tag, Ps at) {
  RequestCourse* entry = active(tag);
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
  const RequestCourse& entry = entries_[by_tag_[tag]];
  for (const std::vector<RequestEvent>* const track : {&entry.media, &entry.link, &entry.base}) {
    const auto come =
        std::find_if(track->rbegin(), track->rend(), [at](const RequestEvent& event) { return event.at <= at; });
    if (come != track->rend() && come->phase != kIdle) return static_cast<Phase>(come->phase);
  }
  return std::nullopt;
}

void RequestTracker::show_unfinished(Ps end) {
  for (const std::uint32_t index : by_tag_) {
    if (index == kNone || entries_[index].arrival.at > end) continue;
    RequestCourse& entry = entries_[index];
    divide(entry, end);
    shared_timings.clear();
    for (RequestSink* sink : sinks_) sink->unfinished({entry.record, shared_timeline, shared_timings});
  }
}

std::vector<RequestTracker::AtDrive> RequestTracker::at_drive() const {
  std::vector<AtDrive> all;
  for (std::uint32_t tag = 0; tag < by_tag_.size(); ++tag) {
    if (by_tag_[tag] == kNone) continue;
    const RequestCourse& entry = entries_[by_tag_[tag]];
    AtDrive& request = all.emplace_back();
    request.arrival = entry.arrival;
    request.tag = tag;
    for (const auto* track : {&entry.base, &entry.link, &entry.media}) {  // the last one wins
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
  for (const auto& [id, arrival] : waiting_) all.push_back(arrival);
  for (const std::uint32_t index : by_tag_) {
    if (index != kNone) all.push_back(entries_[index].arrival);
  }
  std::sort(all.begin(), all.end(),
            [](const Arrival& a, const Arrival& b) { return a.at != b.at ? a.at < b.at : a.id < b.id; });
  return all;
}

// ---- one request

/// Divides its time up to `completion`, and leaves the segments in `shared_timeline`.
void RequestTracker::divide(RequestCourse& entry, Ps completion) {
  const Ps sum = entry.divide(completion, shared_timeline);
  const RequestRecord& record = entry.record;
  if (sum != record.response())
    impossible(fmt::format("request {}: phases add up to {} ps, the response time is {} ps", record.id, sum,
                           record.response()));
}

void RequestTracker::append(std::vector<RequestEvent>& track, std::uint8_t phase, Ps at, const RequestCourse& entry,
                            const char* track_name) {
  // What was announced for a time to come can still be replaced.
  while (!track.empty() && track.back().at > at && track.back().at > now()) track.pop_back();
  const Ps last = track.empty() ? entry.arrival.at : track.back().at;
  if (at < last) goes_back(entry, track_name, last, at);
  // Written in place: a structure copied as soon as its members are written stalls the processor for a dozen clocks.
  RequestEvent& event = track.emplace_back();
  event.at = at;
  event.phase = phase;
}

void RequestTracker::goes_back(const RequestCourse& entry, const char* track_name, Ps last, Ps at) const {
  impossible(fmt::format("request {} (tag {}): the {} track goes from {} ps back to {} ps", entry.arrival.id,
                         entry.record.tag, track_name, last, at));
}

// ---- tables

RequestCourse* RequestTracker::active(std::uint32_t tag) {
  return tag < by_tag_.size() && by_tag_[tag] != kNone ? &entries_[by_tag_[tag]] : nullptr;
}

RequestCourse& RequestTracker::require(std::uint32_t tag, const char* what) {
  RequestCourse* entry = active(tag);
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
