// Logs (ACS-3, annex A): READ LOG (DMA) EXT and WRITE LOG (DMA) EXT. docs/ata.md lists them with their fields.
#include "commands/commands.h"

#define LOG_NCQ_ERROR 0x10u
#define LOG_LIMITS 0x18u
#define LOG_SCT_COMMAND 0xE0u
#define LOG_SCT_DATA 0xE1u

#define FIELD(name) fw_factory_word(ctx, (uint32_t)offsetof(struct fw_factory, name))

static void put_word(struct fw_page* page, uint32_t word, uint32_t value) {
  page->dwords[word / 2u] |= (value & 0xFFFFu) << (word % 2u * 16u);
}

static void put_byte(struct fw_page* page, uint32_t byte, uint32_t value) {
  page->dwords[byte / 4u] |= (value & 0xFFu) << (byte % 4u * 8u);
}

// Log 10h: the queued command that failed, or that an unqueued one came between queued ones (NQ). Reading it ends the
// error. Byte 1 holds tag bits 9:5, which the standard reserves: study tags only.
static void build_ncq_error(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)log;
  (void)number;
  page->dwords[0] = 0x80u;
  if (ctx->error_logged) {
    const struct fw_error* const error = &ctx->error;
    const uint32_t nq = error->queued ? 0u : 0x80u;
    const uint32_t tag = error->tag;
    page->dwords[0] =
        nq | (tag & 0x1Fu) | (tag >> 5) << 8 | (uint32_t)error->status << 16 | (uint32_t)error->error << 24;
    const uint64_t lba = error->lba / ctx->logical_sectors;
    page->dwords[1] = ((uint32_t)lba & 0xFFFFFFu) | 0x40u << 24;  // device register: LBA
    page->dwords[2] = (uint32_t)(lba >> 24) & 0xFFFFFFu;
    page->dwords[3] = (error->sense >> 16) << 16 | (error->sense >> 8 & 0xFFu) << 24;  // key and code, from byte 14 on
    page->dwords[4] = error->sense & 0xFFu;                                            // qualifier
  }
  fw_page_check(page);
  if (ctx->halted) fw_hif_control(ctx, HIF_CTRL_ENABLE_MASK);
  ctx->halted = false;
  ctx->error_logged = false;
}

// Log 11h: identifier, with the counter's bytes / 2 in bits 14:12, and its value (Serial ATA 2.6, 13.7).
static void build_phy(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)log;
  (void)number;
  const uint32_t broken = ctx->statistics.link_errors < 0xFFFFu ? ctx->statistics.link_errors : 0xFFFFu;
  const uint32_t resets = ctx->statistics.comresets < 0xFFFFu ? ctx->statistics.comresets : 0xFFFFu;
  put_word(page, 2, 0x1001u);  // commands that ended with ICRC
  put_word(page, 3, broken);
  put_word(page, 4, 0x100Au);  // Register frames that answer COMRESET
  put_word(page, 5, resets);
  fw_page_check(page);
}

// Log 47h: ranges of sectors that different arms serve at the same time (ACS-5).
static void build_ranges(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)log;
  (void)number;
  const uint32_t ranges = FIELD(ranges);
  const uint64_t sectors = ctx->capacity / ctx->logical_sectors / ranges;
  put_byte(page, 0, ranges);
  for (uint32_t range = 0; range < ranges; ++range) {
    const uint32_t at = 64u + 32u * range;
    put_byte(page, at, range);
    put_byte(page, at + 1u, 1u);  // storage elements
    fw_page_qword(page, at + 8u, sectors * range);
    fw_page_qword(page, at + 16u, sectors);
  }
}

// Log 0Fh: sense data of successful queued commands (ACS-4, 9.9). None has any.
static void build_no_sense(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)ctx;
  if (number == 0) put_byte(page, 0, log);
}

static void build_directory(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page);

struct log {
  uint8_t address;
  uint8_t pages;
  bool (*known)(struct fw_context* ctx);  // 0: to every drive
  fw_page_builder* builder;
};

static bool has_ranges(struct fw_context* ctx) {
  const uint32_t ranges = FIELD(ranges);
  return ranges > 1u;
}

static bool is_store(struct fw_context* ctx) {
  return ctx->store.known;
}

static const struct log kLogs[] = {
    {0x00, 1, 0, build_directory},
    {0x04, FW_STATISTICS_PAGES, 0, fw_statistics_page},
    {0x0F, 2, 0, build_no_sense},
    {0x10, 1, 0, build_ncq_error},
    {0x11, 1, 0, build_phy},
    {LOG_LIMITS, 1, 0, fw_limits_log_page},
    {0x30, FW_IDENTIFY_PAGES, 0, fw_identify_log_page},
    {0x47, 1, has_ranges, build_ranges},
    {0xA0, 1, is_store, fw_store_log_page},
    {0xA1, 1, is_store, fw_store_log_page},
    {0xE0, 1, 0, fw_sct_status},
    {0xE1, 1, 0, fw_sct_data},
};

// Log 00h: a word for each log with its number of pages; word 0 is the version.
static void build_directory(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)log;
  (void)number;
  for (uint32_t i = 0; i < sizeof kLogs / sizeof kLogs[0]; ++i)
    if (kLogs[i].known == 0 || kLogs[i].known(ctx)) put_word(page, kLogs[i].address, kLogs[i].pages);
}

// Null: the drive has no such log.
static const struct log* find_log(struct fw_context* ctx, uint32_t address) {
  for (uint32_t i = 0; i < sizeof kLogs / sizeof kLogs[0]; ++i)
    if (kLogs[i].address == address) return kLogs[i].known == 0 || kLogs[i].known(ctx) ? &kLogs[i] : 0;
  return 0;
}

static void refuse(struct fw_context* ctx, const struct fw_command* command) {
  fw_unqueued_status(ctx, ATA_STATUS_ERROR, ATA_ERROR_ABRT, command->lba * ctx->logical_sectors);
}

static uint32_t page_of(const struct fw_command* command) {
  return ((uint32_t)(command->lba >> 8) & 0xFFu) | ((uint32_t)(command->lba >> 32) & 0xFFu) << 8;
}

void fw_read_log(struct fw_context* ctx, const struct fw_command* command) {
  const struct log* const log = find_log(ctx, (uint32_t)command->lba & 0xFFu);
  const uint32_t first = page_of(command);
  const uint32_t count = command->count;
  const bool empty = log != 0 && log->address == LOG_SCT_DATA && !fw_sct_has_data(ctx);
  if (log == 0 || empty || count == 0 || first >= log->pages || count > log->pages - first) {
    refuse(ctx, command);
    return;
  }
  fw_pages_send(ctx, command, log->builder, log->address, first, count);
}

void fw_write_log(struct fw_context* ctx, const struct fw_command* command) {
  const uint32_t log = (uint32_t)command->lba & 0xFFu;
  const bool known = log == LOG_SCT_COMMAND || log == LOG_LIMITS;
  if (!known || page_of(command) != 0 || command->count != 1u) {
    refuse(ctx, command);
    return;
  }
  fw_page_take(ctx, command, log == LOG_LIMITS ? fw_limits_take : fw_sct_command);
}
