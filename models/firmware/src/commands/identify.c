// IDENTIFY DEVICE, word by word (ACS-3, 7.12). docs/reference/ata.md explains each word.
#include "commands/commands.h"

#define MODEL_WORDS 20u
#define SERIAL_WORDS 10u
#define REVISION_WORDS 4u
#define STRING_DWORDS ((MODEL_WORDS + SERIAL_WORDS + REVISION_WORDS) / 2u)
#define WORDS 256u
#define VALID 0x4000u  // bits 15:14 of words whose bits are valid

// What IDENTIFY DEVICE needs from the factory record.
struct identity {
  uint32_t strings[STRING_DWORDS];  // model, serial, revision, as in the record
  uint32_t rpm;
  uint32_t link_generation;
};

// Two characters of the record as a word: the first one in the high byte.
static uint32_t string_word(const struct identity* identity, uint32_t word) {
  const uint32_t pair = identity->strings[word / 2u] >> (word % 2u * 16u) & 0xFFFFu;
  return (pair & 0xFFu) << 8 | pair >> 8;
}

static uint32_t capacity_word(const struct fw_context* ctx, uint32_t word) {
  return (uint32_t)(ctx->host.accessible / ctx->drive.logical_sectors >> (16u * word)) & 0xFFFFu;
}

// A world-wide name: NAA 5, the company identifier that IEEE 802 uses in examples (AC-DE-48), and a hash of the serial
// number (FNV-1a), so that drives with different serial numbers have different names.
static void world_wide_name(const struct identity* identity, uint32_t words[4]) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (uint32_t i = 0; i < SERIAL_WORDS; ++i) {
    const uint32_t pair = string_word(identity, MODEL_WORDS + i);
    hash = (hash ^ (pair >> 8)) * 0x100000001B3u;
    hash = (hash ^ (pair & 0xFFu)) * 0x100000001B3u;
  }
  const uint64_t name = 0x5ACDE48000000000u | (hash & 0xFFFFFFFFFu);
  for (uint32_t i = 0; i < 4u; ++i) words[i] = (uint32_t)(name >> (48u - 16u * i)) & 0xFFFFu;
}

struct fixed_word {
  uint8_t word;
  uint16_t value;
};

// Words that are the same for every drive; words in no list are 0.
static const struct fixed_word kFixed[] = {
    {0, 0x0040u},    // ATA device, not removable
    {1, 16383u},     // obsolete: cylinders, heads, sectors of a translation that nobody uses
    {2, 0xC837u},    // no SET FEATURES to spin up; the data are complete
    {3, 16u},        // obsolete, as word 1
    {6, 63u},        // obsolete, as word 1
    {48, VALID},     // no trusted computing
    {49, 0x2F00u},   // standard values of the standby timer, IORDY can be disabled, LBA, DMA
    {50, VALID},     // no minimum of the standby timer
    {53, 0x0006u},   // words 64 to 70 and 88 are valid
    {64, 0x0003u},   // PIO 3 and 4
    {65, 120u},      // shortest cycle of multiword DMA, ns
    {66, 120u},      // as recommended
    {67, 120u},      // of PIO without flow control
    {68, 120u},      // with IORDY
    {69, 0x0C40u},   // READ and WRITE BUFFER DMA, all optional 28-bit commands
    {78, 0x00C2u},   // buffer offsets in DMA Setup; settings preserved over COMRESET; sense data in log 10h
    {80, 0x1FF0u},   // ATA/ATAPI-4 to ACS-5
    {84, 0x4163u},   // SMART error logs and self-tests, world-wide name, FUA commands, general-purpose logging
    {87, 0x4163u},   // the same: in use
    {119, 0x400Cu},  // WRITE UNCORRECTABLE EXT, READ and WRITE LOG DMA EXT
    {120, 0x400Cu},  // the same: in use
    {222, 0x103Fu},  // serial transport, SATA 1.0a to 3.0
};

static void capabilities(const struct fw_context* ctx, const struct identity* identity, uint32_t word[WORDS]) {
  const uint32_t depth = ctx->drive.queue_depth > 32u ? 32u : ctx->drive.queue_depth;
  const uint32_t quiet = ctx->acoustic.quiet_points != 0 ? 0x0200u : 0u;
  word[47] = 0x8000u | fw_most_multiple(ctx);
  word[59] = ctx->host.multiple != 0 ? 0x0100u | ctx->host.multiple : 0u;
  word[63] = fw_multiword_modes(ctx);
  word[75] = depth - 1u;
  word[76] =
      0x8500u | ((2u << identity->link_generation) - 2u);  // NCQ, Phy counters, log DMA; speeds up to the fastest
  word[77] = identity->link_generation << 1;               // the speed in use
  word[79] = (ctx->host.buffer_offsets ? 0x0002u : 0u) | (ctx->host.settings_preserved ? 0x0040u : 0u);
  // NOP, READ and WRITE BUFFER, SMART, host protected area, look-ahead, write cache, power management.
  word[82] = 0x7449u | (ctx->buffer.line_share ? 0x0020u : 0u);
  word[85] = 0x7408u | (ctx->saved.smart_off == 0 ? 0x0001u : 0u) | (ctx->host.look_ahead ? 0x0040u : 0u) |
             (ctx->host.write_cache ? 0x0020u : 0u);
  // FLUSH CACHE (EXT), 48-bit addresses, acoustic and advanced power management; words 119 and 120 are valid.
  word[83] = 0x7400u | quiet | (ctx->pm.idle.known ? 0x0008u : 0u);
  word[86] = 0xB400u | (ctx->acoustic.level != 0 ? 0x0200u : 0u) | (fw_apm_level(ctx) != 0 ? 0x0008u : 0u);
  word[88] = fw_ultra_modes(ctx);
  word[91] = fw_apm_level(ctx);
  word[94] = fw_acoustic_levels(ctx);
  word[206] = fw_sct_known(ctx) ? 0x0039u : 0x0031u;  // SCT, feature control, data tables; error recovery control
  word[217] = identity->rpm;
}

static void power_conditions(const struct fw_context* ctx, uint32_t word[WORDS]) {
  if (ctx->pm.epc.state != FW_EPC_ABSENT) word[119] |= 0x0080u;
  if (ctx->pm.epc.state == FW_EPC_ENABLED) word[120] |= 0x0080u;
}

// DOWNLOAD MICROCODE, also in segments and by DMA.
static void microcode(const struct fw_context* ctx, uint32_t word[WORDS]) {
  const uint32_t blocks = fw_microcode_blocks(ctx);
  if (blocks == 0) return;
  word[69] |= 0x0100u;
  word[83] |= 0x0001u;
  word[86] |= 0x0001u;
  word[119] |= 0x0010u;
  word[120] |= 0x0010u;
  word[234] = 1u;  // smallest and largest segment, blocks
  word[235] = blocks < 0xFFFFu ? blocks : 0xFFFEu;
}

static void sectors(const struct fw_context* ctx, uint32_t word[WORDS]) {
  const uint64_t capacity = ctx->host.accessible / ctx->drive.logical_sectors;
  const uint32_t lba28 = capacity > 0x0FFFFFFFu ? 0x0FFFFFFFu : (uint32_t)capacity;
  word[60] = lba28 & 0xFFFFu;
  word[61] = lba28 >> 16;
  for (uint32_t i = 0; i < 4u; ++i) word[100u + i] = capacity_word(ctx, i);
  if (ctx->drive.logical_sectors != 1u) {
    word[106] = 0x5000u;                                 // longer than 256 words: see 117 and 118
    word[117] = FW_LINE_SECTORS * FW_SECTOR_BYTES / 2u;  // words of a logical sector
  } else {
    word[106] = ctx->drive.physical_sectors == 1u ? VALID : 0x6003u;  // 2^3 512-byte logical sectors per physical one
  }
  word[209] = ctx->drive.physical_sectors == ctx->drive.logical_sectors ? 0u : VALID;  // sector 0 begins a physical one
}

// `what`, `number`: not used.
void fw_identify_page(struct fw_context* ctx, uint32_t what, uint32_t number, struct fw_page* page) {
  (void)what;
  (void)number;
  struct identity identity;
  const uint32_t strings = (uint32_t)offsetof(struct fw_factory, model);
  for (uint32_t i = 0; i < STRING_DWORDS; ++i) identity.strings[i] = fw_factory_word(ctx, strings + 4u * i);
  if (ctx->host.microcode.slot != 0)
    for (uint32_t i = 0; i < REVISION_WORDS / 2u; ++i)
      identity.strings[(MODEL_WORDS + SERIAL_WORDS) / 2u + i] = ctx->host.microcode.revision[i];
  identity.rpm = fw_factory_word(ctx, (uint32_t)offsetof(struct fw_factory, rpm));
  identity.link_generation = fw_factory_word(ctx, (uint32_t)offsetof(struct fw_factory, link_generation));

  uint32_t word[WORDS] = {0};
  for (uint32_t i = 0; i < sizeof kFixed / sizeof kFixed[0]; ++i) word[kFixed[i].word] = kFixed[i].value;
  for (uint32_t i = 0; i < SERIAL_WORDS; ++i) word[10u + i] = string_word(&identity, MODEL_WORDS + i);
  for (uint32_t i = 0; i < REVISION_WORDS; ++i) word[23u + i] = string_word(&identity, MODEL_WORDS + SERIAL_WORDS + i);
  for (uint32_t i = 0; i < MODEL_WORDS; ++i) word[27u + i] = string_word(&identity, i);
  world_wide_name(&identity, &word[108]);
  capabilities(ctx, &identity, word);
  sectors(ctx, word);
  microcode(ctx, word);
  power_conditions(ctx, word);
  word[255] = 0xA5u;  // signature, and the byte that makes the sum of all bytes zero
  for (uint32_t i = 0; i < FW_PAGE_DWORDS; ++i) page->dwords[i] = word[2u * i] | word[2u * i + 1u] << 16;
  fw_page_check(page);
}

void fw_identify(struct fw_context* ctx, const struct fw_command* command) {
  fw_pages_send(ctx, command, fw_identify_page, 0, 0, 1u);
}
