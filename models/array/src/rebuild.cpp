// Work of the array's own: rebuilding a member on a spare, and checking copies and parity at the end.
#include "armature/array/array_controller.h"

#include "armature/core/block_address.h"
#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"
#include "deferred.h"
#include "job.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace armature::array {
namespace {

constexpr std::size_t kBlockBytes = kSectorBytes;  // lengths in memory have 64 bits

void add(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) to[i] = static_cast<std::uint8_t>(to[i] ^ from[i]);
}

}  // namespace

/// Puts a spare in the place of the first missing member.
void ArrayController::take_spare() {
  if (rebuilding() || recovering() || closing_ || !layout_.redundant()) return;
  const auto place =
      std::find_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.service == Service::missing; });
  const auto spare = std::find_if(devices_.begin() + layout_.members(), devices_.end(),
                                  [](const Device& device) { return !device.used && !device.failed; });
  if (place == slots_.end() || spare == devices_.end()) return;
  if (layout_.parity() && missing() > 1) return;
  spare->used = true;
  place->device = static_cast<unsigned>(spare - devices_.begin());
  place->service = Service::rebuilding;
  place->rebuilt = 0;
  rebuilt_slot_ = static_cast<int>(place - slots_.begin());
  counters_.rebuild_began = now();
  counters_.rebuild_ended = -1;
  counters_.rebuild_last = now();
  counters_.rebuild_reached = 0;
  next_part_.notify(sc_core::SC_ZERO_TIME);
}

void ArrayController::rebuild_next() {
  if (!rebuild_order_.reached(next_part_)) return;
  if (!rebuilding() || rebuild_ || catching_up()) return;
  const Slot& slot = slots_[static_cast<std::size_t>(rebuilt_slot_)];
  if (slot.service != Service::rebuilding) return rebuild_ends(false);
  if (slot.rebuilt >= layout_.used_sectors()) return rebuild_ends(true);
  if (closing_ && !params_.rebuild_to_end) return rebuild_ends(false);
  rebuild_ = std::make_unique<Job>();
  rebuild_->kind = Job::Kind::rebuild;
  rebuild_->lbn = slot.rebuilt;
  rebuild_->sectors =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(part_sectors_, layout_.used_sectors() - slot.rebuilt));
  if (params_.rebuild_mb_s > 0) {
    const double seconds = static_cast<double>(rebuild_->sectors * kBlockBytes) / (params_.rebuild_mb_s * 1e6);
    rebuild_->next_at = after(now(), from_seconds(seconds));
  }
  lock(*rebuild_, /*exclusive=*/true);
}

/// The part is locked: reads it from one copy, or from all other members.
void ArrayController::rebuild_reads() {
  Job& job = *rebuild_;
  const auto mine = static_cast<unsigned>(rebuilt_slot_);
  const std::uint64_t end = job.lbn + job.sectors;
  job.step = Job::Step::reading;
  job.sources.clear();
  job.lost = torn(job.lbn, job.sectors);
  for (unsigned slot = 0; slot < slots_.size(); ++slot) {
    const bool partner = layout_.parity() || layout_.same_data(slot, mine);
    if (slot == mine || !partner) continue;
    const bool unread = std::find(unread_copies_.begin(), unread_copies_.end(), slot) != unread_copies_.end();
    if (in_service(slot, end) && !unread && !behind(slot, job.lbn, job.sectors))
      job.sources.push_back(slot);
    else
      job.lost = job.lost || layout_.parity();
  }
  if (!layout_.parity() && job.sources.size() > 1) {
    const auto fewer = [this](unsigned a, unsigned b) {
      return devices_[slots_[a].device].out < devices_[slots_[b].device].out;
    };
    job.sources = {*std::min_element(job.sources.begin(), job.sources.end(), fewer)};
  }
  job.lost = job.lost || job.sources.empty() || slots_[mine].service != Service::rebuilding;
  if (job.lost) return rebuild_over();
  if (data_) job.bytes.assign(job.sources.size() * job.sectors * kBlockBytes, 0);
  for (std::size_t i = 0; i < job.sources.size(); ++i) {
    Sent sent;
    sent.slot = job.sources[i];
    sent.data = job.stretch(i);
    sent.operation.operation = Operation::read;
    sent.operation.purpose = Purpose::rebuild_read;
    send(job, sent, job.lbn, job.sectors);
  }
}

void ArrayController::rebuild_over() {
  Job& job = *rebuild_;
  Slot& slot = slots_[static_cast<std::size_t>(rebuilt_slot_)];
  job.lost = job.lost || slot.service != Service::rebuilding;
  if (!job.lost && job.step == Job::Step::reading) {
    for (std::size_t i = 1; data_ && i < job.sources.size(); ++i)
      add(job.stretch(0), job.stretch(i), job.sectors * kBlockBytes);
    job.step = Job::Step::writing;
    Sent sent;
    sent.slot = static_cast<unsigned>(rebuilt_slot_);
    sent.data = job.stretch(0);
    sent.operation.operation = Operation::write;
    sent.operation.purpose = Purpose::rebuild_write;
    return send(job, sent, job.lbn, job.sectors);
  }
  const std::unique_ptr<Job> part = std::move(rebuild_);
  if (!part->lost) {
    unread_copies_.clear();
    slot.rebuilt = part->lbn + part->sectors;
    counters_.rebuilt_sectors += part->sectors;
    counters_.rebuild_reached = slot.rebuilt;
    counters_.rebuild_last = now();
    const bool ending = closing_ && !params_.rebuild_to_end;
    next_part_.notify(to_sc_time(ending ? 0 : std::max<Ps>(part->next_at - now(), 0)));
  }
  release(*part);
  if (!part->lost) return;
  const bool other_copy = slot.service == Service::rebuilding && part->step == Job::Step::reading && !layout_.parity();
  if (!other_copy || part->sources.empty()) return rebuild_ends(false);
  unread_copies_.push_back(part->sources.front());
  next_part_.notify(sc_core::SC_ZERO_TIME);
}

void ArrayController::rebuild_ends(bool complete) {
  Slot& slot = slots_[static_cast<std::size_t>(rebuilt_slot_)];
  rebuilt_slot_ = -1;
  unread_copies_.clear();
  if (complete) {
    slot.service = Service::working;
    ++counters_.rebuilt_members;
    counters_.rebuild_ended = now();
  } else if (!closing_) {
    slot.service = Service::missing;
  }
  next_scrub_.notify(sc_core::SC_ZERO_TIME);
  if (closing_)
    close_next();
  else
    take_spare();
}

// ---------------------------------------------------------------------------------------------------------------------
// The end

void ArrayController::close() {
  closing_ = true;
  if (recovering()) return;  // resync_next goes on
  if (catching_up()) return deferred_->next.notify(sc_core::SC_ZERO_TIME);
  if (rebuilding() && !rebuild_ && !params_.rebuild_to_end) {
    next_part_.cancel();
    rebuilt_slot_ = -1;
  }
  close_next();
}

void ArrayController::close_next() {
  if (closed_ || rebuilding() || recovering() || catching_up() || scrub_holds_end()) return;
  closed_ = true;
  next_scrub_.cancel();
  if (!data_ || !layout_.redundant()) {
    for (const Device& device : devices_) device.feed->close();
    return;
  }
  check_ = std::make_unique<Job>();
  check_->kind = Job::Kind::flush;
  flush(*check_);
}

/// The flush, or a part, is over.
void ArrayController::check_over() {
  if (check_->kind == Job::Kind::check && !check_->lost) {
    ++counters_.parts_checked;
    if (!agree(*check_)) ++counters_.parts_different;
  }
  check_next();
}

/// Reads the next part that was written, from all members whose contents must agree.
void ArrayController::check_next() {
  while (!written_.empty()) {
    const std::uint64_t part = *written_.begin();
    written_.erase(written_.begin());
    check_ = std::make_unique<Job>();
    check_->kind = Job::Kind::check;
    check_->lbn = part * part_sectors_;
    check_->sectors =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(part_sectors_, layout_.used_sectors() - check_->lbn));
    for (unsigned slot = 0; slot < slots_.size(); ++slot)
      if (in_service(slot, check_->lbn + check_->sectors) && !behind(slot, check_->lbn, check_->sectors))
        check_->sources.push_back(slot);
    if (check_->sources.size() < 2 || (layout_.parity() && check_->sources.size() < slots_.size())) continue;
    check_->bytes.assign(check_->sources.size() * check_->sectors * kBlockBytes, 0);
    for (std::size_t i = 0; i < check_->sources.size(); ++i) {
      Sent sent;
      sent.slot = check_->sources[i];
      sent.data = check_->stretch(i);
      sent.operation.operation = Operation::read;
      sent.operation.purpose = Purpose::check;
      send(*check_, sent, check_->lbn, check_->sectors);
    }
    return;
  }
  for (const Device& device : devices_) device.feed->close();
}

bool ArrayController::agree(const Job& job) const {
  const std::size_t bytes = job.sectors * kBlockBytes;
  if (layout_.parity()) {
    std::vector<std::uint8_t> sum(bytes, 0);
    for (std::size_t i = 0; i < job.sources.size(); ++i) add(sum.data(), job.stretch(i), bytes);
    return std::all_of(sum.begin(), sum.end(), [](std::uint8_t byte) { return byte == 0; });
  }
  for (std::size_t i = 1; i < job.sources.size(); ++i) {
    if (layout_.same_data(job.sources[i - 1], job.sources[i]) &&
        std::memcmp(job.stretch(i - 1), job.stretch(i), bytes) != 0)
      return false;
  }
  return true;
}

}  // namespace armature::array
