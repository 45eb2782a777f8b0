#include "lockstep_report.h"

#include "armature/regs/aau.h"
#include "lockstep_table.h"

#include <fmt/format.h>

#include <cstdint>

namespace armature::arbiter {
namespace {

namespace aau = regs::aau;

std::string grant(std::uint32_t word) {
  return fmt::format("{} slot {} arm {} head {} class {}", aau::grant::Valid::get(word) ? "valid" : "none",
                     aau::grant::Slot::get(word), aau::grant::Arm::get(word), aau::grant::Head::get(word),
                     aau::grant::ArmClass::get(word));
}

std::string wake(bool wakes, std::uint64_t tick) {
  return wakes ? fmt::format("at tick {}", tick) : "none";
}

}  // namespace

std::string lockstep_report(std::int64_t edge, Ps at, const AauCore& core, AauRtl& rtl, std::uint32_t turning) {
  const AauState& state = rtl.state();
  LockstepTable table("arm-arbitration unit", edge, at);
  table.bit("irq", core.irq(), state.irq);
  table.bit("idle", core.idle(), state.idle);
  table.bit("deciding", core.deciding(), state.deciding);
  table.row("wake", wake(core.wake(), core.wake_tick()), wake(state.wake, state.wake_tick));
  table.row("grant", grant(core.read(aau::kGrant)), grant(rtl.read(aau::kGrant)));
  table.row("estimate", std::to_string(core.read(aau::kEstimate)), std::to_string(rtl.read(aau::kEstimate)));
  table.heading(fmt::format("inputs and registers (last decision began at edge {}; stacks that turn: {:#x})",
                            core.begins(), turning));
  // Element 0 of an array only; the arrays follow.
  for (const RegisterInfo& info : aau::kTable) {
    if (info.count != 1 || info.readable == 0 || info.offset == aau::kGrant || info.offset == aau::kEstimate) continue;
    table.word(std::string(info.name), core.read(info.offset), rtl.read(info.offset));
  }
  const auto element = [&](const char* name, std::uint32_t array, unsigned i) {
    const std::uint32_t offset = array + 4 * i;
    table.element(name, i, core.read(offset), rtl.read(offset));
  };
  for (unsigned word = 0; word < aau::kRideAlongCount; ++word)
    if (core.read(aau::kRideAlong + 4 * word) != rtl.read(aau::kRideAlong + 4 * word))
      element("ride_along", aau::kRideAlong, word);
  for (unsigned head = 0; head < aau::kHeadOffsetCount; ++head) {
    element("head_offset", aau::kHeadOffset, head);
    element("head_angle", aau::kHeadAngle, head);
  }
  for (unsigned arm = 0; arm < aau::kArmCount; ++arm) {
    const std::uint32_t offset = aau::kArm + 4 * arm;
    if (core.read(offset) == 0 && rtl.read(offset) == 0) continue;  // not there, or at work from cylinder 0 on
    element("arm", aau::kArm, arm);
    element("arm_mount", aau::kArmMount, arm);
    element("arm_reach", aau::kArmReach, arm);
    for (unsigned word = 4 * arm; word < 4 * arm + 4; ++word)
      if (core.read(aau::kHeadMask + 4 * word) != ~0u || rtl.read(aau::kHeadMask + 4 * word) != ~0u)
        element("head_mask", aau::kHeadMask, word);
  }
  for (unsigned slot = 0; slot < aau::kSlotCommitCount && core.decodes(aau::kSlotCommit + 4 * slot); ++slot) {
    const std::uint32_t offset = aau::kSlotCommit + 4 * slot;
    if (core.read(offset) == rtl.read(offset) && !aau::slot_commit::Valid::get(core.read(offset))) continue;
    element("slot_target", aau::kSlotTarget, slot);
    element("slot_commit", aau::kSlotCommit, slot);
    element("slot_arm", aau::kSlotArm, slot);
  }
  return table.text();
}

}  // namespace armature::arbiter
