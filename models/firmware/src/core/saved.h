// What firmware keeps over a loss of power (engine/saves.c), and what is counted over the drive's life.
#ifndef ARMATURE_FIRMWARE_CORE_SAVED_H
#define ARMATURE_FIRMWARE_CORE_SAVED_H

#include "core/hardware.h"

// Counted over the drive's life (engine/lifetime.c).
enum fw_life {
  FW_LIFE_POWER_CYCLES,
  FW_LIFE_RETRACTS,         // losses of power with the heads off the ramp
  FW_LIFE_STARTS,           // of the stacks
  FW_LIFE_START_RETRIES,    // starts that were not at speed in time
  FW_LIFE_LOADS,            // of the arms from the ramp, together
  FW_LIFE_ON_US,            // microseconds with power
  FW_LIFE_TURNING_US,       // with the stacks at speed
  FW_LIFE_SECTORS_READ,     // of 512 bytes, by commands
  FW_LIFE_SECTORS_WRITTEN,  // the same
  FW_LIFE_READS,            // commands that have completed
  FW_LIFE_WRITES,
  FW_LIFE_READ_FAILURES,     // reads of physical sectors that failed, retries counted
  FW_LIFE_RECOVERED,         // physical sectors that a retry has read
  FW_LIFE_UNREADABLE,        // times that a physical sector was given up
  FW_LIFE_OFF_TRACK,         // accesses and moves that left their track
  FW_LIFE_REALLOCATED,       // sectors of 512 bytes that were moved to spares
  FW_LIFE_REALLOCATIONS,     // attempts to do that
  FW_LIFE_UNCORRECTABLE,     // commands that failed with UNC
  FW_LIFE_TIMEOUTS,          // resets while a command was at work
  FW_LIFE_LINK_ERRORS,       // transfers that the host broke off
  FW_LIFE_FOUND_UNREADABLE,  // physical sectors that self-tests and off-line reads could not read
  FW_LIFE_COUNT
};

#define FW_ERROR_COMMANDS 5u  // before an error that are kept with it, that of the error included
#define FW_ERROR_ENTRIES 20u  // whole pages of each of the error logs
#define FW_TEST_ENTRIES 21u   // of the self-test log
#define FW_TEST_SPANS 5u      // of a selective self-test
#define FW_MAX_ATTRIBUTES 30u

// A command as it came: the Register frame's dwords, and milliseconds since power-on.
struct fw_past_command {
  uint32_t frame[4];
  uint32_t ms;
};

struct fw_error_entry {
  uint64_t lba;                                       // in the host's sectors
  struct fw_past_command command[FW_ERROR_COMMANDS];  // the newest first
  uint16_t hours;                                     // of the drive's life
  uint8_t status, error;
  uint8_t device;
  uint8_t state;  // as the log codes it
  uint16_t count;
};

struct fw_test_entry {
  uint64_t lba;  // in the host's sectors, of the first that could not be read; UINT64_MAX: none
  uint16_t hours;
  uint8_t number;  // as SMART EXECUTE OFF-LINE IMMEDIATE codes it
  uint8_t status;  // as SMART READ DATA codes it
  uint32_t zero;
};

// The record itself. Another firmware of the drive reads it too (DOWNLOAD MICROCODE): fields are added at the end, and
// none changes its place. Behind it the sectors that could not be read follow, two words each.
struct fw_saved {
  uint64_t life[FW_LIFE_COUNT];
  struct fw_error_entry error[FW_ERROR_ENTRIES];  // number n is at n % FW_ERROR_ENTRIES
  struct fw_test_entry test[FW_TEST_ENTRIES];     // the same
  uint32_t errors, tests;                         // of the drive's life
  uint64_t span[FW_TEST_SPANS][2];                // of a selective self-test, first and last LBA
  uint64_t span_lba;                              // that it has come to
  uint64_t accessible;                            // sectors that SET MAX ADDRESS leaves within reach; 0: all
  uint16_t span_at;                               // and in which, from 1 on
  uint16_t span_flags;
  uint16_t span_pending_min;
  uint16_t test_running;                          // its number and, in bit 15, that there is one
  uint32_t spin_up_ms;                            // of the last start
  uint8_t worst[FW_MAX_ATTRIBUTES];               // normalised value; 0: not known yet
  uint8_t test_status;                            // of the last self-test, as SMART READ DATA codes it
  uint8_t offline_status;                         // of the last off-line reads, the same
  uint32_t heads_out[FW_MAX_ARMS][FW_MAX_HEADS];  // taken out of service on a prediction, a bit for each surface
  uint32_t arms_out;                              // the same, a bit each
  uint8_t smart_off;                              // SMART DISABLE OPERATIONS
  uint8_t autosave_off;
  uint8_t auto_offline;
  uint8_t over_disk;  // the heads were off the ramp, or without one over a disk that turns, when it was saved
  uint32_t pending;   // sectors that could not be read, behind this
};

#define FW_SAVED_WORDS ((uint32_t)(sizeof(struct fw_saved) / 4u))
#define FW_MOST_SAVED_WORDS (FW_SAVED_WORDS + 2u * FW_MAX_PENDING)

// What goes on when a save is over.
enum fw_after_save {
  FW_AFTER_SAVE_NOTHING,
  FW_AFTER_SAVE_MAX,      // SET MAX ADDRESS is answered
  FW_AFTER_SAVE_RESTART,  // firmware starts anew
};

// Where a save is (engine/saves.c).
struct fw_saves {
  bool known;           // there is a flash with room for two copies
  bool valid;           // one of them holds a record
  uint8_t newest;       // that one
  uint32_t sequence;    // its number
  uint32_t journal;     // entries behind it
  uint32_t autosave_s;  // between two saves; 0: only at errors and on the way into standby
  bool saving;
  bool again;        // something has changed since that save began which must not wait
  uint8_t noted;     // what the flash says of the heads, as over_disk
  uint8_t then;      // enum fw_after_save
  bool lent;         // the flash is somebody else's: saves wait
  bool wanted;       // somebody else waits for the flash
  bool fold;         // the journal is full: a save takes it in
  uint32_t read_at;  // where the next word of the flash is read
  uint32_t step;     // of it
  uint32_t words;    // that it writes
  union {
    struct fw_saved record;  // and behind it the pending sectors
    uint32_t image[FW_MOST_SAVED_WORDS];
  };
};

#endif
