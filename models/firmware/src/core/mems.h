// MEMS stores.
#ifndef ARMATURE_FIRMWARE_CORE_MEMS_H
#define ARMATURE_FIRMWARE_CORE_MEMS_H

#include "core/hardware.h"

// Where the blocks of a MEMS store lie (engine/store.c).
// Changed by: commands/store_commands.c.
struct fw_store {
  bool known;  // the drive is a MEMS store
  uint32_t cells, tracks, rows, cylinders;
  uint32_t shared, reach, zone, track_us;  // as in the factory record
  bool serpentine;
  bool rides;  // as FW_STORE_RIDES
};

// The order of a batch of requests (engine/tree.c), of each group of arms.
// Changed by: engine/slots.c, engine/tree.c.
struct fw_tree {
  bool on;                                       // as FW_STORE_TREE
  struct fw_seek_point rows[FW_MAX_ROW_POINTS];  // ticks of seeks in Y, by rows
  uint32_t row_points;
  uint32_t turn;                              // ticks of a turnaround in Y
  uint32_t came;                              // requests so far
  uint32_t x[FW_MAX_ARMS], row[FW_MAX_ARMS];  // of the last batch's last request
};

// Why one pass cannot serve the blocks of a list.
enum fw_obstacle {
  FW_OBSTACLE_NONE,
  FW_OBSTACLE_BEYOND,     // the store has no such block
  FW_OBSTACLE_ELSEWHERE,  // not under the tips together with the first block
  FW_OBSTACLE_CONFLICT,   // an earlier block uses its tips, or tips that share a part with them
  FW_OBSTACLE_TOO_MANY,
};

// The last blocks named by the host, to be served in one pass.
// Changed by: engine/store.c, jobs/batch.c, jobs/rides.c.
struct fw_batch {
  uint64_t lba[FW_MAX_BATCH];
  uint32_t count;    // 0: there are none
  uint16_t segment;  // segment with the data read from them, or FW_NO_SEGMENT
  uint8_t obstacle;  // enum fw_obstacle: of the last list
  uint32_t at;       // the entry that cannot be served, and the earlier one that excludes it
  uint32_t earlier;
};

// Reads served together in one pass.
// Changed by: engine/events.c, jobs/rides.c.
struct fw_mems {
  struct fw_store store;
  struct fw_tree tree;
  uint32_t ridden;                    // reads served together with another
  uint32_t rides[FW_MAX_TAGS / 32u];  // slots that the pass of the grant in this handler can serve too, a bit each
  struct fw_batch batch;
};

#endif
