// Arm-arbitration unit (aau). Writes are posted and take two of its clocks each: a handler's reads do not yet show its
// own writes.
#ifndef ARMATURE_FIRMWARE_DEVICES_ARBITER_H
#define ARMATURE_FIRMWARE_DEVICES_ARBITER_H

#include "core/core.h"

// The slot waits for an arm. `target`: cylinder and head, `commit`: aau.slot_commit.
void fw_aau_slot(struct fw_context* ctx, uint32_t slot, uint32_t target, uint32_t commit);

// Reserves the slot for that arm; FW_NO_ARM: for any.
void fw_aau_reserve(struct fw_context* ctx, uint32_t slot, uint32_t n);

// The slot no longer waits: withdrawn, or removed from the unit's list. It may have been granted already, or be granted
// before this takes effect.
void fw_aau_withdraw(struct fw_context* ctx, uint32_t slot);
void fw_aau_slot_off(struct fw_context* ctx, uint32_t slot);

// The pending grant (aau.grant; not valid: none), its estimate in ticks, and the commitment of its slot. Read them
// before taking the grant.
uint32_t fw_aau_grant(struct fw_context* ctx);
uint32_t fw_aau_rides(struct fw_context* ctx, uint32_t word);  // aau.ride_along of the pending grant
uint32_t fw_aau_estimate(struct fw_context* ctx);
uint32_t fw_aau_commitment(struct fw_context* ctx, uint32_t slot);
void fw_aau_take_grant(struct fw_context* ctx);

// Where the arm is, and whether it may be granted.
void fw_aau_arm(struct fw_context* ctx, uint32_t n, uint32_t place, bool idle);
void fw_aau_wrote(struct fw_context* ctx, uint32_t n, bool wrote);  // whether it is held for writing
void fw_aau_arrived(struct fw_context* ctx, uint32_t n);
void fw_aau_arms(struct fw_context* ctx, uint32_t mask);                              // that there are, a bit each
void fw_aau_heads(struct fw_context* ctx, uint32_t n, uint32_t head, uint32_t mask);  // surfaces that it may be used on

// Appointments, in ticks: the length of the arm's access, and by how much its start is delayed.
void fw_aau_appointment(struct fw_context* ctx, uint32_t n, uint32_t ticks);
void fw_aau_postpone(struct fw_context* ctx, uint32_t n, uint32_t ticks);

// aau.ctrl: the unit's preferences, and whether it is on.
void fw_aau_control(struct fw_context* ctx, uint32_t control);

// Sets a register by its offset: one set before the unit is on, or its limits.
void fw_aau_set(struct fw_context* ctx, uint32_t offset, uint32_t value);

#endif
