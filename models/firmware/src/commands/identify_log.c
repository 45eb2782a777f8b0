// Log 30h, IDENTIFY DEVICE data (ACS-3, A.11): what IDENTIFY DEVICE tells, page by page.
#include "commands/commands.h"

#define VALID 0x8000000000000000u
#define REVISION 1u

enum {
  PAGE_LIST,
  PAGE_COPY,
  PAGE_CAPACITY,
  PAGE_CAPABILITIES,
  PAGE_SETTINGS,
  PAGE_STRINGS,
  PAGE_SECURITY,
  PAGE_PARALLEL,
  PAGE_SERIAL,
};

static uint32_t word_of(const struct fw_page* identify, uint32_t word) {
  return identify->dwords[word / 2u] >> (word % 2u * 16u) & 0xFFFFu;
}

static uint64_t bit(const struct fw_page* identify, uint32_t word, uint32_t from, uint32_t to) {
  return (uint64_t)(word_of(identify, word) >> from & 1u) << to;
}

// Every page but 07h, which has nothing to tell of a serial link.
static void list(struct fw_page* page) {
  static const uint8_t kPages[] = {PAGE_LIST,     PAGE_COPY,    PAGE_CAPACITY, PAGE_CAPABILITIES,
                                   PAGE_SETTINGS, PAGE_STRINGS, PAGE_SECURITY, PAGE_SERIAL};
  page->dwords[2] = (uint32_t)sizeof kPages;  // byte 8
  for (uint32_t i = 0; i < sizeof kPages; ++i)
    page->dwords[(9u + i) / 4u] |= (uint32_t)kPages[i] << ((9u + i) % 4u * 8u);
}

static void capacity(const struct fw_context* ctx, struct fw_page* page) {
  const bool several = ctx->physical_sectors != ctx->logical_sectors;
  fw_page_qword(page, 8, VALID | ctx->accessible / ctx->logical_sectors);
  // Bit 62: several logical sectors a physical one, bits 19:16 how many as a power of two; bit 61: longer than 512
  // bytes.
  fw_page_qword(page, 16,
                VALID | (several ? 1ull << 62 | 3ull << 16 : 0u) | (ctx->logical_sectors != 1u ? 1ull << 61 : 0u));
  fw_page_qword(page, 24, VALID | (uint64_t)ctx->logical_sectors * FW_SECTOR_BYTES / 2u);  // words
  fw_page_qword(page, 32, VALID | (fw_system_address(ctx) + FW_SYSTEM_BYTES));             // bytes of buffer
}

// Bits of ACS-3's table of supported capabilities, from those of IDENTIFY DEVICE: word, bit, bit here.
static const uint8_t kCapabilities[][3] = {
    {84, 0, 6},   // SMART error logging
    {84, 1, 7},   // SMART self-test
    {82, 0, 25},  // SMART
    {119, 2, 1},  // WRITE UNCORRECTABLE EXT
    {119, 3, 2},  // READ and WRITE LOG DMA EXT
    {84, 5, 11},  // general-purpose logging
    {84, 6, 12},  // FUA commands
    {83, 3, 16},  // advanced power management
    {83, 10, 20}, {83, 13, 22}, {82, 5, 24},  {82, 6, 25},
    {82, 12, 27}, {82, 13, 28}, {82, 14, 29},  // WRITE BUFFER, READ BUFFER, NOP
    {69, 10, 35}, {69, 11, 36},                // the two by DMA
};

static void capabilities(const struct fw_page* identify, struct fw_page* page) {
  uint64_t bits = VALID | 1ull << 32;  // 28-bit commands
  for (uint32_t i = 0; i < sizeof kCapabilities / sizeof kCapabilities[0]; ++i)
    bits |= bit(identify, kCapabilities[i][0], kCapabilities[i][1], kCapabilities[i][2]);
  fw_page_qword(page, 8, bits);
  fw_page_qword(page, 24, VALID | word_of(identify, 217));  // rotation rate
  fw_page_qword(page, 56,
                VALID | (uint64_t)word_of(identify, 108) << 48 | (uint64_t)word_of(identify, 109) << 32 |
                    word_of(identify, 110) << 16 | word_of(identify, 111));
}

static void strings(const struct fw_page* identify, struct fw_page* page) {
  static const uint8_t kStrings[][3] = {{10, 10, 8}, {23, 4, 32}, {27, 20, 48}};  // word, words, byte here
  for (uint32_t i = 0; i < 3u; ++i)
    for (uint32_t word = 0; word < kStrings[i][1]; ++word) {
      const uint32_t at = kStrings[i][2] + 2u * word;
      page->dwords[at / 4u] |= word_of(identify, kStrings[i][0] + word) << (at % 4u * 8u);
    }
}

static void serial(const struct fw_page* identify, struct fw_page* page) {
  uint64_t can = VALID;
  for (uint32_t speed = 0; speed < 3u; ++speed) can |= bit(identify, 76, 1u + speed, speed);
  can |= bit(identify, 76, 8, 4) | bit(identify, 76, 10, 6) | bit(identify, 76, 15, 11);
  can |= bit(identify, 78, 1, 16) | bit(identify, 78, 6, 21);
  fw_page_qword(page, 8, can);
}

void fw_identify_log_page(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)log;
  struct fw_page identify = {{0}};
  fw_identify_page(ctx, 0, 0, &identify);
  switch (number) {
    case PAGE_LIST:
      list(page);
      page->dwords[0] = REVISION;
      return;
    case PAGE_COPY:
      *page = identify;
      return;
    case PAGE_CAPACITY:
      capacity(ctx, page);
      break;
    case PAGE_CAPABILITIES:
      capabilities(&identify, page);
      break;
    case PAGE_SETTINGS:  // what is on is told by IDENTIFY DEVICE only: no field is valid
      break;
    case PAGE_STRINGS:
      strings(&identify, page);
      break;
    case PAGE_SECURITY:
      fw_page_qword(page, 8, VALID);  // no security feature set
      break;
    case PAGE_SERIAL:
      serial(&identify, page);
      break;
    default:
      return;  // no such page: its revision is 0
  }
  fw_page_qword(page, 0, VALID | number << 16 | REVISION);
}
