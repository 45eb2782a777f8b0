#include "control_registers.h"

namespace armature::iss {
namespace {

// Volume II, 3.1.1.
constexpr std::uint32_t kMisa =
    1u << 30 | 1u << ('I' - 'A') | 1u << ('M' - 'A') | 1u << ('A' - 'A') | 1u << ('C' - 'A');
constexpr std::uint32_t kCounterOfInstructions = 0x02, kUpperWord = 0x80;  // bits of a counter's number

struct Kept {
  std::uint32_t number;
  std::uint32_t Hart::*word;
  std::uint32_t writable;
  std::uint32_t ones;
};
constexpr Kept kKept[] = {
    {0x300, &Hart::mstatus, kMstatusMie | kMstatusMpie, kMstatusMachine},
    {0x304, &Hart::mie, ~0u, 0},
    {0x305, &Hart::mtvec, ~2u, 0},
    {0x340, &Hart::mscratch, ~0u, 0},
    {0x341, &Hart::mepc, ~1u, 0},
    {0x342, &Hart::mcause, ~0u, 0},
    {0x343, &Hart::mtval, ~0u, 0},
};

const Kept* kept(std::uint32_t number) {
  for (const Kept& one : kKept)
    if (one.number == number) return &one;
  return nullptr;
}

}  // namespace

bool ControlRegisters::execute(const Operation& operation, const Counts& counts) {
  const auto number = static_cast<std::uint32_t>(operation.immediate);
  const bool swaps = operation.code == Code::csrrw || operation.code == Code::csrrwi;
  const bool immediate = operation.code >= Code::csrrwi;
  const std::uint32_t operand = immediate ? operation.rs1 : hart_.x[operation.rs1];
  const std::optional<std::uint32_t> old = read(number, counts);
  if (!old) return false;
  if (swaps || operation.rs1 != 0) {  // set and clear nothing: the register is only read
    const bool sets = operation.code == Code::csrrs || operation.code == Code::csrrsi;
    const std::uint32_t value = swaps ? operand : sets ? *old | operand : *old & ~operand;
    if (!write(number, value, counts)) return false;
  }
  hart_.x[operation.rd] = *old;
  hart_.x[0] = 0;
  return true;
}

std::optional<std::uint32_t> ControlRegisters::read(std::uint32_t number, const Counts& counts) const {
  if (const Kept* const one = kept(number)) return hart_.*one->word;
  switch (number) {
    case 0x301:
      return kMisa;
    case 0x310:  // mstatush
    case 0x320:  // mcountinhibit
    case 0x344:  // mip: a line that is pending is claimed outside of the hart
    case 0xF11:  // mvendorid, marchid, mimpid, mhartid, mconfigptr
    case 0xF12:
    case 0xF13:
    case 0xF14:
    case 0xF15:
      return 0;
    case 0xB00:  // mcycle, minstret
    case 0xB02:
    case 0xB80:
    case 0xB82:
    case 0xC00:  // cycle, instret
    case 0xC02:
    case 0xC80:
    case 0xC82: {
      const std::uint64_t count = (number & kCounterOfInstructions) != 0 ? counts.instructions - begin_.instructions
                                                                         : counts.cycles - begin_.cycles;
      return static_cast<std::uint32_t>((number & kUpperWord) != 0 ? count >> 32 : count);
    }
    default:
      return {};
  }
}

bool ControlRegisters::write(std::uint32_t number, std::uint32_t value, const Counts& counts) {
  if (const Kept* const one = kept(number)) {
    hart_.*one->word = one->ones | (value & one->writable);
    return true;
  }
  // Those whose every bit is only read, unless the number says that writing is illegal (bits 11 and 10).
  if ((number & ~(kCounterOfInstructions | kUpperWord)) != 0xB00) return number >> 10 != 3;
  const bool instructions = (number & kCounterOfInstructions) != 0;
  const std::uint64_t count = instructions ? counts.instructions : counts.cycles;
  std::uint64_t& begin = instructions ? begin_.instructions : begin_.cycles;
  const std::uint64_t shown = count - begin;
  begin = count - ((number & kUpperWord) != 0 ? (shown & 0xFFFF'FFFF) | std::uint64_t{value} << 32
                                              : (shown >> 32 << 32) | value);
  return true;
}

}  // namespace armature::iss
