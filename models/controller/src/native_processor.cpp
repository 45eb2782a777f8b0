#include "armature/controller/native_processor.h"

namespace armature::controller {

NativeProcessor::NativeProcessor(sc_core::sc_module_name name, const ControllerParams& controller,
                                 const FirmwareParams& firmware, const InterruptController& interrupts,
                                 const BlockContext& context)
    : HandlerProcessor(name, controller, firmware, interrupts, context),
      memory_(std::make_unique<std::uint64_t[]>(fw_context_bytes() / sizeof(std::uint64_t) + 1)),
      firmware_(reinterpret_cast<fw_context*>(memory_.get())) {
  reinterpret_cast<fw_context_base*>(memory_.get())->platform = static_cast<HandlerProcessor*>(this);
}

void NativeProcessor::call_firmware(unsigned cause) {
  switch (cause) {
    case HandlerObserver::kReset:
      return fw_reset(firmware_);
    case HandlerObserver::kIdle:
      return fw_idle(firmware_);
    default:
      return fw_isr(firmware_, cause);
  }
}

std::string NativeProcessor::stopped_in() const {
  const char* const file = reinterpret_cast<const fw_context_base*>(memory_.get())->stopped_in;
  return file ? file : "";
}

}  // namespace armature::controller

// What firmware calls.
extern "C" std::uint32_t mmio_read32(fw_context* ctx, std::uint32_t address) {
  auto* const base = reinterpret_cast<fw_context_base*>(ctx);
  return static_cast<armature::controller::HandlerProcessor*>(base->platform)->read(address);
}

extern "C" void mmio_write32(fw_context* ctx, std::uint32_t address, std::uint32_t value) {
  auto* const base = reinterpret_cast<fw_context_base*>(ctx);
  static_cast<armature::controller::HandlerProcessor*>(base->platform)->write(address, value);
}
