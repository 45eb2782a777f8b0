// Acoustic management: arms have two seek curves, a normal and a quiet one (ATA8-ACS, automatic acoustic management).
// Each arm's class tells the arbitration unit which curve to use. A grant names the curve of its prediction, and the
// arm uses that one even if its class has changed since.
#include "engine/engine.h"

#define LEVEL_FAST 0xFEu    // the highest level: maximum performance
#define LEVEL_QUIET 0x80u   // the lowest: minimum acoustic emanation
#define LEVEL_NORMAL 0xC0u  // levels below select the quiet curve, as on drives of the time

static uint32_t field(struct fw_context* ctx, size_t offset) {
  return fw_factory_word(ctx, (uint32_t)offset);
}

// Chooses each arm's curve from the host's level, the arm, the power cap, the temperature and the governor.
void fw_acoustic_update(struct fw_context* ctx) {
  const bool capped = ctx->cap.quiet && ctx->cap.taken != 0;
  const bool hot = ctx->thermal.quiet && ctx->thermal.taken != 0;
  const bool all =
      capped || hot || ctx->governor.quiet || (ctx->acoustic.level != 0 && ctx->acoustic.level < LEVEL_NORMAL);
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    const bool quiet = all || (ctx->acoustic.quiet_arms >> n & 1u) != 0;
    if (ctx->arm[n].quiet_class == quiet) continue;
    ctx->arm[n].quiet_class = quiet;
    ctx->arm[n].quiet = quiet;
    const uint32_t mount = field(ctx, offsetof(struct fw_factory, arm_mount) + 4u * n);
    fw_aau_set(ctx, AAU_ARM_MOUNT(n), mount | (quiet ? AAU_ARM_MOUNT_ARM_CLASS_MASK : 0u));
  }
}

void fw_acoustic_reset(struct fw_context* ctx) {
  if (ctx->acoustic.quiet_points == 0) return;
  ctx->acoustic.quiet_arms = field(ctx, offsetof(struct fw_factory, quiet_arms));
  ctx->acoustic.just_in_time = (field(ctx, offsetof(struct fw_factory, quiet_flags)) & FW_QUIET_JUST_IN_TIME) != 0;
  fw_acoustic_update(ctx);
}

// SET FEATURES 42h (a level) and C2h (0: off, which is fast). False: the drive has no such level.
bool fw_acoustic_set(struct fw_context* ctx, uint32_t level) {
  if (ctx->acoustic.quiet_points == 0 || (level != 0 && (level < LEVEL_QUIET || level > LEVEL_FAST))) return false;
  ctx->acoustic.level = (uint8_t)level;
  fw_acoustic_update(ctx);
  return true;
}

// IDENTIFY DEVICE, word 94: recommended and present level.
uint32_t fw_acoustic_levels(const struct fw_context* ctx) {
  return ctx->acoustic.quiet_points == 0 ? 0u : LEVEL_QUIET << 8 | ctx->acoustic.level;
}

// A grant for the arm is pending: takes the curve from it.
void fw_acoustic_granted(struct fw_context* ctx, uint32_t n, uint32_t grant) {
  if (ctx->acoustic.quiet_points == 0) return;
  ctx->arm[n].quiet = (grant & AAU_GRANT_ARM_CLASS_MASK) != 0;
  ctx->acoustic.granted_arm = (uint8_t)n;
  ctx->acoustic.granted_ticks = ctx->acoustic.just_in_time ? fw_aau_estimate(ctx) : 0u;
}

// Whether the arm moves quietly from `from` to its new place; `wrote`: its last access at `from` was a write. After a
// grant, it may if a quiet seek still arrives before its sector; not a read on arrival, which would lose sectors. Twice
// the margin: other handlers may delay the channel's start, and with no wait left that must not cost a turn.
bool fw_acoustic_quiet(struct fw_context* ctx, uint32_t n, uint32_t from, bool write, bool wrote) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const bool granted = ctx->acoustic.granted_arm == n;
  if (arm->quiet || !ctx->acoustic.just_in_time || !granted) return arm->quiet;
  ctx->acoustic.granted_arm = FW_NO_ARM;
  if (!write && (ctx->rules.read_on_arrival || ctx->rules.free_reads)) return false;
  if (FW_GET(from, AAU_ARM_CYLINDER) == FW_GET(arm->place, AAU_ARM_CYLINDER)) return false;
  return 2u * ctx->slots.reckoning.margin + fw_move_ticks(ctx, true, from, arm->place, write, wrote) <=
         ctx->acoustic.granted_ticks;
}
