// Spindles (spn), one for each disk stack. They share an interrupt line.
#ifndef ARMATURE_FIRMWARE_DEVICES_SPINDLE_H
#define ARMATURE_FIRMWARE_DEVICES_SPINDLE_H

#include "core/core.h"

// The stack comes to this speed, or to a stop.
void fw_spindle_order(struct fw_context* ctx, uint32_t stack, uint32_t speed);
void fw_spindle_stop(struct fw_context* ctx, uint32_t stack);

// Whether it has reached the ordered speed; and clears that event.
bool fw_spindle_ready(struct fw_context* ctx, uint32_t stack);
void fw_spindle_take_ready(struct fw_context* ctx, uint32_t stack);

// Whether it turns steadily, at any speed.
bool fw_spindle_steady(struct fw_context* ctx, uint32_t stack);

// Whether it turns at a speed to work at.
bool fw_spindle_at_speed(struct fw_context* ctx, uint32_t stack);

void fw_spindle_enable(struct fw_context* ctx, uint32_t stack);

#endif
