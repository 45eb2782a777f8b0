// Buffer RAM's controller (buf): its layout, and the table of segments that hardware answers reads from. The table's
// registers are those of the segment chosen last.
#ifndef ARMATURE_FIRMWARE_DEVICES_BUFFER_H
#define ARMATURE_FIRMWARE_DEVICES_BUFFER_H

#include "core/core.h"

// buf.layout and buf.lines: how the RAM is divided.
uint32_t fw_buf_layout(struct fw_context* ctx);
uint32_t fw_buf_lines(struct fw_context* ctx);

// The segment that the following is about.
void fw_buf_choose(struct fw_context* ctx, uint16_t segment);

// Its buf.seg_status; the first sector of what is being sent of it, and how far reads have gone, both modulo 2^32.
uint32_t fw_buf_status(struct fw_context* ctx);
uint32_t fw_buf_pin(struct fw_context* ctx);
uint32_t fw_buf_reach(struct fw_context* ctx);

// Reads of [lba, lba + sectors) are answered, which lie in the ring from `place` on; or none are.
void fw_buf_show(struct fw_context* ctx, uint64_t lba, uint32_t place, uint64_t sectors);
void fw_buf_hide(struct fw_context* ctx);
void fw_buf_set_reach(struct fw_context* ctx, uint32_t lba);

// The segment, which need not be chosen, has been used.
void fw_buf_touch(struct fw_context* ctx, uint16_t segment);

// Reads that hardware has answered since power-on.
uint32_t fw_buf_hits(struct fw_context* ctx);

// Whether reads are answered at all; tags up to `last_tag`.
void fw_buf_lookup(struct fw_context* ctx, uint32_t last_tag, bool enable);

// An interrupt tells when something that was being sent has been: from now on, or no longer.
void fw_buf_tell_release(struct fw_context* ctx, bool tell);

// A word of the RAM, at a byte address.
void fw_ram_write(struct fw_context* ctx, uint32_t address, uint32_t word);
uint32_t fw_ram_read(struct fw_context* ctx, uint32_t address);

#endif
