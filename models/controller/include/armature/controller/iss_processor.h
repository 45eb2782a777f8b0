#pragma once

#include "armature/controller/handler_processor.h"
#include "armature/core/kernel_time.h"
#include "armature/iss/machine.h"

#include <systemc>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace armature::controller {

class FirmwareLanes;

/// Runs firmware's instructions: an ELF for RV32IMAC on an instruction-set simulator. With firmware.time = "table"
/// handlers are called when the native processor would call them and take what the table says, so the two give the same
/// results with the same firmware. With "instructions" the machine runs from access to access: it is ahead of simulated
/// time by what it computes in its own memory, and each access waits for its instant.
class IssProcessor final : public HandlerProcessor, private iss::WordBus {
 public:
  IssProcessor(sc_core::sc_module_name name, const ControllerParams& controller, const FirmwareParams& firmware,
               const InterruptController& interrupts, const BlockContext& context,
               const std::shared_ptr<const iss::Image>& image);

  iss::Machine& machine() { return *machine_; }  ///< for debuggers
  /// Firmware's next start is with this image. Without power, or between power_off() and power_on().
  void load(const std::shared_ptr<const iss::Image>& image);
  /// Simulated time of the instruction that the machine is at, ps.
  Ps instant() const;
  /// That instant is to come: instructions take time, and the machine waits only before its next access.
  bool is_ahead() const { return instant() > now(); }

  std::optional<StackDepth> stack_depth() const override;

  ~IssProcessor() override;

 private:
  Ps drawn_at(Ps order) const override;
  void call_firmware(unsigned cause) override;
  std::string place() const override { return calls(true); }
  void leave_call() override { leaving_ = true; }
  Stop stopped_in() const override;
  std::uint32_t read(std::uint32_t address) override;
  void write(std::uint32_t address, std::uint32_t word) override;
  /// Firmware's own functions for register accesses, or where no code is: who called says more.
  bool is_nobodys(std::uint32_t address) const;
  /// Where firmware is, and who has called. @param innermost  false: the fault has named that function already
  std::string calls(bool innermost) const;

  Ahead begin_call(unsigned cause) override;
  Ahead go_on() override;
  bool may_be_interrupted() const override { return machine_->interrupts_enabled() && !machine_->in_handler(); }
  void call_is_over() override;
  void forget() override;

  iss::Machine::Outcome enter_firmware(unsigned cause);
  Ahead ahead(iss::Machine::Outcome outcome);

  const std::unique_ptr<iss::Machine> machine_;
  const std::unique_ptr<FirmwareLanes> lanes_;
  bool held_ = false;         ///< the machine waits for the instant of an instruction that is no access
  Ps held_until_ = 0;         ///< that instant
  bool leaving_ = false;      ///< the machine is left at its access, and not called again
  const Ps period_;           ///< of the processor's clock
  std::uint64_t cycles_ = 0;  ///< of the machine's, that have become simulated time
};

}  // namespace armature::controller
