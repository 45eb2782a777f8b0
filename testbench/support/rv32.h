#pragma once

#include <cstdint>
#include <vector>

namespace armature::testing::rv32 {

/// Instructions of RV32IMAC as words ("The RISC-V Instruction Set Manual, Volume I", chapter RV32/64G Instruction Set
/// Listings). Registers by number; immediate values and offsets in bytes.
using Word = std::uint32_t;
using Program = std::vector<Word>;

constexpr Word i_type(Word op, Word f3, unsigned rd, unsigned rs1, std::int32_t immediate) {
  return static_cast<Word>(immediate) << 20 | Word{rs1} << 15 | f3 << 12 | Word{rd} << 7 | op;
}
constexpr Word r_type(Word op, Word f3, Word f7, unsigned rd, unsigned rs1, unsigned rs2) {
  return f7 << 25 | Word{rs2} << 20 | Word{rs1} << 15 | f3 << 12 | Word{rd} << 7 | op;
}
constexpr Word lui(unsigned rd, Word upper) {
  return upper << 12 | Word{rd} << 7 | 0x37;
}
constexpr Word addi(unsigned rd, unsigned rs1, std::int32_t immediate) {
  return i_type(0x13, 0, rd, rs1, immediate);
}
constexpr Word srli(unsigned rd, unsigned rs1, unsigned by) {
  return i_type(0x13, 5, rd, rs1, static_cast<std::int32_t>(by));
}
constexpr Word add(unsigned rd, unsigned rs1, unsigned rs2) {
  return r_type(0x33, 0, 0, rd, rs1, rs2);
}
constexpr Word mul(unsigned rd, unsigned rs1, unsigned rs2) {
  return r_type(0x33, 0, 1, rd, rs1, rs2);
}
constexpr Word mulhu(unsigned rd, unsigned rs1, unsigned rs2) {
  return r_type(0x33, 3, 1, rd, rs1, rs2);
}
constexpr Word divu(unsigned rd, unsigned rs1, unsigned rs2) {
  return r_type(0x33, 5, 1, rd, rs1, rs2);
}
constexpr Word remu(unsigned rd, unsigned rs1, unsigned rs2) {
  return r_type(0x33, 7, 1, rd, rs1, rs2);
}
constexpr Word lw(unsigned rd, std::int32_t offset, unsigned rs1) {
  return i_type(0x03, 2, rd, rs1, offset);
}
constexpr Word lbu(unsigned rd, std::int32_t offset, unsigned rs1) {
  return i_type(0x03, 4, rd, rs1, offset);
}
constexpr Word sw(unsigned rs2, std::int32_t offset, unsigned rs1) {
  const auto o = static_cast<Word>(offset);
  return (o >> 5 & 0x7F) << 25 | Word{rs2} << 20 | Word{rs1} << 15 | 2 << 12 | (o & 0x1F) << 7 | 0x23;
}
constexpr Word branch(Word f3, unsigned rs1, unsigned rs2, std::int32_t offset) {
  const auto o = static_cast<Word>(offset);
  return (o >> 12 & 1) << 31 | (o >> 5 & 0x3F) << 25 | Word{rs2} << 20 | Word{rs1} << 15 | f3 << 12 |
         (o >> 1 & 0xF) << 8 | (o >> 11 & 1) << 7 | 0x63;
}
constexpr Word beq(unsigned rs1, unsigned rs2, std::int32_t offset) {
  return branch(0, rs1, rs2, offset);
}
constexpr Word bne(unsigned rs1, unsigned rs2, std::int32_t offset) {
  return branch(1, rs1, rs2, offset);
}
constexpr Word jal(unsigned rd, std::int32_t offset) {
  const auto o = static_cast<Word>(offset);
  return (o >> 20 & 1) << 31 | (o >> 1 & 0x3FF) << 21 | (o >> 11 & 1) << 20 | (o >> 12 & 0xFF) << 12 | Word{rd} << 7 |
         0x6F;
}
constexpr Word jalr(unsigned rd, std::int32_t offset, unsigned rs1) {
  return i_type(0x67, 0, rd, rs1, offset);
}
constexpr Word amoadd(unsigned rd, unsigned rs2, unsigned rs1) {
  return r_type(0x2F, 2, 0, rd, rs1, rs2);
}
constexpr Word lr(unsigned rd, unsigned rs1) {
  return r_type(0x2F, 2, 2 << 2, rd, rs1, 0);
}
constexpr Word sc(unsigned rd, unsigned rs2, unsigned rs1) {
  return r_type(0x2F, 2, 3 << 2, rd, rs1, rs2);
}
constexpr Word csrrw(unsigned rd, Word csr, unsigned rs1) {
  return csr << 20 | i_type(0x73, 1, rd, rs1, 0);
}
constexpr Word csrrsi(unsigned rd, Word csr, unsigned bits) {
  return csr << 20 | i_type(0x73, 6, rd, bits, 0);
}
constexpr Word csrrci(unsigned rd, Word csr, unsigned bits) {
  return csr << 20 | i_type(0x73, 7, rd, bits, 0);
}

constexpr Word kNop = addi(0, 0, 0);
constexpr Word kFence = 0x0FF0000F;
constexpr Word kWfi = 0x10500073;
constexpr Word kMret = 0x30200073;

constexpr Word kMstatus = 0x300;
constexpr Word kMie = 0x304;
constexpr Word kMtvec = 0x305;
constexpr Word kMscratch = 0x340;

}  // namespace armature::testing::rv32
