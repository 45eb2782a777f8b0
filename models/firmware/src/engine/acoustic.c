// Acoustic management: arms have two seek curves, a normal and a quiet one (ATA8-ACS, automatic acoustic management).
// Each arm's class tells the arbitration unit which of them it reckons with; a grant tells with which one its time was
// predicted, and that one the arm takes, also if the class has changed since.
#include "engine/engine.h"

#define LEVEL_FAST 0xFEu    // the highest level: maximum performance
#define LEVEL_QUIET 0x80u   // the lowest: minimum acoustic emanation
#define LEVEL_NORMAL 0xC0u  // from here on: one band of levels for each curve, as makers of the time have them

struct fw_seek_point fw_read_seek_point(struct fw_context* ctx, uint32_t table, uint32_t i) {
  const uint32_t at = table + 8u * i;
  const uint32_t cylinders = fw_factory_word(ctx, at);
  return (struct fw_seek_point){cylinders, fw_factory_word(ctx, at + 4u)};
}

static uint32_t field(struct fw_context* ctx, size_t offset) {
  return fw_factory_word(ctx, (uint32_t)offset);
}

// Each arm's curve, by the host's level, the arm, and the power cap.
void fw_acoustic_update(struct fw_context* ctx) {
  const bool capped = ctx->cap.quiet && ctx->cap.taken != 0;
  const bool all = capped || (ctx->acoustic_level != 0 && ctx->acoustic_level < LEVEL_NORMAL);
  for (uint32_t n = 0; n < ctx->arms; ++n) {
    const bool quiet = all || (ctx->quiet_arms >> n & 1u) != 0;
    if (ctx->arm[n].quiet_class == quiet) continue;
    ctx->arm[n].quiet_class = quiet;
    ctx->arm[n].quiet = quiet;
    const uint32_t mount = field(ctx, offsetof(struct fw_factory, arm_mount) + 4u * n);
    fw_aau_set(ctx, AAU_ARM_MOUNT(n), mount | (quiet ? AAU_ARM_MOUNT_ARM_CLASS_MASK : 0u));
  }
}

void fw_acoustic_reset(struct fw_context* ctx) {
  if (ctx->quiet_points == 0) return;
  ctx->quiet_arms = field(ctx, offsetof(struct fw_factory, quiet_arms));
  ctx->just_in_time = (field(ctx, offsetof(struct fw_factory, quiet_flags)) & FW_QUIET_JUST_IN_TIME) != 0;
  fw_acoustic_update(ctx);
}

// SET FEATURES 42h (a level) and C2h (0: off, which is fast). Whether the drive has such a level.
bool fw_acoustic_set(struct fw_context* ctx, uint32_t level) {
  if (ctx->quiet_points == 0 || (level != 0 && (level < LEVEL_QUIET || level > LEVEL_FAST))) return false;
  ctx->acoustic_level = (uint8_t)level;
  fw_acoustic_update(ctx);
  return true;
}

// IDENTIFY DEVICE, word 94: recommended and present level.
uint32_t fw_acoustic_levels(const struct fw_context* ctx) {
  return ctx->quiet_points == 0 ? 0u : LEVEL_QUIET << 8 | ctx->acoustic_level;
}

// Ticks of a quiet seek, rounded up: the entries' line as the arbitration unit has it, or a tick more.
static uint32_t quiet_ticks(struct fw_context* ctx, uint32_t cylinders) {
  const uint32_t table = (uint32_t)offsetof(struct fw_factory, quiet);
  if (cylinders == 0) return 0;
  uint32_t first = 0, last = ctx->quiet_points - 1u;
  while (first < last) {  // the last entry at or before the distance
    const uint32_t middle = (first + last + 1u) / 2u;
    if (field(ctx, table + 8u * middle) <= cylinders)
      first = middle;
    else
      last = middle - 1u;
  }
  const struct fw_seek_point from = fw_read_seek_point(ctx, table, first);
  if (first + 1u == ctx->quiet_points || cylinders <= from.cylinders) return from.ticks;
  const struct fw_seek_point to = fw_read_seek_point(ctx, table, first + 1u);
  const int64_t rise = (int64_t)to.ticks - (int64_t)from.ticks;
  const int64_t part = rise * (int64_t)(cylinders - from.cylinders) / (int64_t)(to.cylinders - from.cylinders);
  return (uint32_t)((int64_t)from.ticks + part + 1);
}

// A grant waits for the arm: by which curve it goes.
void fw_acoustic_granted(struct fw_context* ctx, uint32_t n, uint32_t grant) {
  if (ctx->quiet_points == 0) return;
  ctx->arm[n].quiet = (grant & AAU_GRANT_ARM_CLASS_MASK) != 0;
  ctx->granted_arm = (uint8_t)n;
  ctx->granted_ticks = ctx->just_in_time ? fw_aau_estimate(ctx) : 0u;
}

// The arm begins to move to its new place, the old one being `from`. After a grant whose sector passes so late that a
// quiet seek is in time for it, it may take that; a read that takes what sectors come first would lose them. Twice the
// margin: what other handlers take until the channel starts must not cost a turn, and there is no wait to make up for
// it.
bool fw_acoustic_quiet(struct fw_context* ctx, uint32_t n, uint32_t from, bool write) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const bool granted = ctx->granted_arm == n;
  if (arm->quiet || !ctx->just_in_time || !granted) return arm->quiet;
  ctx->granted_arm = FW_NO_ARM;
  if (!write && (ctx->read_on_arrival || ctx->free_reads)) return false;
  const uint32_t here = FW_GET(from, AAU_ARM_CYLINDER), there = FW_GET(arm->place, AAU_ARM_CYLINDER);
  if (here == there) return false;
  uint32_t move = quiet_ticks(ctx, here < there ? there - here : here - there);
  const uint32_t head_switch = field(ctx, offsetof(struct fw_factory, head_switch_ticks));
  const uint32_t reposition = field(ctx, offsetof(struct fw_factory, reposition_ticks));
  if (FW_GET(from, AAU_ARM_HEAD) != FW_GET(arm->place, AAU_ARM_HEAD) && move < head_switch) move = head_switch;
  if (move < reposition) move = reposition;
  if (write) move += field(ctx, offsetof(struct fw_factory, write_settle_ticks));
  return 2u * field(ctx, offsetof(struct fw_factory, margin_ticks)) + move <= ctx->granted_ticks;
}
