// Generated from rtl/regs/pmu.rdl (sha256 870c8f9c161f1b2a19f80ea15b8d4ad12ea69f0765a187fc6ae4bd4c53ac4b71). Do not edit: ./armature gen regs
#ifndef ARMATURE_FIRMWARE_REGS_PMU_H
#define ARMATURE_FIRMWARE_REGS_PMU_H

// Power management unit

// Power state of the controller
#define PMU_STATE 0x0u
#define PMU_STATE_STATE_SHIFT 0u
#define PMU_STATE_STATE_MASK 0x3u

#endif
