// Generated from rtl/regs/pmu.rdl (sha256 1b67bb6022330b332343668a5fd3671df742217123d9e1966c817ef6051d218e). Do not edit: ./armature gen regs
#ifndef ARMATURE_FIRMWARE_REGS_PMU_H
#define ARMATURE_FIRMWARE_REGS_PMU_H

// Power management unit

// Power state of the controller
#define PMU_STATE 0x0u
#define PMU_STATE_STATE_SHIFT 0u
#define PMU_STATE_STATE_MASK 0x7u

#endif
