#pragma once

#include "armature/controller/buffer_memory.h"
#include "armature/controller/controller_params.h"
#include "armature/controller/debug_port.h"
#include "armature/controller/host_interface.h"
#include "armature/controller/interrupt_controller.h"
#include "armature/controller/non_volatile_memory.h"
#include "armature/controller/power_unit.h"
#include "armature/controller/processor.h"
#include "armature/controller/soc_bus.h"
#include "armature/controller/timer.h"
#include "armature/core/block_context.h"
#include "armature/core/register_bank.h"
#include "armature/firmware/fw_abi.h"

#include <systemc>
#include <tlm>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace armature::iss {
class Image;
}

namespace armature::controller {

class BootLoader;
class IssProcessor;

/// The controller chip: the processor with its firmware, the bus, and the blocks that are the same whatever the medium.
/// Addresses and interrupt lines: rtl/regs/soc.rdl. What moves and holds the data maps its own blocks:
///
///   soc.map(regs::soc::kAauBase, regs::soc::kAauBytes, aau.regs);
///   aau.irq.bind(soc.irq, FW_IRQ_AAU);
class Soc : public sc_core::sc_module {
 public:
  /// What the chip is made of, and what was written into it when it was made.
  struct Params {
    ControllerParams controller;
    FirmwareParams firmware;
    BufferParams buffer;
    fw_factory record;
    NvmParams nvm = {};
  };
  /// Something between processor and bus that sees every access.
  struct BusTap {
    tlm::tlm_target_socket<>& from_cpu;
    tlm::tlm_initiator_socket<>& to_bus;
  };

  Soc(sc_core::sc_module_name name, const Params& params, const BlockContext& context,
      const std::optional<BusTap>& tap = std::nullopt);
  ~Soc() override;

  /// Puts a block's registers at [base, base + bytes), both multiples of 4 KiB. Before the simulation.
  void map(std::uint32_t base, std::uint32_t bytes, RegisterSocket& regs);

  /// The supply fails: the processor stops, and registers and RAM lose what they hold. `nvm` stays.
  void power_off();
  /// The supply is there: firmware starts from its reset.
  void power_on();
  /// The core starts anew with the newest image of firmware. Blocks are as after power-on, but for the host interface,
  /// whose link stays.
  void restart();
  /// Firmware has ordered a restart: whoever has the mechanism calls restart().
  std::function<void()> on_restart;
  bool powered() const { return pmu.powered(); }

 private:
  const std::shared_ptr<const iss::Image> factory_;  ///< what the core runs when it is new; null: native firmware

 public:
  SocBus bus{"bus"};
  BufferMemory ram;
  HostInterface hif;
  InterruptController irq;
  const std::unique_ptr<Processor> cpu;
  Timer tmr{"tmr"};
  DebugPort dbg;
  NonVolatileMemory nvm;
  PowerUnit pmu;

 private:
  void start_core(bool restarted);

  IssProcessor* const core_;  ///< `cpu`, if its firmware is an ELF
  std::unique_ptr<BootLoader> loader_;
};

}  // namespace armature::controller
