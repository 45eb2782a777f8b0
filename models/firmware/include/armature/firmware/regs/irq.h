// Generated from rtl/regs/irq.rdl (sha256 c1da7e1f3b7866b29bb080eda8a3538d4a48d26a01197453816484459ee5752e). Do not edit: ./armature gen regs
#ifndef ARMATURE_FIRMWARE_REGS_IRQ_H
#define ARMATURE_FIRMWARE_REGS_IRQ_H

// Interrupt controller

// Pending lines
#define IRQ_PENDING 0x0u
#define IRQ_PENDING_LINES_SHIFT 0u
#define IRQ_PENDING_LINES_MASK 0xFFFFFFFFu

// Enabled lines
#define IRQ_ENABLE 0x4u
#define IRQ_ENABLE_LINES_SHIFT 0u
#define IRQ_ENABLE_LINES_MASK 0xFFFFFFFFu

// Claim: the pending, enabled line with the lowest number
#define IRQ_CLAIM 0x8u
#define IRQ_CLAIM_LINE_SHIFT 0u
#define IRQ_CLAIM_LINE_MASK 0x1Fu
#define IRQ_CLAIM_VALID_SHIFT 31u
#define IRQ_CLAIM_VALID_MASK 0x80000000u

#endif
