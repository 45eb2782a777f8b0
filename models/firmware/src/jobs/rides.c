// Reads that ride along: the arbitration unit names the slots that wait for the place where a MEMS store's sled is
// sent. The pass that serves the granted read serves them too, as far as tips may be active and none is needed twice.
// All come into one segment, and go to the host from there one after the other.
#include "jobs/jobs.h"

// A plain read that has not begun, within one row.
static bool may_ride(const struct fw_context* ctx, const struct fw_request* request) {
  return !request->write && !request->seek && request->batch == FW_BATCH_NONE && request->queued &&
         request->segment == FW_NO_SEGMENT && request->withheld == FW_CANDIDATE && request->media_done == 0 &&
         request->lba % ctx->mems.store.cells + request->sectors <= ctx->mems.store.cells;
}

// Adds the request's blocks to the pass. False: the pass cannot serve them too, and nothing has changed.
static bool join(const struct fw_context* ctx, struct fw_batch* pass, const struct fw_request* request) {
  const uint32_t most = ctx->buffer.segment_sectors < FW_MAX_BATCH ? ctx->buffer.segment_sectors : FW_MAX_BATCH;
  const uint32_t count = pass->count;
  if (count + request->sectors > most) return false;
  for (uint32_t i = 0; i < request->sectors; ++i) pass->lba[pass->count++] = request->lba + i;
  fw_store_check(ctx, pass, pass->count);
  if (pass->obstacle == FW_OBSTACLE_NONE) return true;
  pass->count = count;
  return false;
}

// Takes along those of 32 slots that wait and fit.
static void take_along(struct fw_context* ctx, struct fw_arm* arm, struct fw_batch* pass, uint32_t word) {
  for (uint32_t i = 0; i < 32u; ++i) {
    const uint32_t tag = word * 32u + i;
    if ((ctx->mems.rides[word] >> i & 1u) == 0 || tag >= ctx->drive.queue_depth) continue;
    const struct fw_request* const request = &ctx->requests[tag];
    if (request->state != FW_REQUEST_WAITS_ARM || !may_ride(ctx, request) || !join(ctx, pass, request)) continue;
    fw_withdraw_slot(ctx, tag);
    fw_request_from_slot(ctx, tag);
    fw_account(ctx, tag, FW_WAIT_FILL);
    arm->rider[arm->riders++] = (uint16_t)tag;
  }
}

// The arm is granted to the read `tag`: gathers the waiting reads that its pass serves too.
void fw_rides_gather(struct fw_context* ctx, uint32_t n, uint32_t tag) {
  struct fw_arm* const arm = &ctx->arm[n];
  struct fw_batch pass;
  pass.count = 0;
  if (!ctx->mems.store.rides || !may_ride(ctx, &ctx->requests[tag]) || !join(ctx, &pass, &ctx->requests[tag])) return;
  for (uint32_t word = 0; word * 32u < ctx->drive.queue_depth; ++word)
    if (ctx->mems.rides[word] != 0) take_along(ctx, arm, &pass, word);
  ctx->mems.ridden += arm->riders;
  if (arm->riders != 0) fw_count(ctx, FW_COUNTER_RIDES, ctx->mems.ridden);
}

// Tag of the i-th read of the pass: the granted one comes first.
static uint32_t tag_of(const struct fw_arm* arm, uint32_t i) {
  return i == 0 ? arm->tag : arm->rider[i - 1u];
}

uint32_t fw_rides_sectors(const struct fw_context* ctx, uint32_t n) {
  uint32_t sectors = 0;
  for (uint32_t i = 0; i <= ctx->arm[n].riders; ++i) sectors += ctx->requests[tag_of(&ctx->arm[n], i)].sectors;
  return sectors;
}

void fw_rides_start(struct fw_context* ctx, uint32_t n) {
  const struct fw_arm* const arm = &ctx->arm[n];
  uint32_t address = fw_segment_address(ctx, arm->run.segment);
  for (uint32_t i = 0; i <= arm->riders; ++i) {
    const struct fw_request* const request = &ctx->requests[tag_of(arm, i)];
    for (uint32_t sector = 0; sector < request->sectors; ++sector, address += FW_SECTOR_BYTES)
      fw_channel_piece_at(ctx, arm->channel, request->lba + sector, address);
  }
  fw_channel_mode(ctx, arm->channel, CHN_MODE_GATHER_MASK | CHN_MODE_BATCH_MASK);
  fw_channel_access(ctx, n, ctx->requests[arm->tag].lba, fw_rides_sectors(ctx, n), 0);
  fw_show(ctx, FW_STATE_CHANNEL, arm->tag);
}

// The block after `moved` others cannot be read: the read that wants it fails.
static void fail(struct fw_context* ctx, uint32_t n, uint32_t moved) {
  const struct fw_arm* const arm = &ctx->arm[n];
  uint32_t i = 0;
  while (i < arm->riders && moved >= ctx->requests[tag_of(arm, i)].sectors)
    moved -= ctx->requests[tag_of(arm, i++)].sectors;
  const uint32_t tag = tag_of(arm, i);
  const uint64_t lba = ctx->requests[tag].lba + moved;
  fw_pending_add(ctx, lba);
  fw_fail(ctx, tag, true, ATA_ERROR_UNC, lba);
}

static void send(struct fw_context* ctx, uint32_t tag) {
  const struct fw_request* const request = &ctx->requests[tag];
  fw_order_transfer(ctx, tag, request->ride_address, 0, request->sectors, HIF_DMA_GO_TO_HOST_MASK);
  fw_show(ctx, FW_STATE_DATA_OUT, tag);
}

// The pass is over.
void fw_rides_done(struct fw_context* ctx, uint32_t n, uint32_t channel, uint32_t cause) {
  struct fw_arm* const arm = &ctx->arm[n];
  if (cause != FW_CHANNEL_WELL) {
    fail(ctx, n, fw_channel_progress(ctx, channel));
    return;
  }
  const uint32_t first = arm->tag;
  uint32_t address = fw_segment_address(ctx, arm->run.segment);
  for (uint32_t i = 0; i <= arm->riders; ++i) {
    struct fw_request* const request = &ctx->requests[tag_of(arm, i)];
    request->media_done = request->sectors;
    request->arm = FW_NO_ARM;
    request->ride_segment = arm->run.segment;
    request->ride_address = address;
    request->next_rider = i < arm->riders ? arm->rider[i] : FW_NO_TAG;
    address += request->sectors * FW_SECTOR_BYTES;
    if (i != 0) fw_account(ctx, tag_of(arm, i), FW_WAIT_OVER);
  }
  arm->run.segment = FW_NO_SEGMENT;
  arm->riders = 0;
  fw_let_go(ctx, n);
  fw_rest(ctx, n);
  send(ctx, first);
}

// The host has the read's data: sends those of the next read.
void fw_rides_sent(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  if (request->next_rider != FW_NO_TAG) {
    send(ctx, request->next_rider);
  } else {
    fw_segment_give(ctx, request->ride_segment);
    fw_due(ctx, FW_DUE_SEGMENTS);
  }
  request->ride_segment = FW_NO_SEGMENT;
  fw_complete(ctx, tag);
}
