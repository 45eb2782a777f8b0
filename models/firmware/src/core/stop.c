// Fatal stop.
#include "core/core.h"

void fw_stop(struct fw_context* ctx, const char* file, uint32_t line, const char* function) {
  ctx->errors.stopped = true;
  ctx->base.stopped_in = file;
  ctx->base.stopped_function = function;
  fw_write(ctx, SOC_IRQ_BASE, IRQ_ENABLE, 0);
  ctx->errors.shown_state = (uint8_t)FW_STATE_STOPPED;
  fw_write(ctx, SOC_DBG_BASE, DBG_STATE, FW_SET(DBG_STATE_STATE, FW_STATE_STOPPED));
  fw_write(ctx, SOC_DBG_BASE, DBG_FATAL, line);
}
