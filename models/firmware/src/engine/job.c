// The jobs, as the engine sees them.
#include "engine/engine.h"

// The slot's job: the host's tags come first, then the slots of de-staging, background work, and read-ahead after a
// hit.
const struct fw_job_ops* fw_job_of_slot(const struct fw_context* ctx, uint32_t slot) {
  if (slot < ctx->drive.queue_depth) return ctx->jobs[FW_JOB_REQUEST];
  slot -= ctx->drive.queue_depth;
  if (slot < FW_MAX_WRITEBACK_SLOTS) return ctx->jobs[FW_JOB_DESTAGE];
  slot -= FW_MAX_WRITEBACK_SLOTS;
  if (slot >= FW_BACKGROUND_SLOTS) return ctx->jobs[FW_JOB_FILL];
  return ctx->jobs[slot == 0 ? FW_JOB_SCAN : FW_JOB_RECALIBRATE];
}

// The granted arm cannot serve the slot: its work waits again.
void fw_granted_in_vain(struct fw_context* ctx, uint32_t slot) {
  fw_job_of_slot(ctx, slot)->again(ctx, slot);
}

bool fw_arm_yields(const struct fw_context* ctx, uint32_t n) {
  const struct fw_job_ops* const job = fw_job_of(ctx, n);
  return job->yields != 0 && job->yields(ctx, n);
}

// No command waits for the slot's work.
bool fw_slot_yields(const struct fw_context* ctx, uint32_t slot) {
  if (slot < ctx->drive.queue_depth) return false;
  slot -= ctx->drive.queue_depth;
  return slot >= FW_MAX_WRITEBACK_SLOTS || !(ctx->destage.urgent || ctx->destage.writeback[slot].hurried);
}

void fw_make_way(struct fw_context* ctx, uint32_t tag, bool spare) {
  for (uint32_t job = 0; job < FW_JOB_COUNT; ++job)
    if (ctx->jobs[job]->make_way != 0) ctx->jobs[job]->make_way(ctx, tag, spare);
}
