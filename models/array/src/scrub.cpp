#include "scrub.h"

#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"
#include "array.h"

#include <algorithm>
#include <cstring>

namespace armature::array {
namespace {

constexpr std::uint32_t kGrain = 8;  // sectors that are made anew at once: a physical sector of 4 KiB

}  // namespace

Scrub::Scrub(sc_core::sc_module_name name, Array& array)
    : sc_module(name),
      array_(array),
      unit_sectors_(Array::whole_rows(array.params.scrub_sectors(), array.layout.row_sectors())) {
  SC_HAS_PROCESS(Scrub);
  SC_METHOD(next);  // runs at time zero
  sensitive << next_;
}

/// There is a scrub, and what it needs: all members. Of an array that is closing, if it is to pass once and has not.
bool Scrub::wanted() const {
  if (array_.params.scrub_mb_s <= 0 || array_.rebuild.wanted() || array_.resync.wanted()) return false;
  if (array_.members.missing() > 0) return false;
  return !array_.end.closing() || (array_.params.scrub_to_end && array_.counters.scrub_passes == 0);
}

void Scrub::next() {
  if (!order_.reached(next_)) return;
  if (job_) return;
  if (!wanted()) {
    if (array_.end.closing()) array_.end.next();
    return;
  }
  if (parts_.empty()) {
    const Ps left = next_at_ - now();
    if (left > 0) return next_.notify(to_sc_time(left));
    const auto sectors =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(unit_sectors_, array_.layout.used_sectors() - at_));
    parts_.push_back({at_, sectors});
    at_ += sectors;
    const double seconds = static_cast<double>(sectors * kBlockBytes) / (array_.params.scrub_mb_s * 1e6);
    next_at_ = after(now(), from_seconds(seconds));
  }
  job_ = std::make_unique<StretchJob>(*this, parts_.back().lbn, parts_.back().sectors);
  unread_.clear();
  parts_.pop_back();
  array_.lock(*job_);
}

void Scrub::locked(Job&) {
  if (array_.members.missing() > 0) return done(false);
  for (unsigned slot = 0; slot < array_.members.slots(); ++slot) job_->sources.push_back(slot);
  array_.operations.read_sources(*job_, Purpose::scrub_read);
}

void Scrub::unread(Job&, const Sent& sent, const host::CommandStatus& status) {
  unread_.push_back({sent.piece, status.lbn.value()});
}

/// What was read, or written, is there.
void Scrub::over(Job& job) {
  if (job.step == Job::Step::writing) return done(true);
  if (array_.members.missing() > 0) return done(false);
  if (unread_.empty()) {
    const bool torn = array_.resync.torn(job_->lbn, job_->sectors);
    if (array_.data && !torn && !array_.end.agree(*job_)) ++array_.counters.scrub_different;
    return done(true);
  }
  if (job_->sectors > kGrain) {
    split();
    return done(false);
  }
  if (!repair()) done(true);
}

/// What is before the first sector that could not be read, its block, and what is behind it, are read by themselves.
void Scrub::split() {
  const std::uint64_t first = job_->lbn, end = job_->end();
  std::uint64_t bad = end;
  for (const Unread& each : unread_) bad = std::min(bad, each.lbn);
  if (bad < first || bad >= end) bad = first + job_->sectors / 2;  // it was not told
  const std::uint64_t block = std::max(bad / kGrain * kGrain, first),
                      behind = std::min(bad / kGrain * kGrain + kGrain, end);
  const auto add = [this](std::uint64_t from, std::uint64_t to) {
    if (from < to) parts_.push_back({from, static_cast<std::uint32_t>(to - from)});
  };
  add(behind, end);
  add(block, behind);
  add(first, block);
}

/// Writes anew what could not be read. False: nothing can be.
bool Scrub::repair() {
  const Layout& layout = array_.layout;
  const auto unread = [this](std::size_t source) {
    return std::any_of(unread_.begin(), unread_.end(), [source](const auto& u) { return u.source == source; });
  };
  for (const Unread& each : unread_) {
    std::vector<std::size_t> from;
    for (std::size_t source = 0; source < job_->sources.size(); ++source) {
      const bool partner = layout.parity() || layout.same_data(job_->sources[source], job_->sources[each.source]);
      if (source != each.source && partner && !unread(source)) from.push_back(source);
    }
    if (!repair_from(each.source, from)) array_.counters.scrub_lost += job_->sectors;
  }
  return job_->open > 0;
}

/// @param from  sources with a copy, or with the rest of the row
bool Scrub::repair_from(std::size_t source, std::vector<std::size_t> from) {
  const bool parity = array_.layout.parity();
  if (from.empty() || array_.resync.torn(job_->lbn, job_->sectors)) return false;
  if (parity && from.size() + 1 < job_->sources.size()) return false;
  if (!parity) from.resize(1);
  std::uint8_t* const made = job_->stretch(source);
  if (array_.data) std::memset(made, 0, job_->length());
  for (const std::size_t other : from)
    if (array_.data) exclusive_or(made, job_->stretch(other), job_->length());
  array_.counters.scrub_repaired += job_->sectors;
  array_.operations.write(*job_, job_->sources[source], made, Purpose::scrub_write);
  return true;
}

/// @param counted  the stretch is over; else it is read in parts, or not at all
void Scrub::done(bool counted) {
  const std::unique_ptr<StretchJob> job = std::move(job_);
  if (counted) array_.counters.scrubbed_sectors += job->sectors;
  array_.release(*job);
  const bool whole = array_.members.missing() == 0;
  if (!whole) parts_.clear();
  if (parts_.empty() && at_ >= array_.layout.used_sectors()) {
    at_ = 0;
    if (whole) ++array_.counters.scrub_passes;
  }
  if (array_.end.closing() && !wanted()) return array_.end.next();
  wake();
}

}  // namespace armature::array
