// What happens when an arm or a head has failed, and to requests for tracks that no head reaches any more.
#include "commands/commands.h"

static bool any_left(const struct fw_context* ctx) {
  for (uint32_t n = 0; n < ctx->drive.arms; ++n)
    if (!ctx->arm[n].broken) return true;
  return false;
}

// The arm or its head is out of service, and the others have its work.
void fw_reach_lost(struct fw_context* ctx) {
  ctx->failures.reach_lost = !fw_reaches_all(ctx);
  if (ctx->failures.reach_lost) fw_due(ctx, FW_DUE_UNREACHABLE);
  fw_due(ctx, FW_DUE_REST);
  if (!ctx->pm.fault && !any_left(ctx)) {
    fw_device_fault(ctx, "no arm is left: device fault");
    return;
  }
  if (ctx->errors.draining) return;
  fw_background_without(ctx);
  fw_recalibration_without(ctx);
  if (ctx->failures.reach_lost) fw_ahead_cancel(ctx);
  if (ctx->failures.reach_lost) fw_destage_unreachable(ctx);
  fw_due(ctx, FW_DUE_DESTAGE | FW_DUE_SEGMENTS | FW_DUE_CHANNELS);
}

// First sector that the request needs an arm for.
static uint64_t waits_at(const struct fw_context* ctx, const struct fw_request* request) {
  if (request->segment != FW_NO_SEGMENT) return ctx->read_cache.segment[request->segment].end;
  return request->left.held && request->left.check != FW_CHECK_NONE ? request->left.unit
                                                                    : request->lba + request->media_done;
}

// Fails the first request for a track that no head reaches any more. One is enough: a queued one drops all others, and
// the host issues them again.
void fw_fail_unreachable(struct fw_context* ctx) {
  if (ctx->errors.draining || ctx->pm.fault) return;
  for (uint32_t tag = 0; tag < ctx->drive.queue_depth; ++tag) {
    struct fw_request* const request = &ctx->requests[tag];
    if (request->state == FW_REQUEST_FREE) continue;
    if (!request->unreachable.known) {
      const bool waits = request->state == FW_REQUEST_WAITS_ARM || request->state == FW_REQUEST_LISTED;
      if (!waits || fw_reached(ctx, request->track)) continue;
      request->unreachable.lba = waits_at(ctx, request);
    }
    const uint64_t lba = request->unreachable.lba > request->lba ? request->unreachable.lba : request->lba;
    fw_fail(ctx, tag, request->queued, request->write ? ATA_ERROR_IDNF : ATA_ERROR_UNC, lba);
    return;
  }
}
