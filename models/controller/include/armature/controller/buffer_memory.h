#pragma once

#include "armature/controller/controller_params.h"
#include "armature/core/register_bank.h"

#include <tlm_utils/simple_target_socket.h>
#include <systemc>

#include <cstdint>
#include <vector>

namespace armature::controller {

/// The drive's buffer RAM and the block that describes it. Registers: rtl/regs/buf.rdl; the RAM is a window of its own.
///
/// Bound so: `bus.map(regs::soc::kBufBase, 0x1000).bind(buffer.regs); bus.map(regs::soc::kRamBase,
/// buffer.window()).bind(buffer.ram);` The host interface's DMA and the channels have ports of their own: `data()`.
class BufferMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<RegisterBank> regs{"regs"};
  tlm_utils::simple_target_socket<BufferMemory> ram{"ram"};

  BufferMemory(sc_core::sc_module_name name, const BufferParams& params);

  std::uint32_t bytes() const { return static_cast<std::uint32_t>(bytes_.size()); }
  /// Bytes rounded up to the bus's pages of 4 KiB.
  std::uint32_t window() const { return (bytes() + 0xFFF) & ~0xFFFu; }
  std::uint8_t* data() { return bytes_.data(); }
  const std::uint8_t* data() const { return bytes_.data(); }

 private:
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& transaction);

  RegisterBank bank_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace armature::controller
