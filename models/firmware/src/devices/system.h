// Blocks of a register or two: power management unit, factory memory, interrupt controller.
#ifndef ARMATURE_FIRMWARE_DEVICES_SYSTEM_H
#define ARMATURE_FIRMWARE_DEVICES_SYSTEM_H

#include "core/core.h"

// pmu.state.
void fw_pmu_tell(struct fw_context* ctx, uint32_t state);

// pmu.energy: microjoules that the drive has drawn, modulo 2^32.
uint32_t fw_pmu_energy(struct fw_context* ctx);
uint32_t fw_pmu_share(struct fw_context* ctx);  // milliwatts; 0: none

// pmu.temperature.
uint32_t fw_pmu_temperature(struct fw_context* ctx);

// A word of the factory record, by its offset in struct fw_factory.
uint32_t fw_factory_word(struct fw_context* ctx, uint32_t offset);

// The interrupt lines that are enabled, a bit each.
void fw_irq_enable(struct fw_context* ctx, uint32_t lines);

#endif
