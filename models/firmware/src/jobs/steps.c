// What is read in the background next: the host's background reads (list.c) come first, then a reading for self-tests
// and off-line collection, then the media scan, which goes on where its last step ended.
#include "jobs/jobs.h"

#define LEFT_OUT 128u  // tracks skipped in one handler

bool fw_step_listed(const struct fw_context* ctx) {
  return ctx->background.tag != FW_NO_TAG;
}

// Time without a command after which the drive reads; 0: never.
uint32_t fw_step_idle_us(const struct fw_context* ctx) {
  const struct fw_background* const own = &ctx->background;
  return own->listed != 0 || own->reading.state != FW_READING_NONE ? FW_READING_IDLE_US : own->scan_idle_us;
}

// Where the next step begins.
uint64_t fw_step_lba(const struct fw_context* ctx) {
  const struct fw_background* const own = &ctx->background;
  if (fw_step_listed(ctx)) return fw_list_lba(ctx, own->tag);
  return own->reading.state != FW_READING_NONE ? own->reading.lba : own->scan_lba;
}

// The media are read up to `lba`, or skipped because no head reaches them.
static void step_over(struct fw_context* ctx, uint64_t lba) {
  struct fw_background* const own = &ctx->background;
  if (own->reading.state != FW_READING_NONE) {
    own->reading.lba = lba;
    if (lba < own->reading.end) return;
    own->reading.state = FW_READING_NONE;
    fw_due(ctx, FW_DUE_READING);
  } else {
    own->scan_lba = lba;
    if (lba < ctx->drive.capacity) return;
    own->scan_lba = 0;
    fw_count(ctx, FW_COUNTER_SCAN_PASSES, ++own->passes);
  }
}

// The drive has nothing to read, or its reading waits at a bad sector.
bool fw_step_none(const struct fw_context* ctx) {
  const struct fw_background* const own = &ctx->background;
  return own->listed == 0 && (fw_step_idle_us(ctx) == 0 || own->reading.state == FW_READING_FAILED);
}

uint32_t fw_step_sectors(const struct fw_context* ctx, uint32_t on_track) {
  const uint32_t most = fw_step_listed(ctx) ? fw_list_left(ctx, ctx->background.tag) : ctx->background.scan_step;
  return on_track < most ? on_track : most;
}

// Where the next step is; tracks that no head reaches are skipped. False: there is none, or not in this handler.
bool fw_step_next(struct fw_context* ctx, uint32_t* track, uint32_t* angle) {
  struct fw_background* const own = &ctx->background;
  uint32_t run;
  own->tag = own->listed != 0 ? fw_list_nearest(ctx) : FW_NO_TAG;
  if (own->tag == FW_NO_TAG &&
      (fw_step_idle_us(ctx) == 0 || own->reading.state == FW_READING_FAILED || own->listed != 0))
    return false;
  fw_translate(ctx, fw_step_lba(ctx), track, angle, &run);
  if (ctx->errors.stopped) return false;
  for (uint32_t i = 0; ctx->failures.reach_lost && !fw_reached(ctx, *track); ++i) {
    if (fw_step_listed(ctx)) return false;  // it is about to fail
    step_over(ctx, fw_step_lba(ctx) + run);
    if (fw_step_none(ctx)) return false;
    if (i == LEFT_OUT) {  // the rest in another handler
      fw_timer_start(ctx, FW_TIMER_SCAN, fw_step_idle_us(ctx));
      return false;
    }
    fw_translate(ctx, fw_step_lba(ctx), track, angle, &run);
    if (ctx->errors.stopped) return false;
  }
  own->step = fw_step_sectors(ctx, run);
  return true;
}

// A step ends where its reading ends.
void fw_step_limit(struct fw_context* ctx, struct fw_arm* arm) {
  struct fw_reading* const reading = &ctx->background.reading;
  reading->step_of = reading->number;
  if (reading->state != FW_READING_NONE && arm->sectors > reading->end - arm->lba)
    arm->sectors = (uint32_t)(reading->end - arm->lba);
}

// The reading waits at the bad sector until fw_reading_begin or fw_reading_end.
static void found_bad(struct fw_context* ctx, uint64_t lba) {
  struct fw_reading* const reading = &ctx->background.reading;
  if (reading->state == FW_READING_NONE || reading->step_of != reading->number || lba >= reading->end) return;
  reading->lba = lba;
  reading->state = FW_READING_FAILED;
  fw_due(ctx, FW_DUE_READING);
}

// The arm has read so many sectors of the scan's or a reading's step; the next one is unreadable, or not. Returns how
// many the step has taken.
uint32_t fw_step_done(struct fw_context* ctx, const struct fw_arm* arm, uint32_t moved, bool unreadable) {
  struct fw_background* const own = &ctx->background;
  const uint64_t bad = arm->lba + moved;
  own->scanned += moved;
  if (unreadable) found_bad(ctx, bad);
  if (unreadable && own->reading.state != FW_READING_FAILED)
    moved += ctx->drive.physical_sectors - (uint32_t)(bad % ctx->drive.physical_sectors);
  // Ignore a step of an earlier reading.
  if (own->reading.step_of == own->reading.number) step_over(ctx, arm->lba + moved);
  fw_count(ctx, FW_COUNTER_SCANNED, own->scanned);
  return moved;
}
