// Log 04h, device statistics (ACS-3, A.5): what firmware has counted since power-on. There is no memory that keeps
// counts over power-off.
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
  page->dwords[2] = (uint32_t)sizeof kPages;  // byte 8, and the pages behind it
  for (uint32_t i = 0; i < sizeof kPages; ++i)
    page->dwords[(9u + i) / 4u] |= (uint32_t)kPages[i] << ((9u + i) % 4u * 8u);
}

static void general(struct fw_context* ctx, struct fw_page* page) {
  const struct fw_statistics* const counts = &ctx->statistics;
  const uint64_t hit_sectors = fw_hif_hit_sectors(ctx);
  const uint32_t hits = ctx->hardware_hits ? fw_buf_hits(ctx) : 0u;
  put(page, 8, 1u);  // power-on resets
  put(page, 16, hours(fw_timer_now(ctx)));
  put(page, 24, counts->sectors_written / ctx->logical_sectors);
  put(page, 32, counts->writes);
  put(page, 40, counts->sectors_read / ctx->logical_sectors + hit_sectors);
  put(page, 48, (uint64_t)counts->reads + hits);
}

static void rotating(struct fw_context* ctx, struct fw_page* page) {
  const struct fw_statistics* const counts = &ctx->statistics;
  const uint64_t turning = counts->turns ? fw_timer_now(ctx) - counts->turns_since : 0u;
  put(page, 8, hours(counts->turned_us + turning));
  put(page, 24, counts->loads);
  put(page, 32, ctx->reallocated / ctx->logical_sectors);
  put(page, 40, ctx->reads_counted[0]);
  put(page, 48, 0);  // starts of the spindle that have failed
  put(page, 56, ctx->pending_count);
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
      if (ctx->stacks == 0) return;
      rotating(ctx, page);
      break;
    case PAGE_ERRORS:
      put(page, 8, counts->uncorrectable);
      put(page, 16, counts->resets_at_work);
      break;
    case PAGE_TRANSPORT:
      put(page, 8, counts->comresets);
      put(page, 24, counts->link_errors);
      break;
    default:
      return;  // no such page: its revision is 0
  }
  page->dwords[0] = REVISION | number << 16;
}
