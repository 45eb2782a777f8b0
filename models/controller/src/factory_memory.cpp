#include "armature/controller/factory_memory.h"

#include "armature/regs/nvm.h"

#include <cstring>

namespace armature::controller {

namespace nvm = regs::nvm;

FactoryMemory::FactoryMemory(sc_core::sc_module_name name, const fw_factory& record)
    : sc_module(name), bank_(nvm::kTable) {
  static_assert(sizeof record % 4 == 0 && sizeof record / 4 <= nvm::kWordCount);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&record);
  for (std::uint32_t offset = 0; offset < sizeof record; offset += 4)
    std::memcpy(&bank_[nvm::kWord + offset], bytes + offset, 4);
  regs.bind(bank_);
}

}  // namespace armature::controller
