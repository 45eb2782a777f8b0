// Servos (srv), one for each arm `n`.
#ifndef ARMATURE_FIRMWARE_DEVICES_SERVO_H
#define ARMATURE_FIRMWARE_DEVICES_SERVO_H

#include "core/core.h"

// The arm moves to cylinder and head `target` (as srv.target). `command`: fields of srv.ctrl except go.
void fw_servo_move(struct fw_context* ctx, uint32_t n, uint32_t target, uint32_t command);

// Moves the arm onto the ramp or from it, by `command` (srv.ctrl).
void fw_servo_order(struct fw_context* ctx, uint32_t n, uint32_t command);

// Reads and clears the events (srv.intstat); the variants only read them, or clear a head fault.
uint32_t fw_servo_events(struct fw_context* ctx, uint32_t n);
uint32_t fw_servo_faults(struct fw_context* ctx, uint32_t n);
void fw_servo_take_head_fault(struct fw_context* ctx, uint32_t n);

// srv.status: the arm's position; srv.parking: whether it is on the ramp, and whether the drive has one.
uint32_t fw_servo_status(struct fw_context* ctx, uint32_t n);
uint32_t fw_servo_parking(struct fw_context* ctx, uint32_t n);

void fw_servo_enable(struct fw_context* ctx, uint32_t n);

#endif
