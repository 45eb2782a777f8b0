// Channel arbiter.
#include "devices/channel_arbiter.h"

void fw_cha_start(struct fw_context* ctx, uint32_t policy, uint32_t margin) {
  fw_write(ctx, SOC_CHA_BASE, CHA_MARGIN, margin);
  fw_write(ctx, SOC_CHA_BASE, CHA_INTEN, CHA_INTEN_GRANT_MASK);
  fw_write(ctx, SOC_CHA_BASE, CHA_CTRL, CHA_CTRL_ENABLE_MASK | FW_SET(CHA_CTRL_POLICY, policy));
}

void fw_cha_margin(struct fw_context* ctx, uint32_t margin) {
  fw_write(ctx, SOC_CHA_BASE, CHA_MARGIN, margin);
}

void fw_cha_ask(struct fw_context* ctx, uint32_t n, uint32_t request) {
  fw_write(ctx, SOC_CHA_BASE, CHA_REQUEST(n), request | CHA_REQUEST_VALID_MASK);
}

void fw_cha_ask_no_more(struct fw_context* ctx, uint32_t n) {
  fw_write(ctx, SOC_CHA_BASE, CHA_REQUEST(n), 0);
}

uint32_t fw_cha_grant(struct fw_context* ctx) {
  return fw_read(ctx, SOC_CHA_BASE, CHA_GRANT);
}

void fw_cha_take_grant(struct fw_context* ctx) {
  fw_write(ctx, SOC_CHA_BASE, CHA_GRANT_ACK, CHA_GRANT_ACK_ACK_MASK);
}

void fw_cha_free(struct fw_context* ctx, uint32_t channel) {
  fw_write(ctx, SOC_CHA_BASE, CHA_FREE, channel);
}

void fw_cha_clear(struct fw_context* ctx, uint32_t policy) {
  fw_write(ctx, SOC_CHA_BASE, CHA_CTRL, CHA_CTRL_ENABLE_MASK | FW_SET(CHA_CTRL_POLICY, policy) | CHA_CTRL_CLEAR_MASK);
}
