// Commands that need no file of their own.
#include "commands/commands.h"

#define PSEUDO_UNCORRECTABLE 0x55u  // features of WRITE UNCORRECTABLE EXT
#define FLAGGED_UNCORRECTABLE 0xAAu
#define MOST_BLOCK 16u  // sectors of 512 bytes in a DRQ block: what a data frame holds

void fw_abort(struct fw_context* ctx, const struct fw_command* command) {
  (void)command;
  fw_unqueued_status(ctx, ATA_STATUS_ERROR, ATA_ERROR_ABRT, 0);
}

// The command is not queued, so it runs alone. Bits 27:24 of a 28-bit address are in the device register.
void fw_seek(struct fw_context* ctx, const struct fw_command* command) {
  const uint64_t high = command->lba >> 24 == 0 ? (uint64_t)(command->device & 0xFu) << 24 : 0u;
  const uint64_t lba = (command->lba | high) * ctx->drive.logical_sectors;
  if (ctx->pm.fault || lba >= ctx->host.accessible) {
    fw_fail(ctx, 0, false, ctx->pm.fault ? ATA_ERROR_ABRT : ATA_ERROR_IDNF, lba);
    return;
  }
  struct fw_request* const request = fw_new_request(ctx, 0, lba, 1);
  if (request == 0) return;
  request->seek = true;
  request->write = false;
  request->queued = false;
  request->fua = true;  // the arm goes there even if the buffer has the data
  fw_begin_request(ctx, 0);
}

// Makes the sectors unreadable on the media until they are written again, with all of their physical sector, which is
// one codeword. Pseudo-uncorrectable (55h) and flagged sectors (AAh) read alike; 5Ah and A5h are vendor specific.
void fw_write_uncorrectable(struct fw_context* ctx, const struct fw_command* command) {
  const uint32_t kind = command->features & 0xFFu;
  if (ctx->pm.fault || (kind != PSEUDO_UNCORRECTABLE && kind != FLAGGED_UNCORRECTABLE)) {
    fw_abort(ctx, command);
    return;
  }
  const uint64_t first = command->lba * ctx->drive.logical_sectors;
  const uint64_t end = first + (command->count == 0 ? 0x10000u : command->count) * (uint64_t)ctx->drive.logical_sectors;
  if (first >= ctx->host.accessible || end > ctx->host.accessible) {
    fw_fail(ctx, 0, false, ATA_ERROR_IDNF, first < ctx->host.accessible ? ctx->host.accessible : first);
    return;
  }
  const uint64_t begin = fw_unit_of(ctx, first);
  const uint64_t whole =
      (end + ctx->drive.physical_sectors - 1u) / ctx->drive.physical_sectors * ctx->drive.physical_sectors;
  const uint64_t last = whole < ctx->drive.capacity ? whole : ctx->drive.capacity;
  struct fw_request* const request = fw_new_request(ctx, 0, begin, (uint32_t)(last - begin));
  if (request == 0) return;
  request->marks = true;
  request->write = true;
  request->queued = false;
  request->fua = true;
  fw_begin_request(ctx, 0);
}

// The commands of power management: with or without a timer, and SLEEP.
void fw_power_command(struct fw_context* ctx, const struct fw_command* command) {
  switch (command->code) {
    case 0xE2u:  // STANDBY
      fw_standby_timer(ctx, command->count & 0xFFu);
      fw_power_go(ctx, FW_CONDITION_STANDBY, false);
      break;
    case 0xE0u:  // STANDBY IMMEDIATE
      fw_power_go(ctx, FW_CONDITION_STANDBY, false);
      break;
    case 0xE3u:  // IDLE
      fw_standby_timer(ctx, command->count & 0xFFu);
      fw_idle_immediate(ctx);
      break;
    case 0xE1u:  // IDLE IMMEDIATE
      fw_idle_immediate(ctx);
      break;
    case 0xE6u:
      fw_sleep(ctx);
      break;
    default:
      fw_check_power_mode(ctx);
      break;
  }
}

void fw_flush_command(struct fw_context* ctx, const struct fw_command* command) {
  fw_flush(ctx, (command->flags & FW_48) != 0);  // FLUSH CACHE EXT is a request of the host's, with a record
}

// Answers as after a reset, but with an interrupt.
void fw_diagnostic(struct fw_context* ctx, const struct fw_command* command) {
  (void)command;
  fw_unqueued_answer(ctx, 0x01u, 0x01u, 0x01u);
}

// Most host sectors in a DRQ block of READ and WRITE MULTIPLE.
uint32_t fw_most_multiple(const struct fw_context* ctx) {
  return MOST_BLOCK / ctx->drive.logical_sectors;
}

void fw_set_multiple(struct fw_context* ctx, const struct fw_command* command) {
  const uint32_t sectors = command->count & 0xFFu;
  if (sectors > fw_most_multiple(ctx) || (sectors & (sectors - 1u)) != 0) {
    fw_abort(ctx, command);
    return;
  }
  ctx->host.multiple = sectors;
  fw_unqueued_status(ctx, ATA_STATUS_READY, 0, 0);
}
