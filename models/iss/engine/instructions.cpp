// The instructions: "The RISC-V Instruction Set Manual", volume I.
#include "arithmetic.h"
#include "interpreter.h"

#include <fmt/format.h>

#include <cstring>

namespace armature::iss {

namespace soc = regs::soc;

// Each instruction ends with the jump to the next one's code: a computer foretells many such jumps better than one that
// all instructions share.
#define DISPATCH()                                     \
  do {                                                 \
    if constexpr (Timed || Watched) goto look;         \
    goto* kLabels[static_cast<std::size_t>(op->code)]; \
  } while (false)
#define NEXT()                           \
  do {                                   \
    if constexpr (Timed) cycles += cost; \
    ++op;                                \
    DISPATCH();                          \
  } while (false)
#define JUMP(target)                     \
  do {                                   \
    if constexpr (Timed) cycles += cost; \
    retired += distance() + 1;           \
    op = begin = target;                 \
    if (retired >= last) goto endless;   \
    DISPATCH();                          \
  } while (false)
// Instructions of a kind, one a line: the value of rd, the condition of a branch, the number that memory has.
#define COMPUTE(name, value) \
  name:                      \
  rd(value);                 \
  NEXT()
#define DIVIDE(name, value)             \
  name:                                 \
  if (divides_by_zero()) goto division; \
  rd(value);                            \
  NEXT()
#define BRANCH(name, condition)        \
  name:                                \
  if (condition) {                     \
    if constexpr (Timed) cost = taken; \
    JUMP(op + op->immediate);          \
  }                                    \
  NEXT()
// NOLINTBEGIN(bugprone-macro-parentheses): types
#define LOAD(name, type)                          \
  name:                                           \
  if (!loaded(type{})) return ended_inside(cost); \
  NEXT()
#define STORE(name, type)                         \
  name:                                           \
  if (!stored(type{})) return ended_inside(cost); \
  NEXT()
// NOLINTEND(bugprone-macro-parentheses)
#define LABEL(name) &&name,  // NOLINT(bugprone-macro-parentheses): a label

template <bool Timed, bool Watched>
Machine::Outcome Interpreter::run() {
  static const void* const kLabels[] = {ARMATURE_ISS_CODES(LABEL)};
  // In registers of this computer while it runs; those who look from outside of this function see the members.
  const Operation* op = program_->at(hart_.pc);
  const Operation* begin = op;  ///< `retired` is the count up to here
  std::uint32_t* const x = hart_.x.data();
  std::uint8_t* const memory = memories_.data();
  std::uint64_t retired = retired_, cycles = cycles_;
  std::uint64_t cost = 0;
  const std::uint64_t last = last_instruction_;
  [[maybe_unused]] const std::uint64_t entered = cycles;
  [[maybe_unused]] bool divisible = may_be_interrupted();
  [[maybe_unused]] const std::uint64_t taken = Timed ? costs_->branch_taken() : 0;

  const auto distance = [&] { return static_cast<std::uint64_t>(op - begin); };
  const auto show = [&](std::uint32_t pc) {
    hart_.pc = pc;
    retired_ = retired + distance();
    cycles_ = cycles;
  };
  const auto show_here = [&] { show(program_->pc_of(op)); };
  std::uint32_t jumped_from = 0;  ///< by a register, to where nothing lies
  const auto nowhere = [&] {
    const std::string from = jumped_from != 0 ? image().symbols().place_of(jumped_from) : std::string();
    return stop(Mistake::Kind::no_code,
                "lies where there is no code: a jump by a wrong pointer" + (from.empty() ? "" : " in " + from));
  };

  const auto immediate = [&] { return static_cast<std::uint32_t>(op->immediate); };
  const auto rs1 = [&] { return x[op->rs1]; };
  const auto rs2 = [&] { return x[op->immediate]; };
  const auto branch_rs2 = [&] { return x[op->rd]; };
  const auto divides_by_zero = [&] { return rs2() == 0 && stop_at_division_; };
  const auto rd = [&](std::uint32_t value) { x[op->rd] = value; };
  const auto loaded = [&](auto type) {
    using Number = decltype(type);
    const std::uint32_t address = rs1() + immediate();
    const std::uint32_t offset = address - soc::kDataBase;
    Number number;
    if (!Watched && offset <= soc::kDataMaxBytes - sizeof number) {
      std::memcpy(&number, memory + offset, sizeof number);
    } else {
      show_here();
      if (Timed && Memories::is_bus(address)) cost += costs_->bus_read_wait();
      std::uint32_t word;
      if (!load(address, sizeof number, word)) return false;
      number = static_cast<Number>(word);
    }
    rd(static_cast<std::uint32_t>(number));  // with its sign, if it has one
    x[0] = 0;
    return true;
  };
  const auto stored = [&](auto type) {
    using Number = decltype(type);
    const std::uint32_t address = rs1() + immediate();
    const std::uint32_t offset = address - soc::kDataBase;
    const auto number = static_cast<Number>(x[op->rd]);
    if (!Watched && offset <= soc::kDataMaxBytes - sizeof number) {
      std::memcpy(memory + offset, &number, sizeof number);
      return true;
    }
    show_here();
    if (Timed && Memories::is_bus(address)) cost += costs_->bus_write_wait();
    return store(address, sizeof number, number);
  };

  if (op->code == Code::no_code) return nowhere();
  DISPATCH();

look:  // only if somebody watches or cycles are counted
  __attribute__((unused));
  if constexpr (Watched) {
    if (op->code == Code::sp_set) goto sp_set;
    show_here();
  }
  if constexpr (Timed) {
    if (divisible && cycles != entered && op->code != Code::sp_set) {
      show_here();
      before_instruction_ = true;
      return Outcome::held;
    }
  }
look_at_pc:
  __attribute__((unused));
  if constexpr (Watched) {
    if (!granted_ && holder_ && holder_->holds(*this)) {
      before_instruction_ = true;
      return Outcome::held;
    }
    if (!granted_) tell([&](Watcher& watcher) { watcher.instruction(*this); });
    retired = retired_;
    op = begin = program_->at(hart_.pc);
    if constexpr (Timed) divisible = may_be_interrupted();
    if (op->code == Code::no_code) return nowhere();
  }
  if constexpr (Timed) cost = costs_->of(op->code);
  goto* kLabels[static_cast<std::size_t>(op->code)];

division:
  show_here();
  return stop(Mistake::Kind::division, "divides by zero");
endless:
  show_here();
  return stop(Mistake::Kind::endless, fmt::format("is reached after {} instructions without a wait: an endless loop",
                                                  retired_ - (last - kMostInstructions)));

no_code:
  show_here();
  return nowhere();
onward:
  retired += distance();
  op = begin = op + op->immediate;
  DISPATCH();
sp_set:
  if (stacks_.outside(x[kStackPointer])) set_stack_pointer(op - 1);
  retired += distance();
  op = begin = op + 1;
  DISPATCH();
illegal:
  show_here();
  return stop(Mistake::Kind::illegal, "is illegal");
nop:
  NEXT();

  COMPUTE(lui, immediate());
jal:
  if (op->rd != 0) rd(program_->pc_of(op + 1));
  JUMP(op + op->immediate);
jalr : {
  const std::uint32_t target = (rs1() + immediate()) & ~1u;
  const Operation* const there = program_->at(target);
  rd(program_->pc_of(op + 1));
  x[0] = 0;
  if (there->code != Code::no_code) JUMP(there);
  jumped_from = program_->pc_of(op);
  ++op;
  show(target);
  if constexpr (Watched) goto look_at_pc;  // a function that a debugger calls returns to a breakpoint there
  return nowhere();
}

  BRANCH(beq, rs1() == branch_rs2());
  BRANCH(bne, rs1() != branch_rs2());
  BRANCH(blt, signed_of(rs1()) < signed_of(branch_rs2()));
  BRANCH(bge, signed_of(rs1()) >= signed_of(branch_rs2()));
  BRANCH(bltu, rs1() < branch_rs2());
  BRANCH(bgeu, rs1() >= branch_rs2());

  LOAD(lb, std::int8_t);
  LOAD(lh, std::int16_t);
  LOAD(lw, std::uint32_t);
  LOAD(lbu, std::uint8_t);
  LOAD(lhu, std::uint16_t);
  STORE(sb, std::uint8_t);
  STORE(sh, std::uint16_t);
  STORE(sw, std::uint32_t);

  COMPUTE(addi, rs1() + immediate());
addi_sp:
  x[kStackPointer] += immediate();
  if (stacks_.below(x[kStackPointer])) set_stack_pointer(op);
  NEXT();
  COMPUTE(slti, signed_of(rs1()) < op->immediate);
  COMPUTE(sltiu, rs1() < immediate());
  COMPUTE(xori, rs1() ^ immediate());
  COMPUTE(ori, rs1() | immediate());
  COMPUTE(andi, rs1() & immediate());
  COMPUTE(slli, rs1() << immediate());
  COMPUTE(srli, rs1() >> immediate());
  COMPUTE(srai, static_cast<std::uint32_t>(signed_of(rs1()) >> immediate()));

  COMPUTE(add, rs1() + rs2());
  COMPUTE(sub, rs1() - rs2());
  COMPUTE(sll, rs1() << (rs2() & 31));
  COMPUTE(slt, signed_of(rs1()) < signed_of(rs2()));
  COMPUTE(sltu, rs1() < rs2());
  COMPUTE(xor_, rs1() ^ rs2());
  COMPUTE(srl, rs1() >> (rs2() & 31));
  COMPUTE(sra, static_cast<std::uint32_t>(signed_of(rs1()) >> (rs2() & 31)));
  COMPUTE(or_, rs1() | rs2());
  COMPUTE(and_, rs1() & rs2());

  COMPUTE(mul, rs1() * rs2());
  COMPUTE(mulh, high_word(std::int64_t{signed_of(rs1())} * signed_of(rs2())));
  COMPUTE(mulhsu, high_word(std::int64_t{signed_of(rs1())} * std::int64_t{rs2()}));
  COMPUTE(mulhu, static_cast<std::uint32_t>(std::uint64_t{rs1()} * rs2() >> 32));
  DIVIDE(div, quotient(rs1(), rs2()));
  DIVIDE(divu, rs2() == 0 ? ~0u : rs1() / rs2());
  DIVIDE(rem, remainder(rs1(), rs2()));
  DIVIDE(remu, rs2() == 0 ? rs1() : rs1() % rs2());

lr:
sc:
amoswap:
amoadd:
amoxor:
amoand:
amoor:
amomin:
amomax:
amominu:
amomaxu:
  show_here();
  if (Timed && Memories::is_bus(rs1())) {
    if (op->code != Code::sc) cost += costs_->bus_read_wait();
    if (op->code != Code::lr) cost += costs_->bus_write_wait();
  }
  if (!atomic(*op)) return ended_inside(cost);
  NEXT();

csrrw:
csrrs:
csrrc:
csrrwi:
csrrsi:
csrrci:
  show_here();
  if (!control_.execute(*op, counts()))
    return stop(Mistake::Kind::illegal,
                fmt::format("is illegal: there is no control register {:#x}, or it is only read", op->immediate));
  if constexpr (Timed) divisible = may_be_interrupted();
  NEXT();
ecall:
  show_here();
  return stop(Mistake::Kind::environment, "is ecall: nothing below firmware answers it");
ebreak:
  show_here();
  return stop(Mistake::Kind::trap,
              "is a trap (ebreak); builds for debugging stop so at undefined behaviour (an index out of bounds, an "
              "overflow, a wrong shift, a null pointer, a division by zero)");
mret:
  ++op;
  if constexpr (Timed) cycles += cost;
  show(hart_.mepc);
  return_from_trap();
  if constexpr (Timed) divisible = may_be_interrupted();
  if constexpr (Watched) tell([&](Watcher& watcher) { watcher.returns(*this); });
  retired = retired_;
  op = begin = program_->at(hart_.pc);
  if (op->code == Code::no_code) return nowhere();
  DISPATCH();
wfi:
  show_here();
  if (!handlers_.empty())
    return stop(Mistake::Kind::wrong_wait, "waits for an interrupt (wfi) in an interrupt's handler");
  ++retired_;
  waited_ = true;
  if constexpr (Timed) cycles_ += cost;
  return Outcome::waits;
}

template Machine::Outcome Interpreter::run<false, false>();
template Machine::Outcome Interpreter::run<false, true>();
template Machine::Outcome Interpreter::run<true, false>();
template Machine::Outcome Interpreter::run<true, true>();

}  // namespace armature::iss
