#include "armature/controller/iss_processor.h"

namespace armature::controller {

IssProcessor::IssProcessor(sc_core::sc_module_name name, const ControllerParams& controller,
                           const FirmwareParams& firmware, const InterruptController& interrupts,
                           const BlockContext& context, const std::shared_ptr<const iss::Image>& image)
    : HandlerProcessor(name, controller, firmware, interrupts, context),
      machine_(iss::Machine::make(image, *this)),
      period_(controller.cpu_period()) {
  if (firmware.time != FirmwareParams::instructions) return;
  machine_->stop_at_accesses(true);
  machine_->count_cycles(firmware.core.costs);
}

iss::Machine::Outcome IssProcessor::enter_firmware(unsigned cause) {
  switch (cause) {
    case HandlerObserver::kReset:
      return machine_->reset();
    case HandlerObserver::kIdle:
      return machine_->idle();
    default:
      return machine_->interrupt(cause);
  }
}

void IssProcessor::call_firmware(unsigned cause) {
  call_ends_by_itself();  // with Machine::kMostInstructions
  enter_firmware(cause);
  call_is_over();
}

HandlerProcessor::Ahead IssProcessor::ahead(iss::Machine::Outcome outcome) {
  const std::uint64_t cycles = machine_->cycles() - cycles_;
  cycles_ += cycles;
  return {static_cast<Ps>(cycles) * period_, outcome != iss::Machine::Outcome::at_access};
}

void IssProcessor::call_is_over() {
  if (!machine_->mistake()) return;
  fault_ = machine_->fault() + ", " + where();
  halt();
}

}  // namespace armature::controller
