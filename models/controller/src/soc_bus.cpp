#include "armature/controller/soc_bus.h"

#include <cstdlib>
#include <string>

namespace armature::controller {

SocBus::SocBus(sc_core::sc_module_name name) : sc_module(name) {
  regions_.reserve(kMostBlocks);
  // Now, because a socket belongs to the module that is being constructed when it is.
  for (std::size_t i = 0; i < kMostBlocks; ++i)
    sockets_.push_back(std::make_unique<BlockSocket>(("block" + std::to_string(i)).c_str()));
  cpu.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
}

SocBus::BlockSocket& SocBus::map(std::uint32_t base, std::uint32_t bytes) {
  const std::uint64_t end = std::uint64_t{base} + bytes;
  const bool aligned = base % (1u << kPageBits) == 0 && bytes % (1u << kPageBits) == 0 && bytes > 0;
  bool overlaps = false;
  for (const Region& region : regions_)
    overlaps = overlaps || (base < std::uint64_t{region.base} + region.bytes && region.base < end);
  if (!aligned || overlaps || end > std::uint64_t{1} << 32 || regions_.size() == kMostBlocks) {
    SC_REPORT_FATAL("soc_bus",
                    "a block is mapped off a page, over another one, beyond the address space, or one too many");
    std::abort();
  }
  BlockSocket& socket = *sockets_[regions_.size()];
  regions_.push_back({base, bytes, nullptr});
  for (std::uint64_t address = base; address < end; address += 1u << kPageBits) {
    const std::uint64_t page = (address - kDeviceBase) >> kPageBits;
    if (page < kDevicePages) device_pages_[page] = static_cast<std::uint8_t>(regions_.size());
  }
  return socket;
}

void SocBus::end_of_elaboration() {
  for (std::size_t i = 0; i < regions_.size(); ++i) regions_[i].block = sockets_[i]->operator->();
  for (std::size_t page = 0; page < kDevicePages; ++page) {
    if (device_pages_[page] == 0) continue;
    const Region& region = regions_[device_pages_[page] - 1];
    registers_[page] = {dynamic_cast<RegisterBank*>(region.block), region.base};
  }
}

SocBus::Region* SocBus::find_beyond_devices(std::uint64_t address) {
  for (Region& region : regions_)
    if (address - region.base < region.bytes) return &region;
  return nullptr;
}

void SocBus::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  Region* const region = find(transaction.get_address());
  if (!region) {
    transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  transaction.set_address(transaction.get_address() - region->base);
  region->block->b_transport(transaction, delay);
}

tlm::tlm_sync_enum SocBus::nb_transport_fw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase&, sc_core::sc_time&) {
  transaction.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
  return tlm::TLM_COMPLETED;
}

unsigned SocBus::transport_dbg(tlm::tlm_generic_payload& transaction) {
  Region* const region = find(transaction.get_address());
  if (!region) return 0;
  transaction.set_address(transaction.get_address() - region->base);
  return (*sockets_[static_cast<std::size_t>(region - regions_.data())])->transport_dbg(transaction);
}

}  // namespace armature::controller
