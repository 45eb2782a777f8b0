// Generated from rtl/regs/tmr.rdl (sha256 260c8fd5bfacca9ec6bb31530c9b4a71e2397424db44a5ad4f25cb06d0a6fa46). Do not edit: ./armature gen regs
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

// Age: bits 47:16 of the microseconds since power-on, of which `count` has bits 31:0
#define TMR_AGE 0x10u
#define TMR_AGE_UNITS_SHIFT 0u
#define TMR_AGE_UNITS_MASK 0xFFFFFFFFu

#endif
