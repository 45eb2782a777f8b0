#include "support/mock_mmio.h"

namespace armature::testing {

MockMmio::MockMmio() : memory_(std::make_unique<std::uint64_t[]>(fw_context_bytes() / sizeof(std::uint64_t) + 1)) {
  reinterpret_cast<fw_context_base*>(memory_.get())->platform = this;
}

}  // namespace armature::testing

extern "C" std::uint32_t mmio_read32(fw_context* ctx, std::uint32_t address) {
  return static_cast<armature::testing::MockMmio*>(reinterpret_cast<fw_context_base*>(ctx)->platform)->read(address);
}

extern "C" void mmio_write32(fw_context* ctx, std::uint32_t address, std::uint32_t value) {
  static_cast<armature::testing::MockMmio*>(reinterpret_cast<fw_context_base*>(ctx)->platform)->write(address, value);
}
