// Generated from rtl/regs/xlt.rdl (sha256 6f35155b3bfa63ea044357a7f430d7b90a1259778a202886025e6361a938f50d). Do not edit: ./armature gen regs
#ifndef ARMATURE_FIRMWARE_REGS_XLT_H
#define ARMATURE_FIRMWARE_REGS_XLT_H

// Translation

// LBA 47:32
#define XLT_LBA_HI 0x0u
#define XLT_LBA_HI_LBA_SHIFT 0u
#define XLT_LBA_HI_LBA_MASK 0xFFFFu

// LBA 31:0; the write translates
#define XLT_LBA_LO 0x4u
#define XLT_LBA_LO_LBA_SHIFT 0u
#define XLT_LBA_LO_LBA_MASK 0xFFFFFFFFu

// Translation: track
#define XLT_TRACK 0x8u
#define XLT_TRACK_CYLINDER_SHIFT 0u
#define XLT_TRACK_CYLINDER_MASK 0x7FFFFFu
#define XLT_TRACK_HEAD_SHIFT 23u
#define XLT_TRACK_HEAD_MASK 0x7F800000u
#define XLT_TRACK_INVALID_SHIFT 31u
#define XLT_TRACK_INVALID_MASK 0x80000000u

// Translation: angle and run
#define XLT_PLACE 0xCu
#define XLT_PLACE_ANGLE_SHIFT 0u
#define XLT_PLACE_ANGLE_MASK 0xFFFFu
#define XLT_PLACE_RUN_SHIFT 16u
#define XLT_PLACE_RUN_MASK 0xFFFF0000u

// Translation: sectors on the track before the LBA
#define XLT_BEFORE 0x10u
#define XLT_BEFORE_SECTORS_SHIFT 0u
#define XLT_BEFORE_SECTORS_MASK 0xFFFFu

// Reallocation: moves the physical sector of the LBA in `lba` to the next free spare of its zone
#define XLT_MOVE 0x14u
#define XLT_MOVE_MOVED_SHIFT 0u
#define XLT_MOVE_MOVED_MASK 0x1u
#define XLT_MOVE_GO_SHIFT 31u
#define XLT_MOVE_GO_MASK 0x80000000u

// Translation: sectors of the track
#define XLT_LENGTH 0x18u
#define XLT_LENGTH_SECTORS_SHIFT 0u
#define XLT_LENGTH_SECTORS_MASK 0xFFFFu

#endif
