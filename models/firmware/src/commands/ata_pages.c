// Pages of 512 bytes that firmware builds in buffer RAM and sends as PIO data: IDENTIFY DEVICE and logs (ATA8-ACS).
#include "commands/commands.h"

#define PAGE_DWORDS (FW_SECTOR_BYTES / 4u)
#define MODEL_WORDS 20u
#define SERIAL_WORDS 10u
#define REVISION_WORDS 4u
#define STRING_DWORDS ((MODEL_WORDS + SERIAL_WORDS + REVISION_WORDS) / 2u)

// A dword of the page that is sent next.
void fw_page_put(struct fw_context* ctx, uint32_t index, uint32_t dword) {
  fw_ram_write(ctx, fw_system_address(ctx) + 4u * index, dword);
}

void fw_page_send(struct fw_context* ctx) {
  fw_hif_transfer(ctx, fw_system_address(ctx), 0,
                  FW_SET(HIF_DMA_GO_SECTORS, 1u) | HIF_DMA_GO_TO_HOST_MASK | HIF_DMA_GO_PIO_MASK);
  fw_due(ctx, FW_DUE_ENDED);  // but for its data
}

static uint32_t byte_sum(uint32_t dword) {
  return (dword & 0xFFu) + (dword >> 8 & 0xFFu) + (dword >> 16 & 0xFFu) + (dword >> 24);
}

// What IDENTIFY DEVICE needs of the factory record.
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
  return (uint32_t)(ctx->capacity / ctx->logical_sectors >> (16u * word)) & 0xFFFFu;
}

// The words of IDENTIFY DEVICE that are the same for every drive, and 0 for the others.
static uint32_t fixed_word(uint32_t index) {
  switch (index) {
    case 0:
      return 0x0040u;  // ATA device, not removable
    case 1:
      return 16383u;  // cylinders, heads, sectors of a translation that nobody uses
    case 3:
      return 16u;
    case 6:
      return 63u;
    case 47:
      return 0x8000u;  // no READ MULTIPLE
    case 48:
      return 0x4000u;
    case 49:
      return 0x2B00u;  // standard values of the standby timer, IORDY, LBA, DMA
    case 50:
      return 0x4000u;
    case 53:
      return 0x0006u;  // words 64 to 70 and 88 are valid
    case 63:
      return 0x0007u;  // multiword DMA 0 to 2
    case 64:
      return 0x0003u;  // PIO 3 and 4
    case 65:
    case 66:
    case 67:
    case 68:
      return 120u;  // ns a cycle
    case 78:
      return 0x0002u;  // non-zero buffer offsets in DMA Setup
    case 80:
      return 0x01F0u;  // ATA/ATAPI-4 to ATA8-ACS
    case 84:
    case 87:
      return 0x4060u;  // WRITE DMA FUA EXT, general-purpose logging
    case 88:
      return 0x407Fu;  // Ultra DMA 0 to 6, 6 is in use
    case 222:
      return 0x103Fu;  // serial transport, SATA 1.0a to 2.6
    default:
      return 0;
  }
}

// Word `index` of IDENTIFY DEVICE but for the checksum.
static uint32_t identify_word(const struct fw_context* ctx, const struct identity* identity, uint32_t index) {
  const uint64_t capacity = ctx->capacity / ctx->logical_sectors;
  const uint32_t lba28 = capacity > 0x0FFFFFFFu ? 0x0FFFFFFFu : (uint32_t)capacity;
  const uint32_t depth = ctx->queue_depth > 32u ? 32u : ctx->queue_depth;
  if (index >= 10 && index < 10 + SERIAL_WORDS) return string_word(identity, MODEL_WORDS + index - 10);
  if (index >= 23 && index < 23 + REVISION_WORDS) return string_word(identity, MODEL_WORDS + SERIAL_WORDS + index - 23);
  if (index >= 27 && index < 27 + MODEL_WORDS) return string_word(identity, index - 27);
  switch (index) {
    case 60:
      return lba28 & 0xFFFFu;
    case 61:
      return lba28 >> 16;
    case 75:
      return depth - 1u;
    case 76:
      return 0x0100u | ((2u << identity->link_generation) - 2u);  // NCQ, and every speed up to the fastest
    case 82:
      return 0x0048u | (ctx->line_share ? 0x0020u : 0u);  // look-ahead, power management, write cache
    case 83:  // FLUSH CACHE, FLUSH CACHE EXT, 48-bit addresses, acoustic and advanced power management
      return 0x7400u | (ctx->quiet_points != 0 ? 0x0200u : 0u) | (ctx->idle.known ? 0x0008u : 0u);
    case 85:
      return 0x0008u | (ctx->look_ahead ? 0x0040u : 0u) | (ctx->write_cache ? 0x0020u : 0u);  // what is on
    case 86:
      return 0x3400u | (ctx->acoustic_level != 0 ? 0x0200u : 0u) | (fw_apm_level(ctx) != 0 ? 0x0008u : 0u);
    case 91:
      return fw_apm_level(ctx);
    case 94:
      return fw_acoustic_levels(ctx);
    case 100:
    case 101:
    case 102:
    case 103:
      return capacity_word(ctx, index - 100u);
    case 106:
      if (ctx->logical_sectors != 1u) return 0x5000u;          // longer than 256 words: 117 and 118 say
      return ctx->physical_sectors == 1u ? 0x4000u : 0x6003u;  // 2^3 logical sectors of 512 bytes a physical one
    case 117:
      return ctx->logical_sectors == 1u ? 0u : FW_LINE_SECTORS * FW_SECTOR_BYTES / 2u;  // words of a logical sector
    case 209:
      return ctx->physical_sectors == ctx->logical_sectors ? 0u : 0x4000u;  // sector 0 begins a physical one
    case 217:
      return identity->rpm;
    default:
      return fixed_word(index);
  }
}

void fw_send_identify(struct fw_context* ctx) {
  struct identity identity;
  const uint32_t strings = (uint32_t)offsetof(struct fw_factory, model);
  for (uint32_t i = 0; i < STRING_DWORDS; ++i) identity.strings[i] = fw_factory_word(ctx, strings + 4u * i);
  identity.rpm = fw_factory_word(ctx, (uint32_t)offsetof(struct fw_factory, rpm));
  identity.link_generation = fw_factory_word(ctx, (uint32_t)offsetof(struct fw_factory, link_generation));

  uint32_t sum = 0xA5u;  // word 255: signature, and the byte that makes the sum of all bytes zero
  for (uint32_t i = 0; i < PAGE_DWORDS; ++i) {
    uint32_t dword = identify_word(ctx, &identity, 2u * i) | identify_word(ctx, &identity, 2u * i + 1u) << 16;
    sum += byte_sum(dword);
    if (i == PAGE_DWORDS - 1u) dword = (dword & 0xFFFFu) | 0xA5u << 16 | (0u - sum) << 24;
    fw_page_put(ctx, i, dword);
  }
  fw_page_send(ctx);
}

// Log 00h: a word for each log with its number of pages; word 0 is the version.
void fw_send_log_directory(struct fw_context* ctx) {
  for (uint32_t i = 0; i < PAGE_DWORDS; ++i) {
    const bool store = ctx->store.known && i == 0xA0u / 2u;  // and A1h
    fw_page_put(ctx, i, store ? 0x10001u : i == 0 || i == 0x10u / 2u ? 1u : 0u);
  }
  fw_page_send(ctx);
}

// Log 10h: the queued command that failed, or that an unqueued one came between queued ones (NQ). Reading it ends the
// error. Byte 1 holds tag bits 9:5, which the standard reserves: study tags only.
void fw_send_error_log(struct fw_context* ctx) {
  uint32_t dwords[4] = {0x80u, 0, 0, 0};
  if (ctx->error_logged) {
    const struct fw_error* const error = &ctx->error;
    const uint32_t nq = error->queued ? 0u : 0x80u;
    const uint32_t tag = error->tag;
    dwords[0] = nq | (tag & 0x1Fu) | (tag >> 5) << 8 | (uint32_t)error->status << 16 | (uint32_t)error->error << 24;
    const uint64_t lba = error->lba / ctx->logical_sectors;
    dwords[1] = ((uint32_t)lba & 0xFFFFFFu) | 0x40u << 24;  // device register: LBA
    dwords[2] = (uint32_t)(lba >> 24) & 0xFFFFFFu;
  }
  uint32_t sum = 0;
  for (uint32_t i = 0; i < PAGE_DWORDS; ++i) {
    uint32_t dword = i < 4u ? dwords[i] : 0u;
    sum += byte_sum(dword);
    if (i == PAGE_DWORDS - 1u) dword |= (0u - sum) << 24;
    fw_page_put(ctx, i, dword);
  }
  if (ctx->halted) fw_hif_control(ctx, HIF_CTRL_ENABLE_MASK);
  ctx->halted = false;
  ctx->error_logged = false;
  fw_page_send(ctx);
}
