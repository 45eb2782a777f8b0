// Replacement of firmware by the host (commands/microcode.c).
#ifndef ARMATURE_FIRMWARE_CORE_MICROCODE_H
#define ARMATURE_FIRMWARE_CORE_MICROCODE_H

#include "core/hardware.h"

// Progress of DOWNLOAD MICROCODE.
enum fw_microcode_step {
  FW_MICROCODE_NONE,       // no command is active; an image may come
  FW_MICROCODE_SEGMENT,    // a segment arrives, or is written to its slot
  FW_MICROCODE_CHECKED,    // the whole image is valid: the slot's own page is programmed
  FW_MICROCODE_ACTIVATES,  // the drive comes to rest, and restarts with the image
};

// Changed by: commands/device_fault.c, commands/microcode.c, commands/power_steps.c.
struct fw_microcode {
  // From power-on.
  bool known;      // the core's firmware can be changed
  bool restarted;  // it has been changed, so power was not off
  uint8_t slot;    // slot of the running image, 1 or 2; 0: the factory image
  uint32_t first;  // sector of slot 1
  uint32_t slot_sectors;
  uint32_t revision[2];  // of the image, as in the factory record

  // The incoming image.
  uint8_t mode;       // sub-command of its segments; 0: no incoming image
  uint8_t to;         // slot that it goes to
  uint32_t blocks;    // its length in blocks of 512 bytes
  uint32_t next;      // first block of the next segment
  uint32_t segment;   // blocks of the present segment
  uint8_t step;       // enum fw_microcode_step
  bool by_pio;        // the data arrive by PIO
  uint32_t page;      // next page of the slot to program
  uint32_t page_end;  // page after the last one of the received block
  uint32_t erased;    // sectors of the slot, from the first on

  uint8_t deferred;  // slot of an image that awaits activation; 0: none
};

#endif
