#pragma once

#include "armature/core/block_context.h"
#include "armature/core/register_bank.h"

#include <systemc>

namespace armature::controller {

/// The controller's power state, which firmware sets and which it publishes. Registers: rtl/regs/pmu.rdl.
class PowerUnit : public sc_core::sc_module {
 public:
  RegisterSocket regs{"regs"};

  /// `idle_conditions`: firmware knows active idle and low-power idle.
  PowerUnit(sc_core::sc_module_name name, const BlockContext& context, bool idle_conditions = false);

  /// The supply has failed: the controller draws nothing any more.
  void power_off();

 private:
  void start_of_simulation() override;
  void enter(unsigned state);
  void show(unsigned published);

  RegisterBank bank_;
  const std::size_t states_;  ///< that it publishes
  bool powered_ = true;
  ComponentState state_;
  TextProbe state_probe_;
};

}  // namespace armature::controller
