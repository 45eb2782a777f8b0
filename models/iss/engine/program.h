#pragma once

#include "operation.h"
#include "zero_memory.h"

#include "armature/regs/soc.h"

#include <cstdint>

namespace armature::iss {

/// The code memory, decoded once: an operation for each half word, since an instruction may begin at any. Behind and
/// before the memory there are operations without code as far as a `jal` reaches, so that no jump has to look whether
/// it leaves the memory. (They cost address space only.)
class Program {
 public:
  Program() : memory_((kOperations + 2 * kReach) * sizeof(Operation)) {}

  /// What is at `pc`; Code::no_code outside of the memory.
  const Operation* at(std::uint32_t pc) const {
    const std::uint32_t index = (pc - regs::soc::kCodeBase) / 2;
    return first() + (index < kOperations ? index : kOperations);
  }
  std::uint32_t pc_of(const Operation* operation) const {
    return regs::soc::kCodeBase + static_cast<std::uint32_t>(operation - first()) * 2;
  }
  void set(std::uint32_t pc, const Operation& operation) { const_cast<Operation&>(*at(pc)) = operation; }

 private:
  static constexpr std::uint32_t kOperations = regs::soc::kCodeMaxBytes / 2;
  static constexpr std::uint32_t kReach = (1u << 20) / 2;

  const Operation* first() const { return reinterpret_cast<const Operation*>(memory_.data()) + kReach; }

  ZeroMemory memory_;
};

}  // namespace armature::iss
