// Members: which are in service, which copy a read takes, and what happens when one fails.
#include "members.h"

#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"
#include "array.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace armature::array {

Members::Members(sc_core::sc_module_name name, Array& array, unsigned spares)
    : sc_module(name), array_(array), slots_(array.layout.members()), devices_(array.layout.members() + spares) {
  for (unsigned i = 0; i < slots_.size(); ++i) slots_[i].device = i;
  for (unsigned i = 0; i < devices_.size(); ++i) {
    devices_[i].operations = &array_.operations;
    devices_[i].number = i;
  }
  for (const MemberFailure& failure : array_.params.failures) {
    const auto member = static_cast<unsigned>(failure.member);
    if (member >= slots_.size())
      throw InputError(
          fmt::format("array.failures: there is no member {}; they are 0 to {}", member, slots_.size() - 1));
    failures_.emplace_back(from_seconds(failure.time_s), member);
  }
  std::sort(failures_.rbegin(), failures_.rend());
  for (; !failures_.empty() && failures_.back().first <= 0; failures_.pop_back()) fail(failures_.back().second);
  SC_HAS_PROCESS(Members);
  SC_METHOD(failure_due);  // runs at time zero, before the first command has come
  sensitive << failure_;
}

bool Members::in_service(unsigned slot, std::uint64_t end) const {
  const Slot& of = slots_[slot];
  return of.service == Service::working || (of.service == Service::rebuilding && end <= of.rebuilt);
}

/// Of a write that lies across the mark of a rebuild the spare gets all: what is behind the mark is written again.
bool Members::takes_writes(unsigned slot, std::uint64_t lbn) const {
  const Slot& of = slots_[slot];
  return of.service == Service::working || (of.service == Service::rebuilding && lbn < of.rebuilt);
}

bool Members::readable(const Job& job, unsigned slot, std::uint64_t row, std::uint64_t end) const {
  return in_service(slot, end) && std::find(job.bad.begin(), job.bad.end(), std::pair(slot, row)) == job.bad.end();
}

unsigned Members::missing() const {
  return static_cast<unsigned>(
      std::count_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.service != Service::working; }));
}

unsigned Members::gone(std::uint64_t end) const {
  unsigned gone = 0;
  for (unsigned slot = 0; slot < slots_.size(); ++slot) gone += in_service(slot, end) ? 0 : 1;
  return gone;
}

bool Members::whole() const {
  const Layout& layout = array_.layout;
  if (layout.parity()) return missing() <= 1;
  if (!layout.redundant()) return missing() == 0;
  for (unsigned unit = 0; unit < layout.data_units(); ++unit) {
    bool kept = false;
    for (unsigned copy = 0; copy < layout.copies(); ++copy)
      kept = kept || in_service(layout.member(0, unit, copy), layout.used_sectors());
    if (!kept) return false;
  }
  return true;
}

int Members::choose_copy(const Job& job, const Piece& piece) {
  const Layout& layout = array_.layout;
  const std::uint64_t lbn = layout.member_lbn(piece);
  const auto rule = array_.params.mirror_read;
  int best = -1;
  std::pair<std::uint64_t, std::uint64_t> least;
  const unsigned copies = layout.copies();
  const unsigned first = rule == MirrorRead::round_robin ? next_copy_++ : 0;
  for (unsigned i = 0; i < copies; ++i) {
    const unsigned slot = layout.member(piece.row, piece.unit, (first + i) % copies);
    if (!readable(job, slot, piece.row, lbn + piece.sectors) || array_.deferred.behind(slot, lbn, piece.sectors))
      continue;
    const Device& mine = device(slot);
    const std::uint64_t distance = mine.last > lbn ? mine.last - lbn : lbn - mine.last;
    std::pair<std::uint64_t, std::uint64_t> cost;
    if (rule == MirrorRead::shortest_queue) cost = {mine.out, distance};
    if (rule == MirrorRead::nearest) cost = {distance, 0};
    if (rule == MirrorRead::fastest) cost = {static_cast<std::uint64_t>(expected(mine)), distance};
    if (rule == MirrorRead::queue_threshold && mine.out >= array_.params.queue_threshold) cost = {mine.out, 0};
    if (best >= 0 && cost >= least) continue;
    best = static_cast<int>(slot);
    least = cost;
  }
  return best;
}

/// Time in which the device is expected to answer another read; 0: it is tried.
Ps Members::expected(const Device& device) const {
  const Ps probe = from_seconds(array_.params.mirror_probe_s);
  if (probe > 0 && now() - device.asked_at >= probe) return 0;
  return device.service * (device.out + 1);
}

/// Operations share the device: of n that are out each takes an n-th of the time for itself.
void Members::learn(Device& device, const Sent& sent) {
  constexpr Ps kReads = 8;  // over which the mean is taken
  const Ps alone = std::max<Ps>((now() - sent.operation.begun) / sent.queue, 1);
  device.service = device.service == 0 ? alone : device.service + (alone - device.service) / kReads;
}

void Members::fail(unsigned number) {
  Device& device = devices_[number];
  if (device.failed) return;
  device.failed = true;
  ++array_.counters.failed_members;
  for (unsigned slot = 0; slot < slots_.size(); ++slot) {
    if (slots_[slot].device != number) continue;
    slots_[slot].service = Service::missing;
    array_.deferred.forget(slot);
  }
  if (sc_core::sc_is_running()) array_.rebuild.take_spare();
}

void Members::failure_due() {
  for (; !failures_.empty() && failures_.back().first <= now(); failures_.pop_back()) fail(failures_.back().second);
  array_.rebuild.take_spare();  // of a member that was missing from the start
  if (!failures_.empty()) failure_.notify(to_sc_time(failures_.back().first - now()));
}

int Members::put_spare() {
  const auto place =
      std::find_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.service == Service::missing; });
  const auto spare = std::find_if(devices_.begin() + array_.layout.members(), devices_.end(),
                                  [](const Device& device) { return !device.used && !device.failed; });
  if (place == slots_.end() || spare == devices_.end()) return -1;
  if (array_.layout.parity() && missing() > 1) return -1;
  spare->used = true;
  *place = {spare->number, Service::rebuilding, 0};
  return static_cast<int>(place - slots_.begin());
}

void Members::rebuild_ends(unsigned slot, bool complete) {
  slots_[slot].service = complete ? Service::working : Service::missing;
}

}  // namespace armature::array
