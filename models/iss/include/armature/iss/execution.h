#pragma once

#include "armature/iss/machine.h"
#include "armature/iss/symbols.h"

#include <cstdint>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

namespace armature::iss {

/// Counts what a machine executes, from power-on: each instruction, each branch taken, each call with what it costs.
/// The sum of all counts is the machine's number of instructions.
///
/// Calls are those of the calling convention ("RISC-V ABIs Specification", 2): `jal` and `jalr` with ra or t0 as link
/// register call, `jalr` through them without a link returns. A jump into another function is a tail call. What runs
/// from reset on, between interrupts, and each interrupt's handler is called by a name of its own: "[reset]". Cycles of
/// a trap's entry count for the instruction that was interrupted.
class Execution final : public Watcher {
 public:
  struct Cost {
    std::uint64_t instructions = 0;
    std::uint64_t cycles = 0;  ///< 0 unless the machine counts them
    Cost operator-(const Cost& other) const { return {instructions - other.instructions, cycles - other.cycles}; }
    void operator+=(const Cost& other) { instructions += other.instructions, cycles += other.cycles; }
  };
  struct Counts {
    Cost self;                ///< instructions: how often it was executed
    std::uint64_t taken = 0;  ///< of a branch with a condition: how often it was
  };
  /// A function of the symbol table by its number, then `unknown()`, then those that call what nobody calls.
  using FunctionId = std::uint32_t;
  struct Call {
    FunctionId caller;
    std::uint32_t site;  ///< address of the instruction that calls; 0 if `caller` has none
    FunctionId callee;
    bool operator<(const Call& other) const {
      return std::tie(caller, site, callee) < std::tie(other.caller, other.site, other.callee);
    }
  };
  struct Called {
    std::uint64_t times = 0;
    Cost inclusive;
  };

  /// Watches `machine`, which has not begun, until `finish`.
  /// @param name_of_line  of an interrupt's handler
  Execution(Machine& machine, std::function<std::string(unsigned line)> name_of_line);
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  /// Once, when the machine runs no more: ends what is under way. The rest is known only then.
  void finish();

  const Image& image() const { return image_; }
  const Symbols& symbols() const { return symbols_; }
  /// By half words of the code memory.
  const std::vector<Counts>& counts() const { return counts_; }
  const std::map<Call, Called>& calls() const { return calls_; }
  Cost total() const;
  FunctionId unknown() const { return static_cast<FunctionId>(symbols_.functions().size()); }
  FunctionId function_of(std::uint32_t pc) const;
  std::string name(FunctionId id) const;

  /// There is an instruction at `pc` that branches on a condition.
  bool is_branch(std::uint32_t pc) const;

  void instruction(Machine& machine) override;
  void trap(Machine& machine, unsigned line) override;
  void returns(Machine& machine) override;

 private:
  enum class Kind : std::uint8_t { unknown, plain, branch, call, leave };
  struct Frame {
    FunctionId function;
    FunctionId caller;
    std::uint32_t site;
    std::uint32_t returns_to;
    bool tail;  ///< returns to where its caller does
    bool root;
    Cost begin;  ///< by the clock of what is not interrupted
  };

  std::size_t index(std::uint32_t pc) const;
  Kind kind_of(std::uint32_t pc);
  /// Address of the instruction behind the one at `pc`.
  std::uint32_t after(std::uint32_t pc) const;
  Cost clock() const { return last_ - foreign_; }
  bool settle();
  void push(FunctionId function, std::uint32_t site, std::uint32_t returns_to, bool tail);
  void push_root(FunctionId root);
  void pop();
  void leave_root();
  void follow_return(std::uint32_t to);
  void follow_tail(FunctionId function);

  Machine& machine_;
  const Image& image_;
  const Symbols& symbols_;
  const std::function<std::string(unsigned)> name_of_line_;
  std::vector<FunctionId> functions_;  ///< by half words
  std::vector<Kind> kinds_;
  std::vector<Counts> counts_;
  std::map<Call, Called> calls_;
  std::vector<Frame> frames_;
  std::uint32_t previous_ = 0;  ///< the last instruction
  bool executing_ = false;      ///< it is not counted yet
  Cost last_;                   ///< the machine's counts, when they were looked at last
  Cost foreign_;                ///< of handlers that have ended: no time of what they interrupted
};

/// A profile in callgrind's format (Valgrind's manual, "Callgrind Format Specification"): costs by function and line,
/// and calls. Several machines with one image are one; several images are several objects.
/// @param command  for its header
void write_callgrind(std::ostream& out, const std::vector<const Execution*>& executions, const std::string& command);

/// Coverage as a tracefile of lcov (geninfo(1)): lines, functions and branches of the source files. A line was executed
/// as often as the instruction of it that was executed most often.
void write_lcov(std::ostream& out, const std::vector<const Execution*>& executions);

}  // namespace armature::iss
