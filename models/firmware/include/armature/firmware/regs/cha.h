// Generated from rtl/regs/cha.rdl (sha256 42aeb9c8d8e032820a682311b12a0fd2fcb2f031e53312cd2888e46c762c3ec7). Do not edit: ./armature gen regs
#ifndef ARMATURE_FIRMWARE_REGS_CHA_H
#define ARMATURE_FIRMWARE_REGS_CHA_H

// Channel arbiter

// Control
#define CHA_CTRL 0x0u
#define CHA_CTRL_ENABLE_SHIFT 0u
#define CHA_CTRL_ENABLE_MASK 0x1u
#define CHA_CTRL_POLICY_SHIFT 1u
#define CHA_CTRL_POLICY_MASK 0x2u
#define CHA_CTRL_CLEAR_SHIFT 31u
#define CHA_CTRL_CLEAR_MASK 0x80000000u

// Interrupt status
#define CHA_INTSTAT 0x4u
#define CHA_INTSTAT_GRANT_SHIFT 0u
#define CHA_INTSTAT_GRANT_MASK 0x1u

// Interrupt enable
#define CHA_INTEN 0x8u
#define CHA_INTEN_GRANT_SHIFT 0u
#define CHA_INTEN_GRANT_MASK 0x1u

// Grant
#define CHA_GRANT 0xCu
#define CHA_GRANT_ARM_SHIFT 0u
#define CHA_GRANT_ARM_MASK 0x7u
#define CHA_GRANT_CHANNEL_SHIFT 4u
#define CHA_GRANT_CHANNEL_MASK 0x70u
#define CHA_GRANT_VALID_SHIFT 31u
#define CHA_GRANT_VALID_MASK 0x80000000u

// Acknowledge the grant
#define CHA_GRANT_ACK 0x10u
#define CHA_GRANT_ACK_ACK_SHIFT 0u
#define CHA_GRANT_ACK_ACK_MASK 0x1u

// Start margin
#define CHA_MARGIN 0x14u
#define CHA_MARGIN_TICKS_SHIFT 0u
#define CHA_MARGIN_TICKS_MASK 0xFFFFu

// Channel is free; the write frees it
#define CHA_FREE 0x18u
#define CHA_FREE_CHANNEL_SHIFT 0u
#define CHA_FREE_CHANNEL_MASK 0x7u

// Free channels
#define CHA_CHANNELS 0x1Cu
#define CHA_CHANNELS_CHANNELS_SHIFT 0u
#define CHA_CHANNELS_CHANNELS_MASK 0xFFu

// Arm: asks for a channel, or (valid = 0) no longer does
#define CHA_REQUEST(n) (0x40u + 0x4u * (n))
#define CHA_REQUEST_COUNT 8u
#define CHA_REQUEST_ANGLE_SHIFT 0u
#define CHA_REQUEST_ANGLE_MASK 0xFFFFu
#define CHA_REQUEST_STACK_SHIFT 16u
#define CHA_REQUEST_STACK_MASK 0x70000u
#define CHA_REQUEST_VALID_SHIFT 31u
#define CHA_REQUEST_VALID_MASK 0x80000000u

#endif
