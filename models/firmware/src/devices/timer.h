// Timer (tmr): several one-shot timers on the block's only one. Times in microseconds.
#ifndef ARMATURE_FIRMWARE_DEVICES_TIMER_H
#define ARMATURE_FIRMWARE_DEVICES_TIMER_H

#include "core/core.h"

// Anew if it is armed; 0 cancels.
void fw_timer_start(struct fw_context* ctx, enum fw_timer id, uint64_t us);
void fw_timer_cancel(struct fw_context* ctx, enum fw_timer id);
bool fw_timer_armed(const struct fw_context* ctx, enum fw_timer id);

static inline void fw_timer_handler_begins(struct fw_context* ctx) {
  ctx->timers.read = false;
}

// Microseconds since power-on, when the handler first asked.
uint64_t fw_timer_now(struct fw_context* ctx);

// In the timer's handler, in this order: the interrupt is taken; which timers are over, a bit each; and, until it
// returns FW_TIMER_COUNT, the earliest of these, which is no longer armed. In the end the block is set for the next.
// One that was cancelled when it was pending already, or that has been started anew since, is not over.
void fw_timer_acknowledge(struct fw_context* ctx);
uint32_t fw_timers_over(struct fw_context* ctx);
uint32_t fw_timer_next(struct fw_context* ctx, uint32_t* over);

void fw_timer_enable(struct fw_context* ctx);

#endif
