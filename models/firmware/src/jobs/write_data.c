// Data of a write that goes straight to the media, on their way from the host into its segment. If the run may begin
// before all of them are there (cache.write_watermark) they come in parts of eight of the request's sectors, a few
// ordered ahead. A part counts when the drive has dealt with its arrival (overheads.write_data_us).
#include "firmware.h"

static uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

// Sectors from the `offset`-th of the request on to the end of the part that it lies in.
static uint32_t part_of(uint32_t offset) {
  return FW_LINE_SECTORS - offset % FW_LINE_SECTORS;
}

// Sectors of the run that must be there before it begins: whole parts.
uint32_t fw_write_data_first(const struct fw_context* ctx, const struct fw_run* run) {
  if (ctx->write_watermark >= 100u) return run->sectors;
  const uint32_t share = (uint32_t)(((uint64_t)run->sectors * ctx->write_watermark + 99u) / 100u);
  uint32_t first = part_of(run->offset);
  if (share > first) first += (share - first + FW_LINE_SECTORS - 1u) / FW_LINE_SECTORS * FW_LINE_SECTORS;
  return least(first, run->sectors);
}

void fw_write_data_order(struct fw_context* ctx, uint32_t tag, struct fw_run* run) {
  const uint32_t address = fw_segment_address(ctx, run->segment);
  while (run->ordered < run->sectors && run->parts < FW_RUN_PARTS) {
    const uint32_t offset = run->offset + run->ordered;
    const uint32_t part = least(run->ordered == 0 ? run->mark : part_of(offset), run->sectors - run->ordered);
    fw_order_transfer(ctx, tag, address + run->ordered * FW_SECTOR_BYTES, offset, part, 0);
    run->ordered += part;
    run->parts++;
  }
}

// Of two runs the first one's data come first.
static void one_part(struct fw_context* ctx, uint32_t tag, struct fw_run* run, uint32_t sectors) {
  run->here += sectors;
  run->parts--;
  fw_write_data_order(ctx, tag, run);
}

static void count(struct fw_context* ctx, uint32_t tag, uint32_t sectors) {
  struct fw_request* const request = &ctx->requests[tag];
  if (request->kept) {  // its arm has failed: the next one finds them
    struct fw_run* const run = &request->kept_run;
    one_part(ctx, tag, run->here == run->sectors ? &request->kept_next : run, sectors);
    return;
  }
  if (request->arm == FW_NO_ARM) {
    FW_STOP(ctx);
    return;
  }
  struct fw_arm* const arm = &ctx->arm[request->arm];
  struct fw_run* const run = &arm->run;
  if (run->here == run->sectors) {
    one_part(ctx, tag, &arm->next, sectors);
    return;
  }
  one_part(ctx, tag, run, sectors);
  if (arm->state == FW_ARM_TRANSFER && arm->check == FW_CHECK_NONE) {  // it goes on if its sectors have not passed
    fw_write(ctx, SOC_CHN_BASE(arm->channel), CHN_EXTEND, run->here - run->written);
    fw_fetch_ahead(ctx, request->arm);
  } else {
    if (ctx->write_watermark < 100u) fw_fetch_ahead(ctx, request->arm);
    fw_try_channel(ctx, request->arm);
  }
}

void fw_write_data_came(struct fw_context* ctx, uint32_t tag, uint32_t sectors) {
  struct fw_request* const request = &ctx->requests[tag];
  request->data_come += sectors;
  const uint32_t us = request->data_come == request->sectors ? ctx->write_last_data_us : ctx->write_data_us;
  if (us == 0 && ctx->arrivals == 0) {
    count(ctx, tag, sectors);
    return;
  }
  if (ctx->arrivals == FW_MAX_TRANSFERS) {
    FW_STOP(ctx);
    return;
  }
  struct fw_arrival* const arrival = &ctx->arrival[(ctx->first_arrival + ctx->arrivals) % FW_MAX_TRANSFERS];
  const uint64_t due = fw_timer_now(ctx) + us;
  if (ctx->arrivals == 0) ctx->last_due = 0;
  ctx->last_due = due > ctx->last_due ? due : ctx->last_due;  // one after the other
  arrival->due = ctx->last_due;
  arrival->tag = (uint16_t)tag;
  arrival->sectors = (uint16_t)sectors;
  if (ctx->arrivals++ == 0) fw_timer_start(ctx, FW_TIMER_WRITE_DATA, us);
}

void fw_write_data_due(struct fw_context* ctx) {
  const uint64_t now = fw_timer_now(ctx);
  while (ctx->arrivals != 0 && ctx->arrival[ctx->first_arrival].due <= now) {
    const struct fw_arrival arrival = ctx->arrival[ctx->first_arrival];
    ctx->first_arrival = (ctx->first_arrival + 1u) % FW_MAX_TRANSFERS;
    ctx->arrivals--;
    count(ctx, arrival.tag, arrival.sectors);
    if (ctx->stopped) return;
  }
  if (ctx->arrivals != 0) fw_timer_start(ctx, FW_TIMER_WRITE_DATA, ctx->arrival[ctx->first_arrival].due - now);
}

// The commands that they belong to are dropped.
void fw_write_data_reset(struct fw_context* ctx) {
  ctx->arrivals = 0;
  fw_timer_cancel(ctx, FW_TIMER_WRITE_DATA);
}
