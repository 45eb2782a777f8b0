#pragma once

#include "armature/core/block_address.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace armature::sata {

using armature::kSectorBytes;
/// Most sectors of one command; the count field shows it as 0.
inline constexpr std::uint32_t kMaxSectors = 65'536;
/// Tags of the standard, and of the study mode (fis.h says how a frame carries the latter).
inline constexpr unsigned kStandardTags = 32;
inline constexpr unsigned kStudyTags = 1'024;

/// Command codes (ACS-3, and older standards for what that one has dropped) that this project names. What a drive
/// answers to each code: docs/guide/firmware.md.
enum class Command : std::uint8_t {
  read_sectors = 0x20,
  read_sectors_ext = 0x24,
  read_dma_ext = 0x25,
  read_multiple_ext = 0x29,
  read_log_ext = 0x2F,
  write_sectors = 0x30,
  write_sectors_ext = 0x34,
  write_dma_ext = 0x35,
  write_multiple_ext = 0x39,
  write_dma_fua_ext = 0x3D,
  read_verify_sectors = 0x40,
  read_verify_sectors_ext = 0x42,
  read_log_dma_ext = 0x47,
  read_fpdma_queued = 0x60,
  write_fpdma_queued = 0x61,
  seek = 0x70,        ///< of old (ATA-6 and before); here with all 48 bits of the address
  read_class = 0x8A,  ///< vendor-specific, as the next three: parallel access to a MEMS store (docs/guide/mems.md)
  write_batch_list = 0x8B,
  read_batch = 0x8C,
  write_batch = 0x8D,
  read_multiple = 0xC4,
  write_multiple = 0xC5,
  read_dma = 0xC8,
  write_dma = 0xCA,
  write_multiple_fua_ext = 0xCE,
  standby_immediate = 0xE0,
  idle_immediate = 0xE1,
  idle = 0xE3,
  flush_cache_ext = 0xEA,
  identify_device = 0xEC,
  set_features = 0xEF,
};

/// Features of SET FEATURES: automatic acoustic management, with a level of 80h to FEh in the count.
inline constexpr std::uint8_t kAcousticManagement = 0x42;

/// "READ FPDMA", empty for a code that is not in Command.
std::string_view name_of(Command command);

/// What the code of a read or write of the media says.
struct MediaCommand {
  bool write = false;
  bool lba48 = false;   ///< 48-bit address and 16-bit count; otherwise 28 bits and 8
  bool pio = false;     ///< data in DRQ blocks, each behind a PIO Setup frame
  bool fua = false;     ///< straight to or from the media
  bool verify = false;  ///< READ VERIFY: no data go over the link
};
/// Nothing for a code that is none. Queued commands carry FUA in the device register.
std::optional<MediaCommand> media_command(std::uint8_t code);

constexpr bool is_queued(Command command) {
  return command == Command::read_fpdma_queued || command == Command::write_fpdma_queued;
}

/// Bits of the status register.
namespace status {
inline constexpr std::uint8_t kErr = 0x01;
inline constexpr std::uint8_t kDrq = 0x08;
inline constexpr std::uint8_t kSeekComplete = 0x10;  ///< obsolete; drives of the time keep it set
inline constexpr std::uint8_t kDf = 0x20;
inline constexpr std::uint8_t kDrdy = 0x40;
inline constexpr std::uint8_t kBsy = 0x80;
}  // namespace status

/// Bits of the error register.
namespace error {
inline constexpr std::uint8_t kAbrt = 0x04;
inline constexpr std::uint8_t kIdnf = 0x10;
inline constexpr std::uint8_t kUnc = 0x40;
inline constexpr std::uint8_t kIcrc = 0x80;
}  // namespace error

/// Bit 6 of the device register: the address is an LBA. Set in every command with an address.
inline constexpr std::uint8_t kDeviceLba = 0x40;
/// Bit 7 of the device register of an FPDMA command: forced unit access.
inline constexpr std::uint8_t kDeviceFua = 0x80;

/// Bit of the device control register: software reset. The drive is in reset while it is set.
inline constexpr std::uint8_t kControlSrst = 0x04;

/// A page of a log, or of IDENTIFY DEVICE (ACS-3, annex A).
inline constexpr std::uint32_t kPageBytes = 512;

/// Log address of the NCQ command error log, one page.
inline constexpr std::uint8_t kNcqErrorLog = 0x10;

/// Logs of a MEMS store: what it serves in parallel; what the last list of a batch has come to.
inline constexpr std::uint8_t kStoreLog = 0xA0;
inline constexpr std::uint8_t kBatchLog = 0xA1;

/// Page of the NCQ command error log (layout as Linux' ata_eh_read_log_10h reads it).
struct NcqErrorPage {
  bool not_queued = false;  ///< NQ: the failed command was not a queued one, and `tag` means nothing
  /// Byte 0 bits 4:0; in study mode bits 9:5 stand in byte 1 bits 4:0, which the standard reserves.
  std::uint32_t tag = 0;
  std::uint8_t status = 0;
  std::uint8_t error = 0;
  HostLba lba{};
  std::uint8_t device = 0;
  std::uint16_t count = 0;
};

/// Writes the page, the last one such that all bytes add up to zero.
void build(const NcqErrorPage& page, std::uint8_t* bytes);
/// False if the bytes do not add up to zero.
bool parse(const std::uint8_t* bytes, NcqErrorPage& page);

/// What a host takes from the page of IDENTIFY DEVICE.
struct IdentifyData {
  std::string serial;
  std::string firmware;
  std::string model;
  std::uint64_t sectors = 0;          ///< words 100 to 103
  bool queued = false;                ///< word 76 bit 8
  unsigned queue_depth = 1;           ///< word 75 bits 4:0 plus 1
  bool flush_cache_ext = false;       ///< word 86 bit 13
  bool volatile_write_cache = false;  ///< word 85 bit 5: enabled
};

/// False if the page carries a checksum (word 255 low byte A5h) and it is wrong.
bool parse(const std::uint8_t* bytes, IdentifyData& data);

}  // namespace armature::sata
