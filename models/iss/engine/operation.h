#pragma once

#include <cstdint>

namespace armature::iss {

/// What an instruction does: the manual's mnemonics. A compressed instruction is the one that it stands for. In C++
/// `and`, `or` and `xor` are words of the language.
// clang-format off
#define ARMATURE_ISS_CODES(CODE)                                                                                       \
  CODE(no_code)  /* not an instruction: no code lies there */                                                          \
  CODE(onward)   /* not an instruction: the next one lies elsewhere in the program */                                  \
  CODE(sp_set)   /* not an instruction: the one before it has written to sp */                                         \
  CODE(illegal)                                                                                                        \
  CODE(nop)      /* and all that only writes to x0, and fences */                                                      \
  CODE(lui)      /* auipc, too: its result is known when it is decoded */                                              \
  CODE(jal) CODE(jalr)                                                                                                 \
  CODE(beq) CODE(bne) CODE(blt) CODE(bge) CODE(bltu) CODE(bgeu)                                                        \
  CODE(lb) CODE(lh) CODE(lw) CODE(lbu) CODE(lhu)                                                                       \
  CODE(sb) CODE(sh) CODE(sw)                                                                                           \
  CODE(addi) CODE(slti) CODE(sltiu) CODE(xori) CODE(ori) CODE(andi) CODE(slli) CODE(srli) CODE(srai)                   \
  CODE(addi_sp)  /* addi that lowers sp: so does each function that has something on the stack */                      \
  CODE(add) CODE(sub) CODE(sll) CODE(slt) CODE(sltu) CODE(xor_) CODE(srl) CODE(sra) CODE(or_) CODE(and_)               \
  CODE(mul) CODE(mulh) CODE(mulhsu) CODE(mulhu) CODE(div) CODE(divu) CODE(rem) CODE(remu)                              \
  CODE(lr) CODE(sc)                                                                                                    \
  CODE(amoswap) CODE(amoadd) CODE(amoxor) CODE(amoand) CODE(amoor)                                                     \
  CODE(amomin) CODE(amomax) CODE(amominu) CODE(amomaxu)                                                                \
  CODE(csrrw) CODE(csrrs) CODE(csrrc) CODE(csrrwi) CODE(csrrsi) CODE(csrrci)                                           \
  CODE(ecall) CODE(ebreak) CODE(wfi) CODE(mret)
// clang-format on

enum class Code : std::uint8_t {
#define ARMATURE_ISS_ENUMERATOR(name) name,
  ARMATURE_ISS_CODES(ARMATURE_ISS_ENUMERATOR)
#undef ARMATURE_ISS_ENUMERATOR
};

/// A decoded instruction.
struct Operation {
  Code code = Code::no_code;
  std::uint8_t bytes = 0;  ///< its length
  std::uint8_t rd = 0;     ///< of a store or branch: rs2
  std::uint8_t rs1 = 0;    ///< of csrrwi, csrrsi, csrrci: the value
  /// The immediate value; of a branch or jal how far it jumps: in bytes, in a program in operations. The number of a
  /// control register. rs2 of what has none of these.
  std::int32_t immediate = 0;
};
static_assert(sizeof(Operation) == 8);

constexpr unsigned kStackPointer = 2;  // "RISC-V ABIs Specification", 1.1

constexpr bool jumps_by_immediate(Code code) {
  return code == Code::jal || (code >= Code::beq && code <= Code::bgeu);
}

/// @param word  the instruction in its low bits: the upper half counts only if it is not a compressed one
/// @param pc    where it lies
Operation decode(std::uint32_t word, std::uint32_t pc);

}  // namespace armature::iss
