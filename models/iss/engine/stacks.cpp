#include "stacks.h"

#include <algorithm>

namespace armature::iss {

/// The stack that has `sp`, a new one if none has.
void Stacks::choose(std::uint32_t sp) {
  const std::uint32_t bottom = symbols_->memory_before(sp);
  const auto found = std::find_if(stacks_.begin(), stacks_.end(), [&](const Stack& s) { return s.bottom == bottom; });
  current_ = static_cast<std::size_t>(found - stacks_.begin());
  if (found == stacks_.end()) stacks_.push_back({bottom, sp, sp, {}});
}

void Stacks::add(std::uint32_t sp, bool moved, std::uint32_t pc, StackUse::Call call, unsigned line) {
  if (sp == 0) return;  // as after power-on
  if (!moved || stacks_.empty()) choose(sp);
  Stack& stack = stacks_[current_];
  stack.top = std::max(stack.top, sp);
  if (sp < stack.lowest || stack.deepest.pc == 0) {
    stack.lowest = sp;
    stack.deepest = {0, 0, pc, call, line};
  }
  lowest_ = stack.lowest;
  span_ = stack.top - lowest_;
}

std::optional<StackUse> Stacks::use() const {
  std::optional<StackUse> least;
  std::int64_t room = 0;
  for (const Stack& stack : stacks_) {
    const std::int64_t left = std::int64_t{stack.lowest} - stack.bottom;
    if (least && left >= room) continue;
    room = left;
    least = stack.deepest;
    least->used = stack.top - stack.lowest;
    least->size = stack.top - stack.bottom;
  }
  return least;
}

}  // namespace armature::iss
