// "The RISC-V Instruction Set Manual, Volume I": RV32I chapter 2, M 7, A 8, C 16, Zicsr 9, and the tables of
// chapter 24.
#include "operation.h"

#include <optional>

namespace armature::iss {
namespace {

constexpr unsigned kLink = 1;

class Fields {
 public:
  explicit Fields(std::uint32_t word) : word_(word) {}

  /// Bits [low, low + count), moved to `to`.
  std::uint32_t bits(unsigned low, unsigned count, unsigned to = 0) const {
    return (word_ >> low & ((1u << count) - 1)) << to;
  }
  unsigned rd() const { return bits(7, 5); }
  unsigned rs1() const { return bits(15, 5); }
  unsigned rs2() const { return bits(20, 5); }
  unsigned funct3() const { return bits(12, 3); }
  unsigned funct7() const { return bits(25, 7); }
  std::int32_t i() const { return extended(bits(20, 12), 12); }
  std::int32_t s() const { return extended(bits(25, 7, 5) | bits(7, 5), 12); }
  std::int32_t b() const { return extended(bits(31, 1, 12) | bits(7, 1, 11) | bits(25, 6, 5) | bits(8, 4, 1), 13); }
  std::int32_t u() const { return static_cast<std::int32_t>(word_ & 0xFFFFF000u); }
  std::int32_t j() const { return extended(bits(31, 1, 20) | bits(12, 8, 12) | bits(20, 1, 11) | bits(21, 10, 1), 21); }

  /// A number of `count` bits with its sign.
  static std::int32_t extended(std::uint32_t number, unsigned count) {
    return static_cast<std::int32_t>(number << (32 - count)) >> (32 - count);
  }

 private:
  std::uint32_t word_;
};

Operation make(Code code, unsigned rd, unsigned rs1, std::int32_t immediate) {
  return {code, 0, static_cast<std::uint8_t>(rd), static_cast<std::uint8_t>(rs1), immediate};
}

Operation make_rrr(Code code, unsigned rd, unsigned rs1, unsigned rs2) {
  return make(code, rd, rs1, static_cast<std::int32_t>(rs2));
}

/// Loads, stores and branches, where funct3 chooses; `illegal` where it chooses nothing.
constexpr Code kLoads[8] = {Code::lb,  Code::lh,  Code::lw,      Code::illegal,
                            Code::lbu, Code::lhu, Code::illegal, Code::illegal};
constexpr Code kStores[8] = {Code::sb,      Code::sh,      Code::sw,      Code::illegal,
                             Code::illegal, Code::illegal, Code::illegal, Code::illegal};
constexpr Code kBranches[8] = {Code::beq, Code::bne, Code::illegal, Code::illegal,
                               Code::blt, Code::bge, Code::bltu,    Code::bgeu};
constexpr Code kImmediate[8] = {Code::addi, Code::slli, Code::slti, Code::sltiu,
                                Code::xori, Code::srli, Code::ori,  Code::andi};
constexpr Code kRegister[8] = {Code::add,  Code::sll, Code::slt, Code::sltu,
                               Code::xor_, Code::srl, Code::or_, Code::and_};
constexpr Code kMultiply[8] = {Code::mul, Code::mulh, Code::mulhsu, Code::mulhu,
                               Code::div, Code::divu, Code::rem,    Code::remu};
constexpr Code kControl[8] = {Code::illegal, Code::csrrw,  Code::csrrs,  Code::csrrc,
                              Code::illegal, Code::csrrwi, Code::csrrsi, Code::csrrci};

Operation immediate_operation(const Fields& f) {
  const unsigned shift = f.rs2();
  switch (f.funct3()) {
    case 1:
      return f.funct7() == 0 ? make_rrr(Code::slli, f.rd(), f.rs1(), shift) : make(Code::illegal, 0, 0, 0);
    case 5:
      if (f.funct7() == 0) return make_rrr(Code::srli, f.rd(), f.rs1(), shift);
      return f.funct7() == 0x20 ? make_rrr(Code::srai, f.rd(), f.rs1(), shift) : make(Code::illegal, 0, 0, 0);
    default:
      return make(kImmediate[f.funct3()], f.rd(), f.rs1(), f.i());
  }
}

Code register_code(const Fields& f) {
  switch (f.funct7()) {
    case 0x00:
      return kRegister[f.funct3()];
    case 0x01:
      return kMultiply[f.funct3()];
    case 0x20:
      return f.funct3() == 0 ? Code::sub : f.funct3() == 5 ? Code::sra : Code::illegal;
    default:
      return Code::illegal;
  }
}

Code atomic_code(const Fields& f) {
  if (f.funct3() != 2) return Code::illegal;
  switch (f.bits(27, 5)) {  // acquire and release mean nothing to a hart alone
    case 0x02:
      return f.rs2() == 0 ? Code::lr : Code::illegal;
    case 0x03:
      return Code::sc;
    case 0x01:
      return Code::amoswap;
    case 0x00:
      return Code::amoadd;
    case 0x04:
      return Code::amoxor;
    case 0x0C:
      return Code::amoand;
    case 0x08:
      return Code::amoor;
    case 0x10:
      return Code::amomin;
    case 0x14:
      return Code::amomax;
    case 0x18:
      return Code::amominu;
    case 0x1C:
      return Code::amomaxu;
    default:
      return Code::illegal;
  }
}

Code system_code(std::uint32_t word) {
  switch (word) {
    case 0x00000073:
      return Code::ecall;
    case 0x00100073:
      return Code::ebreak;
    case 0x10500073:
      return Code::wfi;
    case 0x30200073:
      return Code::mret;
    default:
      return kControl[Fields(word).funct3()];
  }
}

Operation decode_whole(std::uint32_t word, std::uint32_t pc) {
  const Fields f(word);
  switch (f.bits(2, 5)) {
    case 0x00:
      return make(kLoads[f.funct3()], f.rd(), f.rs1(), f.i());
    case 0x03:
      return make(f.funct3() <= 1 ? Code::nop : Code::illegal, 0, 0, 0);  // fence, fence.i
    case 0x04:
      return immediate_operation(f);
    case 0x05:
      return make(Code::lui, f.rd(), 0, static_cast<std::int32_t>(pc + static_cast<std::uint32_t>(f.u())));
    case 0x08:
      return make(kStores[f.funct3()], f.rs2(), f.rs1(), f.s());
    case 0x0B:
      return make_rrr(atomic_code(f), f.rd(), f.rs1(), f.rs2());
    case 0x0C:
      return make_rrr(register_code(f), f.rd(), f.rs1(), f.rs2());
    case 0x0D:
      return make(Code::lui, f.rd(), 0, f.u());
    case 0x18:
      return make(kBranches[f.funct3()], f.rs2(), f.rs1(), f.b());
    case 0x19:
      return make(f.funct3() == 0 ? Code::jalr : Code::illegal, f.rd(), f.rs1(), f.i());
    case 0x1B:
      return make(Code::jal, f.rd(), 0, f.j());
    case 0x1C:
      return make(system_code(word), f.rd(), f.rs1(), static_cast<std::int32_t>(f.bits(20, 12)));
    default:
      return make(Code::illegal, 0, 0, 0);
  }
}

/// Arithmetic of quadrant 1, funct3 4: on one of the eight popular registers.
Operation decode_compressed_arithmetic(const Fields& f) {
  const unsigned rd = 8 + f.bits(7, 3), rs2 = 8 + f.bits(2, 3);
  const std::uint32_t number = f.bits(12, 1, 5) | f.bits(2, 5);
  const bool long_shift = f.bits(12, 1) != 0;  // of RV64
  constexpr Code kCodes[4] = {Code::sub, Code::xor_, Code::or_, Code::and_};
  switch (f.bits(10, 2)) {
    case 0:
      return make_rrr(long_shift ? Code::illegal : Code::srli, rd, rd, number);
    case 1:
      return make_rrr(long_shift ? Code::illegal : Code::srai, rd, rd, number);
    case 2:
      return make(Code::andi, rd, rd, Fields::extended(number, 6));
    default:
      return make_rrr(f.bits(12, 1) == 0 ? kCodes[f.bits(5, 2)] : Code::illegal, rd, rd, rs2);
  }
}

/// Quadrant 2, funct3 4: jr, mv, ebreak, jalr, add.
Operation decode_compressed_jump_or_move(const Fields& f) {
  const unsigned rd = f.rd(), rs2 = f.bits(2, 5);
  if (f.bits(12, 1) == 0) {
    if (rs2 != 0) return make_rrr(Code::add, rd, 0, rs2);
    return make(rd != 0 ? Code::jalr : Code::illegal, 0, rd, 0);
  }
  if (rs2 != 0) return make_rrr(Code::add, rd, rd, rs2);
  return rd != 0 ? make(Code::jalr, kLink, rd, 0) : make(Code::ebreak, 0, 0, 0);
}

Operation decode_compressed(std::uint32_t half) {
  const Fields f(half);
  const unsigned rd = f.rd();
  const unsigned popular_rd = 8 + f.bits(2, 3), popular_rs1 = 8 + f.bits(7, 3);
  const std::int32_t number = Fields::extended(f.bits(12, 1, 5) | f.bits(2, 5), 6);
  const auto word_offset = static_cast<std::int32_t>(f.bits(10, 3, 3) | f.bits(6, 1, 2) | f.bits(5, 1, 6));
  const std::int32_t jump = Fields::extended(f.bits(12, 1, 11) | f.bits(11, 1, 4) | f.bits(9, 2, 8) | f.bits(8, 1, 10) |
                                                 f.bits(7, 1, 6) | f.bits(6, 1, 7) | f.bits(3, 3, 1) | f.bits(2, 1, 5),
                                             12);
  const std::int32_t branch =
      Fields::extended(f.bits(12, 1, 8) | f.bits(10, 2, 3) | f.bits(5, 2, 6) | f.bits(3, 2, 1) | f.bits(2, 1, 5), 9);
  const Operation illegal = make(Code::illegal, 0, 0, 0);
  switch (f.bits(13, 3) | f.bits(0, 2, 3)) {
    case 000: {  // c.addi4spn
      const auto offset =
          static_cast<std::int32_t>(f.bits(11, 2, 4) | f.bits(7, 4, 6) | f.bits(6, 1, 2) | f.bits(5, 1, 3));
      return offset != 0 ? make(Code::addi, popular_rd, kStackPointer, offset) : illegal;
    }
    case 002:
      return make(Code::lw, popular_rd, popular_rs1, word_offset);
    case 006:
      return make(Code::sw, popular_rd, popular_rs1, word_offset);
    case 010:  // c.addi, c.nop
      return make(Code::addi, rd, rd, number);
    case 011:
      return make(Code::jal, kLink, 0, jump);
    case 012:  // c.li
      return make(Code::addi, rd, 0, number);
    case 013: {  // c.addi16sp, c.lui
      if (number == 0) return illegal;
      if (rd != kStackPointer) return make(Code::lui, rd, 0, number * 4096);
      const std::int32_t offset = Fields::extended(
          f.bits(12, 1, 9) | f.bits(6, 1, 4) | f.bits(5, 1, 6) | f.bits(3, 2, 7) | f.bits(2, 1, 5), 10);
      return make(Code::addi, kStackPointer, kStackPointer, offset);
    }
    case 014:
      return decode_compressed_arithmetic(f);
    case 015:
      return make(Code::jal, 0, 0, jump);
    case 016:
      return make(Code::beq, 0, popular_rs1, branch);
    case 017:
      return make(Code::bne, 0, popular_rs1, branch);
    case 020:
      return f.bits(12, 1) == 0 ? make(Code::slli, rd, rd, number) : illegal;
    case 022: {  // c.lwsp
      const auto offset = static_cast<std::int32_t>(f.bits(12, 1, 5) | f.bits(4, 3, 2) | f.bits(2, 2, 6));
      return rd != 0 ? make(Code::lw, rd, kStackPointer, offset) : illegal;
    }
    case 024:
      return decode_compressed_jump_or_move(f);
    case 026:  // c.swsp
      return make(Code::sw, f.bits(2, 5), kStackPointer, static_cast<std::int32_t>(f.bits(9, 4, 2) | f.bits(7, 2, 6)));
    default:  // floating point
      return illegal;
  }
}

/// It does nothing but write to rd.
bool only_writes(Code code) {
  return code == Code::lui || (code >= Code::addi && code <= Code::remu);
}

}  // namespace

Operation decode(std::uint32_t word, std::uint32_t pc) {
  const bool whole = (word & 3u) == 3u;
  Operation operation = whole ? decode_whole(word, pc) : decode_compressed(word & 0xFFFFu);
  operation.bytes = whole ? 4 : 2;
  if (operation.rd == 0 && only_writes(operation.code)) operation.code = Code::nop;
  return operation;
}

}  // namespace armature::iss
