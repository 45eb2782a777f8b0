// Generated from rtl/regs/chn.rdl (sha256 9c07d7e1f213e9d5d9ba3490d6b5db1386536ac60c53c0924e0aa0a0500dbd12). Do not edit: ./armature gen regs
#ifndef ARMATURE_FIRMWARE_REGS_CHN_H
#define ARMATURE_FIRMWARE_REGS_CHN_H

// Data channel

// Translate: LBA 47:32
#define CHN_XL_LBA_HI 0x0u
#define CHN_XL_LBA_HI_LBA_SHIFT 0u
#define CHN_XL_LBA_HI_LBA_MASK 0xFFFFu

// Translate: LBA 31:0; the write translates
#define CHN_XL_LBA_LO 0x4u
#define CHN_XL_LBA_LO_LBA_SHIFT 0u
#define CHN_XL_LBA_LO_LBA_MASK 0xFFFFFFFFu

// Translation: track
#define CHN_XL_TRACK 0x8u
#define CHN_XL_TRACK_CYLINDER_SHIFT 0u
#define CHN_XL_TRACK_CYLINDER_MASK 0x7FFFFFu
#define CHN_XL_TRACK_HEAD_SHIFT 23u
#define CHN_XL_TRACK_HEAD_MASK 0x7F800000u
#define CHN_XL_TRACK_INVALID_SHIFT 31u
#define CHN_XL_TRACK_INVALID_MASK 0x80000000u

// Translation: angle and run
#define CHN_XL_PLACE 0xCu
#define CHN_XL_PLACE_ANGLE_SHIFT 0u
#define CHN_XL_PLACE_ANGLE_MASK 0xFFFFu
#define CHN_XL_PLACE_RUN_SHIFT 16u
#define CHN_XL_PLACE_RUN_MASK 0xFFFF0000u

// Access: LBA 47:32
#define CHN_LBA_HI 0x10u
#define CHN_LBA_HI_LBA_SHIFT 0u
#define CHN_LBA_HI_LBA_MASK 0xFFFFu

// Access: LBA 31:0
#define CHN_LBA_LO 0x14u
#define CHN_LBA_LO_LBA_SHIFT 0u
#define CHN_LBA_LO_LBA_MASK 0xFFFFFFFFu

// Access: address in buffer RAM, in bytes
#define CHN_ADDRESS 0x18u
#define CHN_ADDRESS_ADDRESS_SHIFT 0u
#define CHN_ADDRESS_ADDRESS_MASK 0xFFFFFFFFu

// Access: length and start
#define CHN_CTRL 0x1Cu
#define CHN_CTRL_TAG_SHIFT 0u
#define CHN_CTRL_TAG_MASK 0x3FFu
#define CHN_CTRL_SECTORS_SHIFT 10u
#define CHN_CTRL_SECTORS_MASK 0x3FFFC00u
#define CHN_CTRL_ARM_SHIFT 26u
#define CHN_CTRL_ARM_MASK 0x1C000000u
#define CHN_CTRL_WRITE_SHIFT 29u
#define CHN_CTRL_WRITE_MASK 0x20000000u
#define CHN_CTRL_GO_SHIFT 31u
#define CHN_CTRL_GO_MASK 0x80000000u

// Status
#define CHN_STATUS 0x20u
#define CHN_STATUS_BUSY_SHIFT 0u
#define CHN_STATUS_BUSY_MASK 0x1u
#define CHN_STATUS_CAUSE_SHIFT 1u
#define CHN_STATUS_CAUSE_MASK 0xEu

// Interrupt status
#define CHN_INTSTAT 0x24u
#define CHN_INTSTAT_DONE_SHIFT 0u
#define CHN_INTSTAT_DONE_MASK 0x1u
#define CHN_INTSTAT_ERROR_SHIFT 1u
#define CHN_INTSTAT_ERROR_MASK 0x2u

// Interrupt enable
#define CHN_INTEN 0x28u
#define CHN_INTEN_DONE_SHIFT 0u
#define CHN_INTEN_DONE_MASK 0x1u
#define CHN_INTEN_ERROR_SHIFT 1u
#define CHN_INTEN_ERROR_MASK 0x2u

#endif
