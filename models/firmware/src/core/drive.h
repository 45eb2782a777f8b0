// The drive's parts and layout, from the factory record and the hardware.
#ifndef ARMATURE_FIRMWARE_CORE_DRIVE_H
#define ARMATURE_FIRMWARE_CORE_DRIVE_H

#include "core/hardware.h"

// Set at power-on.
// Changed by: engine/reach.c, engine/reckoning.c, engine/saves.c.
struct fw_drive {
  uint64_t capacity;  // sectors
  uint32_t arms;
  uint32_t channels;
  uint32_t queue_depth;
  uint32_t heads;                     // surfaces
  uint32_t stacks;                    // disk stacks, each with an equal share of the surfaces
  uint32_t sub_heads;                 // heads of an arm per surface
  uint32_t groups;                    // groups of arms; arms of different groups reach different surfaces
  uint32_t stroke;                    // highest cylinder that an arm can go to
  uint32_t middle;                    // cylinder in the middle of the stroke
  uint32_t logical_sectors;           // sectors per LBA of the host: 1 or 8
  uint32_t physical_sectors;          // sectors per physical sector: 1, or FW_LINE_SECTORS
  uint32_t fixed_first;               // first of the cylinders with heads of their own, on the last arm
  uint32_t fixed_cylinders;           // how many; 0: all arms move
  bool ramp;                          // the drive has a ramp
  bool repositions;                   // an arm at rest must settle again
  bool jogs;                          // reader and writer are offset
  struct fw_jog jog;                  // from the reading to the writing position of a track
  int32_t head_offset[FW_MAX_HEADS];  // cylinders
  uint32_t head_angle[FW_MAX_HEADS];  // ticks
};

#endif
