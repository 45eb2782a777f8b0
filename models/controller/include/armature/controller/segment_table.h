#pragma once

#include "armature/core/block_address.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace armature::controller {

/// The disk sectors in the buffer's segments, as entered by firmware, and the ones that are being sent to the host.
/// Hardware answers read hits from it. Registers: rtl/regs/buf.rdl, seg_*.
class SegmentTable {
 public:
  /// `segments` rings of `ring_sectors` sectors of 512 bytes, side by side from address 0 of the RAM.
  SegmentTable(std::uint32_t segments, std::uint32_t ring_sectors);

  /// Where the sectors of a read lie: `first_bytes` from `address` on, the rest, if any, from `wrapped_address` on.
  struct Hit {
    std::uint32_t segment;
    std::uint32_t address;
    std::uint32_t first_bytes;
    std::uint32_t wrapped_address;
  };
  /// The first entry that holds all of [lbn, lbn + sectors). Counts a use of it and pins the sectors.
  std::optional<Hit> take(Lbn lbn, std::uint32_t sectors);
  /// The transfer of a hit at `lbn` has ended, or will not happen.
  void release(std::uint32_t segment, Lbn lbn);

  /// No segment holds anything, as after power-on. Hits stay counted.
  void clear();

  // Firmware's side; a segment that there is not is ignored and reads as 0.
  void commit(std::uint32_t segment, Lbn lbn, std::uint32_t sectors, std::uint32_t place);
  void withdraw(std::uint32_t segment);
  void set_reach(std::uint32_t segment, std::uint32_t lbn);
  void touch(std::uint32_t segment);
  std::uint32_t reach(std::uint32_t segment) const;
  std::uint32_t status(std::uint32_t segment) const;  ///< as buf.seg_status
  std::uint32_t least_pinned(std::uint32_t segment) const;
  std::uint32_t hits() const { return hits_; }

 private:
  struct Entry {
    Lbn lbn = 0;
    std::uint32_t sectors = 0;  ///< 0: withdrawn
    std::uint32_t place = 0;
    std::uint32_t use = 0;
    std::uint32_t reach = 0;
    bool sequential = false;
  };
  struct Pin {
    std::uint32_t segment;
    Lbn lbn = 0;
  };

  const std::uint32_t ring_sectors_;
  std::vector<Entry> entries_;
  std::vector<Pin> pins_;  ///< of all entries, one a transfer
  std::uint32_t uses_ = 0;
  std::uint32_t hits_ = 0;
};

}  // namespace armature::controller
