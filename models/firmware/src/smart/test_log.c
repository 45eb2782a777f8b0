// Self-test logs 06h and 07h, and the selective self-test log 09h, which the host writes (ACS-3, A.13, A.8, A.15).
#include "smart/smart.h"

#define REVISION 1u
#define ENTRY_BYTES 24u
#define ENTRY_BYTES_EXT 26u
#define ENTRIES_EXT 19u  // of the only page
#define MOST_28 0x0FFFFFFFu

#define FLAG_REST 0x0002u     // the rest of the disk is read behind the spans
#define FLAG_PENDING 0x0008u  // that is still to come
#define FLAG_ACTIVE 0x0010u   // it is under way

void fw_test_log_add(struct fw_context* ctx, uint32_t number, uint32_t status, uint64_t lba) {
  struct fw_saved* const saved = &ctx->saved;
  struct fw_test_entry* const entry = &saved->test[saved->tests % FW_TEST_ENTRIES];
  saved->tests++;
  entry->number = (uint8_t)number;
  entry->status = (uint8_t)status;
  entry->hours = (uint16_t)fw_life_hours(ctx);
  entry->lba = lba;
}

static uint32_t newest(const struct fw_saved* saved, uint32_t entries) {
  return saved->tests == 0 ? 0u : (saved->tests - 1u) % entries + 1u;
}

// The last tests, as many as a log of `entries` has room for.
static uint32_t first_of(const struct fw_saved* saved, uint32_t entries) {
  return saved->tests > entries ? saved->tests - entries : 0u;
}

// Log 06h.
void fw_test_log(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)log;
  (void)number;
  const struct fw_saved* const saved = &ctx->saved;
  fw_page_bytes(page, 0, REVISION, 2);
  for (uint32_t n = first_of(saved, FW_TEST_ENTRIES); n < saved->tests; ++n) {
    const struct fw_test_entry* const entry = &saved->test[n % FW_TEST_ENTRIES];
    const uint32_t at = 2u + ENTRY_BYTES * (n % FW_TEST_ENTRIES);
    fw_page_byte(page, at, entry->number);
    fw_page_byte(page, at + 1u, entry->status);
    fw_page_bytes(page, at + 2u, entry->hours, 2);
    fw_page_bytes(page, at + 5u, entry->lba > MOST_28 ? 0xFFFFFFFFu : entry->lba, 4);
  }
  fw_page_byte(page, 508, newest(saved, FW_TEST_ENTRIES));
  fw_page_check(page);
}

// Log 07h.
void fw_test_log_extended(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)log;
  (void)number;
  const struct fw_saved* const saved = &ctx->saved;
  fw_page_byte(page, 0, REVISION);
  fw_page_bytes(page, 2, newest(saved, ENTRIES_EXT), 2);
  for (uint32_t n = first_of(saved, ENTRIES_EXT); n < saved->tests; ++n) {
    const struct fw_test_entry* const entry = &saved->test[n % FW_TEST_ENTRIES];
    const uint32_t at = 4u + ENTRY_BYTES_EXT * (n % ENTRIES_EXT);
    fw_page_byte(page, at, entry->number);
    fw_page_byte(page, at + 1u, entry->status);
    fw_page_bytes(page, at + 2u, entry->hours, 2);
    fw_page_bytes(page, at + 5u, entry->lba, 6);
  }
  fw_page_check(page);
}

// Log 09h.
void fw_selective_log(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)log;
  (void)number;
  const struct fw_saved* const saved = &ctx->saved;
  const bool testing = ctx->smart.testing && ctx->smart.number == FW_TEST_SELECTIVE;
  fw_page_bytes(page, 0, REVISION, 2);
  for (uint32_t i = 0; i < FW_TEST_SPANS; ++i) {
    fw_page_bytes(page, 2u + 16u * i, saved->span[i][0], 8);
    fw_page_bytes(page, 10u + 16u * i, saved->span[i][1], 8);
  }
  const bool rest = testing && ctx->smart.rest_of_disk;
  const uint64_t lba = testing ? ctx->background.reading.lba / ctx->drive.logical_sectors : saved->span_lba;
  fw_page_bytes(page, 492, lba, 8);
  fw_page_bytes(page, 500, testing && !rest ? ctx->smart.segment + 1u : saved->span_at, 2);
  const uint32_t waits = testing && !rest && (saved->span_flags & FLAG_REST) != 0 ? FLAG_PENDING : 0u;
  fw_page_bytes(page, 502, (saved->span_flags & FLAG_REST) | waits | (rest ? FLAG_ACTIVE : 0u), 2);
  fw_page_bytes(page, 508, saved->span_pending_min, 2);
  fw_page_check(page);
}

static uint64_t field(const struct fw_page* page, uint32_t byte, uint32_t count) {
  uint64_t value = 0;
  for (uint32_t i = count; i-- > 0;)
    value = value << 8 | (page->dwords[(byte + i) / 4u] >> ((byte + i) % 4u * 8u) & 0xFFu);
  return value;
}

// An empty span has the bounds 0.
static bool good_span(const struct fw_context* ctx, uint64_t first, uint64_t last) {
  return (first == 0 && last == 0) || (first <= last && last < ctx->drive.capacity / ctx->drive.logical_sectors);
}

bool fw_selective_log_take(struct fw_context* ctx, const struct fw_page* page) {
  struct fw_page checked = *page;
  fw_page_check(&checked);
  if (checked.dwords[FW_PAGE_DWORDS - 1u] != page->dwords[FW_PAGE_DWORDS - 1u] || field(page, 0, 2) != REVISION)
    return false;
  for (uint32_t i = 0; i < FW_TEST_SPANS; ++i)
    if (!good_span(ctx, field(page, 2u + 16u * i, 8), field(page, 10u + 16u * i, 8))) return false;
  struct fw_saved* const saved = &ctx->saved;
  for (uint32_t i = 0; i < FW_TEST_SPANS; ++i) {
    saved->span[i][0] = field(page, 2u + 16u * i, 8);
    saved->span[i][1] = field(page, 10u + 16u * i, 8);
  }
  saved->span_lba = 0;
  saved->span_at = 0;
  saved->span_flags = (uint16_t)(field(page, 502, 2) & FLAG_REST);
  saved->span_pending_min = (uint16_t)field(page, 508, 2);
  fw_save_soon(ctx);
  return true;
}
