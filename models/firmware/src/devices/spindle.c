// Spindles.
#include "devices/spindle.h"

void fw_spindle_order(struct fw_context* ctx, uint32_t stack, uint32_t speed) {
  fw_write(ctx, SOC_SPN_BASE(stack), SPN_CTRL, SPN_CTRL_RUN_MASK | FW_SET(SPN_CTRL_SPEED, speed) | SPN_CTRL_GO_MASK);
}

void fw_spindle_stop(struct fw_context* ctx, uint32_t stack) {
  fw_write(ctx, SOC_SPN_BASE(stack), SPN_CTRL, SPN_CTRL_GO_MASK);
}

bool fw_spindle_ready(struct fw_context* ctx, uint32_t stack) {
  return (fw_read(ctx, SOC_SPN_BASE(stack), SPN_INTSTAT) & SPN_INTSTAT_READY_MASK) != 0;
}

void fw_spindle_take_ready(struct fw_context* ctx, uint32_t stack) {
  fw_write(ctx, SOC_SPN_BASE(stack), SPN_INTSTAT, SPN_INTSTAT_READY_MASK);
}

bool fw_spindle_steady(struct fw_context* ctx, uint32_t stack) {
  return (fw_read(ctx, SOC_SPN_BASE(stack), SPN_STATUS) & SPN_STATUS_EIGHTH_RPM_MASK) != 0;
}

bool fw_spindle_at_speed(struct fw_context* ctx, uint32_t stack) {
  return (fw_read(ctx, SOC_SPN_BASE(stack), SPN_STATUS) & SPN_STATUS_AT_SPEED_MASK) != 0;
}

void fw_spindle_enable(struct fw_context* ctx, uint32_t stack) {
  fw_write(ctx, SOC_SPN_BASE(stack), SPN_INTEN, SPN_INTEN_READY_MASK);
}
