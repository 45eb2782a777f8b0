// Host interface.
#include "devices/host_interface.h"

uint32_t fw_hif_command(struct fw_context* ctx) {
  return fw_read(ctx, SOC_HIF_BASE, HIF_CMD);
}

uint64_t fw_hif_command_lba(struct fw_context* ctx, uint32_t* high) {
  const uint32_t lo = fw_read(ctx, SOC_HIF_BASE, HIF_CMD_LBA_LO);
  *high = fw_read(ctx, SOC_HIF_BASE, HIF_CMD_LBA_HI);
  return lo | (uint64_t)FW_GET(*high, HIF_CMD_LBA_HI_LBA) << 32;
}

uint32_t fw_hif_command_code(struct fw_context* ctx) {
  return fw_read(ctx, SOC_HIF_BASE, HIF_CMD_CODE);
}

uint32_t fw_hif_command_count(struct fw_context* ctx) {
  return FW_GET(fw_read(ctx, SOC_HIF_BASE, HIF_CMD_COUNT), HIF_CMD_COUNT_COUNT);
}

void fw_hif_pop(struct fw_context* ctx) {
  fw_write(ctx, SOC_HIF_BASE, HIF_CMD_POP, HIF_CMD_POP_POP_MASK);
}

void fw_hif_transfer(struct fw_context* ctx, uint32_t address, uint32_t offset, uint32_t go) {
  fw_write(ctx, SOC_HIF_BASE, HIF_DMA_ADDR, address);
  fw_write(ctx, SOC_HIF_BASE, HIF_DMA_OFFSET, offset);
  fw_write(ctx, SOC_HIF_BASE, HIF_DMA_GO, go);
}

void fw_hif_whole(struct fw_context* ctx, uint32_t sectors) {
  fw_write(ctx, SOC_HIF_BASE, HIF_DMA_WHOLE, sectors);
}

uint32_t fw_hif_transfer_done(struct fw_context* ctx) {
  const uint32_t done = fw_read(ctx, SOC_HIF_BASE, HIF_DMA_DONE);
  if ((done & HIF_DMA_DONE_VALID_MASK) != 0) fw_write(ctx, SOC_HIF_BASE, HIF_DMA_POP, HIF_DMA_POP_POP_MASK);
  return done;
}

void fw_hif_pio(struct fw_context* ctx, uint32_t block, uint32_t sectors) {
  fw_write(ctx, SOC_HIF_BASE, HIF_PIO, FW_SET(HIF_PIO_BLOCK, block) | FW_SET(HIF_PIO_SECTORS, sectors));
}

uint64_t fw_hif_hit_sectors(struct fw_context* ctx) {
  const uint32_t low = fw_read(ctx, SOC_HIF_BASE, HIF_HIT_SECTORS_LO);
  return low | (uint64_t)fw_read(ctx, SOC_HIF_BASE, HIF_HIT_SECTORS_HI) << 32;
}

void fw_hif_taskfile(struct fw_context* ctx, uint32_t taskfile) {
  fw_write(ctx, SOC_HIF_BASE, HIF_TASKFILE, taskfile);
}

void fw_hif_taskfile_lba(struct fw_context* ctx, uint64_t lba) {
  fw_write(ctx, SOC_HIF_BASE, HIF_TASKFILE_LBA_LO, (uint32_t)lba);
  fw_write(ctx, SOC_HIF_BASE, HIF_TASKFILE_LBA_HI, (uint32_t)(lba >> 32));
}

void fw_hif_taskfile_lba_low(struct fw_context* ctx, uint32_t lba) {
  fw_write(ctx, SOC_HIF_BASE, HIF_TASKFILE_LBA_LO, lba);
}

struct fw_past_command fw_hif_past_command(struct fw_context* ctx, uint32_t age) {
  struct fw_past_command command;
  for (uint32_t i = 0; i < 4u; ++i) command.frame[i] = fw_read(ctx, SOC_HIF_BASE, HIF_PAST(5u * age + i));
  command.ms = fw_read(ctx, SOC_HIF_BASE, HIF_PAST(5u * age + 4u));
  return command;
}

void fw_hif_complete(struct fw_context* ctx, uint32_t complete) {
  fw_write(ctx, SOC_HIF_BASE, HIF_COMPLETE, complete);
}

void fw_hif_control(struct fw_context* ctx, uint32_t control) {
  fw_write(ctx, SOC_HIF_BASE, HIF_CTRL, control);
}

uint32_t fw_hif_events(struct fw_context* ctx) {
  return fw_read(ctx, SOC_HIF_BASE, HIF_INTSTAT);
}

void fw_hif_acknowledge(struct fw_context* ctx, uint32_t events) {
  fw_write(ctx, SOC_HIF_BASE, HIF_INTSTAT, events);
}

void fw_hif_enable(struct fw_context* ctx) {
  fw_write(ctx, SOC_HIF_BASE, HIF_INTEN,
           HIF_INTEN_READ_MASK | HIF_INTEN_WRITE_MASK | HIF_INTEN_OTHER_MASK | HIF_INTEN_DMA_MASK |
               HIF_INTEN_LINK_ERROR_MASK | HIF_INTEN_RESET_MASK);
}
