// Debug port: state by name, console, and the end of everything.
#include "devices/debug.h"

void fw_show(struct fw_context* ctx, enum fw_state state, uint32_t tag) {
  ctx->shown_state = (uint8_t)state;
  fw_write(ctx, SOC_DBG_BASE, DBG_STATE, FW_SET(DBG_STATE_STATE, state) | FW_SET(DBG_STATE_TAG, tag));
}

// Tells what the command waits for, for the record of its time.
void fw_account(struct fw_context* ctx, uint32_t tag, enum fw_wait reason) {
  fw_write(ctx, SOC_DBG_BASE, DBG_WAIT, FW_SET(DBG_WAIT_TAG, tag) | FW_SET(DBG_WAIT_REASON, reason));
}

void fw_print(struct fw_context* ctx, const char* text) {
  for (; *text != '\0'; ++text) fw_write(ctx, SOC_DBG_BASE, DBG_PUTC, (uint32_t)(unsigned char)*text);
  fw_write(ctx, SOC_DBG_BASE, DBG_PUTC, (uint32_t)'\n');
}

void fw_count(struct fw_context* ctx, enum fw_counter counter, uint32_t value) {
  fw_write(ctx, SOC_DBG_BASE, DBG_COUNTER((uint32_t)counter), value);
}
