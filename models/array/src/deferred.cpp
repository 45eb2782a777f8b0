#include "deferred.h"

#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"
#include "array.h"

#include <algorithm>

namespace armature::array {
namespace {

constexpr std::uint32_t kCareful = 8;  // sectors at once where a longer read has failed

}  // namespace

std::uint64_t Deferred::Copy::behind_until(std::uint64_t first, std::uint64_t end) const {
  while (first < end) {
    const std::uint64_t before = first;
    for (const SectorSet* const set : {&stale, &lost}) {
      const auto after = set->stretches().upper_bound(first);
      if (after != set->stretches().begin() && std::prev(after)->second > first) first = std::prev(after)->second;
    }
    if (first == before) break;
  }
  return std::min(first, end);
}

Deferred::Deferred(sc_core::sc_module_name name, Array& array)
    : sc_module(name), array_(array), copies_(array.params.deferred.after_s > 0 ? array.layout.members() : 0) {
  if (!on()) return;
  SC_HAS_PROCESS(Deferred);
  SC_METHOD(next);
  sensitive << next_;
  dont_initialize();
}

bool Deferred::catching_up() const {
  return job_ || std::any_of(copies_.begin(), copies_.end(), [](const Copy& copy) { return !copy.stale.empty(); });
}

/// No read of the host has ended there lately. Writes do not count, as they would keep it awake. A read that waits
/// until the copy has come to speed does not count either: writes need not wait with it.
bool Deferred::may_sleep(unsigned slot) const {
  return now() - array_.members.device(slot).read_at >= from_seconds(array_.params.deferred.after_s);
}

/// One of the first copies in service of what it holds, which get each write at once.
bool Deferred::kept_current(unsigned slot) const {
  unsigned before = 0;
  for (unsigned each = array_.layout.first_copy(slot); each < slot; ++each)
    before += array_.members.working(each) ? 1 : 0;
  return array_.members.working(slot) && before < array_.params.deferred.copies;
}

/// The copies of a piece that get a write at once; of the others it goes into the log. A copy that lacks some of these
/// sectors gets none of them, as its log would say so until they are on its media. Empty if all copies lack some, or
/// no write is put off.
std::vector<unsigned> Deferred::copies_for(const Piece& piece) {
  if (!on()) return {};
  const std::uint64_t lbn = array_.layout.member_lbn(piece);
  std::vector<unsigned> at_once, later;
  const bool whole = array_.members.missing() == 0;
  bool current = false;
  for (unsigned copy = 0; copy < array_.layout.copies(); ++copy) {
    const unsigned slot = array_.layout.member(piece.row, piece.unit, copy);
    if (!array_.members.takes_writes(slot, lbn)) continue;
    const bool put_off = behind(slot, lbn, piece.sectors) || (whole && !kept_current(slot) && may_sleep(slot));
    (put_off ? later : at_once).push_back(slot);
    current = current || (!put_off && array_.members.working(slot));
  }
  if (!current) return {};
  for (const unsigned slot : later) put_off(slot, lbn, piece.sectors);
  return at_once;
}

/// A copy has all of the piece. Asked under the lock of its write, when no operation of this write is out: each copy
/// that takes writes has got it then, or lacks it by its log.
bool Deferred::held(const Piece& piece) const {
  const std::uint64_t lbn = array_.layout.member_lbn(piece);
  for (unsigned copy = 0; copy < array_.layout.copies(); ++copy) {
    const unsigned slot = array_.layout.member(piece.row, piece.unit, copy);
    if (array_.members.takes_writes(slot, lbn) && !behind(slot, lbn, piece.sectors)) return true;
  }
  return false;
}

std::uint32_t Deferred::most_on_one_copy(const Command& job, const Piece& piece) const {
  const std::uint64_t lbn = array_.layout.member_lbn(piece), end = lbn + piece.sectors;
  const unsigned first = array_.layout.member(piece.row, piece.unit);
  std::uint64_t most = lbn;
  for (unsigned slot = first; on() && slot < first + array_.layout.copies(); ++slot)
    if (array_.members.readable(job, slot, piece.row, end))
      most = std::max(most, copies_[slot].current_until(lbn, end));
  return static_cast<std::uint32_t>(most - lbn);
}

bool Deferred::copied(const Command& job) const {
  for (const Row& row : job.rows) {
    if (!on() || row.read) continue;
    for (Piece piece : row.pieces)
      while (piece.sectors > 0) {
        const std::uint32_t most = most_on_one_copy(job, piece);
        if (most == 0) return false;
        piece.offset += most;
        piece.sectors -= most;
      }
  }
  return true;
}

void Deferred::awake(const Sent& sent) {
  if (on() && &sent.job->task != this && !copies_[sent.slot].stale.empty()) wake();
}

void Deferred::put_off(unsigned slot, std::uint64_t lbn, std::uint32_t sectors) {
  Copy& copy = copies_[slot];
  if (copy.stale.empty()) {
    copy.since = now();
    copy.making_up = false;
  }
  copy.stale.add(lbn, lbn + sectors);
  ++array_.counters.deferred_writes;
  std::uint64_t all = 0;
  for (const Copy& each : copies_) all += each.stale.sectors();
  array_.counters.most_deferred = std::max(array_.counters.most_deferred, all);
  wake();
}

/// The sectors are on the media of the copy.
void Deferred::made_up(unsigned slot, std::uint64_t lbn, std::uint64_t sectors) {
  Copy& copy = copies_[slot];
  copy.lost.remove(lbn, lbn + sectors);
  if (copy.stale.empty()) return;
  copy.stale.remove(lbn, lbn + sectors);
  array_.counters.oldest_deferred = std::max(array_.counters.oldest_deferred, now() - copy.since);
}

/// Of a copy with writes in the log: it must or can have them now.
bool Deferred::due(unsigned slot) const {
  const Copy& copy = copies_[slot];
  if (copy.stale.empty() || !array_.members.working(slot)) return false;
  if (copy.making_up || array_.end.closing() || array_.members.missing() > 0 || kept_current(slot) || !may_sleep(slot))
    return true;
  const auto most = static_cast<std::uint64_t>(array_.params.deferred.most_mib * 2'048);
  return now() - copy.since >= from_seconds(array_.params.deferred.age_s) || copy.stale.sectors() > most;
}

void Deferred::next() {
  if (job_ || array_.resync.wanted()) return;
  Ps earliest = -1;
  for (unsigned slot = 0; slot < copies_.size(); ++slot) {
    if (due(slot)) return begin(slot);
    if (copies_[slot].stale.empty()) continue;
    const Ps at = after(copies_[slot].since, from_seconds(array_.params.deferred.age_s));
    earliest = earliest < 0 ? at : std::min(earliest, at);
  }
  if (array_.rebuild.wanted()) array_.rebuild.wake();
  if (array_.end.closing()) return array_.end.next();
  if (earliest >= 0) next_.notify(to_sc_time(std::max<Ps>(earliest - now(), 0)));
}

void Deferred::begin(unsigned slot) {
  Copy& copy = copies_[slot];
  copy.making_up = true;
  const auto [first, end] = *copy.stale.stretches().begin();
  const std::uint32_t most = first < copy.careful_until ? kCareful : array_.part_sectors;
  target_ = slot;
  job_ = std::make_unique<StretchJob>(*this, first,
                                      static_cast<std::uint32_t>(std::min<std::uint64_t>(end - first, most)));
  array_.lock(*job_);
}

/// The stretch is locked: reads as much of it as one copy has, or finds that none has it.
void Deferred::locked(Job&) {
  StretchJob& job = *job_;
  const Copy& copy = copies_[target_];
  job.step = Job::Step::reading;
  // The copy may have gone out of service meanwhile, or a write of all copies that are left may have made up for this.
  if (!array_.members.working(target_) || copy.stale.free_until(job.lbn, job.end()) > job.lbn) return ends();
  // Or for a part of it, which the copy has.
  const std::uint64_t end = copy.behind_until(job.lbn, job.end());
  std::uint64_t most = job.lbn, none = end;
  const unsigned first = array_.layout.first_copy(target_);
  for (unsigned slot = first; slot < first + array_.layout.copies(); ++slot) {
    if (slot == target_ || !array_.members.working(slot)) continue;
    const std::uint64_t until = copies_[slot].current_until(job.lbn, end);
    none = std::min(none, copies_[slot].behind_until(job.lbn, end));
    if (until <= most) continue;
    most = until;
    job.sources = {slot};
  }
  if (job.sources.empty()) {
    give_up(static_cast<std::uint32_t>(none - job.lbn));
    return ends();
  }
  job.sectors = static_cast<std::uint32_t>(most - job.lbn);
  array_.operations.read_sources(job, Purpose::deferred_read);
}

/// No copy has the first sectors of the stretch: reads of them fail until they are written again.
void Deferred::give_up(std::uint32_t sectors) {
  copies_[target_].stale.remove(job_->lbn, job_->lbn + sectors);
  copies_[target_].lost.add(job_->lbn, job_->lbn + sectors);
  array_.counters.deferred_lost += sectors;
}

void Deferred::over(Job&) {
  StretchJob& job = *job_;
  if (!array_.members.working(target_)) return ends();
  if (job.lost) {
    if (job.step == Job::Step::reading) source_failed();
    return ends();
  }
  // The log forgets it when it is on the media.
  if (job.step == Job::Step::reading)
    return array_.operations.write(job, target_, job.stretch(0), Purpose::deferred_write, /*fua=*/true);
  made_up(target_, job.lbn, job.sectors);
  array_.counters.deferred_made_up += job.sectors;
  ends();
}

/// A source that has gone out of service is no reason to give up: the next one is asked.
void Deferred::source_failed() {
  if (!array_.members.working(job_->sources.front())) return;
  if (job_->sectors > kCareful)
    copies_[target_].careful_until = job_->end();
  else
    give_up(job_->sectors);
}

void Deferred::ends() {
  const std::unique_ptr<StretchJob> over = std::move(job_);
  wake();
  array_.release(*over);
}

/// What the copy of a member that has failed lacked is of no concern any more.
void Deferred::forget(unsigned slot) {
  if (!on()) return;
  copies_[slot].stale.clear();
  copies_[slot].lost.clear();
  wake();
}

std::vector<ArrayController::DeferredWrite> Deferred::log() const {
  std::vector<ArrayController::DeferredWrite> log;
  for (unsigned slot = 0; slot < copies_.size(); ++slot)
    for (const SectorSet* const set : {&copies_[slot].stale, &copies_[slot].lost})
      for (const auto& [first, end] : set->stretches()) log.push_back({slot, first, end - first});
  return log;
}

void Deferred::restore(const std::vector<ArrayController::DeferredWrite>& log) {
  for (const ArrayController::DeferredWrite& write : log) {
    copies_.at(write.slot).stale.add(write.lbn, write.lbn + write.sectors);
    copies_[write.slot].since = now();
  }
}

std::vector<ArrayController::Stretch> Deferred::cut(const std::vector<ArrayController::Stretch>& whole) const {
  std::vector<ArrayController::Stretch> parts;
  for (const ArrayController::Stretch& stretch : whole) {
    const std::uint64_t end = stretch.lbn + stretch.sectors;
    for (std::uint64_t at = stretch.lbn; at < end;) {
      std::uint64_t next = end;
      for (const Copy& copy : copies_)
        next = std::min(next, std::max(copy.current_until(at, end), copy.behind_until(at, end)));
      parts.push_back({at, static_cast<std::uint32_t>(next - at)});
      at = next;
    }
  }
  return parts;
}

}  // namespace armature::array
