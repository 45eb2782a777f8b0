// Members: which are in service, which copy a read takes, and what happens when one fails.
#include "armature/array/array_controller.h"

#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"
#include "deferred.h"
#include "job.h"

#include <algorithm>
#include <utility>

namespace armature::array {

bool ArrayController::in_service(unsigned slot, std::uint64_t end) const {
  const Slot& of = slots_[slot];
  return of.service == Service::working || (of.service == Service::rebuilding && end <= of.rebuilt);
}

/// Of a write that lies across the mark of a rebuild the spare gets all: what is behind the mark is written again.
bool ArrayController::takes_writes(unsigned slot, std::uint64_t lbn) const {
  const Slot& of = slots_[slot];
  return of.service == Service::working || (of.service == Service::rebuilding && lbn < of.rebuilt);
}

bool ArrayController::readable(const Job& job, unsigned slot, std::uint64_t row, std::uint64_t end) const {
  return in_service(slot, end) && std::find(job.bad.begin(), job.bad.end(), std::pair(slot, row)) == job.bad.end();
}

unsigned ArrayController::slot_of_column(std::uint64_t row, unsigned column) const {
  return column == layout_.data_units() ? layout_.parity_member(row) : layout_.member(row, column);
}

/// -1 if no copy can be read.
int ArrayController::choose_copy(const Job& job, const Piece& piece) {
  const std::uint64_t lbn = layout_.member_lbn(piece);
  const auto rule = params_.mirror_read;
  int best = -1;
  std::pair<std::uint64_t, std::uint64_t> least;
  const unsigned copies = layout_.copies();
  const unsigned first = rule == MirrorRead::round_robin ? next_copy_++ : 0;
  for (unsigned i = 0; i < copies; ++i) {
    const unsigned slot = layout_.member(piece.row, piece.unit, (first + i) % copies);
    if (!readable(job, slot, piece.row, lbn + piece.sectors) || behind(slot, lbn, piece.sectors)) continue;
    const Device& device = devices_[slots_[slot].device];
    const std::uint64_t distance = device.last > lbn ? device.last - lbn : lbn - device.last;
    std::pair<std::uint64_t, std::uint64_t> cost;
    if (rule == MirrorRead::shortest_queue) cost = {device.out, distance};
    if (rule == MirrorRead::nearest) cost = {distance, 0};
    if (rule == MirrorRead::fastest) cost = {static_cast<std::uint64_t>(expected(device)), distance};
    if (rule == MirrorRead::queue_threshold && device.out >= params_.queue_threshold) cost = {device.out, 0};
    if (best >= 0 && cost >= least) continue;
    best = static_cast<int>(slot);
    least = cost;
  }
  return best;
}

/// Time in which the device is expected to answer another read; 0: it is tried.
Ps ArrayController::expected(const Device& device) const {
  const Ps probe = from_seconds(params_.mirror_probe_s);
  if (probe > 0 && now() - device.asked_at >= probe) return 0;
  return device.service * (device.out + 1);
}

/// Operations share the device: of n that are out each takes an n-th of the time for itself.
void ArrayController::learn(Device& device, const Sent& sent) const {
  constexpr Ps kReads = 8;  // over which the mean is taken
  const Ps alone = std::max<Ps>((now() - sent.operation.begun) / sent.queue, 1);
  device.service = device.service == 0 ? alone : device.service + (alone - device.service) / kReads;
}

unsigned ArrayController::missing() const {
  return static_cast<unsigned>(
      std::count_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.service != Service::working; }));
}

void ArrayController::fail(unsigned number) {
  Device& device = devices_[number];
  if (device.failed) return;
  device.failed = true;
  ++counters_.failed_members;
  for (unsigned slot = 0; slot < slots_.size(); ++slot) {
    if (slots_[slot].device != number) continue;
    slots_[slot].service = Service::missing;
    forget_deferred(slot);
  }
  if (sc_core::sc_is_running()) take_spare();
}

void ArrayController::failure_due() {
  for (; !failures_.empty() && failures_.back().first <= now(); failures_.pop_back()) fail(failures_.back().second);
  take_spare();  // of a member that was missing from the start
  if (!failures_.empty()) failure_.notify(to_sc_time(failures_.back().first - now()));
}

}  // namespace armature::array
