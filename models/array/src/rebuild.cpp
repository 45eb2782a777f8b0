#include "rebuild.h"

#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"
#include "array.h"

#include <algorithm>

namespace armature::array {

Rebuild::Rebuild(sc_core::sc_module_name name, Array& array) : sc_module(name), array_(array) {
  SC_HAS_PROCESS(Rebuild);
  SC_METHOD(next);
  sensitive << next_;
  dont_initialize();
}

void Rebuild::take_spare() {
  if (wanted() || array_.resync.wanted() || array_.end.closing() || !array_.layout.redundant()) return;
  slot_ = array_.members.put_spare();
  if (!wanted()) return;
  ArrayController::Counters& counters = array_.counters;
  counters.rebuild_began = counters.rebuild_last = now();
  counters.rebuild_ended = -1;
  counters.rebuild_reached = 0;
  wake();
}

void Rebuild::next() {
  if (!order_.reached(next_)) return;
  if (!wanted() || job_ || array_.deferred.catching_up()) return;
  const auto slot = static_cast<unsigned>(slot_);
  const std::uint64_t from = array_.members.rebuilt(slot), used = array_.layout.used_sectors();
  if (!array_.members.rebuilding(slot)) return ends(false);
  if (from >= used) return ends(true);
  if (array_.end.closing() && !array_.params.rebuild_to_end) return ends(false);
  job_ = std::make_unique<StretchJob>(
      *this, from, static_cast<std::uint32_t>(std::min<std::uint64_t>(array_.part_sectors, used - from)));
  next_at_ = 0;
  if (array_.params.rebuild_mb_s > 0) {
    const double seconds = static_cast<double>(job_->length()) / (array_.params.rebuild_mb_s * 1e6);
    next_at_ = after(now(), from_seconds(seconds));
  }
  array_.lock(*job_);
}

/// From one copy, or all other members. False: the part cannot be made.
bool Rebuild::choose_sources() {
  StretchJob& job = *job_;
  const auto mine = static_cast<unsigned>(slot_);
  const bool parity = array_.layout.parity();
  bool all = !array_.resync.torn(job.lbn, job.sectors);
  for (unsigned slot = 0; slot < array_.members.slots(); ++slot) {
    const bool partner = parity || array_.layout.same_data(slot, mine);
    if (slot == mine || !partner) continue;
    const bool unread = std::find(unread_copies_.begin(), unread_copies_.end(), slot) != unread_copies_.end();
    if (array_.members.in_service(slot, job.end()) && !unread && !array_.deferred.behind(slot, job.lbn, job.sectors))
      job.sources.push_back(slot);
    else
      all = all && !parity;
  }
  if (!parity && job.sources.size() > 1) {
    const auto fewer = [this](unsigned a, unsigned b) {
      return array_.members.device(a).out < array_.members.device(b).out;
    };
    job.sources = {*std::min_element(job.sources.begin(), job.sources.end(), fewer)};
  }
  return all && !job.sources.empty() && array_.members.rebuilding(mine);
}

void Rebuild::locked(Job& job) {
  job.step = Job::Step::reading;
  job.lost = !choose_sources();
  if (job.lost) return over(job);
  array_.operations.read_sources(*job_, Purpose::rebuild_read, array_.params.rebuild_reads == RebuildReads::background);
}

void Rebuild::over(Job&) {
  StretchJob& job = *job_;
  const auto slot = static_cast<unsigned>(slot_);
  job.lost = job.lost || !array_.members.rebuilding(slot);
  if (job.lost || job.step == Job::Step::writing) return part_over();
  for (std::size_t i = 1; array_.data && i < job.sources.size(); ++i)
    exclusive_or(job.stretch(0), job.stretch(i), job.length());
  array_.operations.write(job, slot, job.stretch(0), Purpose::rebuild_write);
}

void Rebuild::part_over() {
  const std::unique_ptr<StretchJob> part = std::move(job_);
  const auto slot = static_cast<unsigned>(slot_);
  if (!part->lost) {
    unread_copies_.clear();
    array_.members.rebuilt_to(slot, part->end());
    array_.counters.rebuilt_sectors += part->sectors;
    array_.counters.rebuild_reached = part->end();
    array_.counters.rebuild_last = now();
    const bool ending = array_.end.closing() && !array_.params.rebuild_to_end;
    next_.notify(to_sc_time(ending ? 0 : std::max<Ps>(next_at_ - now(), 0)));
    return array_.release(*part);
  }
  array_.release(*part);
  const bool other_copy =
      array_.members.rebuilding(slot) && part->step == Job::Step::reading && !array_.layout.parity();
  if (!other_copy || part->sources.empty()) return ends(false);
  unread_copies_.push_back(part->sources.front());
  wake();
}

void Rebuild::ends(bool complete) {
  const auto slot = static_cast<unsigned>(slot_);
  slot_ = -1;
  unread_copies_.clear();
  const bool closing = array_.end.closing();
  if (complete || !closing) array_.members.rebuild_ends(slot, complete);
  if (complete) {
    ++array_.counters.rebuilt_members;
    array_.counters.rebuild_ended = now();
  }
  array_.scrub.wake();
  if (closing)
    array_.end.next();
  else
    take_spare();
}

void Rebuild::close() {
  if (!wanted() || job_ || array_.params.rebuild_to_end) return;
  next_.cancel();
  slot_ = -1;
}

}  // namespace armature::array
