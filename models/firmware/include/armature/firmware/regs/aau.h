// Generated from rtl/regs/aau.rdl (sha256 640d29d3ed80fc8494bc6b265c047d08f2cda91b414dae1e389f1580399cef20). Do not edit: ./armature gen regs
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
#define AAU_CTRL_ZONE_SHIFT 8u
#define AAU_CTRL_ZONE_MASK 0x1F00u
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
#define AAU_GRANT_HEAD_SHIFT 13u
#define AAU_GRANT_HEAD_MASK 0x6000u
#define AAU_GRANT_ARM_CLASS_SHIFT 15u
#define AAU_GRANT_ARM_CLASS_MASK 0x8000u
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

// Limits
#define AAU_LIMITS 0x40u
#define AAU_LIMITS_IN_SERVICE_SHIFT 0u
#define AAU_LIMITS_IN_SERVICE_MASK 0xFu
#define AAU_LIMITS_MOVING_SHIFT 4u
#define AAU_LIMITS_MOVING_MASK 0xF0u
#define AAU_LIMITS_HEADS_SHIFT 8u
#define AAU_LIMITS_HEADS_MASK 0x300u

// Arms that may be granted
#define AAU_ARM_MASK 0x44u
#define AAU_ARM_MASK_ARMS_SHIFT 0u
#define AAU_ARM_MASK_ARMS_MASK 0xFFu

// Arms that have come on their track
#define AAU_ARRIVED 0x48u
#define AAU_ARRIVED_ARMS_SHIFT 0u
#define AAU_ARRIVED_ARMS_MASK 0xFFu

// Withdraw a slot
#define AAU_WITHDRAW 0x4Cu
#define AAU_WITHDRAW_SLOT_SHIFT 0u
#define AAU_WITHDRAW_SLOT_MASK 0x3FFu
#define AAU_WITHDRAW_TOO_LATE_SHIFT 31u
#define AAU_WITHDRAW_TOO_LATE_MASK 0x80000000u

// Arms that are held for writing; the write says of one of them whether it is
#define AAU_WROTE 0x50u
#define AAU_WROTE_ARMS_SHIFT 0u
#define AAU_WROTE_ARMS_MASK 0xFFu
#define AAU_WROTE_HELD_SHIFT 16u
#define AAU_WROTE_HELD_MASK 0x10000u
#define AAU_WROTE_ARM_SHIFT 24u
#define AAU_WROTE_ARM_MASK 0x7000000u

// Stroke
#define AAU_STROKE 0x54u
#define AAU_STROKE_CYLINDER_SHIFT 0u
#define AAU_STROKE_CYLINDER_MASK 0x7FFFFFu

// Seek table: slope from the entry to the next, bits 31:0
#define AAU_SEEK_SLOPE_LO 0x58u
#define AAU_SEEK_SLOPE_LO_SLOPE_SHIFT 0u
#define AAU_SEEK_SLOPE_LO_SLOPE_MASK 0xFFFFFFFFu

// Seek table: slope, bits 39:32
#define AAU_SEEK_SLOPE_HI 0x5Cu
#define AAU_SEEK_SLOPE_HI_SLOPE_SHIFT 0u
#define AAU_SEEK_SLOPE_HI_SLOPE_MASK 0xFFu

// Seek table: class of arms that the entries written are for
#define AAU_SEEK_CLASS 0x60u
#define AAU_SEEK_CLASS_ARM_CLASS_SHIFT 0u
#define AAU_SEEK_CLASS_ARM_CLASS_MASK 0x1u

// Arms at work
#define AAU_WORK 0x64u
#define AAU_WORK_IN_SERVICE_SHIFT 0u
#define AAU_WORK_IN_SERVICE_MASK 0xFFu
#define AAU_WORK_MOVING_SHIFT 8u
#define AAU_WORK_MOVING_MASK 0xFF00u

// Data channels that the arms share
#define AAU_CHANNELS 0x68u
#define AAU_CHANNELS_COUNT_SHIFT 0u
#define AAU_CHANNELS_COUNT_MASK 0xFu
#define AAU_CHANNELS_GAP_SHIFT 16u
#define AAU_CHANNELS_GAP_MASK 0xFFFF0000u

// Appointment of an arm in service: the write says how long its access lasts now
#define AAU_APPOINTMENT 0x6Cu
#define AAU_APPOINTMENT_TICKS_SHIFT 0u
#define AAU_APPOINTMENT_TICKS_MASK 0xFFFFFFu
#define AAU_APPOINTMENT_ARM_SHIFT 24u
#define AAU_APPOINTMENT_ARM_MASK 0x7000000u

// Appointment of an arm in service: the write says that its access begins later
#define AAU_POSTPONE 0x70u
#define AAU_POSTPONE_TICKS_SHIFT 0u
#define AAU_POSTPONE_TICKS_MASK 0xFFFFFFu
#define AAU_POSTPONE_ARM_SHIFT 24u
#define AAU_POSTPONE_ARM_MASK 0x7000000u

// Arm: where it is, and that it is idle
#define AAU_ARM(n) (0x80u + 0x4u * (n))
#define AAU_ARM_COUNT 8u
#define AAU_ARM_CYLINDER_SHIFT 0u
#define AAU_ARM_CYLINDER_MASK 0x7FFFFFu
#define AAU_ARM_HEAD_SHIFT 23u
#define AAU_ARM_HEAD_MASK 0x7F800000u
#define AAU_ARM_IDLE_SHIFT 31u
#define AAU_ARM_IDLE_MASK 0x80000000u

// Arm: how it is mounted
#define AAU_ARM_MOUNT(n) (0xA0u + 0x4u * (n))
#define AAU_ARM_MOUNT_COUNT 8u
#define AAU_ARM_MOUNT_ANGLE_SHIFT 0u
#define AAU_ARM_MOUNT_ANGLE_MASK 0xFFFFu
#define AAU_ARM_MOUNT_STACK_SHIFT 16u
#define AAU_ARM_MOUNT_STACK_MASK 0x70000u
#define AAU_ARM_MOUNT_ARM_CLASS_SHIFT 19u
#define AAU_ARM_MOUNT_ARM_CLASS_MASK 0x80000u

// Arm: surfaces that it has heads for
#define AAU_ARM_REACH(n) (0xC0u + 0x4u * (n))
#define AAU_ARM_REACH_COUNT 8u
#define AAU_ARM_REACH_FIRST_SHIFT 0u
#define AAU_ARM_REACH_FIRST_MASK 0xFFu
#define AAU_ARM_REACH_LAST_SHIFT 8u
#define AAU_ARM_REACH_LAST_MASK 0xFF00u

// Head of an arm on a surface: how far out it sits, against the arm's position
#define AAU_HEAD_OFFSET(n) (0xE0u + 0x4u * (n))
#define AAU_HEAD_OFFSET_COUNT 4u
#define AAU_HEAD_OFFSET_CYLINDERS_SHIFT 0u
#define AAU_HEAD_OFFSET_CYLINDERS_MASK 0xFFFFFFu

// Head of an arm on a surface: its angle
#define AAU_HEAD_ANGLE(n) (0xF0u + 0x4u * (n))
#define AAU_HEAD_ANGLE_COUNT 4u
#define AAU_HEAD_ANGLE_ANGLE_SHIFT 0u
#define AAU_HEAD_ANGLE_ANGLE_MASK 0xFFFFu

// Slots that the pass of the pending grant can serve too (sled cost model only; 0 otherwise)
#define AAU_RIDE_ALONG(n) (0x100u + 0x4u * (n))
#define AAU_RIDE_ALONG_COUNT 32u
#define AAU_RIDE_ALONG_SLOTS_SHIFT 0u
#define AAU_RIDE_ALONG_SLOTS_MASK 0xFFFFFFFFu

// Heads that may be used: word 4 n + h is that of head h of arm n on each surface
#define AAU_HEAD_MASK(n) (0x180u + 0x4u * (n))
#define AAU_HEAD_MASK_COUNT 32u
#define AAU_HEAD_MASK_SURFACES_SHIFT 0u
#define AAU_HEAD_MASK_SURFACES_MASK 0xFFFFFFFFu

// Slot: the arm that is reserved for it
#define AAU_SLOT_ARM(n) (0x2000u + 0x4u * (n))
#define AAU_SLOT_ARM_COUNT 1024u
#define AAU_SLOT_ARM_ARM_SHIFT 0u
#define AAU_SLOT_ARM_ARM_MASK 0x7u
#define AAU_SLOT_ARM_RESERVED_SHIFT 3u
#define AAU_SLOT_ARM_RESERVED_MASK 0x8u

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
#define AAU_SLOT_COMMIT_STACK_SHIFT 19u
#define AAU_SLOT_COMMIT_STACK_MASK 0x380000u
#define AAU_SLOT_COMMIT_LENGTH_SHIFT 22u
#define AAU_SLOT_COMMIT_LENGTH_MASK 0x7FC00000u
#define AAU_SLOT_COMMIT_VALID_SHIFT 31u
#define AAU_SLOT_COMMIT_VALID_MASK 0x80000000u

#endif
