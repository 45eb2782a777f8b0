// Idle conditions between idle and standby, as laptop drives of the 2000s have them: active idle, in which the arms
// rest without a servo in the middle of the stroke, and low-power idle, in which they are on the ramp while the stack
// turns (Hitachi Travelstar 5K160 specification, 12.6); and as drives of the 2010s have it, a low-power idle in which
// the stack turns at its lowest speed (Idle_c of ACS-2). Each has a timer from the end of the last command on; all run
// at once, and the drive enters the deepest condition whose timer is over (as ATA8-ACS and ACS-2 define power condition
// timers). The level of advanced power management limits how deep the drive goes.
//
// The last of them is standby, after a time that a policy chooses:
//   fixed          always the same
//   adaptive       a way back that takes too large a part of the time without a command before it makes the time
//                  longer, any other one makes it shorter (Douglis, Krishnan, Bershad, "Adaptive Disk Spin-Down
//                  Policies for Mobile Computers", 1995)
//   probabilistic  random in 0 to the break-even time B, with the density e^(t/B) / (B (e - 1)): no sequence of
//                  commands makes it cost more than e / (e - 1) times what an oracle needs (Karlin, Manasse, McGeoch,
//                  Owicki, "Competitive Randomized Algorithms for Nonuniform Problems", 1990)
#include "commands/commands.h"

#define APM_LEAST 0x01u  // ATA8-ACS, SET FEATURES 05h
#define APM_MOST 0xFEu
#define APM_LOW_POWER_IDLE 0x80u  // the bands of Travelstars: from here on no standby
#define APM_ACTIVE_IDLE 0xC0u     // and from here on no unloading

static uint32_t hits(struct fw_context* ctx) {
  return ctx->rules.hardware_hits ? fw_buf_hits(ctx) : 0u;
}

static uint32_t field(struct fw_context* ctx, size_t offset) {
  return fw_factory_word(ctx, (uint32_t)offset);
}

uint32_t fw_idle_default_ms(struct fw_context* ctx, uint32_t condition) {
  static const uint16_t kFields[FW_CONDITION_COUNT] = {
      offsetof(struct fw_factory, active_idle_ms), offsetof(struct fw_factory, low_power_idle_ms),
      offsetof(struct fw_factory, low_rpm_idle_ms), 0, offsetof(struct fw_factory, spin_down_ms)};
  const bool never = condition == FW_CONDITION_STANDBY && ctx->pm.idle.spin_down == FW_SPIN_DOWN_NEVER;
  return kFields[condition] == 0 || never ? 0u : field(ctx, kFields[condition]);
}

static void reset_spin_down(struct fw_context* ctx) {
  struct fw_idle* const idle = &ctx->pm.idle;
  idle->spin_down = (uint8_t)field(ctx, offsetof(struct fw_factory, spin_down));
  if (idle->spin_down == FW_SPIN_DOWN_NEVER) return;
  idle->spin_down_ms = field(ctx, offsetof(struct fw_factory, spin_down_ms));
  idle->random = field(ctx, offsetof(struct fw_factory, spin_down_seed)) | 1u;
}

// ln(1 + u (e - 1)) in 1/65,536 for u = 0, 1/32, ... 1: the quantile u of the time, as a part of the break-even time.
static const uint32_t kShare[33] = {
    0u,     3428u,  6685u,  9788u,  12751u, 15586u, 18303u, 20912u, 23421u, 25837u, 28168u,
    30418u, 32594u, 34700u, 36740u, 38719u, 40640u, 42506u, 44320u, 46086u, 47805u, 49480u,
    51113u, 52707u, 54263u, 55783u, 57268u, 58721u, 60142u, 61532u, 62894u, 64228u, 65536u,
};

// Marsaglia, "Xorshift RNGs", 2003.
static uint32_t next_random(struct fw_idle* idle) {
  uint32_t x = idle->random;
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  idle->random = x;
  return x;
}

static uint32_t random_time(struct fw_idle* idle) {
  const uint32_t u = next_random(idle) >> 11;  // 21 bits
  const uint32_t from = u >> 16, part = u & 0xFFFFu;
  const uint64_t share = kShare[from] + ((uint64_t)(kShare[from + 1u] - kShare[from]) * part >> 16);
  const uint32_t ms = (uint32_t)(idle->spin_down_ms * share >> 16);
  return ms == 0 ? 1u : ms;
}

// An idle time begins.
static void choose_time(struct fw_idle* idle) {
  if (idle->spin_down == FW_SPIN_DOWN_NEVER) return;
  idle->after_ms[FW_CONDITION_STANDBY] =
      idle->spin_down == FW_SPIN_DOWN_PROBABILISTIC ? random_time(idle) : idle->spin_down_ms;
}

// The stack is wanted again.
void fw_idle_back(struct fw_context* ctx) {
  struct fw_idle* const idle = &ctx->pm.idle;
  if (!idle->spun_down) return;
  idle->back_since = fw_timer_now(ctx);
  idle->idle_us = idle->back_since - idle->since;
}

// The arms are over the disk: compares the time of the way back with the idle time before it.
void fw_idle_is_back(struct fw_context* ctx) {
  struct fw_idle* const idle = &ctx->pm.idle;
  const bool stopped = idle->idle_us != 0;
  if (!idle->spun_down) return;
  idle->spun_down = false;
  if (!stopped || idle->spin_down != FW_SPIN_DOWN_ADAPTIVE) return;
  const uint64_t back_us = fw_timer_now(ctx) - idle->back_since;
  const uint64_t acceptable = field(ctx, offsetof(struct fw_factory, spin_down_acceptable));
  const uint32_t least = field(ctx, offsetof(struct fw_factory, spin_down_least_ms));
  const uint32_t most = field(ctx, offsetof(struct fw_factory, spin_down_most_ms));
  const uint32_t step = field(ctx, offsetof(struct fw_factory, spin_down_step_ms));
  const uint64_t idle_us = idle->idle_us;
  idle->idle_us = 0;
  if (back_us << 16 > idle_us * acceptable)
    idle->spin_down_ms = most - idle->spin_down_ms > step ? idle->spin_down_ms + step : most;
  else
    idle->spin_down_ms = idle->spin_down_ms - least > step ? idle->spin_down_ms - step : least;
}

void fw_idle_reset(struct fw_context* ctx) {
  struct fw_idle* const idle = &ctx->pm.idle;
  idle->known = true;
  for (uint32_t condition = 0; condition < FW_CONDITION_STANDBY; ++condition)
    idle->after_ms[condition] = fw_idle_default_ms(ctx, condition);
  const uint32_t level = field(ctx, offsetof(struct fw_factory, apm_level));
  reset_spin_down(ctx);
  const uint32_t deepest = idle->spin_down == FW_SPIN_DOWN_NEVER ? APM_LOW_POWER_IDLE : APM_LEAST;
  idle->apm_level = (uint8_t)(level != 0 ? level : deepest);
  idle->apm_at_power_on = idle->apm_level;
}

// A timer of extended power conditions: its time, and whether it is enabled.
void fw_idle_set_timer(struct fw_context* ctx, uint32_t condition, uint32_t ms, bool on) {
  const uint32_t bit = 1u << condition, timers = ctx->pm.epc.timers;
  ctx->pm.idle.after_ms[condition] = ms;
  ctx->pm.epc.timers = (uint8_t)(on && ms != 0 ? timers | bit : timers & ~bit);
}

// Level 0 turns it off: the drive stays at idle. Extended power conditions exclude the others.
bool fw_apm_set(struct fw_context* ctx, uint32_t level) {
  if (!ctx->pm.idle.known || level > APM_MOST) return false;
  if (ctx->pm.epc.state == FW_EPC_ENABLED && level != 0) return false;
  ctx->pm.idle.apm_level = (uint8_t)level;
  return true;
}

uint32_t fw_apm_level(const struct fw_context* ctx) {
  return ctx->pm.idle.apm_level;
}

static bool allowed(const struct fw_context* ctx, enum fw_condition condition) {
  const uint8_t level = ctx->pm.idle.apm_level;
  if (ctx->pm.idle.after_ms[condition] == 0) return false;
  if (ctx->governor.objective != 0 && condition - (condition > FW_CONDITION_LOW_RPM_IDLE) >= ctx->governor.idle)
    return false;  // Standby_y and standby are one of its conditions
  if (ctx->pm.epc.state == FW_EPC_ENABLED) return (ctx->pm.epc.timers >> condition & 1u) != 0;
  if (level < APM_LEAST) return false;
  if (condition == FW_CONDITION_STANDBY) return level < APM_LOW_POWER_IDLE;
  return condition == FW_CONDITION_ACTIVE_IDLE || level < APM_ACTIVE_IDLE;
}

// The shallowest of the conditions below the present one.
static uint32_t first_below(const struct fw_context* ctx) {
  if (ctx->pm.state == FW_POWER_ACTIVE) return FW_CONDITION_ACTIVE_IDLE;
  const uint32_t condition = fw_condition_at_rest(ctx);
  return condition != FW_CONDITION_COUNT ? condition + 1u : FW_CONDITION_COUNT;
}

static uint64_t time_of(const struct fw_context* ctx, uint32_t condition) {
  return ctx->pm.idle.since + (uint64_t)ctx->pm.idle.after_ms[condition] * 1000u;
}

// The timer runs to the next condition.
void fw_idle_next(struct fw_context* ctx) {
  if (!ctx->pm.idle.known || ctx->pm.idle.ordered || ctx->commands.active != 0) return;
  uint64_t first = 0;
  for (uint32_t condition = first_below(ctx); condition < FW_CONDITION_COUNT; ++condition) {
    if (!allowed(ctx, (enum fw_condition)condition)) continue;
    const uint64_t at = time_of(ctx, condition);
    if (first == 0 || at < first) first = at;
  }
  if (first == 0) return;
  const uint64_t now = fw_timer_now(ctx);
  fw_timer_start(ctx, FW_TIMER_CONDITION, first > now ? first - now : 1u);
}

void fw_idle_rearm(struct fw_context* ctx) {
  if (!ctx->pm.idle.known || ctx->commands.active != 0) return;
  ctx->pm.idle.since = fw_timer_now(ctx);
  ctx->pm.idle.hits_seen = hits(ctx);
  if (ctx->pm.epc.state != FW_EPC_ENABLED) choose_time(&ctx->pm.idle);
  fw_idle_next(ctx);
}

void fw_idle_due(struct fw_context* ctx) {
  if (ctx->background.reading.state != FW_READING_NONE) return;  // until it ends
  if (ctx->commands.active != 0 || ctx->destage.flush_waits || ctx->errors.draining || ctx->errors.halted)
    return;  // until a command ends
  if (hits(ctx) != ctx->pm.idle.hits_seen) {
    fw_idle_rearm(ctx);
    return;
  }
  const uint64_t now = fw_timer_now(ctx);
  for (uint32_t condition = FW_CONDITION_COUNT; condition-- > first_below(ctx);)
    if (allowed(ctx, (enum fw_condition)condition) && time_of(ctx, condition) <= now) {
      ctx->pm.idle.spun_down = condition == FW_CONDITION_STANDBY;
      ctx->pm.idle.wanted = (uint8_t)condition;
      fw_due(ctx, FW_DUE_DOWN);
      return;
    }
  fw_idle_next(ctx);  // a level set meanwhile forbids it
}
