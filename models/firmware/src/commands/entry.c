// Entry points: what the machine calls.
#include "firmware.h"

size_t fw_context_bytes(void) {
  return sizeof(struct fw_context);
}

static void handle(struct fw_context* ctx, uint32_t cause) {
  if (cause < FW_IRQ_SRV0) {
    fw_channel_event(ctx, cause - FW_IRQ_CHN0);
    return;
  }
  if (cause < FW_IRQ_AAU) {
    fw_servo_event(ctx, cause - FW_IRQ_SRV0);
    return;
  }
  switch (cause) {
    case FW_IRQ_AAU:
      fw_granted(ctx);
      break;
    case FW_IRQ_HIF_DMA:
      fw_dma_event(ctx);
      break;
    case FW_IRQ_HIF_READ:
    case FW_IRQ_HIF_WRITE:
      fw_media_command(ctx);
      break;
    case FW_IRQ_HIF_OTHER:
      fw_other_command(ctx);
      break;
    case FW_IRQ_HIF_ERROR:
      ctx->asleep = false;
      fw_link_error(ctx);
      break;
    case FW_IRQ_SPN:
      fw_spindle_event(ctx);
      break;
    case FW_IRQ_TMR:
      fw_timer_expired(ctx);
      break;
    case FW_IRQ_CHA:
      fw_channel_granted(ctx);
      break;
    case FW_IRQ_BUF:
      fw_hits_released(ctx);
      break;
    default:
      FW_STOP(ctx);
      break;
  }
}

void fw_isr(struct fw_context* ctx, uint32_t cause) {
  if (ctx->stopped) return;
  ctx->timers.read = false;
  handle(ctx, cause);
  // What a handler leaves for its end, when nothing is half done any more.
  fw_lines_leave(ctx);
  if (ctx->unreachable_due) fw_unreachable_due(ctx);
  if ((ctx->segment_queue.count != 0 || ctx->held_back != 0) &&
      (ctx->groups > 1u || ctx->failed_heads != 0 || ctx->failed_arms != 0))
    fw_serve_holders(ctx);
  if (!ctx->stopped) fw_power_tell(ctx);
}

// What the arms do of their own accord, if anything.
static enum fw_state own_work(const struct fw_context* ctx) {
  for (uint32_t n = 0; n < ctx->arms; ++n) {
    if (ctx->arm[n].job == FW_JOB_FILL) return FW_STATE_READ_AHEAD;
    if (ctx->arm[n].job == FW_JOB_DESTAGE) return FW_STATE_DESTAGE;
    if (ctx->arm[n].job == FW_JOB_SCAN) return FW_STATE_SCAN;
    if (ctx->arm[n].job == FW_JOB_RECALIBRATE) return FW_STATE_RECALIBRATE;
    if (ctx->arm[n].job == FW_JOB_PLACE) return FW_STATE_PLACE;
  }
  if (ctx->halted) return FW_STATE_HALTED;
  return ctx->power == FW_POWER_STANDBY ? FW_STATE_STANDBY : FW_STATE_IDLE;
}

// With nothing to do, the waveform says so.
void fw_idle(struct fw_context* ctx) {
  if (ctx->stopped || ctx->active_requests != 0 || ctx->draining) return;
  const uint8_t shown = ctx->shown_state;
  if (shown != FW_STATE_COMPLETE && shown != FW_STATE_COMMAND && shown != FW_STATE_READ_AHEAD &&
      shown != FW_STATE_DESTAGE && shown != FW_STATE_VERIFY && shown != FW_STATE_REALLOCATE && shown != FW_STATE_SCAN &&
      shown != FW_STATE_RECALIBRATE && shown != FW_STATE_PLACE)
    return;
  const enum fw_state state = own_work(ctx);
  if (state != shown) fw_show(ctx, state, 0);
}
