// Extended power conditions (EPC; ACS-3, 4.9 and 7.45.19): SET FEATURES 4Ah and log 08h. Idle_a is active idle, Idle_b
// low-power idle, Idle_c the same with the stack at its lowest speed, Standby_z standby. The drive has those for which
// it has the means. While the feature set is enabled, each condition has a timer and a switch of its own, and advanced
// power management is off. No condition can be held, and no setting is kept without power.
#include "commands/commands.h"

enum {
  EPC_RESTORE,
  EPC_GO_TO,
  EPC_SET_TIMER,
  EPC_SET_STATE,
  EPC_ENABLE,
  EPC_DISABLE,
};

#define SUBCOMMAND 0xFu  // bits of the LBA
#define SAVE 0x10u
#define ENABLE 0x20u
#define TIMER_IN_MINUTES 0x80u
#define HOLD 0x1u  // bits 27:24 of the LBA, in the device register
#define DELAYED 0x2u
#define ALL_CONDITIONS 0xFFu

#define MS 100u  // of the log's times
#define MINUTE_MS 60000u
#define MOST_MINUTES 0xFFFFu

static uint32_t field(struct fw_context* ctx, size_t offset) {
  return fw_factory_word(ctx, (uint32_t)offset);
}

// Timers as delivered, milliseconds; 0: off.
static uint32_t delivered_ms(struct fw_context* ctx, uint32_t condition) {
  switch (condition) {
    case FW_CONDITION_ACTIVE_IDLE:
      return field(ctx, offsetof(struct fw_factory, active_idle_ms));
    case FW_CONDITION_LOW_POWER_IDLE:
      return field(ctx, offsetof(struct fw_factory, low_power_idle_ms));
    case FW_CONDITION_LOW_RPM_IDLE:
      return field(ctx, offsetof(struct fw_factory, low_rpm_idle_ms));
    default:
      return ctx->pm.idle.spin_down == FW_SPIN_DOWN_NEVER ? 0u : field(ctx, offsetof(struct fw_factory, spin_down_ms));
  }
}

static void restore(struct fw_context* ctx, uint32_t condition) {
  const uint32_t ms = delivered_ms(ctx, condition);
  fw_idle_set_timer(ctx, condition, ms, true);
}

static void enable(struct fw_context* ctx) {
  if (ctx->pm.epc.state == FW_EPC_ENABLED) return;
  ctx->pm.epc.state = FW_EPC_ENABLED;
  fw_apm_set(ctx, 0);
  fw_standby_timer(ctx, 0);
  for (uint32_t condition = 0; condition < FW_CONDITION_COUNT; ++condition) restore(ctx, condition);
}

static void disable(struct fw_context* ctx) {
  for (uint32_t condition = 0; condition < FW_CONDITION_COUNT; ++condition) restore(ctx, condition);
  ctx->pm.epc.state = FW_EPC_DISABLED;
}

void fw_epc_reset(struct fw_context* ctx) {
  const uint32_t set = field(ctx, offsetof(struct fw_factory, epc));
  if (set == FW_EPC_NONE) return;
  for (uint32_t condition = 0; condition < FW_CONDITION_COUNT; ++condition) {
    const uint32_t back_ms = field(ctx, offsetof(struct fw_factory, epc_back_ms) + 4u * condition);
    if (back_ms != 0) ctx->pm.epc.supported |= (uint8_t)(1u << condition);
  }
  ctx->pm.epc.state = FW_EPC_DISABLED;
  if (set == FW_EPC_ON) enable(ctx);
}

// The conditions that a command names, a bit each; 0: one that the drive does not have.
static uint32_t named(const struct fw_context* ctx, uint32_t id) {
  if (id == ALL_CONDITIONS) return ctx->pm.epc.supported;
  for (uint32_t condition = 0; condition < FW_CONDITION_COUNT; ++condition)
    if (fw_epc_mode(condition) == id) return ctx->pm.epc.supported & 1u << condition;
  return 0;
}

// Timer of SET POWER CONDITION TIMER, milliseconds.
static uint32_t timer_ms(uint32_t lba) {
  const uint32_t value = lba >> 8 & MOST_MINUTES;
  return value * ((lba & TIMER_IN_MINUTES) != 0 ? MINUTE_MS : MS);
}

// False: not a command that the drive can do.
static bool change(struct fw_context* ctx, uint32_t lba, uint32_t conditions) {
  const uint32_t subcommand = lba & SUBCOMMAND, ms = timer_ms(lba);
  const bool on = (lba & ENABLE) != 0;
  if (conditions == 0 || (lba & SAVE) != 0) return false;
  if (subcommand == EPC_SET_TIMER && on && ms == 0) return false;
  for (uint32_t condition = 0; condition < FW_CONDITION_COUNT; ++condition) {
    if ((conditions >> condition & 1u) == 0) continue;
    if (subcommand == EPC_RESTORE) {
      restore(ctx, condition);
      continue;
    }
    fw_idle_set_timer(ctx, condition, subcommand == EPC_SET_TIMER ? ms : ctx->pm.idle.after_ms[condition], on);
  }
  return true;
}

// Ends when the drive is in the condition, or at once.
static bool go_to(struct fw_context* ctx, const struct fw_command* command, uint32_t conditions) {
  if ((command->count & 0xFFu) == ALL_CONDITIONS || conditions == 0 || (command->device & HOLD) != 0) return false;
  uint32_t condition = 0;
  while ((conditions >> condition & 1u) == 0) condition++;
  ctx->pm.idle.ordered = true;
  fw_power_go(ctx, (enum fw_condition)condition, (command->device & DELAYED) != 0);
  return true;
}

void fw_epc_command(struct fw_context* ctx, const struct fw_command* command) {
  const uint32_t lba = (uint32_t)command->lba & 0xFFFFFFu, subcommand = lba & SUBCOMMAND;
  const uint32_t conditions = named(ctx, command->count & 0xFFu);
  const bool enabled = ctx->pm.epc.state == FW_EPC_ENABLED;
  bool known = enabled || (ctx->pm.epc.state == FW_EPC_DISABLED && subcommand == EPC_ENABLE);
  if (known && subcommand == EPC_GO_TO) {
    if (!go_to(ctx, command, conditions)) fw_abort(ctx, command);
    return;
  }
  if (known && subcommand == EPC_ENABLE)
    enable(ctx);
  else if (known && subcommand == EPC_DISABLE)
    disable(ctx);
  else
    known = known && subcommand <= EPC_SET_STATE && change(ctx, lba, conditions);
  if (known)
    fw_unqueued_status(ctx, ATA_STATUS_READY, 0, 0);
  else
    fw_abort(ctx, command);
}

// Log 08h, a descriptor of 64 bytes.
#define SUPPORTED 0x8000u  // in byte 1
#define CHANGEABLE 0x2000u
#define DEFAULT_ENABLED 0x1000u
#define SAVED_ENABLED 0x0800u
#define CURRENT_ENABLED 0x0400u
#define NO_HOLD 0x0200u

static void describe(struct fw_context* ctx, uint32_t condition, struct fw_page* page, uint32_t byte) {
  const uint32_t supported = ctx->pm.epc.supported, timers = ctx->pm.epc.timers;
  if ((supported >> condition & 1u) == 0) return;
  const uint32_t delivered = delivered_ms(ctx, condition), now = ctx->pm.idle.after_ms[condition];
  const uint32_t back = field(ctx, offsetof(struct fw_factory, epc_back_ms) + 4u * condition);
  const bool enabled = ctx->pm.epc.state == FW_EPC_ENABLED && (timers >> condition & 1u) != 0;
  uint32_t* const at = &page->dwords[byte / 4u];
  at[0] = SUPPORTED | CHANGEABLE | NO_HOLD | (delivered != 0 ? DEFAULT_ENABLED | SAVED_ENABLED : 0u) |
          (enabled ? CURRENT_ENABLED : 0u);
  at[1] = (delivered + MS - 1u) / MS;
  at[2] = at[1];
  at[3] = now / MS + (now % MS != 0 ? 1u : 0u);
  at[4] = (back + MS - 1u) / MS;
  at[5] = 1u;
  at[6] = MOST_MINUTES * (MINUTE_MS / MS);
}

void fw_epc_log(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)log;
  if (number == 0)
    for (uint32_t condition = 0; condition < FW_CONDITION_STANDBY; ++condition)
      describe(ctx, condition, page, 64u * condition);
  else
    describe(ctx, FW_CONDITION_STANDBY, page, 448u);
}
