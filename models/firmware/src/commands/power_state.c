// Which condition the drive is in, for the host and for the power management unit.
#include "commands/commands.h"

// Values of pmu.state.
enum { PMU_ACTIVE, PMU_IDLE, PMU_STANDBY, PMU_SLEEP, PMU_ACTIVE_IDLE, PMU_LOW_POWER_IDLE };

struct condition {
  uint8_t way;    // enum fw_power: the step that leads there
  uint8_t rest;   // enum fw_power: the drive is there
  uint8_t shown;  // enum fw_state
  uint8_t mode;   // CHECK POWER MODE with extended power conditions
  uint8_t pmu;
};

static const struct condition kConditions[FW_CONDITION_COUNT] = {
    {FW_POWER_RELEASE, FW_POWER_ACTIVE_IDLE, FW_STATE_ACTIVE_IDLE, 0x81u, PMU_ACTIVE_IDLE},
    {FW_POWER_UNLOAD, FW_POWER_LOW_POWER_IDLE, FW_STATE_LOW_POWER_IDLE, 0x82u, PMU_LOW_POWER_IDLE},
    {FW_POWER_SLOW_DOWN, FW_POWER_LOW_RPM_IDLE, FW_STATE_LOW_RPM_IDLE, 0x83u, PMU_LOW_POWER_IDLE},
    {FW_POWER_STANDBY_Y, FW_POWER_STANDBY_Y, FW_STATE_STANDBY_Y, 0x01u, PMU_STANDBY},
    {FW_POWER_SPIN_DOWN, FW_POWER_STANDBY, FW_STATE_STANDBY, 0x00u, PMU_STANDBY},
};

#define MODE_STANDBY 0x00u
#define MODE_IDLE 0x80u
#define MODE_ACTIVE 0xFFu  // or idle

uint32_t fw_condition_reached(const struct fw_context* ctx) {
  const uint8_t state = ctx->pm.state;
  if (state == FW_POWER_ACTIVE) return FW_CONDITION_COUNT;
  uint32_t condition = 0;
  while (condition < FW_CONDITION_COUNT && state != kConditions[condition].way && state != kConditions[condition].rest)
    condition++;
  return condition;
}

uint32_t fw_condition_at_rest(const struct fw_context* ctx) {
  const uint32_t condition = fw_condition_reached(ctx);
  const bool there = condition != FW_CONDITION_COUNT && ctx->pm.state == kConditions[condition].rest;
  return there ? condition : FW_CONDITION_COUNT;
}

enum fw_power fw_condition_state(uint32_t condition) {
  return (enum fw_power)kConditions[condition].rest;
}

enum fw_state fw_condition_shown(uint32_t condition) {
  return (enum fw_state)kConditions[condition].shown;
}

bool fw_at_idle(const struct fw_context* ctx) {
  return ctx->pm.state == FW_POWER_ACTIVE || fw_condition_at_rest(ctx) < FW_CONDITION_STANDBY;
}

uint32_t fw_epc_mode(uint32_t condition) {
  return kConditions[condition].mode;
}

void fw_check_power_mode(struct fw_context* ctx) {
  const uint32_t condition = ctx->pm.state == FW_POWER_UNLOAD ? ctx->pm.condition : fw_condition_reached(ctx);
  uint32_t mode = condition >= FW_CONDITION_STANDBY_Y ? MODE_STANDBY : MODE_IDLE;
  if (condition >= FW_CONDITION_COUNT)
    mode = MODE_ACTIVE;
  else if (ctx->pm.epc.state == FW_EPC_ENABLED)
    mode = fw_epc_mode(condition);
  fw_hif_taskfile(ctx, FW_SET(HIF_TASKFILE_STATUS, ATA_STATUS_READY) | FW_SET(HIF_TASKFILE_COUNT, mode));
  fw_hif_complete(ctx, 0);
  fw_hif_taskfile(ctx, ATA_STATUS_READY);
}

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
  const bool works = ctx->commands.active != 0;
  const uint32_t condition = works ? FW_CONDITION_COUNT : fw_condition_at_rest(ctx);
  if (ctx->pm.sleep == FW_SLEEP_ASLEEP) {
    state = PMU_SLEEP;
  } else if (condition != FW_CONDITION_COUNT) {
    state = kConditions[condition].pmu;
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
