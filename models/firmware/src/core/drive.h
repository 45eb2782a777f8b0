// The drive: what there is and how it is laid out, of the factory record and the hardware.
#ifndef ARMATURE_FIRMWARE_CORE_DRIVE_H
#define ARMATURE_FIRMWARE_CORE_DRIVE_H

#include "core/hardware.h"

// commands/reset.c sets it at power-on, with engine/reach.c and engine/reckoning.c; engine/saves.c learns of the ramp.
struct fw_drive {
  uint64_t capacity;  // sectors
  uint32_t arms;
  uint32_t channels;
  uint32_t queue_depth;
  uint32_t heads;                     // surfaces
  uint32_t stacks;                    // disk stacks, with an equal part of the surfaces each
  uint32_t sub_heads;                 // of an arm on a surface
  uint32_t groups;                    // of arms: not all reach the same surfaces if there are several
  uint32_t stroke;                    // highest cylinder that an arm can go to
  uint32_t middle;                    // cylinder in the middle of the stroke
  uint32_t logical_sectors;           // sectors that an LBA of the host counts: 1 or 8
  uint32_t physical_sectors;          // sectors in a physical one: 1, or as many as a line has
  bool ramp;                          // there is one
  bool repositions;                   // an arm at rest settles anew
  bool jogs;                          // is there any
  struct fw_jog jog;                  // from where it reads a track to where it writes it
  int32_t head_offset[FW_MAX_HEADS];  // cylinders
  uint32_t head_angle[FW_MAX_HEADS];  // ticks
};

#endif
