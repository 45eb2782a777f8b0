// Generated from rtl/regs/buf.rdl (sha256 4802859d592ca0e3ef3f7f53e4cb55725ed29ff050a608f8dd8f6cbdb9ed1078). Do not edit: ./armature gen regs
#ifndef ARMATURE_FIRMWARE_REGS_BUF_H
#define ARMATURE_FIRMWARE_REGS_BUF_H

// Buffer RAM

// Size of the RAM in bytes
#define BUF_SIZE 0x0u
#define BUF_SIZE_BYTES_SHIFT 0u
#define BUF_SIZE_BYTES_MASK 0xFFFFFFFFu

// Segmentation that the drive is built with
#define BUF_LAYOUT 0x4u
#define BUF_LAYOUT_SEGMENTS_SHIFT 0u
#define BUF_LAYOUT_SEGMENTS_MASK 0xFFFFu
#define BUF_LAYOUT_SECTORS_SHIFT 16u
#define BUF_LAYOUT_SECTORS_MASK 0xFFFF0000u

// Lines for written data that wait for the media, behind the segments
#define BUF_LINES 0x8u
#define BUF_LINES_COUNT_SHIFT 0u
#define BUF_LINES_COUNT_MASK 0xFFFFu

#endif
