#pragma once

#include "armature/core/block_context.h"
#include "armature/core/interrupt.h"
#include "armature/core/register_bank.h"

#include <systemc>

#include <optional>
#include <vector>

namespace armature::controller {

/// The processor's end of the interrupt controller.
class InterruptTarget {
 public:
  /// The set of pending and enabled lines may have changed.
  virtual void interrupts_changed() = 0;

 protected:
  ~InterruptTarget() = default;
};

/// Up to 32 level-sensitive lines, the lowest number first (numbers: enum fw_irq). Registers: rtl/regs/irq.rdl.
///
/// Bound so: `hif.irq_read.bind(irq, FW_IRQ_HIF_READ); irq.bind(processor);`
class InterruptController : public sc_core::sc_module, public InterruptSink {
 public:
  RegisterSocket regs{"regs"};

  InterruptController(sc_core::sc_module_name name, const BlockContext& context);

  void bind(InterruptTarget& target) { target_ = &target; }
  void set_level(unsigned line, bool level) override;
  /// No line is enabled any more. The levels are those of the blocks.
  void power_off();

  /// The pending, enabled line with the lowest number.
  std::optional<unsigned> claim() const {
    const std::uint32_t lines = pending_ & enable_;
    if (lines == 0) return std::nullopt;
    return static_cast<unsigned>(__builtin_ctz(lines));
  }

 private:
  void tell_target();

  std::uint32_t pending_ = 0;
  std::uint32_t enable_ = 0;  ///< as in the register
  InterruptTarget* target_ = nullptr;
  bool traced_ = false;                ///< a line is
  std::vector<BitProbe> line_probes_;  ///< one a line of enum fw_irq
  RegisterBank bank_;
};

}  // namespace armature::controller
