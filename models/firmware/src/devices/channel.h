// Data channels (chn): accesses of arms to the media. `channel`: its number; `n`: an arm that has one (arm.channel).
// Writes may be posted: an access is told address or pieces, mode and mark before it starts, and what is read back of
// it is progress, which only grows.
#ifndef ARMATURE_FIRMWARE_DEVICES_CHANNEL_H
#define ARMATURE_FIRMWARE_DEVICES_CHANNEL_H

#include "core/core.h"

// Where in the buffer the next access has its data, in one piece (bytes).
void fw_channel_address(struct fw_context* ctx, uint32_t channel, uint32_t address);

// The same in pieces, with FW_CHANNEL_GATHER: sectors at an address; sectors that are not moved (read) or are written
// as unreadable; sectors that are read and dropped. Pieces of an access under way may follow it (fw_channel_extend).
void fw_channel_piece(struct fw_context* ctx, uint32_t channel, uint32_t address, uint32_t sectors);
void fw_channel_blank(struct fw_context* ctx, uint32_t channel, uint32_t sectors);
void fw_channel_dropped(struct fw_context* ctx, uint32_t channel, uint32_t sectors);

// Of a MEMS store's batch (CHN_MODE_GATHER and CHN_MODE_BATCH): the block `lba` at an address.
void fw_channel_piece_at(struct fw_context* ctx, uint32_t channel, uint64_t lba, uint32_t address);

// chn.mode of the next access; 0 need not be told.
void fw_channel_mode(struct fw_context* ctx, uint32_t channel, uint32_t mode);

// Of a free read: sectors before the first wanted one. And of these, when it has started, how many it leaves out.
void fw_channel_wanted(struct fw_context* ctx, uint32_t channel, uint32_t sectors);
uint32_t fw_channel_left_out(struct fw_context* ctx, uint32_t channel);

// Starts the access; what is particular to it has been told. `flags`: further fields of chn.ctrl.
void fw_channel_access(struct fw_context* ctx, uint32_t n, uint64_t lba, uint32_t sectors, uint32_t flags);

// The access under way is to have so many sectors. It may be over already: fw_channel_progress tells in the end.
void fw_channel_extend(struct fw_context* ctx, uint32_t channel, uint32_t sectors);

// The channel reports when so many sectors have passed; 0: it does not. Set when the access is over already, it would
// be the next one's.
void fw_channel_mark(struct fw_context* ctx, uint32_t channel, uint32_t mark);

// The access ends with the sector under the head.
void fw_channel_stop(struct fw_context* ctx, uint32_t channel);

// What the channel has to report (chn.intstat), which is taken with it.
uint32_t fw_channel_events(struct fw_context* ctx, uint32_t channel);

static inline void fw_channel_handler_begins(struct fw_context* ctx) {
  ctx->channel.progress_read = 0;
}

// Sectors of the access that have passed; when it is over, all that it has moved.
uint32_t fw_channel_progress(struct fw_context* ctx, uint32_t channel);

// Why the last access failed (chn.status.cause). FW_CHANNEL_STRAYED: the arm left its track for a moment. What has
// passed is moved; a write has spoilt the sector behind that.
uint32_t fw_channel_cause(struct fw_context* ctx, uint32_t channel);

// Counters since power-on: reads that failed at first, that a later try brought, that were given up.
struct fw_channel_reads {
  uint32_t failed, recovered, unreadable;
};
struct fw_channel_reads fw_channel_count_reads(struct fw_context* ctx, uint32_t channel);

// What it does by itself with a sector that it cannot read: a step of its ladder, and then the ladder as a whole.
void fw_channel_ladder_step(struct fw_context* ctx, uint32_t channel, uint32_t step, uint32_t word);
void fw_channel_ladder(struct fw_context* ctx, uint32_t channel, uint32_t limit_ms);

void fw_channel_enable(struct fw_context* ctx, uint32_t channel);

#endif
