// Commands at the head of the host interface's FIFO: each goes to its handler in the table of commands.
#include "commands/commands.h"

#define DEVICE_LBA 0x40u  // the device register's bit 6: the address is an LBA

#define FPDMA_PRIO 14u      // lowest bit of PRIO in the count of a queued command
#define PRIO_BACKGROUND 3u  // the vendor's: ATA8-ACS reserves it

static const struct fw_command_entry kRefused = {FW_ABSENT, 0, 0};

// Table entry of the unqueued read or write at the FIFO's head. Refused: an address by cylinder, head and sector, as in
// old 28-bit commands, or DRQ blocks whose length the host has not set.
static const struct fw_command_entry* unqueued_entry(struct fw_context* ctx, uint32_t high) {
  const uint8_t code = (uint8_t)FW_GET(fw_hif_command_code(ctx), HIF_CMD_CODE_CODE);
  const struct fw_command_entry* const entry = fw_command_entry_of(code);
  const bool lba28 = (entry->flags & FW_48) == 0;
  ctx->commands.answers_28 = lba28;
  if (lba28 && (FW_GET(high, HIF_CMD_LBA_HI_DEVICE) & DEVICE_LBA) == 0) return &kRefused;
  return (entry->flags & FW_MULTIPLE) != 0 && ctx->host.multiple == 0 ? &kRefused : entry;
}

static void set_protocol(struct fw_context* ctx, struct fw_request* request, const struct fw_command_entry* entry) {
  request->verify = (entry->flags & FW_VERIFY) != 0;
  request->pio = entry->protocol == FW_PIO_IN || entry->protocol == FW_PIO_OUT;
  if (!request->pio) return;
  const uint32_t block = (entry->flags & FW_MULTIPLE) != 0 ? ctx->host.multiple : 1u;
  fw_hif_pio(ctx, block * ctx->drive.logical_sectors, request->sectors);
}

void fw_media_command(struct fw_context* ctx) {
  const uint32_t command = fw_hif_command(ctx);
  if ((command & HIF_CMD_VALID_MASK) == 0) return;
  const bool queued = (command & HIF_CMD_QUEUED_MASK) != 0;
  ctx->commands.native_max_read = false;
  if ((command & HIF_CMD_HALTED_MASK) != 0) {
    fw_reject(ctx);
    return;
  }
  const uint32_t tag = FW_GET(command, HIF_CMD_TAG);
  const uint32_t sectors = FW_GET(command, HIF_CMD_SECTORS) * ctx->drive.logical_sectors;
  uint32_t high;
  const uint64_t lba = fw_hif_command_lba(ctx, &high) * ctx->drive.logical_sectors;
  const struct fw_command_entry* const entry = queued ? 0 : unqueued_entry(ctx, high);
  if (entry == &kRefused) {
    fw_hif_pop(ctx);
    fw_fail(ctx, tag, false, ATA_ERROR_ABRT, lba);
    return;
  }
  if ((high & HIF_CMD_LBA_HI_BROKEN_MASK) != 0) {  // a hit that hardware answered
    fw_hif_pop(ctx);
    fw_fail(ctx, tag, queued, ATA_ERROR_ICRC | ATA_ERROR_ABRT, lba);
    return;
  }
  const bool beyond = lba >= ctx->host.accessible || sectors > ctx->host.accessible - lba;
  if (ctx->pm.fault || (queued && tag >= ctx->drive.queue_depth) || beyond) {
    const bool abort = ctx->pm.fault || (queued && tag >= ctx->drive.queue_depth);
    fw_hif_pop(ctx);
    fw_fail(ctx, tag, queued, abort ? ATA_ERROR_ABRT : ATA_ERROR_IDNF,
            lba < ctx->host.accessible && !abort ? ctx->host.accessible : lba);
    return;
  }
  struct fw_request* const request = fw_new_request(ctx, tag, lba, sectors);
  if (request == 0) return;
  request->write = (command & HIF_CMD_WRITE_MASK) != 0;
  request->queued = queued;
  request->fua = (command & HIF_CMD_FUA_MASK) != 0;
  if (fw_list_takes(ctx, request)) request->background = fw_hif_command_count(ctx) >> FPDMA_PRIO == PRIO_BACKGROUND;
  if (queued)
    fw_limit_begin(ctx, tag, FW_GET(high, HIF_CMD_LBA_HI_LIMIT));
  else
    set_protocol(ctx, request, entry);
  fw_begin_request(ctx, tag);
  if (ctx->errors.stopped) return;
  fw_hif_pop(ctx);
  if (request->state == FW_REQUEST_WAITS_ARM)
    fw_show(ctx, request->write ? FW_STATE_WRITE_QUEUED : FW_STATE_READ_QUEUED, tag);
}

void fw_other_command(struct fw_context* ctx) {
  const uint32_t word = fw_hif_command(ctx);
  if ((word & HIF_CMD_VALID_MASK) == 0) return;
  if ((word & HIF_CMD_HALTED_MASK) != 0) {
    fw_reject(ctx);
    return;
  }
  struct fw_command command;
  const uint32_t code = fw_hif_command_code(ctx);
  uint32_t high;
  command.lba = fw_hif_command_lba(ctx, &high);
  command.count = (uint16_t)fw_hif_command_count(ctx);
  command.code = (uint8_t)FW_GET(code, HIF_CMD_CODE_CODE);
  command.features = (uint16_t)FW_GET(code, HIF_CMD_CODE_FEATURES);
  command.device = (uint8_t)FW_GET(high, HIF_CMD_LBA_HI_DEVICE);
  const struct fw_command_entry* const entry = fw_command_entry_of(command.code);
  command.protocol = entry->protocol;
  command.flags = entry->flags;
  ctx->commands.answers_28 = (entry->flags & FW_48) == 0;
  command.after_native_max = ctx->commands.native_max_read;
  ctx->commands.native_max_read = false;
  fw_show(ctx, FW_STATE_COMMAND, 0);
  if ((entry->flags & FW_QUIET) == 0) fw_power_stay(ctx);
  fw_hif_pop(ctx);
  if (entry->handler != 0)
    entry->handler(ctx, &command);
  else
    FW_STOP(ctx);
}
