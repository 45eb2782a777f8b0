#pragma once

#include "armature/controller/handler_time.h"
#include "armature/controller/interrupt_controller.h"
#include "armature/controller/stack_depth.h"
#include "armature/core/time.h"

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace armature::controller {

/// Watches the processor's calls into firmware: the bus monitor of the tests.
class HandlerObserver {
 public:
  static constexpr unsigned kReset = 0x100;  ///< `cause` of fw_reset
  static constexpr unsigned kIdle = 0x101;   ///< `cause` of fw_idle

  virtual void handler_begins(unsigned cause) = 0;
  virtual void handler_ends(unsigned cause) = 0;

 protected:
  ~HandlerObserver() = default;
};

/// What runs the drive's firmware: the master of the controller's bus, and where interrupts go.
///
/// Bound so: `processor.bus.bind(bus.cpu); irq.bind(processor);`
class Processor : public sc_core::sc_module, public InterruptTarget {
 public:
  tlm_utils::simple_initiator_socket<Processor> bus{"bus"};

  ~Processor() override = default;

  /// The supply fails: what runs ends here, and memory is lost.
  virtual void power_off() = 0;
  /// Firmware starts from its reset, with the memory that it has then.
  virtual void power_on() = 0;

  virtual void observe_handlers(HandlerObserver* observer) = 0;
  virtual std::uint64_t handlers_run() const = 0;
  /// Accesses that nothing answered.
  virtual std::uint64_t bus_errors() const = 0;
  /// From now on firmware is held to the rules of time (FirmwareRules).
  virtual void check_rules() {}
  /// Firmware has reported an impossible state at a line of its source.
  virtual void impossible_state(std::uint32_t line) = 0;
  /// A block has refused an order that makes no sense: "a completion of tag 5, which holds no command".
  virtual void wrong_order(const std::string& order) = 0;
  /// The first mistake of firmware's, in words with handler, time, function, file and line where they are known. Empty:
  /// there is none. After one, no more firmware runs.
  virtual const std::string& mistake() const = 0;
  /// Called in the instant of the first mistake, from inside of the call into firmware.
  std::function<void()> on_mistake;
  /// It stands still from now on, or goes on: no interrupt is taken, and a handler under way does not end.
  virtual void hang(bool /*hung*/) {}
  /// Until when it was in its reset or in a long handler, now if it is, ps. Short ones do not count: of those a drive
  /// that gets nowhere may run any number.
  virtual Ps last_at_work() const = 0;
  /// Of each handler that has run; none if all take what a table says (firmware.time = "table").
  virtual std::vector<HandlerTime> handler_times() const { return {}; }
  /// Nothing: firmware is native, or no instruction has set a stack pointer.
  virtual std::optional<StackDepth> stack_depth() const { return {}; }

 protected:
  explicit Processor(sc_core::sc_module_name name) : sc_module(name) {}
};

}  // namespace armature::controller
