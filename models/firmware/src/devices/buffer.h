// Buffer RAM's controller (buf): its layout, and the table of segments for hardware hits. The table's registers apply
// to the chosen segment.
#ifndef ARMATURE_FIRMWARE_DEVICES_BUFFER_H
#define ARMATURE_FIRMWARE_DEVICES_BUFFER_H

#include "core/core.h"

// buf.layout and buf.lines: how the RAM is divided.
uint32_t fw_buf_layout(struct fw_context* ctx);
uint32_t fw_buf_lines(struct fw_context* ctx);

// Chooses the segment for the following functions.
void fw_buf_choose(struct fw_context* ctx, uint16_t segment);

// Its buf.seg_status; the first of its sectors being sent, and how far reads have gone, both modulo 2^32.
uint32_t fw_buf_status(struct fw_context* ctx);
uint32_t fw_buf_pin(struct fw_context* ctx);
uint32_t fw_buf_reach(struct fw_context* ctx);

// Hardware answers reads of [lba, lba + sectors), which start at `place` in the ring; or none.
void fw_buf_show(struct fw_context* ctx, uint64_t lba, uint32_t place, uint64_t sectors);
void fw_buf_hide(struct fw_context* ctx);
void fw_buf_set_reach(struct fw_context* ctx, uint32_t lba);

// The segment has been used; it need not be the chosen one.
void fw_buf_touch(struct fw_context* ctx, uint16_t segment);

// Reads answered by hardware since power-on.
uint32_t fw_buf_hits(struct fw_context* ctx);

// Whether hardware answers reads at all; tags up to `last_tag`.
void fw_buf_lookup(struct fw_context* ctx, uint32_t last_tag, bool enable);

// Switches the interrupt at the end of a hit's transfer on or off.
void fw_buf_tell_release(struct fw_context* ctx, bool tell);

// A word of the RAM, at a byte address.
void fw_ram_write(struct fw_context* ctx, uint32_t address, uint32_t word);
uint32_t fw_ram_read(struct fw_context* ctx, uint32_t address);

#endif
