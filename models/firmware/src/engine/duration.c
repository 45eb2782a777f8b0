// Command duration limits (ACS-5): a queued command may name one of seven limits for reads or for writes, which log 18h
// describes. While a command with a limit waits for an arm, commands without one are not candidates of the arbitration
// unit. An expired limit ends the command if its policy says so; otherwise the command continues.
#include "engine/engine.h"

#define READS 16u  // first dword of the descriptors in the log
#define WRITES 72u
#define DESCRIPTOR 8u                           // dwords
enum { POLICIES, ACTIVE_TIME, INACTIVE_TIME };  // dwords of a descriptor; times in microseconds, 0: none

#define POLICY_ABORT 0xFu
#define ACTIVE_SHIFT 4u
#define INACTIVE_SHIFT 8u

// Sense data: aborted command; timeout before, and during, processing.
#define SENSE_BEFORE 0x0B2E01u
#define SENSE_DURING 0x0B2E02u
#define STATUS_SENSE 0x02u

static uint32_t field(const struct fw_context* ctx, const struct fw_request* request, uint32_t dword) {
  return ctx->host.limits.log
      .dwords[(request->write ? WRITES : READS) + DESCRIPTOR * (request->limit.index - 1u) + dword];
}

static bool inactive(const struct fw_request* request) {
  return request->state == FW_REQUEST_DELAYED || request->state == FW_REQUEST_BLOCKED ||
         request->state == FW_REQUEST_WAITS_ARM;
}

static void rearm(struct fw_context* ctx) {
  uint64_t first = 0;
  for (uint32_t tag = 0; tag < ctx->drive.queue_depth; ++tag) {
    const struct fw_request* const request = &ctx->requests[tag];
    if (request->state == FW_REQUEST_FREE || request->limit.due == 0) continue;
    if (first == 0 || request->limit.due < first) first = request->limit.due;
  }
  const uint64_t now = fw_timer_now(ctx);
  fw_timer_start(ctx, FW_TIMER_LIMIT, first == 0 ? 0 : first > now ? first - now : 1u);
}

void fw_limit_begin(struct fw_context* ctx, uint32_t tag, uint32_t index) {
  struct fw_request* const request = &ctx->requests[tag];
  if (index == 0 || !ctx->host.limits.on) return;
  request->limit.index = (uint8_t)index;
  const uint32_t us = field(ctx, request, INACTIVE_TIME);
  if (us != 0) request->limit.due = fw_timer_now(ctx) + us;
  if (us != 0) rearm(ctx);
}

static void is_active(struct fw_context* ctx, struct fw_request* request) {
  const uint32_t us = field(ctx, request, ACTIVE_TIME);
  request->limit.active = true;
  request->limit.due = us != 0 ? fw_timer_now(ctx) + us : 0;
}

static void end(struct fw_context* ctx, uint32_t tag) {
  const struct fw_request* const request = &ctx->requests[tag];
  fw_fail(ctx, tag, true, ATA_ERROR_ABRT, request->lba);
  if (ctx->errors.last.tag != tag || !ctx->errors.last.queued) return;  // another command has failed in this handler
  ctx->errors.last.status |= STATUS_SENSE;
  ctx->errors.last.sense = request->limit.active ? SENSE_DURING : SENSE_BEFORE;
}

void fw_limit_due(struct fw_context* ctx) {
  const uint64_t now = fw_timer_now(ctx);
  for (uint32_t tag = 0; tag < ctx->drive.queue_depth; ++tag) {
    struct fw_request* const request = &ctx->requests[tag];
    if (request->state == FW_REQUEST_FREE || request->limit.due == 0 || request->limit.due > now) continue;
    if (!request->limit.active && !inactive(request)) {  // its data are moving, and it needed no arm
      is_active(ctx, request);
      continue;
    }
    request->limit.due = 0;
    const uint32_t shift = request->limit.active ? ACTIVE_SHIFT : INACTIVE_SHIFT;
    if ((field(ctx, request, POLICIES) >> shift & 0xFu) != POLICY_ABORT) continue;
    end(ctx, tag);
    return;  // all commands are dropped
  }
  rearm(ctx);
}

// The command has an arm for the first time, or needs none.
void fw_limit_active(struct fw_context* ctx, uint32_t tag) {
  if (ctx->requests[tag].limit.active) return;
  is_active(ctx, &ctx->requests[tag]);
  rearm(ctx);
}

void fw_limits_dropped(struct fw_context* ctx) {
  ctx->host.limits.waiting = 0;
  fw_timer_cancel(ctx, FW_TIMER_LIMIT);
}
