// Data channels (chn): accesses of arms to the media. `n`: an arm that has a channel (arm.channel).
#ifndef ARMATURE_FIRMWARE_DEVICES_CHANNEL_H
#define ARMATURE_FIRMWARE_DEVICES_CHANNEL_H

#include "core/core.h"

// Starts the access; what is particular to it (address or pieces, mode, mark) has been written. `flags`: further fields
// of chn.ctrl.
void fw_channel_access(struct fw_context* ctx, uint32_t n, uint64_t lba, uint32_t sectors, uint32_t flags);

// The access ends with the sector under the head.
void fw_stop_channel(struct fw_context* ctx, uint32_t n);

// Why the channel's last access failed (chn.status.cause).
uint32_t fw_channel_cause(struct fw_context* ctx, uint32_t channel);

#endif
