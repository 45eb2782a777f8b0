#include "armature/controller/interrupt_controller.h"

#include "armature/firmware/fw_abi.h"
#include "armature/regs/interrupts.h"
#include "armature/regs/irq.h"

#include <string>

namespace armature::controller {
namespace {

namespace irq = regs::irq;

std::string line_name(unsigned line) {
  const regs::Interrupt& interrupt = *regs::interrupt_of(line);
  return interrupt.count > 1 ? interrupt.source + std::to_string(line - interrupt.first) : interrupt.source;
}

}  // namespace

InterruptController::InterruptController(sc_core::sc_module_name name, const BlockContext& context)
    : sc_module(name), traced_(context.probes != nullptr), line_probes_(FW_IRQ_COUNT), bank_(irq::kTable) {
  enable_ = bank_[irq::kEnable];
  // clang-format off
  bank_.on_read (irq::kPending, [this] { return pending_; });
  bank_.on_write(irq::kEnable,  [this](std::uint32_t) {
    enable_ = bank_[irq::kEnable];
    tell_target();
  });
  bank_.on_read (irq::kClaim,   [this] {
    const std::optional<unsigned> line = claim();
    return line ? irq::claim::Valid::kMask | *line : 0;
  });
  // clang-format on
  regs.bind(bank_);
  for (unsigned line = 0; line < FW_IRQ_COUNT; ++line)
    line_probes_[line].declare(context.probes, std::string(this->name()) + "." + line_name(line),
                               "level of this interrupt line");
}

void InterruptController::set_level(unsigned line, bool level) {
  if (line >= 32) {
    SC_REPORT_FATAL("interrupt_controller", "a block is bound to a line above 31");
    return;
  }
  const std::uint32_t bit = 1u << line;
  pending_ = level ? pending_ | bit : pending_ & ~bit;
  if (traced_ && line < FW_IRQ_COUNT) line_probes_[line].set(level);
  tell_target();
}

void InterruptController::power_off() {
  bank_.reset();
  enable_ = bank_[irq::kEnable];
}

void InterruptController::tell_target() {
  if (target_) target_->interrupts_changed();
}

}  // namespace armature::controller
