// Data channels.
#include "devices/channel.h"

static void put(struct fw_context* ctx, uint32_t channel, uint32_t offset, uint32_t value) {
  ctx->channel.progress_read &= ~(1u << channel);
  fw_write(ctx, SOC_CHN_BASE(channel), offset, value);
}

static uint32_t get(struct fw_context* ctx, uint32_t channel, uint32_t offset) {
  return fw_read(ctx, SOC_CHN_BASE(channel), offset);
}

void fw_channel_address(struct fw_context* ctx, uint32_t channel, uint32_t address) {
  put(ctx, channel, CHN_ADDRESS, address);
}

void fw_channel_piece(struct fw_context* ctx, uint32_t channel, uint32_t address, uint32_t sectors) {
  put(ctx, channel, CHN_PIECE_ADDR, address);
  put(ctx, channel, CHN_PIECE_PUSH, sectors);
}

void fw_channel_blank(struct fw_context* ctx, uint32_t channel, uint32_t sectors) {
  put(ctx, channel, CHN_PIECE_PUSH, CHN_PIECE_PUSH_BLANK_MASK | sectors);
}

void fw_channel_dropped(struct fw_context* ctx, uint32_t channel, uint32_t sectors) {
  put(ctx, channel, CHN_PIECE_PUSH, CHN_PIECE_PUSH_DROP_MASK | sectors);
}

void fw_channel_piece_at(struct fw_context* ctx, uint32_t channel, uint64_t lba, uint32_t address) {
  put(ctx, channel, CHN_PIECE_LBA_HI, (uint32_t)(lba >> 32));
  put(ctx, channel, CHN_PIECE_LBA_LO, (uint32_t)lba);
  fw_channel_piece(ctx, channel, address, 1);
}

void fw_channel_mode(struct fw_context* ctx, uint32_t channel, uint32_t mode) {
  put(ctx, channel, CHN_MODE, mode);
}

void fw_channel_limit(struct fw_context* ctx, uint32_t channel, uint32_t blocks) {
  put(ctx, channel, CHN_LIMIT, blocks);
}

void fw_channel_wanted(struct fw_context* ctx, uint32_t channel, uint32_t sectors) {
  put(ctx, channel, CHN_WANTED, sectors);
}

uint32_t fw_channel_left_out(struct fw_context* ctx, uint32_t channel) {
  return get(ctx, channel, CHN_LEFT_OUT);
}

void fw_channel_access(struct fw_context* ctx, uint32_t n, uint64_t lba, uint32_t sectors, uint32_t flags) {
  const struct fw_arm* const arm = &ctx->arm[n];
  put(ctx, arm->channel, CHN_LBA_HI, (uint32_t)(lba >> 32));
  put(ctx, arm->channel, CHN_LBA_LO, (uint32_t)lba);
  put(ctx, arm->channel, CHN_CTRL,
      FW_SET(CHN_CTRL_TAG, arm->tag == FW_NO_TAG ? 0u : arm->tag) | FW_SET(CHN_CTRL_SECTORS, sectors) |
          FW_SET(CHN_CTRL_ARM, n) | flags | CHN_CTRL_GO_MASK);
}

void fw_channel_extend(struct fw_context* ctx, uint32_t channel, uint32_t sectors) {
  put(ctx, channel, CHN_EXTEND, sectors);
}

void fw_channel_mark(struct fw_context* ctx, uint32_t channel, uint32_t mark) {
  put(ctx, channel, CHN_MARK, mark);
}

void fw_channel_stop(struct fw_context* ctx, uint32_t channel) {
  put(ctx, channel, CHN_STOP, CHN_STOP_STOP_MASK);
}

uint32_t fw_channel_events(struct fw_context* ctx, uint32_t channel) {
  const uint32_t events = get(ctx, channel, CHN_INTSTAT);
  put(ctx, channel, CHN_INTSTAT, events);
  return events;
}

// Progress does not change within a handler: a second read would be polling.
uint32_t fw_channel_progress(struct fw_context* ctx, uint32_t channel) {
  if ((ctx->channel.progress_read >> channel & 1u) == 0)
    ctx->channel.progress[channel] = get(ctx, channel, CHN_PROGRESS);
  ctx->channel.progress_read |= 1u << channel;
  return ctx->channel.progress[channel];
}

uint32_t fw_channel_cause(struct fw_context* ctx, uint32_t channel) {
  const uint32_t cause = FW_GET(get(ctx, channel, CHN_STATUS), CHN_STATUS_CAUSE);
  if (cause == FW_CHANNEL_STRAYED) ctx->statistics.off_track++;
  if (cause == FW_CHANNEL_UNREADABLE) ctx->statistics.unreadable++;
  return cause;
}

struct fw_channel_reads fw_channel_count_reads(struct fw_context* ctx, uint32_t channel) {
  struct fw_channel_reads reads;
  reads.failed = get(ctx, channel, CHN_FAILED_COUNT);
  reads.recovered = get(ctx, channel, CHN_RECOVERED_COUNT);
  reads.unreadable = get(ctx, channel, CHN_UNREADABLE_COUNT);
  return reads;
}

void fw_channel_ladder_step(struct fw_context* ctx, uint32_t channel, uint32_t step, uint32_t word) {
  put(ctx, channel, CHN_LADDER_STEP(step), word);
}

void fw_channel_ladder(struct fw_context* ctx, uint32_t channel, uint32_t limit_ms) {
  put(ctx, channel, CHN_LADDER_CTRL, FW_SET(CHN_LADDER_CTRL_LIMIT_MS, limit_ms) | CHN_LADDER_CTRL_ENABLE_MASK);
}

void fw_channel_enable(struct fw_context* ctx, uint32_t channel) {
  put(ctx, channel, CHN_INTEN, CHN_INTEN_DONE_MASK | CHN_INTEN_ERROR_MASK | CHN_INTEN_MARK_MASK);
}
