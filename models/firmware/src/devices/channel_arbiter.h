// Channel arbiter (cha), where there are fewer channels than arms.
#ifndef ARMATURE_FIRMWARE_DEVICES_CHANNEL_ARBITER_H
#define ARMATURE_FIRMWARE_DEVICES_CHANNEL_ARBITER_H

#include "core/core.h"

// `policy`: of cha.ctrl; `margin`: ticks from a grant to the start of the channel.
void fw_cha_start(struct fw_context* ctx, uint32_t policy, uint32_t margin);
void fw_cha_margin(struct fw_context* ctx, uint32_t margin);  // ticks

// The arm asks for a channel (`request`: angle and stack of its first sector), or no longer asks. A grant may already
// be pending.
void fw_cha_ask(struct fw_context* ctx, uint32_t n, uint32_t request);
void fw_cha_ask_no_more(struct fw_context* ctx, uint32_t n);

// Reads the pending grant (cha.grant; not valid: none), and takes it.
uint32_t fw_cha_grant(struct fw_context* ctx);
void fw_cha_take_grant(struct fw_context* ctx);

// The channel is free.
void fw_cha_free(struct fw_context* ctx, uint32_t channel);

// Clears all requests and free channels.
void fw_cha_clear(struct fw_context* ctx, uint32_t policy);

#endif
