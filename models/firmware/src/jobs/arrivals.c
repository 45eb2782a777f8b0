// Arrival of data for writes straight to the media: a part counts once the drive has processed its arrival
// (overheads.write_data_us).
#include "jobs/jobs.h"

static void count(struct fw_context* ctx, uint32_t tag, uint32_t sectors) {
  struct fw_request* const request = &ctx->requests[tag];
  if (request->left.held) {  // its arm has failed: the next arm finds the data
    struct fw_run* const run = &request->left.run;
    fw_write_data_part(ctx, tag, run->here == run->sectors ? &request->left.next : run, sectors);
    return;
  }
  if (request->arm == FW_NO_ARM) {
    FW_STOP(ctx);
    return;
  }
  struct fw_arm* const arm = &ctx->arm[request->arm];
  struct fw_run* const run = &arm->run;
  if (run->here == run->sectors) {
    fw_write_data_part(ctx, tag, &arm->next, sectors);
    return;
  }
  fw_write_data_part(ctx, tag, run, sectors);
  if (arm->state == FW_ARM_TRANSFER && arm->check == FW_CHECK_NONE) {  // it goes on if its sectors have not passed
    fw_channel_extend(ctx, arm->channel, run->here - run->written);
    fw_fetch_ahead(ctx, request->arm);
  } else {
    if (ctx->rules.write_watermark < 100u) fw_fetch_ahead(ctx, request->arm);
    fw_try_channel(ctx, request->arm);
  }
}

void fw_write_data_came(struct fw_context* ctx, uint32_t tag, uint32_t sectors) {
  struct fw_request* const request = &ctx->requests[tag];
  request->data_come += sectors;
  const uint32_t us =
      request->data_come == request->sectors ? ctx->overhead.write_last_data_us : ctx->overhead.write_data_us;
  if (us == 0 && ctx->overhead.arrivals == 0) {
    count(ctx, tag, sectors);
    return;
  }
  if (ctx->overhead.arrivals == FW_MAX_TRANSFERS) {
    FW_STOP(ctx);
    return;
  }
  struct fw_arrival* const arrival =
      &ctx->overhead.arrival[(ctx->overhead.first_arrival + ctx->overhead.arrivals) % FW_MAX_TRANSFERS];
  const uint64_t due = fw_timer_now(ctx) + us;
  if (ctx->overhead.arrivals == 0) ctx->overhead.last_due = 0;
  ctx->overhead.last_due = due > ctx->overhead.last_due ? due : ctx->overhead.last_due;  // one after the other
  arrival->due = ctx->overhead.last_due;
  arrival->tag = (uint16_t)tag;
  arrival->sectors = (uint16_t)sectors;
  if (ctx->overhead.arrivals++ == 0) fw_timer_start(ctx, FW_TIMER_WRITE_DATA, us);
}

void fw_write_data_due(struct fw_context* ctx) {
  const uint64_t now = fw_timer_now(ctx);
  while (ctx->overhead.arrivals != 0 && ctx->overhead.arrival[ctx->overhead.first_arrival].due <= now) {
    const struct fw_arrival arrival = ctx->overhead.arrival[ctx->overhead.first_arrival];
    ctx->overhead.first_arrival = (ctx->overhead.first_arrival + 1u) % FW_MAX_TRANSFERS;
    ctx->overhead.arrivals--;
    count(ctx, arrival.tag, arrival.sectors);
    if (ctx->errors.stopped) return;
  }
  if (ctx->overhead.arrivals != 0)
    fw_timer_start(ctx, FW_TIMER_WRITE_DATA, ctx->overhead.arrival[ctx->overhead.first_arrival].due - now);
}

// The commands of these data are dropped.
void fw_write_data_reset(struct fw_context* ctx) {
  ctx->overhead.arrivals = 0;
  fw_timer_cancel(ctx, FW_TIMER_WRITE_DATA);
}
