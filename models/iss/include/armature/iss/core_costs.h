#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace armature::iss {

/// Classes of instructions by what they cost on a small in-order core. Each instruction that is retired belongs to one;
/// an interrupt that is taken adds `trap`.
enum class InstructionClass : std::uint8_t {
  plain,          ///< integer computation, fence, and the wait
  load,           ///< of code or data memory, and lr.w
  store,          ///< to data memory
  branch_taken,   ///< a conditional branch
  branch_missed,  ///< one that is not taken
  jump,           ///< jal, jalr
  multiply,       ///< mul
  multiply_high,  ///< mulh, mulhsu, mulhu
  divide,         ///< div, divu, rem, remu
  csr,            ///< access to a control and status register
  atomic,         ///< amo*.w, sc.w
  bus_load,       ///< a load outside of the memories: a register or the buffer; the bus's wait cycles included
  bus_store,      ///< a store there
  trap,           ///< from the sampling edge to the first instruction of the handler
  mret,
};
inline constexpr std::size_t kInstructionClasses = static_cast<std::size_t>(InstructionClass::mret) + 1;

/// Cycles of each class.
struct CoreCosts {
  std::array<std::uint32_t, kInstructionClasses> cycles{};
  std::uint32_t of(InstructionClass c) const { return cycles[static_cast<std::size_t>(c)]; }
  std::uint32_t& of(InstructionClass c) { return cycles[static_cast<std::size_t>(c)]; }
};

}  // namespace armature::iss
