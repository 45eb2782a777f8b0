#include "armature/controller/iss_processor.h"

namespace armature::controller {

IssProcessor::IssProcessor(sc_core::sc_module_name name, const ControllerParams& controller,
                           const FirmwareParams& firmware, const InterruptController& interrupts,
                           const BlockContext& context, const std::shared_ptr<const iss::Image>& image)
    : HandlerProcessor(name, controller, firmware, interrupts, context), machine_(iss::Machine::make(image, *this)) {}

void IssProcessor::call_firmware(unsigned cause) {
  switch (cause) {
    case HandlerObserver::kReset:
      machine_->reset();
      break;
    case HandlerObserver::kIdle:
      machine_->idle();
      break;
    default:
      machine_->interrupt(cause);
      break;
  }
  if (!machine_->fault().empty()) mistaken("firmware's mistake: " + machine_->fault(), {});
}

}  // namespace armature::controller
