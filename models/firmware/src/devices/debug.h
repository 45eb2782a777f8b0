// Debug port (dbg): firmware's output for observers. It does not affect the drive.
#ifndef ARMATURE_FIRMWARE_DEVICES_DEBUG_H
#define ARMATURE_FIRMWARE_DEVICES_DEBUG_H

#include "core/core.h"

// Firmware's state by name, in the waveform; `tag`: its command, 0 if none.
void fw_show(struct fw_context* ctx, enum fw_state state, uint32_t tag);

// What the command waits for from now on, for its time record.
enum fw_wait {
  FW_WAIT_OVER = 0,
  FW_WAIT_FILL = 1,
  FW_WAIT_DESTAGE = 2,
  FW_WAIT_CHANNEL = 3,
  FW_WAIT_SECTOR = 4,
  FW_WAIT_ARM = 5
};
void fw_account(struct fw_context* ctx, uint32_t tag, enum fw_wait reason);

// The command continues with that arm without a grant of the unit, for its time record.
void fw_account_arm(struct fw_context* ctx, uint32_t tag, uint32_t n);

// Text for the console, without a line end.
void fw_print(struct fw_context* ctx, const char* text);

// The same with numbers: %u uint32_t, %x uint32_t in hexadecimal, %llu uint64_t, %s text, %% a percent sign. Anything
// else stands as it is.
void fw_printf(struct fw_context* ctx, const char* format, ...);

// A counter's new value, for summary.json.
void fw_count(struct fw_context* ctx, enum fw_counter counter, uint32_t value);

#endif
