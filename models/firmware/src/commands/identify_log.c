// Log 30h, IDENTIFY DEVICE data (ACS-4, 9.11; duration limits: ACS-5): the data of IDENTIFY DEVICE, page by page.
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

// Every page but 07h, which does not apply to a serial link.
static void list(struct fw_page* page) {
  static const uint8_t kPages[] = {PAGE_LIST,     PAGE_COPY,    PAGE_CAPACITY, PAGE_CAPABILITIES,
                                   PAGE_SETTINGS, PAGE_STRINGS, PAGE_SECURITY, PAGE_SERIAL};
  page->dwords[2] = (uint32_t)sizeof kPages;  // byte 8
  for (uint32_t i = 0; i < sizeof kPages; ++i)
    page->dwords[(9u + i) / 4u] |= (uint32_t)kPages[i] << ((9u + i) % 4u * 8u);
}

static void capacity(const struct fw_context* ctx, struct fw_page* page) {
  const bool several = ctx->drive.physical_sectors != ctx->drive.logical_sectors;
  fw_page_qword(page, 8, VALID | ctx->host.accessible / ctx->drive.logical_sectors);
  // Bit 62: several logical sectors per physical one, bits 19:16: how many, as a power of two; bit 61: longer than 512
  // bytes.
  fw_page_qword(
      page, 16,
      VALID | (several ? 1ull << 62 | 3ull << 16 : 0u) | (ctx->drive.logical_sectors != 1u ? 1ull << 61 : 0u));
  fw_page_qword(page, 24, VALID | (uint64_t)ctx->drive.logical_sectors * FW_SECTOR_BYTES / 2u);  // words
  fw_page_qword(page, 32, VALID | (fw_system_address(ctx) + FW_SYSTEM_BYTES));                   // bytes of buffer
}

// A qword's bits from those of IDENTIFY DEVICE: word, bit, bit here.
static uint64_t moved_bits(const struct fw_page* identify, const uint8_t (*bits)[3], uint32_t count) {
  uint64_t value = VALID;
  for (uint32_t i = 0; i < count; ++i) value |= bit(identify, bits[i][0], bits[i][1], bits[i][2]);
  return value;
}

static const uint8_t kCapabilities[][3] = {
    {84, 0, 7},   // SMART error logging
    {84, 1, 8},   // SMART self-test
    {82, 0, 23},  // SMART
    {119, 2, 1},  // WRITE UNCORRECTABLE EXT
    {119, 3, 2},  // READ and WRITE LOG DMA EXT
    {119, 7, 6},  // extended power conditions
    {84, 5, 11},  // general-purpose logging
    {84, 6, 12},  // FUA commands
    {83, 3, 16},  // advanced power management
    {83, 10, 20}, {83, 13, 22}, {82, 5, 24},  {82, 6, 25},
    {82, 12, 27}, {82, 13, 28}, {82, 14, 29},  // WRITE BUFFER, READ BUFFER, NOP
    {69, 10, 35}, {69, 11, 36},                // the two by DMA
    {69, 6, 32},                               // all optional 28-bit commands
    {119, 4, 3},  {83, 0, 14},  {69, 8, 33},   // DOWNLOAD MICROCODE: in segments, at all, by DMA
};

#define MICROCODE_MODES (7ull << 32)  // segments and activation at once; whole; segments and deferred activation
#define SENSE_OF_SUCCESS (1ull << 47)
#define LIMITS_AND_GUIDELINES 3u
#define LEAST_LIMIT_US 1u
#define GREATEST_LIMIT_US 0xFFFFFFFFu

static void capabilities(const struct fw_page* identify, struct fw_page* page) {
  fw_page_qword(page, 168, VALID | LIMITS_AND_GUIDELINES);
  fw_page_qword(page, 176, VALID | LEAST_LIMIT_US);
  fw_page_qword(page, 184, VALID | GREATEST_LIMIT_US);
  fw_page_qword(page, 8,
                SENSE_OF_SUCCESS | moved_bits(identify, kCapabilities, sizeof kCapabilities / sizeof kCapabilities[0]));
  const uint64_t modes = (word_of(identify, 83) & 1u) != 0 ? MICROCODE_MODES : 0u;
  fw_page_qword(page, 16, VALID | modes | word_of(identify, 234) | word_of(identify, 235) << 16);
  fw_page_qword(page, 24, VALID | word_of(identify, 217));  // rotation rate
  fw_page_qword(page, 56,
                (uint64_t)word_of(identify, 108) << 48 | (uint64_t)word_of(identify, 109) << 32 |
                    word_of(identify, 110) << 16 | word_of(identify, 111));
  fw_page_qword(page, 64, VALID);                                      // of the two qwords of the world-wide name
  fw_page_qword(page, 72, VALID);                                      // no trim
  fw_page_qword(page, 104, VALID);                                     // no zones
  fw_page_qword(page, 136, VALID | word_of(identify, 75));             // queue depth less 1
  fw_page_qword(page, 144, VALID | (word_of(identify, 206) & 0x3Fu));  // SCT
}

// Bits of current settings, the same way.
static const uint8_t kSettings[][3] = {{86, 3, 2}, {85, 0, 6}, {85, 6, 7}, {85, 5, 13}, {120, 7, 15}};

static void settings(const struct fw_context* ctx, const struct fw_page* identify, struct fw_page* page) {
  fw_page_qword(page, 8,
                moved_bits(identify, kSettings, sizeof kSettings / sizeof kSettings[0]) |
                    (ctx->host.reverts ? 1u << 11 : 0u) | (ctx->host.limits.sense ? 1u << 18 : 0u) |
                    (ctx->host.limits.on ? 1u << 21 : 0u));
  fw_page_qword(page, 16, VALID | (uint64_t)(word_of(identify, 91) & 0xFFu) << 8);  // level of power management
}

static void strings(const struct fw_page* identify, struct fw_page* page) {
  static const uint8_t kStrings[][3] = {{10, 10, 8}, {23, 4, 32}, {27, 20, 48}};  // word, words, byte here
  for (uint32_t i = 0; i < 3u; ++i)
    for (uint32_t word = 0; word < kStrings[i][1]; ++word) {
      const uint32_t at = kStrings[i][2] + 2u * word;
      page->dwords[at / 4u] |= word_of(identify, kStrings[i][0] + word) << (at % 4u * 8u);
    }
}

static const uint8_t kSerial[][3] = {
    {76, 1, 0},   {76, 2, 1},  {76, 3, 2},  // speeds
    {76, 8, 7},                             // NCQ
    {76, 10, 9},                            // Phy event counters
    {76, 15, 14},                           // READ LOG DMA EXT in place of READ LOG EXT
    {78, 1, 18},                            // buffer offsets
    {78, 7, 24},  {78, 6, 23},              // settings preserved over COMRESET
};
static const uint8_t kSerialNow[][3] = {{79, 1, 3}, {79, 6, 8}};

static void serial(const struct fw_page* identify, struct fw_page* page) {
  fw_page_qword(page, 8, moved_bits(identify, kSerial, sizeof kSerial / sizeof kSerial[0]));
  fw_page_qword(page, 16,
                moved_bits(identify, kSerialNow, sizeof kSerialNow / sizeof kSerialNow[0]) |
                    (word_of(identify, 77) >> 1 & 7u));  // speed in use
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
    case PAGE_SETTINGS:
      settings(ctx, &identify, page);
      break;
    case PAGE_STRINGS:
      strings(&identify, page);
      break;
    case PAGE_SECURITY:
      fw_page_qword(page, 16, VALID);  // no security feature set,
      fw_page_qword(page, 40, VALID);  // no trusted computing,
      fw_page_qword(page, 48, VALID);  // no sanitize
      break;
    case PAGE_SERIAL:
      serial(&identify, page);
      break;
    default:
      return;  // no such page: its revision is 0
  }
  fw_page_qword(page, 0, VALID | number << 16 | REVISION);
}
