#pragma once

#include "armature/channel/read_counters.h"
#include "armature/channel/retry_ladder.h"
#include "armature/core/register_bank.h"
#include "armature/core/time.h"

namespace armature::channel {

// Registers `ladder_ctrl` to `retry_count` of a channel (rtl/regs/chn.rdl), in which a MEMS store's tip array has the
// same layout.

RetryLadder ladder_in(RegisterBank& bank);
/// No retry begins later than this time after the first failed read, ps; 0: no limit.
Ps retry_limit_in(RegisterBank& bank);
/// @param again  sectors have been read again or given up: intstat.retried
/// @param before  what had been counted at power-on
void show_reads(const ReadCounters& counters, const ReadCounters& before, bool again, RegisterBank& bank);

}  // namespace armature::channel
