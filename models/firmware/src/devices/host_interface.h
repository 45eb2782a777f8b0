// Host interface (hif): commands, transfers over the link, completions.
#ifndef ARMATURE_FIRMWARE_DEVICES_HOST_INTERFACE_H
#define ARMATURE_FIRMWARE_DEVICES_HOST_INTERFACE_H

#include "core/core.h"

// The command at the head of the FIFO: hif.cmd (not valid: there is none) and what belongs to it. It stays there until
// it is popped.
uint32_t fw_hif_command(struct fw_context* ctx);
uint64_t fw_hif_command_lba(struct fw_context* ctx, uint32_t* high);  // high: hif.cmd_lba_hi, with the device register
uint32_t fw_hif_command_code(struct fw_context* ctx);                 // hif.cmd_code: with the features
uint32_t fw_hif_command_count(struct fw_context* ctx);
void fw_hif_pop(struct fw_context* ctx);

// A transfer between the link and the buffer. `offset`: sectors of the command before it; `go`: hif.dma_go.
void fw_hif_transfer(struct fw_context* ctx, uint32_t address, uint32_t offset, uint32_t go);

// The next transfer is a part of a queued command with so many sectors of 512 bytes, which one DMA Setup frame
// announces.
void fw_hif_whole(struct fw_context* ctx, uint32_t sectors);

// The oldest transfer that has ended and is not reported (hif.dma_done; not valid: none), which is taken with it.
uint32_t fw_hif_transfer_done(struct fw_context* ctx);

// PIO data of the command at work: sectors of 512 bytes in a DRQ block, and all of them.
void fw_hif_pio(struct fw_context* ctx, uint32_t block, uint32_t sectors);

// Sectors of reads that hardware has answered.
uint64_t fw_hif_hit_sectors(struct fw_context* ctx);

// The command that came `age` commands before the last one, 0 to 4. All zeros: there was none.
struct fw_past_command fw_hif_past_command(struct fw_context* ctx, uint32_t age);

// What the next completion tells: hif.taskfile, and the LBA. They stay as they are until they are set anew.
void fw_hif_taskfile(struct fw_context* ctx, uint32_t taskfile);
void fw_hif_taskfile_lba(struct fw_context* ctx, uint64_t lba);
void fw_hif_taskfile_lba_low(struct fw_context* ctx, uint32_t lba);  // whose upper part is 0 already

// A command ends, `complete`: hif.complete.
void fw_hif_complete(struct fw_context* ctx, uint32_t complete);

// hif.ctrl: commands are taken, refused, dropped.
void fw_hif_control(struct fw_context* ctx, uint32_t control);

// What has happened on the link (hif.intstat), and that it is dealt with.
uint32_t fw_hif_events(struct fw_context* ctx);
void fw_hif_acknowledge(struct fw_context* ctx, uint32_t events);

void fw_hif_enable(struct fw_context* ctx);

#endif
