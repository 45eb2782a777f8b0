// Flushes, and the idle time after which written data go to the media.
#include "commands/commands.h"

// A media command came: the idle time begins again.
void fw_media_activity(struct fw_context* ctx) {
  if (!ctx->buffer.line_share || ctx->destage.idle_us == 0) return;
  fw_hits_since(ctx);
  fw_destage_idle(ctx, false);
  if (ctx->pm.state == FW_POWER_SPIN_UP) return;  // it begins when the arms can move
  fw_timer_start(ctx, FW_TIMER_IDLE, ctx->destage.idle_us);
}

// The drive has been idle for a while.
void fw_idle_over(struct fw_context* ctx) {
  if (fw_hits_since(ctx)) {  // not idle: reads came that hardware answered
    fw_timer_start(ctx, FW_TIMER_IDLE, ctx->destage.idle_us);
    return;
  }
  fw_destage_idle(ctx, true);
  fw_destage_update(ctx);
}

// An unqueued command, whose tag is 0, ends when all that was written is on the media.
void fw_flush(struct fw_context* ctx, bool accounted) {
  if (ctx->buffer.lines == 0 || ctx->line_cache.oldest_dirty == FW_NO_LINE) {
    fw_due(ctx, FW_DUE_FLUSHED);
    return;
  }
  if (ctx->pm.fault) {
    fw_unqueued_fault(ctx, 0);
    return;
  }
  fw_destage_flush(ctx, accounted ? FW_FLUSH_REQUEST : FW_FLUSH_DRIVE);
  if (accounted) fw_account(ctx, 0, FW_WAIT_DESTAGE);
  fw_show(ctx, FW_STATE_WAIT_DESTAGE, 0);
  fw_destage_update(ctx);
}
