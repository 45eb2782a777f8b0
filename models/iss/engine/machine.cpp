// The machine's calls, interrupts and accesses. "The RISC-V Instruction Set Manual", volume II, chapter 3.
#include "armature/iss/machine.h"

#include "arithmetic.h"
#include "interpreter.h"

#include <fmt/format.h>

#include <stdexcept>

namespace armature::iss {
namespace {

// Volume II: mtvec 3.1.7, mcause 3.1.15.
constexpr std::uint32_t kCauseInterrupt = 1u << 31;
constexpr std::uint32_t kFirstLine = 16;  ///< causes from here on are the platform's
constexpr std::uint32_t kVectored = 1;

}  // namespace

// --- Calls -----------------------------------------------------------------------------------------------------------

void Interpreter::load(const std::shared_ptr<const Image>& image) {
  power_off();
  earlier_.push_back(memories_.image());
  memories_.load(image);
  program_ = &image->program();
  stacks_ = Stacks(image->symbols());
}

Machine::Outcome Interpreter::reset() {
  memories_.start();
  hart_.pc = image().entry();
  hart_.mstatus = kMstatusMachine;
  last_instruction_ = retired_ + kMostInstructions;
  return run();
}

void Interpreter::power_off() {
  memories_.clear();
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
    return stop(Mistake::Kind::wrong_wait,
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
  if (costs_) cycles_ += costs_->trap();
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
  if (costs_) return ended_ = watched ? run<true, true>() : run<true, false>();
  return ended_ = watched ? run<false, true>() : run<false, false>();
}

Machine::Outcome Interpreter::stop(Mistake mistake) {
  hart_.pc = mistake.pc;
  mistake_ = std::move(mistake);
  tell([&](Watcher& watcher) { watcher.mistake(*this, *mistake_); });
  return ended_ = Outcome::stopped;
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

// --- Accesses --------------------------------------------------------------------------------------------------------

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
    stop(Mistake::Kind::not_aligned,
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
  held_ = holder_ && !watchers_.empty() && !Memories::is_bus(access.address) && holder_->holds(*this, access);
  return held_;
}

bool Interpreter::read_watched(const DataAccess& access, std::uint32_t& value) {
  if (held_before(access)) return false;
  tell([&](Watcher& watcher) { watcher.access(*this, access); });
  if (memories_.read(access, value)) return true;
  stop(memories_.refusal(access, hart_.pc));
  return false;
}

bool Interpreter::write_watched(const DataAccess& access) {
  if (held_before(access)) return false;
  tell([&](Watcher& watcher) { watcher.access(*this, access); });
  if (memories_.write(access)) return true;
  stop(memories_.refusal(access, hart_.pc));
  return false;
}

// ---------------------------------------------------------------------------------------------------------------------

std::string Interpreter::fault() const {
  if (!mistake_) return {};
  const Symbols& symbols = image().symbols();
  const std::string place = symbols.place_of(mistake_->pc);
  return fmt::format("the instruction at {:#010x}{} {}{}", mistake_->pc, place.empty() ? "" : " in " + place,
                     mistake_->text,
                     place.empty() || symbols.has_lines() ? "" : " (the ELF has no line information: compile with -g)");
}

std::unique_ptr<Machine> Machine::make(const std::shared_ptr<const Image>& image, WordBus& bus) {
  return std::make_unique<Interpreter>(image, bus);
}

}  // namespace armature::iss
