#pragma once

#include "armature/arbiter/aau_core.h"
#include "armature/arbiter/seek_table.h"
#include "armature/regs/aau.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace armature::testing {

/// The arm-arbitration unit's core on a bus that transfers a word every second clock. Stack n stands at
/// edge / 8 + 1,000 n ticks; the tick counter at edge / 8.
class AauBench final : public arbiter::AauInputs {
 public:
  struct Grant {
    std::uint32_t slot, arm, head;
    std::int64_t estimate, edge;
  };

  explicit AauBench(const arbiter::AauShape& shape = {}, const arbiter::CostModel* cost = nullptr)
      : core(shape, *this, cost) {
    core.turn(0, 1);
  }

  std::uint32_t angle(unsigned stack, std::int64_t edge) const override {
    return static_cast<std::uint32_t>(edge / 8 + std::int64_t{1'000} * stack);
  }
  std::uint64_t tick(std::int64_t edge) const override { return static_cast<std::uint64_t>(edge / 8 + tick_offset); }
  std::int64_t ticks_more(std::int64_t ticks, std::int64_t edge) const override { return (edge / 8 + ticks) * 8; }

  /// A write at the next edge that the bus allows; that edge.
  std::int64_t write(std::uint32_t offset, std::uint32_t value) {
    at += 2;
    core.write(at, offset, value);
    return at;
  }
  /// A write at this very edge.
  void write_at(std::int64_t edge, std::uint32_t offset, std::uint32_t value) {
    at = edge;
    core.write(at, offset, value);
  }
  std::int64_t enable(arbiter::Policy policy, std::uint32_t yield = 0) {
    namespace ctrl = regs::aau::ctrl;
    const std::uint32_t word = ctrl::Policy::set(ctrl::Enable::kMask, static_cast<std::uint32_t>(policy));
    return write(regs::aau::kCtrl, ctrl::Yield::set(word, yield));
  }
  static std::uint32_t track(std::uint32_t cylinder, std::uint32_t head) {
    return regs::aau::slot_target::Head::set(cylinder, head);
  }
  std::int64_t commit(std::uint32_t slot, std::uint32_t cylinder, std::uint32_t head, std::uint32_t angle_,
                      std::uint32_t more = 0) {
    write(regs::aau::kSlotTarget + 4 * slot, track(cylinder, head));
    return write(regs::aau::kSlotCommit + 4 * slot, angle_ | more | regs::aau::slot_commit::Valid::kMask);
  }
  std::int64_t idle(std::uint32_t arm, std::uint32_t cylinder, std::uint32_t head) {
    return write(regs::aau::kArm + 4 * arm, track(cylinder, head) | regs::aau::arm::Idle::kMask);
  }
  void seek_table(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& points, std::uint32_t arm_class = 0) {
    write(regs::aau::kSeekClass, arm_class);
    write(regs::aau::kSeekEntry, 0);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto& [cylinders, ticks] = points[i];
      const bool last = i + 1 == points.size();
      const std::int64_t slope =
          last ? 0 : arbiter::SeekTable::slope(cylinders, ticks, points[i + 1].first, points[i + 1].second);
      write(regs::aau::kSeekDistance, cylinders);
      write(regs::aau::kSeekSlopeLo, static_cast<std::uint32_t>(slope));
      write(regs::aau::kSeekSlopeHi, static_cast<std::uint32_t>(slope >> 32));
      write(regs::aau::kSeekTime, ticks);
    }
    write(regs::aau::kSeekEntries, static_cast<std::uint32_t>(points.size()));
  }
  /// Runs to the end of the decision under way, or the next one; its grant, if there was a winner.
  std::optional<Grant> decide() {
    if (!core.deciding()) {
      if (core.next_start() == arbiter::AauCore::kNever) return std::nullopt;
      core.advance(core.next_start());
    }
    at = core.next_event();
    core.advance(at);
    return grant();
  }
  /// Decides until there is a grant, or nothing more to decide.
  std::optional<Grant> next_grant() {
    std::optional<Grant> found = decide();
    while (!found && core.next_start() != arbiter::AauCore::kNever) found = decide();
    return found;
  }
  std::optional<Grant> grant() const {
    namespace g = regs::aau::grant;
    const std::uint32_t word = core.read(regs::aau::kGrant);
    if (!g::Valid::get(word)) return std::nullopt;
    return Grant{g::Slot::get(word), g::Arm::get(word), g::Head::get(word), core.read(regs::aau::kEstimate), at};
  }
  std::int64_t acknowledge() { return write(regs::aau::kGrantAck, 1); }

  std::int64_t tick_offset = 0;
  arbiter::AauCore core;
  std::int64_t at = 0;  ///< the last edge of the bench
};

}  // namespace armature::testing
