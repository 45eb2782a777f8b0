// Generated from rtl/regs/spn.rdl (sha256 44d30a75d8e1613e92b7662b8c264e5bceb0fa770eeaacb085d3a1ace6ce72cb). Do not edit: ./armature gen regs
#ifndef ARMATURE_FIRMWARE_REGS_SPN_H
#define ARMATURE_FIRMWARE_REGS_SPN_H

// Spindle

// Control
#define SPN_CTRL 0x0u
#define SPN_CTRL_RUN_SHIFT 0u
#define SPN_CTRL_RUN_MASK 0x1u
#define SPN_CTRL_SPEED_SHIFT 1u
#define SPN_CTRL_SPEED_MASK 0xEu
#define SPN_CTRL_GO_SHIFT 31u
#define SPN_CTRL_GO_MASK 0x80000000u

// Status
#define SPN_STATUS 0x4u
#define SPN_STATUS_EIGHTH_RPM_SHIFT 0u
#define SPN_STATUS_EIGHTH_RPM_MASK 0x3FFFFu
#define SPN_STATUS_AT_SPEED_SHIFT 30u
#define SPN_STATUS_AT_SPEED_MASK 0x40000000u

// Interrupt status
#define SPN_INTSTAT 0x8u
#define SPN_INTSTAT_READY_SHIFT 0u
#define SPN_INTSTAT_READY_MASK 0x1u

// Interrupt enable
#define SPN_INTEN 0xCu
#define SPN_INTEN_READY_SHIFT 0u
#define SPN_INTEN_READY_MASK 0x1u

#endif
