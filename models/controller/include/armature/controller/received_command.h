#pragma once

#include "armature/core/block_address.h"
#include "armature/core/time.h"
#include "armature/sata/fis.h"
#include "armature/sata/frame.h"

#include <array>
#include <cstdint>

namespace armature::controller {

/// A command of the host's as the host interface keeps it.
struct ReceivedCommand {
  enum class Class : std::uint8_t { read, write, other };

  HostLba lba;
  std::uint32_t tag;
  std::uint32_t sectors;
  std::uint32_t link_sectors;  ///< of the medium, that move over the link; a verify moves none
  std::uint16_t features;
  std::uint16_t count;
  std::uint8_t code;
  std::uint8_t device;
  std::uint8_t limit;  ///< of its duration, an index; 0: none
  Class kind;
  bool queued;
  bool halted;
  bool fua;
  bool looked_up;  ///< a read that the segment table may answer
  bool accounted;  ///< a host request: published to the request observer
  bool broken;     ///< a hit that the host broke off
  Ps unpublished;  ///< when it arrived, if the observer has not been told; otherwise -1

  // Registers that show it to firmware.
  std::uint32_t cmd() const;
  std::uint32_t lba_high() const;
  bool reads_error_log() const;
};

/// Decodes the registers; `halted`, `broken` and `unpublished` are 0.
ReceivedCommand received(const sata::RegisterH2D& registers);

/// The last commands as they came, for the error logs.
class CommandLog {
 public:
  void add(const sata::Frame& frame, Ps at) { past_[count_++ % past_.size()] = {frame.dwords, at}; }
  /// Register hif.past.
  std::uint32_t word(unsigned word) const;

 private:
  struct Past {
    std::array<std::uint32_t, 7> dwords;
    Ps at;
  };
  std::array<Past, 5> past_{};
  std::uint64_t count_ = 0;
};

}  // namespace armature::controller
