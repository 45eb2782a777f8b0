// After a loss of power: copies and parity of what was being written are made anew.
#include "armature/array/array_controller.h"

#include "armature/core/block_address.h"
#include "armature/core/kernel_time.h"
#include "deferred.h"
#include "job.h"

#include <algorithm>

namespace armature::array {
namespace {

constexpr std::size_t kBlockBytes = kSectorBytes;  // lengths in memory have 64 bits
constexpr std::uint32_t kLargeSector = 8;          // blocks: a member may have logical sectors of that size

}  // namespace

std::vector<ArrayController::Stretch> ArrayController::under_way() const {
  std::vector<Stretch> dirty = dirty_;
  if (resync_) dirty.push_back({resync_->lbn, resync_->sectors});
  if (!layout_.redundant()) return {};
  for (const auto& job : jobs_) {
    if (!job || job->kind != Job::Kind::command || job->step != Job::Step::writing || job->open == 0) continue;
    for (const Row& row : job->rows) {
      const auto sectors = static_cast<std::uint32_t>(layout_.row_sectors());
      if (sectors > 0)
        dirty.push_back({row.pieces.front().row * sectors, sectors});
      else
        dirty.push_back({layout_.member_lbn(row.pieces.front()), row.pieces.front().sectors});
    }
  }
  return dirty;
}

void ArrayController::recover(const std::vector<Stretch>& dirty, const std::vector<DeferredWrite>& deferred) {
  for (const DeferredWrite& write : deferred) {
    deferred_->of.at(write.slot).stale.add(write.lbn, write.lbn + write.sectors);
    deferred_->of[write.slot].since = now();
  }
  dirty_ = deferred_ ? cut_at_deferred(dirty) : dirty;
  std::reverse(dirty_.begin(), dirty_.end());
  next_stretch_.notify(sc_core::SC_ZERO_TIME);
}

/// A row, or of mirrors the sectors themselves.
void ArrayController::keep_unflushed(const Job& job) {
  const auto row_sectors = static_cast<std::uint32_t>(layout_.row_sectors());
  for (const Row& row : job.rows)
    for (const Piece& piece : row.pieces) {
      if (row_sectors > 0) {
        unflushed_[piece.row * row_sectors] = row_sectors;
        break;
      }
      std::uint32_t& sectors = unflushed_[layout_.member_lbn(piece)];
      sectors = std::max(sectors, piece.sectors);
    }
}

void ArrayController::supply_lost(unsigned device) {
  if (device < devices_.size()) devices_[device].lost_cache = true;
}

void ArrayController::supply_is_back() {
  if (!keeps_unflushed_) return;
  unflushed_.insert(flushing_.begin(), flushing_.end());  // the flush is sent again
  for (const auto& job : jobs_)
    if (job && job->running && job->kind == Job::Kind::command && job->step == Job::Step::writing) job->again = true;
  // What an earlier loss has left to do is among them.
  const auto known = [this](const Stretch& stretch) {
    const auto found = unflushed_.find(stretch.lbn);
    return found != unflushed_.end() && found->second == stretch.sectors;
  };
  dirty_.erase(std::remove_if(dirty_.begin(), dirty_.end(), known), dirty_.end());
  std::vector<Stretch> lost;
  for (const auto& [lbn, sectors] : unflushed_) lost.push_back({lbn, sectors});
  if (deferred_) lost = cut_at_deferred(lost);
  dirty_.insert(dirty_.end(), lost.rbegin(), lost.rend());
  next_stretch_.notify(sc_core::SC_ZERO_TIME);
}

/// One that has begun, and does not wait for the stretches to be consistent.
bool ArrayController::command_at_work() const {
  const auto at_work = [this](const std::unique_ptr<Job>& job) {
    return job && job->running && std::find(held_.begin(), held_.end(), job.get()) == held_.end();
  };
  return std::any_of(jobs_.begin(), jobs_.end(), at_work);
}

void ArrayController::resync_next() {
  if (resync_ || command_at_work()) return;
  if (dirty_.empty()) {
    for (Device& device : devices_) device.lost_cache = false;
    std::vector<Job*> held;
    held.swap(held_);
    for (Job* const job : held) start(*job);
    next_scrub_.notify(sc_core::SC_ZERO_TIME);
    if (deferred_) deferred_->next.notify(sc_core::SC_ZERO_TIME);
    return closing_ ? close_next() : take_spare();
  }
  resync_ = std::make_unique<Job>();
  resync_->kind = Job::Kind::resync;
  resync_->lbn = dirty_.back().lbn;
  resync_->sectors = dirty_.back().sectors;
  dirty_.pop_back();
  ++counters_.resynced;
  if (!resync_reads()) resync_failed();
}

/// Whether the stretch's copy is taken from there: from the first of the mirror that can be read, before all others
/// from one that has kept what was in its cache.
bool ArrayController::copy_to_resync(unsigned slot) const {
  const Job& job = *resync_;
  const unsigned first = layout_.first_copy(slot);
  const unsigned behind_last = first + layout_.copies();
  const auto readable = [&](unsigned s) {
    const bool torn = std::any_of(job.bad.begin(), job.bad.end(), [s](const auto& bad) { return bad.first == s; });
    return !torn && in_service(s, job.lbn + job.sectors) && !behind(s, job.lbn, job.sectors);
  };
  unsigned best = behind_last;
  for (unsigned s = first; s < behind_last; ++s) {
    if (!readable(s)) continue;
    if (best == behind_last || (lost_cache(best) && !lost_cache(s))) best = s;
  }
  return slot == best;
}

/// Reads one copy of each, or all data of the row. False: what holds the parity together is not there.
bool ArrayController::resync_reads() {
  Job& job = *resync_;
  const std::uint64_t end = job.lbn + job.sectors;
  job.step = Job::Step::reading;
  const std::uint64_t row = layout_.parity() ? job.lbn / layout_.row_sectors() : 0;
  for (unsigned slot = 0; slot < slots_.size(); ++slot) {
    if (layout_.parity()) {
      if (slot == layout_.parity_member(row)) continue;
      if (!in_service(slot, end)) return false;
    } else if (!copy_to_resync(slot)) {
      continue;
    }
    job.sources.push_back(slot);
  }
  if (job.sources.empty()) return false;
  if (data_) job.bytes.assign(job.sources.size() * job.sectors * kBlockBytes, 0);
  for (std::size_t i = 0; i < job.sources.size(); ++i) {
    Sent sent;
    sent.slot = job.sources[i];
    sent.data = job.stretch(i);
    sent.operation.operation = Operation::read;
    sent.operation.purpose = Purpose::resync_read;
    send(job, sent, job.lbn, job.sectors);
  }
  return true;
}

/// What was read, or written, is there.
void ArrayController::resync_over() {
  Job& job = *resync_;
  if (job.lost) {
    if (!resync_from_others()) resync_failed();
    return;
  }
  if (job.step == Job::Step::reading) {
    job.step = Job::Step::writing;
    Sent sent;
    sent.operation.operation = Operation::write;
    sent.operation.purpose = Purpose::resync_write;
    if (layout_.parity()) {
      const std::size_t bytes = job.sectors * kBlockBytes;
      for (std::size_t i = 1; data_ && i < job.sources.size(); ++i)
        for (std::size_t byte = 0; byte < bytes; ++byte)
          job.stretch(0)[byte] = static_cast<std::uint8_t>(job.stretch(0)[byte] ^ job.stretch(i)[byte]);
      sent.slot = layout_.parity_member(job.lbn / layout_.row_sectors());
      sent.data = job.stretch(0);
      if (in_service(sent.slot, job.lbn + job.sectors)) send(job, sent, job.lbn, job.sectors);
    } else {
      for (unsigned slot = 0; slot < slots_.size(); ++slot) {
        if (std::find(job.sources.begin(), job.sources.end(), slot) != job.sources.end()) continue;
        if (!in_service(slot, job.lbn + job.sectors) || behind(slot, job.lbn, job.sectors)) continue;
        const auto mine = std::find_if(job.sources.begin(), job.sources.end(),
                                       [&](unsigned source) { return layout_.same_data(source, slot); });
        if (mine == job.sources.end()) continue;
        sent.slot = slot;
        sent.data = job.stretch(static_cast<std::size_t>(mine - job.sources.begin()));
        send(job, sent, job.lbn, job.sectors);
      }
    }
    if (job.open > 0) return;
  }
  if (data_)
    for (std::uint64_t part = job.lbn / part_sectors_; part <= (job.lbn + job.sectors - 1) / part_sectors_; ++part)
      written_.insert(part);
  resync_.reset();
  next_stretch_.notify(sc_core::SC_ZERO_TIME);
}

/// What holds copies or parity together cannot be read, because a sector of it is torn: the halves of the stretch are
/// made anew by themselves. Of one sector of a mirror another copy is taken; the parity of a torn one has to wait until
/// it is written. False: it stays as it is.
bool ArrayController::resync_from_others() {
  Job& job = *resync_;
  if (job.step != Job::Step::reading) return false;
  const std::uint32_t unit = job.lbn % kLargeSector == 0 && job.sectors % kLargeSector == 0 ? kLargeSector : 1;
  if (job.sectors > unit) {
    const std::uint32_t half = std::max(job.sectors / 2 / unit, 1u) * unit;
    dirty_.push_back({job.lbn + half, job.sectors - half});
    dirty_.push_back({job.lbn, half});
    resync_.reset();
    next_stretch_.notify(sc_core::SC_ZERO_TIME);
    return true;
  }
  if (layout_.parity()) return false;
  job.lost = false;
  job.sources.clear();
  return resync_reads();
}

void ArrayController::resync_failed() {
  ++counters_.torn;
  if (layout_.parity()) torn_.insert(resync_->lbn / layout_.row_sectors());
  resync_.reset();
  next_stretch_.notify(sc_core::SC_ZERO_TIME);
}

bool ArrayController::torn(std::uint64_t lbn, std::uint32_t sectors) const {
  if (torn_.empty()) return false;
  const std::uint64_t row = layout_.row_sectors();
  const auto first = torn_.lower_bound(lbn / row);
  return first != torn_.end() && *first <= (lbn + sectors - 1) / row;
}

}  // namespace armature::array
