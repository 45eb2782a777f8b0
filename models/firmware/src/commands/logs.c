// Logs (ACS-3, annex A): READ LOG (DMA) EXT and WRITE LOG (DMA) EXT. docs/reference/ata.md lists them with their
// fields.
#include "commands/commands.h"

#define FIELD(name) fw_factory_word(ctx, (uint32_t)offsetof(struct fw_factory, name))

static void put_word(struct fw_page* page, uint32_t word, uint32_t value) {
  page->dwords[word / 2u] |= (value & 0xFFFFu) << (word % 2u * 16u);
}

static void put_byte(struct fw_page* page, uint32_t byte, uint32_t value) {
  page->dwords[byte / 4u] |= (value & 0xFFu) << (byte % 4u * 8u);
}

// Log 10h: the queued command that failed, or the unqueued one that came between queued ones (NQ). Reading it ends the
// error. Byte 1 holds tag bits 9:5, which the standard reserves: study tags only.
static void build_ncq_error(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)log;
  (void)number;
  page->dwords[0] = 0x80u;
  if (ctx->errors.logged) {
    const struct fw_error* const error = &ctx->errors.last;
    const uint32_t nq = error->queued ? 0u : 0x80u;
    const uint32_t tag = error->tag;
    page->dwords[0] =
        nq | (tag & 0x1Fu) | (tag >> 5) << 8 | (uint32_t)error->status << 16 | (uint32_t)error->error << 24;
    const uint64_t lba = error->lba / ctx->drive.logical_sectors;
    page->dwords[1] = ((uint32_t)lba & 0xFFFFFFu) | 0x40u << 24;  // device register: LBA
    page->dwords[2] = (uint32_t)(lba >> 24) & 0xFFFFFFu;
    page->dwords[3] = (error->sense >> 16) << 16 | (error->sense >> 8 & 0xFFu) << 24;  // key and code, from byte 14 on
    page->dwords[4] = error->sense & 0xFFu;                                            // qualifier
  }
  fw_page_check(page);
  if (ctx->errors.halted) fw_hif_control(ctx, HIF_CTRL_ENABLE_MASK);
  ctx->errors.halted = false;
  ctx->errors.logged = false;
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
  const uint64_t sectors = ctx->drive.capacity / ctx->drive.logical_sectors / ranges;
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

// Commands that read or write a log: the general-purpose log commands, SMART READ LOG and WRITE LOG, or both.
#define GPL 1u
#define SMART_LOG 2u
#define BOTH 3u

struct log {
  uint8_t address;
  uint8_t pages;
  uint8_t access;
  bool (*known)(struct fw_context* ctx);  // 0: every drive has it
  fw_page_builder* builder;               // 0: cannot be read
  fw_page_taker* taker;                   // 0: cannot be written
};

static bool has_ranges(struct fw_context* ctx) {
  const uint32_t ranges = FIELD(ranges);
  return ranges > 1u;
}

static bool has_epc(struct fw_context* ctx) {
  return ctx->pm.epc.state != FW_EPC_ABSENT;
}

static bool is_store(struct fw_context* ctx) {
  return ctx->mems.store.known;
}

// The host has written the selective self-test log.
static void take_selective_log(struct fw_context* ctx) {
  struct fw_page page;
  for (uint32_t i = 0; i < FW_PAGE_DWORDS; ++i) page.dwords[i] = fw_ram_read(ctx, fw_system_address(ctx) + 4u * i);
  if (fw_selective_log_take(ctx, &page))
    fw_unqueued_status(ctx, ATA_STATUS_READY, 0, 0);
  else
    fw_unqueued_status(ctx, ATA_STATUS_ERROR, ATA_ERROR_ABRT, 0);
}

static const struct log kLogs[] = {
    {0x00, 1, BOTH, 0, build_directory, 0},
    {0x01, 1, SMART_LOG, 0, fw_error_summary, 0},
    {0x02, FW_ERROR_PAGES, SMART_LOG, 0, fw_error_comprehensive, 0},
    {0x03, FW_ERROR_PAGES_EXT, GPL, 0, fw_error_extended, 0},
    {0x04, FW_STATISTICS_PAGES, BOTH, 0, fw_statistics_page, 0},
    {0x06, 1, SMART_LOG, 0, fw_test_log, 0},
    {0x07, 1, GPL, 0, fw_test_log_extended, 0},
    {0x08, 2, GPL, has_epc, fw_epc_log, 0},
    {0x09, 1, SMART_LOG, 0, fw_selective_log, take_selective_log},
    {0x0F, 2, GPL, 0, build_no_sense, 0},
    {0x10, 1, GPL, 0, build_ncq_error, 0},
    {0x11, 1, GPL, 0, build_phy, 0},
    {0x18, 1, GPL, 0, fw_limits_log_page, fw_limits_take},
    {0x30, FW_IDENTIFY_PAGES, BOTH, 0, fw_identify_log_page, 0},
    {0x47, 1, GPL, has_ranges, build_ranges, 0},
    {0xA0, 1, GPL, is_store, fw_store_log_page, 0},
    {0xA1, 1, GPL, is_store, fw_store_log_page, 0},
    {0xE0, 1, BOTH, 0, fw_sct_status, fw_sct_command},
    {0xE1, 1, BOTH, 0, fw_sct_data, 0},
};

static void put_directory(struct fw_context* ctx, uint32_t access, struct fw_page* page) {
  for (uint32_t i = 0; i < sizeof kLogs / sizeof kLogs[0]; ++i) {
    const struct log* const log = &kLogs[i];
    if ((log->access & access) != 0 && (log->known == 0 || log->known(ctx))) put_word(page, log->address, log->pages);
  }
}

// Log 00h: a word for each log with its number of pages; word 0 is the version.
static void build_directory(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)log;
  (void)number;
  put_directory(ctx, GPL, page);
}

// The same for SMART READ LOG.
static void build_smart_directory(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)log;
  (void)number;
  put_directory(ctx, SMART_LOG, page);
}

// Null: the drive has no such log for these commands.
static const struct log* find_log(struct fw_context* ctx, uint32_t address, uint32_t access) {
  for (uint32_t i = 0; i < sizeof kLogs / sizeof kLogs[0]; ++i) {
    const struct log* const log = &kLogs[i];
    if (log->address != address) continue;
    return (log->access & access) != 0 && (log->known == 0 || log->known(ctx)) ? log : 0;
  }
  return 0;
}

static void refuse(struct fw_context* ctx, const struct fw_command* command) {
  fw_unqueued_status(ctx, ATA_STATUS_ERROR, ATA_ERROR_ABRT, command->lba * ctx->drive.logical_sectors);
}

// `count` pages from `first` on can be read now.
static bool readable(struct fw_context* ctx, const struct log* log, uint32_t first, uint32_t count) {
  if (log == 0 || log->builder == 0 || (log->builder == fw_sct_data && !fw_sct_has_data(ctx))) return false;
  return count != 0 && first < log->pages && count <= log->pages - first;
}

static uint32_t page_of(const struct fw_command* command) {
  return ((uint32_t)(command->lba >> 8) & 0xFFu) | ((uint32_t)(command->lba >> 32) & 0xFFu) << 8;
}

void fw_read_log(struct fw_context* ctx, const struct fw_command* command) {
  const struct log* const log = find_log(ctx, (uint32_t)command->lba & 0xFFu, GPL);
  const uint32_t first = page_of(command);
  const uint32_t count = command->count;
  if (!readable(ctx, log, first, count)) {
    refuse(ctx, command);
    return;
  }
  fw_pages_send(ctx, command, log->builder, log->address, first, count);
}

void fw_write_log(struct fw_context* ctx, const struct fw_command* command) {
  const struct log* const log = find_log(ctx, (uint32_t)command->lba & 0xFFu, GPL);
  if (log == 0 || log->taker == 0 || page_of(command) != 0 || command->count != 1u) {
    refuse(ctx, command);
    return;
  }
  fw_page_take(ctx, command, log->taker);
}

// SMART READ LOG: always from the first page on.
void fw_smart_read_log(struct fw_context* ctx, const struct fw_command* command) {
  const struct log* const log = find_log(ctx, (uint32_t)command->lba & 0xFFu, SMART_LOG);
  const uint32_t count = command->count & 0xFFu;
  if (!readable(ctx, log, 0, count)) {
    refuse(ctx, command);
    return;
  }
  struct fw_command read = *command;
  read.protocol = FW_PIO_IN;
  fw_pages_send(ctx, &read, log->address == 0 ? build_smart_directory : log->builder, log->address, 0, count);
}

void fw_smart_write_log(struct fw_context* ctx, const struct fw_command* command) {
  const struct log* const log = find_log(ctx, (uint32_t)command->lba & 0xFFu, SMART_LOG);
  if (log == 0 || log->taker == 0 || (command->count & 0xFFu) != 1u) {
    refuse(ctx, command);
    return;
  }
  struct fw_command write = *command;
  write.protocol = FW_PIO_OUT;
  fw_page_take(ctx, &write, log->taker);
}
