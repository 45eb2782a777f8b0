#include "resync.h"

#include "armature/core/kernel_time.h"
#include "array.h"

#include <algorithm>

namespace armature::array {
namespace {

constexpr std::uint32_t kLargeSector = 8;  // blocks: a member may have logical sectors of that size

}  // namespace

Resync::Resync(sc_core::sc_module_name name, Array& array) : sc_module(name), array_(array) {
  SC_HAS_PROCESS(Resync);
  SC_METHOD(next);
  sensitive << next_;
  dont_initialize();
}

void Resync::wake() {
  if (!job_) next_.notify(sc_core::SC_ZERO_TIME);
}

void Resync::command_over() {
  if (!dirty_.empty()) wake();
}

std::vector<Resync::Stretch> Resync::under_way() const {
  const Layout& layout = array_.layout;
  if (!layout.redundant()) return {};
  std::vector<Stretch> dirty = dirty_;
  if (job_) dirty.push_back({job_->lbn, job_->sectors});
  const auto sectors = static_cast<std::uint32_t>(layout.row_sectors());
  for (const Command* const job : array_.commands.writing()) {
    if (job->open == 0) continue;
    for (const Row& row : job->rows) {
      const Piece& first = row.pieces.front();
      dirty.push_back(sectors > 0 ? Stretch{first.row * sectors, sectors}
                                  : Stretch{layout.member_lbn(first), first.sectors});
    }
  }
  return dirty;
}

void Resync::recover(const std::vector<Stretch>& dirty) {
  dirty_ = array_.deferred.cut(dirty);
  std::reverse(dirty_.begin(), dirty_.end());
  next_.notify(sc_core::SC_ZERO_TIME);
}

void Resync::expect_loss_of_supply() {
  keeps_unflushed_ = array_.layout.redundant();
}

/// Keeps rows, or of mirrors the sectors themselves.
void Resync::note_written(const Command& command) {
  if (!keeps_unflushed_) return;
  const auto row_sectors = static_cast<std::uint32_t>(array_.layout.row_sectors());
  for (const Row& row : command.rows)
    for (const Piece& piece : row.pieces) {
      if (row_sectors > 0) {
        unflushed_[piece.row * row_sectors] = row_sectors;
        break;
      }
      std::uint32_t& sectors = unflushed_[array_.layout.member_lbn(piece)];
      sectors = std::max(sectors, piece.sectors);
    }
}

void Resync::flush_begins() {
  flushing_.merge(unflushed_);
  unflushed_.clear();
}

void Resync::flush_ends(bool ok) {
  if (!ok) unflushed_.insert(flushing_.begin(), flushing_.end());
  flushing_.clear();
}

void Resync::supply_is_back() {
  if (!keeps_unflushed_) return;
  unflushed_.insert(flushing_.begin(), flushing_.end());  // the flush is sent again
  for (Command* const job : array_.commands.writing()) job->again = true;
  // What an earlier loss has left to do is among them.
  const auto known = [this](const Stretch& stretch) {
    const auto found = unflushed_.find(stretch.lbn);
    return found != unflushed_.end() && found->second == stretch.sectors;
  };
  dirty_.erase(std::remove_if(dirty_.begin(), dirty_.end(), known), dirty_.end());
  std::vector<Stretch> lost;
  for (const auto& [lbn, sectors] : unflushed_) lost.push_back({lbn, sectors});
  lost = array_.deferred.cut(lost);
  dirty_.insert(dirty_.end(), lost.rbegin(), lost.rend());
  next_.notify(sc_core::SC_ZERO_TIME);
}

void Resync::next() {
  if (job_ || array_.commands.at_work()) return;
  if (dirty_.empty()) {
    for (Device& device : array_.members.devices()) device.lost_cache = false;
    array_.commands.go_on();
    array_.scrub.wake();
    array_.deferred.wake();
    return array_.end.closing() ? array_.end.next() : array_.rebuild.take_spare();
  }
  job_ = std::make_unique<StretchJob>(*this, dirty_.back().lbn, dirty_.back().sectors);
  dirty_.pop_back();
  ++array_.counters.resynced;
  if (!read()) failed();
}

/// Whether the stretch's copy is taken from there: from the first of the mirror that can be read, before all others
/// from one that has kept what was in its cache.
bool Resync::reads_from(unsigned slot) const {
  const unsigned first = array_.layout.first_copy(slot);
  const unsigned behind_last = first + array_.layout.copies();
  unsigned best = behind_last;
  for (unsigned s = first; s < behind_last; ++s) {
    if (!array_.members.readable(*job_, s, 0, job_->end())) continue;
    if (array_.deferred.behind(s, job_->lbn, job_->sectors)) continue;
    const bool kept = best < behind_last && array_.members.device(best).lost_cache;
    if (best == behind_last || (kept && !array_.members.device(s).lost_cache)) best = s;
  }
  return slot == best;
}

/// Reads one copy of each, or all data of the row. False: what holds the parity together is not there.
bool Resync::read() {
  StretchJob& job = *job_;
  const bool parity = array_.layout.parity();
  job.step = Job::Step::reading;
  for (unsigned slot = 0; slot < array_.members.slots(); ++slot) {
    if (parity && slot == array_.layout.parity_member(job.lbn / array_.layout.row_sectors())) continue;
    if (parity && !array_.members.in_service(slot, job.end())) return false;
    if (parity || reads_from(slot)) job.sources.push_back(slot);
  }
  if (job.sources.empty()) return false;
  array_.operations.read_sources(job, Purpose::resync_read);
  return true;
}

/// What was read, or written, is there.
void Resync::over(Job&) {
  StretchJob& job = *job_;
  if (job.lost) {
    if (!from_others()) failed();
    return;
  }
  if (job.step == Job::Step::reading) {
    job.step = Job::Step::writing;
    write_copies();
    if (job.open > 0) return;
  }
  array_.end.note_written(job.lbn, job.sectors);
  stretch_over();
}

/// Parity, or the copies that were not read.
void Resync::write_copies() {
  StretchJob& job = *job_;
  const Layout& layout = array_.layout;
  if (layout.parity()) {
    for (std::size_t i = 1; array_.data && i < job.sources.size(); ++i)
      exclusive_or(job.stretch(0), job.stretch(i), job.length());
    const unsigned slot = layout.parity_member(job.lbn / layout.row_sectors());
    if (array_.members.in_service(slot, job.end()))
      array_.operations.write(job, slot, job.stretch(0), Purpose::resync_write);
    return;
  }
  for (unsigned slot = 0; slot < array_.members.slots(); ++slot) {
    if (std::find(job.sources.begin(), job.sources.end(), slot) != job.sources.end()) continue;
    if (!array_.members.in_service(slot, job.end()) || array_.deferred.behind(slot, job.lbn, job.sectors)) continue;
    const auto mine = std::find_if(job.sources.begin(), job.sources.end(),
                                   [&](unsigned source) { return layout.same_data(source, slot); });
    if (mine == job.sources.end()) continue;
    std::uint8_t* const data = job.stretch(static_cast<std::size_t>(mine - job.sources.begin()));
    array_.operations.write(job, slot, data, Purpose::resync_write);
  }
}

/// What holds copies or parity together cannot be read, because a sector of it is torn: the halves of the stretch are
/// made anew by themselves. Of one sector of a mirror another copy is taken; the parity of a torn one has to wait until
/// it is written. False: it stays as it is.
bool Resync::from_others() {
  StretchJob& job = *job_;
  if (job.step != Job::Step::reading) return false;
  const std::uint32_t unit = job.lbn % kLargeSector == 0 && job.sectors % kLargeSector == 0 ? kLargeSector : 1;
  if (job.sectors > unit) {
    const std::uint32_t half = std::max(job.sectors / 2 / unit, 1u) * unit;
    dirty_.push_back({job.lbn + half, job.sectors - half});
    dirty_.push_back({job.lbn, half});
    stretch_over();
    return true;
  }
  if (array_.layout.parity()) return false;
  job.lost = false;
  job.sources.clear();
  return read();
}

void Resync::failed() {
  ++array_.counters.torn;
  if (array_.layout.parity()) torn_.insert(job_->lbn / array_.layout.row_sectors());
  stretch_over();
}

void Resync::stretch_over() {
  job_.reset();
  next_.notify(sc_core::SC_ZERO_TIME);
}

bool Resync::torn(std::uint64_t lbn, std::uint32_t sectors) const {
  if (torn_.empty()) return false;
  const std::uint64_t row = array_.layout.row_sectors();
  const auto first = torn_.lower_bound(lbn / row);
  return first != torn_.end() && *first <= (lbn + sectors - 1) / row;
}

}  // namespace armature::array
