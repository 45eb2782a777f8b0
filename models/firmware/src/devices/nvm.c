// Flash.
#include "devices/nvm.h"

uint32_t fw_nvm_sectors(struct fw_context* ctx) {
  return FW_GET(fw_read(ctx, SOC_NVM_BASE, NVM_SIZE), NVM_SIZE_SECTORS);
}

void fw_nvm_read_from(struct fw_context* ctx, uint32_t address) {
  ctx->saves.read_at = address;
}

uint32_t fw_nvm_next(struct fw_context* ctx) {
  const uint32_t at = ctx->saves.read_at, word = at % FW_NVM_PAGE_BYTES / 4u;
  ctx->saves.read_at += 4u;
  if (word == 0) fw_write(ctx, SOC_NVM_BASE, NVM_ADDRESS, at);
  return fw_read(ctx, SOC_NVM_BASE, NVM_DATA(word));
}

void fw_nvm_program(struct fw_context* ctx, uint32_t address, uint32_t first, const uint32_t* words, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) fw_write(ctx, SOC_NVM_BASE, NVM_PAGE(first + i), words[i]);
  fw_write(ctx, SOC_NVM_BASE, NVM_ADDRESS, address);
  fw_write(ctx, SOC_NVM_BASE, NVM_CTRL, NVM_CTRL_PROG_MASK);
}

void fw_nvm_erase(struct fw_context* ctx, uint32_t address) {
  fw_write(ctx, SOC_NVM_BASE, NVM_ADDRESS, address);
  fw_write(ctx, SOC_NVM_BASE, NVM_CTRL, NVM_CTRL_ERASE_MASK);
}

uint32_t fw_nvm_image(struct fw_context* ctx) {
  return fw_read(ctx, SOC_NVM_BASE, NVM_IMAGE);
}

uint32_t fw_nvm_slots(struct fw_context* ctx) {
  return fw_read(ctx, SOC_NVM_BASE, NVM_SLOTS);
}

bool fw_nvm_fits(struct fw_context* ctx, uint32_t address) {
  fw_write(ctx, SOC_NVM_BASE, NVM_ADDRESS, address);
  fw_write(ctx, SOC_NVM_BASE, NVM_BOOT, NVM_BOOT_CHECK_MASK);
  return (fw_read(ctx, SOC_NVM_BASE, NVM_IMAGE) & NVM_IMAGE_FITS_MASK) != 0;
}

void fw_nvm_restart(struct fw_context* ctx) {
  fw_write(ctx, SOC_NVM_BASE, NVM_BOOT, NVM_BOOT_RESTART_MASK);
}

bool fw_nvm_busy(struct fw_context* ctx) {
  return (fw_read(ctx, SOC_NVM_BASE, NVM_STATUS) & NVM_STATUS_BUSY_MASK) != 0;
}

void fw_nvm_enable(struct fw_context* ctx, bool on) {
  fw_write(ctx, SOC_NVM_BASE, NVM_INTEN, on ? NVM_INTEN_DONE_MASK : 0u);
}

void fw_nvm_acknowledge(struct fw_context* ctx) {
  fw_write(ctx, SOC_NVM_BASE, NVM_INTSTAT, NVM_INTSTAT_DONE_MASK);
}
