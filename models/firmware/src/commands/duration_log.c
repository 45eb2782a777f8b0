// Log 18h, command duration limits (ACS-5): seven limits for reads and seven for writes, each of 32 bytes: policies,
// active time, inactive time, guideline. What the host has written stays until the drive is switched off.
#include "commands/commands.h"

#define FIRST 16u  // dword of the first descriptor
#define DESCRIPTORS 14u
#define DESCRIPTOR 8u  // dwords
#define POLICY_GO_ON 0x0u
#define POLICY_ABORT 0xFu

void fw_limits_log_page(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)log;
  (void)number;
  *page = ctx->host.limits.log;
}

// Valid policies of the guideline, the active and the inactive time. A guideline's can only be to go on.
static bool has_policies(uint32_t policies) {
  for (uint32_t shift = 4; shift <= 8u; shift += 4u) {
    const uint32_t policy = policies >> shift & 0xFu;
    if (policy != POLICY_GO_ON && policy != POLICY_ABORT) return false;
  }
  return (policies & ~0xFF0u) == 0;
}

// The host has written the log: its page is in the buffer. No command is at work, so none has a limit.
void fw_limits_take(struct fw_context* ctx) {
  struct fw_page page;
  for (uint32_t i = 0; i < FW_PAGE_DWORDS; ++i) page.dwords[i] = fw_ram_read(ctx, fw_system_address(ctx) + 4u * i);
  bool known = true;
  for (uint32_t i = 0; i < DESCRIPTORS; ++i) known = known && has_policies(page.dwords[FIRST + DESCRIPTOR * i]);
  if (!known) {
    fw_unqueued_status(ctx, ATA_STATUS_ERROR, ATA_ERROR_ABRT, 0);
    return;
  }
  ctx->host.limits.log = page;
  fw_unqueued_status(ctx, ATA_STATUS_READY, 0, 0);
}
