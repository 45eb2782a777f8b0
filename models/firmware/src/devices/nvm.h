// Flash (nvm): sectors are erased, pages programmed; both take time and end with an interrupt if it is enabled.
#ifndef ARMATURE_FIRMWARE_DEVICES_NVM_H
#define ARMATURE_FIRMWARE_DEVICES_NVM_H

#include "core/core.h"

#define FW_NVM_SECTOR_BYTES 4096u
#define FW_NVM_PAGE_WORDS 64u
#define FW_NVM_PAGE_BYTES (4u * FW_NVM_PAGE_WORDS)

uint32_t fw_nvm_sectors(struct fw_context* ctx);

// Reads words in order from a page's byte address on. REQUIRES: the flash is not busy.
void fw_nvm_read_from(struct fw_context* ctx, uint32_t address);
uint32_t fw_nvm_next(struct fw_context* ctx);

// `first`: word of the page at `address`. The other words keep their values.
void fw_nvm_program(struct fw_context* ctx, uint32_t address, uint32_t first, const uint32_t* words, uint32_t count);
void fw_nvm_erase(struct fw_context* ctx, uint32_t address);

// Firmware images (nvm.image, nvm.slots); whether the one in the slot at `address` is valid; and a restart of the core
// with the newest one, which ends this handler.
uint32_t fw_nvm_image(struct fw_context* ctx);
uint32_t fw_nvm_slots(struct fw_context* ctx);
bool fw_nvm_fits(struct fw_context* ctx, uint32_t address);
void fw_nvm_restart(struct fw_context* ctx);

bool fw_nvm_busy(struct fw_context* ctx);
void fw_nvm_enable(struct fw_context* ctx, bool on);  // the interrupt
void fw_nvm_acknowledge(struct fw_context* ctx);

#endif
