// Data channels: how an access begins and is stopped, and why it failed.
#include "devices/channel.h"

// Starts the arm's channel; what is particular to the access has been written.
void fw_channel_access(struct fw_context* ctx, uint32_t n, uint64_t lba, uint32_t sectors, uint32_t flags) {
  const struct fw_arm* const arm = &ctx->arm[n];
  const uint32_t base = SOC_CHN_BASE(arm->channel);
  fw_write(ctx, base, CHN_LBA_HI, (uint32_t)(lba >> 32));
  fw_write(ctx, base, CHN_LBA_LO, (uint32_t)lba);
  fw_write(ctx, base, CHN_CTRL,
           FW_SET(CHN_CTRL_TAG, arm->tag == FW_NO_TAG ? 0u : arm->tag) | FW_SET(CHN_CTRL_SECTORS, sectors) |
               FW_SET(CHN_CTRL_ARM, n) | flags | CHN_CTRL_GO_MASK);
}

void fw_stop_channel(struct fw_context* ctx, uint32_t n) {
  fw_write(ctx, SOC_CHN_BASE(ctx->arm[n].channel), CHN_STOP, CHN_STOP_STOP_MASK);
}

// Why the channel's last access failed (chn.status.cause).
uint32_t fw_channel_cause(struct fw_context* ctx, uint32_t channel) {
  return FW_GET(fw_read(ctx, SOC_CHN_BASE(channel), CHN_STATUS), CHN_STATUS_CAUSE);
}
