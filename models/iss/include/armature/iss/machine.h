#pragma once

#include "armature/iss/core_costs.h"
#include "armature/iss/image.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace armature::iss {

/// What a machine reaches outside of its memories. An address at which nothing is must have been dealt with there.
class WordBus {
 public:
  virtual std::uint32_t read(std::uint32_t address) = 0;  ///< of an aligned word
  virtual void write(std::uint32_t address, std::uint32_t word) = 0;

 protected:
  ~WordBus() = default;
};

/// The registers of a hart that only has machine mode. x[0] stays 0.
struct Hart {
  std::array<std::uint32_t, 32> x{};
  std::uint32_t pc = 0, mstatus = 0, mie = 0, mtvec = 0, mscratch = 0, mepc = 0, mcause = 0, mtval = 0;
};

/// A load, a store, or one half of an atomic operation.
struct DataAccess {
  std::uint32_t address;
  unsigned bytes;  ///< 1, 2 or 4
  bool write;
  std::uint32_t value;  ///< of a store
};

/// Why firmware's run ended: "reads 4 bytes at 0x00000000, where there is no memory".
struct Mistake {
  enum class Kind {
    no_memory,    ///< an access to where no memory is, or a store to code
    no_code,      ///< a jump to where no code is
    not_aligned,  ///< an access to the bus or an atomic one to other than an aligned word
    illegal,      ///< no instruction, or a control register that is not there
    trap,         ///< ebreak: compilers put it where behaviour is undefined
    environment,  ///< ecall
    division,     ///< by zero
    endless,      ///< too many instructions without a wait
    wrong_wait,   ///< in a handler, or with interrupts disabled
  };
  std::uint32_t pc;  ///< of the instruction
  Kind kind;
  std::string text;  ///< what the instruction does; its address is not part of it
};

/// How deep a stack becomes, by the stack pointer: a function's frame counts as soon as the pointer is below it.
struct StackUse {
  enum class Call { reset, idle, handler };
  std::uint32_t used;  ///< bytes below the highest stack pointer
  std::uint32_t size;  ///< bytes down to the memory of something else: more than these overflow
  std::uint32_t pc;    ///< of the instruction that made it so deep
  Call call;      ///< what ran then: from power-on to the first wait, after a later wait, or an interrupt's handler
  unsigned line;  ///< of that interrupt
};

class Machine;

/// Watches a machine from inside: debuggers, traces, profiles. A machine that nobody watches pays nothing for it. The
/// machine's registers and counts are exact in each callback. What a callback throws passes through the machine's call.
class Watcher {
 public:
  /// Before the instruction at hart().pc. It may change registers (pc, too) and memory, and may block: simulated time
  /// stands meanwhile.
  virtual void instruction(Machine&) {}
  /// Just before a load or a store, in memory and on the bus; hart().pc is at the instruction.
  virtual void access(Machine&, const DataAccess&) {}
  /// An interrupt has been taken: hart().pc is at its handler.
  virtual void trap(Machine&, unsigned /*line*/) {}
  /// After `mret`: hart().pc is where it returned to.
  virtual void returns(Machine&) {}
  /// The hart is as it was before the instruction that made it.
  virtual void mistake(Machine&, const Mistake&) {}

 protected:
  ~Watcher() = default;
};

/// Lets a machine whose instructions take time wait for the instant of one of them. Watchers are told of it then.
class Holder {
 public:
  /// Before the instruction at hart().pc. True: the call ends before it, and this is asked again.
  virtual bool holds(Machine&) = 0;
  /// Before an access to memory; hart().pc is at the instruction, of which Watcher::instruction has been told. True: as
  /// above.
  virtual bool holds(Machine&, const DataAccess&) = 0;

 protected:
  ~Holder() = default;
};

/// A hart with the instructions RV32IMAC in machine mode, memories for code and data where rtl/regs/soc.rdl has them,
/// and a bus from 0x4000'0000 on. Each call goes on until firmware waits for an interrupt (`wfi`), and takes no
/// simulated time. Interrupts are traps ("The RISC-V Instruction Set Manual, Volume II", 3.1). Misaligned accesses to
/// memory are done; the bus and atomic operations take aligned words only.
///
/// A mistake of firmware's ends its run: then `mistake` says which, and calls do nothing. What the bus throws passes
/// through a call.
class Machine {
 public:
  enum class Outcome {
    waits,      ///< hart().pc is at a `wfi`
    at_access,  ///< hart().pc is at a load or store of the bus that has not been done: see stop_at_accesses
    held,       ///< hart().pc is at an instruction that has not been done: see hold_by and stop_at_accesses
    stopped,    ///< by a mistake
  };

  /// @param bus  outlives the machine
  static std::unique_ptr<Machine> make(const std::shared_ptr<const Image>& image, WordBus& bus);
  virtual ~Machine() = default;

  /// Power-on: from the ELF's entry to the first wait. Before anything else, and after power_off().
  virtual Outcome reset() = 0;
  /// Memory and registers are as before reset(). Counts and watchers stay.
  virtual void power_off() = 0;
  /// The same, and its next reset() starts with another image. What watches it keeps the names of the one before, which
  /// stays alive as long as the machine.
  virtual void load(const std::shared_ptr<const Image>& image) = 0;
  /// An interrupt trap with line + 16 in mcause, to the wait after it. `mret` returns to where the hart is now: to the
  /// same wait, or to the instruction that has not been done. Other than at a wait only if interrupts_enabled().
  virtual Outcome interrupt(unsigned line) = 0;
  /// The wait ends without an interrupt, as the manual allows it: to the next one.
  virtual Outcome idle() = 0;
  /// After at_access: does the access and goes on. After held: goes on.
  virtual Outcome resume() = 0;

  /// From the next call on each access to the bus first ends the call. If cycles are counted, so does each instruction
  /// before which an interrupt may come: interrupts are enabled, and no handler is at work.
  virtual void stop_at_accesses(bool stop) = 0;
  /// From the next call on a division by zero is a mistake. RISC-V gives it a result (volume I, 7.2), but C does not.
  virtual void stop_at_divisions_by_zero() = 0;
  /// From the next call on cycles are counted with these costs.
  virtual void count_cycles(const CoreCosts& costs) = 0;
  /// Since power-on, of the instructions that have retired and of the access at which the last call ended: that access
  /// belongs to the end of them. 0 if not counted.
  virtual std::uint64_t cycles() const = 0;
  virtual std::uint64_t instructions() const = 0;  ///< retired since power-on

  virtual Hart& hart() = 0;
  virtual const Hart& hart() const = 0;
  /// mstatus.MIE and mie.MEIE are set.
  virtual bool interrupts_enabled() const = 0;
  /// Inside an interrupt's handler: its `mret` is to come.
  virtual bool in_handler() const = 0;

  /// From the memories, without side effects. False: there is no memory for all of it, and nothing was done.
  virtual bool read(std::uint32_t address, void* to, std::size_t bytes) const = 0;
  /// To the data memory. False as above.
  virtual bool write(std::uint32_t address, const void* from, std::size_t bytes) = 0;

  /// From the next call on; inside a callback of a watched machine at once. Watchers are called in the order in which
  /// they came.
  virtual void watch(Watcher& watcher) = 0;
  virtual void unwatch(Watcher& watcher) = 0;

  /// The deepest that its stack has been since power-on, before a power_off() too. Of several stacks the one with the
  /// least room left; nothing: no instruction has set a stack pointer.
  virtual std::optional<StackUse> stack_use() const = 0;

  /// While somebody watches. Null: nobody holds it. @param holder  outlives the machine's calls
  virtual void hold_by(Holder* holder) = 0;

  virtual const Image& image() const = 0;
  virtual const std::optional<Mistake>& mistake() const = 0;
  /// The mistake with its instruction's address, function and line: "the instruction at 0x00001004 in main
  /// (src/main.c:7) is illegal". Empty: there is none.
  virtual std::string fault() const = 0;
  /// The text that the pointer in the second word of the drive's context points to (struct fw_context_base): empty if
  /// firmware has no such context, or the pointer is null or wrong.
  virtual std::string stopped_in() const = 0;

  /// Instructions from one wait to the next: an endless loop is a mistake.
  static constexpr std::uint64_t kMostInstructions = 50'000'000;
};

}  // namespace armature::iss
