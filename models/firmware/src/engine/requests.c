// Host requests: data transfers, completion, failure.
#include "engine/engine.h"

#define DEVICE_LBA 0x40u  // the device register's bit 6

void fw_order_transfer(struct fw_context* ctx, uint32_t tag, uint32_t address, uint32_t offset, uint32_t sectors,
                       uint32_t direction) {
  ctx->link.transfers++;
  if (fw_announced_whole(ctx, &ctx->requests[tag])) fw_hif_whole(ctx, ctx->requests[tag].sectors);
  fw_hif_transfer(ctx, address, offset,
                  FW_SET(HIF_DMA_GO_TAG, tag) | FW_SET(HIF_DMA_GO_SECTORS, sectors) | direction |
                      (ctx->requests[tag].queued ? HIF_DMA_GO_QUEUED_MASK : 0u) |
                      (ctx->requests[tag].pio ? HIF_DMA_GO_PIO_MASK : 0u) |
                      (ctx->requests[tag].verify ? HIF_DMA_GO_DISCARD_MASK : 0u));
}

// Whether the host interface takes this many transfers of segments and lines now. If not, the caller is called again
// when enough others have ended. A waiting write comes before later and smaller callers.
bool fw_transfers_fit(struct fw_context* ctx, uint32_t count) {
  const bool fit = !ctx->link.lines_short && ctx->link.transfers + count <= ctx->link.transfer_limit;
  ctx->link.transfers_short = ctx->link.transfers_short || !fit;
  return fit;
}

// Resets the tag, as if no command had used it.
void fw_request_clear(struct fw_context* ctx, uint32_t tag) {
  static const struct fw_request kFree = {.state = FW_REQUEST_FREE,
                                          .arm = FW_NO_ARM,
                                          .reserved = FW_NO_ARM,
                                          .segment = FW_NO_SEGMENT,
                                          .next_in_segment = FW_NO_TAG,
                                          .ride_segment = FW_NO_SEGMENT,
                                          .next_rider = FW_NO_TAG};
  ctx->requests[tag] = kFree;
}

void fw_start_later(struct fw_context* ctx, uint32_t tag) {
  uint16_t* last = &ctx->commands.first_anew;
  while (*last != FW_NO_TAG) last = &ctx->requests[*last].next_in_segment;
  *last = (uint16_t)tag;
  ctx->requests[tag].next_in_segment = FW_NO_TAG;
  fw_due(ctx, FW_DUE_ANEW);
}

// The command waits in `state` for the end of its overhead.
void fw_delay_insert(struct fw_context* ctx, uint32_t tag, uint32_t us, enum fw_request_state state) {
  struct fw_request* const request = &ctx->requests[tag];
  request->state = (uint8_t)state;
  request->delay.due = fw_timer_now(ctx) + us;
  uint16_t* link = &ctx->overhead.first_delayed;
  while (*link != FW_NO_TAG && ctx->requests[*link].delay.due <= request->delay.due)
    link = &ctx->requests[*link].delay.next;
  request->delay.next = *link;
  *link = (uint16_t)tag;
  if (ctx->overhead.first_delayed == tag) fw_timer_start(ctx, FW_TIMER_COMMAND, us);
}

// One DMA Setup frame announces all data of a queued command, and until they have moved no others do, unless the host
// has switched on buffer offsets (Serial ATA 2.6, 13.3: off after power-on).
bool fw_announced_whole(const struct fw_context* ctx, const struct fw_request* request) {
  return request->queued && !ctx->host.buffer_offsets;
}

// The last block of PIO data to the host has ended the command.
static bool ended_by_data(const struct fw_request* request) {
  return request->pio && !request->write;
}

// False: the command completes now.
static bool delay_complete(struct fw_context* ctx, uint32_t tag) {
  if (ended_by_data(&ctx->requests[tag])) return false;
  const uint32_t us = ctx->overhead.complete_us[ctx->requests[tag].write ? 1 : 0];
  if (us == 0) return false;
  fw_delay_insert(ctx, tag, us, FW_REQUEST_ENDING);
  fw_show(ctx, FW_STATE_OVERHEAD, tag);
  return true;
}

static void count(struct fw_context* ctx, const struct fw_request* request) {
  struct fw_statistics* const counts = &ctx->statistics;
  if (request->seek || request->marks || request->verify || request->batch == FW_BATCH_LIST) return;
  if (request->write) {
    counts->writes++;
    counts->sectors_written += request->sectors;
  } else {
    counts->reads++;
    counts->sectors_read += request->sectors;
  }
}

void fw_finish(struct fw_context* ctx, uint32_t tag) {
  struct fw_request* const request = &ctx->requests[tag];
  request->state = FW_REQUEST_FREE;
  ctx->commands.active--;
  fw_meter_end(ctx, tag);
  count(ctx, request);
  if (ctx->turn.alone == tag) ctx->turn.alone = FW_NO_TAG;
  if (!ended_by_data(request))
    fw_hif_complete(ctx, FW_SET(HIF_COMPLETE_TAG, tag) | (request->queued ? HIF_COMPLETE_QUEUED_MASK : 0u));
  fw_show(ctx, FW_STATE_COMPLETE, tag);
  fw_due(ctx, FW_DUE_ENDED);
}

void fw_complete(struct fw_context* ctx, uint32_t tag) {
  if (!delay_complete(ctx, tag)) fw_finish(ctx, tag);
}

// `lba`: in the host's sectors. Bits 27:24 of a 28-bit address go into the device register.
static void set_taskfile(struct fw_context* ctx, uint32_t taskfile, uint64_t lba) {
  const uint32_t device = ctx->commands.answers_28 && lba >> 24 != 0 ? DEVICE_LBA | ((uint32_t)(lba >> 24) & 0xFu) : 0u;
  fw_hif_taskfile(ctx, taskfile | FW_SET(HIF_TASKFILE_DEVICE, device));
  fw_hif_taskfile_lba(ctx, ctx->commands.answers_28 ? lba & 0xFFFFFFu : lba);
}

void fw_unqueued_answer(struct fw_context* ctx, uint8_t error, uint32_t count, uint64_t lba) {
  set_taskfile(ctx,
               FW_SET(HIF_TASKFILE_STATUS, ATA_STATUS_READY) | FW_SET(HIF_TASKFILE_ERROR, error) |
                   FW_SET(HIF_TASKFILE_COUNT, count),
               lba);
  fw_hif_complete(ctx, 0);
  fw_hif_taskfile(ctx, ATA_STATUS_READY);
  fw_hif_taskfile_lba(ctx, 0);
  fw_due(ctx, FW_DUE_ENDED);
}

void fw_unqueued_status(struct fw_context* ctx, uint8_t status, uint8_t error, uint64_t lba) {
  const bool plain = status == ATA_STATUS_READY && error == 0 && lba == 0;
  lba /= ctx->drive.logical_sectors;
  if (!plain) {
    set_taskfile(ctx, FW_SET(HIF_TASKFILE_STATUS, status) | FW_SET(HIF_TASKFILE_ERROR, error), lba);
  }
  fw_hif_complete(ctx, 0);
  if (!plain) {  // as a successful completion expects
    fw_hif_taskfile(ctx, ATA_STATUS_READY);
    fw_hif_taskfile_lba(ctx, 0);
  }
  fw_due(ctx, FW_DUE_ENDED);
}

static void record(struct fw_context* ctx, uint32_t tag, bool queued, uint8_t error, uint64_t lba) {
  ctx->errors.last.lba = lba;
  ctx->errors.last.tag = (uint16_t)tag;
  ctx->errors.last.status =
      (uint8_t)((queued ? ATA_STATUS_QUEUED_ERROR : ATA_STATUS_ERROR) | (ctx->pm.fault ? ATA_STATUS_DEVICE_FAULT : 0u));
  ctx->errors.last.error = error;
  ctx->errors.last.sense = 0;
  ctx->errors.last.queued = queued;
  if ((error & ATA_ERROR_UNC) != 0) ctx->statistics.uncorrectable++;
  if ((error & (ATA_ERROR_UNC | ATA_ERROR_ICRC)) != 0 || ctx->pm.fault) fw_due(ctx, FW_DUE_ERROR);
}

void fw_unqueued_fault(struct fw_context* ctx, uint64_t lba) {
  record(ctx, 0, false, ATA_ERROR_ABRT, lba);
  ctx->errors.last.status |= ATA_STATUS_DEVICE_FAULT;
  fw_due(ctx, FW_DUE_ERROR);
  fw_unqueued_status(ctx, ctx->errors.last.status, ctx->errors.last.error, lba);
}

// All commands are dropped at the end of this handler; work under way until then counts as drained.
static void fail_recorded(struct fw_context* ctx, bool queued) {
  if (queued || ctx->commands.active != 0) {
    if (queued) ctx->errors.logged = true;
    fw_drop_all(ctx, queued);
  } else {
    fw_unqueued_status(ctx, ctx->errors.last.status, ctx->errors.last.error,
                       ctx->errors.last.lba);  // at decoding: no command is active
  }
}

// No command is active any more, and no transfer will be reported done.
void fw_commands_dropped(struct fw_context* ctx) {
  ctx->commands.active = 0;
  ctx->commands.first_anew = FW_NO_TAG;
  ctx->link.transfers = 0;
  ctx->link.transfers_short = false;
}

void fw_drop_all(struct fw_context* ctx, bool halt) {
  if (ctx->errors.draining == FW_DRAINING_NOT) ctx->errors.draining = FW_DRAINING_ERROR;
  ctx->errors.halted = halt;
  fw_due(ctx, FW_DUE_DROP);
}

void fw_fail(struct fw_context* ctx, uint32_t tag, bool queued, uint8_t error, uint64_t lba) {
  if (fw_is_due(ctx, FW_DUE_DROP)) return;  // an earlier failure already drops all commands
  record(ctx, tag, queued, error, lba);
  fail_recorded(ctx, queued);
}

void fw_fail_write(struct fw_context* ctx, uint32_t tag, bool queued, uint64_t lba) {
  if (fw_is_due(ctx, FW_DUE_DROP)) return;
  record(ctx, tag, queued, ATA_ERROR_ABRT, lba);
  ctx->errors.last.status |= ATA_STATUS_DEVICE_FAULT;
  fw_due(ctx, FW_DUE_ERROR);
  fail_recorded(ctx, queued);
}

// Queued and unqueued commands were mixed: the error belongs to neither.
void fw_fail_mixed(struct fw_context* ctx) {
  record(ctx, 0, false, ATA_ERROR_ABRT, 0);
  ctx->errors.logged = true;
  fw_drop_all(ctx, true);
}
