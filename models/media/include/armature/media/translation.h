#pragma once

#include "armature/core/register_bank.h"

#include <systemc>

#include <cstdint>
#include <optional>

namespace armature::media {

/// Where a medium's logical blocks lie, in the units of firmware: what a translation block asks.
class BlockLayout {
 public:
  struct Place {
    std::uint32_t cylinder = 0;
    std::uint32_t head = 0;
    std::uint32_t angle = 0;  ///< xlt.place.angle: 0 to 65,535
    std::uint32_t run = 0;    ///< blocks to the end of the track, this one counted
  };
  virtual std::uint64_t blocks() const = 0;
  virtual Place locate_block(std::uint64_t lbn) const = 0;  ///< requires lbn < blocks()
  /// Blocks of the same track that lie just before this one and follow in place. Requires lbn < blocks().
  virtual std::uint32_t blocks_before(std::uint64_t lbn) const = 0;
  /// Sectors that pass in a turn of the track where the block lies, spares and defects included. Requires lbn <
  /// blocks().
  virtual std::uint32_t track_sectors(std::uint64_t lbn) const = 0;
  /// Moves the block, with all of its physical sector, to a spare. False: there is none. Requires lbn < blocks().
  /// An access to it may be under way, as no block checks that: it keeps its times, a read fails and a write's data go
  /// into the spare.
  virtual bool move_to_spare(std::uint64_t /*lbn*/) { return false; }

 protected:
  ~BlockLayout() = default;
};

/// Translation of logical blocks to places on the media, on the drive's bus; one for all channels. Registers:
/// rtl/regs/xlt.rdl. It answers in no time.
class Translation : public sc_core::sc_module {
 public:
  RegisterSocket regs{"regs"};

  /// `layout` must outlive it.
  Translation(sc_core::sc_module_name name, BlockLayout& layout);

  /// Registers are as after a reset. Blocks that have been moved stay moved: the list of them is on the medium.
  void power_off();

  /// The block translated last that exists; at first block 0.
  std::uint64_t last() const { return last_; }

 private:
  /// The block that the registers name; nothing if it does not exist.
  std::optional<std::uint64_t> named();
  void translate();
  void move(std::uint32_t word);

  BlockLayout& layout_;
  RegisterBank bank_;
  std::uint64_t last_ = 0;
};

}  // namespace armature::media
