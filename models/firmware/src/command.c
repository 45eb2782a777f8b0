// Commands at the head of the host interface's FIFO.
#include "firmware.h"

#define ATA_READ_LOG_EXT 0x2Fu
#define ATA_FLUSH_CACHE_EXT 0xEAu
#define ATA_IDENTIFY_DEVICE 0xECu

#define LOG_DIRECTORY 0x00u
#define LOG_NCQ_ERROR 0x10u

static uint64_t command_lba(struct fw_context* ctx) {
  const uint32_t lo = fw_read(ctx, SOC_HIF_BASE, HIF_CMD_LBA_LO);
  const uint32_t hi = FW_GET(fw_read(ctx, SOC_HIF_BASE, HIF_CMD_LBA_HI), HIF_CMD_LBA_HI_LBA);
  return lo | (uint64_t)hi << 32;
}

static void pop_command(struct fw_context* ctx) {
  fw_write(ctx, SOC_HIF_BASE, HIF_CMD_POP, HIF_CMD_POP_POP_MASK);
}

void fw_media_command(struct fw_context* ctx) {
  const uint32_t command = fw_read(ctx, SOC_HIF_BASE, HIF_CMD);
  if ((command & HIF_CMD_VALID_MASK) == 0) return;
  const bool queued = (command & HIF_CMD_QUEUED_MASK) != 0;
  if ((command & HIF_CMD_HALTED_MASK) != 0) {
    fw_reject(ctx);
    return;
  }
  const uint32_t tag = FW_GET(command, HIF_CMD_TAG);
  const uint32_t sectors = FW_GET(command, HIF_CMD_SECTORS);
  const uint64_t lba = command_lba(ctx);
  const bool beyond = lba >= ctx->capacity || sectors > ctx->capacity - lba;
  if (ctx->fault || (queued && tag >= ctx->queue_depth) || beyond) {
    const bool abort = ctx->fault || (queued && tag >= ctx->queue_depth);
    pop_command(ctx);
    fw_fail(ctx, tag, queued, abort ? ATA_ERROR_ABRT : ATA_ERROR_IDNF,
            lba < ctx->capacity && !abort ? ctx->capacity : lba);
    return;
  }
  struct fw_request* const request = &ctx->requests[tag];
  if (request->active) {  // the host interface refuses a tag in use
    FW_STOP(ctx);
    return;
  }
  request->lba = lba;
  request->sectors = sectors;
  request->media_done = 0;
  request->link_done = 0;
  request->link_runs = 0;
  request->arm = FW_NO_ARM;
  request->active = true;
  request->write = (command & HIF_CMD_WRITE_MASK) != 0;
  request->queued = queued;
  ctx->active_requests++;

  uint32_t angle;
  fw_translate(ctx, lba, &request->track, &angle, &request->track_rest);
  if (ctx->stopped) return;
  fw_write(ctx, SOC_AAU_BASE, AAU_SLOT_TARGET(tag), request->track);
  fw_write(ctx, SOC_AAU_BASE, AAU_SLOT_COMMIT(tag),
           FW_SET(AAU_SLOT_COMMIT_ANGLE, angle) | (request->write ? AAU_SLOT_COMMIT_WRITE_MASK : 0u) |
               AAU_SLOT_COMMIT_VALID_MASK);
  pop_command(ctx);
  fw_show(ctx, request->write ? FW_STATE_WRITE_QUEUED : FW_STATE_READ_QUEUED, tag);
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
    return false;
  return true;
}

void fw_other_command(struct fw_context* ctx) {
  const uint32_t command = fw_read(ctx, SOC_HIF_BASE, HIF_CMD);
  if ((command & HIF_CMD_VALID_MASK) == 0) return;
  if ((command & HIF_CMD_HALTED_MASK) != 0) {
    fw_reject(ctx);
    return;
  }
  const uint32_t code = FW_GET(fw_read(ctx, SOC_HIF_BASE, HIF_CMD_CODE), HIF_CMD_CODE_CODE);
  fw_show(ctx, FW_STATE_COMMAND, 0);
  switch (code) {
    case ATA_IDENTIFY_DEVICE:
      pop_command(ctx);
      fw_send_identify(ctx);
      break;
    case ATA_FLUSH_CACHE_EXT:  // every write is on the media before it completes
      pop_command(ctx);
      fw_unqueued_status(ctx, ATA_STATUS_READY, 0, 0);
      break;
    case ATA_READ_LOG_EXT: {
      const uint64_t lba = command_lba(ctx);
      const uint32_t pages = FW_GET(fw_read(ctx, SOC_HIF_BASE, HIF_CMD_COUNT), HIF_CMD_COUNT_COUNT);
      pop_command(ctx);
      if (!read_log(ctx, lba, pages)) fw_unqueued_status(ctx, ATA_STATUS_ERROR, ATA_ERROR_ABRT, lba);
      break;
    }
    default:
      pop_command(ctx);
      fw_unqueued_status(ctx, ATA_STATUS_ERROR, ATA_ERROR_ABRT, 0);
      break;
  }
}
