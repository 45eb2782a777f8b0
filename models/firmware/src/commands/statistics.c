// Log 04h, device statistics (ACS-3, A.5): what firmware has counted over the drive's life; COMRESETs since
// power-on.
#include "commands/commands.h"

#define SUPPORTED 0xC000000000000000u  // and valid
#define US_PER_HOUR 3600000000u
#define REVISION 1u

enum { PAGE_LIST = 0, PAGE_GENERAL = 1, PAGE_ROTATING = 3, PAGE_ERRORS = 4, PAGE_HEAT = 5, PAGE_TRANSPORT = 6 };
static const uint8_t kPages[] = {PAGE_LIST, PAGE_GENERAL, PAGE_ROTATING, PAGE_ERRORS, PAGE_HEAT, PAGE_TRANSPORT};

static void put(struct fw_page* page, uint32_t byte, uint64_t value) {
  fw_page_qword(page, byte, SUPPORTED | value);
}

static uint64_t hours(uint64_t us) {
  return us / US_PER_HOUR;
}

// Byte 8: how many there are; their numbers follow.
static void list(struct fw_context* ctx, struct fw_page* page) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < sizeof kPages; ++i)
    if (kPages[i] != PAGE_HEAT || ctx->thermal.known) fw_page_byte(page, 9u + count++, kPages[i]);
  fw_page_byte(page, 8, count);
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

static void put_celsius(struct fw_page* page, uint32_t byte, int8_t celsius) {
  put(page, byte, (uint8_t)celsius);
}

// No averages: they begin after a day.
static void heat(struct fw_context* ctx, struct fw_page* page) {
  const struct fw_saved_heat* const life = &ctx->saved.heat;
  put_celsius(page, 8, ctx->thermal.now);
  put_celsius(page, 32, life->highest);
  put_celsius(page, 40, life->lowest);
  put(page, 80, life->over_ms / 60000u);
  put_celsius(page, 88, ctx->thermal.most);
  put(page, 96, life->under_ms / 60000u);
  put_celsius(page, 104, ctx->thermal.least);
}

void fw_statistics_page(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)log;
  const struct fw_statistics* const counts = &ctx->statistics;
  switch (number) {
    case PAGE_LIST:
      list(ctx, page);
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
    case PAGE_HEAT:
      if (!ctx->thermal.known) return;
      heat(ctx, page);
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
