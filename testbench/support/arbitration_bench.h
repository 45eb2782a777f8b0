#pragma once

#include "armature/arbiter/arm_arbitration_unit.h"
#include "armature/core/kernel_time.h"
#include "armature/regs/aau.h"
#include "support/bus_master.h"
#include "support/run_until.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace armature::testing {

/// An arm-arbitration unit with a bus master on its registers, on a stack that turns from time 0.
class ArbitrationBench {
 public:
  struct Grant {
    std::uint32_t slot;
    std::uint32_t arm;
    std::int64_t estimate;  ///< ticks
    Ps at;
  };

  explicit ArbitrationBench(const arbiter::ArbiterParams& params, unsigned arms, const BlockContext& context = {},
                            unsigned slots = 32)
      : period(params.clock_period()),
        unit(
            "aau", params, params.shape(slots, arms), 1, [this](unsigned) { return turning ? &rotation : nullptr; },
            context) {
    bus.socket.bind(unit.regs);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    bus.write(regs::aau::kInten, regs::aau::inten::Grant::kMask);
  }

  void enable(arbiter::Policy policy, std::uint32_t yield = 0) {
    const std::uint32_t word =
        regs::aau::ctrl::Policy::set(regs::aau::ctrl::Enable::kMask, static_cast<std::uint32_t>(policy));
    bus.write(regs::aau::kCtrl, regs::aau::ctrl::Yield::set(word, yield));
  }
  void disable() { bus.write(regs::aau::kCtrl, 0); }
  void seek_table(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& points) {
    bus.write(regs::aau::kSeekEntry, 0);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto& [cylinders, ticks] = points[i];
      const bool rises = i + 1 < points.size() && points[i + 1].first > cylinders;
      const std::int64_t slope =
          rises ? arbiter::SeekTable::slope(cylinders, ticks, points[i + 1].first, points[i + 1].second) : 0;
      bus.write(regs::aau::kSeekDistance, cylinders);
      bus.write(regs::aau::kSeekSlopeLo, static_cast<std::uint32_t>(slope));
      bus.write(regs::aau::kSeekSlopeHi, static_cast<std::uint32_t>(slope >> 32));
      bus.write(regs::aau::kSeekTime, ticks);
    }
    bus.write(regs::aau::kSeekEntries, static_cast<std::uint32_t>(points.size()));
  }
  static std::uint32_t track(std::uint32_t cylinder, std::uint32_t head) {
    return regs::aau::slot_target::Head::set(cylinder, head);
  }
  void commit(std::uint32_t slot, std::uint32_t cylinder, std::uint32_t head, std::uint32_t angle, bool write = false,
              std::uint32_t slot_class = 0) {
    bus.write(regs::aau::kSlotTarget + 4 * slot, track(cylinder, head));
    bus.write(regs::aau::kSlotCommit + 4 * slot, regs::aau::slot_commit::SlotClass::set(angle, slot_class) |
                                                     (write ? regs::aau::slot_commit::Write::kMask : 0) |
                                                     regs::aau::slot_commit::Valid::kMask);
  }
  void withdraw(std::uint32_t slot) { bus.write(regs::aau::kSlotCommit + 4 * slot, 0); }
  void idle_arm(std::uint32_t arm, std::uint32_t cylinder, std::uint32_t head) {
    bus.write(regs::aau::kArm + 4 * arm, track(cylinder, head) | regs::aau::arm::Idle::kMask);
  }
  /// The pending grant.
  std::optional<Grant> grant() {
    const std::uint32_t word = bus.read(regs::aau::kGrant);
    if (!regs::aau::grant::Valid::get(word)) return std::nullopt;
    return Grant{regs::aau::grant::Slot::get(word), regs::aau::grant::Arm::get(word), bus.read(regs::aau::kEstimate),
                 now()};
  }
  /// Runs to the next grant; nothing if the unit goes to sleep without one.
  std::optional<Grant> next_grant() {
    while (!unit.irq.read()) {
      if (!sc_core::sc_pending_activity()) return std::nullopt;
      sc_core::sc_start(sc_core::sc_time_to_pending_activity());
      settle();
    }
    return grant();
  }
  void acknowledge() { bus.write(regs::aau::kGrantAck, 1); }
  /// Runs until every write has taken effect.
  void drain() { run_until(std::max(now(), unit.writes_done())); }
  /// Without another write there will be no grant; otherwise it has come.
  bool asleep() {
    const std::uint64_t before = unit.decisions();
    drain();
    while (sc_core::sc_pending_activity()) {
      sc_core::sc_start(sc_core::sc_time_to_pending_activity());
      settle();
    }
    return unit.decisions() == before;
  }
  /// When the decision starts that the last write allows.
  Ps begin() const { return unit.writes_done() + period; }

  const Ps period;
  Rotation rotation{0, 7'200'000};
  bool turning = true;
  arbiter::ArmArbitrationUnit unit;
  BusMaster bus{"bus"};
};

}  // namespace armature::testing
