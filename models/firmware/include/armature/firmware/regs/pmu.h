// Generated from rtl/regs/pmu.rdl (sha256 9716c6a35d0511229491b26fca20f6ca1af42501f52281530409fadb5bc66e26). Do not edit: ./armature gen regs
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

// Power that the array allows the drive, by a signal of the enclosure
#define PMU_SHARE 0x8u
#define PMU_SHARE_MW_SHIFT 0u
#define PMU_SHARE_MW_MASK 0xFFFFFFFFu

// Temperature by the sensor on the drive's case
#define PMU_TEMPERATURE 0x20u
#define PMU_TEMPERATURE_CELSIUS_SHIFT 0u
#define PMU_TEMPERATURE_CELSIUS_MASK 0xFFu
#define PMU_TEMPERATURE_VALID_SHIFT 8u
#define PMU_TEMPERATURE_VALID_MASK 0x100u

#endif
