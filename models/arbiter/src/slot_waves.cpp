#include "slot_waves.h"

#include "armature/regs/aau.h"

#include <fmt/format.h>

#include <algorithm>

namespace armature::arbiter {
namespace aau = regs::aau;

std::unique_ptr<SlotWaves> SlotWaves::make(const std::string& path, ProbeSink* probes, unsigned slots,
                                           const RequestObserver* requests, const char* mover) {
  if (!probes) return nullptr;
  auto waves = std::make_unique<SlotWaves>();
  waves->requests_ = requests;
  waves->mover_ = mover;
  waves->slots_.resize(std::min(slots, kSlots));
  bool traced = false;
  for (unsigned i = 0; i < waves->slots_.size(); ++i) {
    waves->slots_[i].declare(probes, fmt::format("{}.slot{:02}", path, i),
                             fmt::format("free, or the request with its place, and the {} that serves it", mover));
    traced = traced || waves->slots_[i].traced();
  }
  return traced ? std::move(waves) : nullptr;
}

void SlotWaves::written(std::uint32_t offset, std::uint32_t word) {
  const auto element = [offset](std::uint32_t array) { return (offset - array) / 4; };
  const auto in = [offset](std::uint32_t array, std::size_t count) {
    return offset >= array && offset < array + 4 * count;
  };
  if (in(aau::kSlotTarget, slots_.size())) {
    target_[element(aau::kSlotTarget)] = word;
  } else if (in(aau::kSlotCommit, slots_.size())) {
    const unsigned slot = element(aau::kSlotCommit);
    if (!aau::slot_commit::Valid::get(word)) {
      free(slot);
      return;
    }
    // Slots of class 0 are the host's, and a slot's number is the command's tag.
    const std::int64_t request =
        requests_ && aau::slot_commit::SlotClass::get(word) == 0 ? requests_->request_of(slot) : -1;
    waits_[slot] =
        fmt::format("{}{} {}/{}", request >= 0 ? fmt::format("#{} ", request) : std::string(),
                    aau::slot_commit::Write::get(word) ? "write" : "read",
                    aau::slot_target::Cylinder::get(target_[slot]), aau::slot_target::Head::get(target_[slot]));
    slots_[slot].set(waits_[slot]);
  } else if (in(aau::kArm, of_arm_.size()) && aau::arm::Idle::get(word)) {
    int& slot = of_arm_[element(aau::kArm)];
    if (slot != kNoSlot) free(static_cast<unsigned>(slot));
    slot = kNoSlot;
  } else if (offset == aau::kWithdraw && aau::withdraw::Slot::get(word) < slots_.size()) {
    free(aau::withdraw::Slot::get(word));
  } else if (offset == aau::kCtrl && aau::ctrl::WithdrawAll::get(word)) {
    for (unsigned slot = 0; slot < slots_.size(); ++slot) free(slot);
    of_arm_.fill(kNoSlot);
  }
}

void SlotWaves::granted(std::uint32_t slot, std::uint32_t arm) {
  if (slot >= slots_.size()) return;
  of_arm_[arm] = static_cast<int>(slot);
  slots_[slot].set(fmt::format("{} {} {}", waits_[slot], mover_, arm));
}

}  // namespace armature::arbiter
