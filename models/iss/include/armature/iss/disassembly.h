#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace armature::iss {

/// An instruction of RV32IMAC in words, as `objdump -d` of the binutils 2.40 prints it: "lw ra,12(sp)". Addresses are
/// hexadecimal without a prefix: "bnez a0,1046". What is no instruction is ".4byte 0xffffffff", or ".2byte" if it is a
/// compressed one.
struct Disassembly {
  std::string text;
  unsigned bytes = 4;
  unsigned rd = 0;                      ///< the register that it writes; 0: none
  std::optional<std::uint32_t> target;  ///< of a jump or a branch, if it can be told
};

/// @param word  the instruction in its low bits: the upper half counts only if it is not a compressed one
/// @param pc    where it lies
Disassembly disassemble(std::uint32_t word, std::uint32_t pc);

/// "a0", by the register's number.
const char* register_name(unsigned number);

}  // namespace armature::iss
