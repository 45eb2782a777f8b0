#pragma once

#include "armature/core/register_bank.h"
#include "armature/firmware/fw_abi.h"

#include <systemc>

namespace armature::controller {

/// Non-volatile memory with what the factory wrote. Registers: rtl/regs/nvm.rdl.
///
/// Bound so: `bus.map(regs::soc::kNvmBase, 0x2000).bind(nvm.regs);`
class FactoryMemory : public sc_core::sc_module {
 public:
  RegisterSocket regs{"regs"};

  FactoryMemory(sc_core::sc_module_name name, const fw_factory& record);

 private:
  RegisterBank bank_;
};

}  // namespace armature::controller
