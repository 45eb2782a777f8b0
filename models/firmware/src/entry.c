// Entry points: what the machine calls.
#include "firmware.h"

size_t fw_context_bytes(void) {
  return sizeof(struct fw_context);
}

void fw_isr(struct fw_context* ctx, uint32_t cause) {
  if (ctx->stopped) return;
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
      fw_link_error(ctx);
      break;
    case FW_IRQ_SPN:
      fw_spindle_ready(ctx);
      break;
    case FW_IRQ_TMR:
      fw_timer_expired(ctx);
      break;
    default:
      FW_STOP(ctx);
      break;
  }
}

// With nothing to do, the waveform says so.
void fw_idle(struct fw_context* ctx) {
  if (ctx->stopped || ctx->active_requests != 0 || ctx->draining) return;
  if (ctx->shown_state == FW_STATE_COMPLETE || ctx->shown_state == FW_STATE_COMMAND)
    fw_show(ctx, ctx->halted ? FW_STATE_HALTED : FW_STATE_IDLE, 0);
}
