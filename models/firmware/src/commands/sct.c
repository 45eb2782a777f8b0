// SMART command transport (ACS-3, 8.): status in log E0h, commands written to it. Error recovery control sets the time
// after which the channels give a sector up (the retry ladder's limit); a write's is kept and has no effect, because a
// write that fails finds a spare.
#include "commands/commands.h"

#define ACTION_ERROR_RECOVERY 3u
#define ACTION_DATA_TABLE 5u
#define FUNCTION_READ_TABLE 1u
#define TABLE_TEMPERATURE 2u
#define FUNCTION_SET 1u
#define FUNCTION_RETURN 2u
#define SELECT_READ 1u
#define SELECT_WRITE 2u
#define MS_PER_UNIT 100u

#define FORMAT 3u  // version of the status page
#define SCT_VERSION 0x100u
#define STATE_ACTIVE 0u
#define STATE_STANDBY 1u
#define STATE_SELF_TEST 3u
#define STATE_OFFLINE 4u
#define NO_TEMPERATURE 0x80u
#define NO_STATUS 0u
#define BAD_FUNCTION 0x0002u  // extended status codes (ACS-3, 8.2.5)
#define BAD_SELECTION 0x0003u
#define BAD_ACTION 0x0001u

bool fw_sct_known(const struct fw_context* ctx) {
  return ctx->ladder_known;
}

static uint32_t device_state(const struct fw_context* ctx) {
  if (ctx->smart.testing) return ctx->smart.number == FW_TEST_OFFLINE ? STATE_OFFLINE : STATE_SELF_TEST;
  const bool standby = ctx->power == FW_POWER_STANDBY || ctx->power == FW_POWER_SPIN_DOWN;
  return standby ? STATE_STANDBY : STATE_ACTIVE;
}

// Log E0h, read.
void fw_sct_status(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)log;
  (void)number;
  page->dwords[0] = FORMAT | SCT_VERSION << 16;
  page->dwords[2] = device_state(ctx) << 16;          // byte 10
  page->dwords[3] = (uint32_t)ctx->sct.status << 16;  // bytes 14 and 15
  page->dwords[4] = (uint32_t)ctx->sct.action | (uint32_t)ctx->sct.function << 16;
  page->dwords[50] = NO_TEMPERATURE | NO_TEMPERATURE << 8 | NO_TEMPERATURE << 16 | NO_TEMPERATURE << 24;  // byte 200
  page->dwords[51] = NO_TEMPERATURE;
}

static void answer(struct fw_context* ctx, uint16_t status) {
  ctx->sct.status = status;
  if (status == NO_STATUS)
    fw_unqueued_status(ctx, ATA_STATUS_READY, 0, 0);
  else
    fw_unqueued_status(ctx, ATA_STATUS_ERROR, ATA_ERROR_ABRT, 0);
}

static void set_limit(struct fw_context* ctx, bool write, uint32_t units) {
  ctx->sct.limit[write ? 1 : 0] = (uint16_t)units;
  if (write) return;
  for (uint32_t channel = 0; channel < ctx->channels; ++channel) fw_channel_ladder(ctx, channel, units * MS_PER_UNIT);
}

static void error_recovery(struct fw_context* ctx, uint32_t function, uint32_t selection, uint32_t units) {
  if (selection != SELECT_READ && selection != SELECT_WRITE) {
    answer(ctx, BAD_SELECTION);
    return;
  }
  const bool write = selection == SELECT_WRITE;
  if (function == FUNCTION_SET) {
    set_limit(ctx, write, units);
    answer(ctx, NO_STATUS);
  } else if (function == FUNCTION_RETURN) {
    const uint32_t limit = ctx->sct.limit[write ? 1 : 0];
    ctx->sct.status = NO_STATUS;
    fw_unqueued_answer(ctx, 0, limit & 0xFFu, limit >> 8);
  } else {
    answer(ctx, BAD_FUNCTION);
  }
}

// Log E1h: the temperature history, in which no temperature is known: 128 of them, one a minute.
#define HISTORY_FORMAT 2u
#define HISTORY_ENTRIES 128u

void fw_sct_table(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)ctx;
  (void)log;
  (void)number;
  fw_page_bytes(page, 0, HISTORY_FORMAT, 2);
  fw_page_bytes(page, 2, 1u, 2);  // minutes between two samples,
  fw_page_bytes(page, 4, 1u, 2);  // and between two entries
  for (uint32_t limit = 6; limit < 10u; ++limit) fw_page_byte(page, limit, NO_TEMPERATURE);
  fw_page_bytes(page, 30, HISTORY_ENTRIES, 2);
  for (uint32_t i = 0; i < HISTORY_ENTRIES; ++i) fw_page_byte(page, 34u + i, NO_TEMPERATURE);
}

// The last command has asked for a table, which log E1h has from then on.
bool fw_sct_has_table(struct fw_context* ctx) {
  return ctx->sct.action == ACTION_DATA_TABLE && ctx->sct.status == NO_STATUS;
}

static void data_table(struct fw_context* ctx, uint32_t function, uint32_t table) {
  if (function != FUNCTION_READ_TABLE)
    answer(ctx, BAD_FUNCTION);
  else if (table != TABLE_TEMPERATURE)
    answer(ctx, BAD_SELECTION);
  else
    answer(ctx, NO_STATUS);
}

// Log E0h, written: its page is in the buffer.
void fw_sct_command(struct fw_context* ctx) {
  const uint32_t first = fw_ram_read(ctx, fw_system_address(ctx));
  const uint32_t second = fw_ram_read(ctx, fw_system_address(ctx) + 4u);
  ctx->sct.action = (uint16_t)first;
  ctx->sct.function = (uint16_t)(first >> 16);
  if (ctx->sct.action == ACTION_ERROR_RECOVERY && fw_sct_known(ctx))
    error_recovery(ctx, ctx->sct.function, second & 0xFFFFu, second >> 16);
  else if (ctx->sct.action == ACTION_DATA_TABLE)
    data_table(ctx, ctx->sct.function, second & 0xFFFFu);
  else
    answer(ctx, BAD_ACTION);
}

void fw_sct_reset(struct fw_context* ctx, uint32_t limit_ms) {
  ctx->ladder_known = true;
  ctx->sct.limit[0] = (uint16_t)((limit_ms + MS_PER_UNIT - 1u) / MS_PER_UNIT);
}
