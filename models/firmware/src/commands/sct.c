// SMART command transport (ACS-3, 8.): status in log E0h, commands written to it, their data in log E1h. Error recovery
// control sets the time after which the channels give up on a sector (the retry ladder's limit); the limit for writes
// is stored without effect, because a failed write gets a spare. The settings last until the drive is switched off.
#include "commands/commands.h"

enum { ERROR_RECOVERY = 3, FEATURE_CONTROL = 4, DATA_TABLE = 5 };  // action codes
enum { FUNCTION_SET = 1, FUNCTION_RETURN = 2, FUNCTION_OPTIONS = 3 };
enum { SELECT_READ = 1, SELECT_WRITE = 2 };
enum { FEATURE_WRITE_CACHE = 1, FEATURE_REORDERING = 2, FEATURE_INTERVAL = 3 };
enum { CACHE_AS_SET = 1, CACHE_ON = 2, CACHE_OFF = 3 };
enum { REORDERING_ON = 1, REORDERING_OFF = 2 };
#define TABLE_TEMPERATURE 2u
#define MS_PER_UNIT 100u

#define FORMAT 3u  // version of the status page
#define SCT_VERSION 0x100u
#define SCT_SPECIFICATION 1u
#define STATE_ACTIVE 0u
#define STATE_STANDBY 1u
#define STATE_SELF_TEST 3u
#define STATE_OFFLINE 4u
#define NO_TEMPERATURE 0x80u
#define TABLE_FORMAT 2u
#define TABLE_ENTRIES FW_TEMPERATURES

// Extended status codes (ACS-3, 8.2.5).
#define NO_STATUS 0u
#define BAD_RECOVERY_FUNCTION 0x0004u
#define BAD_SELECTION 0x0005u
#define BAD_FEATURE_FUNCTION 0x000Cu
#define BAD_FEATURE 0x000Du
#define BAD_STATE 0x000Eu
#define BAD_OPTIONS 0x000Fu
#define BAD_ACTION 0x0010u
#define BAD_TABLE 0x0011u
#define BAD_TABLE_FUNCTION 0x0001u

bool fw_sct_known(const struct fw_context* ctx) {
  return ctx->host.ladder_known;
}

static uint32_t device_state(const struct fw_context* ctx) {
  if (ctx->smart.testing) return ctx->smart.number == FW_TEST_OFFLINE ? STATE_OFFLINE : STATE_SELF_TEST;
  const uint32_t condition = fw_condition_reached(ctx);
  const bool standby = condition == FW_CONDITION_STANDBY_Y || condition == FW_CONDITION_STANDBY;
  return standby ? STATE_STANDBY : STATE_ACTIVE;
}

static void put_celsius(struct fw_page* page, uint32_t byte, int8_t celsius) {
  fw_page_byte(page, byte, (uint8_t)celsius);
}

static void put_temperatures(struct fw_context* ctx, struct fw_page* page) {
  const struct fw_thermal* const heat = &ctx->thermal;
  if (!heat->known) {
    for (uint32_t byte = 200; byte < 206u; ++byte) fw_page_byte(page, byte, NO_TEMPERATURE);
    return;
  }
  put_celsius(page, 200, heat->now);
  put_celsius(page, 201, heat->lowest);
  put_celsius(page, 202, heat->highest);
  put_celsius(page, 203, ctx->saved.heat.lowest);
  put_celsius(page, 204, ctx->saved.heat.highest);
  put_celsius(page, 205, heat->most);
  fw_page_bytes(page, 206, heat->over, 4);
  fw_page_bytes(page, 210, heat->under, 4);
}

// Log E0h, read.
void fw_sct_status(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)log;
  (void)number;
  page->dwords[0] = FORMAT | SCT_VERSION << 16;
  page->dwords[1] = SCT_SPECIFICATION;
  page->dwords[2] = device_state(ctx) << 16;               // byte 10
  page->dwords[3] = (uint32_t)ctx->host.sct.status << 16;  // bytes 14 and 15
  page->dwords[4] = (uint32_t)ctx->host.sct.action | (uint32_t)ctx->host.sct.function << 16;
  put_temperatures(ctx, page);
}

struct fw_sct_command {
  uint16_t function, first, second, third;  // words 1 to 4 of its page
};

static void answer(struct fw_context* ctx, uint16_t status) {
  ctx->host.sct.status = status;
  if (status == NO_STATUS)
    fw_unqueued_status(ctx, ATA_STATUS_READY, 0, 0);
  else
    fw_unqueued_status(ctx, ATA_STATUS_ERROR, ATA_ERROR_ABRT, 0);
}

// Answers a value in the count and, bits 15:8, in the LBA.
static void answer_value(struct fw_context* ctx, uint32_t value) {
  ctx->host.sct.status = NO_STATUS;
  fw_unqueued_answer(ctx, 0, value & 0xFFu, value >> 8);
}

static void set_limit(struct fw_context* ctx, bool write, uint32_t units) {
  ctx->host.sct.limit[write ? 1 : 0] = (uint16_t)units;
  if (write) return;
  for (uint32_t channel = 0; channel < ctx->drive.channels; ++channel)
    fw_channel_ladder(ctx, channel, units * MS_PER_UNIT);
}

static void error_recovery(struct fw_context* ctx, uint32_t function, uint32_t selection, uint32_t units) {
  const bool write = selection == SELECT_WRITE;
  if (function != FUNCTION_SET && function != FUNCTION_RETURN) {
    answer(ctx, BAD_RECOVERY_FUNCTION);
  } else if (selection != SELECT_READ && selection != SELECT_WRITE) {
    answer(ctx, BAD_SELECTION);
  } else if (function == FUNCTION_SET) {
    set_limit(ctx, write, units);
    answer(ctx, NO_STATUS);
  } else {
    answer_value(ctx, ctx->host.sct.limit[write ? 1 : 0]);
  }
}

// A forced write cache ignores SET FEATURES.
static void force_write_cache(struct fw_context* ctx, uint32_t state) {
  ctx->host.sct.cache = (uint8_t)state;
  const bool before = ctx->host.write_cache;
  if (state != CACHE_AS_SET) ctx->host.write_cache = state == CACHE_ON && ctx->buffer.line_share;
  ctx->host.sct.status = NO_STATUS;
  if (before && !ctx->host.write_cache)
    fw_flush(ctx, false);  // ends when everything is on the media
  else
    answer(ctx, NO_STATUS);
}

// Off: only the oldest written data wait for an arm.
static void set_reordering(struct fw_context* ctx, uint32_t state) {
  const bool off = state == REORDERING_OFF;
  ctx->host.sct.reorder = (uint8_t)state;
  fw_destage_order(ctx, off ? 1u : ctx->host.sct.candidates, !off && ctx->host.sct.ascending);
  fw_due(ctx, FW_DUE_DESTAGE);
}

static uint32_t feature_state(const struct fw_context* ctx, uint32_t feature) {
  if (feature == FEATURE_INTERVAL) return ctx->host.sct.interval;
  return feature == FEATURE_REORDERING ? ctx->host.sct.reorder : ctx->host.sct.cache;
}

static void set_interval(struct fw_context* ctx, uint32_t minutes) {
  ctx->host.sct.interval = (uint16_t)minutes;
  if (ctx->thermal.known) fw_thermal_forget(ctx);
}

static void set_feature(struct fw_context* ctx, uint32_t feature, uint32_t state, uint32_t options) {
  if (options != 0) {  // no state survives power-off
    answer(ctx, BAD_OPTIONS);
  } else if (feature == FEATURE_INTERVAL) {
    if (state != 0) set_interval(ctx, state);
    answer(ctx, state != 0 ? NO_STATUS : BAD_STATE);
  } else if (feature == FEATURE_REORDERING) {
    const bool known = state == REORDERING_ON || state == REORDERING_OFF;
    if (known) set_reordering(ctx, state);
    answer(ctx, known ? NO_STATUS : BAD_STATE);
  } else if (state == CACHE_AS_SET || (state == CACHE_ON && ctx->buffer.line_share) || state == CACHE_OFF) {
    force_write_cache(ctx, state);
  } else {
    answer(ctx, BAD_STATE);
  }
}

static void feature_control(struct fw_context* ctx, const struct fw_sct_command* command) {
  if (command->function == 0 || command->function > FUNCTION_OPTIONS)
    answer(ctx, BAD_FEATURE_FUNCTION);
  else if (command->first < FEATURE_WRITE_CACHE || command->first > FEATURE_INTERVAL)
    answer(ctx, BAD_FEATURE);
  else if (command->function == FUNCTION_SET)
    set_feature(ctx, command->first, command->second, command->third);
  else if (command->function == FUNCTION_OPTIONS)
    answer_value(ctx, 0);
  else
    answer_value(ctx, feature_state(ctx, command->first));
}

static void data_table(struct fw_context* ctx, const struct fw_sct_command* command) {
  const bool known = command->function == 1u && command->first == TABLE_TEMPERATURE;
  ctx->host.sct.data = known;
  answer(ctx, known ? NO_STATUS : command->function != 1u ? BAD_TABLE_FUNCTION : BAD_TABLE);
}

// Log E1h has the data of the last command, if that has any.
bool fw_sct_has_data(struct fw_context* ctx) {
  return ctx->host.sct.data;
}

// Limits, and the history as a ring of which every place that holds nothing yet says so.
static void put_history(struct fw_context* ctx, struct fw_page* page) {
  const struct fw_thermal* const heat = &ctx->thermal;
  put_celsius(page, 6, heat->most);
  put_celsius(page, 7, heat->most);
  put_celsius(page, 8, heat->least);
  put_celsius(page, 9, heat->least);
  fw_page_bytes(page, 32, heat->newest, 2);
  for (uint32_t age = 0; age < heat->entries; ++age) {
    const uint32_t place = (heat->newest + TABLE_ENTRIES - age) % TABLE_ENTRIES;
    put_celsius(page, 34u + place, heat->history[place]);
  }
}

// The temperature history; without a sensor no temperature is known.
void fw_sct_data(struct fw_context* ctx, uint32_t log, uint32_t number, struct fw_page* page) {
  (void)log;
  (void)number;
  page->dwords[0] = TABLE_FORMAT | 1u << 16;  // minutes between two samples
  page->dwords[1] = ctx->host.sct.interval | NO_TEMPERATURE << 16 | NO_TEMPERATURE << 24;
  page->dwords[2] = NO_TEMPERATURE | NO_TEMPERATURE << 8;
  page->dwords[7] = TABLE_ENTRIES << 16;
  page->dwords[8] = (TABLE_ENTRIES - 1u) | NO_TEMPERATURE << 16 | NO_TEMPERATURE << 24;
  for (uint32_t entry = 2; entry < TABLE_ENTRIES; ++entry)
    page->dwords[(34u + entry) / 4u] |= NO_TEMPERATURE << ((34u + entry) % 4u * 8u);
  if (ctx->thermal.known) put_history(ctx, page);
  ctx->host.sct.data = false;
}

// Log E0h, written: its page is in the buffer.
void fw_sct_command(struct fw_context* ctx) {
  uint32_t dwords[3];
  for (uint32_t i = 0; i < 3u; ++i) dwords[i] = fw_ram_read(ctx, fw_system_address(ctx) + 4u * i);
  const struct fw_sct_command command = {.function = (uint16_t)(dwords[0] >> 16),
                                         .first = (uint16_t)dwords[1],
                                         .second = (uint16_t)(dwords[1] >> 16),
                                         .third = (uint16_t)dwords[2]};
  ctx->host.sct.action = (uint16_t)dwords[0];
  ctx->host.sct.function = command.function;
  ctx->host.sct.data = false;
  if (ctx->host.sct.action == ERROR_RECOVERY && fw_sct_known(ctx))
    error_recovery(ctx, command.function, command.first, command.second);
  else if (ctx->host.sct.action == FEATURE_CONTROL)
    feature_control(ctx, &command);
  else if (ctx->host.sct.action == DATA_TABLE)
    data_table(ctx, &command);
  else
    answer(ctx, BAD_ACTION);
}

// SET FEATURES cannot change the write cache.
bool fw_sct_forces_cache(const struct fw_context* ctx) {
  return ctx->host.sct.cache != CACHE_AS_SET;
}

void fw_sct_reset(struct fw_context* ctx) {
  ctx->host.sct.cache = CACHE_AS_SET;
  ctx->host.sct.reorder = REORDERING_ON;
  ctx->host.sct.candidates = ctx->destage.candidates;
  ctx->host.sct.ascending = ctx->destage.ascending;
  ctx->host.sct.interval = 1u;
}

void fw_sct_ladder(struct fw_context* ctx, uint32_t limit_ms) {
  ctx->host.ladder_known = true;
  ctx->host.sct.limit[0] = (uint16_t)((limit_ms + MS_PER_UNIT - 1u) / MS_PER_UNIT);
}
