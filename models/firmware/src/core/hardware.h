// Registers, limits and codes that firmware is built for.
#ifndef ARMATURE_FIRMWARE_CORE_HARDWARE_H
#define ARMATURE_FIRMWARE_CORE_HARDWARE_H

#include "armature/firmware/fw_abi.h"
#include "armature/firmware/regs/aau.h"
#include "armature/firmware/regs/buf.h"
#include "armature/firmware/regs/cha.h"
#include "armature/firmware/regs/chn.h"
#include "armature/firmware/regs/dbg.h"
#include "armature/firmware/regs/hif.h"
#include "armature/firmware/regs/irq.h"
#include "armature/firmware/regs/nvm.h"
#include "armature/firmware/regs/pmu.h"
#include "armature/firmware/regs/soc.h"
#include "armature/firmware/regs/spn.h"
#include "armature/firmware/regs/srv.h"
#include "armature/firmware/regs/tmr.h"
#include "armature/firmware/regs/xlt.h"

#include <stdbool.h>

#define FW_SECTOR_BYTES 512u
#define FW_NO_TAG 0xFFFFu
#define FW_NO_SEGMENT 0xFFFFu
#define FW_NO_ARM 0xFFu
#define FW_NO_CHANNEL 0xFFu
#define FW_NO_LINE 0xFFFFu
#define FW_NO_SLOT 0xFFu
#define FW_NO_HEAD 0xFFu
#define FW_LINE_SECTORS 8u
#define FW_MOST_SPARES 16u     // spares tried in a row for a unit before its write fails
#define FW_MOST_REFUSALS 64u   // refused accesses in a row before the drive reports a fault
#define FW_LINE_BUCKETS 4096u  // a power of two
#define FW_CHANNEL_WELL 0u     // chn.status.cause
#define FW_CHANNEL_NOT_AT_SPEED 3u
#define FW_CHANNEL_UNREADABLE 5u
#define FW_CHANNEL_STRAYED 6u
#define FW_MAX_PENDING 1024u   // physical sectors that could not be read
#define FW_MAX_FILL_LINES 24u  // each of 10 pieces at most
#define FW_RUN_PARTS 8u        // transfers under way at a time for a written run's data
#define FW_MAX_PIECES 256u     // of a channel's access
#define FW_MAX_TRANSFERS 512u  // most transfers that the host interface takes
#define FW_FLOW_LINES 32u      // most lines in a transfer from the host

// FW_GET extracts a field of a word; FW_SET makes a word with only that field.
#define FW_GET(word, field) (((word)&field##_MASK) >> field##_SHIFT)
#define FW_SET(field, value) (((uint32_t)(value) << field##_SHIFT) & field##_MASK)

// ATA status and error (ATA8-ACS).
#define ATA_STATUS_READY 0x50u         // DRDY, and the obsolete "seek complete"
#define ATA_STATUS_ERROR 0x51u         // of an unqueued command
#define ATA_STATUS_QUEUED_ERROR 0x41u  // of a queued command
#define ATA_STATUS_DEVICE_FAULT 0x20u
#define ATA_ERROR_ABRT 0x04u
#define ATA_ERROR_IDNF 0x10u
#define ATA_ERROR_UNC 0x40u
#define ATA_ERROR_ICRC 0x80u

#endif
