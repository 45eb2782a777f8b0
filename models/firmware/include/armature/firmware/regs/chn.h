// Generated from rtl/regs/chn.rdl (sha256 75f8c2d22bb09c2c382269ac94673c92c340eefc4c4d1f0e0e7002aded251495). Do not edit: ./armature gen regs
#ifndef ARMATURE_FIRMWARE_REGS_CHN_H
#define ARMATURE_FIRMWARE_REGS_CHN_H

// Data channel

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
#define CHN_CTRL_ANONYMOUS_SHIFT 30u
#define CHN_CTRL_ANONYMOUS_MASK 0x40000000u
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
#define CHN_INTSTAT_MARK_SHIFT 2u
#define CHN_INTSTAT_MARK_MASK 0x4u
#define CHN_INTSTAT_RETRIED_SHIFT 3u
#define CHN_INTSTAT_RETRIED_MASK 0x8u

// Interrupt enable
#define CHN_INTEN 0x28u
#define CHN_INTEN_DONE_SHIFT 0u
#define CHN_INTEN_DONE_MASK 0x1u
#define CHN_INTEN_ERROR_SHIFT 1u
#define CHN_INTEN_ERROR_MASK 0x2u
#define CHN_INTEN_MARK_SHIFT 2u
#define CHN_INTEN_MARK_MASK 0x4u

// Mark
#define CHN_MARK 0x2Cu
#define CHN_MARK_SECTORS_SHIFT 0u
#define CHN_MARK_SECTORS_MASK 0xFFFFu
#define CHN_MARK_PART_SHIFT 16u
#define CHN_MARK_PART_MASK 0x10000u

// Mode of the next access; cleared when one starts
#define CHN_MODE 0x30u
#define CHN_MODE_ANY_ORDER_SHIFT 0u
#define CHN_MODE_ANY_ORDER_MASK 0x1u
#define CHN_MODE_GATHER_SHIFT 1u
#define CHN_MODE_GATHER_MASK 0x2u
#define CHN_MODE_FREE_SHIFT 2u
#define CHN_MODE_FREE_MASK 0x4u
#define CHN_MODE_BATCH_SHIFT 3u
#define CHN_MODE_BATCH_MASK 0x8u

// Stop: the access ends with the sector that is passing, or at once if none is; `done` is raised then
#define CHN_STOP 0x34u
#define CHN_STOP_STOP_SHIFT 0u
#define CHN_STOP_STOP_MASK 0x1u

// Progress of the access, or of the last one
#define CHN_PROGRESS 0x38u
#define CHN_PROGRESS_SECTORS_SHIFT 0u
#define CHN_PROGRESS_SECTORS_MASK 0xFFFFu

// Piece: address in buffer RAM, in bytes
#define CHN_PIECE_ADDR 0x3Cu
#define CHN_PIECE_ADDR_ADDRESS_SHIFT 0u
#define CHN_PIECE_ADDR_ADDRESS_MASK 0xFFFFFFFFu

// Piece: length; the write appends the piece to the list, which the next access empties
#define CHN_PIECE_PUSH 0x40u
#define CHN_PIECE_PUSH_SECTORS_SHIFT 0u
#define CHN_PIECE_PUSH_SECTORS_MASK 0xFFFFu
#define CHN_PIECE_PUSH_BLANK_SHIFT 16u
#define CHN_PIECE_PUSH_BLANK_MASK 0x10000u
#define CHN_PIECE_PUSH_DROP_SHIFT 17u
#define CHN_PIECE_PUSH_DROP_MASK 0x20000u

// Piece: LBA 47:32
#define CHN_PIECE_LBA_HI 0x44u
#define CHN_PIECE_LBA_HI_LBA_SHIFT 0u
#define CHN_PIECE_LBA_HI_LBA_MASK 0xFFFFu

// Free read: what need not be read
#define CHN_WANTED 0x48u
#define CHN_WANTED_SECTORS_SHIFT 0u
#define CHN_WANTED_SECTORS_MASK 0xFFFFu

// Free read: what was left out, known from `go` on
#define CHN_LEFT_OUT 0x4Cu
#define CHN_LEFT_OUT_SECTORS_SHIFT 0u
#define CHN_LEFT_OUT_SECTORS_MASK 0xFFFFu

// Piece: LBA 31:0
#define CHN_PIECE_LBA_LO 0x50u
#define CHN_PIECE_LBA_LO_LBA_SHIFT 0u
#define CHN_PIECE_LBA_LO_LBA_MASK 0xFFFFFFFFu

// Retry ladder
#define CHN_LADDER_CTRL 0x54u
#define CHN_LADDER_CTRL_LIMIT_MS_SHIFT 0u
#define CHN_LADDER_CTRL_LIMIT_MS_MASK 0xFFFFu
#define CHN_LADDER_CTRL_ENABLE_SHIFT 31u
#define CHN_LADDER_CTRL_ENABLE_MASK 0x80000000u

// Extension: the access under way goes on, without a pause, behind what was ordered; ignored if that has passed
#define CHN_EXTEND 0x58u
#define CHN_EXTEND_SECTORS_SHIFT 0u
#define CHN_EXTEND_SECTORS_MASK 0xFFFFu

// Blocks of a pass
#define CHN_LIMIT 0x5Cu
#define CHN_LIMIT_BLOCKS_SHIFT 0u
#define CHN_LIMIT_BLOCKS_MASK 0xFFFFu

// Step of the retry ladder; holds for the accesses that start from now on
#define CHN_LADDER_STEP(n) (0x80u + 0x4u * (n))
#define CHN_LADDER_STEP_COUNT 16u
#define CHN_LADDER_STEP_REPEATS_SHIFT 0u
#define CHN_LADDER_STEP_REPEATS_MASK 0xFFu
#define CHN_LADDER_STEP_OFFSET_SHIFT 8u
#define CHN_LADDER_STEP_OFFSET_MASK 0x1FF00u
#define CHN_LADDER_STEP_DETECTOR_SHIFT 17u
#define CHN_LADDER_STEP_DETECTOR_MASK 0x1E0000u
#define CHN_LADDER_STEP_ERASURE_SHIFT 21u
#define CHN_LADDER_STEP_ERASURE_MASK 0x200000u

// Counter: reads of physical sectors, retries counted, modulo 2^32; all counters change when an access ends
#define CHN_READ_COUNT 0xC0u
#define CHN_READ_COUNT_COUNT_SHIFT 0u
#define CHN_READ_COUNT_COUNT_MASK 0xFFFFFFFFu

// Counter: reads of physical sectors that failed, modulo 2^32
#define CHN_FAILED_COUNT 0xC4u
#define CHN_FAILED_COUNT_COUNT_SHIFT 0u
#define CHN_FAILED_COUNT_COUNT_MASK 0xFFFFFFFFu

// Counter: physical sectors that a retry has read, modulo 2^32
#define CHN_RECOVERED_COUNT 0xC8u
#define CHN_RECOVERED_COUNT_COUNT_SHIFT 0u
#define CHN_RECOVERED_COUNT_COUNT_MASK 0xFFFFFFFFu

// Counter: physical sectors given up as unreadable, modulo 2^32
#define CHN_UNREADABLE_COUNT 0xCCu
#define CHN_UNREADABLE_COUNT_COUNT_SHIFT 0u
#define CHN_UNREADABLE_COUNT_COUNT_MASK 0xFFFFFFFFu

// Counter: iterations of the decoder, bits 31:0
#define CHN_ITERATIONS_LO 0xD0u
#define CHN_ITERATIONS_LO_COUNT_SHIFT 0u
#define CHN_ITERATIONS_LO_COUNT_MASK 0xFFFFFFFFu

// Counter: iterations of the decoder, bits 63:32
#define CHN_ITERATIONS_HI 0xD4u
#define CHN_ITERATIONS_HI_COUNT_SHIFT 0u
#define CHN_ITERATIONS_HI_COUNT_MASK 0xFFFFFFFFu

// Counter: retries with a step of the ladder, modulo 2^32
#define CHN_RETRY_COUNT(n) (0x100u + 0x4u * (n))
#define CHN_RETRY_COUNT_COUNT 16u
#define CHN_RETRY_COUNT_COUNT_SHIFT 0u
#define CHN_RETRY_COUNT_COUNT_MASK 0xFFFFFFFFu

#endif
