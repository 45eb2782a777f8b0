// Firmware's own declarations: its state and what its files offer each other.
//
// A media command runs through these handlers:
//   HIF_READ, HIF_WRITE   decode, range check, translation of its first LBA, slot of the arbitration unit
//   AAU                   a grant: first run of sectors, start of the arm; for a write, its data are fetched meanwhile
//   SRV                   arm on track: start of the channel, as soon as there are a segment, a channel and a write's
//   data CHN                   run done: data to the host, next run on the next track, or arm back to the arbitration
//   unit HIF_DMA               data moved: completion of a read, or start of the channel for a write
// A run is a piece of a request on one track and in one buffer segment. A request has at most two: one on the media,
// one on the link.
#ifndef ARMATURE_FIRMWARE_FIRMWARE_H
#define ARMATURE_FIRMWARE_FIRMWARE_H

#include "armature/firmware/fw_abi.h"
#include "armature/firmware/regs/aau.h"
#include "armature/firmware/regs/buf.h"
#include "armature/firmware/regs/chn.h"
#include "armature/firmware/regs/dbg.h"
#include "armature/firmware/regs/hif.h"
#include "armature/firmware/regs/irq.h"
#include "armature/firmware/regs/nvm.h"
#include "armature/firmware/regs/soc.h"
#include "armature/firmware/regs/spn.h"
#include "armature/firmware/regs/srv.h"
#include "armature/firmware/regs/tmr.h"

#include <stdbool.h>

#define FW_SECTOR_BYTES 512u
#define FW_NO_TAG 0xFFFFu
#define FW_NO_SEGMENT 0xFFFFu
#define FW_NO_ARM 0xFFu
#define FW_NO_CHANNEL 0xFFu

// A word's field, and a word with only that field.
#define FW_GET(word, field) (((word)&field##_MASK) >> field##_SHIFT)
#define FW_SET(field, value) (((uint32_t)(value) << field##_SHIFT) & field##_MASK)

// ATA status and error (ATA8-ACS).
#define ATA_STATUS_READY 0x50u         // DRDY, and the obsolete "seek complete"
#define ATA_STATUS_ERROR 0x51u         // of an unqueued command
#define ATA_STATUS_QUEUED_ERROR 0x41u  // of a queued command
#define ATA_STATUS_DEVICE_FAULT 0x20u
#define ATA_ERROR_ABRT 0x04u
#define ATA_ERROR_IDNF 0x10u
#define ATA_ERROR_ICRC 0x80u

struct fw_run {
  uint32_t offset;   // sectors from the request's first
  uint32_t sectors;  // 0: there is no run
  uint32_t track;    // as chn.xl_track and srv.target: cylinder and head
  uint16_t segment;
  bool data_here;  // of a write: the host's data are in the segment
};

struct fw_request {
  uint64_t lba;
  uint32_t sectors;
  uint32_t media_done;        // sectors
  uint32_t link_done;         // sectors
  uint32_t track;             // of the first sector
  uint32_t track_rest;        // sectors from the first to the end of its track
  uint16_t link_segments[2];  // of a read: filled, on their way to the host; oldest first
  uint8_t link_runs;          // of these
  uint8_t arm;                // that serves it, FW_NO_ARM
  bool active;
  bool write;
  bool queued;
};

enum fw_arm_state { FW_ARM_IDLE, FW_ARM_MOVING, FW_ARM_ON_TRACK, FW_ARM_TRANSFER };

struct fw_arm {
  struct fw_run run;   // at work or next on the media
  struct fw_run next;  // of a write: the run after it, whose data are fetched ahead
  uint32_t track;      // that the arm is on or moves to
  uint16_t tag;        // FW_NO_TAG: idle, or the request was aborted and the arm comes to rest
  uint8_t state;       // enum fw_arm_state
  uint8_t channel;     // at work for it, FW_NO_CHANNEL
  bool waits_segment;
  bool waits_channel;
};

// Arms in the order in which they began to wait for something.
struct fw_arm_queue {
  uint8_t arms[FW_MAX_ARMS];
  uint8_t count;
};

struct fw_error {
  uint64_t lba;
  uint16_t tag;
  uint8_t status;
  uint8_t error;
  bool queued;  // the failed command was a queued one
};

struct fw_context {
  struct fw_context_base base;

  // The drive, from factory record and hardware.
  uint64_t capacity;  // sectors
  uint32_t arms;
  uint32_t channels;
  uint32_t queue_depth;
  uint32_t segments;
  uint32_t segment_sectors;

  struct fw_request requests[FW_MAX_TAGS];
  struct fw_arm arm[FW_MAX_ARMS];
  uint8_t channel_arm[FW_MAX_CHANNELS];  // FW_NO_ARM: free
  uint16_t free_segments[FW_MAX_SEGMENTS];
  uint32_t free_segment_count;
  struct fw_arm_queue segment_queue;
  struct fw_arm_queue channel_queue;
  uint32_t active_requests;

  struct fw_error error;  // of the queued command that failed last, for log 10h
  bool error_logged;      // there is one
  bool draining;          // an error is reported when the last arm has come to rest
  bool halted;            // until log 10h is read
  bool fault;             // the spindle did not come to speed
  bool stopped;           // an impossible state
  uint8_t shown_state;    // enum fw_state
};

static inline uint32_t fw_read(struct fw_context* ctx, uint32_t base, uint32_t offset) {
  return mmio_read32(ctx, base + offset);
}

static inline void fw_write(struct fw_context* ctx, uint32_t base, uint32_t offset, uint32_t value) {
  mmio_write32(ctx, base + offset, value);
}

// console.c
void fw_show(struct fw_context* ctx, enum fw_state state, uint32_t tag);
void fw_print(struct fw_context* ctx, const char* text);
void fw_stop(struct fw_context* ctx, uint32_t line);
#define FW_STOP(ctx) fw_stop((ctx), (uint32_t)__LINE__)

// reset.c
void fw_spindle_ready(struct fw_context* ctx);
void fw_timer_expired(struct fw_context* ctx);

// command.c
void fw_media_command(struct fw_context* ctx);
void fw_other_command(struct fw_context* ctx);

// media.c
void fw_translate(struct fw_context* ctx, uint64_t lba, uint32_t* track, uint32_t* angle, uint32_t* run);
void fw_granted(struct fw_context* ctx);
void fw_servo_event(struct fw_context* ctx, uint32_t arm);
void fw_channel_event(struct fw_context* ctx, uint32_t channel);
void fw_dma_event(struct fw_context* ctx);
void fw_rest(struct fw_context* ctx, uint32_t arm);  // the arm is free for the arbitration unit
void fw_complete(struct fw_context* ctx, uint32_t tag);

// segment.c
void fw_segments_reset(struct fw_context* ctx);
uint16_t fw_segment_take(struct fw_context* ctx);  // FW_NO_SEGMENT if none is free
void fw_segment_give(struct fw_context* ctx, uint16_t segment);
uint32_t fw_segment_address(const struct fw_context* ctx, uint16_t segment);
uint32_t fw_system_address(const struct fw_context* ctx);
void fw_enqueue(struct fw_arm_queue* queue, uint32_t arm);
uint32_t fw_dequeue(struct fw_arm_queue* queue);  // requires that it is not empty

// ata_pages.c
void fw_send_identify(struct fw_context* ctx);
void fw_send_log_directory(struct fw_context* ctx);
void fw_send_error_log(struct fw_context* ctx);

// error.c
void fw_fail(struct fw_context* ctx, uint32_t tag, bool queued, uint8_t error, uint64_t lba);
void fw_reject(struct fw_context* ctx);
void fw_drained(struct fw_context* ctx);
void fw_unqueued_status(struct fw_context* ctx, uint8_t status, uint8_t error, uint64_t lba);
void fw_link_error(struct fw_context* ctx);

#endif
