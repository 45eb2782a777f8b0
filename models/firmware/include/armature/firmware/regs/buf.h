// Generated from rtl/regs/buf.rdl (sha256 5aac8816cedf195bcb9fd66f7126358c96b86c743c2d754c025962422dbe7634). Do not edit: ./armature gen regs
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

// Look-up of reads in the segment table
#define BUF_LOOKUP 0xCu
#define BUF_LOOKUP_ENABLE_SHIFT 0u
#define BUF_LOOKUP_ENABLE_MASK 0x1u
#define BUF_LOOKUP_LAST_TAG_SHIFT 16u
#define BUF_LOOKUP_LAST_TAG_MASK 0x3FF0000u

// Segment table: entry that the registers `seg_*` are of
#define BUF_SEG 0x10u
#define BUF_SEG_INDEX_SHIFT 0u
#define BUF_SEG_INDEX_MASK 0xFFu

// Segment table: first LBA of the next `seg_commit`, 31:0
#define BUF_SEG_LBA_LO 0x14u
#define BUF_SEG_LBA_LO_LBA_SHIFT 0u
#define BUF_SEG_LBA_LO_LBA_MASK 0xFFFFFFFFu

// Segment table: first LBA of the next `seg_commit`, 47:32
#define BUF_SEG_LBA_HI 0x18u
#define BUF_SEG_LBA_HI_LBA_SHIFT 0u
#define BUF_SEG_LBA_HI_LBA_MASK 0xFFFFu

// Segment table: place of the first LBA in the segment, which is a ring
#define BUF_SEG_PLACE 0x1Cu
#define BUF_SEG_PLACE_SECTOR_SHIFT 0u
#define BUF_SEG_PLACE_SECTOR_MASK 0xFFFFu

// Segment table: the write makes or withdraws the entry
#define BUF_SEG_COMMIT 0x20u
#define BUF_SEG_COMMIT_SECTORS_SHIFT 0u
#define BUF_SEG_COMMIT_SECTORS_MASK 0xFFFFu
#define BUF_SEG_COMMIT_VALID_SHIFT 31u
#define BUF_SEG_COMMIT_VALID_MASK 0x80000000u

// Segment table: where reads went on to
#define BUF_SEG_REACH 0x24u
#define BUF_SEG_REACH_LBA_SHIFT 0u
#define BUF_SEG_REACH_LBA_MASK 0xFFFFFFFFu

// Segment table: the entry's last use
#define BUF_SEG_STATUS 0x28u
#define BUF_SEG_STATUS_USE_SHIFT 0u
#define BUF_SEG_STATUS_USE_MASK 0xFFFFFFFu
#define BUF_SEG_STATUS_SEQUENTIAL_SHIFT 29u
#define BUF_SEG_STATUS_SEQUENTIAL_MASK 0x20000000u
#define BUF_SEG_STATUS_PINNED_SHIFT 30u
#define BUF_SEG_STATUS_PINNED_MASK 0x40000000u
#define BUF_SEG_STATUS_VALID_SHIFT 31u
#define BUF_SEG_STATUS_VALID_MASK 0x80000000u

// Segment table: first sector that a transfer has pinned
#define BUF_SEG_PIN 0x2Cu
#define BUF_SEG_PIN_LBA_SHIFT 0u
#define BUF_SEG_PIN_LBA_MASK 0xFFFFFFFFu

// Segment table: a use by firmware
#define BUF_TOUCH 0x30u
#define BUF_TOUCH_INDEX_SHIFT 0u
#define BUF_TOUCH_INDEX_MASK 0xFFu

// Reads that hardware has answered since power-on
#define BUF_HITS 0x34u
#define BUF_HITS_COUNT_SHIFT 0u
#define BUF_HITS_COUNT_MASK 0xFFFFFFFFu

// Interrupt status
#define BUF_INTSTAT 0x38u
#define BUF_INTSTAT_RELEASED_SHIFT 0u
#define BUF_INTSTAT_RELEASED_MASK 0x1u

// Interrupt enable
#define BUF_INTEN 0x3Cu
#define BUF_INTEN_RELEASED_SHIFT 0u
#define BUF_INTEN_RELEASED_MASK 0x1u

#endif
