// Overheads: delays of commands and data.
#ifndef ARMATURE_FIRMWARE_CORE_OVERHEADS_H
#define ARMATURE_FIRMWARE_CORE_OVERHEADS_H

#include "core/request.h"

// Changed by: jobs/arrivals.c, commands/delay.c.
struct fw_overheads {
  bool known;                             // the drive has any
  uint32_t start_us[FW_START_OVERHEADS];  // as in the factory record
  uint32_t hit_track_sector_ns;           // as in the factory record
  uint32_t complete_us[2];                // read, write
  uint32_t write_data_us;                 // as in the factory record
  uint32_t write_last_data_us;
  uint32_t end_read_ahead_us;
  uint32_t prepare_us;     // from the grant until the arm starts
  uint64_t last_start;     // latest time at which a command is due to start after its overhead
  uint64_t wrote_to;       // where the previous write ends
  bool wrote_last;         // the previous media command was a write
  uint16_t first_delayed;  // tag whose overhead ends first, or FW_NO_TAG
  uint32_t first_arrival;
  uint32_t arrivals;
  uint64_t last_due;
  struct fw_arrival arrival[FW_MAX_TRANSFERS];  // a ring
};

#endif
