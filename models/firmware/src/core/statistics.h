// What is counted since power-on.
#ifndef ARMATURE_FIRMWARE_CORE_STATISTICS_H
#define ARMATURE_FIRMWARE_CORE_STATISTICS_H

#include "core/hardware.h"

// What is counted since power-on, for logs 04h and 11h.
struct fw_statistics {
  uint64_t sectors_read, sectors_written;  // of 512 bytes; without those that hardware has answered
  uint32_t reads, writes;                  // commands that have completed, the same
  uint32_t uncorrectable;                  // commands that failed with UNC
  uint32_t resets_at_work;                 // resets while a command was at work
  uint32_t comresets;
  uint32_t link_errors;       // transfers that the host broke off
  uint32_t loads;             // of the arms, together
  uint32_t starts;            // of the stacks
  uint32_t start_retries;     // that were not at speed in time
  uint32_t unreadable;        // accesses that ended with a sector that cannot be read
  uint32_t off_track;         // accesses that left their track, and arms that were lost
  uint32_t reallocations;     // attempts
  uint32_t found_unreadable;  // physical sectors, by self-tests and off-line reads
  bool turns;                 // the stack is at speed, since `turns_since`; it was for `turned_us` before
  uint64_t turns_since, turned_us;
};

#endif
