// SMART attributes: raw values are counts of the drive's life; normalised values follow from them by a rule each, from
// 100 (as new) down to 1. docs/reference/ata.md has the table.
#include "smart/smart.h"

#define REVISION 16u  // of the data structure (SFF-8035i, ATA/ATAPI-4)

// Flags (SFF-8035i; bits 2 to 5 as vendors use them).
#define PREFAILURE 0x01u
#define ONLINE 0x02u
#define PERFORMANCE 0x04u
#define RATE 0x08u
#define COUNT 0x10u
#define KEPT 0x20u

// How a value follows from the raw one.
enum rule {
  RULE_NONE,      // always 100
  RULE_EACH,      // less 1 for each
  RULE_SHARE,     // less 99 at `limit`, in proportion
  RULE_READS,     // less 1 for each in `limit` sectors read
  RULE_COMMANDS,  // less 1 for each in `limit` commands
  RULE_CELSIUS,   // less the temperature
};

enum drives { EVERY, SPINDLE, SENSOR };  // all, with a disk stack, with a temperature sensor

struct attribute {
  uint8_t id;
  uint8_t flags;
  uint8_t threshold;
  uint8_t rule;
  uint8_t drives;  // enum drives that have it
  uint8_t slot;    // in fw_saved.worst: a new attribute gets the next one, and none changes
  uint32_t limit;
};

enum {
  READ_ERROR_RATE = 1,
  SPIN_UP_TIME = 3,
  START_STOP_COUNT = 4,
  REALLOCATED_SECTORS = 5,
  SEEK_ERROR_RATE = 7,
  POWER_ON_HOURS = 9,
  SPIN_RETRY_COUNT = 10,
  POWER_CYCLES = 12,
  REPORTED_UNCORRECTABLE = 187,
  COMMAND_TIMEOUTS = 188,
  AIRFLOW_TEMPERATURE = 190,
  RETRACT_COUNT = 192,
  LOAD_CYCLES = 193,
  TEMPERATURE = 194,
  REALLOCATION_EVENTS = 196,
  PENDING_SECTORS = 197,
  OFFLINE_UNCORRECTABLE = 198,
  CRC_ERRORS = 199,
  HEAD_FLYING_HOURS = 240,
  SECTORS_WRITTEN = 241,
  SECTORS_READ = 242,
};

static const struct attribute kAttributes[] = {
    {READ_ERROR_RATE, PREFAILURE | ONLINE | PERFORMANCE | RATE, 6, RULE_READS, EVERY, 0, 1u << 20},
    {SPIN_UP_TIME, PREFAILURE | ONLINE, 21, RULE_SHARE, SPINDLE, 1, 60000},
    {START_STOP_COUNT, ONLINE | COUNT | KEPT, 20, RULE_SHARE, SPINDLE, 2, 50000},
    {REALLOCATED_SECTORS, PREFAILURE | ONLINE | COUNT | KEPT, 10, RULE_SHARE, EVERY, 3, 2048},
    {SEEK_ERROR_RATE, PREFAILURE | ONLINE | PERFORMANCE | RATE, 30, RULE_COMMANDS, EVERY, 4, 10000},
    {POWER_ON_HOURS, ONLINE | COUNT | KEPT, 0, RULE_SHARE, EVERY, 5, 73000},
    {SPIN_RETRY_COUNT, PREFAILURE | ONLINE | COUNT, 97, RULE_EACH, SPINDLE, 6, 0},
    {POWER_CYCLES, ONLINE | COUNT | KEPT, 20, RULE_SHARE, EVERY, 7, 50000},
    {REPORTED_UNCORRECTABLE, ONLINE | COUNT | KEPT, 0, RULE_EACH, EVERY, 8, 0},
    {COMMAND_TIMEOUTS, ONLINE | COUNT | KEPT, 0, RULE_EACH, EVERY, 9, 0},
    {AIRFLOW_TEMPERATURE, ONLINE | KEPT, 45, RULE_CELSIUS, SENSOR, 19, 0},
    {RETRACT_COUNT, ONLINE | COUNT | KEPT, 0, RULE_SHARE, EVERY, 10, 20000},
    {LOAD_CYCLES, ONLINE | COUNT | KEPT, 0, RULE_SHARE, SPINDLE, 11, 600000},
    {TEMPERATURE, ONLINE | KEPT, 0, RULE_CELSIUS, SENSOR, 20, 0},
    {REALLOCATION_EVENTS, ONLINE | COUNT | KEPT, 0, RULE_EACH, EVERY, 12, 0},
    {PENDING_SECTORS, ONLINE | COUNT, 0, RULE_EACH, EVERY, 13, 0},
    {OFFLINE_UNCORRECTABLE, COUNT, 0, RULE_EACH, EVERY, 14, 0},
    {CRC_ERRORS, ONLINE | PERFORMANCE | RATE | COUNT | KEPT, 0, RULE_EACH, EVERY, 15, 0},
    {HEAD_FLYING_HOURS, 0, 0, RULE_NONE, SPINDLE, 16, 0},
    {SECTORS_WRITTEN, 0, 0, RULE_NONE, EVERY, 17, 0},
    {SECTORS_READ, 0, 0, RULE_NONE, EVERY, 18, 0},
};

#define ATTRIBUTES (sizeof kAttributes / sizeof kAttributes[0])
_Static_assert(ATTRIBUTES <= FW_MAX_ATTRIBUTES, "more than the page has room for");

static uint64_t hours(uint64_t us) {
  return us / 3600000000u;
}

// Three words: the temperature now, the lowest and the highest.
static uint64_t temperatures(int8_t now, int8_t lowest, int8_t highest) {
  return (uint64_t)(uint16_t)now | (uint64_t)(uint16_t)lowest << 16 | (uint64_t)(uint16_t)highest << 32;
}

static uint64_t raw_of(struct fw_context* ctx, uint32_t id) {
  switch (id) {
    case READ_ERROR_RATE:
      return fw_life(ctx, FW_LIFE_READ_FAILURES);
    case SPIN_UP_TIME:
      return ctx->saved.spin_up_ms;
    case START_STOP_COUNT:
      return fw_life(ctx, FW_LIFE_STARTS);
    case REALLOCATED_SECTORS:
      return fw_life(ctx, FW_LIFE_REALLOCATED) / ctx->drive.physical_sectors;
    case SEEK_ERROR_RATE:
      return fw_life(ctx, FW_LIFE_OFF_TRACK);
    case POWER_ON_HOURS:
      return hours(fw_life(ctx, FW_LIFE_ON_US));
    case SPIN_RETRY_COUNT:
      return fw_life(ctx, FW_LIFE_START_RETRIES);
    case POWER_CYCLES:
      return fw_life(ctx, FW_LIFE_POWER_CYCLES);
    case REPORTED_UNCORRECTABLE:
      return fw_life(ctx, FW_LIFE_UNCORRECTABLE);
    case COMMAND_TIMEOUTS:
      return fw_life(ctx, FW_LIFE_TIMEOUTS);
    case AIRFLOW_TEMPERATURE:
      return temperatures(ctx->thermal.now, ctx->thermal.lowest, ctx->thermal.highest);
    case TEMPERATURE:
      return temperatures(ctx->thermal.now, ctx->saved.heat.lowest, ctx->saved.heat.highest);
    case RETRACT_COUNT:
      return fw_life(ctx, FW_LIFE_RETRACTS);
    case LOAD_CYCLES:
      return fw_life(ctx, FW_LIFE_LOADS);
    case REALLOCATION_EVENTS:
      return fw_life(ctx, FW_LIFE_REALLOCATIONS);
    case PENDING_SECTORS:
      return ctx->defects.pending_count;
    case OFFLINE_UNCORRECTABLE:
      return fw_life(ctx, FW_LIFE_FOUND_UNREADABLE);
    case CRC_ERRORS:
      return fw_life(ctx, FW_LIFE_LINK_ERRORS);
    case HEAD_FLYING_HOURS:
      return hours(fw_life(ctx, FW_LIFE_TURNING_US));
    case SECTORS_WRITTEN:
      return fw_life(ctx, FW_LIFE_SECTORS_WRITTEN) / ctx->drive.logical_sectors;
    case SECTORS_READ:
      return fw_life(ctx, FW_LIFE_SECTORS_READ) / ctx->drive.logical_sectors;
    default:
      return 0;
  }
}

static uint64_t less(struct fw_context* ctx, const struct attribute* attribute, uint64_t raw) {
  const uint64_t limit = attribute->limit;
  switch (attribute->rule) {
    case RULE_EACH:
      return raw;
    case RULE_SHARE:
      return raw > limit ? 99u : raw * 99u / limit;
    case RULE_READS:
      return raw * limit / (fw_life(ctx, FW_LIFE_SECTORS_READ) + limit);
    case RULE_COMMANDS:
      return raw * limit / (fw_life(ctx, FW_LIFE_READS) + fw_life(ctx, FW_LIFE_WRITES) + limit);
    case RULE_CELSIUS:
      return ctx->thermal.now > 0 ? (uint64_t)ctx->thermal.now : 0u;
    default:
      return 0;
  }
}

static uint8_t value_of(struct fw_context* ctx, const struct attribute* attribute, uint64_t raw) {
  if (attribute->id == REALLOCATED_SECTORS && ctx->defects.spares_out) return 1;
  const uint64_t minus = less(ctx, attribute, raw);
  return minus >= 99u ? 1u : (uint8_t)(100u - minus);
}

static bool has(const struct fw_context* ctx, const struct attribute* attribute) {
  if (attribute->drives == SENSOR) return ctx->thermal.known;
  return attribute->drives == EVERY || ctx->drive.stacks != 0;
}

static uint8_t worst_of(struct fw_context* ctx, const struct attribute* attribute, uint8_t value) {
  uint8_t* const worst = &ctx->saved.worst[attribute->slot];
  if (*worst == 0 || value < *worst) *worst = value;
  return *worst;
}

void fw_smart_keep_worst(struct fw_context* ctx) {
  for (uint32_t i = 0; i < ATTRIBUTES; ++i) {
    const struct attribute* const attribute = &kAttributes[i];
    if (attribute->drives == SENSOR && !has(ctx, attribute)) continue;
    worst_of(ctx, attribute, value_of(ctx, attribute, raw_of(ctx, attribute->id)));
  }
}

bool fw_smart_failing(struct fw_context* ctx) {
  for (uint32_t i = 0; i < ATTRIBUTES; ++i) {
    const struct attribute* const attribute = &kAttributes[i];
    if ((attribute->flags & PREFAILURE) == 0 || !has(ctx, attribute)) continue;
    if (value_of(ctx, attribute, raw_of(ctx, attribute->id)) <= attribute->threshold) return true;
  }
  return false;
}

#define OFFLINE_CAPABILITY 0x5Bu  // immediate, automatic, suspended by commands, read scan, self-tests, selective
#define SMART_CAPABILITY 0x0003u  // saved before a power mode and by autosave
#define ERROR_LOGGING 0x01u
#define SHORT_MINUTES 2u

static void put_times(struct fw_context* ctx, struct fw_page* page) {
  const uint32_t seconds = fw_test_extended_s(ctx);
  const uint32_t minutes = (seconds + 59u) / 60u;
  fw_page_bytes(page, 364, seconds < 0xFFFFu ? seconds : 0xFFFFu, 2);
  fw_page_byte(page, 372, SHORT_MINUTES);
  fw_page_byte(page, 373, minutes < 0xFFu ? minutes : 0xFFu);
  if (minutes >= 0xFFu) fw_page_bytes(page, 375, minutes < 0xFFFFu ? minutes : 0xFFFFu, 2);
}

// SMART READ DATA.
void fw_smart_data(struct fw_context* ctx, uint32_t what, uint32_t number, struct fw_page* page) {
  (void)what;
  (void)number;
  fw_page_bytes(page, 0, REVISION, 2);
  uint32_t at = 2;
  for (uint32_t i = 0; i < ATTRIBUTES; ++i) {
    const struct attribute* const attribute = &kAttributes[i];
    if (!has(ctx, attribute)) continue;
    const uint64_t raw = raw_of(ctx, attribute->id);
    const uint8_t value = value_of(ctx, attribute, raw);
    fw_page_byte(page, at, attribute->id);
    fw_page_bytes(page, at + 1u, attribute->flags, 2);
    fw_page_byte(page, at + 3u, value);
    fw_page_byte(page, at + 4u, worst_of(ctx, attribute, value));
    fw_page_bytes(page, at + 5u, raw, 6);
    at += 12u;
  }
  fw_page_byte(page, 362, fw_test_offline_status(ctx));
  fw_page_byte(page, 363, fw_test_status(ctx));
  fw_page_byte(page, 367, OFFLINE_CAPABILITY);
  fw_page_bytes(page, 368, SMART_CAPABILITY, 2);
  fw_page_byte(page, 370, ERROR_LOGGING);
  put_times(ctx, page);
  fw_page_check(page);
}

// SMART READ THRESHOLDS.
void fw_smart_thresholds(struct fw_context* ctx, uint32_t what, uint32_t number, struct fw_page* page) {
  (void)what;
  (void)number;
  fw_page_bytes(page, 0, REVISION, 2);
  uint32_t at = 2;
  for (uint32_t i = 0; i < ATTRIBUTES; ++i) {
    if (!has(ctx, &kAttributes[i])) continue;
    fw_page_byte(page, at, kAttributes[i].id);
    fw_page_byte(page, at + 1u, kAttributes[i].threshold);
    at += 12u;
  }
  fw_page_check(page);
}
