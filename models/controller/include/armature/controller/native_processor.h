#pragma once

#include "armature/controller/handler_processor.h"
#include "armature/firmware/fw_abi.h"

#include <systemc>

#include <cstdint>
#include <memory>
#include <string>

namespace armature::controller {

class GuardedMemory;

/// Runs the firmware's C code natively, as a part of this program.
class NativeProcessor final : public HandlerProcessor {
 public:
  NativeProcessor(sc_core::sc_module_name name, const ControllerParams& controller, const FirmwareParams& firmware,
                  const InterruptController& interrupts, const BlockContext& context);
  ~NativeProcessor() override;

  fw_context* context() { return firmware_; }  ///< for debuggers

 private:
  void call_firmware(unsigned cause) override;
  std::string place() const override;
  void leave_call() override;
  Stop stopped_in() const override;
  void forget() override;

  const std::unique_ptr<GuardedMemory> memory_;
  fw_context* const firmware_;
};

}  // namespace armature::controller
