#pragma once

#include <cstdint>

namespace armature::iss {

/// What an instruction does: the manual's mnemonics. A compressed instruction is the one that it stands for.
enum class Code : std::uint8_t {
  no_code,  ///< not an instruction: no code lies there
  illegal,
  nop,  ///< and all that only writes to x0, and fences
  lui,  ///< auipc, too: its result is known when it is decoded
  jal,
  jalr,
  beq,
  bne,
  blt,
  bge,
  bltu,
  bgeu,
  lb,
  lh,
  lw,
  lbu,
  lhu,
  sb,
  sh,
  sw,
  addi,
  slti,
  sltiu,
  xori,
  ori,
  andi,
  slli,
  srli,
  srai,
  add,
  sub,
  sll,
  slt,
  sltu,
  xor_,
  srl,
  sra,
  or_,
  and_,
  mul,
  mulh,
  mulhsu,
  mulhu,
  div,
  divu,
  rem,
  remu,
  lr,
  sc,
  amoswap,
  amoadd,
  amoxor,
  amoand,
  amoor,
  amomin,
  amomax,
  amominu,
  amomaxu,
  csrrw,
  csrrs,
  csrrc,
  csrrwi,
  csrrsi,
  csrrci,
  ecall,
  ebreak,
  wfi,
  mret,
};

/// A decoded instruction.
struct Operation {
  Code code = Code::no_code;
  std::uint8_t half_words = 0;  ///< its length
  std::uint8_t rd = 0;          ///< of a store or branch: rs2
  std::uint8_t rs1 = 0;         ///< of csrrwi, csrrsi, csrrci: the value
  /// The immediate value, of a jump or branch in half words from here; the number of a control register; rs2 of what
  /// has neither an immediate value.
  std::int32_t immediate = 0;
};
static_assert(sizeof(Operation) == 8);

/// @param word  the instruction in its low bits: the upper half counts only if it is not a compressed one
/// @param pc    where it lies
Operation decode(std::uint32_t word, std::uint32_t pc);

}  // namespace armature::iss
