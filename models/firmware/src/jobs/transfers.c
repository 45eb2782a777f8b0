// Transfers over the link that have ended, and what waits for them.
#include "jobs/jobs.h"

static void serve_short_of_transfers(struct fw_context* ctx) {
  if (!ctx->link.transfers_short || ctx->link.transfers > ctx->link.transfer_limit / 2u) return;
  ctx->link.transfers_short = false;
  fw_serve_line_queue(ctx);
  fw_lines_send(ctx);
  fw_streams_send(ctx);
}

void fw_dma_event(struct fw_context* ctx) {
  const uint32_t done = fw_hif_transfer_done(ctx);
  if ((done & HIF_DMA_DONE_VALID_MASK) == 0) return;
  ctx->link.transfers--;
  const uint32_t tag = FW_GET(done, HIF_DMA_DONE_TAG);
  const uint32_t sectors = FW_GET(done, HIF_DMA_DONE_SECTORS);
  const bool failed = (done & HIF_DMA_DONE_ERROR_MASK) != 0;
  if (failed) ctx->statistics.link_errors++;
  if (ctx->commands.pages.active) {
    ctx->commands.pages.failed = failed;
    fw_due(ctx, FW_DUE_PAGES);
    return;
  }
  const struct fw_request* const request = &ctx->requests[tag];
  if (request->state == FW_REQUEST_FREE) {
    FW_STOP(ctx);
    return;
  }
  // The RAM's data may be wrong: read them from the media again.
  if (failed && !request->write) fw_invalidate(ctx, request->lba, request->sectors);
  if (failed)
    fw_fail(ctx, tag, request->queued, ATA_ERROR_ICRC | ATA_ERROR_ABRT, request->lba);
  else if (request->batch == FW_BATCH_LIST)
    fw_batch_list_came(ctx, tag);
  else if (request->batch == FW_BATCH_DATA && !request->write)
    fw_batch_sent(ctx, tag);
  else if (request->ride_segment != FW_NO_SEGMENT)
    fw_rides_sent(ctx, tag);
  else if (request->lines.used && request->write)
    fw_lines_received(ctx, tag, sectors);
  else if (request->lines.used)
    fw_lines_sent(ctx, tag, sectors);
  else if (request->segment != FW_NO_SEGMENT)
    fw_stream_sent(ctx, tag, sectors);
  else
    fw_write_data_came(ctx, tag, sectors);
  serve_short_of_transfers(ctx);
}
