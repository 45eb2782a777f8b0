// Buffer RAM's controller.
#include "devices/buffer.h"

uint32_t fw_buf_layout(struct fw_context* ctx) {
  return fw_read(ctx, SOC_BUF_BASE, BUF_LAYOUT);
}

uint32_t fw_buf_lines(struct fw_context* ctx) {
  return fw_read(ctx, SOC_BUF_BASE, BUF_LINES);
}

void fw_buf_choose(struct fw_context* ctx, uint16_t segment) {
  fw_write(ctx, SOC_BUF_BASE, BUF_SEG, segment);
}

uint32_t fw_buf_status(struct fw_context* ctx) {
  return fw_read(ctx, SOC_BUF_BASE, BUF_SEG_STATUS);
}

uint32_t fw_buf_pin(struct fw_context* ctx) {
  return fw_read(ctx, SOC_BUF_BASE, BUF_SEG_PIN);
}

uint32_t fw_buf_reach(struct fw_context* ctx) {
  return fw_read(ctx, SOC_BUF_BASE, BUF_SEG_REACH);
}

void fw_buf_show(struct fw_context* ctx, uint64_t lba, uint32_t place, uint64_t sectors) {
  fw_write(ctx, SOC_BUF_BASE, BUF_SEG_LBA_LO, (uint32_t)lba);
  fw_write(ctx, SOC_BUF_BASE, BUF_SEG_LBA_HI, (uint32_t)(lba >> 32));
  fw_write(ctx, SOC_BUF_BASE, BUF_SEG_PLACE, place);
  fw_write(ctx, SOC_BUF_BASE, BUF_SEG_COMMIT, FW_SET(BUF_SEG_COMMIT_SECTORS, sectors) | BUF_SEG_COMMIT_VALID_MASK);
}

void fw_buf_hide(struct fw_context* ctx) {
  fw_write(ctx, SOC_BUF_BASE, BUF_SEG_COMMIT, 0);
}

void fw_buf_set_reach(struct fw_context* ctx, uint32_t lba) {
  fw_write(ctx, SOC_BUF_BASE, BUF_SEG_REACH, lba);
}

void fw_buf_touch(struct fw_context* ctx, uint16_t segment) {
  fw_write(ctx, SOC_BUF_BASE, BUF_TOUCH, segment);
}

uint32_t fw_buf_hits(struct fw_context* ctx) {
  return fw_read(ctx, SOC_BUF_BASE, BUF_HITS);
}

void fw_buf_lookup(struct fw_context* ctx, uint32_t last_tag, bool enable) {
  fw_write(ctx, SOC_BUF_BASE, BUF_LOOKUP,
           FW_SET(BUF_LOOKUP_LAST_TAG, last_tag) | (enable ? BUF_LOOKUP_ENABLE_MASK : 0u));
}

void fw_buf_tell_release(struct fw_context* ctx, bool tell) {
  if (tell) fw_write(ctx, SOC_BUF_BASE, BUF_INTSTAT, BUF_INTSTAT_RELEASED_MASK);
  fw_write(ctx, SOC_BUF_BASE, BUF_INTEN, tell ? BUF_INTEN_RELEASED_MASK : 0u);
}

void fw_ram_write(struct fw_context* ctx, uint32_t address, uint32_t word) {
  mmio_write32(ctx, SOC_RAM_BASE + address, word);
}

uint32_t fw_ram_read(struct fw_context* ctx, uint32_t address) {
  return mmio_read32(ctx, SOC_RAM_BASE + address);
}
