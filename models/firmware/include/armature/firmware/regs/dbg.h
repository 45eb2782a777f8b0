// Generated from rtl/regs/dbg.rdl (sha256 7d706db782c8ef20ec4fd5d3aeab428d2b989151df5342f7881810807c945d60). Do not edit: ./armature gen regs
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

#endif
