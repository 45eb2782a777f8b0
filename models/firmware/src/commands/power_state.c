// Reports the drive's state to the power management unit.
#include "commands/commands.h"

// Values of pmu.state.
enum { PMU_ACTIVE, PMU_IDLE, PMU_STANDBY, PMU_SLEEP, PMU_ACTIVE_IDLE, PMU_LOW_POWER_IDLE };

// No transition is under way: the arms are over the disk and may work, or the stack is at fault and nothing can.
static bool stays(const struct fw_context* ctx) {
  return ctx->pm.state == FW_POWER_ACTIVE || ctx->pm.state == FW_POWER_FLUSH || ctx->pm.state == FW_POWER_REST ||
         ctx->pm.state == FW_POWER_FAULT;
}

// The controller's power state, after each handler. A command or an arm at work keeps it active, and so do transitions
// into idle conditions and standby and back. SEEK does not: no data are formatted, decoded or buffered for it. Nor do
// commands and written data that the power cap keeps waiting for an arm while the link carries no data: the cap earns
// its credit from the power saved then.
void fw_power_tell(struct fw_context* ctx) {
  uint8_t state = PMU_ACTIVE;
  const bool seek = ctx->requests[0].state != FW_REQUEST_FREE && ctx->requests[0].seek;
  const bool held = ctx->cap.shut && ctx->link.transfers == 0;
  const uint32_t with_data = held ? 0u : ctx->commands.active - (seek ? 1u : 0u);
  if (ctx->pm.sleep == FW_SLEEP_ASLEEP) {
    state = PMU_SLEEP;
  } else if (ctx->commands.active == 0 && ctx->pm.state == FW_POWER_STANDBY) {
    state = PMU_STANDBY;
  } else if (ctx->commands.active == 0 && ctx->pm.state == FW_POWER_ACTIVE_IDLE) {
    state = PMU_ACTIVE_IDLE;
  } else if (ctx->commands.active == 0 &&
             (ctx->pm.state == FW_POWER_LOW_POWER_IDLE || ctx->pm.state == FW_POWER_LOW_RPM_IDLE)) {
    state = PMU_LOW_POWER_IDLE;
  } else if (with_data == 0 && stays(ctx)) {
    state = PMU_IDLE;
    for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
      const struct fw_arm* const arm = &ctx->arm[n];
      const bool seeks = seek && arm->job == FW_JOB_REQUEST && arm->tag == 0;
      if (arm->state != FW_ARM_IDLE && !arm->broken && !seeks) state = PMU_ACTIVE;
    }
  }
  if (state == ctx->pm.pmu_state) return;
  ctx->pm.pmu_state = state;
  fw_pmu_tell(ctx, state);
}
