// SET FEATURES (ACS-3, 7.45), and what a reset does to the settings. docs/reference/ata.md lists them.
#include "commands/commands.h"

#define WRITE_CACHE_ON 0x02u
#define TRANSFER_MODE 0x03u
#define APM_ON 0x05u
#define LIMITS 0x0Du
#define SATA_ON 0x10u
#define ACOUSTIC_ON 0x42u
#define POWER_CONDITIONS 0x4Au
#define LOOK_AHEAD_OFF 0x55u
#define KEEP_OVER_RESET 0x66u
#define WRITE_CACHE_OFF 0x82u
#define APM_OFF 0x85u
#define SATA_OFF 0x90u
#define LOOK_AHEAD_ON 0xAAu
#define ACOUSTIC_OFF 0xC2u
#define SENSE_OF_SUCCESS 0xC4u
#define REVERT_AT_RESET 0xCCu

// Features of Serial ATA, by the count.
#define SATA_BUFFER_OFFSETS 0x01u
#define SATA_PRESERVATION 0x06u

#define MODE_PIO 0x08u  // transfer modes: flow-controlled PIO, multiword DMA, Ultra DMA, each with its number
#define MODE_MULTIWORD 0x20u
#define MODE_ULTRA 0x40u
#define MOST_PIO 4u
#define MOST_MULTIWORD 2u
#define MOST_ULTRA 6u

static void look_ahead(struct fw_context* ctx, bool on) {
  if (on) {
    ctx->host.look_ahead = true;
    fw_hits_enable(ctx, true);
    return;
  }
  fw_hits_enable(ctx, false);
  fw_forget_segments(ctx);
  fw_kept_forget_all(ctx);
  ctx->host.look_ahead = false;
  fw_stream_preempt(ctx, FW_ANY_TRACK);
}

// A serial link has no such modes: they are kept for IDENTIFY DEVICE, words 63 and 88.
static bool transfer_mode(struct fw_context* ctx, uint32_t mode) {
  if (mode <= 1u || (mode >= MODE_PIO && mode <= MODE_PIO + MOST_PIO)) return true;
  const bool multiword = mode >= MODE_MULTIWORD && mode <= MODE_MULTIWORD + MOST_MULTIWORD;
  const bool ultra = mode >= MODE_ULTRA && mode <= MODE_ULTRA + MOST_ULTRA;
  if (!multiword && !ultra) return false;
  ctx->host.transfer_mode = (uint8_t)mode;
  return true;
}

// Words 63 and 88: a bit for each mode, and one for that in use.
uint32_t fw_multiword_modes(const struct fw_context* ctx) {
  const bool used = ctx->host.transfer_mode < MODE_ULTRA;
  return 0x07u | (used ? 0x100u << (ctx->host.transfer_mode - MODE_MULTIWORD) : 0u);
}

uint32_t fw_ultra_modes(const struct fw_context* ctx) {
  return 0x7Fu | (ctx->host.transfer_mode >= MODE_ULTRA ? 0x100u << (ctx->host.transfer_mode - MODE_ULTRA) : 0u);
}

static bool sata_feature(struct fw_context* ctx, uint32_t feature, bool on) {
  if (feature == SATA_BUFFER_OFFSETS)
    ctx->host.buffer_offsets = on;
  else if (feature == SATA_PRESERVATION)
    ctx->host.settings_preserved = on;
  else
    return false;
  return true;
}

// False: unknown feature or value. The command is not queued, so no media command is in work; arms may still read ahead
// or write back.
static bool set(struct fw_context* ctx, uint32_t feature, uint32_t count) {
  switch (feature) {
    case WRITE_CACHE_ON:
      if (ctx->buffer.line_share && !fw_sct_forces_cache(ctx)) ctx->host.write_cache = true;
      return ctx->buffer.line_share;
    case WRITE_CACHE_OFF:  // forced by SCT: it stays
      return true;
    case TRANSFER_MODE:
      return transfer_mode(ctx, count);
    case SATA_ON:
    case SATA_OFF:
      return sata_feature(ctx, count, feature == SATA_ON);
    case LOOK_AHEAD_ON:
    case LOOK_AHEAD_OFF:
      look_ahead(ctx, feature == LOOK_AHEAD_ON);
      return true;
    case ACOUSTIC_ON:
      return count != 0 && fw_acoustic_set(ctx, count);
    case ACOUSTIC_OFF:
      return fw_acoustic_set(ctx, 0);
    case APM_ON:
      return count != 0 && fw_apm_set(ctx, count);
    case APM_OFF:
      return fw_apm_set(ctx, 0);
    case LIMITS:
      if (count <= 1u) ctx->host.limits.on = count == 1u;
      return count <= 1u;
    case SENSE_OF_SUCCESS:
      if (count <= 1u) ctx->host.limits.sense = count == 1u;
      return count <= 1u;
    case KEEP_OVER_RESET:
    case REVERT_AT_RESET:
      ctx->host.reverts = feature == REVERT_AT_RESET;
      return true;
    default:
      return false;
  }
}

void fw_set_features(struct fw_context* ctx, const struct fw_command* command) {
  const uint32_t feature = command->features & 0xFFu;
  if (feature == WRITE_CACHE_OFF && !fw_sct_forces_cache(ctx)) {
    ctx->host.write_cache = false;
    fw_flush(ctx, false);  // ends when everything is on the media
  } else if (feature == POWER_CONDITIONS) {
    fw_epc_command(ctx, command);
  } else if (set(ctx, feature, command->count & 0xFFu)) {
    fw_unqueued_status(ctx, ATA_STATUS_READY, 0, 0);
  } else {
    fw_abort(ctx, command);
  }
}

static void revert(struct fw_context* ctx) {
  const bool ahead = (ctx->host.cache_flags & FW_CACHE_LOOK_AHEAD) != 0;
  if (!fw_sct_forces_cache(ctx))
    ctx->host.write_cache = (ctx->host.cache_flags & FW_CACHE_WRITE) != 0 && ctx->buffer.line_share;
  if (ctx->host.look_ahead != ahead) look_ahead(ctx, ahead);
  if (ctx->acoustic.level != 0) fw_acoustic_set(ctx, 0);
  if (ctx->pm.idle.known) fw_apm_set(ctx, ctx->pm.idle.apm_at_power_on);
  ctx->host.multiple = 0;
  ctx->host.limits.on = false;
  ctx->host.limits.sense = false;
  ctx->host.transfer_mode = MODE_ULTRA + MOST_ULTRA;
}

void fw_settings_reset(struct fw_context* ctx, uint32_t cache) {
  ctx->host.cache_flags = cache;
  ctx->host.transfer_mode = MODE_ULTRA + MOST_ULTRA;
  ctx->host.settings_preserved = true;
  ctx->host.offsets_at_reset = fw_factory_word(ctx, (uint32_t)offsetof(struct fw_factory, buffer_offsets)) != 0;
  ctx->host.buffer_offsets = ctx->host.offsets_at_reset;
}

// The host has reset the drive. SRST: the settings revert to those of power-on if the host has enabled that. COMRESET:
// they revert unless preserved; the features of Serial ATA are as at power-on (Serial ATA 2.6, 13.3).
void fw_settings_after_reset(struct fw_context* ctx, bool comreset) {
  if (ctx->host.reverts || (comreset && !ctx->host.settings_preserved)) revert(ctx);
  if (!comreset) return;
  if (!ctx->host.settings_preserved) fw_standby_timer(ctx, 0);
  ctx->host.buffer_offsets = ctx->host.offsets_at_reset;
  ctx->host.settings_preserved = true;
  ctx->host.accessible = ctx->host.kept_accessible;
}
