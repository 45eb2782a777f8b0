#pragma once

// Short names of registers, and what several files of the port share.

#include "armature/regs/ahci.h"
#include "armature/sata/ata.h"

#include <cstdint>

namespace armature::ahci {

namespace regs = armature::regs::ahci;
namespace cmd = regs::px_cmd;
namespace ist = regs::px_is;
namespace ser = regs::px_serr;
namespace ata = sata::status;

constexpr std::uint32_t kDword = 4;
constexpr std::uint32_t kDetNothing = 0, kDetReset = 1, kDetReady = 3, kDetOffline = 4;  // PxSCTL.DET, PxSSTS.DET

inline std::uint8_t byte(std::uint32_t dword, unsigned index) {
  return static_cast<std::uint8_t>(dword >> 8 * index);
}

}  // namespace armature::ahci
