// Failed sectors, arms and heads.
#ifndef ARMATURE_FIRMWARE_CORE_DEFECTS_H
#define ARMATURE_FIRMWARE_CORE_DEFECTS_H

#include "core/hardware.h"

// Sectors that could not be read or written.
// Changed by: engine/events.c, engine/pending.c, engine/saves.c, jobs/check.c, jobs/lost.c.
struct fw_defects {
  uint32_t pending_count;
  uint32_t reallocated;   // sectors
  uint32_t lost_sectors;  // acknowledged, but could not be written
  uint64_t lost_lba;      // the first one not yet reported by a flush
  bool lost;              // some have not been reported
  bool spares_out;        // a sector found no spare
  uint32_t reads_counted[3];
  uint32_t reads_seen[FW_MAX_CHANNELS][3];  // of each channel's counters: failed, recovered, unreadable
  uint64_t pending[FW_MAX_PENDING];         // first sectors of physical sectors that could not be read
};

// Arms and heads.
// Changed by: engine/failures.c, engine/prediction.c, commands/lost_reach.c, engine/refused.c.
struct fw_failures {
  uint32_t arms;
  uint32_t heads;
  bool reach_lost;    // some tracks are out of reach of all arms
  uint32_t refusals;  // accesses refused by channels in a row
};

#endif
