// Commands at the head of the host interface's FIFO.
#include "commands/commands.h"

#define ATA_READ_LOG_EXT 0x2Fu
#define ATA_SEEK 0x70u
#define ATA_STANDBY_IMMEDIATE 0xE0u
#define ATA_STANDBY 0xE2u
#define ATA_IDLE 0xE3u
#define ATA_SLEEP 0xE6u
#define ATA_IDLE_IMMEDIATE 0xE1u
#define ATA_CHECK_POWER_MODE 0xE5u
#define ATA_FLUSH_CACHE 0xE7u
#define ATA_FLUSH_CACHE_EXT 0xEAu
#define ATA_IDENTIFY_DEVICE 0xECu
#define ATA_SET_FEATURES 0xEFu

// Features of SET FEATURES (ATA8-ACS, 7.45).
#define FEATURE_WRITE_CACHE_ON 0x02u
#define FEATURE_APM_ON 0x05u
#define FEATURE_ACOUSTIC_ON 0x42u
#define FEATURE_LOOK_AHEAD_OFF 0x55u
#define FEATURE_WRITE_CACHE_OFF 0x82u
#define FEATURE_APM_OFF 0x85u
#define FEATURE_LOOK_AHEAD_ON 0xAAu
#define FEATURE_ACOUSTIC_OFF 0xC2u

#define LOG_DIRECTORY 0x00u
#define LOG_NCQ_ERROR 0x10u

void fw_media_command(struct fw_context* ctx) {
  const uint32_t command = fw_hif_command(ctx);
  if ((command & HIF_CMD_VALID_MASK) == 0) return;
  const bool queued = (command & HIF_CMD_QUEUED_MASK) != 0;
  if ((command & HIF_CMD_HALTED_MASK) != 0) {
    fw_reject(ctx);
    return;
  }
  const uint32_t tag = FW_GET(command, HIF_CMD_TAG);
  const uint32_t sectors = FW_GET(command, HIF_CMD_SECTORS) * ctx->logical_sectors;
  bool broken;
  const uint64_t lba = fw_hif_command_lba(ctx, &broken) * ctx->logical_sectors;
  if (broken) {  // a hit of hardware's
    fw_hif_pop(ctx);
    fw_fail(ctx, tag, queued, ATA_ERROR_ICRC | ATA_ERROR_ABRT, lba);
    return;
  }
  const bool beyond = lba >= ctx->capacity || sectors > ctx->capacity - lba;
  if (ctx->fault || (queued && tag >= ctx->queue_depth) || beyond) {
    const bool abort = ctx->fault || (queued && tag >= ctx->queue_depth);
    fw_hif_pop(ctx);
    fw_fail(ctx, tag, queued, abort ? ATA_ERROR_ABRT : ATA_ERROR_IDNF,
            lba < ctx->capacity && !abort ? ctx->capacity : lba);
    return;
  }
  struct fw_request* const request = fw_new_request(ctx, tag, lba, sectors);
  if (request == 0) return;
  request->write = (command & HIF_CMD_WRITE_MASK) != 0;
  request->queued = queued;
  request->fua = (command & HIF_CMD_FUA_MASK) != 0;
  fw_begin_request(ctx, tag);
  if (ctx->stopped) return;
  fw_hif_pop(ctx);
  if (request->state == FW_REQUEST_WAITS_ARM || request->state == FW_REQUEST_FOLLOWS)
    fw_show(ctx, request->write ? FW_STATE_WRITE_QUEUED : FW_STATE_READ_QUEUED, tag);
}

// The command is not queued, so no other one is in work.
static void seek(struct fw_context* ctx, uint64_t lba) {
  if (ctx->fault || lba >= ctx->capacity) {
    fw_fail(ctx, 0, false, ctx->fault ? ATA_ERROR_ABRT : ATA_ERROR_IDNF, lba);
    return;
  }
  struct fw_request* const request = fw_new_request(ctx, 0, lba, 1);
  if (request == 0) return;
  request->seek = true;
  request->write = false;
  request->queued = false;
  request->fua = true;  // wherever its data might be: the arm goes there
  fw_begin_request(ctx, 0);
}

// Whole, single pages: the logs here have no more.
static bool read_log(struct fw_context* ctx, uint64_t lba, uint32_t pages) {
  const uint32_t log = (uint32_t)lba & 0xFFu;
  const uint32_t page = ((uint32_t)(lba >> 8) & 0xFFu) | ((uint32_t)(lba >> 32) & 0xFFu) << 8;
  if (page != 0 || pages != 1) return false;
  if (log == LOG_DIRECTORY)
    fw_send_log_directory(ctx);
  else if (log == LOG_NCQ_ERROR)
    fw_send_error_log(ctx);
  else
    return fw_store_log(ctx, log);
  return true;
}

// The command is not queued, so no media command is in work; arms may still read ahead or write back.
// `count`: of the sector count register.
static void set_features(struct fw_context* ctx, uint32_t feature, uint32_t count) {
  switch (feature) {
    case FEATURE_WRITE_CACHE_ON:
      if (!ctx->line_share) break;
      ctx->write_cache = true;
      fw_unqueued_status(ctx, ATA_STATUS_READY, 0, 0);
      return;
    case FEATURE_WRITE_CACHE_OFF:
      ctx->write_cache = false;
      fw_flush(ctx, false);  // ends when everything is on the media
      return;
    case FEATURE_LOOK_AHEAD_ON:
      ctx->look_ahead = true;
      fw_hits_enable(ctx, true);
      fw_unqueued_status(ctx, ATA_STATUS_READY, 0, 0);
      return;
    case FEATURE_LOOK_AHEAD_OFF:
      fw_hits_enable(ctx, false);
      fw_forget_segments(ctx);
      fw_kept_forget_all(ctx);
      ctx->look_ahead = false;
      fw_stream_preempt(ctx, FW_ANY_TRACK);
      fw_unqueued_status(ctx, ATA_STATUS_READY, 0, 0);
      return;
    case FEATURE_ACOUSTIC_ON:
    case FEATURE_ACOUSTIC_OFF:
      if (feature == FEATURE_ACOUSTIC_ON && (count == 0 || !fw_acoustic_set(ctx, count))) break;
      if (feature == FEATURE_ACOUSTIC_OFF && !fw_acoustic_set(ctx, 0)) break;
      fw_unqueued_status(ctx, ATA_STATUS_READY, 0, 0);
      return;
    case FEATURE_APM_ON:
    case FEATURE_APM_OFF:
      if (feature == FEATURE_APM_ON && (count == 0 || !fw_apm_set(ctx, count))) break;
      if (feature == FEATURE_APM_OFF && !fw_apm_set(ctx, 0)) break;
      fw_unqueued_status(ctx, ATA_STATUS_READY, 0, 0);
      return;
    default:
      break;
  }
  fw_unqueued_status(ctx, ATA_STATUS_ERROR, ATA_ERROR_ABRT, 0);
}

// The commands of power management: with or without a timer, and SLEEP. False: `code` is none of them.
static bool power_command(struct fw_context* ctx, uint32_t code) {
  switch (code) {
    case ATA_STANDBY_IMMEDIATE:
      fw_hif_pop(ctx);
      fw_standby_immediate(ctx);
      return true;
    case ATA_IDLE_IMMEDIATE:
      fw_hif_pop(ctx);
      fw_idle_immediate(ctx);
      return true;
    case ATA_STANDBY:
    case ATA_IDLE: {
      const uint32_t timer = fw_hif_command_count(ctx);
      fw_hif_pop(ctx);
      fw_standby_timer(ctx, timer & 0xFFu);
      if (code == ATA_STANDBY)
        fw_standby_immediate(ctx);
      else
        fw_idle_immediate(ctx);
      return true;
    }
    case ATA_SLEEP:
      fw_hif_pop(ctx);
      fw_sleep(ctx);
      return true;
    case ATA_CHECK_POWER_MODE:
      fw_hif_pop(ctx);
      fw_check_power_mode(ctx);
      return true;
    default:
      return false;
  }
}

void fw_other_command(struct fw_context* ctx) {
  const uint32_t command = fw_hif_command(ctx);
  if ((command & HIF_CMD_VALID_MASK) == 0) return;
  if ((command & HIF_CMD_HALTED_MASK) != 0) {
    fw_reject(ctx);
    return;
  }
  const uint32_t code = FW_GET(fw_hif_command_code(ctx), HIF_CMD_CODE_CODE);
  fw_show(ctx, FW_STATE_COMMAND, 0);
  fw_power_stay(ctx);
  if (power_command(ctx, code)) return;
  switch (code) {
    case ATA_IDENTIFY_DEVICE:
      fw_hif_pop(ctx);
      fw_send_identify(ctx);
      break;
    case ATA_FLUSH_CACHE:
    case ATA_FLUSH_CACHE_EXT:
      fw_hif_pop(ctx);
      fw_flush(ctx, code == ATA_FLUSH_CACHE_EXT);
      break;
    case ATA_SEEK: {
      bool broken;
      const uint64_t lba = fw_hif_command_lba(ctx, &broken) * ctx->logical_sectors;
      fw_hif_pop(ctx);
      seek(ctx, lba);
      break;
    }
    case ATA_SET_FEATURES: {
      const uint32_t features = FW_GET(fw_hif_command_code(ctx), HIF_CMD_CODE_FEATURES);
      const uint32_t count = FW_GET(fw_hif_command_count(ctx), HIF_CMD_COUNT_COUNT);
      fw_hif_pop(ctx);
      set_features(ctx, features & 0xFFu, count & 0xFFu);
      break;
    }
    case ATA_READ_LOG_EXT: {
      bool broken;
      const uint64_t lba = fw_hif_command_lba(ctx, &broken);
      const uint32_t pages = fw_hif_command_count(ctx);
      fw_hif_pop(ctx);
      if (!read_log(ctx, lba, pages)) fw_unqueued_status(ctx, ATA_STATUS_ERROR, ATA_ERROR_ABRT, lba);
      break;
    }
    default:
      if (fw_store_command(ctx, code)) break;
      fw_hif_pop(ctx);
      fw_unqueued_status(ctx, ATA_STATUS_ERROR, ATA_ERROR_ABRT, 0);
      break;
  }
}
