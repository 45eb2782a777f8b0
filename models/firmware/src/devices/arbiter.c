// Arm-arbitration unit.
#include "devices/arbiter.h"

void fw_aau_set(struct fw_context* ctx, uint32_t offset, uint32_t value) {
  fw_write(ctx, SOC_AAU_BASE, offset, value);
}

void fw_aau_slot(struct fw_context* ctx, uint32_t slot, uint32_t target, uint32_t commit) {
  fw_write(ctx, SOC_AAU_BASE, AAU_SLOT_TARGET(slot), target);
  fw_write(ctx, SOC_AAU_BASE, AAU_SLOT_COMMIT(slot), commit | AAU_SLOT_COMMIT_VALID_MASK);
}

void fw_aau_reserve(struct fw_context* ctx, uint32_t slot, uint32_t n) {
  fw_write(ctx, SOC_AAU_BASE, AAU_SLOT_ARM(slot),
           n == FW_NO_ARM ? 0u : FW_SET(AAU_SLOT_ARM_ARM, n) | AAU_SLOT_ARM_RESERVED_MASK);
}

void fw_aau_withdraw(struct fw_context* ctx, uint32_t slot) {
  fw_write(ctx, SOC_AAU_BASE, AAU_WITHDRAW, FW_SET(AAU_WITHDRAW_SLOT, slot));
}

void fw_aau_slot_off(struct fw_context* ctx, uint32_t slot) {
  fw_write(ctx, SOC_AAU_BASE, AAU_SLOT_COMMIT(slot), 0);
}

uint32_t fw_aau_grant(struct fw_context* ctx) {
  return fw_read(ctx, SOC_AAU_BASE, AAU_GRANT);
}

uint32_t fw_aau_rides(struct fw_context* ctx, uint32_t word) {
  return fw_read(ctx, SOC_AAU_BASE, AAU_RIDE_ALONG(word));
}

uint32_t fw_aau_estimate(struct fw_context* ctx) {
  return fw_read(ctx, SOC_AAU_BASE, AAU_ESTIMATE);
}

uint32_t fw_aau_commitment(struct fw_context* ctx, uint32_t slot) {
  return fw_read(ctx, SOC_AAU_BASE, AAU_SLOT_COMMIT(slot));
}

void fw_aau_take_grant(struct fw_context* ctx) {
  fw_write(ctx, SOC_AAU_BASE, AAU_GRANT_ACK, AAU_GRANT_ACK_ACK_MASK);
}

void fw_aau_arm(struct fw_context* ctx, uint32_t n, uint32_t place, bool idle) {
  fw_write(ctx, SOC_AAU_BASE, AAU_ARM(n), place | (idle ? AAU_ARM_IDLE_MASK : 0u));
}

void fw_aau_wrote(struct fw_context* ctx, uint32_t n, bool wrote) {
  if ((fw_read(ctx, SOC_AAU_BASE, AAU_WROTE) >> n & 1u) == (wrote ? 1u : 0u)) return;  // already set by a grant
  fw_write(ctx, SOC_AAU_BASE, AAU_WROTE, FW_SET(AAU_WROTE_ARM, n) | (wrote ? AAU_WROTE_HELD_MASK : 0u));
}

void fw_aau_arrived(struct fw_context* ctx, uint32_t n) {
  fw_write(ctx, SOC_AAU_BASE, AAU_ARRIVED, 1u << n);
}

void fw_aau_arms(struct fw_context* ctx, uint32_t mask) {
  fw_write(ctx, SOC_AAU_BASE, AAU_ARM_MASK, mask);
}

void fw_aau_heads(struct fw_context* ctx, uint32_t n, uint32_t head, uint32_t mask) {
  fw_write(ctx, SOC_AAU_BASE, AAU_HEAD_MASK(FW_MAX_HEADS * n + head), mask);
}

void fw_aau_appointment(struct fw_context* ctx, uint32_t n, uint32_t ticks) {
  fw_write(ctx, SOC_AAU_BASE, AAU_APPOINTMENT, FW_SET(AAU_APPOINTMENT_TICKS, ticks) | FW_SET(AAU_APPOINTMENT_ARM, n));
}

void fw_aau_postpone(struct fw_context* ctx, uint32_t n, uint32_t ticks) {
  fw_write(ctx, SOC_AAU_BASE, AAU_POSTPONE, FW_SET(AAU_POSTPONE_TICKS, ticks) | FW_SET(AAU_POSTPONE_ARM, n));
}

void fw_aau_control(struct fw_context* ctx, uint32_t control) {
  fw_write(ctx, SOC_AAU_BASE, AAU_CTRL, control);
}
