#pragma once

#include "armature/controller/buffer_activity.h"
#include "armature/controller/buffer_bandwidth.h"
#include "armature/controller/controller_params.h"
#include "armature/controller/segment_table.h"
#include "armature/core/block_address.h"
#include "armature/core/block_context.h"
#include "armature/core/fault_heard.h"
#include "armature/core/interrupt_registers.h"
#include "armature/core/zeroed_memory.h"

#include <tlm_utils/simple_target_socket.h>
#include <systemc>

#include <cstdint>
#include <optional>
#include <vector>

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

  /// Bits of one byte change: `bits` of them, from a place that `random` draws. address: -1: in the data that are
  /// written to the RAM next. `fault`: number of the fault.
  void upset(std::int64_t address, unsigned bits, std::uint64_t random, unsigned fault);
  /// New data stand in these bytes. `tag` of the request that they are for; -1: of none.
  void written(std::uint32_t address, std::uint32_t count, std::int32_t tag) {
    if (upsets_.empty() && awaited_.empty()) return;
    look_at_written(address, count, tag);
  }
  /// These bytes are read by a port other than firmware's. False: parity or ECC tells that they are wrong and cannot be
  /// put right.
  bool sound(std::uint32_t address, std::uint32_t count, std::int32_t tag) {
    return upsets_.empty() || look_at_read(address, count, tag);
  }
  FaultHeard on_fault;
  /// What the protection of the RAM has seen.
  struct Upsets {
    std::uint64_t flipped = 0;    ///< bits
    std::uint64_t corrected = 0;  ///< words
    std::uint64_t detected = 0;   ///< words that could not be put right
    std::uint64_t silent = 0;     ///< words that nobody noticed and somebody read
  };
  const Upsets& upsets() const { return counted_; }

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
  /// Bits of a word of 8 bytes that have changed.
  struct Upset {
    std::uint32_t address;  ///< of the byte
    std::uint8_t mask;
    unsigned fault;
  };
  struct Awaited {
    unsigned bits, fault;
    std::uint64_t random;
  };
  void flip(std::uint32_t address, unsigned bits, std::uint64_t random, unsigned fault, std::int32_t tag);
  void look_at_written(std::uint32_t address, std::uint32_t count, std::int32_t tag);
  bool look_at_read(std::uint32_t address, std::uint32_t count, std::int32_t tag);
  void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& transaction);
  void describe();
  std::uint32_t selected();
  void commit(std::uint32_t word);

  const std::uint32_t layout_, lines_;  ///< as in the registers
  RegisterBank bank_;
  InterruptRegisters interrupt_;
  ZeroedMemory bytes_;
  SegmentTable table_;
  BufferBandwidth bandwidth_;
  BufferActivity activity_;
  bool looks_up_ = false;
  std::uint32_t last_tag_ = 0;
  const BufferParams::Protection protection_;
  std::vector<Upset> upsets_;  ///< that have neither been written over nor corrected
  std::vector<Awaited> awaited_;
  Upsets counted_;
  VectorProbe upset_probe_;
};

}  // namespace armature::controller
