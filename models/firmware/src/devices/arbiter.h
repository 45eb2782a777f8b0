// Arm-arbitration unit (aau). Writes are posted and take two of its clocks each: what a handler has written is not in
// what the same handler reads.
#ifndef ARMATURE_FIRMWARE_DEVICES_ARBITER_H
#define ARMATURE_FIRMWARE_DEVICES_ARBITER_H

#include "core/core.h"

// The slot waits for an arm. `target`: cylinder and head, `commit`: aau.slot_commit.
void fw_aau_slot(struct fw_context* ctx, uint32_t slot, uint32_t target, uint32_t commit);

// Only that arm may be granted to the slot; FW_NO_ARM: any.
void fw_aau_reserve(struct fw_context* ctx, uint32_t slot, uint32_t n);

// The slot no longer waits: taken back, or put out of the unit's list. It may have been granted already, or be granted
// before this takes effect.
void fw_aau_withdraw(struct fw_context* ctx, uint32_t slot);
void fw_aau_slot_off(struct fw_context* ctx, uint32_t slot);

// The grant that waits (aau.grant; not valid: none does), its estimate in ticks, and the commitment of its slot. Read
// before the grant is taken.
uint32_t fw_aau_grant(struct fw_context* ctx);
uint32_t fw_aau_rides(struct fw_context* ctx, uint32_t word);  // of the pending grant: aau.ride_along
uint32_t fw_aau_estimate(struct fw_context* ctx);
uint32_t fw_aau_commitment(struct fw_context* ctx, uint32_t slot);
void fw_aau_take_grant(struct fw_context* ctx);

// Where the arm is, and whether it may be granted.
void fw_aau_arm(struct fw_context* ctx, uint32_t n, uint32_t place, bool idle);
void fw_aau_wrote(struct fw_context* ctx, uint32_t n, bool wrote);  // and is held for writing
void fw_aau_arrived(struct fw_context* ctx, uint32_t n);
void fw_aau_arms(struct fw_context* ctx, uint32_t mask);                              // that there are, a bit each
void fw_aau_heads(struct fw_context* ctx, uint32_t n, uint32_t head, uint32_t mask);  // surfaces that it may be used on

// Appointments, in ticks: how long the arm's access lasts from its begin, and that it begins so much later.
void fw_aau_appointment(struct fw_context* ctx, uint32_t n, uint32_t ticks);
void fw_aau_postpone(struct fw_context* ctx, uint32_t n, uint32_t ticks);

// aau.ctrl: what the unit prefers, and whether it is on.
void fw_aau_control(struct fw_context* ctx, uint32_t control);

// A register by its offset: one that is set before the unit is on, or its limits.
void fw_aau_set(struct fw_context* ctx, uint32_t offset, uint32_t value);

#endif
