// Error logs: the last errors of the media and of the link, each with the five commands that came last, the one in
// error included. Commands that the drive does not have, and addresses that are out of range, are not errors of the
// drive and not in them (ACS-3, A.7).
#include "smart/smart.h"

#define VERSION 1u
#define ENTRIES_EXT 4u  // a page
#define ENTRIES 5u
#define ENTRY_BYTES_EXT 124u
#define COMMAND_BYTES_EXT 18u
#define ENTRY_BYTES 90u
#define COMMAND_BYTES 12u

#define STATE_ACTIVE 3u  // or idle
#define STATE_TESTING 4u

// The count register of a command that has failed: the sectors that are left of it, that in error included. Of a queued
// one that is not told.
static uint16_t left_of(const struct fw_context* ctx, const struct fw_error_entry* entry) {
  const struct fw_past_command* const last = &entry->command[0];
  const uint32_t count = last->frame[3] & 0xFFFFu;
  const uint32_t done = ((uint32_t)entry->lba - last->frame[1]) & 0xFFFFFFu;
  return ctx->errors.last.queued || done >= count ? 0u : (uint16_t)(count - done);
}

void fw_error_log(struct fw_context* ctx) {
  struct fw_saved* const saved = &ctx->saved;
  if (saved->smart_off != 0) return;
  struct fw_error_entry* const entry = &saved->error[saved->errors % FW_ERROR_ENTRIES];
  saved->errors++;
  for (uint32_t age = 0; age < FW_ERROR_COMMANDS; ++age) entry->command[age] = fw_hif_past_command(ctx, age);
  const struct fw_past_command* const last = &entry->command[0];
  entry->lba = ctx->errors.last.lba / ctx->drive.logical_sectors;
  entry->status = ctx->errors.last.status;
  entry->error = ctx->errors.last.error;
  entry->device = (uint8_t)(last->frame[1] >> 24);
  entry->count = left_of(ctx, entry);
  entry->state = ctx->smart.testing ? STATE_TESTING : STATE_ACTIVE;
  entry->hours = (uint16_t)fw_life_hours(ctx);
  fw_save_soon(ctx);
}

// The registers of a Register frame as both logs have them, by the bytes of the frame.
static uint32_t frame_byte(const struct fw_past_command* command, uint32_t byte) {
  return command->frame[byte / 4u] >> (byte % 4u * 8u) & 0xFFu;
}

enum {
  COMMAND = 2,
  FEATURES = 3,
  LBA = 4,
  DEVICE = 7,
  LBA_EXT = 8,
  FEATURES_EXT = 11,
  COUNT = 12,
  COUNT_EXT = 13,
  CONTROL = 15,
};

static void put_command_ext(struct fw_page* page, uint32_t at, const struct fw_past_command* command) {
  static const uint8_t kBytes[] = {CONTROL, FEATURES,    FEATURES_EXT, COUNT,       COUNT_EXT, LBA,    LBA_EXT,
                                   LBA + 1, LBA_EXT + 1, LBA + 2,      LBA_EXT + 2, DEVICE,    COMMAND};
  for (uint32_t i = 0; i < sizeof kBytes; ++i) fw_page_byte(page, at + i, frame_byte(command, kBytes[i]));
  fw_page_bytes(page, at + 14u, command->ms, 4);
}

static void put_command(struct fw_page* page, uint32_t at, const struct fw_past_command* command) {
  static const uint8_t kBytes[] = {CONTROL, FEATURES, COUNT, LBA, LBA + 1, LBA + 2, DEVICE, COMMAND};
  for (uint32_t i = 0; i < sizeof kBytes; ++i) fw_page_byte(page, at + i, frame_byte(command, kBytes[i]));
  fw_page_bytes(page, at + 8u, command->ms, 4);
}

static void put_entry_ext(struct fw_page* page, uint32_t at, const struct fw_error_entry* entry) {
  for (uint32_t i = 0; i < FW_ERROR_COMMANDS; ++i)
    put_command_ext(page, at + COMMAND_BYTES_EXT * i, &entry->command[FW_ERROR_COMMANDS - 1u - i]);
  at += COMMAND_BYTES_EXT * FW_ERROR_COMMANDS;
  fw_page_byte(page, at + 1u, entry->error);
  fw_page_bytes(page, at + 2u, entry->count, 2);
  for (uint32_t i = 0; i < 3u; ++i) {  // LBA 7:0, 31:24, 15:8, 39:32, 23:16, 47:40
    fw_page_byte(page, at + 4u + 2u * i, (uint32_t)(entry->lba >> (8u * i)));
    fw_page_byte(page, at + 5u + 2u * i, (uint32_t)(entry->lba >> (24u + 8u * i)));
  }
  fw_page_byte(page, at + 10u, entry->device);
  fw_page_byte(page, at + 11u, entry->status);
  fw_page_byte(page, at + 31u, entry->state);
  fw_page_bytes(page, at + 32u, entry->hours, 2);
}

static void put_entry(struct fw_page* page, uint32_t at, const struct fw_error_entry* entry) {
  for (uint32_t i = 0; i < FW_ERROR_COMMANDS; ++i)
    put_command(page, at + COMMAND_BYTES * i, &entry->command[FW_ERROR_COMMANDS - 1u - i]);
  at += COMMAND_BYTES * FW_ERROR_COMMANDS;
  fw_page_byte(page, at + 1u, entry->error);
  fw_page_byte(page, at + 2u, entry->count);
  fw_page_bytes(page, at + 3u, entry->lba, 3);
  fw_page_byte(page, at + 6u, (entry->device & 0xF0u) | ((uint32_t)(entry->lba >> 24) & 0xFu));
  fw_page_byte(page, at + 7u, entry->status);
  fw_page_byte(page, at + 27u, entry->state);
  fw_page_bytes(page, at + 28u, entry->hours, 2);
}

// Where a log of that many entries has the newest one, from 1 on; 0: there is none.
static uint32_t newest(const struct fw_saved* saved, uint32_t entries) {
  return saved->errors == 0 ? 0u : (saved->errors - 1u) % entries + 1u;
}

// The error that the slot of a log of `entries` holds. Null: none yet.
static const struct fw_error_entry* in_slot(const struct fw_saved* saved, uint32_t slot, uint32_t entries) {
  for (uint32_t age = 0; age < entries && age < saved->errors; ++age) {
    const uint32_t n = saved->errors - 1u - age;
    if (n % entries == slot) return &saved->error[n % FW_ERROR_ENTRIES];
  }
  return 0;
}

// Log 03h.
void fw_error_extended(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)log;
  const struct fw_saved* const saved = &ctx->saved;
  fw_page_byte(page, 0, VERSION);
  fw_page_bytes(page, 2, newest(saved, FW_ERROR_ENTRIES), 2);
  for (uint32_t i = 0; i < ENTRIES_EXT; ++i) {
    const struct fw_error_entry* const entry = in_slot(saved, number * ENTRIES_EXT + i, FW_ERROR_ENTRIES);
    if (entry != 0) put_entry_ext(page, 4u + ENTRY_BYTES_EXT * i, entry);
  }
  fw_page_bytes(page, 500, saved->errors, 2);
  fw_page_check(page);
}

static void build_28(const struct fw_saved* saved, uint32_t first, uint32_t entries, struct fw_page* page) {
  fw_page_byte(page, 0, VERSION);
  fw_page_byte(page, 1, newest(saved, entries));
  for (uint32_t i = 0; i < ENTRIES; ++i) {
    const struct fw_error_entry* const entry = in_slot(saved, first + i, entries);
    if (entry != 0) put_entry(page, 2u + ENTRY_BYTES * i, entry);
  }
  fw_page_bytes(page, 452, saved->errors, 2);
  fw_page_check(page);
}

// Log 01h.
void fw_error_summary(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)log;
  (void)number;
  build_28(&ctx->saved, 0, ENTRIES, page);
}

// Log 02h.
void fw_error_comprehensive(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)log;
  build_28(&ctx->saved, number * ENTRIES, FW_ERROR_ENTRIES, page);
}
