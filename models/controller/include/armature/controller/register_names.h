#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace armature::controller {

/// The register at an address of the processor's bus as people call it: "hif.dma_go", "aau.slot_commit[3]", "chn2.lba",
/// "ram+0x1200"; the address itself where there is none.
std::string register_name(std::uint32_t address);

struct NamedRegister {
  std::string name;  ///< within its block: "dma_go", "slot_commit[3]"
  std::uint32_t address;
  std::uint32_t reset;  ///< value after reset
};

/// All registers of a block, "hif" or "srv0", by address; empty if no block has the name.
std::vector<NamedRegister> registers_of(std::string_view block);
/// "hif", "aau", "srv0", ...: those that a drive can have.
std::vector<std::string> block_names();

}  // namespace armature::controller
