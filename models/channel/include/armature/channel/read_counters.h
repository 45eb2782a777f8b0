#pragma once

#include "armature/channel/channel_params.h"

#include <array>
#include <cstdint>

namespace armature::channel {

/// Reads since power-on, of the accesses that are over; the registers hold them modulo 2^32.
struct ReadCounters {
  std::uint64_t reads = 0;                                     ///< of physical sectors, retries counted
  std::uint64_t failed = 0;                                    ///< of these
  std::uint64_t recovered = 0;                                 ///< physical sectors that a retry has read
  std::uint64_t unreadable = 0;                                ///< physical sectors that were given up
  std::uint64_t iterations = 0;                                ///< of the decoder
  std::uint64_t corrected_bits = 0;                            ///< raw errors of reads that succeeded, as planned
  std::array<std::uint64_t, ChannelParams::kSteps> retries{};  ///< with each step of the ladder

  ReadCounters& operator+=(const ReadCounters& other);
};

}  // namespace armature::channel
