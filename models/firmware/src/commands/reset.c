// Power-on: learns what drive this is, programs the arbitration unit and starts the spindle; power.c goes on.
#include "commands/commands.h"

#define FIELD(name) fw_factory_word(ctx, (uint32_t)offsetof(struct fw_factory, name))

// What several arms may do at once, where they are mounted and which surfaces they have heads for.
static void load_arms(struct fw_context* ctx) {
  const uint32_t limits = FIELD(aau_limits);
  if (limits != 0) fw_aau_set(ctx, AAU_LIMITS, limits);
  ctx->slots.limits = limits;
  ctx->slots.in_service_limit = FW_GET(limits, AAU_LIMITS_IN_SERVICE);
  ctx->overhead.prepare_us = FIELD(arm_prepare_us);
  ctx->slots.limits_moving = (limits & AAU_LIMITS_MOVING_MASK) != 0;
  const uint32_t cylinders = FIELD(arm_cylinders);
  if (cylinders != 0) fw_aau_set(ctx, AAU_STROKE, cylinders - 1u);
  ctx->drive.stroke = cylinders != 0 ? cylinders - 1u : AAU_STROKE_CYLINDER_MASK;
  ctx->drive.middle = cylinders != 0 ? ctx->drive.stroke / 2u : 0u;
  ctx->drive.fixed_first = FIELD(fixed_first);
  ctx->drive.fixed_cylinders = FIELD(fixed_cylinders);
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    const uint32_t mount = FIELD(arm_mount[n]);
    const uint32_t reach = FIELD(arm_reach[n]);
    if (mount != 0) fw_aau_set(ctx, AAU_ARM_MOUNT(n), mount);
    if (reach != 0) fw_aau_set(ctx, AAU_ARM_REACH(n), reach);
    ctx->arm[n].mount_angle = FW_GET(mount, AAU_ARM_MOUNT_ANGLE);
    ctx->arm[n].first_head = (uint8_t)FW_GET(reach, AAU_ARM_REACH_FIRST);
    ctx->arm[n].last_head = reach != 0 ? (uint8_t)FW_GET(reach, AAU_ARM_REACH_LAST) : 0xFFu;
  }
  ctx->drive.jog.outer = (int32_t)FIELD(jog.outer);
  ctx->drive.jog.inner = (int32_t)FIELD(jog.inner);
  ctx->drive.jog.outer_later = (int32_t)FIELD(jog.outer_later);
  ctx->drive.jog.inner_later = (int32_t)FIELD(jog.inner_later);
  ctx->drive.jog.last = FIELD(jog.last);
  ctx->drive.jogs = ctx->drive.jog.outer != 0 || ctx->drive.jog.inner != 0;
  fw_reach_reset(ctx);
  ctx->drive.sub_heads = FW_GET(limits, AAU_LIMITS_HEADS) + 1u;
  for (uint32_t head = 0; head < ctx->drive.sub_heads; ++head) {
    const uint32_t offset = FIELD(head_offset[head]) & AAU_HEAD_OFFSET_CYLINDERS_MASK;
    const uint32_t angle = FIELD(head_angle[head]);
    if (offset != 0) fw_aau_set(ctx, AAU_HEAD_OFFSET(head), offset);
    if (angle != 0) fw_aau_set(ctx, AAU_HEAD_ANGLE(head), angle);
    ctx->drive.head_offset[head] = (int32_t)offset - (offset > AAU_HEAD_OFFSET_CYLINDERS_MASK / 2u ? 0x1000000 : 0);
    ctx->drive.head_angle[head] = angle;
  }
}

// How the channels retry an unreadable sector by themselves.
static void load_ladder(struct fw_context* ctx) {
  const uint32_t steps = FIELD(ladder_steps);
  if (steps == 0 || steps > FW_MAX_LADDER_STEPS) return;
  const uint32_t limit_ms = FIELD(ladder_limit_ms);
  for (uint32_t step = 0; step < steps; ++step) {
    const uint32_t word = FIELD(ladder[step]);
    for (uint32_t channel = 0; channel < ctx->drive.channels; ++channel)
      fw_channel_ladder_step(ctx, channel, step, word);
  }
  for (uint32_t channel = 0; channel < ctx->drive.channels; ++channel) fw_channel_ladder(ctx, channel, limit_ms);
  fw_sct_ladder(ctx, limit_ms);
}

static void set_jobs(struct fw_context* ctx) {
  ctx->jobs[FW_JOB_REQUEST] = &fw_request_job;
  ctx->jobs[FW_JOB_FILL] = &fw_fill_job;
  ctx->jobs[FW_JOB_DESTAGE] = &fw_destage_job;
  ctx->jobs[FW_JOB_SCAN] = &fw_scan_job;
  ctx->jobs[FW_JOB_RECALIBRATE] = &fw_recalibration_job;
  ctx->jobs[FW_JOB_PLACE] = &fw_place_job;
  ctx->jobs[FW_JOB_RETIRE] = &fw_retire_job;
  ctx->jobs[FW_JOB_WAIT] = &fw_wait_job;
}

// Counts of the drive's parts. False: firmware has no room for them.
static bool load_sizes(struct fw_context* ctx) {
  ctx->drive.capacity = FIELD(capacity_lo);
  ctx->drive.capacity |= (uint64_t)FIELD(capacity_hi) << 32;
  ctx->host.accessible = ctx->drive.capacity;
  ctx->host.kept_accessible = ctx->drive.capacity;
  ctx->drive.arms = FIELD(arms);
  ctx->drive.channels = FIELD(channels);
  ctx->drive.queue_depth = FIELD(queue_depth);
  ctx->drive.heads = FIELD(heads);
  ctx->drive.stacks = FIELD(stacks);
  const uint32_t layout = fw_buf_layout(ctx);
  ctx->buffer.segments = FW_GET(layout, BUF_LAYOUT_SEGMENTS);
  ctx->buffer.segment_sectors = FW_GET(layout, BUF_LAYOUT_SECTORS);
  return !(ctx->drive.arms == 0 || ctx->drive.arms > FW_MAX_ARMS || ctx->drive.channels == 0 ||
           ctx->drive.channels > FW_MAX_CHANNELS || ctx->drive.queue_depth == 0 ||
           ctx->drive.queue_depth > FW_MAX_TAGS || ctx->drive.stacks > FW_MAX_STACKS ||
           (ctx->drive.stacks > 1u && ctx->drive.heads % ctx->drive.stacks != 0) || ctx->buffer.segments == 0 ||
           ctx->buffer.segments > FW_MAX_SEGMENTS || ctx->buffer.segment_sectors == 0);
}

static void load_cache(struct fw_context* ctx, uint32_t line_share, uint32_t cache) {
  fw_lines_layout(ctx, line_share, (cache & FW_CACHE_LINE_SLOTS) != 0);
  ctx->destage.urgent = !ctx->buffer.line_share;
  ctx->host.write_cache = (cache & FW_CACHE_WRITE) != 0 && ctx->buffer.line_share;
  ctx->host.look_ahead = (cache & FW_CACHE_LOOK_AHEAD) != 0;
  ctx->rules.read_on_arrival = (cache & FW_CACHE_READ_ON_ARRIVAL) != 0;
  ctx->rules.hardware_hits = (cache & FW_CACHE_HARDWARE_HITS) != 0;
  ctx->rules.free_reads = (cache & FW_CACHE_FREE_READS) != 0;
  ctx->rules.keep_requested = (cache & FW_CACHE_KEEP_REQUESTED) != 0;
  ctx->rules.ahead_from_second = (cache & FW_CACHE_AHEAD_SECOND) != 0;
  ctx->rules.write_stops_ahead = (cache & FW_CACHE_WRITE_STOPS) != 0;
  ctx->rules.keep_written = (cache & FW_CACHE_KEEP_WRITTEN) != 0;
  ctx->rules.ahead_on_hit = (cache & FW_CACHE_AHEAD_ON_HIT) != 0;
  ctx->rules.drop_near = (cache & FW_CACHE_DROP_TRACK) != 0      ? FW_NEAR_TRACK
                         : (cache & FW_CACHE_DROP_ADJACENT) != 0 ? FW_NEAR_ADJACENT
                                                                 : FW_NEAR_NONE;
  ctx->rules.cut = (cache & FW_CACHE_CUT_WHOLE) != 0   ? FW_CUT_WHOLE
                   : (cache & FW_CACHE_CUT_FRONT) != 0 ? FW_CUT_BEHIND
                                                       : FW_CUT_WRITTEN;
}

static void load_read_policy(struct fw_context* ctx, uint32_t cache) {
  ctx->rules.read_watermark = FW_NO_WATERMARK;
  ctx->rules.read_ahead_sectors = ctx->buffer.segment_sectors - ctx->buffer.segment_sectors / 8u;
  ctx->rules.most_collected = UINT32_MAX;
  if ((cache & FW_CACHE_READ_POLICY) != 0) {
    ctx->rules.read_ahead_end = FIELD(read_ahead_end);
    ctx->rules.read_watermark = FIELD(read_watermark_percent);
    const uint32_t most = FIELD(read_ahead_sectors);
    if (most != 0)
      ctx->rules.read_ahead_sectors = most < ctx->buffer.segment_sectors ? most : ctx->buffer.segment_sectors;
    if (most != 0) ctx->rules.most_collected = most;
    const uint32_t least = FIELD(minimum_read_ahead);
    ctx->rules.minimum_ahead = least < ctx->rules.read_ahead_sectors ? least : ctx->rules.read_ahead_sectors;
  }
}

static void load_write_policy(struct fw_context* ctx, uint32_t cache) {
  ctx->destage.high_water = ctx->buffer.lines * FIELD(high_water_percent) / 100u;
  ctx->destage.low_water = ctx->buffer.lines * FIELD(low_water_percent) / 100u;
  ctx->rules.write_bypass_lines = UINT32_MAX;
  ctx->rules.write_bypass_sectors = UINT32_MAX;
  ctx->destage.candidates = FW_MAX_WRITEBACK_SLOTS;
  ctx->rules.write_watermark = 100u;
  if ((cache & FW_CACHE_WRITE_POLICY) != 0) {
    const uint32_t percent = FIELD(write_bypass_percent);
    const uint32_t sectors = FIELD(write_bypass_sectors);
    ctx->rules.write_extents = FIELD(write_extents);
    ctx->rules.write_bypass_lines = percent >= 100u ? UINT32_MAX : ctx->buffer.lines * percent / 100u;
    ctx->rules.write_bypass_sectors = sectors == 0 ? UINT32_MAX : sectors;
    ctx->destage.ascending = FIELD(destage_order) == FW_DESTAGE_ASCENDING;
    ctx->destage.candidates = FIELD(destage_candidates);
    ctx->rules.write_watermark = FIELD(write_watermark_percent);
    ctx->rules.write_watermark_track = FIELD(write_watermark_track);
    if (ctx->rules.write_watermark < 100u) ctx->link.transfer_limit -= 2u * (FW_RUN_PARTS - 1u) * ctx->drive.arms;
    if (ctx->destage.candidates == 0 || ctx->destage.candidates > FW_MAX_WRITEBACK_SLOTS)
      ctx->destage.candidates = FW_MAX_WRITEBACK_SLOTS;
  }
}

static void load_background(struct fw_context* ctx, uint32_t cache) {
  struct fw_background* const own = &ctx->background;
  own->tag = FW_NO_TAG;
  own->scan_idle_us = FIELD(scan_idle_us);
  own->scan_step = FIELD(scan_step);
  if (own->scan_step == 0) own->scan_step = 256u;
  own->scan_pause_us = FIELD(scan_pause_us);
  own->recalibration_ms = FIELD(recalibration_ms);
  own->recalibration_wait_us = FIELD(recalibration_wait_us);
  own->recalibration_stay_us = FIELD(recalibration_stay_us);
  own->recalibration_track = FIELD(recalibration_track);
  if ((cache & FW_CACHE_SPARE) == 0) return;
  const uint32_t max_added_us = FIELD(max_added_us);
  const uint32_t rpm = FIELD(rpm);
  fw_spare_reset(ctx, max_added_us, rpm);
}

static void load_overheads(struct fw_context* ctx, uint32_t cache) {
  ctx->overhead.known = (cache & FW_CACHE_OVERHEADS) != 0;
  for (uint32_t i = 0; ctx->overhead.known && i < FW_START_OVERHEADS; ++i)
    ctx->overhead.start_us[i] = FIELD(start_us[i]);
  if (ctx->overhead.known) ctx->overhead.hit_track_sector_ns = FIELD(hit_track_sector_ns);
  for (uint32_t i = 0; ctx->overhead.known && i < 2u; ++i) ctx->overhead.complete_us[i] = FIELD(complete_us[i]);
  if (ctx->overhead.known) ctx->overhead.write_data_us = FIELD(write_data_us);
  if (ctx->overhead.known) ctx->overhead.write_last_data_us = FIELD(write_last_data_us);
  if (ctx->overhead.known) ctx->overhead.end_read_ahead_us = FIELD(end_read_ahead_us);
}

static void clear_requests(struct fw_context* ctx) {
  ctx->commands.first_anew = FW_NO_TAG;
  fw_delay_reset(ctx);
  fw_turns_reset(ctx);
  fw_write_data_reset(ctx);
  fw_segments_reset(ctx);
  fw_lines_reset(ctx);
  for (uint32_t tag = 0; tag < FW_MAX_TAGS; ++tag) fw_request_clear(ctx, tag);
  for (uint32_t channel = 0; channel < FW_MAX_CHANNELS; ++channel) ctx->channel.arm[channel] = FW_NO_ARM;
}

// Enables the arms where they stand now. Returns the interrupt lines of their servos.
static uint32_t enable_arms(struct fw_context* ctx) {
  uint32_t lines = 0;
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    struct fw_arm* const arm = &ctx->arm[n];
    fw_arm_at(ctx, n, fw_servo_status(ctx, n));
    arm->tag = FW_NO_TAG;
    arm->channel = FW_NO_CHANNEL;
    const uint32_t parking = fw_servo_parking(ctx, n);
    arm->state = (parking & SRV_PARKING_PARKED_MASK) != 0 ? FW_ARM_PARKED : FW_ARM_IDLE;
    ctx->drive.ramp = (parking & SRV_PARKING_RAMP_MASK) != 0;
    fw_arm_is_idle(ctx, n);
    fw_servo_enable(ctx, n);
    lines |= 1u << (FW_IRQ_SRV0 + n);
  }
  return lines;
}

// Settings for several arms only. Each read is its own statement: compilers evaluate arguments in different orders.
static void load_several_arms(struct fw_context* ctx) {
  if (ctx->drive.channels < ctx->drive.arms) {
    const uint32_t policy = FIELD(channel_policy);
    const uint32_t margin = FIELD(channel_margin_ticks);
    fw_channels_reset(ctx, policy, margin);
  }
  const uint32_t placement = FIELD(placement);
  const uint32_t after_us = FIELD(placement_after_us);
  const uint32_t near_cylinders = FIELD(placement_near);
  fw_placement_reset(ctx, placement, after_us, near_cylinders);
  const uint32_t rpm = FIELD(rpm);
  const uint32_t lead_us = FIELD(channel_lead_us);
  const uint32_t channels = FIELD(aau_channels);
  const uint32_t grant_ns = FIELD(grant_ns);
  fw_schedule_reset(ctx, rpm, lead_us, grant_ns, channels);
}

static void enable_blocks(struct fw_context* ctx, uint32_t cache) {
  uint32_t lines = 1u << FW_IRQ_AAU | 1u << FW_IRQ_HIF_DMA | 1u << FW_IRQ_HIF_READ | 1u << FW_IRQ_HIF_WRITE |
                   1u << FW_IRQ_HIF_OTHER | 1u << FW_IRQ_HIF_ERROR | 1u << FW_IRQ_TMR;
  if (ctx->drive.stacks != 0) lines |= 1u << FW_IRQ_SPN;
  if (ctx->rules.hardware_hits) lines |= 1u << FW_IRQ_BUF;
  if (ctx->drive.channels < ctx->drive.arms) lines |= 1u << FW_IRQ_CHA;
  if (ctx->saves.known) lines |= 1u << FW_IRQ_NVM;
  if (ctx->drive.arms > 1u) load_several_arms(ctx);
  if ((cache & FW_CACHE_IDLE) != 0) {
    fw_idle_reset(ctx);
    fw_epc_reset(ctx);
  }
  fw_hits_enable(ctx, ctx->host.look_ahead);
  lines |= enable_arms(ctx);
  for (uint32_t channel = 0; channel < ctx->drive.channels; ++channel) {
    fw_channel_enable(ctx, channel);
    lines |= 1u << (FW_IRQ_CHN0 + channel);
  }
  fw_hif_enable(ctx);
  for (uint32_t stack = 0; stack < ctx->drive.stacks; ++stack) fw_spindle_enable(ctx, stack);
  fw_timer_enable(ctx);
  fw_irq_enable(ctx, lines);
  fw_predictions_load(ctx);
  fw_saves_start(ctx);
}

// What the flash has kept.
static void load_saved(struct fw_context* ctx) {
  const uint32_t autosave_s = FIELD(autosave_s);
  const uint32_t head_errors = FIELD(head_errors);
  const uint32_t arm_errors = FIELD(arm_errors);
  const uint32_t window_s = FIELD(error_window_s);
  fw_microcode_reset(ctx);
  fw_saves_reset(ctx, autosave_s);
  fw_predictions_reset(ctx, head_errors, arm_errors, window_s);
  if (ctx->saved.accessible != 0 && ctx->saved.accessible <= ctx->drive.capacity) {
    ctx->host.kept_accessible = ctx->saved.accessible;
    ctx->host.accessible = ctx->saved.accessible;
  }
  fw_test_after_power_on(ctx);
  if (ctx->saved.auto_offline != 0) fw_auto_offline(ctx, true);
}

void fw_reset(struct fw_context* ctx) {
  set_jobs(ctx);
  fw_show(ctx, FW_STATE_RESET, 0);
  if (FIELD(magic) != FW_FACTORY_MAGIC || FIELD(version) != FW_FACTORY_VERSION) {
    FW_STOP(ctx);
    return;
  }
  if (!load_sizes(ctx)) {
    FW_STOP(ctx);
    return;
  }
  // Runs straight between media and host use one transfer per segment, firmware's pages use one.
  ctx->link.transfer_limit = FW_MAX_TRANSFERS - ctx->buffer.segments - 1u;
  const uint32_t line_share = fw_buf_lines(ctx);
  const uint32_t cache = FIELD(cache);
  load_cache(ctx, line_share, cache);
  load_read_policy(ctx, cache);
  load_write_policy(ctx, cache);
  ctx->drive.physical_sectors = FIELD(physical_sectors);
  load_background(ctx, cache);
  ctx->drive.logical_sectors = FIELD(logical_sectors) == 8u ? 8u : 1u;
  ctx->destage.idle_us = FIELD(destage_idle_us);
  ctx->destage.idle_over = true;  // nothing has come yet
  if (ctx->drive.physical_sectors != 1u && ctx->drive.physical_sectors != FW_LINE_SECTORS) {
    FW_STOP(ctx);
    return;
  }
  fw_settings_reset(ctx, cache);
  load_overheads(ctx, cache);
  ctx->slots.policy = FIELD(policy);
  clear_requests(ctx);
  if (!fw_reckoning_reset(ctx, cache)) {
    FW_STOP(ctx);
    return;
  }
  load_arms(ctx);
  load_saved(ctx);
  fw_acoustic_reset(ctx);
  if ((cache & FW_CACHE_POWER_CAP) != 0) fw_cap_reset(ctx);
  if ((cache & FW_CACHE_SPEEDS) != 0) fw_speed_reset(ctx);
  if ((cache & FW_CACHE_GOVERNOR) != 0) fw_governor_reset(ctx);
  fw_store_reset(ctx, cache);
  fw_sct_reset(ctx);
  if ((cache & FW_CACHE_SENSOR) != 0) fw_thermal_reset(ctx);
  load_ladder(ctx);
  fw_aau_set(ctx, AAU_INTEN, AAU_INTEN_GRANT_MASK);
  enable_blocks(ctx, cache);

  fw_show(ctx, FW_STATE_SPIN_UP, 0);
  fw_timer_start(ctx, FW_TIMER_SPIN_UP, FIELD(spin_up_limit_us));
  if (ctx->thermal.known) fw_thermal_due(ctx);
  fw_start_spindles(ctx);
  fw_hif_control(ctx, HIF_CTRL_ENABLE_MASK);  // commands without an arm are answered while the stack spins up
}
