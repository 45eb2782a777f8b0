// Scrub: all members are read in the background, stretch by stretch. Where a member cannot read, the stretch is
// narrowed down to the block, which is made anew from the others and written. Copies and parity are compared.
#include "armature/array/array_controller.h"

#include "armature/core/block_address.h"
#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"
#include "job.h"

#include <algorithm>
#include <cstring>

namespace armature::array {
namespace {

constexpr std::size_t kBlockBytes = kSectorBytes;  // lengths in memory have 64 bits
constexpr std::uint32_t kGrain = 8;                // sectors that are made anew at once: a physical sector of 4 KiB

}  // namespace

/// There is a scrub, and what it needs: all members. Of an array that is closing, if it is to pass once and has not.
bool ArrayController::scrub_wanted() const {
  if (params_.scrub_mb_s <= 0 || rebuilding() || recovering() || missing() > 0) return false;
  return !closing_ || (params_.scrub_to_end && counters_.scrub_passes == 0);
}

/// The run cannot end yet.
bool ArrayController::scrub_holds_end() const {
  return scrub_ || scrub_wanted();
}

void ArrayController::scrub_next() {
  if (!scrub_order_.reached(next_scrub_)) return;
  if (scrub_) return;
  if (!scrub_wanted()) {
    if (closing_) close_next();
    return;
  }
  if (scrub_parts_.empty()) {
    const Ps left = scrub_next_at_ - now();
    if (left > 0) return next_scrub_.notify(to_sc_time(left));
    const auto sectors =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(scrub_sectors_, layout_.used_sectors() - scrub_at_));
    scrub_parts_.push_back({scrub_at_, sectors});
    scrub_at_ += sectors;
    const double seconds = static_cast<double>(sectors * kBlockBytes) / (params_.scrub_mb_s * 1e6);
    scrub_next_at_ = after(now(), from_seconds(seconds));
  }
  scrub_ = std::make_unique<Job>();
  scrub_->kind = Job::Kind::scrub;
  scrub_->lbn = scrub_parts_.back().lbn;
  scrub_->sectors = scrub_parts_.back().sectors;
  scrub_parts_.pop_back();
  lock(*scrub_, /*exclusive=*/true);
}

/// The stretch is locked.
void ArrayController::scrub_reads() {
  Job& job = *scrub_;
  if (missing() > 0) return scrub_done(false);
  job.step = Job::Step::reading;
  for (unsigned slot = 0; slot < slots_.size(); ++slot) job.sources.push_back(slot);
  if (data_) job.bytes.assign(job.sources.size() * job.sectors * kBlockBytes, 0);
  for (std::size_t i = 0; i < job.sources.size(); ++i) {
    Sent sent;
    sent.slot = job.sources[i];
    sent.piece = i;
    sent.data = job.stretch(i);
    sent.operation.operation = Operation::read;
    sent.operation.purpose = Purpose::scrub_read;
    send(job, sent, job.lbn, job.sectors);
  }
}

/// What was read, or written, is there.
void ArrayController::scrub_over() {
  Job& job = *scrub_;
  if (job.step == Job::Step::writing) return scrub_done(true);
  if (missing() > 0) return scrub_done(false);
  if (job.unread.empty()) {
    scrub_compared(job);
    return scrub_done(true);
  }
  if (job.sectors > kGrain) {
    scrub_split(job);
    return scrub_done(false);
  }
  job.step = Job::Step::writing;
  if (!scrub_repair(job)) scrub_done(true);
}

void ArrayController::scrub_compared(Job& job) {
  const bool of_torn_row = layout_.parity() && torn(job.lbn, job.sectors);
  if (data_ && !of_torn_row && !agree(job)) ++counters_.scrub_different;
}

/// What is before the first sector that could not be read, its block, and what is behind it, are read by themselves.
void ArrayController::scrub_split(const Job& job) {
  std::uint64_t bad = job.lbn + job.sectors;
  for (const Job::Unread& each : job.unread) bad = std::min(bad, each.lbn);
  if (bad < job.lbn || bad >= job.lbn + job.sectors) bad = job.lbn + job.sectors / 2;  // it was not told
  const std::uint64_t end = job.lbn + job.sectors;
  const std::uint64_t block = std::max(bad / kGrain * kGrain, job.lbn),
                      behind = std::min(bad / kGrain * kGrain + kGrain, end);
  const auto add = [this](std::uint64_t from, std::uint64_t to) {
    if (from < to) scrub_parts_.push_back({from, static_cast<std::uint32_t>(to - from)});
  };
  add(behind, end);
  add(block, behind);
  add(job.lbn, block);
}

/// Writes anew what could not be read. False: nothing can be.
bool ArrayController::scrub_repair(Job& job) {
  const auto unread = [&job](std::size_t source) {
    return std::any_of(job.unread.begin(), job.unread.end(), [source](const auto& u) { return u.source == source; });
  };
  for (const Job::Unread& each : job.unread) {
    std::vector<std::size_t> from;
    for (std::size_t source = 0; source < job.sources.size(); ++source) {
      const bool partner = layout_.parity() || layout_.same_data(job.sources[source], job.sources[each.source]);
      if (source != each.source && partner && !unread(source)) from.push_back(source);
    }
    const bool torn_row = layout_.parity() && torn(job.lbn, job.sectors);
    if (from.empty() || torn_row || (layout_.parity() && from.size() + 1 < job.sources.size())) {
      counters_.scrub_lost += job.sectors;
      continue;
    }
    if (!layout_.parity()) from.resize(1);
    const std::size_t bytes = job.sectors * kBlockBytes;
    std::uint8_t* const made = job.stretch(each.source);
    if (data_) std::memset(made, 0, bytes);
    for (const std::size_t source : from)
      for (std::size_t byte = 0; data_ && byte < bytes; ++byte)
        made[byte] = static_cast<std::uint8_t>(made[byte] ^ job.stretch(source)[byte]);
    counters_.scrub_repaired += job.sectors;
    Sent sent;
    sent.slot = job.sources[each.source];
    sent.data = made;
    sent.operation.operation = Operation::write;
    sent.operation.purpose = Purpose::scrub_write;
    send(job, sent, job.lbn, job.sectors);
  }
  return job.open > 0;
}

/// @param counted  the stretch is over; else it is read in parts, or not at all
void ArrayController::scrub_done(bool counted) {
  const std::unique_ptr<Job> job = std::move(scrub_);
  if (counted) counters_.scrubbed_sectors += job->sectors;
  release(*job);
  if (missing() > 0) scrub_parts_.clear();
  if (scrub_parts_.empty() && scrub_at_ >= layout_.used_sectors()) {
    scrub_at_ = 0;
    if (missing() == 0) ++counters_.scrub_passes;
  }
  if (closing_ && !scrub_wanted()) return close_next();
  next_scrub_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace armature::array
