#pragma once

#include "armature/controller/buffer_activity.h"
#include "armature/controller/buffer_bandwidth.h"
#include "armature/controller/controller_params.h"
#include "armature/controller/segment_table.h"
#include "armature/core/block_address.h"
#include "armature/core/block_context.h"
#include "armature/core/interrupt.h"
#include "armature/core/register_bank.h"
#include "armature/core/zeroed_memory.h"

#include <tlm_utils/simple_target_socket.h>
#include <systemc>

#include <cstdint>
#include <optional>

namespace armature::controller {

/// The drive's buffer RAM and the block that describes it. Registers: rtl/regs/buf.rdl; the RAM is a window of its own.
///
/// Bound so: `bus.map(regs::soc::kBufBase, 0x1000).bind(buffer.regs); bus.map(regs::soc::kRamBase,
/// buffer.window()).bind(buffer.ram);` The host interface's DMA and the channels have ports of their own: `data()`. The
/// host interface looks up reads in the segment table: `look_up`.
class BufferMemory : public sc_core::sc_module {
 public:
  RegisterSocket regs{"regs"};
  tlm_utils::simple_target_socket<BufferMemory> ram{"ram"};
  InterruptLine irq;  ///< level: any enabled bit of intstat

  BufferMemory(sc_core::sc_module_name name, const BufferParams& params, const BlockContext& context = {});

  std::uint32_t bytes() const { return static_cast<std::uint32_t>(bytes_.size()); }
  /// Bytes rounded up to the bus's pages of 4 KiB.
  std::uint32_t window() const { return (bytes() + 0xFFF) & ~0xFFFu; }
  std::uint8_t* data() { return bytes_.data(); }
  const std::uint8_t* data() const { return bytes_.data(); }

  BufferBandwidth& bandwidth() { return bandwidth_; }
  BufferActivity& activity() { return activity_; }

  /// Firmware wants reads with this tag to be looked up.
  bool looks_up(std::uint32_t tag) const { return looks_up_ && tag <= last_tag_; }
  /// SegmentTable::take; nothing if look-up is off.
  std::optional<SegmentTable::Hit> look_up(Lbn lbn, std::uint32_t sectors);
  std::uint32_t hits() const { return table_.hits(); }
  /// The transfer of a hit has ended, or will not happen.
  void release(std::uint32_t segment, Lbn lbn);
  /// What the RAM and the segment table hold is lost: the RAM reads as zeros.
  void power_off();

 private:
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& transaction);
  void describe();
  std::uint32_t selected();
  void commit(std::uint32_t word);
  void update_irq();

  const std::uint32_t layout_, lines_;  ///< as in the registers
  RegisterBank bank_;
  ZeroedMemory bytes_;
  SegmentTable table_;
  BufferBandwidth bandwidth_;
  BufferActivity activity_;
  bool looks_up_ = false;
  std::uint32_t last_tag_ = 0;
};

}  // namespace armature::controller
