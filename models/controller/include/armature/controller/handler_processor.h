#pragma once

#include "armature/controller/controller_params.h"
#include "armature/controller/interrupt_controller.h"
#include "armature/controller/processor.h"
#include "armature/controller/soc_bus.h"
#include "armature/core/behind.h"
#include "armature/core/block_context.h"
#include "armature/core/clock_edges.h"
#include "armature/core/energy.h"

#include <systemc>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace armature::controller {

class FirmwareRules;

/// When the firmware's handlers run, and their way to the bus: the same for each kind of processor. A subclass makes
/// the calls into firmware.
///
/// Time rule 3: an interrupt is sampled at an edge of the processor's clock (multiples of the period from time zero).
/// With firmware.time = "table" the processor is then busy for the handler's cycles; at their end the handler runs at
/// that instant, with zero delay. With "instructions" the handler begins at that edge, each of its accesses is at its
/// own instant, and it ends when its instructions have. Lines that rise meanwhile stay pending. When nothing is pending
/// at a handler's end, fw_idle runs: in that instant, or from then on.
class HandlerProcessor : public Processor {
 public:
  ~HandlerProcessor() override;

  void interrupts_changed() override;
  void power_off() override;
  void power_on() override;

  void observe_handlers(HandlerObserver* observer) override { observer_ = observer; }
  std::uint64_t handlers_run() const override { return handlers_run_; }
  std::uint64_t bus_errors() const override { return bus_errors_; }
  void check_rules() override;
  void impossible_state(std::uint32_t line) override;
  void wrong_order(const std::string& order) override { mistaken("firmware's mistake: " + order, place()); }
  const std::string& mistake() const override { return mistake_; }
  void hang(bool hung) override;
  Ps last_at_work() const override;
  std::vector<HandlerTime> handler_times() const override { return times_; }

  /// Name of the handler of `cause`: "reset" and "idle" too.
  static const char* handler_name(unsigned cause);
  /// Name of the handler whose instructions are being executed; null: none is.
  const char* running_handler() const { return running_ ? handler_name(running_cause_) : nullptr; }

  /// What firmware's accesses become: a word on the bus, in the instant of the handler.
  std::uint32_t read(std::uint32_t address);
  void write(std::uint32_t address, std::uint32_t value);

 protected:
  HandlerProcessor(sc_core::sc_module_name name, const ControllerParams& controller, const FirmwareParams& firmware,
                   const InterruptController& interrupts, const BlockContext& context);

  /// Calls into firmware, to its end: fw_isr with `cause`, or what HandlerObserver's causes say. All in this instant.
  virtual void call_firmware(unsigned cause) = 0;
  /// The call under way has a mistake. The first one counts, and no more firmware runs.
  /// @param what  "a write at 0x00000000, a null pointer"
  /// @param place  function, file and line; empty: unknown
  void mistaken(std::string_view what, const std::string& place);
  /// Where firmware is in the call under way: function, file and line; empty: unknown.
  virtual std::string place() const = 0;
  /// The call under way ends as soon as it can be left.
  virtual void leave_call() = 0;
  /// Where firmware met an impossible state, by its own account: source file and function. Empty: unknown.
  struct Stop {
    std::string file, function;
  };
  virtual Stop stopped_in() const = 0;
  /// How far behind its instant the register access under way is drawn, or the end of all; `order` is its number in
  /// that instant.
  virtual Ps drawn_at(Ps order) const { return order; }

  /// Where a call whose instructions take time stands next.
  struct Ahead {
    Ps time;    ///< from now on, until then
    bool ends;  ///< the call is over then; otherwise it has an access to make
  };
  /// Begins the same call, at its sampling edge. Only with firmware.time = "instructions", as go_on.
  virtual Ahead begin_call(unsigned cause);
  /// Makes the access that the call has come to, and goes on.
  virtual Ahead go_on();
  /// The call has come to an access and is no handler, and firmware lets interrupts come: one may come before the
  /// access. What remains of the call then belongs to the call of the interrupt's handler.
  virtual bool may_be_interrupted() const { return false; }
  /// The call is over at this instant: the last that happens in it.
  virtual void call_is_over() {}
  /// Firmware's memory is as it was before its first reset.
  virtual void forget() = 0;

 private:
  enum class State { off, in_reset, idle, busy };

  void end_of_elaboration() override;
  void start_of_simulation() override;
  void step();
  void sample(Ps edge);
  void run(unsigned cause);
  void handler_begins(unsigned cause);
  void handler_ends();
  // With firmware.time = "instructions".
  void step_in_time();
  void enter(unsigned cause);
  void await(const Ahead& ahead);
  void leave();
  void count_call(Ps time);
  /// True if the bus answered.
  bool access(tlm::tlm_generic_payload& payload, std::uint32_t address);
  [[gnu::noinline]] bool watched_access(tlm::tlm_generic_payload& payload, std::uint32_t address);
  [[gnu::noinline, gnu::cold]] void rule_broken();
  [[gnu::noinline, gnu::cold]] void refused(const tlm::tlm_generic_payload& payload, std::uint32_t address);
  void show_access(const tlm::tlm_generic_payload& payload, std::uint32_t address);

  // What each handler needs stands together: the processors of many drives take turns.
  const InterruptController& interrupts_;
  const ClockEdges edges_;
  const bool in_time_;    ///< firmware's instructions take time
  bool watched_ = false;  ///< accesses are: by the rules, or drawn
  State state_ = State::in_reset;
  bool running_ = false;  ///< inside firmware
  bool halted_ = false;
  bool call_ends_ = false;  ///< at the next step, if the call takes time
  unsigned running_cause_ = 0;
  unsigned cause_ = 0;   ///< of the handler that the processor is busy with
  Ps sampled_at_ = 0;    ///< clock edge at which `cause_` was or will be sampled; of a call that takes time: its begin
  Ps worked_until_ = 0;  ///< see last_at_work
  std::uint64_t handlers_run_ = 0;
  std::vector<HandlerTime> times_;  ///< of calls that take time
  SocBus* soc_bus_ = nullptr;       ///< what `bus` is bound to, if it is that: looked up once
  tlm::tlm_blocking_transport_if<>* bus_interface_ = nullptr;  ///< what `bus` is bound to: looked up once
  ComponentState busy_;
  HandlerObserver* observer_ = nullptr;
  std::unique_ptr<FirmwareRules> rules_;  ///< if they are looked at
  TextProbe handler_probe_;
  TextProbe access_probe_;
  sc_core::sc_event step_;
  Behind order_{Behind::kFirmware};
  bool hung_ = false, stepped_ = false;  // stepped: it would have come to its next step meanwhile
  std::array<Ps, 32> handler_time_{};

  const Ps reset_time_;
  std::uint64_t bus_errors_ = 0;
  std::string mistake_;
  Ps shown_accesses_ = 0;  ///< of the instant shown_at_
  Ps shown_at_ = -1;
  std::string shown_access_;
  std::unordered_map<std::uint32_t, std::string> shown_names_;  ///< by address
};

}  // namespace armature::controller
