// MEMS stores.
#ifndef ARMATURE_FIRMWARE_CORE_MEMS_H
#define ARMATURE_FIRMWARE_CORE_MEMS_H

#include "core/hardware.h"

// Where the blocks of a MEMS store lie (engine/store.c).
struct fw_store {
  bool known;  // the drive is one
  uint32_t cells, tracks, rows, cylinders;
  uint32_t shared, reach;  // as in the factory record
  bool serpentine;
  bool rides;  // as FW_STORE_RIDES
};

// Why one pass cannot serve the blocks of a list.
enum fw_obstacle {
  FW_OBSTACLE_NONE,
  FW_OBSTACLE_BEYOND,     // the store has no such block
  FW_OBSTACLE_ELSEWHERE,  // not under the tips when those of the first one are
  FW_OBSTACLE_CONFLICT,   // its tips, or tips that share a part with them, are those of an earlier one
  FW_OBSTACLE_TOO_MANY,
};

// The blocks that the host has named last, which one pass serves.
struct fw_batch {
  uint64_t lba[FW_MAX_BATCH];
  uint32_t count;    // 0: there are none
  uint16_t segment;  // that holds what was read of them, FW_NO_SEGMENT
  uint8_t obstacle;  // enum fw_obstacle: of the last list
  uint32_t at;       // the entry that it is about, and the earlier one that it excludes
  uint32_t earlier;
};

// engine/store.c owns the layout, jobs/batch.c the batch, jobs/rides.c the rides.
struct fw_mems {
  struct fw_store store;
  uint32_t ridden;                    // reads that were served with another one
  uint32_t rides[FW_MAX_TAGS / 32u];  // slots that the pass of the grant in this handler can serve too, a bit each
  struct fw_batch batch;
};

#endif
