// Servos.
#include "devices/servo.h"

void fw_servo_move(struct fw_context* ctx, uint32_t n, uint32_t target, uint32_t command) {
  fw_write(ctx, SOC_SRV_BASE(n), SRV_TARGET, target);
  fw_servo_order(ctx, n, command);
}

void fw_servo_order(struct fw_context* ctx, uint32_t n, uint32_t command) {
  fw_write(ctx, SOC_SRV_BASE(n), SRV_CTRL, command | SRV_CTRL_GO_MASK);
}

uint32_t fw_servo_events(struct fw_context* ctx, uint32_t n) {
  const uint32_t events = fw_read(ctx, SOC_SRV_BASE(n), SRV_INTSTAT);
  fw_write(ctx, SOC_SRV_BASE(n), SRV_INTSTAT, events);
  return events;
}

uint32_t fw_servo_faults(struct fw_context* ctx, uint32_t n) {
  return fw_read(ctx, SOC_SRV_BASE(n), SRV_INTSTAT);
}

void fw_servo_take_head_fault(struct fw_context* ctx, uint32_t n) {
  fw_write(ctx, SOC_SRV_BASE(n), SRV_INTSTAT, SRV_INTSTAT_HEAD_FAULT_MASK);
}

uint32_t fw_servo_status(struct fw_context* ctx, uint32_t n) {
  return fw_read(ctx, SOC_SRV_BASE(n), SRV_STATUS);
}

uint32_t fw_servo_parking(struct fw_context* ctx, uint32_t n) {
  return fw_read(ctx, SOC_SRV_BASE(n), SRV_PARKING);
}

void fw_servo_enable(struct fw_context* ctx, uint32_t n) {
  fw_write(ctx, SOC_SRV_BASE(n), SRV_INTEN,
           SRV_INTEN_READY_MASK | SRV_INTEN_ERROR_MASK | SRV_INTEN_FAULT_MASK | SRV_INTEN_HEAD_FAULT_MASK);
}
