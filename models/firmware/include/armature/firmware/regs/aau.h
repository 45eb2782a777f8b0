// Generated from rtl/regs/aau.rdl (sha256 38d960e33e85a232d2547a7dc0e1096ae39f728576302eef53ee22a4425658f3). Do not edit: ./armature gen regs
#ifndef ARMATURE_FIRMWARE_REGS_AAU_H
#define ARMATURE_FIRMWARE_REGS_AAU_H

// Arm-arbitration unit

// Control
#define AAU_CTRL 0x0u
#define AAU_CTRL_ENABLE_SHIFT 0u
#define AAU_CTRL_ENABLE_MASK 0x1u
#define AAU_CTRL_POLICY_SHIFT 1u
#define AAU_CTRL_POLICY_MASK 0xEu
#define AAU_CTRL_YIELD_SHIFT 4u
#define AAU_CTRL_YIELD_MASK 0xF0u
#define AAU_CTRL_WITHDRAW_ALL_SHIFT 31u
#define AAU_CTRL_WITHDRAW_ALL_MASK 0x80000000u

// Configuration of this instance
#define AAU_CONFIG 0x4u
#define AAU_CONFIG_SLOTS_SHIFT 0u
#define AAU_CONFIG_SLOTS_MASK 0x7FFu
#define AAU_CONFIG_ARMS_SHIFT 12u
#define AAU_CONFIG_ARMS_MASK 0xF000u
#define AAU_CONFIG_HEADS_SHIFT 16u
#define AAU_CONFIG_HEADS_MASK 0xFF0000u

// Interrupt status
#define AAU_INTSTAT 0x8u
#define AAU_INTSTAT_GRANT_SHIFT 0u
#define AAU_INTSTAT_GRANT_MASK 0x1u

// Interrupt enable
#define AAU_INTEN 0xCu
#define AAU_INTEN_GRANT_SHIFT 0u
#define AAU_INTEN_GRANT_MASK 0x1u

// Grant
#define AAU_GRANT 0x10u
#define AAU_GRANT_SLOT_SHIFT 0u
#define AAU_GRANT_SLOT_MASK 0x3FFu
#define AAU_GRANT_ARM_SHIFT 10u
#define AAU_GRANT_ARM_MASK 0x1C00u
#define AAU_GRANT_VALID_SHIFT 31u
#define AAU_GRANT_VALID_MASK 0x80000000u

// Grant: predicted time from the grant to the first sector
#define AAU_ESTIMATE 0x14u
#define AAU_ESTIMATE_TICKS_SHIFT 0u
#define AAU_ESTIMATE_TICKS_MASK 0xFFFFFFFFu

// Acknowledge the grant
#define AAU_GRANT_ACK 0x18u
#define AAU_GRANT_ACK_ACK_SHIFT 0u
#define AAU_GRANT_ACK_ACK_MASK 0x1u

// Settle margin
#define AAU_MARGIN 0x1Cu
#define AAU_MARGIN_TICKS_SHIFT 0u
#define AAU_MARGIN_TICKS_MASK 0xFFFFu

// Head switch time
#define AAU_HEAD_SWITCH 0x20u
#define AAU_HEAD_SWITCH_TICKS_SHIFT 0u
#define AAU_HEAD_SWITCH_TICKS_MASK 0xFFFFu

// Write settle time
#define AAU_WRITE_SETTLE 0x24u
#define AAU_WRITE_SETTLE_TICKS_SHIFT 0u
#define AAU_WRITE_SETTLE_TICKS_MASK 0xFFFFu

// Ageing
#define AAU_AGEING 0x28u
#define AAU_AGEING_WEIGHT_SHIFT 0u
#define AAU_AGEING_WEIGHT_MASK 0xFFFFu

// Repositioning time
#define AAU_REPOSITION 0x2Cu
#define AAU_REPOSITION_TICKS_SHIFT 0u
#define AAU_REPOSITION_TICKS_MASK 0xFFFFu

// Seek table: entry to write
#define AAU_SEEK_ENTRY 0x30u
#define AAU_SEEK_ENTRY_ENTRY_SHIFT 0u
#define AAU_SEEK_ENTRY_ENTRY_MASK 0xFFu

// Seek table: distance of the entry
#define AAU_SEEK_DISTANCE 0x34u
#define AAU_SEEK_DISTANCE_CYLINDERS_SHIFT 0u
#define AAU_SEEK_DISTANCE_CYLINDERS_MASK 0xFFFFFFu

// Seek table: time of the entry; the write stores the entry and advances
#define AAU_SEEK_TIME 0x38u
#define AAU_SEEK_TIME_TICKS_SHIFT 0u
#define AAU_SEEK_TIME_TICKS_MASK 0xFFFFFFu

// Seek table: number of entries in use
#define AAU_SEEK_ENTRIES 0x3Cu
#define AAU_SEEK_ENTRIES_ENTRIES_SHIFT 0u
#define AAU_SEEK_ENTRIES_ENTRIES_MASK 0x1FFu

// Arm: where it is, and that it is idle
#define AAU_ARM(n) (0x80u + 0x4u * (n))
#define AAU_ARM_COUNT 8u
#define AAU_ARM_CYLINDER_SHIFT 0u
#define AAU_ARM_CYLINDER_MASK 0x7FFFFFu
#define AAU_ARM_HEAD_SHIFT 23u
#define AAU_ARM_HEAD_MASK 0x7F800000u
#define AAU_ARM_IDLE_SHIFT 31u
#define AAU_ARM_IDLE_MASK 0x80000000u

// Slot: target
#define AAU_SLOT_TARGET(n) (0x4000u + 0x4u * (n))
#define AAU_SLOT_TARGET_COUNT 1024u
#define AAU_SLOT_TARGET_CYLINDER_SHIFT 0u
#define AAU_SLOT_TARGET_CYLINDER_MASK 0x7FFFFFu
#define AAU_SLOT_TARGET_HEAD_SHIFT 23u
#define AAU_SLOT_TARGET_HEAD_MASK 0x7F800000u

// Slot: angle and commit; the write makes the slot a candidate or withdraws it
#define AAU_SLOT_COMMIT(n) (0x6000u + 0x4u * (n))
#define AAU_SLOT_COMMIT_COUNT 1024u
#define AAU_SLOT_COMMIT_ANGLE_SHIFT 0u
#define AAU_SLOT_COMMIT_ANGLE_MASK 0xFFFFu
#define AAU_SLOT_COMMIT_WRITE_SHIFT 16u
#define AAU_SLOT_COMMIT_WRITE_MASK 0x10000u
#define AAU_SLOT_COMMIT_SLOT_CLASS_SHIFT 17u
#define AAU_SLOT_COMMIT_SLOT_CLASS_MASK 0x60000u
#define AAU_SLOT_COMMIT_VALID_SHIFT 31u
#define AAU_SLOT_COMMIT_VALID_MASK 0x80000000u

#endif
