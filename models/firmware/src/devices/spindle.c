// Spindles.
#include "devices/spindle.h"

void fw_spindle_order(struct fw_context* ctx, uint32_t stack, bool run) {
  fw_write(ctx, SOC_SPN_BASE(stack), SPN_CTRL, (run ? SPN_CTRL_RUN_MASK : 0u) | SPN_CTRL_GO_MASK);
}

bool fw_spindle_ready(struct fw_context* ctx, uint32_t stack) {
  return (fw_read(ctx, SOC_SPN_BASE(stack), SPN_INTSTAT) & SPN_INTSTAT_READY_MASK) != 0;
}

void fw_spindle_take_ready(struct fw_context* ctx, uint32_t stack) {
  fw_write(ctx, SOC_SPN_BASE(stack), SPN_INTSTAT, SPN_INTSTAT_READY_MASK);
}

bool fw_spindle_at_speed(struct fw_context* ctx, uint32_t stack) {
  return (fw_read(ctx, SOC_SPN_BASE(stack), SPN_STATUS) & SPN_STATUS_AT_SPEED_MASK) != 0;
}

void fw_spindle_enable(struct fw_context* ctx, uint32_t stack) {
  fw_write(ctx, SOC_SPN_BASE(stack), SPN_INTEN, SPN_INTEN_READY_MASK);
}
