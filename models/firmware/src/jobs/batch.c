// Blocks of a batch, which one pass of a MEMS store's tips serves whatever their tracks: a read brings them into a
// segment in the order of the list, a write takes them from there. The command is not queued, so it runs alone.
#include "jobs/jobs.h"

// Index of the batch's first block that lines overlap, or the batch's length.
static uint32_t first_overlapped(const struct fw_context* ctx) {
  uint32_t i = 0;
  while (i < ctx->mems.batch.count && !fw_lines_overlap(ctx, ctx->mems.batch.lba[i], 1)) i++;
  return i;
}

bool fw_batch_meets_lines(const struct fw_context* ctx) {
  return first_overlapped(ctx) != ctx->mems.batch.count;
}

void fw_batch_hurry_lines(struct fw_context* ctx) {
  for (uint32_t i = 0; i < ctx->mems.batch.count; ++i)
    if (fw_lines_overlap(ctx, ctx->mems.batch.lba[i], 1)) fw_lines_hurry(ctx, ctx->mems.batch.lba[i], 1);
}

void fw_batch_forget(struct fw_context* ctx) {
  ctx->mems.batch.segment = FW_NO_SEGMENT;
}

// The blocks have, or soon get, newer data than the buffer.
void fw_batch_invalidate(struct fw_context* ctx) {
  for (uint32_t i = 0; i < ctx->mems.batch.count; ++i) {
    fw_invalidate(ctx, ctx->mems.batch.lba[i], 1);
    fw_invalidate_near(ctx, ctx->mems.batch.lba[i], 1);
  }
}

// The channel passes over the blocks.
void fw_batch_start(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const struct fw_request* const request = &ctx->requests[arm->tag];
  const uint32_t address = fw_segment_address(ctx, arm->run.segment);
  for (uint32_t i = 0; i < ctx->mems.batch.count; ++i)
    fw_channel_piece_at(ctx, arm->channel, ctx->mems.batch.lba[i], address + i * FW_SECTOR_BYTES);
  fw_channel_mode(ctx, arm->channel, CHN_MODE_GATHER_MASK | CHN_MODE_BATCH_MASK);
  fw_channel_access(ctx, n, ctx->mems.batch.lba[0], ctx->mems.batch.count, request->write ? CHN_CTRL_WRITE_MASK : 0u);
  fw_show(ctx, FW_STATE_CHANNEL, arm->tag);
}

// The pass is over.
void fw_batch_done(struct fw_context* ctx, uint32_t n, uint32_t channel, uint32_t cause) {
  struct fw_arm* const arm = &ctx->arm[n];
  const uint32_t tag = arm->tag;
  struct fw_request* const request = &ctx->requests[tag];
  if (cause != FW_CHANNEL_WELL) {  // a block cannot be read
    const uint32_t moved = fw_channel_progress(ctx, channel);
    if (moved >= ctx->mems.batch.count) {
      FW_STOP(ctx);
      return;
    }
    fw_pending_add(ctx, ctx->mems.batch.lba[moved]);
    fw_fail(ctx, tag, false, ATA_ERROR_UNC, ctx->mems.batch.lba[moved]);
    return;
  }
  const uint16_t segment = arm->run.segment;
  arm->run.segment = FW_NO_SEGMENT;
  request->media_done = request->sectors;
  request->arm = FW_NO_ARM;
  fw_let_go(ctx, n);
  fw_rest(ctx, n);
  if (request->write) {
    fw_batch_invalidate(ctx);
    fw_segment_give(ctx, segment);
    fw_complete(ctx, tag);
    return;
  }
  ctx->mems.batch.segment = segment;
  fw_order_transfer(ctx, tag, fw_segment_address(ctx, segment), 0, request->sectors, HIF_DMA_GO_TO_HOST_MASK);
  fw_show(ctx, FW_STATE_DATA_OUT, tag);
}

// The host has the data read.
void fw_batch_sent(struct fw_context* ctx, uint32_t tag) {
  fw_segment_give(ctx, ctx->mems.batch.segment);
  ctx->mems.batch.segment = FW_NO_SEGMENT;
  fw_complete(ctx, tag);
}

#define LIST_HEADER 2u  // dwords before the blocks

// Where the host's list goes in the system area: after the pages and the sectors read back there.
uint32_t fw_batch_list_address(const struct fw_context* ctx) {
  return fw_system_address(ctx) + FW_SYSTEM_BYTES - FW_SECTOR_BYTES;
}

// The list has come: a dword with the number of blocks, one that is reserved, and two with each block's LBA.
void fw_batch_list_came(struct fw_context* ctx, uint32_t tag) {
  struct fw_batch* const batch = &ctx->mems.batch;
  const uint32_t address = fw_batch_list_address(ctx);
  const uint32_t count = fw_ram_read(ctx, address);
  const uint32_t most = ctx->buffer.segment_sectors < FW_MAX_BATCH ? ctx->buffer.segment_sectors : FW_MAX_BATCH;
  batch->count = 0;
  if (count == 0 || count > most) {
    batch->obstacle = FW_OBSTACLE_TOO_MANY;
    batch->at = most;
    batch->earlier = 0;
    fw_fail(ctx, tag, false, ATA_ERROR_ABRT, 0);
    return;
  }
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t low = fw_ram_read(ctx, address + 4u * (LIST_HEADER + 2u * i));
    const uint32_t high = fw_ram_read(ctx, address + 4u * (LIST_HEADER + 2u * i + 1u));
    batch->lba[i] = low | (uint64_t)high << 32;
  }
  fw_store_check(ctx, batch, count);
  if (batch->obstacle != FW_OBSTACLE_NONE) {
    fw_fail(ctx, tag, false, batch->obstacle == FW_OBSTACLE_BEYOND ? ATA_ERROR_IDNF : ATA_ERROR_ABRT,
            batch->lba[batch->at]);
    return;
  }
  batch->count = count;
  fw_complete(ctx, tag);
}
