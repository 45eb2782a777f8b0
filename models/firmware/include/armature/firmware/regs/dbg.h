// Generated from rtl/regs/dbg.rdl (sha256 2808a1bd70eb1753a8b1e0e0d3f321bcebf79db8fa890b05b64407d13a2ff358). Do not edit: ./armature gen regs
#ifndef ARMATURE_FIRMWARE_REGS_DBG_H
#define ARMATURE_FIRMWARE_REGS_DBG_H

// Debug port

// Console
#define DBG_PUTC 0x0u
#define DBG_PUTC_CHARACTER_SHIFT 0u
#define DBG_PUTC_CHARACTER_MASK 0xFFu

// Firmware state
#define DBG_STATE 0x4u
#define DBG_STATE_STATE_SHIFT 0u
#define DBG_STATE_STATE_MASK 0xFFu
#define DBG_STATE_TAG_SHIFT 8u
#define DBG_STATE_TAG_MASK 0x3FF00u

// Fatal: firmware met an impossible state and stopped
#define DBG_FATAL 0x8u
#define DBG_FATAL_LINE_SHIFT 0u
#define DBG_FATAL_LINE_MASK 0xFFFFFFFFu

// Accounting: what a command waits for while firmware holds it
#define DBG_WAIT 0xCu
#define DBG_WAIT_TAG_SHIFT 0u
#define DBG_WAIT_TAG_MASK 0x3FFu
#define DBG_WAIT_REASON_SHIFT 16u
#define DBG_WAIT_REASON_MASK 0x70000u

// Accounting: firmware gives an arm to a command without a grant of the arm-arbitration unit
#define DBG_ARM 0x10u
#define DBG_ARM_TAG_SHIFT 0u
#define DBG_ARM_TAG_MASK 0x3FFu
#define DBG_ARM_ARM_SHIFT 16u
#define DBG_ARM_ARM_MASK 0xF0000u

// Counters that firmware keeps, by enum fw_counter
#define DBG_COUNTER(n) (0x40u + 0x4u * (n))
#define DBG_COUNTER_COUNT 32u
#define DBG_COUNTER_VALUE_SHIFT 0u
#define DBG_COUNTER_VALUE_MASK 0xFFFFFFFFu

#endif
