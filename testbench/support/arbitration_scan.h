#pragma once

#include "armature/arbiter/arm_arbitration_unit.h"
#include "armature/arbiter/seek_table.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace armature::testing {

/// Loads a curve, points by ascending distance, as firmware does.
inline void load(arbiter::SeekTable& table, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& points) {
  for (unsigned i = 0; i < points.size(); ++i) {
    const auto& [cylinders, ticks] = points[i];
    const bool last = i + 1 == points.size();
    table.store(i, cylinders, ticks,
                last ? 0 : arbiter::SeekTable::slope(cylinders, ticks, points[i + 1].first, points[i + 1].second));
  }
  table.use(static_cast<unsigned>(points.size()));
  table.prepare();
}

/// The arbitration unit's choice as its header says it, in the same integers: every waiting slot with every idle arm.
/// What the unit finds through its index is compared with it.
struct ArbitrationScan {
  struct Slot {
    std::uint32_t slot, cylinder, head, angle;
    bool write;
    std::uint32_t slot_class;
    std::int64_t committed_tick;
    std::uint64_t order;
  };
  struct Arm {
    std::uint32_t arm, cylinder, head;
  };
  struct Choice {
    std::uint32_t slot, arm;
    std::int64_t key, time;
  };

  arbiter::SeekTable seek;
  std::int64_t margin = 0, head_switch = 0, write_settle = 0, ageing = 0;

  std::int64_t time(const Slot& slot, const Arm& arm, std::int64_t begin_tick) const {
    const std::uint32_t distance =
        slot.cylinder > arm.cylinder ? slot.cylinder - arm.cylinder : arm.cylinder - slot.cylinder;
    std::int64_t move = seek.ticks(distance);
    if (slot.head != arm.head) move = std::max(move, head_switch);
    if (slot.write && (distance > 0 || slot.head != arm.head)) move += write_settle;
    const std::int64_t start = margin + move;
    const std::int64_t wait = (slot.angle - begin_tick - start) % 65'536;
    return start + (wait < 0 ? wait + 65'536 : wait);
  }

  std::int64_t key(arbiter::Policy policy, const Slot& slot, const Arm& arm, std::int64_t begin_tick) const {
    const std::int64_t up = std::int64_t{slot.cylinder} - arm.cylinder;
    switch (policy) {
      case arbiter::Policy::sstf:
        return up < 0 ? -up : up;
      case arbiter::Policy::clook:
        return up < 0 ? up + (1 << 23) : up;
      case arbiter::Policy::aged_sptf:
        return time(slot, arm, begin_tick) -
               (slot.slot_class != 0 ? 0
                                     : ageing * std::max<std::int64_t>(begin_tick - slot.committed_tick, 0) / 1'024);
      case arbiter::Policy::fcfs:
      case arbiter::Policy::sptf:
      case arbiter::Policy::zsptf:  // of sleds: testbench/unit/mems_policies_test.cpp
      case arbiter::Policy::mst:
        break;
    }
    return time(slot, arm, begin_tick);
  }

  /// Slots by age, arms by number; yield: one bit a class.
  std::optional<Choice> choose(arbiter::Policy policy, std::uint32_t yield, const std::vector<Slot>& slots,
                               const std::vector<Arm>& arms, std::int64_t begin_tick) const {
    const bool host_waits =
        std::any_of(slots.begin(), slots.end(), [](const Slot& slot) { return slot.slot_class == 0; });
    std::optional<Choice> best;
    for (const Slot& slot : slots) {
      if (host_waits && slot.slot_class != 0 && ((yield >> slot.slot_class) & 1u)) continue;
      for (const Arm& arm : arms) {
        const Choice choice{slot.slot, arm.arm, key(policy, slot, arm, begin_tick), time(slot, arm, begin_tick)};
        const bool sooner = best && best->slot == slot.slot && choice.key == best->key && choice.time < best->time;
        if (!best || choice.key < best->key || sooner) best = choice;
      }
      if (policy == arbiter::Policy::fcfs) break;
    }
    return best;
  }
};

}  // namespace armature::testing
