#pragma once

#include "armature/iss/machine.h"
#include "control_registers.h"
#include "cycle_costs.h"
#include "memories.h"
#include "program.h"
#include "stacks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace armature::iss {

/// The machine as an interpreter of decoded instructions: calls and accesses in machine.cpp, the instructions in
/// instructions.cpp.
class Interpreter final : public Machine {
 public:
  Interpreter(const std::shared_ptr<const Image>& image, WordBus& bus)
      : memories_(image, bus), program_(&image->program()), stacks_(image->symbols()) {}

  Outcome reset() override;
  void power_off() override;
  void load(const std::shared_ptr<const Image>& image) override;
  Outcome interrupt(unsigned line) override;
  Outcome idle() override;
  Outcome resume() override;

  void stop_at_accesses(bool stop) override { stop_at_accesses_ = stop; }
  void stop_at_divisions_by_zero() override { stop_at_division_ = true; }
  void count_cycles(const CoreCosts& costs) override { costs_.emplace(costs); }
  std::uint64_t cycles() const override { return cycles_; }
  std::uint64_t instructions() const override { return retired_; }
  Hart& hart() override { return hart_; }
  const Hart& hart() const override { return hart_; }
  bool interrupts_enabled() const override {
    return (hart_.mstatus & kMstatusMie) != 0 && (hart_.mie & kMieExternal) != 0;
  }
  bool in_handler() const override { return !handlers_.empty(); }
  bool read(std::uint32_t address, void* to, std::size_t bytes) const override {
    return memories_.read(address, to, bytes);
  }
  bool write(std::uint32_t address, const void* from, std::size_t bytes) override {
    return memories_.write(address, from, bytes);
  }
  void watch(Watcher& watcher) override { watchers_.push_back(&watcher); }
  void unwatch(Watcher& watcher) override {
    watchers_.erase(std::remove(watchers_.begin(), watchers_.end(), &watcher), watchers_.end());
  }
  void hold_by(Holder* holder) override { holder_ = holder; }
  std::optional<StackUse> stack_use() const override { return stacks_.use(); }
  const Image& image() const override { return *memories_.image(); }
  const std::optional<Mistake>& mistake() const override { return mistake_; }
  std::string fault() const override;
  std::string stopped_in() const override { return memories_.stopped_in(); }

 private:
  Outcome run();
  template <bool Timed, bool Watched>
  Outcome run();
  /// A mistake of firmware's: it stops.
  Outcome stop(Mistake mistake);
  Outcome stop(Mistake::Kind kind, std::string text) { return stop({hart_.pc, kind, std::move(text)}); }

  // Accesses that are not simply to the data memory, or that somebody watches; hart_.pc is at the instruction. False:
  // it was not done, and the call ends.
  bool load(std::uint32_t address, unsigned bytes, std::uint32_t& value);
  bool store(std::uint32_t address, unsigned bytes, std::uint32_t value);
  bool atomic(const Operation& operation);
  bool held_before(const DataAccess& access);
  bool read_watched(const DataAccess& access, std::uint32_t& value);
  bool write_watched(const DataAccess& access);
  /// The call ends before an access to the bus.
  bool ends_before(std::uint32_t address) const { return stop_at_accesses_ && !granted_ && Memories::is_bus(address); }
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

  Counts counts() const { return {costs_ ? cycles_ : retired_, retired_}; }
  void return_from_trap();

  /// The stack pointer is outside of what it has been. @param writer  the instruction that wrote it
  [[gnu::noinline, gnu::cold]] void set_stack_pointer(const Operation* writer);

  template <class Tell>
  void tell(const Tell& tell) {
    for (std::size_t i = 0; i < watchers_.size(); ++i) tell(*watchers_[i]);
  }

  Memories memories_;
  const Program* program_;
  std::vector<std::shared_ptr<const Image>> earlier_;  ///< whose names watchers may still use
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
  bool stop_at_division_ = false;    ///< by zero
  std::optional<CycleCosts> costs_;  ///< nothing: cycles are not counted
  std::uint64_t paid_ = 0;  ///< cycles of the access at hart_.pc, at which the last call ended: they are counted
  Outcome ended_ = Outcome::stopped;  ///< the last call
  std::optional<Mistake> mistake_;
  std::vector<Watcher*> watchers_;
  Holder* holder_ = nullptr;
  bool before_instruction_ = false;  ///< the last call was held there
  Stacks stacks_;
  bool waited_ = false;  ///< since power-on
};

}  // namespace armature::iss
