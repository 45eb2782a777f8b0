// "The RISC-V Instruction Set Manual, Volume I": formats 2.3, tables 24.2 for RV32IMA and 16.5 to 16.7 for C;
// pseudo-instructions as binutils 2.40 prefer them (opcodes/riscv-opc.c).
#include "armature/iss/disassembly.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace armature::iss {
namespace {

constexpr const char* kNames[] = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
                                  "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                  "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

constexpr std::uint32_t kLoad = 0x03, kFence = 0x0f, kImmediate = 0x13, kAuipc = 0x17, kStore = 0x23, kAtomic = 0x2f,
                        kRegister = 0x33, kLui = 0x37, kBranch = 0x63, kJalr = 0x67, kJal = 0x6f, kSystem = 0x73;

std::uint32_t bits(std::uint32_t word, unsigned from, unsigned count) {
  return word >> from & ((1u << count) - 1);
}

std::int32_t with_sign(std::uint32_t value, unsigned width) {
  return static_cast<std::int32_t>(value << (32 - width)) >> (32 - width);
}

std::uint32_t type_i(std::uint32_t opcode, std::uint32_t function, std::uint32_t rd, std::uint32_t rs1,
                     std::int32_t i) {
  return opcode | rd << 7 | function << 12 | rs1 << 15 | static_cast<std::uint32_t>(i) << 20;
}

std::uint32_t type_r(std::uint32_t function7, std::uint32_t function3, std::uint32_t rd, std::uint32_t rs1,
                     std::uint32_t rs2) {
  return kRegister | rd << 7 | function3 << 12 | rs1 << 15 | rs2 << 20 | function7 << 25;
}

std::uint32_t store_word(std::uint32_t rs1, std::uint32_t rs2, std::uint32_t offset) {
  return kStore | (offset & 31u) << 7 | 2u << 12 | rs1 << 15 | rs2 << 20 | (offset >> 5) << 25;
}

std::uint32_t jump(std::uint32_t rd, std::int32_t offset) {
  const auto o = static_cast<std::uint32_t>(offset);
  return kJal | rd << 7 | bits(o, 12, 8) << 12 | bits(o, 11, 1) << 20 | bits(o, 1, 10) << 21 | bits(o, 20, 1) << 31;
}

std::uint32_t branch(std::uint32_t function, std::uint32_t rs1, std::int32_t offset) {
  const auto o = static_cast<std::uint32_t>(offset);
  return kBranch | bits(o, 11, 1) << 7 | bits(o, 1, 4) << 8 | function << 12 | rs1 << 15 | bits(o, 5, 6) << 25 |
         bits(o, 12, 1) << 31;
}

/// Of `expanded`: shifts, and, and what has two short registers.
std::optional<std::uint32_t> computation(std::uint32_t h, std::int32_t immediate) {
  const std::uint32_t short1 = 8 + bits(h, 7, 3), short2 = 8 + bits(h, 2, 3), rs2 = bits(h, 2, 5);
  const std::uint32_t kind = bits(h, 10, 2);
  if (kind < 2 && bits(h, 12, 1) != 0) return {};
  if (kind < 2) return type_i(kImmediate, 5, short1, short1, static_cast<std::int32_t>(kind << 10 | rs2));
  if (kind == 2) return type_i(kImmediate, 7, short1, short1, immediate);
  if (bits(h, 12, 1) != 0) return {};
  constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 4> kFunctions = {{{0x20, 0}, {0, 4}, {0, 6}, {0, 7}}};
  const auto& [function7, function3] = kFunctions[bits(h, 5, 2)];
  return type_r(function7, function3, short1, short1, short2);
}

/// Of `expanded`: mv, add, jr, jalr, ebreak.
std::optional<std::uint32_t> move_or_jump(std::uint32_t h) {
  const std::uint32_t rd = bits(h, 7, 5), rs2 = bits(h, 2, 5);
  if (bits(h, 12, 1) == 0) {
    if (rs2 != 0) return type_i(kImmediate, 0, rd, rs2, 0);  // as c.mv is printed
    if (rd == 0) return {};
    return type_i(kJalr, 0, 0, rd, 0);
  }
  if (rs2 != 0) return type_r(0, 0, rd, rd, rs2);
  return rd == 0 ? type_i(kSystem, 0, 0, 0, 1) : type_i(kJalr, 0, 1, rd, 0);
}

/// The instruction that a compressed one stands for; nothing if it is illegal with 32 bits, or needs registers for
/// floats.
std::optional<std::uint32_t> expanded(std::uint32_t h) {
  const std::uint32_t function = bits(h, 13, 3), rd = bits(h, 7, 5), rs2 = bits(h, 2, 5);
  const std::uint32_t short1 = 8 + bits(h, 7, 3), short2 = 8 + bits(h, 2, 3);
  const std::int32_t immediate = with_sign(bits(h, 12, 1) << 5 | bits(h, 2, 5), 6);
  const std::int32_t to =
      with_sign(bits(h, 12, 1) << 11 | bits(h, 11, 1) << 4 | bits(h, 9, 2) << 8 | bits(h, 8, 1) << 10 |
                    bits(h, 7, 1) << 6 | bits(h, 6, 1) << 7 | bits(h, 3, 3) << 1 | bits(h, 2, 1) << 5,
                12);
  const std::int32_t near = with_sign(
      bits(h, 12, 1) << 8 | bits(h, 10, 2) << 3 | bits(h, 5, 2) << 6 | bits(h, 3, 2) << 1 | bits(h, 2, 1) << 5, 9);
  const std::uint32_t word_offset = bits(h, 10, 3) << 3 | bits(h, 6, 1) << 2 | bits(h, 5, 1) << 6;
  switch (bits(h, 0, 2) << 3 | function) {
    case 0x00: {
      const std::uint32_t amount = bits(h, 11, 2) << 4 | bits(h, 7, 4) << 6 | bits(h, 6, 1) << 2 | bits(h, 5, 1) << 3;
      if (amount == 0) return {};
      return type_i(kImmediate, 0, short2, 2, static_cast<std::int32_t>(amount));
    }
    case 0x02:
      return type_i(kLoad, 2, short2, short1, static_cast<std::int32_t>(word_offset));
    case 0x06:
      return store_word(short1, short2, word_offset);
    case 0x08:
      return type_i(kImmediate, 0, rd, rd, immediate);
    case 0x09:
      return jump(1, to);
    case 0x0a:
      return type_i(kImmediate, 0, rd, 0, immediate);
    case 0x0b: {
      if (immediate == 0) return {};
      if (rd != 2) return kLui | rd << 7 | static_cast<std::uint32_t>(immediate) << 12;
      const std::int32_t amount = with_sign(
          bits(h, 12, 1) << 9 | bits(h, 6, 1) << 4 | bits(h, 5, 1) << 6 | bits(h, 3, 2) << 7 | bits(h, 2, 1) << 5, 10);
      return type_i(kImmediate, 0, 2, 2, amount);
    }
    case 0x0c:
      return computation(h, immediate);
    case 0x0d:
      return jump(0, to);
    case 0x0e:
      return branch(0, short1, near);
    case 0x0f:
      return branch(1, short1, near);
    case 0x10:
      if (bits(h, 12, 1) != 0) return {};
      return type_i(kImmediate, 1, rd, rd, static_cast<std::int32_t>(rs2));
    case 0x12:
      if (rd == 0) return {};
      return type_i(kLoad, 2, rd, 2,
                    static_cast<std::int32_t>(bits(h, 12, 1) << 5 | bits(h, 4, 3) << 2 | bits(h, 2, 2) << 6));
    case 0x14:
      return move_or_jump(h);
    case 0x16:
      return store_word(2, rs2, bits(h, 9, 4) << 2 | bits(h, 7, 2) << 6);
    default:
      return {};
  }
}

/// Control registers of machine mode that firmware uses; others by their number.
std::string control_register(std::uint32_t number) {
  switch (number) {
    case 0x300:
      return "mstatus";
    case 0x301:
      return "misa";
    case 0x304:
      return "mie";
    case 0x305:
      return "mtvec";
    case 0x306:
      return "mcounteren";
    case 0x310:
      return "mstatush";
    case 0x320:
      return "mcountinhibit";
    case 0x340:
      return "mscratch";
    case 0x341:
      return "mepc";
    case 0x342:
      return "mcause";
    case 0x343:
      return "mtval";
    case 0x344:
      return "mip";
    case 0xb00:
      return "mcycle";
    case 0xb02:
      return "minstret";
    case 0xb80:
      return "mcycleh";
    case 0xb82:
      return "minstreth";
    case 0xc00:
      return "cycle";
    case 0xc01:
      return "time";
    case 0xc02:
      return "instret";
    case 0xc80:
      return "cycleh";
    case 0xc81:
      return "timeh";
    case 0xc82:
      return "instreth";
    case 0xf11:
      return "mvendorid";
    case 0xf12:
      return "marchid";
    case 0xf13:
      return "mimpid";
    case 0xf14:
      return "mhartid";
    default:
      return fmt::format("{:#x}", number);
  }
}

/// One that is not compressed.
class Instruction {
 public:
  Instruction(std::uint32_t word, std::uint32_t pc)
      : word_(word),
        pc_(pc),
        function_(bits(word, 12, 3)),
        rd_(bits(word, 7, 5)),
        rs1_(bits(word, 15, 5)),
        rs2_(bits(word, 20, 5)),
        immediate_(static_cast<std::int32_t>(word) >> 20) {}

  /// Empty if it is none.
  std::string text() {
    switch (bits(word_, 0, 7)) {
      case kLui:
        return write(fmt::format("lui {},{:#x}", d(), word_ >> 12));
      case kAuipc:
        return write(fmt::format("auipc {},{:#x}", d(), word_ >> 12));
      case kJal:
        return jal();
      case kJalr:
        return jalr();
      case kBranch:
        return branch();
      case kLoad: {
        constexpr const char* kLoads[] = {"lb", "lh", "lw", "", "lbu", "lhu", "", ""};
        if (*kLoads[function_] == '\0') return {};
        return write(fmt::format("{} {},{}({})", kLoads[function_], d(), immediate_, a()));
      }
      case kStore: {
        constexpr const char* kStores[] = {"sb", "sh", "sw", "", "", "", "", ""};
        if (*kStores[function_] == '\0') return {};
        const std::int32_t offset = with_sign(bits(word_, 25, 7) << 5 | rd_, 12);
        return fmt::format("{} {},{}({})", kStores[function_], b(), offset, a());
      }
      case kImmediate:
        return immediate();
      case kRegister:
        return of_registers();
      case kFence:
        return fence();
      case kSystem:
        return system();
      case kAtomic:
        return atomic();
      default:
        return {};
    }
  }
  unsigned written() const { return written_; }
  std::optional<std::uint32_t> target() const { return target_; }

 private:
  const char* d() const { return kNames[rd_]; }
  const char* a() const { return kNames[rs1_]; }
  const char* b() const { return kNames[rs2_]; }
  std::string write(std::string text) {
    written_ = rd_;
    return text;
  }

  std::string jal() {
    const std::int32_t offset = with_sign(
        bits(word_, 31, 1) << 20 | bits(word_, 21, 10) << 1 | bits(word_, 20, 1) << 11 | bits(word_, 12, 8) << 12, 21);
    target_ = pc_ + static_cast<std::uint32_t>(offset);
    if (rd_ == 0) return fmt::format("j {:x}", *target_);
    return write(rd_ == 1 ? fmt::format("jal {:x}", *target_) : fmt::format("jal {},{:x}", d(), *target_));
  }

  std::string jalr() {
    if (function_ != 0) return {};
    if (word_ == 0x00008067) return "ret";
    const std::string to = immediate_ == 0 ? a() : fmt::format("{}({})", immediate_, a());
    if (rd_ == 0) return "jr " + to;
    return write(rd_ == 1 ? "jalr " + to : fmt::format("jalr {},{}", d(), to));
  }

  std::string branch() {
    constexpr const char* kBranches[] = {"beq", "bne", "", "", "blt", "bge", "bltu", "bgeu"};
    if (*kBranches[function_] == '\0') return {};
    const std::int32_t offset = with_sign(
        bits(word_, 31, 1) << 12 | bits(word_, 25, 6) << 5 | bits(word_, 8, 4) << 1 | bits(word_, 7, 1) << 11, 13);
    target_ = pc_ + static_cast<std::uint32_t>(offset);
    if (function_ == 5 && rs1_ == 0) return fmt::format("blez {},{:x}", b(), *target_);
    if (function_ < 6 && rs2_ == 0) return fmt::format("{}z {},{:x}", kBranches[function_], a(), *target_);
    if (function_ == 4 && rs1_ == 0) return fmt::format("bgtz {},{:x}", b(), *target_);
    return fmt::format("{} {},{},{:x}", kBranches[function_], a(), b(), *target_);
  }

  std::string immediate() {
    const std::uint32_t upper = bits(word_, 25, 7);
    switch (function_) {
      case 0:
        if (word_ == kImmediate) return "nop";
        if (rs1_ == 0) return write(fmt::format("li {},{}", d(), immediate_));
        if (immediate_ == 0) return write(fmt::format("mv {},{}", d(), a()));
        return with_immediate("add");
      case 1:
        return upper != 0 ? std::string() : write(fmt::format("sll {},{},{:#x}", d(), a(), rs2_));
      case 2:
        return with_immediate("slti");
      case 3:
        return immediate_ == 1 ? write(fmt::format("seqz {},{}", d(), a())) : with_immediate("sltiu");
      case 4:
        return immediate_ == -1 ? write(fmt::format("not {},{}", d(), a())) : with_immediate("xor");
      case 5:
        if ((upper & ~0x20u) != 0) return {};
        return write(fmt::format("{} {},{},{:#x}", upper != 0 ? "sra" : "srl", d(), a(), rs2_));
      case 6:
        return with_immediate("or");
      default:
        return immediate_ == 255 ? write(fmt::format("zext.b {},{}", d(), a())) : with_immediate("and");
    }
  }
  std::string with_immediate(const char* name) { return write(fmt::format("{} {},{},{}", name, d(), a(), immediate_)); }

  std::string of_registers() {
    constexpr const char* kBase[] = {"add", "sll", "slt", "sltu", "xor", "srl", "or", "and"};
    constexpr const char* kMultiply[] = {"mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu"};
    switch (bits(word_, 25, 7)) {
      case 0:
        if (function_ == 3 && rs1_ == 0) return write(fmt::format("snez {},{}", d(), b()));
        if (function_ == 2 && rs2_ == 0) return write(fmt::format("sltz {},{}", d(), a()));
        if (function_ == 2 && rs1_ == 0) return write(fmt::format("sgtz {},{}", d(), b()));
        return three(kBase[function_]);
      case 1:
        return three(kMultiply[function_]);
      case 0x20:
        if (function_ == 0 && rs1_ == 0) return write(fmt::format("neg {},{}", d(), b()));
        if (function_ == 0) return three("sub");
        return function_ == 5 ? three("sra") : std::string();
      default:
        return {};
    }
  }
  std::string three(const char* name) { return write(fmt::format("{} {},{},{}", name, d(), a(), b())); }

  std::string fence() const {
    if (word_ == 0x0000100f) return "fence.i";
    if (function_ != 0 || rd_ != 0 || rs1_ != 0 || bits(word_, 28, 4) != 0) return {};
    if (word_ == 0x0ff0000f) return "fence";
    const auto ways = [](std::uint32_t set) {
      std::string text;
      for (unsigned bit = 0; bit < 4; ++bit)
        if ((set >> (3 - bit) & 1u) != 0) text += "iorw"[bit];
      return text.empty() ? std::string("unknown") : text;
    };
    return fmt::format("fence {},{}", ways(bits(word_, 24, 4)), ways(bits(word_, 20, 4)));
  }

  std::string system() {
    if (word_ == 0x00000073) return "ecall";
    if (word_ == 0x00100073) return "ebreak";
    if (word_ == 0x30200073) return "mret";
    if (word_ == 0x10500073) return "wfi";
    if (word_ == 0xc0001073) return "unimp";
    constexpr const char* kNamesOf[] = {"", "csrrw", "csrrs", "csrrc", "", "csrrwi", "csrrsi", "csrrci"};
    constexpr const char* kWriting[] = {"", "csrw", "csrs", "csrc", "", "csrw", "csrs", "csrc"};
    if (*kNamesOf[function_] == '\0') return {};
    const std::uint32_t number = word_ >> 20;
    if (function_ == 2 && rs1_ == 0) {
      if (number == 0xc00 || number == 0xc01 || number == 0xc02 || number == 0xc80 || number == 0xc81 ||
          number == 0xc82)
        return write(fmt::format("rd{} {}", control_register(number), d()));
      return write(fmt::format("csrr {},{}", d(), control_register(number)));
    }
    const std::string operand = function_ >= 5 ? std::to_string(rs1_) : a();
    if (rd_ == 0) return fmt::format("{} {},{}", kWriting[function_], control_register(number), operand);
    return write(fmt::format("{} {},{},{}", function_ >= 5 ? kNamesOf[function_ - 4] : kNamesOf[function_], d(),
                             control_register(number), operand));
  }

  std::string atomic() {
    if (function_ != 2) return {};
    const std::uint32_t kind = bits(word_, 27, 5);
    const char* const order = std::array{"", ".rl", ".aq", ".aqrl"}[bits(word_, 25, 2)];
    if (kind == 2) return rs2_ != 0 ? std::string() : write(fmt::format("lr.w{} {},({})", order, d(), a()));
    const char* const name = kind == 0      ? "amoadd"
                             : kind == 1    ? "amoswap"
                             : kind == 3    ? "sc"
                             : kind == 4    ? "amoxor"
                             : kind == 8    ? "amoor"
                             : kind == 0x0c ? "amoand"
                             : kind == 0x10 ? "amomin"
                             : kind == 0x14 ? "amomax"
                             : kind == 0x18 ? "amominu"
                             : kind == 0x1c ? "amomaxu"
                                            : nullptr;
    return name ? write(fmt::format("{}.w{} {},{},({})", name, order, d(), b(), a())) : std::string();
  }

  const std::uint32_t word_, pc_, function_, rd_, rs1_, rs2_;
  const std::int32_t immediate_;
  unsigned written_ = 0;
  std::optional<std::uint32_t> target_;
};

}  // namespace

const char* register_name(unsigned number) {
  return kNames[number % 32];
}

Disassembly disassemble(std::uint32_t word, std::uint32_t pc) {
  Disassembly result;
  const bool compressed = (word & 3u) != 3u;
  result.bytes = compressed ? 2 : 4;
  const std::optional<std::uint32_t> whole = compressed ? expanded(word & 0xFFFFu) : word;
  if (whole) {
    Instruction instruction(*whole, pc);
    result.text = instruction.text();
    result.rd = instruction.written();
    result.target = instruction.target();
  }
  if (result.text.empty())
    result.text = !compressed             ? fmt::format(".4byte {:#x}", word)
                  : (word & 0xFFFFu) == 0 ? "unimp"
                                          : fmt::format(".2byte {:#x}", word & 0xFFFFu);
  return result;
}

}  // namespace armature::iss
