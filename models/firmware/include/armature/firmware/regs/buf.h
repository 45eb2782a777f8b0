// Generated from rtl/regs/buf.rdl (sha256 6094120f4bdd4d7da28131621cb9f489aa3c9c5f7b71916d384c9a99648dcdb1). Do not edit: ./armature gen regs
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

#endif
