// The machine as an interpreter of decoded instructions. "The RISC-V Instruction Set Manual", volume I for the
// instructions, volume II, chapter 3 for traps and control registers.
#include "armature/iss/machine.h"

#include "armature/regs/soc.h"
#include "control_registers.h"
#include "elf_image.h"
#include "program.h"
#include "stacks.h"
#include "zero_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace armature::iss {
namespace {

namespace soc = regs::soc;

// Volume II: mtvec 3.1.7, mie 3.1.9, mcause 3.1.15.
constexpr std::uint32_t kMieExternal = 1u << 11;
constexpr std::uint32_t kCauseInterrupt = 1u << 31;
constexpr std::uint32_t kFirstLine = 16;  ///< causes from here on are the platform's
constexpr std::uint32_t kVectored = 1;
constexpr std::size_t kLongestText = 200;

bool is_bus(std::uint32_t address) {
  return address >= soc::kHifBase;
}

std::int32_t signed_of(std::uint32_t word) {
  return static_cast<std::int32_t>(word);
}

std::uint32_t high_word(std::int64_t product) {
  return static_cast<std::uint32_t>(product >> 32);
}

// Volume I, 7.2: a division by zero and the one that overflows have results, too.
std::uint32_t quotient(std::uint32_t a, std::uint32_t b) {
  if (b == 0) return ~0u;
  if (b == ~0u) return 0u - a;
  return static_cast<std::uint32_t>(signed_of(a) / signed_of(b));
}

std::uint32_t remainder(std::uint32_t a, std::uint32_t b) {
  if (b == 0) return a;
  if (b == ~0u) return 0;
  return static_cast<std::uint32_t>(signed_of(a) % signed_of(b));
}

/// What an atomic operation writes.
std::uint32_t combined(Code code, std::uint32_t memory, std::uint32_t reg) {
  switch (code) {
    case Code::amoadd:
      return memory + reg;
    case Code::amoxor:
      return memory ^ reg;
    case Code::amoand:
      return memory & reg;
    case Code::amoor:
      return memory | reg;
    case Code::amomin:
      return signed_of(memory) < signed_of(reg) ? memory : reg;
    case Code::amomax:
      return signed_of(memory) > signed_of(reg) ? memory : reg;
    case Code::amominu:
      return std::min(memory, reg);
    case Code::amomaxu:
      return std::max(memory, reg);
    default:
      return reg;  // amoswap
  }
}

std::int64_t cycles_of(Code code, const CoreCosts& costs) {
  if (code >= Code::lb && code <= Code::lhu) return costs.load;
  if (code >= Code::sb && code <= Code::sw) return costs.store;
  if (code >= Code::beq && code <= Code::bgeu) return costs.branch_not_taken;
  if (code == Code::jal || code == Code::jalr) return costs.jump;
  if (code == Code::mul) return costs.multiply;
  if (code >= Code::mulh && code <= Code::mulhu) return costs.multiply_high;
  if (code >= Code::div && code <= Code::remu) return costs.divide;
  if (code == Code::lr) return costs.load;
  if (code >= Code::sc && code <= Code::amomaxu) return costs.atomic;
  if (code >= Code::csrrw && code <= Code::csrrci) return costs.csr;
  if (code == Code::mret) return costs.mret;
  return costs.plain;
}

class Interpreter final : public Machine {
 public:
  Interpreter(std::shared_ptr<const Image> image, WordBus& bus)
      : bus_(bus),
        image_(std::move(image)),
        program_(&image_->program()),
        memory_(soc::kDataMaxBytes),
        stacks_(image_->symbols()) {}

  Outcome reset() override;
  void power_off() override;
  void load(const std::shared_ptr<const Image>& image) override;
  Outcome interrupt(unsigned line) override;
  Outcome idle() override;
  Outcome resume() override;

  void stop_at_accesses(bool stop) override { stop_at_accesses_ = stop; }
  void stop_at_divisions_by_zero() override { stop_at_division_ = true; }
  void count_cycles(const CoreCosts& costs) override;
  std::uint64_t cycles() const override { return cycles_; }
  std::uint64_t instructions() const override { return retired_; }
  Hart& hart() override { return hart_; }
  const Hart& hart() const override { return hart_; }
  bool interrupts_enabled() const override {
    return (hart_.mstatus & kMstatusMie) != 0 && (hart_.mie & kMieExternal) != 0;
  }
  bool in_handler() const override { return !handlers_.empty(); }
  bool read(std::uint32_t address, void* to, std::size_t bytes) const override;
  bool write(std::uint32_t address, const void* from, std::size_t bytes) override;
  void watch(Watcher& watcher) override { watchers_.push_back(&watcher); }
  void unwatch(Watcher& watcher) override {
    watchers_.erase(std::remove(watchers_.begin(), watchers_.end(), &watcher), watchers_.end());
  }
  void hold_by(Holder* holder) override { holder_ = holder; }
  std::optional<StackUse> stack_use() const override { return stacks_.use(); }
  const Image& image() const override { return *image_; }
  const std::optional<Mistake>& mistake() const override { return mistake_; }
  std::string fault() const override;
  std::string stopped_in() const override;

 private:
  Outcome run();
  template <bool Timed, bool Watched>
  Outcome run();
  /// A mistake of firmware's: it stops.
  Outcome stop(std::uint32_t pc, Mistake::Kind kind, std::string text);

  // Accesses that are not simply to the data memory, or that somebody watches; hart_.pc is at the instruction. False:
  // it was not done, and the call ends.
  bool load(std::uint32_t address, unsigned bytes, std::uint32_t& value);
  bool store(std::uint32_t address, unsigned bytes, std::uint32_t value);
  bool atomic(const Operation& operation);
  bool held_before(const DataAccess& access);
  bool read_watched(const DataAccess& access, std::uint32_t& value);
  bool write_watched(const DataAccess& access);
  /// The call ends before an access to the bus.
  bool ends_before(std::uint32_t address) const { return stop_at_accesses_ && !granted_ && is_bus(address); }
  /// Says what is wrong with an access that there is no memory or no word for.
  bool refuse(const DataAccess& access);
  /// An interrupt may come before the next instruction, at an instant of its own.
  bool may_be_interrupted() const { return stop_at_accesses_ && interrupts_enabled() && handlers_.empty(); }
  /// A call ends at an access of that many cycles.
  Outcome ended_inside(std::uint64_t cost) {
    if (mistake_) return Outcome::stopped;
    if (std::exchange(held_, false)) return Outcome::held;
    paid_ = cost;
    cycles_ += cost;
    return Outcome::at_access;
  }

  Counts counts() const { return {count_cycles_ ? cycles_ : retired_, retired_}; }
  void return_from_trap();

  /// The stack pointer is outside of what it has been. @param writer  the instruction that wrote it
  [[gnu::noinline, gnu::cold]] void set_stack_pointer(const Operation* writer);

  template <class Tell>
  void tell(const Tell& tell) {
    for (std::size_t i = 0; i < watchers_.size(); ++i) tell(*watchers_[i]);
  }

  WordBus& bus_;
  std::shared_ptr<const Image> image_;
  const Program* program_;
  std::vector<std::shared_ptr<const Image>> earlier_;  ///< whose names watchers may still use
  ZeroMemory memory_;
  Hart hart_;
  std::uint64_t retired_ = 0;
  std::uint64_t cycles_ = 0;
  std::uint64_t last_instruction_ = 0;     ///< where the budget ends, in instructions since power-on
  std::vector<unsigned> handlers_;         ///< inside each other: their interrupts
  bool granted_ = false;                   ///< the access at hart_.pc, at which the last call ended
  bool held_ = false;                      ///< an access, by holder_
  std::optional<std::uint32_t> reserved_;  ///< by lr
  ControlRegisters control_{hart_};
  bool stop_at_accesses_ = false;
  bool stop_at_division_ = false;  ///< by zero
  bool count_cycles_ = false;
  CoreCosts costs_;
  std::array<std::int64_t, static_cast<std::size_t>(Code::mret) + 1> cycles_of_{};  ///< by instruction, from costs_
  std::uint64_t paid_ = 0;  ///< cycles of the access at hart_.pc, at which the last call ended: they are counted
  Outcome ended_ = Outcome::stopped;  ///< the last call
  std::optional<Mistake> mistake_;
  std::vector<Watcher*> watchers_;
  Holder* holder_ = nullptr;
  bool before_instruction_ = false;  ///< the last call was held there
  Stacks stacks_;
  bool waited_ = false;  ///< since power-on
};

// --- Calls -----------------------------------------------------------------------------------------------------------

void Interpreter::count_cycles(const CoreCosts& costs) {
  count_cycles_ = true;
  costs_ = costs;
  for (std::size_t code = 0; code < cycles_of_.size(); ++code)
    cycles_of_[code] = cycles_of(static_cast<Code>(code), costs);
}

void Interpreter::load(const std::shared_ptr<const Image>& image) {
  power_off();
  earlier_.push_back(image_);
  image_ = image;
  program_ = &image_->program();
  stacks_ = Stacks(image_->symbols());
}

Machine::Outcome Interpreter::reset() {
  for (const Image::Piece& piece : image_->data()) write(piece.address, piece.bytes.data(), piece.bytes.size());
  hart_.pc = image_->entry();
  hart_.mstatus = kMstatusMachine;
  last_instruction_ = retired_ + kMostInstructions;
  return run();
}

void Interpreter::power_off() {
  memory_.clear();
  hart_ = {};
  handlers_.clear();
  waited_ = false;
  granted_ = false;
  before_instruction_ = false;
  reserved_.reset();
  control_.clear(counts());
  paid_ = 0;
  ended_ = Outcome::stopped;
}

Machine::Outcome Interpreter::interrupt(unsigned line) {
  if (mistake_) return Outcome::stopped;
  if (!interrupts_enabled()) {
    if (ended_ == Outcome::at_access) throw std::logic_error("an interrupt while interrupts are disabled");
    return stop(hart_.pc, Mistake::Kind::wrong_wait,
                "waits for an interrupt while interrupts are disabled (mstatus.MIE and mie.MEIE must be set)");
  }
  const std::uint32_t cause = kFirstLine + line;
  hart_.mepc = hart_.pc;
  hart_.mcause = kCauseInterrupt | cause;
  hart_.mstatus = (hart_.mstatus & ~kMstatusMie) | kMstatusMpie;
  hart_.pc = (hart_.mtvec & ~3u) + ((hart_.mtvec & 3u) == kVectored ? 4 * cause : 0);
  handlers_.push_back(line);
  reserved_.reset();
  last_instruction_ = retired_ + kMostInstructions;
  before_instruction_ = false;
  paid_ = 0;  // an access that an interrupt comes before has begun in vain
  if (count_cycles_) cycles_ += static_cast<std::uint64_t>(costs_.trap);
  tell([&](Watcher& watcher) { watcher.trap(*this, line); });
  return run();
}

Machine::Outcome Interpreter::idle() {
  if (mistake_) return Outcome::stopped;
  hart_.pc += 4;
  last_instruction_ = retired_ + kMostInstructions;
  return run();
}

Machine::Outcome Interpreter::resume() {
  if (mistake_) return Outcome::stopped;
  granted_ = !std::exchange(before_instruction_, false);
  cycles_ -= paid_;  // until it retires
  paid_ = 0;
  return run();
}

Machine::Outcome Interpreter::run() {
  const bool watched = !watchers_.empty();
  if (count_cycles_) return ended_ = watched ? run<true, true>() : run<true, false>();
  return ended_ = watched ? run<false, true>() : run<false, false>();
}

Machine::Outcome Interpreter::stop(std::uint32_t pc, Mistake::Kind kind, std::string text) {
  hart_.pc = pc;
  mistake_ = Mistake{pc, kind, std::move(text)};
  tell([&](Watcher& watcher) { watcher.mistake(*this, *mistake_); });
  return ended_ = Outcome::stopped;
}

// --- Instructions ----------------------------------------------------------------------------------------------------

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
#define BRANCH(condition)                \
  do {                                   \
    if (condition) {                     \
      if constexpr (Timed) cost = taken; \
      JUMP(op + op->immediate);          \
    }                                    \
    NEXT();                              \
  } while (false)
#define LABEL(name) &&name,  // NOLINT(bugprone-macro-parentheses): a label

template <bool Timed, bool Watched>
Machine::Outcome Interpreter::run() {
  static const void* const kLabels[] = {ARMATURE_ISS_CODES(LABEL)};
  // In registers of this computer while it runs; those who look from outside of this function see the members.
  const Operation* op = program_->at(hart_.pc);
  const Operation* begin = op;  ///< `retired` is the count up to here
  std::uint32_t* const x = hart_.x.data();
  std::uint8_t* const memory = memory_.data();
  std::uint64_t retired = retired_, cycles = cycles_;
  std::uint64_t cost = 0;
  const std::uint64_t last = last_instruction_;
  [[maybe_unused]] const std::uint64_t entered = cycles;
  [[maybe_unused]] bool divisible = may_be_interrupted();
  [[maybe_unused]] const auto taken = static_cast<std::uint64_t>(costs_.branch_taken);

  const auto distance = [&] { return static_cast<std::uint64_t>(op - begin); };
  const auto show = [&](std::uint32_t pc) {
    hart_.pc = pc;
    retired_ = retired + distance();
    cycles_ = cycles;
  };
  const auto show_here = [&] { show(program_->pc_of(op)); };
  std::uint32_t jumped_from = 0;  ///< by a register, to where nothing lies
  const auto nowhere = [&] {
    const std::string from = jumped_from != 0 ? image_->symbols().place_of(jumped_from) : std::string();
    return stop(hart_.pc, Mistake::Kind::no_code,
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
      if (Timed && is_bus(address)) cost += static_cast<std::uint64_t>(costs_.bus_read_wait);
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
    if (Timed && is_bus(address)) cost += static_cast<std::uint64_t>(costs_.bus_write_wait);
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
  if constexpr (Timed) cost = static_cast<std::uint64_t>(cycles_of_[static_cast<std::size_t>(op->code)]);
  goto* kLabels[static_cast<std::size_t>(op->code)];

division:
  show_here();
  return stop(hart_.pc, Mistake::Kind::division, "divides by zero");
endless:
  show_here();
  return stop(hart_.pc, Mistake::Kind::endless,
              fmt::format("is reached after {} instructions without a wait: an endless loop",
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
  return stop(hart_.pc, Mistake::Kind::illegal, "is illegal");
nop:
  NEXT();

lui:
  rd(immediate());
  NEXT();
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

beq:
  BRANCH(rs1() == branch_rs2());
bne:
  BRANCH(rs1() != branch_rs2());
blt:
  BRANCH(signed_of(rs1()) < signed_of(branch_rs2()));
bge:
  BRANCH(signed_of(rs1()) >= signed_of(branch_rs2()));
bltu:
  BRANCH(rs1() < branch_rs2());
bgeu:
  BRANCH(rs1() >= branch_rs2());

lb:
  if (!loaded(std::int8_t{})) return ended_inside(cost);
  NEXT();
lh:
  if (!loaded(std::int16_t{})) return ended_inside(cost);
  NEXT();
lw:
  if (!loaded(std::uint32_t{})) return ended_inside(cost);
  NEXT();
lbu:
  if (!loaded(std::uint8_t{})) return ended_inside(cost);
  NEXT();
lhu:
  if (!loaded(std::uint16_t{})) return ended_inside(cost);
  NEXT();
sb:
  if (!stored(std::uint8_t{})) return ended_inside(cost);
  NEXT();
sh:
  if (!stored(std::uint16_t{})) return ended_inside(cost);
  NEXT();
sw:
  if (!stored(std::uint32_t{})) return ended_inside(cost);
  NEXT();

addi:
  rd(rs1() + immediate());
  NEXT();
addi_sp:
  x[kStackPointer] += immediate();
  if (stacks_.below(x[kStackPointer])) set_stack_pointer(op);
  NEXT();
slti:
  rd(signed_of(rs1()) < op->immediate);
  NEXT();
sltiu:
  rd(rs1() < immediate());
  NEXT();
xori:
  rd(rs1() ^ immediate());
  NEXT();
ori:
  rd(rs1() | immediate());
  NEXT();
andi:
  rd(rs1() & immediate());
  NEXT();
slli:
  rd(rs1() << immediate());
  NEXT();
srli:
  rd(rs1() >> immediate());
  NEXT();
srai:
  rd(static_cast<std::uint32_t>(signed_of(rs1()) >> immediate()));
  NEXT();

add:
  rd(rs1() + rs2());
  NEXT();
sub:
  rd(rs1() - rs2());
  NEXT();
sll:
  rd(rs1() << (rs2() & 31));
  NEXT();
slt:
  rd(signed_of(rs1()) < signed_of(rs2()));
  NEXT();
sltu:
  rd(rs1() < rs2());
  NEXT();
xor_:
  rd(rs1() ^ rs2());
  NEXT();
srl:
  rd(rs1() >> (rs2() & 31));
  NEXT();
sra:
  rd(static_cast<std::uint32_t>(signed_of(rs1()) >> (rs2() & 31)));
  NEXT();
or_:
  rd(rs1() | rs2());
  NEXT();
and_:
  rd(rs1() & rs2());
  NEXT();

mul:
  rd(rs1() * rs2());
  NEXT();
mulh:
  rd(high_word(std::int64_t{signed_of(rs1())} * signed_of(rs2())));
  NEXT();
mulhsu:
  rd(high_word(std::int64_t{signed_of(rs1())} * std::int64_t{rs2()}));
  NEXT();
mulhu:
  rd(static_cast<std::uint32_t>(std::uint64_t{rs1()} * rs2() >> 32));
  NEXT();
div:
  if (divides_by_zero()) goto division;
  rd(quotient(rs1(), rs2()));
  NEXT();
divu:
  if (divides_by_zero()) goto division;
  rd(rs2() == 0 ? ~0u : rs1() / rs2());
  NEXT();
rem:
  if (divides_by_zero()) goto division;
  rd(remainder(rs1(), rs2()));
  NEXT();
remu:
  if (divides_by_zero()) goto division;
  rd(rs2() == 0 ? rs1() : rs1() % rs2());
  NEXT();

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
  if (Timed && is_bus(rs1())) {
    if (op->code != Code::sc) cost += static_cast<std::uint64_t>(costs_.bus_read_wait);
    if (op->code != Code::lr) cost += static_cast<std::uint64_t>(costs_.bus_write_wait);
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
    return stop(hart_.pc, Mistake::Kind::illegal,
                fmt::format("is illegal: there is no control register {:#x}, or it is only read", op->immediate));
  if constexpr (Timed) divisible = may_be_interrupted();
  NEXT();
ecall:
  show_here();
  return stop(hart_.pc, Mistake::Kind::environment, "is ecall: nothing below firmware answers it");
ebreak:
  show_here();
  return stop(hart_.pc, Mistake::Kind::trap,
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
    return stop(hart_.pc, Mistake::Kind::wrong_wait, "waits for an interrupt (wfi) in an interrupt's handler");
  ++retired_;
  waited_ = true;
  if constexpr (Timed) cycles_ += cost;
  return Outcome::waits;
}

void Interpreter::set_stack_pointer(const Operation* writer) {
  const bool from_sp = writer->rs1 == kStackPointer && writer->code >= Code::addi && writer->code <= Code::remu;
  const bool second_half = writer[-1].code == Code::lui && writer[-1].rd == kStackPointer;
  const bool in_handler = !handlers_.empty();
  stacks_.add(hart_.x[kStackPointer], from_sp && !second_half, program_->pc_of(writer),
              in_handler ? StackUse::Call::handler
              : waited_  ? StackUse::Call::idle
                         : StackUse::Call::reset,
              in_handler ? handlers_.back() : 0);
}

void Interpreter::return_from_trap() {
  const bool enabled = (hart_.mstatus & kMstatusMpie) != 0;
  hart_.mstatus = kMstatusMachine | kMstatusMpie | (enabled ? kMstatusMie : 0);
  if (!handlers_.empty()) handlers_.pop_back();
}

// --- Memory and bus --------------------------------------------------------------------------------------------------

bool Interpreter::read(std::uint32_t address, void* to, std::size_t bytes) const {
  const std::uint32_t offset = address - soc::kDataBase;
  if (offset < soc::kDataMaxBytes && bytes <= soc::kDataMaxBytes - offset) {
    std::memcpy(to, memory_.data() + offset, bytes);
    return true;
  }
  if (!image_->has_code(address, bytes)) return false;
  std::memcpy(to, image_->code(address), bytes);
  return true;
}

bool Interpreter::write(std::uint32_t address, const void* from, std::size_t bytes) {
  const std::uint32_t offset = address - soc::kDataBase;
  if (offset >= soc::kDataMaxBytes || bytes > soc::kDataMaxBytes - offset) return false;
  std::memcpy(memory_.data() + offset, from, bytes);
  return true;
}

bool Interpreter::load(std::uint32_t address, unsigned bytes, std::uint32_t& value) {
  if (ends_before(address)) return false;
  const bool done = read_watched({address, bytes, false, 0}, value);
  granted_ = false;
  return done;
}

bool Interpreter::store(std::uint32_t address, unsigned bytes, std::uint32_t value) {
  if (ends_before(address)) return false;
  const bool done = write_watched({address, bytes, true, value});
  granted_ = false;
  return done;
}

bool Interpreter::atomic(const Operation& operation) {
  std::uint32_t* const x = hart_.x.data();
  const std::uint32_t address = x[operation.rs1], rs2 = x[operation.immediate];
  if (address % 4 != 0) {
    stop(hart_.pc, Mistake::Kind::not_aligned,
         fmt::format("is an atomic operation at {:#010x}, which is no aligned word", address));
    return false;
  }
  if (operation.code == Code::sc) {
    const bool holds = reserved_ == address;
    if (holds && ends_before(address)) return false;
    if (holds && !write_watched({address, 4, true, rs2})) return false;
    reserved_.reset();
    x[operation.rd] = holds ? 0 : 1;
  } else {
    if (ends_before(address)) return false;
    std::uint32_t word;
    if (!read_watched({address, 4, false, 0}, word)) return false;
    if (operation.code == Code::lr)
      reserved_ = address;
    else if (!write_watched({address, 4, true, combined(operation.code, word, rs2)}))
      return false;
    x[operation.rd] = word;
  }
  x[0] = 0;
  granted_ = false;
  return true;
}

/// The call ends before an access to memory, for which somebody waits.
bool Interpreter::held_before(const DataAccess& access) {
  held_ = holder_ && !watchers_.empty() && !is_bus(access.address) && holder_->holds(*this, access);
  return held_;
}

bool Interpreter::read_watched(const DataAccess& access, std::uint32_t& value) {
  if (held_before(access)) return false;
  tell([&](Watcher& watcher) { watcher.access(*this, access); });
  value = 0;
  if (read(access.address, &value, access.bytes)) return true;
  if (!is_bus(access.address) || access.bytes != 4 || access.address % 4 != 0) return refuse(access);
  value = bus_.read(access.address);
  return true;
}

bool Interpreter::write_watched(const DataAccess& access) {
  if (held_before(access)) return false;
  tell([&](Watcher& watcher) { watcher.access(*this, access); });
  if (write(access.address, &access.value, access.bytes)) return true;
  if (!is_bus(access.address) || access.bytes != 4 || access.address % 4 != 0) return refuse(access);
  bus_.write(access.address, access.value);
  return true;
}

bool Interpreter::refuse(const DataAccess& access) {
  const char* const does = access.write ? "writes" : "reads";
  if (is_bus(access.address))
    stop(hart_.pc, Mistake::Kind::not_aligned,
         fmt::format("{} at {:#010x} what is no aligned word: registers and buffer have no other", does,
                     access.address));
  else
    stop(hart_.pc, Mistake::Kind::no_memory,
         fmt::format("{} {} byte{} at {:#010x}, {}", does, access.bytes, access.bytes == 1 ? "" : "s", access.address,
                     image_->has_code(access.address, 1) ? "which is code" : "where there is no memory"));
  return false;
}

// --- What there is to tell -------------------------------------------------------------------------------------------

std::string Interpreter::fault() const {
  if (!mistake_) return {};
  const Symbols& symbols = image_->symbols();
  const std::string place = symbols.place_of(mistake_->pc);
  return fmt::format("the instruction at {:#010x}{} {}{}", mistake_->pc, place.empty() ? "" : " in " + place,
                     mistake_->text,
                     place.empty() || symbols.has_lines() ? "" : " (the ELF has no line information: compile with -g)");
}

std::string Interpreter::stopped_in() const {
  const std::optional<std::uint32_t> context = image_->context();
  std::uint32_t pointer = 0;
  if (!context || !read(*context + 4, &pointer, 4) || pointer == 0) return {};
  std::string text;
  for (char c = 0; text.size() < kLongestText && read(pointer, &c, 1) && c != 0; ++pointer) text += c;
  return text;
}

}  // namespace

std::unique_ptr<Machine> Machine::make(const std::shared_ptr<const Image>& image, WordBus& bus) {
  return std::make_unique<Interpreter>(image, bus);
}

}  // namespace armature::iss
