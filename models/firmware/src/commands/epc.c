// Extended power conditions (EPC; ACS-3, 4.9 and 7.45.19): SET FEATURES 4Ah and log 08h. Idle_a is active idle, Idle_b
// low-power idle, Idle_c the same with the stack at its lowest speed, Standby_y the same with the electronics in
// standby, Standby_z standby. The drive has those for which it has the means. While the feature set is enabled, each
// condition has a timer and a switch of its own, and advanced power management is off.
//
// Each condition has default, saved and current settings. The saved ones and the state of the feature set outlive a
// loss of power. What each subcommand copies is that of the Ultrastar DC HC310 OEM specification, 11.46.6.1 to .6,
// which repeats ACS-2; names of conditions as in its table 74; bits of commands and log as in FreeBSD's sys/ata.h.
//
// Two options of the standard are missing, and the drive says so. No condition can be held (log 08h, bit 1 of the
// flags): a drive that holds one has to refuse every command that would end it (camcontrol(8), epc goto -H). And
// subcommand 6, the power source, is not there (log 30h, page 3, bit 42): nothing in the drive depends on it.
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
#define FROM_DEFAULT 0x40u
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

static bool in(uint32_t conditions, uint32_t condition) {
  return (conditions >> condition & 1u) != 0;
}

struct setting {
  uint32_t ms;  // timer; 0: off
  bool on;
};

static struct setting default_of(struct fw_context* ctx, uint32_t condition) {
  const uint32_t ms = fw_idle_default_ms(ctx, condition);
  return (struct setting){ms, ms != 0};
}

static struct setting saved_of(struct fw_context* ctx, uint32_t condition) {
  if (ctx->saved.epc.known == 0) return default_of(ctx, condition);
  return (struct setting){ctx->saved.epc.ms[condition], in(ctx->saved.epc.timers, condition)};
}

static struct setting current_of(const struct fw_context* ctx, uint32_t condition) {
  return (struct setting){ctx->pm.idle.after_ms[condition], in(ctx->pm.epc.timers, condition)};
}

static void set(struct fw_context* ctx, uint32_t condition, struct setting to) {
  fw_idle_set_timer(ctx, condition, to.ms, to.on);
}

static void keep(struct fw_context* ctx, uint32_t condition, struct setting now) {
  const uint32_t bit = 1u << condition, timers = ctx->saved.epc.timers;
  ctx->saved.epc.ms[condition] = now.ms;
  ctx->saved.epc.timers = (uint8_t)(now.on ? timers | bit : timers & ~bit);
}

// The saved settings become known.
static void begin_saving(struct fw_context* ctx) {
  if (ctx->saved.epc.known != 0) return;
  for (uint32_t condition = 0; condition < FW_CONDITION_COUNT; ++condition)
    keep(ctx, condition, default_of(ctx, condition));
  ctx->saved.epc.enabled = ctx->pm.epc.state == FW_EPC_ENABLED ? 1 : 0;
  ctx->saved.epc.known = 1;
}

// A saved timer of 0 gives way to the default one (11.46.6.5).
static void enable(struct fw_context* ctx) {
  ctx->pm.epc.state = FW_EPC_ENABLED;
  fw_apm_set(ctx, 0);
  fw_standby_timer(ctx, 0);
  for (uint32_t condition = 0; condition < FW_CONDITION_COUNT; ++condition) {
    struct setting saved = saved_of(ctx, condition);
    if (saved.ms == 0) saved.ms = default_of(ctx, condition).ms;
    set(ctx, condition, saved);
  }
}

static void disable(struct fw_context* ctx) {
  for (uint32_t condition = 0; condition < FW_CONDITION_COUNT; ++condition)
    set(ctx, condition, default_of(ctx, condition));
  ctx->pm.epc.state = FW_EPC_DISABLED;
}

void fw_epc_reset(struct fw_context* ctx) {
  const uint32_t factory = field(ctx, offsetof(struct fw_factory, epc));
  if (factory == FW_EPC_NONE) return;
  for (uint32_t condition = 0; condition < FW_CONDITION_COUNT; ++condition) {
    const uint32_t back_ms = field(ctx, offsetof(struct fw_factory, epc_back_ms) + 4u * condition);
    if (back_ms != 0) ctx->pm.epc.supported |= (uint8_t)(1u << condition);
  }
  ctx->pm.epc.state = FW_EPC_DISABLED;
  if (ctx->saved.epc.known != 0 ? ctx->saved.epc.enabled != 0 : factory == FW_EPC_ON) enable(ctx);
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

// Restores or sets the current settings of a condition, and saves them if told. SET POWER CONDITION STATE saves the
// switch alone.
static void change(struct fw_context* ctx, uint32_t lba, uint32_t condition) {
  const uint32_t subcommand = lba & SUBCOMMAND;
  struct setting to = {current_of(ctx, condition).ms, (lba & ENABLE) != 0};
  if (subcommand == EPC_SET_TIMER) to.ms = timer_ms(lba);
  if (subcommand == EPC_RESTORE) to = (lba & FROM_DEFAULT) != 0 ? default_of(ctx, condition) : saved_of(ctx, condition);
  set(ctx, condition, to);
  if ((lba & SAVE) == 0) return;
  begin_saving(ctx);
  to = current_of(ctx, condition);
  if (subcommand == EPC_SET_STATE) to.ms = ctx->saved.epc.ms[condition];
  keep(ctx, condition, to);
}

// Ends when the drive is in the condition, or at once.
static bool go_to(struct fw_context* ctx, const struct fw_command* command, uint32_t conditions) {
  if ((command->count & 0xFFu) == ALL_CONDITIONS || conditions == 0 || (command->device & HOLD) != 0) return false;
  uint32_t condition = 0;
  while (!in(conditions, condition)) condition++;
  ctx->pm.idle.ordered = true;
  fw_power_go(ctx, (enum fw_condition)condition, (command->device & DELAYED) != 0);
  return true;
}

// The state outlives a loss of power, as each reset (11.46.6.5 and .6). False: nothing is to be saved.
static bool turn(struct fw_context* ctx, bool on) {
  if (on == (ctx->pm.epc.state == FW_EPC_ENABLED)) return false;
  if (on)
    enable(ctx);
  else
    disable(ctx);
  if (!ctx->saves.known) return false;
  begin_saving(ctx);
  ctx->saved.epc.enabled = on ? 1 : 0;
  return true;
}

// Enables, disables, restores or sets. A command that saves ends when the flash has its settings.
void fw_epc_command(struct fw_context* ctx, const struct fw_command* command) {
  const uint32_t lba = (uint32_t)command->lba & 0xFFFFFFu, subcommand = lba & SUBCOMMAND;
  const uint32_t conditions = named(ctx, command->count & 0xFFu);
  const bool switches = subcommand == EPC_ENABLE || subcommand == EPC_DISABLE;
  const bool saves = !switches && (lba & SAVE) != 0;
  bool known =
      ctx->pm.epc.state == FW_EPC_ENABLED || (ctx->pm.epc.state == FW_EPC_DISABLED && subcommand == EPC_ENABLE);
  if (known && subcommand == EPC_GO_TO) {
    if (!go_to(ctx, command, conditions)) fw_abort(ctx, command);
    return;
  }
  known = known && (switches || (subcommand <= EPC_SET_STATE && conditions != 0 && (!saves || ctx->saves.known)));
  if (!known) {
    fw_abort(ctx, command);
    return;
  }
  const bool turned = switches && turn(ctx, subcommand == EPC_ENABLE);
  for (uint32_t condition = 0; !switches && condition < FW_CONDITION_COUNT; ++condition)
    if (in(conditions, condition)) change(ctx, lba, condition);
  if (saves || turned)
    fw_save_then(ctx, FW_AFTER_SAVE_EPC);
  else
    fw_unqueued_status(ctx, ATA_STATUS_READY, 0, 0);
}

// Log 08h, a descriptor of 64 bytes.
#define SUPPORTED 0x8000u  // in byte 1
#define SAVEABLE 0x4000u
#define CHANGEABLE 0x2000u
#define DEFAULT_ENABLED 0x1000u
#define SAVED_ENABLED 0x0800u
#define CURRENT_ENABLED 0x0400u
#define NO_HOLD 0x0200u

static uint32_t units(uint32_t ms) {
  return ms / MS + (ms % MS != 0 ? 1u : 0u);
}

static void describe(struct fw_context* ctx, uint32_t condition, struct fw_page* page, uint32_t byte) {
  if (!in(ctx->pm.epc.supported, condition)) return;
  const struct setting delivered = default_of(ctx, condition), saved = saved_of(ctx, condition);
  const struct setting now = current_of(ctx, condition);
  uint32_t* const at = &page->dwords[byte / 4u];
  at[0] = SUPPORTED | CHANGEABLE | NO_HOLD | (ctx->saves.known ? SAVEABLE : 0u) |
          (delivered.on ? DEFAULT_ENABLED : 0u) | (saved.on ? SAVED_ENABLED : 0u) |
          (ctx->pm.epc.state == FW_EPC_ENABLED && now.on ? CURRENT_ENABLED : 0u);
  at[1] = units(delivered.ms);
  at[2] = units(saved.ms);
  at[3] = units(now.ms);
  at[4] = units(field(ctx, offsetof(struct fw_factory, epc_back_ms) + 4u * condition));
  at[5] = 1u;
  at[6] = MOST_MINUTES * (MINUTE_MS / MS);
}

void fw_epc_log(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)log;
  const uint32_t idle = FW_CONDITION_STANDBY_Y;  // number of idle conditions; page 0 has these
  for (uint32_t condition = number == 0 ? 0u : idle; condition < (number == 0 ? idle : FW_CONDITION_COUNT); ++condition)
    describe(ctx, condition, page, number == 0 ? 64u * condition : 384u + 64u * (condition - idle));
}
