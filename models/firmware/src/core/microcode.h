// Firmware itself, which the host can replace (commands/microcode.c).
#ifndef ARMATURE_FIRMWARE_CORE_MICROCODE_H
#define ARMATURE_FIRMWARE_CORE_MICROCODE_H

#include "core/hardware.h"

struct fw_microcode {
  // From power-on.
  bool known;      // the core's firmware can be changed
  bool restarted;  // it has been, and so power was not off
  uint8_t slot;    // of the image that runs, 1 or 2; 0: the factory's
  uint32_t first;  // sector of slot 1
  uint32_t slot_sectors;
  uint32_t revision[2];  // of the image, as in the factory record

  // The image that comes.
  uint8_t mode;       // sub-command of its segments; 0: none is coming
  uint8_t to;         // slot that it goes to
  uint32_t blocks;    // of 512 bytes that it has
  uint32_t next;      // of these, that the next segment begins with
  uint32_t segment;   // blocks of the segment that has come or comes
  bool at_work;       // a command is
  bool by_pio;        // as whose data come
  bool checked;       // the whole image fits: the slot's own page is next
  uint32_t page;      // of the slot, that is programmed next
  uint32_t page_end;  // behind the last one of the block that has come
  uint32_t erased;    // sectors of the slot, from the first on

  uint8_t deferred;  // slot of an image that waits for its activation, 0: none does
  bool activates;    // the drive comes to rest for that
};

#endif
