// Timer (tmr): several one-shot timers on the only hardware timer. Times in microseconds.
#ifndef ARMATURE_FIRMWARE_DEVICES_TIMER_H
#define ARMATURE_FIRMWARE_DEVICES_TIMER_H

#include "core/core.h"

// Restarts the timer if armed; 0 cancels it.
void fw_timer_start(struct fw_context* ctx, enum fw_timer id, uint64_t us);
void fw_timer_cancel(struct fw_context* ctx, enum fw_timer id);
bool fw_timer_armed(const struct fw_context* ctx, enum fw_timer id);

static inline void fw_timer_handler_begins(struct fw_context* ctx) {
  ctx->timers.read = false;
}

// Microseconds since power-on, as of the handler's first call.
uint64_t fw_timer_now(struct fw_context* ctx);

// In the timer's handler, in this order: acknowledge the interrupt; get the expired timers, a bit each; then take the
// earliest until FW_TIMER_COUNT, which sets the hardware for the next. Taken timers are disarmed. A timer cancelled
// while pending, or restarted since, does not count.
void fw_timer_acknowledge(struct fw_context* ctx);
uint32_t fw_timers_over(struct fw_context* ctx);
uint32_t fw_timer_next(struct fw_context* ctx, uint32_t* over);

void fw_timer_enable(struct fw_context* ctx);

#endif
