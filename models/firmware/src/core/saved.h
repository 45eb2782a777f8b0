// Data that survive a loss of power (engine/saves.c), and lifetime counters.
#ifndef ARMATURE_FIRMWARE_CORE_SAVED_H
#define ARMATURE_FIRMWARE_CORE_SAVED_H

#include "core/power.h"

// Lifetime counters (engine/lifetime.c).
enum fw_life {
  FW_LIFE_POWER_CYCLES,
  FW_LIFE_RETRACTS,         // power losses with the heads off the ramp
  FW_LIFE_STARTS,           // of the stacks
  FW_LIFE_START_RETRIES,    // starts that did not reach speed in time
  FW_LIFE_LOADS,            // from the ramp, of all arms together
  FW_LIFE_ON_US,            // microseconds with power
  FW_LIFE_TURNING_US,       // with the stacks at speed
  FW_LIFE_SECTORS_READ,     // of 512 bytes, by commands
  FW_LIFE_SECTORS_WRITTEN,  // the same
  FW_LIFE_READS,            // commands that have completed
  FW_LIFE_WRITES,
  FW_LIFE_READ_FAILURES,     // reads of physical sectors that failed, retries counted
  FW_LIFE_RECOVERED,         // physical sectors that a retry has read
  FW_LIFE_UNREADABLE,        // times that a physical sector was given up as unreadable
  FW_LIFE_OFF_TRACK,         // accesses and moves that left their track
  FW_LIFE_REALLOCATED,       // sectors of 512 bytes moved to spares
  FW_LIFE_REALLOCATIONS,     // attempts to do that
  FW_LIFE_UNCORRECTABLE,     // commands that failed with UNC
  FW_LIFE_TIMEOUTS,          // resets while a command was active
  FW_LIFE_LINK_ERRORS,       // transfers aborted by the host
  FW_LIFE_FOUND_UNREADABLE,  // physical sectors that self-tests and off-line reads could not read
  FW_LIFE_COUNT
};

#define FW_ERROR_COMMANDS 5u  // commands kept with an error, including the one that failed
#define FW_ERROR_ENTRIES 20u  // whole pages of each of the error logs
#define FW_TEST_ENTRIES 21u   // of the self-test log
#define FW_TEST_SPANS 5u      // spans of a selective self-test
#define FW_MAX_ATTRIBUTES 30u

// A received command: the Register frame's dwords, and its time in milliseconds since power-on.
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
  uint64_t lba;  // first unreadable sector, in the host's sectors; UINT64_MAX: none
  uint16_t hours;
  uint8_t number;  // as SMART EXECUTE OFF-LINE IMMEDIATE codes it
  uint8_t status;  // as SMART READ DATA codes it
  uint32_t zero;
};

// Temperature of the drive's case over its life, degrees Celsius.
struct fw_saved_heat {
  uint8_t known;  // the others are
  int8_t lowest, highest;
  uint8_t zero;
  uint32_t zeros;
  uint64_t over_ms, under_ms;  // time beyond what the datasheet allows
};

// Saved settings of extended power conditions (SET FEATURES 4Ah).
struct fw_saved_epc {
  uint8_t known;    // the others are; otherwise the saved settings are the default ones
  uint8_t enabled;  // the feature set
  uint8_t timers;   // conditions whose timers are enabled, a bit each by enum fw_condition
  uint8_t zero;
  uint32_t ms[FW_CONDITION_COUNT];  // timers
};

// The record itself. Other firmware versions read it too (DOWNLOAD MICROCODE): new fields go to the end, and none
// moves. The sectors that could not be read follow it, two words each.
// Changed by: engine/prediction.c, engine/saves.c, engine/thermal.c, smart/error_log.c, smart/self_test.c,
// smart/test_log.c, commands/epc.c, commands/max_address.c, commands/power.c, commands/smart_command.c.
struct fw_saved {
  uint64_t life[FW_LIFE_COUNT];
  struct fw_error_entry error[FW_ERROR_ENTRIES];  // number n is at n % FW_ERROR_ENTRIES
  struct fw_test_entry test[FW_TEST_ENTRIES];     // the same
  uint32_t errors, tests;                         // of the drive's life
  uint64_t span[FW_TEST_SPANS][2];                // of a selective self-test, first and last LBA
  uint64_t span_lba;                              // current LBA of the selective self-test
  uint64_t accessible;                            // sectors that SET MAX ADDRESS leaves within reach; 0: all
  uint16_t span_at;                               // its current span, from 1 on
  uint16_t span_flags;
  uint16_t span_pending_min;
  uint16_t test_running;                          // bit 15: a self-test is running; below: its number
  uint32_t spin_up_ms;                            // of the last start
  uint8_t worst[FW_MAX_ATTRIBUTES];               // normalised value; 0: not known yet
  uint8_t test_status;                            // of the last self-test, as SMART READ DATA codes it
  uint8_t offline_status;                         // of the last off-line reads, the same
  uint32_t heads_out[FW_MAX_ARMS][FW_MAX_HEADS];  // taken out of service by prediction, a bit for each surface
  uint32_t arms_out;                              // the same, a bit each
  uint8_t smart_off;                              // SMART DISABLE OPERATIONS
  uint8_t autosave_off;
  uint8_t auto_offline;
  uint8_t over_disk;  // when saved, the heads were off the ramp or, without a ramp, over a turning disk
  uint32_t pending;   // number of unreadable sectors that follow this record
  struct fw_saved_heat heat;
  struct fw_saved_epc epc;
};

#define FW_SAVED_WORDS ((uint32_t)(sizeof(struct fw_saved) / 4u))
#define FW_MOST_SAVED_WORDS (FW_SAVED_WORDS + 2u * FW_MAX_PENDING)

// What follows a save.
enum fw_after_save {
  FW_AFTER_SAVE_NOTHING,
  FW_AFTER_SAVE_MAX,      // SET MAX ADDRESS completes
  FW_AFTER_SAVE_EPC,      // SET FEATURES 4Ah completes
  FW_AFTER_SAVE_RESTART,  // firmware restarts
};

// Who uses the flash.
enum fw_flash {
  FW_FLASH_SAVES,   // saves
  FW_FLASH_WANTED,  // saves, and another user waits
  FW_FLASH_LENT,    // another user: saves wait
};

// Progress of a save.
// Changed by: devices/nvm.c, engine/saves.c.
struct fw_saves {
  bool known;           // the flash has room for two copies
  bool valid;           // a copy holds a record
  uint8_t newest;       // number of the newest copy
  uint32_t sequence;    // sequence number of that copy
  uint32_t journal;     // journal entries after it
  uint32_t autosave_s;  // between two saves; 0: only at errors and on the way into standby
  bool saving;
  bool again;        // a change since the save began must be saved at once
  uint8_t noted;     // position of the heads recorded in the flash, as over_disk
  uint8_t then;      // enum fw_after_save
  uint8_t flash;     // enum fw_flash
  bool fold;         // the journal is full: a save includes its entries
  uint32_t read_at;  // address of the next word to read from the flash
  uint32_t step;     // step of the save
  uint32_t words;    // words that the save writes
  union {
    struct fw_saved record;  // followed by the pending sectors
    uint32_t image[FW_MOST_SAVED_WORDS];
  };
};

#endif
