#pragma once

#include "armature/controller/handler_processor.h"
#include "armature/iss/machine.h"

#include <systemc>

#include <cstdint>
#include <memory>
#include <string>

namespace armature::controller {

/// Runs firmware's instructions: an ELF for RV32IMAC on an instruction-set simulator. Handlers are called when the
/// native processor would call them and take what the table says, so the two give the same results with the same
/// firmware.
class IssProcessor final : public HandlerProcessor, private iss::WordBus {
 public:
  IssProcessor(sc_core::sc_module_name name, const ControllerParams& controller, const FirmwareParams& firmware,
               const InterruptController& interrupts, const BlockContext& context,
               const std::shared_ptr<const iss::Image>& image);

  iss::Machine& machine() { return *machine_; }  ///< for debuggers

 private:
  void call_firmware(unsigned cause) override;
  std::string place() const override;
  void leave_call() override { leaving_ = true; }
  Stop stopped_in() const override;
  std::uint32_t read(std::uint32_t address) override;
  void write(std::uint32_t address, std::uint32_t word) override;
  /// Firmware's own functions for register accesses, or where no code is: who called says more.
  bool in_nobodys_code() const;

  const std::unique_ptr<iss::Machine> machine_;
  bool leaving_ = false;  ///< the machine is left at its access, and not called again
};

}  // namespace armature::controller
