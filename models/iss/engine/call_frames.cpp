// Who has called: the stack as the compiler describes it in .debug_frame ("DWARF Debugging Information Format", version
// 5, 6.4), read by libdw.
#include "armature/iss/symbols.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>

#include <cstdlib>

namespace armature::iss {
namespace {

constexpr std::size_t kMostFrames = 64;
constexpr unsigned kReturnAddress = 1, kStackPointer = 2;  // "RISC-V ABIs Specification", 1.1

using Word = std::optional<std::uint32_t>;
using Registers = std::array<std::uint32_t, 32>;

struct EndElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};
struct EndDwarf {
  void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};
struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

/// Of an address: what compilers use in frames, a register or the frame's own address and a distance.
Word value_of(const Dwarf_Op* ops, std::size_t count, const Registers& x, Word frame) {
  Word value;
  for (std::size_t i = 0; i < count; ++i) {
    const Dwarf_Op& op = ops[i];
    if (op.atom >= DW_OP_breg0 && op.atom <= DW_OP_breg31)
      value = x[op.atom - DW_OP_breg0] + static_cast<std::uint32_t>(op.number);
    else if (op.atom == DW_OP_bregx && op.number < x.size())
      value = x[op.number] + static_cast<std::uint32_t>(op.number2);
    else if (op.atom == DW_OP_call_frame_cfa)
      value = frame;
    else if (op.atom == DW_OP_plus_uconst && value)
      value = *value + static_cast<std::uint32_t>(op.number);
    else
      return {};
  }
  return value;
}

/// The registers as the caller of the function at `pc` has them after the call. False: nothing describes it.
bool leave_function(Dwarf_CFI* cfi, std::uint32_t pc, Registers& x, const std::function<Word(std::uint32_t)>& read) {
  Dwarf_Frame* raw = nullptr;
  if (dwarf_cfi_addrframe(cfi, pc, &raw) != 0) return false;
  const std::unique_ptr<Dwarf_Frame, Free> frame(raw);
  Dwarf_Op* ops = nullptr;
  std::size_t count = 0;
  if (dwarf_frame_cfa(frame.get(), &ops, &count) != 0) return false;
  const Word address = value_of(ops, count, x, {});
  if (!address) return false;
  Registers caller = x;
  for (unsigned number = 1; number < caller.size(); ++number) {
    Dwarf_Op memory[3];
    if (dwarf_frame_register(frame.get(), static_cast<int>(number), memory, &ops, &count) != 0) return false;
    if (count == 0) continue;  // as the function has it
    const Word place = value_of(ops, count, x, address);
    const Word word = place ? read(*place) : Word();
    if (word) caller[number] = *word;
  }
  caller[kStackPointer] = *address;
  x = caller;
  return true;
}

}  // namespace

std::vector<std::uint32_t> Symbols::callers(std::uint32_t pc, Registers x,
                                            const std::function<Word(std::uint32_t)>& read) const {
  std::vector<std::uint32_t> found;
  elf_version(EV_CURRENT);
  const std::unique_ptr<Elf, EndElf> elf(elf_memory(const_cast<char*>(elf_.data()), elf_.size()));
  const std::unique_ptr<Dwarf, EndDwarf> dwarf(elf ? dwarf_begin_elf(elf.get(), DWARF_C_READ, nullptr) : nullptr);
  Dwarf_CFI* const cfi = dwarf ? dwarf_getcfi(dwarf.get()) : nullptr;
  while (found.size() < kMostFrames) {
    const std::uint32_t stack = x[kStackPointer];
    // A jump to where no function is left the registers as the call has them.
    if (function(pc) && (!cfi || !leave_function(cfi, pc, x, read))) break;
    const std::uint32_t call = x[kReturnAddress] - 1;  // inside of the instruction before the one that it returns to
    if (!function(call) || x[kStackPointer] < stack || (call == pc && x[kStackPointer] == stack)) break;
    found.push_back(call);
    pc = call;
  }
  return found;
}

}  // namespace armature::iss
