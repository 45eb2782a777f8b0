#pragma once

#include "armature/core/interrupt_registers.h"
#include "armature/core/kernel_time.h"

#include <systemc>

#include <cstdint>

namespace armature::controller {

/// Free-running microseconds and one shot for time limits. Registers: rtl/regs/tmr.rdl.
///
/// Bound so: `bus.map(regs::soc::kTmrBase, 0x1000).bind(timer.regs); timer.irq.bind(irq, FW_IRQ_TMR);`
class Timer : public sc_core::sc_module {
 public:
  RegisterSocket regs{"regs"};
  InterruptLine irq;  ///< level: expired and enabled

  explicit Timer(sc_core::sc_module_name name);
  void power_off();
  void power_on() { since_ = now(); }

 private:
  std::uint64_t microseconds() const;  ///< since power-on
  void start(std::uint32_t us);
  void expire();

  RegisterBank bank_;
  InterruptRegisters interrupt_;
  Ps since_ = 0;  ///< power-on
  sc_core::sc_event expired_;
};

}  // namespace armature::controller
