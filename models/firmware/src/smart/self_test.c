// Self-tests and off-line reads. Both read the media while no command is under way (jobs/scan.c), and go on where
// a command has interrupted them; in captive mode the command itself waits for the end.
//
//   off-line    the whole disk; sectors that cannot be read are counted
//   short       spans of 1 MiB, evenly over the disk
//   extended    the whole disk
//   selective   up to five spans of the host's, and the rest of the disk if the host wants that
//
// A self-test ends with the first sector that cannot be read.
#include "smart/smart.h"

#define SHORT_SPANS 16u
#define SHORT_SECTORS 2048u
#define CAPTIVE_US 1u
#define AUTO_OFFLINE_US 14400000000u  // four hours (SFF-8035i)
#define FLAG_REST 0x0002u             // of the selective self-test log

#define OFFLINE_NEVER 0x00u  // off-line data collection status
#define OFFLINE_DONE 0x02u
#define OFFLINE_UNDER_WAY 0x03u
#define OFFLINE_SUSPENDED 0x04u
#define OFFLINE_ABORTED 0x05u
#define OFFLINE_AUTOMATIC 0x80u

static uint32_t segments_of(const struct fw_context* ctx, uint32_t number) {
  if (number == FW_TEST_SELECTIVE) return FW_TEST_SPANS;
  return number == FW_TEST_SHORT && ctx->drive.capacity > SHORT_SPANS * SHORT_SECTORS ? SHORT_SPANS : 1u;
}

// False: the span is empty.
static bool bounds(const struct fw_context* ctx, uint32_t segment, uint64_t* lba, uint64_t* end) {
  const struct fw_smart* const smart = &ctx->smart;
  *lba = 0;
  *end = ctx->drive.capacity;
  if (smart->rest_of_disk) return true;
  if (smart->number == FW_TEST_SELECTIVE) {
    const uint64_t* const span = ctx->saved.span[segment];
    *lba = span[0] * ctx->drive.logical_sectors;
    *end = (span[1] + 1u) * ctx->drive.logical_sectors;
    return span[0] != 0 || span[1] != 0;
  }
  if (smart->segments > 1u) {
    *lba = (ctx->drive.capacity - SHORT_SECTORS) / (SHORT_SPANS - 1u) * segment;
    *lba -= *lba % ctx->drive.physical_sectors;
    *end = *lba + SHORT_SECTORS;
  }
  return true;
}

static uint32_t pause_us(const struct fw_context* ctx) {
  return ctx->smart.captive ? CAPTIVE_US : FW_READING_IDLE_US;
}

static bool is_self_test(const struct fw_smart* smart) {
  return smart->number != FW_TEST_OFFLINE;
}

static void over(struct fw_context* ctx, enum fw_test_end how, uint64_t lba) {
  struct fw_smart* const smart = &ctx->smart;
  struct fw_saved* const saved = &ctx->saved;
  fw_reading_end(ctx);
  smart->testing = false;
  saved->test_running = 0;
  if (is_self_test(smart)) {
    saved->test_status = (uint8_t)((uint32_t)how << 4);
    fw_test_log_add(ctx, smart->number | (smart->captive ? FW_TEST_CAPTIVE : 0u), (uint32_t)how << 4, lba);
  } else {
    saved->offline_status = how == FW_TEST_PASSED ? OFFLINE_DONE : OFFLINE_ABORTED;
  }
  fw_save_soon(ctx);
  fw_due(ctx, FW_DUE_ENDED);  // what waits for a time without work begins anew
}

// A captive one's command ends.
static void answer(struct fw_context* ctx, enum fw_test_end how) {
  if (how == FW_TEST_PASSED)
    fw_unqueued_answer(ctx, 0, 0, 0xC24F00u);
  else
    fw_unqueued_status(ctx, ATA_STATUS_ERROR, ATA_ERROR_ABRT, (uint64_t)0x2CF400u * ctx->drive.logical_sectors);
}

static void finish(struct fw_context* ctx, enum fw_test_end how, uint64_t lba) {
  const bool captive = ctx->smart.captive;
  over(ctx, how, lba);
  if (captive) answer(ctx, how);
}

// The spans of a selective self-test are over.
static bool rest_follows(const struct fw_context* ctx) {
  const struct fw_smart* const smart = &ctx->smart;
  return smart->number == FW_TEST_SELECTIVE && !smart->rest_of_disk && (ctx->saved.span_flags & FLAG_REST) != 0;
}

// The next segment that is not empty, from smart.segment on.
static void read_next(struct fw_context* ctx, uint32_t after_us) {
  struct fw_smart* const smart = &ctx->smart;
  uint64_t lba, end;
  while (smart->segment < smart->segments && !bounds(ctx, smart->segment, &lba, &end)) smart->segment++;
  if (smart->segment == smart->segments && rest_follows(ctx)) {
    smart->rest_of_disk = true;
    smart->segment = 0;
    smart->segments = 1u;
    bounds(ctx, 0, &lba, &end);
  }
  if (smart->segment < smart->segments)
    fw_reading_begin(ctx, lba, end, after_us);
  else
    finish(ctx, FW_TEST_PASSED, UINT64_MAX);
}

static bool known(uint32_t number) {
  return number == FW_TEST_OFFLINE || number == FW_TEST_SHORT || number == FW_TEST_EXTENDED ||
         number == FW_TEST_SELECTIVE;
}

bool fw_test_begin(struct fw_context* ctx, uint32_t number) {
  struct fw_smart* const smart = &ctx->smart;
  const bool captive = (number & FW_TEST_CAPTIVE) != 0;
  number &= ~FW_TEST_CAPTIVE;
  if (!known(number) || (captive && number == FW_TEST_OFFLINE)) return false;
  fw_test_end(ctx, FW_TEST_ABORTED);
  smart->testing = true;
  smart->number = (uint8_t)number;
  smart->captive = captive;
  smart->rest_of_disk = false;
  smart->segment = 0;
  smart->segments = segments_of(ctx, number);
  ctx->saved.test_running = (uint16_t)(0x8000u | number | (captive ? FW_TEST_CAPTIVE : 0u));
  if (ctx->pm.state != FW_POWER_ACTIVE) fw_due(ctx, FW_DUE_WAKE);
  if (!captive) fw_unqueued_status(ctx, ATA_STATUS_READY, 0, 0);
  read_next(ctx, pause_us(ctx));
  return true;
}

// Whatever is under way ends so; a captive one's command is gone with a reset.
void fw_test_end(struct fw_context* ctx, enum fw_test_end how) {
  if (ctx->smart.testing) over(ctx, how, UINT64_MAX);
}

static void found_bad(struct fw_context* ctx) {
  const uint64_t lba = ctx->background.reading.lba, end = ctx->background.reading.end;
  ctx->statistics.found_unreadable++;
  if (is_self_test(&ctx->smart) && !ctx->smart.rest_of_disk) {
    ctx->saved.span_lba = lba / ctx->drive.logical_sectors;
    ctx->saved.span_at = (uint16_t)(ctx->smart.segment + 1u);
    finish(ctx, FW_TEST_READ_FAILURE, lba / ctx->drive.logical_sectors);
    return;
  }
  const uint64_t next = fw_unit_of(ctx, lba) + ctx->drive.physical_sectors;
  if (next < end) {
    fw_reading_begin(ctx, next, end, CAPTIVE_US);
    return;
  }
  fw_reading_end(ctx);
  ctx->smart.segment++;
  read_next(ctx, CAPTIVE_US);
}

void fw_test_goes_on(struct fw_context* ctx) {
  struct fw_smart* const smart = &ctx->smart;
  if (!smart->testing) return;
  if (ctx->background.reading.state == FW_READING_FAILED) {
    found_bad(ctx);
    return;
  }
  if (ctx->background.reading.state != FW_READING_NONE) return;
  smart->segment++;
  read_next(ctx, CAPTIVE_US);
}

// One was under way when the power failed.
void fw_test_after_power_on(struct fw_context* ctx) {
  struct fw_saved* const saved = &ctx->saved;
  if (saved->test_running == 0) return;
  const uint32_t number = saved->test_running & 0xFFu;
  saved->test_running = 0;
  if (number == FW_TEST_OFFLINE) {
    saved->offline_status = OFFLINE_ABORTED;
    return;
  }
  saved->test_status = FW_TEST_RESET << 4;
  fw_test_log_add(ctx, number, FW_TEST_RESET << 4, UINT64_MAX);
}

// Tenths that are left of the segments, rounded up, at most 9.
static uint32_t tenths_left(struct fw_context* ctx) {
  const struct fw_smart* const smart = &ctx->smart;
  const struct fw_reading* const reading = &ctx->background.reading;
  uint64_t lba, end;
  bounds(ctx, smart->segment, &lba, &end);
  const uint64_t all = (end - lba) * smart->segments;
  const uint64_t left = (reading->state != FW_READING_NONE ? reading->end - reading->lba : 0u) +
                        (end - lba) * (smart->segments - smart->segment - 1u);
  const uint64_t tenths = (left * 10u + all - 1u) / all;
  return tenths < 9u ? (uint32_t)tenths : 9u;
}

uint32_t fw_test_status(struct fw_context* ctx) {
  const struct fw_smart* const smart = &ctx->smart;
  if (!smart->testing || !is_self_test(smart) || smart->rest_of_disk) return ctx->saved.test_status;
  return FW_TEST_IN_PROGRESS << 4 | tenths_left(ctx);
}

uint32_t fw_test_offline_status(const struct fw_context* ctx) {
  const struct fw_smart* const smart = &ctx->smart;
  uint32_t status = ctx->saved.offline_status;
  if (smart->testing && (!is_self_test(smart) || smart->rest_of_disk))
    status = ctx->background.scan == FW_SCAN_FREE ? OFFLINE_UNDER_WAY : OFFLINE_SUSPENDED;
  return status | (ctx->saved.auto_offline != 0 ? OFFLINE_AUTOMATIC : 0u);
}

// By the sectors of the first and the last track, and a tenth more for changes of tracks; of a drive that does not turn
// by 10 MB/s.
uint32_t fw_test_extended_s(struct fw_context* ctx) {
  const uint32_t rpm = fw_factory_word(ctx, (uint32_t)offsetof(struct fw_factory, rpm));
  if (ctx->drive.stacks == 0 || rpm == 0) return (uint32_t)(ctx->drive.capacity / 20000u) + 1u;
  const uint64_t tracks = fw_track_sectors(ctx, 0) + fw_track_sectors(ctx, ctx->drive.capacity - 1u);
  return (uint32_t)(ctx->drive.capacity * 2u * 66u / (tracks * rpm)) + 1u;
}

void fw_auto_offline(struct fw_context* ctx, bool on) {
  ctx->saved.auto_offline = on ? 1u : 0u;
  fw_timer_start(ctx, FW_TIMER_OFFLINE, on ? AUTO_OFFLINE_US : 0u);
}

void fw_auto_offline_due(struct fw_context* ctx) {
  struct fw_smart* const smart = &ctx->smart;
  fw_auto_offline(ctx, true);
  if (smart->testing || ctx->saved.smart_off != 0 || ctx->pm.state != FW_POWER_ACTIVE) return;
  smart->testing = true;
  smart->number = FW_TEST_OFFLINE;
  smart->captive = false;
  smart->rest_of_disk = false;
  smart->segment = 0;
  smart->segments = 1u;
  ctx->saved.test_running = 0x8000u;
  read_next(ctx, FW_READING_IDLE_US);
}
