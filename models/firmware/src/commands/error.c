// Errors and resets by the host. A failed queued command, or queued and unqueued commands mixed, drops all commands:
// the arms come to rest first, then the error is reported, and every command but READ LOG EXT 10h is aborted until that
// log has been read. A failed unqueued command is reported in its own Register frame. A reset also drops all commands,
// and ends with the signature; written data in the lines have been acknowledged and stay.
#include "commands/commands.h"

static bool all_at_rest(const struct fw_context* ctx) {
  for (uint32_t n = 0; n < ctx->drive.arms; ++n)
    if (ctx->arm[n].state != FW_ARM_IDLE && ctx->arm[n].state != FW_ARM_PARKED && ctx->arm[n].state != FW_ARM_FAILED)
      return false;
  return true;
}

// A part of a dropped write may be on the media, on its way there, or in lines. No read may find the older data, which
// may have come into a segment since the write was decoded.
static void invalidate_dropped_writes(struct fw_context* ctx) {
  for (uint32_t tag = 0; tag < FW_MAX_TAGS; ++tag) {
    const struct fw_request* const request = &ctx->requests[tag];
    if (request->state == FW_REQUEST_FREE || !request->write) continue;
    if (request->batch == FW_BATCH_DATA)
      fw_batch_invalidate(ctx);
    else
      fw_invalidate(ctx, request->lba, request->sectors);
  }
}

// Drops all work. Moving arms cannot be stopped: `fw_drained` follows when they have come to rest.
void fw_dropped(struct fw_context* ctx) {
  const bool halt = ctx->errors.halted;
  invalidate_dropped_writes(ctx);
  fw_hif_control(ctx, (halt ? HIF_CTRL_HALT_MASK : 0u) | HIF_CTRL_ABORT_MASK);
  fw_withdraw_all(ctx);
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) fw_reservations_end(ctx, n);
  for (uint32_t tag = 0; tag < FW_MAX_TAGS; ++tag) {
    fw_request_clear(ctx, tag);
    ctx->slots.withdrawn[tag] = false;
  }
  fw_delay_reset(ctx);
  fw_write_data_reset(ctx);
  fw_commands_dropped(ctx);
  ctx->commands.pages.active = false;
  fw_microcode_dropped(ctx);
  fw_turns_reset(ctx);
  ctx->slots.waiting = 0;
  fw_limits_dropped(ctx);
  ctx->held_back = 0;
  ctx->with_reads = 0;
  for (uint32_t group = 0; group < FW_MAX_ARMS; ++group) ctx->slots.waiting_for[group] = 0;
  fw_channels_dropped(ctx);
  fw_show(ctx, FW_STATE_DRAIN, ctx->errors.last.tag);
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    ctx->arm[n].waits_segment = false;
    if (ctx->arm[n].state != FW_ARM_TRANSFER) fw_let_go(ctx, n);
  }
  fw_segments_dropped(ctx);
  fw_lines_abort(ctx);
  fw_destage_abort(ctx);
  fw_power_dropped(ctx);
  fw_background_dropped(ctx);
  fw_recalibration_dropped(ctx);
  fw_batch_forget(ctx);
  fw_ahead_dropped(ctx);
  fw_stream_abort(ctx);
  for (uint32_t n = 0; n < ctx->drive.arms; ++n) {
    struct fw_arm* const arm = &ctx->arm[n];
    if (arm->job == FW_JOB_DESTAGE && arm->state == FW_ARM_ON_TRACK) {  // waits for a channel
      fw_destage_give_up(ctx, n);
      arm->job = FW_JOB_REQUEST;
    }
    if (arm->job == FW_JOB_DESTAGE && arm->state == FW_ARM_MOVING) fw_destage_read_again(ctx, n);
    const bool own = arm->job == FW_JOB_SCAN || arm->job == FW_JOB_RECALIBRATE || arm->job == FW_JOB_WAIT;
    if (own && arm->state == FW_ARM_ON_TRACK) arm->job = FW_JOB_REQUEST;
    if (arm->job != FW_JOB_REQUEST) continue;
    arm->check = FW_CHECK_NONE;
    arm->next.sectors = 0;
    if (arm->state != FW_ARM_TRANSFER) arm->run.segment = FW_NO_SEGMENT;
    arm->tag = FW_NO_TAG;
    if (arm->state == FW_ARM_ON_TRACK) {
      arm->state = FW_ARM_IDLE;
      fw_arm_is_idle(ctx, n);
    }
  }
  fw_due(ctx, FW_DUE_REST);
}

// Signature of a disk: error 01h, count 01h, LBA 000001h (ATA8-ACS, device signatures).
static void send_signature(struct fw_context* ctx) {
  fw_hif_taskfile(ctx, FW_SET(HIF_TASKFILE_STATUS, ATA_STATUS_READY) | FW_SET(HIF_TASKFILE_ERROR, 0x01u) |
                           FW_SET(HIF_TASKFILE_COUNT, 0x01u));
  fw_hif_taskfile_lba_low(ctx, 0x01u);
  fw_hif_complete(ctx, HIF_COMPLETE_SIGNATURE_MASK);
  fw_hif_taskfile(ctx, ATA_STATUS_READY);
  fw_hif_taskfile_lba_low(ctx, 0);
}

void fw_drained(struct fw_context* ctx) {
  if (!ctx->errors.draining || !all_at_rest(ctx)) return;
  const bool reset = ctx->errors.draining == FW_DRAINING_RESET;
  ctx->errors.draining = FW_DRAINING_NOT;
  const struct fw_error* const error = &ctx->errors.last;
  if (reset) {
    send_signature(ctx);
  } else if (error->queued) {
    fw_hif_taskfile(ctx, FW_SET(HIF_TASKFILE_STATUS, error->status) | FW_SET(HIF_TASKFILE_ERROR, error->error));
    fw_hif_complete(ctx, HIF_COMPLETE_QUEUED_MASK | HIF_COMPLETE_FAILED_MASK);
    fw_hif_taskfile(ctx, ATA_STATUS_READY);
  } else {
    fw_unqueued_status(ctx, error->status, error->error, error->lba);
  }
  fw_hif_control(ctx, HIF_CTRL_ENABLE_MASK | (ctx->errors.halted ? HIF_CTRL_HALT_MASK : 0u));
  fw_show(ctx, ctx->errors.halted ? FW_STATE_HALTED : FW_STATE_COMPLETE, error->tag);
  fw_due(ctx, FW_DUE_DESTAGE);
  fw_idle_rearm(ctx);
}

// The command at the FIFO's head came while the drive was halted, or broke the rules of queuing.
void fw_reject(struct fw_context* ctx) {
  if (ctx->errors.halted) {
    fw_hif_pop(ctx);
    fw_unqueued_status(ctx, ATA_STATUS_ERROR, ATA_ERROR_ABRT, 0);
    return;
  }
  fw_fail_mixed(ctx);
}

// The host has reset the drive.
static void host_reset(struct fw_context* ctx, bool comreset) {
  fw_hif_acknowledge(ctx, HIF_INTSTAT_RESET_MASK | (comreset ? HIF_INTSTAT_COMRESET_MASK : 0u));
  if (comreset) ctx->statistics.comresets++;
  if (ctx->commands.active != 0) {
    ctx->statistics.resets_at_work++;
    fw_save_soon(ctx);
  }
  fw_test_end(ctx, FW_TEST_RESET);
  fw_settings_after_reset(ctx, comreset);
  ctx->commands.native_max_read = false;
  ctx->errors.draining = FW_DRAINING_RESET;
  ctx->errors.logged = false;
  ctx->errors.last.tag = 0;
  fw_drop_all(ctx, false);
}

// If the error is in a transfer, that also ends with an error of its own in hif.dma_done.
void fw_link_error(struct fw_context* ctx) {
  const uint32_t status = fw_hif_events(ctx);
  if ((status & HIF_INTSTAT_RESET_MASK) != 0) {
    host_reset(ctx, (status & HIF_INTSTAT_COMRESET_MASK) != 0);
    return;
  }
  fw_hif_acknowledge(ctx, HIF_INTSTAT_LINK_ERROR_MASK);
  fw_print(ctx, "link: a frame without a place, or one that the host refused");
}
