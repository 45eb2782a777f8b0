// Blocks of a register or two.
#include "devices/system.h"

void fw_pmu_tell(struct fw_context* ctx, uint32_t state) {
  fw_write(ctx, SOC_PMU_BASE, PMU_STATE, state);
}

uint32_t fw_pmu_share(struct fw_context* ctx) {
  return fw_read(ctx, SOC_PMU_BASE, PMU_SHARE);
}

uint32_t fw_pmu_energy(struct fw_context* ctx) {
  return fw_read(ctx, SOC_PMU_BASE, PMU_ENERGY);
}

uint32_t fw_pmu_temperature(struct fw_context* ctx) {
  return fw_read(ctx, SOC_PMU_BASE, PMU_TEMPERATURE);
}

uint32_t fw_factory_word(struct fw_context* ctx, uint32_t offset) {
  return fw_read(ctx, SOC_NVM_BASE, offset);
}

void fw_irq_enable(struct fw_context* ctx, uint32_t lines) {
  fw_write(ctx, SOC_IRQ_BASE, IRQ_ENABLE, lines);
}
