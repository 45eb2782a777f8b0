// Arms on their way to written data, and the sectors that are theirs.
#include "jobs/jobs.h"

// The arm goes to a run, or writes it.
bool fw_destage_at_work(const struct fw_arm* arm) {
  return arm->job == FW_JOB_DESTAGE && arm->under_way &&
         (arm->state == FW_ARM_MOVING || arm->state == FW_ARM_ON_TRACK || arm->state == FW_ARM_TRANSFER);
}

// Its access has not begun.
bool fw_destage_on_its_way(const struct fw_arm* arm) {
  return fw_destage_at_work(arm) && arm->state != FW_ARM_TRANSFER && arm->held == 0 && arm->check == FW_CHECK_NONE &&
         !arm->filled;
}

// An arm other than `n` (FW_NO_ARM: any arm) is on its way to this sector, or will go on there.
bool fw_destage_awaited(const struct fw_context* ctx, uint64_t lba, uint32_t n) {
  if (ctx->drive.arms == 1u) return false;
  for (uint32_t other = 0; other < ctx->drive.arms; ++other) {
    const struct fw_arm* const arm = &ctx->arm[other];
    if (arm->job != FW_JOB_DESTAGE || lba < arm->lba || other == n || !fw_destage_at_work(arm)) continue;
    if ((fw_destage_on_its_way(arm) && lba < arm->lba + arm->joined) || lba < arm->kept_until) return true;
  }
  return false;
}
