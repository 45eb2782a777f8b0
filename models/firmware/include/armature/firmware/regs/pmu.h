// Generated from rtl/regs/pmu.rdl (sha256 96f40c6f415630a8ecc98194592853f2b27c343d48241d49a2815cb1ee6686b4). Do not edit: ./armature gen regs
#ifndef ARMATURE_FIRMWARE_REGS_PMU_H
#define ARMATURE_FIRMWARE_REGS_PMU_H

// Power management unit

// Power state of the controller
#define PMU_STATE 0x0u
#define PMU_STATE_STATE_SHIFT 0u
#define PMU_STATE_STATE_MASK 0x7u

// Energy that the drive has drawn from its rails since power-on, modulo 2^32; 0 without charge counters
#define PMU_ENERGY 0x4u
#define PMU_ENERGY_UJ_SHIFT 0u
#define PMU_ENERGY_UJ_MASK 0xFFFFFFFFu

#endif
