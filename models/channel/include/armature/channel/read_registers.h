#pragma once

#include "armature/channel/channel_params.h"
#include "armature/channel/retry_ladder.h"
#include "armature/core/register_bank.h"
#include "armature/core/time.h"

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
  std::array<std::uint64_t, ChannelParams::kSteps> retries{};  ///< with each step of the ladder

  ReadCounters& operator+=(const ReadCounters& other);
};

// Registers `ladder_ctrl` to `retry_count` of a channel (rtl/regs/chn.rdl), in which a MEMS store's tip array has the
// same layout.

RetryLadder ladder_in(RegisterBank& bank);
/// No retry begins later than this time after the first failed read, ps; 0: no limit.
Ps retry_limit_in(RegisterBank& bank);
/// @param again  sectors have been read again or given up: intstat.retried
void show_reads(const ReadCounters& counters, bool again, RegisterBank& bank);

}  // namespace armature::channel
