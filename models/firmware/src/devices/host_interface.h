// Host interface (hif): commands, transfers over the link, completions.
#ifndef ARMATURE_FIRMWARE_DEVICES_HOST_INTERFACE_H
#define ARMATURE_FIRMWARE_DEVICES_HOST_INTERFACE_H

#include "core/core.h"

// The command at the head of the FIFO: hif.cmd (not valid: none) and its other registers. It stays until popped.
uint32_t fw_hif_command(struct fw_context* ctx);
uint64_t fw_hif_command_lba(struct fw_context* ctx, uint32_t* high);  // high: hif.cmd_lba_hi, with the device register
uint32_t fw_hif_command_code(struct fw_context* ctx);                 // hif.cmd_code: with the features
uint32_t fw_hif_command_count(struct fw_context* ctx);
void fw_hif_pop(struct fw_context* ctx);

// A transfer between the link and the buffer. `offset`: sectors of the command before it; `go`: hif.dma_go.
void fw_hif_transfer(struct fw_context* ctx, uint32_t address, uint32_t offset, uint32_t go);

// The next transfer is part of a queued command of `sectors` sectors of 512 bytes, announced by one DMA Setup frame.
void fw_hif_whole(struct fw_context* ctx, uint32_t sectors);

// Takes the oldest ended transfer not yet reported (hif.dma_done; not valid: none).
uint32_t fw_hif_transfer_done(struct fw_context* ctx);

// PIO data of the active command: sectors of 512 bytes per DRQ block, and in total.
void fw_hif_pio(struct fw_context* ctx, uint32_t block, uint32_t sectors);

// Sectors of reads answered by hardware.
uint64_t fw_hif_hit_sectors(struct fw_context* ctx);

// The command that came `age` commands before the last one, 0 to 4. All zeros: there was none.
struct fw_past_command fw_hif_past_command(struct fw_context* ctx, uint32_t age);

// Contents of the next completion: hif.taskfile, and the LBA. They keep their values until set again.
void fw_hif_taskfile(struct fw_context* ctx, uint32_t taskfile);
void fw_hif_taskfile_lba(struct fw_context* ctx, uint64_t lba);
void fw_hif_taskfile_lba_low(struct fw_context* ctx, uint32_t lba);  // the upper part is already 0

// A command ends, `complete`: hif.complete.
void fw_hif_complete(struct fw_context* ctx, uint32_t complete);

// hif.ctrl: commands are taken, refused, dropped.
void fw_hif_control(struct fw_context* ctx, uint32_t control);

// Link events (hif.intstat), and their acknowledgement.
uint32_t fw_hif_events(struct fw_context* ctx);
void fw_hif_acknowledge(struct fw_context* ctx, uint32_t events);

void fw_hif_enable(struct fw_context* ctx);

#endif
