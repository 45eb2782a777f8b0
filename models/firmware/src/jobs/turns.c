// Streams and other requests take turns. A stream's requests join the access under way, and the arm goes on from track
// to track: other requests would wait for the stream's end, whatever the policy. So if others wait, the arm's turn ends
// at the end of a track, once it has served what was wanted when the turn began or while no other waited. The rest goes
// back to the arbitration unit, which decides among all that wait.
#include "jobs/jobs.h"

#define MOST_TRACKS_BEHIND 16u  // further behind, a write ends the turn: going back costs a revolution or two

// Sectors up to `end` are wanted of the arm.
void fw_turn_begins(struct fw_context* ctx, uint32_t n, uint64_t end) {
  ctx->arm[n].turn_end = end;
  ctx->arm[n].last_of_turn = false;
}

static bool others_wait(const struct fw_context* ctx, uint32_t n) {
  return fw_arm_wanted(ctx, n) || fw_destages_insist(ctx, ctx->arm[n].group) != 0;
}

// More is wanted of the arm: it belongs to this turn if no other request waits for the arm now.
void fw_turn_grows(struct fw_context* ctx, uint32_t n, uint64_t end) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (end > arm->turn_end && !others_wait(ctx, n)) arm->turn_end = end;
}

// End of a request that begins before `at` and ends after it; `at`: there is none.
static uint64_t end_of_begun(const struct fw_context* ctx, bool write, uint64_t at) {
  for (uint32_t tag = 0; tag < ctx->drive.queue_depth; ++tag) {
    const struct fw_request* const request = &ctx->requests[tag];
    if (request->state == FW_REQUEST_FREE || request->write != write) continue;
    if (request->lba < at && at < fw_end_of(request)) return fw_end_of(request);
  }
  return at;
}

// The turn is over at sector `at`, or at the end of the request that the arm is reading or writing there.
static bool over_with_request(struct fw_context* ctx, uint32_t n, bool write, uint64_t at) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (arm->last_of_turn) return true;
  arm->last_of_turn = true;
  arm->turn_end = end_of_begun(ctx, write, at);
  return arm->turn_end == at;
}

// Whether an arm that reads leaves at sector `at`, the end of a track or of its turn. It first completes the request
// that it is reading if that could not keep its segment (not `held`).
bool fw_turn_over(struct fw_context* ctx, uint32_t n, uint64_t at, bool held) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (at < arm->turn_end) return false;
  if (others_wait(ctx, n)) return held || over_with_request(ctx, n, false, at);
  arm->last_of_turn = false;  // other arms have served them
  return false;
}

// First sector from `at` on that has no line: the stream's data, present or about to come, end there.
static uint64_t end_of_lines(const struct fw_context* ctx, uint64_t at) {
  uint64_t number = at / FW_LINE_SECTORS;
  for (bool found = true; found; number += found ? 1u : 0u) {
    found = false;
    for (uint16_t i = fw_line_find(ctx, number); i != FW_NO_LINE && !found; i = ctx->line_cache.line[i].next)
      found = ctx->line_cache.line[i].number == number;
  }
  return number * FW_LINE_SECTORS;
}

// The same for an arm that writes, at the end of a track. Ignore slots that no command waits for: lines come free in
// whatever order they are written. Ignore slots within a track of what the turn has written or of what follows: they
// are the stream's own, not yet begun. But a slot that the head has left far behind would wait for the stream's end.
bool fw_turn_of_writes_over(struct fw_context* ctx, uint32_t n, uint64_t at) {
  const struct fw_arm* const arm = &ctx->arm[n];
  if (at < arm->turn_end || fw_destages_insist(ctx, arm->group) == 0) return false;
  const uint64_t track = fw_track_sectors(ctx, at - 1u), end = end_of_lines(ctx, at) + track;
  bool others = false;
  for (uint32_t slot = 0; slot < ctx->destage.candidates; ++slot) {
    const struct fw_writeback_slot* const writeback = &ctx->destage.writeback[slot];
    if (!writeback->used || writeback->group != arm->group || !(writeback->hurried || !ctx->host.write_cache)) continue;
    const bool left_behind = writeback->lba + MOST_TRACKS_BEHIND * track < at;
    others = others || left_behind || writeback->lba + track < arm->turn_begin || writeback->lba >= end;
  }
  return others && over_with_request(ctx, n, true, at);
}
