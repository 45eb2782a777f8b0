// Command overheads that are given as times: the work of a drive's processors that the handlers here do not do. A
// command waits for that time before it starts or completes; other commands go on meanwhile.
#include "commands/commands.h"

enum { START_READ_HIT = 0, START_READ_MISS = 2, START_WRITE_HIT = 4, START_WRITE_MISS = 6 };  // + 1: after a write
enum { START_WRITE_ON = 8 };  // a miss that begins where the last write ended

void fw_delay_reset(struct fw_context* ctx) {
  ctx->overhead.first_delayed = FW_NO_TAG;
  ctx->overhead.last_start = 0;
  fw_timer_cancel(ctx, FW_TIMER_COMMAND);
}

// Time to search the track's sectors for a read's data in the buffer, us.
static uint32_t track_look_up(struct fw_context* ctx, const struct fw_request* request) {
  if (ctx->overhead.hit_track_sector_ns == 0) return 0;
  return (uint32_t)((uint64_t)ctx->overhead.hit_track_sector_ns * fw_track_sectors(ctx, request->lba) / 1000u);
}

static uint32_t start_overhead(struct fw_context* ctx, const struct fw_request* request, bool* hit) {
  uint32_t kind;
  if (request->write)
    kind = ctx->host.write_cache && !request->fua && fw_lines_suit(ctx, request->sectors) ? START_WRITE_HIT
                                                                                          : START_WRITE_MISS;
  else
    kind = !request->fua && (fw_lines_hold(ctx, request->lba, request->sectors) ||
                             (ctx->host.look_ahead && fw_stream_holds(ctx, request->lba)))
               ? START_READ_HIT
               : START_READ_MISS;
  *hit = kind == START_READ_HIT || kind == START_WRITE_HIT;
  uint32_t more = 0;
  if (kind == START_READ_HIT) more = track_look_up(ctx, request);
  if (!*hit && ctx->overhead.end_read_ahead_us != 0 && fw_stream_ahead_at_work(ctx))
    more = ctx->overhead.end_read_ahead_us;
  if (kind == START_WRITE_MISS && ctx->overhead.wrote_last && request->lba == ctx->overhead.wrote_to)
    return ctx->overhead.start_us[START_WRITE_ON] + more;
  return ctx->overhead.start_us[kind + (ctx->overhead.wrote_last ? 1u : 0u)] + more;
}

// Starts the command, now or after its overhead. One that needs the media does not overtake earlier ones: the first
// commands of a stream are hits, and if the next one got the arm before them, the arm would leave the stream.
void fw_delay_start(struct fw_context* ctx, uint32_t tag) {
  const struct fw_request* const request = &ctx->requests[tag];
  uint32_t us = 0;
  bool hit = false;
  if (ctx->overhead.known) {
    const uint64_t now = fw_timer_now(ctx);
    us = start_overhead(ctx, request, &hit);
    if (!hit && now + us < ctx->overhead.last_start) us = (uint32_t)(ctx->overhead.last_start - now);
    if (now + us > ctx->overhead.last_start) ctx->overhead.last_start = now + us;
  }
  ctx->overhead.wrote_last = request->write;
  ctx->overhead.wrote_to = request->lba + request->sectors;
  if (us == 0) {
    fw_start_request(ctx, tag);
    return;
  }
  // The write ends read-ahead now, not only after its overhead.
  if (request->write && ctx->drive.arms == 1u && !hit) fw_stream_end_ahead(ctx);
  fw_delay_insert(ctx, tag, us, FW_REQUEST_DELAYED);
  fw_show(ctx, FW_STATE_OVERHEAD, tag);
}

void fw_delay_over(struct fw_context* ctx) {
  while (ctx->overhead.first_delayed != FW_NO_TAG) {
    const uint16_t tag = ctx->overhead.first_delayed;
    struct fw_request* const request = &ctx->requests[tag];
    const uint64_t now = fw_timer_now(ctx);
    if (request->delay.due > now) {
      fw_timer_start(ctx, FW_TIMER_COMMAND, request->delay.due - now);
      return;
    }
    ctx->overhead.first_delayed = request->delay.next;
    const bool ends = request->state == FW_REQUEST_ENDING;
    request->state = FW_REQUEST_AT_WORK;
    if (ends) {
      fw_finish(ctx, tag);
      continue;
    }
    fw_start_request(ctx, tag);
    if (ctx->errors.stopped) return;
    if (request->state == FW_REQUEST_WAITS_ARM)
      fw_show(ctx, request->write ? FW_STATE_WRITE_QUEUED : FW_STATE_READ_QUEUED, tag);
  }
}
