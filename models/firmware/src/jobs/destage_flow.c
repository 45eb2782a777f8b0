// De-staging while data come: an access grows by data written after it meanwhile. As the head passes its lines, they
// come free, and the writes that wait for them complete.
#include "jobs/jobs.h"

#define MOST_BATCHES 2u  // of pieces per handler, after those that begin the access

static uint32_t least(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

static bool flows(const struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  return arm->job == FW_JOB_DESTAGE && arm->state == FW_ARM_TRANSFER && arm->check == FW_CHECK_NONE &&
         !arm->filling_up && !arm->ordered_whole && !arm->failing;
}

// Length of the access with the dirty sectors after it.
static uint32_t with_those_behind(const struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  uint32_t sectors = arm->sectors;
  while (sectors < arm->track_rest && fw_line_to_join(ctx, arm->lba + sectors) != FW_NO_LINE)
    sectors += FW_LINE_SECTORS - (uint32_t)((arm->lba + sectors) % FW_LINE_SECTORS);
  return least(sectors, arm->track_rest);
}

// New dirty sectors after the access under way join it, which saves a turn: as many pieces as a handler may push.
static void grow(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  const bool insists =
      ctx->destage.over_high || ctx->destage.urgent || fw_lines_awaited(ctx, arm->lba + arm->sectors, 1);
  if (fw_arm_wanted(ctx, n) && !insists) return;
  if (ctx->errors.draining) return;
  for (uint32_t batch = 0; batch < MOST_BATCHES; ++batch) {
    const uint64_t end = arm->lba + arm->sectors;
    if (arm->sectors >= arm->track_rest || fw_line_to_join(ctx, end) == FW_NO_LINE) return;
    const uint32_t most = ctx->schedule.on ? with_those_behind(ctx, n) : arm->track_rest;
    if (!fw_extend(ctx, n, arm->lba + most)) return;
    if (!fw_hold_more(ctx, n, arm->lba + arm->track_rest)) return;
    const uint32_t sectors = fw_destage_gather(ctx, n, arm->sectors, most);
    if (sectors == arm->sectors) return;
    arm->grown = true;
    arm->sectors = sectors;
    fw_destage_covered(ctx, end, (uint32_t)(arm->lba + sectors - end));
    fw_destage_taken(ctx, n, end, (uint32_t)(arm->lba + sectors - end));
    fw_channel_extend(ctx, arm->channel, arm->passed + sectors);
  }
}

static bool more_to_come(const struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  return arm->sectors < arm->track_rest && fw_line_to_join(ctx, arm->lba + arm->sectors) != FW_NO_LINE;
}

// The channel reports its progress if requests wait for lines or for data on the media, or if more sectors can join. It
// reports as soon as a write is on the media: the host's next one may still join the access.
static void report(struct fw_context* ctx, uint32_t n) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (arm->marked || (ctx->destage.blocked_requests == 0 && ctx->line_cache.queue_count == 0 && !more_to_come(ctx, n)))
    return;
  // An eighth of a small ring, so that the link has room for the next piece in time.
  const uint32_t far = ctx->buffer.lines < 256u || ctx->destage.blocked_requests != 0 ? 64u : ctx->buffer.lines / 4u;
  const uint32_t most = least(least(far, ctx->buffer.lines), arm->sectors / 2u);
  const uint32_t step = most < FW_LINE_SECTORS ? FW_LINE_SECTORS : most;
  const uint32_t progress = fw_channel_progress(ctx, arm->channel), end = arm->passed + arm->sectors;
  const uint64_t first = arm->lba - arm->passed;
  const uint32_t over = (uint32_t)(fw_destage_next_completion(ctx, first + progress, first + end) - first);
  const uint32_t at = least(progress + step, over);
  if (at >= end) return;
  arm->marked = true;
  fw_channel_mark(ctx, arm->channel, at);
}

void fw_destage_grow(struct fw_context* ctx, uint32_t n) {
  if (!flows(ctx, n)) return;
  grow(ctx, n);
  report(ctx, n);
}

void fw_destage_flow(struct fw_context* ctx) {
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) fw_destage_grow(ctx, n);
}

// Frees lines that the head has passed, while the access goes on.
static void free_passed(struct fw_context* ctx, uint32_t n, uint32_t passed) {
  struct fw_arm* const arm = &ctx->arm[n];
  const uint64_t begin = arm->lba;
  const uint64_t end = (begin - arm->passed + passed) / FW_LINE_SECTORS * FW_LINE_SECTORS;
  if (end <= begin || fw_pending_overlap(ctx, begin, (uint32_t)(end - begin))) return;  // first read back
  const uint32_t sectors = (uint32_t)(end - begin);
  if (sectors >= arm->sectors) return;
  for (uint64_t number = begin / FW_LINE_SECTORS; number < end / FW_LINE_SECTORS; ++number) {
    const uint16_t index = fw_line_of_job(ctx, number);
    if (index == FW_NO_LINE) {
      FW_STOP(ctx);
      return;
    }
    fw_line_clean(ctx, index, ctx->line_cache.line[index].destaging);
  }
  fw_segments_invalidate(ctx, begin, sectors);
  arm->passed += sectors;
  arm->lba += sectors;
  arm->sectors -= sectors;
  arm->track_rest -= least(sectors, arm->track_rest);
}

// The channel has reached its mark: frees the lines that the head has passed. False: the mark no longer matters.
bool fw_destage_passed(struct fw_context* ctx, uint32_t n) {
  if (!flows(ctx, n)) return false;
  ctx->arm[n].marked = false;
  free_passed(ctx, n, fw_channel_progress(ctx, ctx->arm[n].channel));
  return true;
}

// The last extension came too late: releases its lines.
void fw_destage_refused(struct fw_context* ctx, uint32_t n, uint32_t channel) {
  struct fw_arm* const arm = &ctx->arm[n];
  arm->grown = false;
  const uint32_t sectors = fw_channel_progress(ctx, channel) - arm->passed;
  if (sectors >= arm->sectors) return;
  const uint64_t from = arm->lba + sectors, end = arm->lba + arm->sectors;
  for (uint64_t number = from / FW_LINE_SECTORS; number <= (end - 1u) / FW_LINE_SECTORS; ++number) {
    const uint16_t index = fw_line_of_job(ctx, number);
    if (index == FW_NO_LINE) continue;
    const uint64_t begin = number * FW_LINE_SECTORS;
    // In the line where the access ended, the first sectors are on the media.
    const uint32_t passed = from <= begin ? 0u : (uint32_t)(from - begin);
    ctx->line_cache.line[index].destaging &= (uint8_t) ~(0xFFu << passed);
  }
  arm->sectors = sectors;
}
