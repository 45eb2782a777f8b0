#pragma once

#include <cstdint>
#include <string>

namespace armature::controller {

/// The register at an address of the processor's bus as people call it: "hif.dma_go", "aau.slot_commit[3]", "chn2.lba",
/// "ram+0x1200"; the address itself where there is none.
std::string register_name(std::uint32_t address);

}  // namespace armature::controller
