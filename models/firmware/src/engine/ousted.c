// Arms that have lost their appointment with a channel to another one's access, which grew or comes just behind what
// that arm has read. Such an arm gives back what it is about when it is on its track: the unit decides anew where it
// goes, and what comes a turn later there may come sooner elsewhere. A request goes through that once.
#include "engine/engine.h"

void fw_serve_ousted(struct fw_context* ctx) {
  for (uint32_t n = 0; n < ctx->drive.arms && !ctx->errors.stopped; ++n) {
    struct fw_arm* const arm = &ctx->arm[n];
    if (!arm->ousted || arm->state == FW_ARM_MOVING) continue;
    arm->ousted = false;
    const struct fw_job_ops* const job = fw_job_of(ctx, n);
    if (job->in_vain != 0 && job->in_vain(ctx, n) && !arm->asked) {
      fw_leave_queues(ctx, n);
      fw_rest(ctx, n);
      continue;
    }
    if (arm->state != FW_ARM_ON_TRACK || !arm->waits_channel || arm->asked || arm->tag == FW_NO_TAG ||
        arm->check != FW_CHECK_NONE || arm->around != 0 || arm->job == FW_JOB_DESTAGE || ctx->errors.draining)
      continue;
    ctx->requests[arm->tag].ousted = true;
    fw_leave_queues(ctx, n);
    job->give_back(ctx, n);
    if (!ctx->errors.stopped) fw_rest(ctx, n);
  }
}
