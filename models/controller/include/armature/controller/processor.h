#pragma once

#include "armature/controller/handler_time.h"
#include "armature/controller/interrupt_controller.h"
#include "armature/core/time.h"

#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>

#include <cstdint>
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

  virtual void observe_handlers(HandlerObserver* observer) = 0;
  virtual std::uint64_t handlers_run() const = 0;
  /// Accesses that nothing answered.
  virtual std::uint64_t bus_errors() const = 0;
  /// The first of them, in words with its time; empty without one.
  virtual const std::string& first_bus_error() const = 0;
  /// From now on firmware is held to the rules of time (FirmwareRules).
  virtual void check_rules() {}
  /// The first rule that it broke, in words with its time; empty if it broke none, or nobody looks.
  virtual std::string broken_rule() const { return {}; }
  /// Source file in which firmware met an impossible state, empty if it did not or it cannot be told.
  virtual std::string stopped_in() const = 0;
  /// A mistake of firmware's after which it cannot go on, in words with its time: only what runs instructions of its
  /// own finds any. Empty if there is none.
  virtual std::string fault() const { return {}; }
  /// Until when it was in its reset or in a long handler, now if it is, ps. Short ones do not count: of those a drive
  /// that gets nowhere may run any number.
  virtual Ps last_at_work() const = 0;
  /// Of each handler that has run; none if all take what a table says (firmware.time = "table").
  virtual std::vector<HandlerTime> handler_times() const { return {}; }

 protected:
  explicit Processor(sc_core::sc_module_name name) : sc_module(name) {}
};

}  // namespace armature::controller
