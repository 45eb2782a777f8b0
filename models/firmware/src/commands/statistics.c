// Log 04h, device statistics (ACS-3, A.5): what firmware has counted over the drive's life; COMRESETs since
// power-on.
#include "commands/commands.h"

#define SUPPORTED 0xC000000000000000u  // and valid
#define US_PER_HOUR 3600000000u
#define REVISION 1u

enum { PAGE_LIST = 0, PAGE_GENERAL = 1, PAGE_ROTATING = 3, PAGE_ERRORS = 4, PAGE_TRANSPORT = 6 };
static const uint8_t kPages[] = {PAGE_LIST, PAGE_GENERAL, PAGE_ROTATING, PAGE_ERRORS, PAGE_TRANSPORT};

static void put(struct fw_page* page, uint32_t byte, uint64_t value) {
  fw_page_qword(page, byte, SUPPORTED | value);
}

static uint64_t hours(uint64_t us) {
  return us / US_PER_HOUR;
}

static void list(struct fw_page* page) {
  page->dwords[2] = (uint32_t)sizeof kPages;  // byte 8, and the pages after it
  for (uint32_t i = 0; i < sizeof kPages; ++i)
    page->dwords[(9u + i) / 4u] |= (uint32_t)kPages[i] << ((9u + i) % 4u * 8u);
}

static void general(struct fw_context* ctx, struct fw_page* page) {
  put(page, 8, fw_life(ctx, FW_LIFE_POWER_CYCLES));
  put(page, 16, hours(fw_life(ctx, FW_LIFE_ON_US)));
  put(page, 24, fw_life(ctx, FW_LIFE_SECTORS_WRITTEN) / ctx->drive.logical_sectors);
  put(page, 32, fw_life(ctx, FW_LIFE_WRITES));
  put(page, 40, fw_life(ctx, FW_LIFE_SECTORS_READ) / ctx->drive.logical_sectors);
  put(page, 48, fw_life(ctx, FW_LIFE_READS));
}

static void rotating(struct fw_context* ctx, struct fw_page* page) {
  const uint64_t on_us = fw_life(ctx, FW_LIFE_TURNING_US);
  put(page, 8, hours(on_us));
  put(page, 24, fw_life(ctx, FW_LIFE_LOADS));
  put(page, 32, fw_life(ctx, FW_LIFE_REALLOCATED) / ctx->drive.logical_sectors);
  put(page, 40, fw_life(ctx, FW_LIFE_READ_FAILURES));
  put(page, 48, fw_life(ctx, FW_LIFE_START_RETRIES));
  put(page, 56, ctx->defects.pending_count);
}

void fw_statistics_page(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)log;
  const struct fw_statistics* const counts = &ctx->statistics;
  switch (number) {
    case PAGE_LIST:
      list(page);
      break;
    case PAGE_GENERAL:
      general(ctx, page);
      break;
    case PAGE_ROTATING:
      if (ctx->drive.stacks == 0) return;
      rotating(ctx, page);
      break;
    case PAGE_ERRORS:
      put(page, 8, fw_life(ctx, FW_LIFE_UNCORRECTABLE));
      put(page, 16, fw_life(ctx, FW_LIFE_TIMEOUTS));
      break;
    case PAGE_TRANSPORT:
      put(page, 8, counts->comresets);
      put(page, 24, fw_life(ctx, FW_LIFE_LINK_ERRORS));
      break;
    default:
      return;  // no such page: its revision is 0
  }
  page->dwords[0] = REVISION | number << 16;
}
