// The table of ATA commands: each code and its handler. `./armature gen ata` writes the table in
// docs/reference/ata-commands.md from this file.
#ifndef ARMATURE_FIRMWARE_COMMANDS_COMMAND_TABLE_H
#define ARMATURE_FIRMWARE_COMMANDS_COMMAND_TABLE_H

#include "core/core.h"

// How a command's data move (ACS-3, command protocols).
enum fw_protocol {
  FW_ABSENT,  // the drive does not have the command: it is aborted
  FW_NON_DATA,
  FW_PIO_IN,  // to the host
  FW_PIO_OUT,
  FW_DMA_IN,
  FW_DMA_OUT,
  FW_QUEUED_IN,
  FW_QUEUED_OUT,
};

#define FW_48 1u        // 48-bit address and 16-bit count
#define FW_MULTIPLE 2u  // DRQ blocks as SET MULTIPLE MODE has set them
#define FW_VERIFY 4u    // the sectors are read, and no data go to the host
#define FW_QUIET 8u     // does not count as activity: restarts no timer of the power modes or of background work

// A command that is not queued, as the host interface shows it.
struct fw_command {
  uint8_t code;
  uint8_t device;
  uint8_t protocol;  // enum fw_protocol
  uint8_t flags;
  uint16_t features;
  uint16_t count;
  uint64_t lba;           // in the host's sectors, all 48 bits of the frame
  bool after_native_max;  // the command before was READ NATIVE MAX ADDRESS
};

typedef void fw_command_handler(struct fw_context* ctx, const struct fw_command* command);

struct fw_command_entry {
  uint8_t protocol;
  uint8_t flags;
  fw_command_handler* handler;  // 0: a read or write of the media, which the host interface recognises
};

// Never null: a code that is not in the table is absent.
const struct fw_command_entry* fw_command_entry_of(uint8_t code);

// X(code, name, protocol, flags, handler, where ACS-3 or another standard has it, what the drive does)
// "M": mandatory for a drive with that feature set; "O": optional. IDENTIFY DEVICE tells the sets
// (docs/reference/ata.md).
// clang-format off
#define FW_COMMANDS(X) \
  X(0x00, "NOP", FW_NON_DATA, 0, fw_abort, "General O", "aborted, as the standard wants it; queued commands are dropped") \
  X(0x06, "DATA SET MANAGEMENT", FW_ABSENT, 0, fw_abort, "Trim O", "") \
  X(0x08, "DEVICE RESET", FW_ABSENT, 0, fw_abort, "PACKET M", "") \
  X(0x20, "READ SECTORS", FW_PIO_IN, 0, 0, "28-bit M", "data in blocks of a sector") \
  X(0x24, "READ SECTORS EXT", FW_PIO_IN, FW_48, 0, "48-bit M", "the same") \
  X(0x25, "READ DMA EXT", FW_DMA_IN, FW_48, 0, "48-bit M", "data, then a Register frame") \
  X(0x27, "READ NATIVE MAX ADDRESS EXT", FW_NON_DATA, FW_48, fw_read_native_max, "HPA, 48-bit M (ATA8-ACS)", "LBA of the last sector") \
  X(0x29, "READ MULTIPLE EXT", FW_PIO_IN, FW_48 | FW_MULTIPLE, 0, "48-bit M", "data in blocks; aborted before SET MULTIPLE MODE") \
  X(0x2F, "READ LOG EXT", FW_PIO_IN, FW_48, fw_read_log, "GPL M", "pages of a [log](ata.md#logs); aborted for a log or page that is not there") \
  X(0x30, "WRITE SECTORS", FW_PIO_OUT, 0, 0, "28-bit M", "data in blocks of a sector, then a Register frame") \
  X(0x34, "WRITE SECTORS EXT", FW_PIO_OUT, FW_48, 0, "48-bit M", "the same") \
  X(0x35, "WRITE DMA EXT", FW_DMA_OUT, FW_48, 0, "48-bit M", "data, then a Register frame") \
  X(0x37, "SET MAX ADDRESS EXT", FW_NON_DATA, FW_48, fw_set_max, "HPA, 48-bit M (ATA8-ACS)", "as F9h") \
  X(0x39, "WRITE MULTIPLE EXT", FW_PIO_OUT, FW_48 | FW_MULTIPLE, 0, "48-bit M", "data in blocks, then a Register frame") \
  X(0x3D, "WRITE DMA FUA EXT", FW_DMA_OUT, FW_48, 0, "48-bit M", "as 35h; ends when the data are on the media") \
  X(0x3F, "WRITE LOG EXT", FW_PIO_OUT, FW_48, fw_write_log, "GPL M", "takes a page of log E0h (SCT); aborted for any other log") \
  X(0x40, "READ VERIFY SECTORS", FW_NON_DATA, FW_VERIFY, 0, "General M", "reads the sectors from the media; UNC with the first that it cannot read") \
  X(0x42, "READ VERIFY SECTORS EXT", FW_NON_DATA, FW_48 | FW_VERIFY, 0, "48-bit M", "the same") \
  X(0x45, "WRITE UNCORRECTABLE EXT", FW_NON_DATA, FW_48, fw_write_uncorrectable, "General O", "features 55h (pseudo) and AAh (flagged): reads of the sectors, and of all others in their physical ones, end with UNC until they are written again") \
  X(0x47, "READ LOG DMA EXT", FW_DMA_IN, FW_48, fw_read_log, "GPL O", "as 2Fh, by DMA") \
  X(0x57, "WRITE LOG DMA EXT", FW_DMA_OUT, FW_48, fw_write_log, "GPL O", "as 3Fh, by DMA") \
  X(0x60, "READ FPDMA QUEUED", FW_QUEUED_IN, FW_48, 0, "NCQ M", "Register frame with BSY clear (by hardware), data behind DMA Setup, Set Device Bits; FUA too; PRIO 3: [background](../guide/spare-arms.md#reads-that-the-host-names)") \
  X(0x61, "WRITE FPDMA QUEUED", FW_QUEUED_OUT, FW_48, 0, "NCQ M", "the same") \
  X(0x63, "NCQ NON-DATA", FW_ABSENT, 0, fw_abort, "NCQ O", "") \
  X(0x64, "SEND FPDMA QUEUED", FW_ABSENT, 0, fw_abort, "NCQ O", "") \
  X(0x65, "RECEIVE FPDMA QUEUED", FW_ABSENT, 0, fw_abort, "NCQ O", "") \
  X(0x70, "SEEK", FW_NON_DATA, 0, fw_seek, "obsolete (ATA-6)", "ends when an arm is on the sector's track; takes all 48 bits of the address") \
  X(0x78, "SET ACCESSIBLE MAX ADDRESS EXT", FW_ABSENT, 0, fw_abort, "AMAC M", "") \
  X(0x8A, "(vendor) READ CLASS", FW_PIO_IN, FW_48, fw_store_command, "vendor", "a page of the blocks that lie under the tips together ([mems.md](../guide/mems.md#parallel-access)); as the next three aborted by disks") \
  X(0x8B, "(vendor) WRITE BATCH LIST", FW_DMA_OUT, FW_48, fw_store_command, "vendor", "takes the list of a batch") \
  X(0x8C, "(vendor) READ BATCH", FW_DMA_IN, FW_48, fw_store_command, "vendor", "reads its blocks") \
  X(0x8D, "(vendor) WRITE BATCH", FW_DMA_OUT, FW_48, fw_store_command, "vendor", "writes them") \
  X(0x90, "EXECUTE DEVICE DIAGNOSTIC", FW_NON_DATA, 0, fw_diagnostic, "General M", "signature with an interrupt: error 01h (passed), count 01h, LBA 000001h") \
  X(0x92, "DOWNLOAD MICROCODE", FW_PIO_OUT, 0, fw_download, "General O", "features 03h, 07h, 0Eh, 0Fh ([firmware.md](../guide/firmware.md#new-firmware-from-the-host)); aborted, and not claimed, if firmware runs natively") \
  X(0x93, "DOWNLOAD MICROCODE DMA", FW_DMA_OUT, 0, fw_download, "General O", "the same by DMA") \
  X(0xA1, "IDENTIFY PACKET DEVICE", FW_ABSENT, 0, fw_abort, "PACKET M", "") \
  X(0xB0, "SMART", FW_NON_DATA, 0, fw_smart_command, "SMART M", "the [sub-commands](ata.md#smart) of the features register, some of them with data; aborted unless LBA 23:8 is C24Fh") \
  X(0xB1, "DEVICE CONFIGURATION", FW_ABSENT, 0, fw_abort, "DCO M", "") \
  X(0xB4, "SANITIZE DEVICE", FW_ABSENT, 0, fw_abort, "Sanitize M", "") \
  X(0xC4, "READ MULTIPLE", FW_PIO_IN, FW_MULTIPLE, 0, "28-bit M", "as 29h") \
  X(0xC5, "WRITE MULTIPLE", FW_PIO_OUT, FW_MULTIPLE, 0, "28-bit M", "as 39h") \
  X(0xC6, "SET MULTIPLE MODE", FW_NON_DATA, 0, fw_set_multiple, "General M", "sectors of a block: 0 (READ and WRITE MULTIPLE off), 1, 2, 4, 8, 16, at most 8 KiB") \
  X(0xC8, "READ DMA", FW_DMA_IN, 0, 0, "28-bit M", "as 25h") \
  X(0xCA, "WRITE DMA", FW_DMA_OUT, 0, 0, "28-bit M", "as 35h") \
  X(0xCE, "WRITE MULTIPLE FUA EXT", FW_PIO_OUT, FW_48 | FW_MULTIPLE, 0, "48-bit M", "as 39h; ends when the data are on the media") \
  X(0xE0, "STANDBY IMMEDIATE", FW_NON_DATA, 0, fw_power_command, "PM M", "ends when all written data are on the media, the arms are on the ramp and the stack stands") \
  X(0xE1, "IDLE IMMEDIATE", FW_NON_DATA, 0, fw_power_command, "PM M", "from standby: ends when the arms are over the disk again") \
  X(0xE2, "STANDBY", FW_NON_DATA, 0, fw_power_command, "PM M", "as E0h, and sets the standby timer by the count (0 off, 5 s to 5.5 h, the standard's table; 253: 8 h)") \
  X(0xE3, "IDLE", FW_NON_DATA, 0, fw_power_command, "PM M", "as E1h, and sets the standby timer") \
  X(0xE4, "READ BUFFER", FW_PIO_IN, 0, fw_read_buffer, "General O", "512 bytes that WRITE BUFFER has left, zeros before") \
  X(0xE5, "CHECK POWER MODE", FW_NON_DATA, FW_QUIET, fw_power_command, "PM M", "count FFh (active or idle), 80h (active idle, low-power idle or Idle_c, or on the way there; with [extended power conditions](ata.md#extended-power-conditions) 81h, 82h, 83h) or 00h (standby, or on the way there); does not count as activity") \
  X(0xE6, "SLEEP", FW_NON_DATA, 0, fw_power_command, "PM M", "as E0h; then the drive reacts only to a reset") \
  X(0xE7, "FLUSH CACHE", FW_NON_DATA, 0, fw_flush_command, "General M", "ends when all written data are on the media") \
  X(0xE8, "WRITE BUFFER", FW_PIO_OUT, 0, fw_write_buffer, "General O", "takes 512 bytes") \
  X(0xE9, "READ BUFFER DMA", FW_DMA_IN, 0, fw_read_buffer, "General O", "as E4h, by DMA") \
  X(0xEA, "FLUSH CACHE EXT", FW_NON_DATA, FW_48, fw_flush_command, "48-bit M", "as E7h") \
  X(0xEB, "WRITE BUFFER DMA", FW_DMA_OUT, 0, fw_write_buffer, "General O", "as E8h, by DMA") \
  X(0xEC, "IDENTIFY DEVICE", FW_PIO_IN, 0, fw_identify, "General M", "256 words ([ata.md](ata.md#identify-device))") \
  X(0xEF, "SET FEATURES", FW_NON_DATA, 0, fw_set_features, "General M", "the [features](ata.md#set-features); others are aborted") \
  X(0xF1, "SECURITY SET PASSWORD", FW_ABSENT, 0, fw_abort, "Security M", "") \
  X(0xF2, "SECURITY UNLOCK", FW_ABSENT, 0, fw_abort, "Security M", "") \
  X(0xF3, "SECURITY ERASE PREPARE", FW_ABSENT, 0, fw_abort, "Security M", "") \
  X(0xF4, "SECURITY ERASE UNIT", FW_ABSENT, 0, fw_abort, "Security M", "") \
  X(0xF5, "SECURITY FREEZE LOCK", FW_ABSENT, 0, fw_abort, "Security M", "") \
  X(0xF6, "SECURITY DISABLE PASSWORD", FW_ABSENT, 0, fw_abort, "Security M", "") \
  X(0xF8, "READ NATIVE MAX ADDRESS", FW_NON_DATA, 0, fw_read_native_max, "HPA M (ATA8-ACS)", "LBA of the last sector, FFFFFFFh at most; aborted if the LBA bit is clear") \
  X(0xF9, "SET MAX ADDRESS", FW_NON_DATA, 0, fw_set_max, "HPA M (ATA8-ACS)", "last sector that commands reach, until the next COMRESET or, with count bit 0, from then on, in the flash (ends when it is there; once after each power-on, then IDNF); must follow READ NATIVE MAX ADDRESS at once, otherwise aborted")
// clang-format on

// The handlers. Each takes a command that has left the host interface's FIFO.
fw_command_handler fw_abort, fw_read_native_max, fw_set_max, fw_read_log, fw_write_log, fw_seek, fw_store_command,
    fw_diagnostic, fw_set_multiple, fw_power_command, fw_read_buffer, fw_write_buffer, fw_flush_command, fw_identify,
    fw_set_features, fw_write_uncorrectable, fw_smart_command, fw_download;

#endif
