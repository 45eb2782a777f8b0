// Host protected area (ATA8-ACS, HPA feature set): the last sector that commands reach may lie before the disk's last
// one.
#include "commands/commands.h"

#define MOST_28 0x0FFFFFFFu
#define DEVICE_LBA 0x40u
#define KEEP 1u  // count bit 0 of SET MAX ADDRESS: the value survives power-off, otherwise until the next COMRESET

// Bits 27:24 of a 28-bit address are in the device register.
static uint64_t address(const struct fw_command* command) {
  if ((command->flags & FW_48) != 0) return command->lba;
  return (command->lba & 0xFFFFFFu) | (uint64_t)(command->device & 0xFu) << 24;
}

static bool by_lba(const struct fw_command* command) {
  return (command->flags & FW_48) != 0 || (command->device & DEVICE_LBA) != 0;
}

void fw_read_native_max(struct fw_context* ctx, const struct fw_command* command) {
  if (!by_lba(command)) {
    fw_abort(ctx, command);
    return;
  }
  uint64_t last = ctx->drive.capacity / ctx->drive.logical_sectors - 1u;
  if ((command->flags & FW_48) == 0 && last > MOST_28) last = MOST_28;
  fw_unqueued_answer(ctx, 0, 0, last);
  ctx->commands.native_max_read = true;
}

static void answer(struct fw_context* ctx) {
  fw_unqueued_answer(ctx, 0, 0, ctx->host.accessible / ctx->drive.logical_sectors - 1u);
}

// The value is in the flash: it survives a loss of power.
void fw_max_saved(struct fw_context* ctx) {
  answer(ctx);
}

// A second SET MAX ADDRESS with KEEP since power-on fails (ATA8-ACS: IDNF).
void fw_set_max(struct fw_context* ctx, const struct fw_command* command) {
  if (!command->after_native_max || !by_lba(command)) {
    fw_abort(ctx, command);
    return;
  }
  const uint64_t lba = address(command);
  const uint64_t sectors = (lba + 1u) * ctx->drive.logical_sectors;
  const bool keep = (command->count & KEEP) != 0;
  if (sectors > ctx->drive.capacity || (keep && ctx->host.max_kept)) {
    fw_unqueued_status(ctx, ATA_STATUS_ERROR, ATA_ERROR_IDNF, lba * ctx->drive.logical_sectors);
    return;
  }
  ctx->host.accessible = sectors;
  if (!keep) {
    answer(ctx);
    return;
  }
  ctx->host.kept_accessible = sectors;
  ctx->host.max_kept = true;
  ctx->saved.accessible = sectors == ctx->drive.capacity ? 0 : sectors;
  fw_save_then(ctx, FW_AFTER_SAVE_MAX);
}
