// Entry points: what the machine calls.
#include "commands/commands.h"

size_t fw_context_bytes(void) {
  return sizeof(struct fw_context);
}

static void handle(struct fw_context* ctx, uint32_t cause) {
  if (cause < FW_IRQ_SRV0) {
    fw_channel_event(ctx, cause - FW_IRQ_CHN0);
    return;
  }
  if (cause < FW_IRQ_AAU) {
    fw_servo_event(ctx, cause - FW_IRQ_SRV0);
    return;
  }
  switch (cause) {
    case FW_IRQ_AAU:
      fw_granted(ctx);
      break;
    case FW_IRQ_HIF_DMA:
      fw_dma_event(ctx);
      break;
    case FW_IRQ_HIF_READ:
    case FW_IRQ_HIF_WRITE:
      fw_media_command(ctx);
      break;
    case FW_IRQ_HIF_OTHER:
      fw_other_command(ctx);
      break;
    case FW_IRQ_HIF_ERROR:
      if (ctx->pm.sleep == FW_SLEEP_ASLEEP) ctx->pm.sleep = FW_SLEEP_NOT;
      fw_link_error(ctx);
      break;
    case FW_IRQ_SPN:
      fw_spindle_event(ctx);
      break;
    case FW_IRQ_CHA:
      fw_channel_granted(ctx);
      break;
    case FW_IRQ_NVM:
      fw_saves_event(ctx);
      break;
    case FW_IRQ_BUF:
      fw_stream_released(ctx);
      break;
    default:
      FW_STOP(ctx);
      break;
  }
}

static void save_due(struct fw_context* ctx) {
  fw_smart_keep_worst(ctx);
  fw_save(ctx);
}

static void cap_due(struct fw_context* ctx) {
  fw_cap_due(ctx);
  fw_retire_update(ctx);
}

static void thermal_due(struct fw_context* ctx) {
  fw_thermal_due(ctx);
  if (ctx->thermal.measures != 0) fw_retire_update(ctx);
}

// Timers of those who choose how much power the drive takes.
static void power_timer_over(struct fw_context* ctx, uint32_t id) {
  switch (id) {
    case FW_TIMER_STANDBY:
      fw_standby_due(ctx);
      break;
    case FW_TIMER_CONDITION:
      fw_idle_due(ctx);
      break;
    case FW_TIMER_CAP:
      cap_due(ctx);
      break;
    case FW_TIMER_THERMAL:
      thermal_due(ctx);
      break;
    case FW_TIMER_SPEED:
      fw_speed_due(ctx);
      break;
    case FW_TIMER_GOVERNOR:
      fw_governor_due(ctx);
      break;
    default:
      FW_STOP(ctx);
  }
}

static void timer_over(struct fw_context* ctx, uint32_t id) {
  switch (id) {
    case FW_TIMER_SPIN_UP:
      fw_spindle_late(ctx);
      break;
    case FW_TIMER_IDLE:
      fw_idle_over(ctx);
      break;
    case FW_TIMER_SCAN:
      fw_scan_due(ctx);
      break;
    case FW_TIMER_RECALIBRATION:
      fw_recalibration_due(ctx);
      break;
    case FW_TIMER_RECALIBRATION_LATE:
      fw_recalibration_late(ctx);
      break;
    case FW_TIMER_RECALIBRATED:
      fw_recalibrated(ctx);
      break;
    case FW_TIMER_LOST:
      fw_destage_lost(ctx);
      break;
    case FW_TIMER_CHANNEL:
      fw_channel_due(ctx);
      break;
    case FW_TIMER_PREPARED:
      fw_arms_prepared(ctx);
      break;
    case FW_TIMER_PLACEMENT:
      fw_placement_due(ctx);
      break;
    case FW_TIMER_SAVE:
      save_due(ctx);
      break;
    case FW_TIMER_OFFLINE:
      fw_auto_offline_due(ctx);
      break;
    case FW_TIMER_WRITE_DATA:
      fw_write_data_due(ctx);
      break;
    case FW_TIMER_COMMAND:
      fw_delay_over(ctx);
      break;
    case FW_TIMER_LIMIT:
      fw_limit_due(ctx);
      break;
    default:
      power_timer_over(ctx, id);
  }
}

static void grow_destages(struct fw_context* ctx) {
  const uint32_t arms = ctx->handler.flow_due;
  ctx->handler.flow_due = 0;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n)
    if ((arms >> n & 1u) != 0) fw_destage_grow(ctx, n);
}

static void at_rest(struct fw_context* ctx) {
  if (ctx->errors.draining)
    fw_drained(ctx);
  else
    fw_power_rest(ctx);
}

static void command_ended(struct fw_context* ctx) {
  fw_saves_activity(ctx);
  fw_standby_rearm(ctx);
  fw_speed_ended(ctx);
  fw_governor_work(ctx);
  fw_serve_turns(ctx);
}

static void saved(struct fw_context* ctx) {
  const enum fw_after_save then = fw_save_over(ctx);
  if (then == FW_AFTER_SAVE_MAX) fw_max_saved(ctx);
  if (then == FW_AFTER_SAVE_EPC) fw_unqueued_status(ctx, ATA_STATUS_READY, 0, 0);
  if (then == FW_AFTER_SAVE_RESTART) fw_microcode_start(ctx);
}

static void do_last_due(struct fw_context* ctx, enum fw_due what) {
  switch (what) {
    case FW_DUE_PAGES:
      fw_page_moved(ctx);
      break;
    case FW_DUE_ERROR:
      fw_error_log(ctx);
      break;
    case FW_DUE_READING:
      fw_test_goes_on(ctx);
      break;
    case FW_DUE_SAVED:
      saved(ctx);
      break;
    case FW_DUE_FLASH:
      fw_microcode_flash(ctx);
      break;
    case FW_DUE_REFUSED:
      fw_refusals_end(ctx);
      fw_device_fault(ctx, "the channels refuse one access after the other: device fault");
      break;
    case FW_DUE_SPEED:
      fw_speed_change(ctx);
      break;
    case FW_DUE_BATCH:
      fw_tree_batch(ctx);
      break;
    case FW_DUE_DOWN:
      fw_power_down(ctx, (enum fw_condition)ctx->pm.idle.wanted);
      break;
    default:
      FW_STOP(ctx);
      break;
  }
}

static void do_due(struct fw_context* ctx, enum fw_due what) {
  switch (what) {
    case FW_DUE_DROP:
      fw_dropped(ctx);
      break;
    case FW_DUE_GONE:
      fw_reach_lost(ctx);
      break;
    case FW_DUE_ANEW:
      fw_start_anew(ctx);
      break;
    case FW_DUE_BLOCKED:
      fw_serve_blocked(ctx);
      break;
    case FW_DUE_LINES:
      fw_serve_line_queue(ctx);
      break;
    case FW_DUE_FLOW:
      grow_destages(ctx);
      break;
    case FW_DUE_DESTAGE:
      fw_destage_update(ctx);
      break;
    case FW_DUE_FLUSHED:
      fw_flushed(ctx);
      break;
    case FW_DUE_SEGMENTS:
      fw_serve_segment_queue(ctx);
      break;
    case FW_DUE_CHANNELS:
      fw_serve_channel_queue(ctx);
      break;
    case FW_DUE_PARKED:
      fw_parked_arms_came(ctx);
      break;
    case FW_DUE_WAKE:
      fw_wake(ctx);
      break;
    case FW_DUE_REST:
      at_rest(ctx);
      break;
    case FW_DUE_ENDED:
      command_ended(ctx);
      break;
    case FW_DUE_MOVED:
      fw_give_back_moved(ctx);
      fw_destage_free_arms_in_vain(ctx);
      break;
    case FW_DUE_UNREACHABLE:
      fw_fail_unreachable(ctx);
      break;
    default:
      do_last_due(ctx, what);
      break;
  }
}

// Does what the handler has left for its end, in the order of enum fw_due, and what follows from it.
static void do_all_due(struct fw_context* ctx) {
  while (ctx->handler.due != 0 && !ctx->errors.stopped) {
    const uint32_t first = ctx->handler.due & (0u - ctx->handler.due);
    ctx->handler.due &= ~first;
    do_due(ctx, (enum fw_due)first);
  }
}

// Several timers may be over at once: each is handled completely before the next.
static void timers(struct fw_context* ctx) {
  fw_timer_acknowledge(ctx);
  uint32_t over = fw_timers_over(ctx);
  for (uint32_t id = fw_timer_next(ctx, &over); id != FW_TIMER_COUNT; id = fw_timer_next(ctx, &over)) {
    timer_over(ctx, id);
    do_all_due(ctx);
    if (ctx->errors.stopped) return;
  }
}

void fw_isr(struct fw_context* ctx, uint32_t cause) {
  if (ctx->errors.stopped) return;
  fw_timer_handler_begins(ctx);
  fw_channel_handler_begins(ctx);
  fw_acoustic_handler_begins(ctx);
  if (cause == FW_IRQ_TMR)
    timers(ctx);
  else
    handle(ctx, cause);
  do_all_due(ctx);
  fw_lines_leave(ctx);
  do_all_due(ctx);
  if ((ctx->read_cache.segment_queue.count != 0 || ctx->held_back != 0) &&
      (ctx->drive.groups > 1u || ctx->schedule.shared || ctx->failures.heads != 0 || ctx->failures.arms != 0 ||
       fw_arms_may_leave(ctx) || ctx->buffer.segments < ctx->drive.arms))
    fw_serve_holders(ctx);
  if (ctx->with_reads != 0) fw_review_candidates(ctx);
  do_all_due(ctx);
  if (ctx->errors.stopped) return;
  fw_limit_arms(ctx);
  fw_power_tell(ctx);
}

// What the arms do without a command, or else the drive's state.
static enum fw_state own_work(const struct fw_context* ctx) {
  for (uint32_t n = 0; n < ctx->drive.arms; ++n)
    if (fw_job_of(ctx, n)->shown != FW_STATE_IDLE) return fw_job_of(ctx, n)->shown;
  if (ctx->errors.halted) return FW_STATE_HALTED;
  const uint32_t condition = fw_condition_at_rest(ctx);
  return condition != FW_CONDITION_COUNT ? fw_condition_shown(condition) : FW_STATE_IDLE;
}

// The state shown ends when the drive is idle: the end of a command, or an arm's own work.
static bool may_be_over(const struct fw_context* ctx, uint8_t shown) {
  if (shown == FW_STATE_COMPLETE || shown == FW_STATE_COMMAND || shown == FW_STATE_VERIFY ||
      shown == FW_STATE_REALLOCATE)
    return true;
  for (uint32_t job = 0; job < FW_JOB_COUNT; ++job)
    if (shown == ctx->jobs[job]->shown && shown != FW_STATE_IDLE) return true;
  return false;
}

// Shows in the waveform that the drive has nothing to do.
void fw_idle(struct fw_context* ctx) {
  if (ctx->errors.stopped || ctx->commands.active != 0 || ctx->errors.draining) return;
  if (!may_be_over(ctx, ctx->errors.shown_state)) return;
  const enum fw_state state = own_work(ctx);
  if (state != ctx->errors.shown_state) fw_show(ctx, state, 0);
}
