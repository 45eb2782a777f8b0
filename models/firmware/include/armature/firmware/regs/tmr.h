// Generated from rtl/regs/tmr.rdl (sha256 0b460e2c345b574203a5ca0222c0a85cad6b5d4e6e2e1dc553e7eb2d1f7baf9a). Do not edit: ./armature gen regs
#ifndef ARMATURE_FIRMWARE_REGS_TMR_H
#define ARMATURE_FIRMWARE_REGS_TMR_H

// Timer

// Microseconds since power-on, modulo 2^32
#define TMR_COUNT 0x0u
#define TMR_COUNT_US_SHIFT 0u
#define TMR_COUNT_US_MASK 0xFFFFFFFFu

// One shot: microseconds from now; 0 cancels; the write starts it
#define TMR_AFTER 0x4u
#define TMR_AFTER_US_SHIFT 0u
#define TMR_AFTER_US_MASK 0xFFFFFFFFu

// Interrupt status
#define TMR_INTSTAT 0x8u
#define TMR_INTSTAT_EXPIRED_SHIFT 0u
#define TMR_INTSTAT_EXPIRED_MASK 0x1u

// Interrupt enable
#define TMR_INTEN 0xCu
#define TMR_INTEN_EXPIRED_SHIFT 0u
#define TMR_INTEN_EXPIRED_MASK 0x1u

#endif
