// Writes to copies that may sleep: put off, kept in a log, made up for later.
#include "deferred.h"

#include "armature/core/block_address.h"
#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"
#include "job.h"

#include <algorithm>

namespace armature::array {
namespace {

constexpr std::size_t kBlockBytes = kSectorBytes;
constexpr std::uint32_t kCareful = 8;  // sectors at once where a longer read has failed

}  // namespace

bool ArrayController::behind(unsigned slot, std::uint64_t lbn, std::uint64_t sectors) const {
  return deferred_ && deferred_->of[slot].behind(lbn, lbn + sectors);
}

bool ArrayController::catching_up() const {
  if (!deferred_) return false;
  return deferred_->job || std::any_of(deferred_->of.begin(), deferred_->of.end(),
                                       [](const Deferred::Copy& copy) { return !copy.stale.empty(); });
}

/// No read of the host has ended there lately. Writes do not count, as they would keep it awake. A read that waits
/// until the copy has come to speed does not count either: writes need not wait with it.
bool ArrayController::may_sleep(unsigned slot) const {
  return now() - devices_[slots_[slot].device].read_at >= from_seconds(params_.deferred.after_s);
}

/// One of the first copies in service of what it holds, which get each write at once.
bool ArrayController::kept_current(unsigned slot) const {
  const auto working = [](const Slot& each) { return each.service == Service::working; };
  const auto before = std::count_if(slots_.begin() + layout_.first_copy(slot), slots_.begin() + slot, working);
  return working(slots_[slot]) && before < params_.deferred.copies;
}

/// The copies of a piece that get a write at once; of the others it goes into the log. A copy that lacks some of these
/// sectors gets none of them, as its log would say so until they are on its media. Empty if all copies lack some.
std::vector<unsigned> ArrayController::copies_for(const Piece& piece) {
  const std::uint64_t lbn = layout_.member_lbn(piece), sectors = piece.sectors;
  std::vector<unsigned> at_once, later;
  const bool whole = missing() == 0;
  bool current = false;
  for (unsigned copy = 0; copy < layout_.copies(); ++copy) {
    const unsigned slot = layout_.member(piece.row, piece.unit, copy);
    if (!takes_writes(slot, lbn)) continue;
    const bool put_off = behind(slot, lbn, sectors) || (whole && !kept_current(slot) && may_sleep(slot));
    (put_off ? later : at_once).push_back(slot);
    current = current || (!put_off && slots_[slot].service == Service::working);
  }
  if (!current) return {};
  for (const unsigned slot : later) put_off(slot, lbn, piece.sectors);
  return at_once;
}

/// A copy has all of the piece. Asked under the lock of its write, when no operation of this write is out: each copy
/// that takes writes has got it then, or lacks it by its log.
bool ArrayController::held(const Piece& piece) const {
  const std::uint64_t lbn = layout_.member_lbn(piece);
  for (unsigned copy = 0; copy < layout_.copies(); ++copy) {
    const unsigned slot = layout_.member(piece.row, piece.unit, copy);
    if (takes_writes(slot, lbn) && !behind(slot, lbn, piece.sectors)) return true;
  }
  return false;
}

/// Each sector that is still to be read is on a copy that can be read.
bool ArrayController::copied(const Job& job) const {
  for (const Row& row : job.rows) {
    if (row.read) continue;
    for (const Piece& piece : row.pieces) {
      const std::uint64_t end = layout_.member_lbn(piece) + piece.sectors;
      const unsigned first = layout_.member(piece.row, piece.unit);
      for (std::uint64_t at = end - piece.sectors; at < end;) {
        std::uint64_t most = at;
        for (unsigned slot = first; slot < first + layout_.copies(); ++slot)
          if (readable(job, slot, piece.row, end)) most = std::max(most, deferred_->of[slot].current_until(at, end));
        if (most == at) return false;
        at = most;
      }
    }
  }
  return true;
}

/// To the copies of a piece, or to those of them that get it at once.
void ArrayController::write_piece(Job& job, std::size_t row, std::size_t index) {
  const Piece& piece = job.rows[row].pieces[index];
  const std::uint64_t lbn = layout_.member_lbn(piece);
  Sent sent;
  sent.row = row;
  sent.piece = index;
  sent.data = job.command.data ? job.command.data + piece.at * kBlockBytes : nullptr;
  sent.operation.operation = Operation::write;
  sent.operation.purpose = Purpose::data;
  std::vector<unsigned> slots;
  if (deferred_) slots = copies_for(piece);
  sent.makes_up = deferred_ && slots.empty();
  sent.fua = sent.makes_up;  // the log forgets it when it is on the media
  if (slots.empty()) {
    for (unsigned copy = 0; copy < layout_.copies(); ++copy) {
      const unsigned slot = layout_.member(piece.row, piece.unit, copy);
      if (takes_writes(slot, lbn)) slots.push_back(slot);
    }
  }
  for (const unsigned slot : slots) {
    sent.slot = slot;
    send(job, sent, lbn, piece.sectors);
  }
}

/// The copies that got the write may have failed before it has ended. Its data are still here, and go to the copies
/// that are left.
void ArrayController::write_again(Job& job) {
  for (std::size_t row = 0; row < job.rows.size(); ++row)
    for (std::size_t i = 0; i < job.rows[row].pieces.size(); ++i) {
      if (held(job.rows[row].pieces[i])) continue;
      job.rows[row].written[i] = 0;
      write_piece(job, row, i);
    }
}

void ArrayController::put_off(unsigned slot, std::uint64_t lbn, std::uint32_t sectors) {
  Deferred::Copy& copy = deferred_->of[slot];
  if (copy.stale.empty()) {
    copy.since = now();
    copy.making_up = false;
  }
  copy.stale.add(lbn, lbn + sectors);
  ++counters_.deferred_writes;
  std::uint64_t all = 0;
  for (const Deferred::Copy& each : deferred_->of) all += each.stale.sectors();
  counters_.most_deferred = std::max(counters_.most_deferred, all);
  deferred_->next.notify(sc_core::SC_ZERO_TIME);
}

/// The sectors are on the media of the copy.
void ArrayController::made_up(unsigned slot, std::uint64_t lbn, std::uint64_t sectors) {
  Deferred::Copy& copy = deferred_->of[slot];
  copy.lost.remove(lbn, lbn + sectors);
  if (copy.stale.empty()) return;
  copy.stale.remove(lbn, lbn + sectors);
  counters_.oldest_deferred = std::max(counters_.oldest_deferred, now() - copy.since);
}

/// Of a copy with writes in the log: it must or can have them now.
bool ArrayController::due(unsigned slot) const {
  const Deferred::Copy& copy = deferred_->of[slot];
  if (copy.stale.empty() || slots_[slot].service != Service::working) return false;
  if (copy.making_up || closing_ || missing() > 0 || kept_current(slot) || !may_sleep(slot)) return true;
  const auto most = static_cast<std::uint64_t>(params_.deferred.most_mib * 2'048);
  return now() - copy.since >= from_seconds(params_.deferred.age_s) || copy.stale.sectors() > most;
}

void ArrayController::catch_up_next() {
  if (deferred_->job || recovering()) return;
  Ps earliest = -1;
  for (unsigned slot = 0; slot < slots_.size(); ++slot) {
    Deferred::Copy& copy = deferred_->of[slot];
    if (due(slot)) {
      copy.making_up = true;
      const auto [first, end] = *copy.stale.stretches().begin();
      deferred_->job = std::make_unique<Job>();
      Job& job = *deferred_->job;
      job.kind = Job::Kind::catch_up;
      job.target = slot;
      job.lbn = first;
      job.sectors = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(end - first, first < copy.careful_until ? kCareful : part_sectors_));
      return lock(job, /*exclusive=*/true);
    }
    if (copy.stale.empty()) continue;
    const Ps at = after(copy.since, from_seconds(params_.deferred.age_s));
    earliest = earliest < 0 ? at : std::min(earliest, at);
  }
  if (rebuilding()) next_part_.notify(sc_core::SC_ZERO_TIME);
  if (closing_) return close_next();
  if (earliest >= 0) deferred_->next.notify(to_sc_time(std::max<Ps>(earliest - now(), 0)));
}

/// The stretch is locked: reads as much of it as one copy has, or finds that none has it.
void ArrayController::catch_up_reads() {
  Job& job = *deferred_->job;
  Deferred::Copy& copy = deferred_->of[job.target];
  job.step = Job::Step::reading;
  // The copy may have gone out of service meanwhile, or a write of all copies that are left may have made up for this.
  if (slots_[job.target].service != Service::working || copy.stale.free_until(job.lbn, job.lbn + job.sectors) > job.lbn)
    return catch_up_ends();
  // Or for a part of it, which the copy has.
  const std::uint64_t end = copy.behind_until(job.lbn, job.lbn + job.sectors);
  std::uint64_t most = job.lbn, none = end;
  for (unsigned slot = layout_.first_copy(job.target); slot < layout_.first_copy(job.target) + layout_.copies();
       ++slot) {
    if (slot == job.target || slots_[slot].service != Service::working) continue;
    const std::uint64_t until = deferred_->of[slot].current_until(job.lbn, end);
    none = std::min(none, deferred_->of[slot].behind_until(job.lbn, end));
    if (until <= most) continue;
    most = until;
    job.sources = {slot};
  }
  if (job.sources.empty()) {
    job.sectors = static_cast<std::uint32_t>(none - job.lbn);
    give_up(job);
    return catch_up_ends();
  }
  job.sectors = static_cast<std::uint32_t>(most - job.lbn);
  if (data_) job.bytes.assign(job.sectors * kBlockBytes, 0);
  Sent sent;
  sent.slot = job.sources.front();
  sent.data = job.stretch(0);
  sent.operation.operation = Operation::read;
  sent.operation.purpose = Purpose::deferred_read;
  send(job, sent, job.lbn, job.sectors);
}

/// No copy has these sectors: reads of them fail until they are written again.
void ArrayController::give_up(const Job& job) {
  Deferred::Copy& copy = deferred_->of[job.target];
  copy.stale.remove(job.lbn, job.lbn + job.sectors);
  copy.lost.add(job.lbn, job.lbn + job.sectors);
  counters_.deferred_lost += job.sectors;
}

void ArrayController::catch_up_over() {
  Job& job = *deferred_->job;
  const bool reading = job.step == Job::Step::reading;
  if (slots_[job.target].service != Service::working) return catch_up_ends();
  if (job.lost) {
    // A source that has failed is no reason to give up: the next one is asked.
    if (reading && slots_[job.sources.front()].service == Service::working) {
      if (job.sectors > kCareful)
        deferred_->of[job.target].careful_until = job.lbn + job.sectors;
      else
        give_up(job);
    }
    return catch_up_ends();
  }
  if (reading) {
    job.step = Job::Step::writing;
    Sent sent;
    sent.slot = job.target;
    sent.data = job.stretch(0);
    sent.fua = true;  // the log forgets it when it is on the media
    sent.operation.operation = Operation::write;
    sent.operation.purpose = Purpose::deferred_write;
    return send(job, sent, job.lbn, job.sectors);
  }
  made_up(job.target, job.lbn, job.sectors);
  counters_.deferred_made_up += job.sectors;
  catch_up_ends();
}

void ArrayController::catch_up_ends() {
  const std::unique_ptr<Job> over = std::move(deferred_->job);
  deferred_->next.notify(sc_core::SC_ZERO_TIME);
  release(*over);
}

/// What the copy of a member that has failed lacked is of no concern any more.
void ArrayController::forget_deferred(unsigned slot) {
  if (!deferred_) return;
  deferred_->of[slot].stale.clear();
  deferred_->of[slot].lost.clear();
  deferred_->next.notify(sc_core::SC_ZERO_TIME);
}

std::vector<ArrayController::DeferredWrite> ArrayController::deferred() const {
  std::vector<DeferredWrite> log;
  for (unsigned slot = 0; deferred_ && slot < slots_.size(); ++slot)
    for (const SectorSet* const set : {&deferred_->of[slot].stale, &deferred_->of[slot].lost})
      for (const auto& [first, end] : set->stretches()) log.push_back({slot, first, end - first});
  return log;
}

/// Cuts stretches where a copy begins or ceases to lack sectors, so that each copy has all of a stretch or nothing.
std::vector<ArrayController::Stretch> ArrayController::cut_at_deferred(const std::vector<Stretch>& whole) const {
  std::vector<Stretch> parts;
  for (const Stretch& stretch : whole) {
    const std::uint64_t end = stretch.lbn + stretch.sectors;
    for (std::uint64_t at = stretch.lbn; at < end;) {
      std::uint64_t next = end;
      for (const Deferred::Copy& copy : deferred_->of)
        next = std::min(next, std::max(copy.current_until(at, end), copy.behind_until(at, end)));
      parts.push_back({at, static_cast<std::uint32_t>(next - at)});
      at = next;
    }
  }
  return parts;
}

}  // namespace armature::array
