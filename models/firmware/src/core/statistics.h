// What is counted since power-on.
#ifndef ARMATURE_FIRMWARE_CORE_STATISTICS_H
#define ARMATURE_FIRMWARE_CORE_STATISTICS_H

#include "core/hardware.h"

// Counters since power-on, for logs 04h and 11h, each incremented where the event occurs.
// Changed by: *.
struct fw_statistics {
  uint64_t sectors_read, sectors_written;  // of 512 bytes; without those answered by hardware
  uint32_t reads, writes;                  // completed commands, without those answered by hardware
  uint32_t uncorrectable;                  // commands that failed with UNC
  uint32_t resets_at_work;                 // resets while a command was active
  uint32_t comresets;
  uint32_t link_errors;       // transfers aborted by the host
  uint32_t loads;             // of the arms, together
  uint32_t starts;            // of the stacks
  uint32_t start_retries;     // starts that did not reach speed in time
  uint32_t unreadable;        // accesses that ended with a sector that cannot be read
  uint32_t off_track;         // accesses that left their track, and arms that lost theirs
  uint32_t reallocations;     // attempts
  uint32_t found_unreadable;  // unreadable physical sectors found by self-tests and off-line reads
  bool turns;                 // the stack has been at speed since `turns_since`, and for `turned_us` before
  uint64_t turns_since, turned_us;
};

#endif
