#include "armature/controller/native_processor.h"

#include "armature/controller/native_guard.h"
#include "guarded_memory.h"

namespace armature::controller {

NativeProcessor::NativeProcessor(sc_core::sc_module_name name, const ControllerParams& controller,
                                 const FirmwareParams& firmware, const InterruptController& interrupts,
                                 const BlockContext& context)
    : HandlerProcessor(name, controller, firmware, interrupts, context),
      memory_(std::make_unique<GuardedMemory>(fw_context_bytes())),
      firmware_(static_cast<fw_context*>(memory_->data())) {
  forget();
}

NativeProcessor::~NativeProcessor() = default;

void NativeProcessor::forget() {
  memory_->clear();
  static_cast<fw_context_base*>(memory_->data())->platform = static_cast<HandlerProcessor*>(this);
}

void NativeProcessor::call_firmware(unsigned cause) {
  const std::string end = NativeCall::make(firmware_, cause);
  if (!end.empty()) mistaken("firmware's mistake: " + end, native_place());
}

std::string NativeProcessor::place() const {
  return native_place();
}

void NativeProcessor::leave_call() {
  NativeCall::leave_soon();
}

HandlerProcessor::Stop NativeProcessor::stopped_in() const {
  const auto* const base = static_cast<const fw_context_base*>(memory_->data());
  const auto text = [](const char* name) { return std::string(name ? name : ""); };
  return {text(base->stopped_in), text(base->stopped_function)};
}

}  // namespace armature::controller

using armature::controller::NativeCall;

// What firmware calls.
extern "C" std::uint32_t mmio_read32(fw_context* ctx, std::uint32_t address) {
  NativeCall::access_begins(ctx);
  void* const platform = reinterpret_cast<fw_context_base*>(ctx)->platform;
  const std::uint32_t word = static_cast<armature::controller::HandlerProcessor*>(platform)->read(address);
  NativeCall::access_ends();
  return word;
}

extern "C" void mmio_write32(fw_context* ctx, std::uint32_t address, std::uint32_t value) {
  NativeCall::access_begins(ctx);
  void* const platform = reinterpret_cast<fw_context_base*>(ctx)->platform;
  static_cast<armature::controller::HandlerProcessor*>(platform)->write(address, value);
  NativeCall::access_ends();
}
