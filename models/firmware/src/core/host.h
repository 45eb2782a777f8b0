// Host settings, and state that commands leave behind.
#ifndef ARMATURE_FIRMWARE_CORE_HOST_H
#define ARMATURE_FIRMWARE_CORE_HOST_H

#include "core/commands.h"
#include "core/microcode.h"

// SMART command transport.
// Changed by: commands/sct.c.
struct fw_sct {
  uint16_t status;  // of the last command
  uint16_t action, function;
  uint16_t limit[2];    // of error recovery, read and write, units of 100 ms
  uint16_t interval;    // of the temperature history, minutes
  uint8_t cache;        // the write cache follows SET FEATURES, is forced on, or forced off
  uint8_t reorder;      // written data go to the media in any order, or in order of arrival
  uint32_t candidates;  // value of fw_destage::candidates,
  bool ascending;       // and of ascending, when any order is allowed
  bool data;            // log E1h has data of the last command
};

// Command duration limits.
// Changed by: engine/duration.c, engine/slots.c, commands/duration_log.c, commands/settings.c.
struct fw_limits {
  bool on;             // as SET FEATURES has it
  bool sense;          // the host allows sense data for successful queued commands: none has any
  uint32_t waiting;    // commands with a limit that wait for an arm
  struct fw_page log;  // 18h, as the host has written it
};

// Changed by: commands/ata_pages.c, commands/max_address.c, commands/sct.c, commands/settings.c,
// commands/simple_commands.c.
struct fw_host {
  bool write_cache;
  bool look_ahead;
  bool buffer_offsets;       // DMA Setup frames may have offsets that are not 0
  bool offsets_at_reset;     // as in the factory record
  bool settings_preserved;   // over COMRESET
  bool reverts;              // SRST restores the power-on settings
  bool max_kept;             // SET MAX ADDRESS has set a non-volatile value
  bool ladder_known;         // the channels have a retry ladder
  uint8_t transfer_mode;     // as SET FEATURES 03h codes it
  uint32_t cache_flags;      // FW_CACHE_*, of the factory record
  uint32_t multiple;         // host sectors per DRQ block; 0: READ and WRITE MULTIPLE are off
  uint64_t accessible;       // sectors that commands reach (SET MAX ADDRESS)
  uint64_t kept_accessible;  // after the next COMRESET
  struct fw_sct sct;
  struct fw_microcode microcode;
  struct fw_limits limits;
  uint32_t buffer[FW_PAGE_DWORDS];  // of READ and WRITE BUFFER
};

#endif
