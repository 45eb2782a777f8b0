// Data channels (chn): accesses of arms to the media. `channel`: its number; `n`: an arm with a channel (arm.channel).
// Writes may be posted: address or pieces, mode and mark are set before the access starts, and only its progress is
// read back, which only grows.
#ifndef ARMATURE_FIRMWARE_DEVICES_CHANNEL_H
#define ARMATURE_FIRMWARE_DEVICES_CHANNEL_H

#include "core/core.h"

// Buffer address (bytes) of the next access's data, in one piece.
void fw_channel_address(struct fw_context* ctx, uint32_t channel, uint32_t address);

// The same in pieces, with FW_CHANNEL_GATHER: sectors at an address; sectors that are not moved (read) or are written
// as unreadable; sectors that are read and dropped. Pieces may be added to an access under way (fw_channel_extend).
void fw_channel_piece(struct fw_context* ctx, uint32_t channel, uint32_t address, uint32_t sectors);
void fw_channel_blank(struct fw_context* ctx, uint32_t channel, uint32_t sectors);
void fw_channel_dropped(struct fw_context* ctx, uint32_t channel, uint32_t sectors);

// Of a MEMS store's batch (CHN_MODE_GATHER and CHN_MODE_BATCH): the block `lba` at an address.
void fw_channel_piece_at(struct fw_context* ctx, uint32_t channel, uint64_t lba, uint32_t address);

// chn.mode of the next access; 0 need not be set.
void fw_channel_mode(struct fw_context* ctx, uint32_t channel, uint32_t mode);

// For a free read: number of sectors before the first wanted one; once it has started, how many of them it skips.
void fw_channel_limit(struct fw_context* ctx, uint32_t channel, uint32_t blocks);  // of a store's pass; 0: all of a row
void fw_channel_wanted(struct fw_context* ctx, uint32_t channel, uint32_t sectors);
uint32_t fw_channel_left_out(struct fw_context* ctx, uint32_t channel);

// Starts the access, after its settings above. `flags`: further fields of chn.ctrl.
void fw_channel_access(struct fw_context* ctx, uint32_t n, uint64_t lba, uint32_t sectors, uint32_t flags);

// Extends the access under way to `sectors`. It may be over already: fw_channel_progress shows that at its end.
void fw_channel_extend(struct fw_context* ctx, uint32_t channel, uint32_t sectors);

// The channel reports when `mark` sectors have passed; 0: never. A mark set after the access is over applies to the
// next.
void fw_channel_mark(struct fw_context* ctx, uint32_t channel, uint32_t mark);

// The access ends with the sector under the head.
void fw_channel_stop(struct fw_context* ctx, uint32_t channel);

// Reads and clears the channel's events (chn.intstat).
uint32_t fw_channel_events(struct fw_context* ctx, uint32_t channel);

static inline void fw_channel_handler_begins(struct fw_context* ctx) {
  ctx->channel.progress_read = 0;
}

// Sectors of the access that have passed; after its end, all sectors moved.
uint32_t fw_channel_progress(struct fw_context* ctx, uint32_t channel);

// Why the last access failed (chn.status.cause). FW_CHANNEL_STRAYED: the arm left its track for a moment. The sectors
// that passed have been moved; a write has spoilt the next one.
uint32_t fw_channel_cause(struct fw_context* ctx, uint32_t channel);

// Counters since power-on: reads that failed at first, recovered on a retry, or given up.
struct fw_channel_reads {
  uint32_t failed, recovered, unreadable;
};
struct fw_channel_reads fw_channel_count_reads(struct fw_context* ctx, uint32_t channel);

// The channel's own recovery of unreadable sectors: a step of its retry ladder, then the whole ladder.
void fw_channel_ladder_step(struct fw_context* ctx, uint32_t channel, uint32_t step, uint32_t word);
void fw_channel_ladder(struct fw_context* ctx, uint32_t channel, uint32_t limit_ms);

void fw_channel_enable(struct fw_context* ctx, uint32_t channel);

#endif
