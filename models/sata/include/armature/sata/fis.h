#pragma once

#include "armature/sata/ata.h"
#include "armature/sata/frame.h"

#include <cstdint>
#include <string>

namespace armature::sata {

// Layouts of the Frame Information Structures (Serial ATA 2.6, transport layer; little-endian dwords). `build` fills
// the header of a frame and sets its type; `parse_...` reads it back and requires the frame to be of that type.
//
// Study mode (more than 32 tags) uses bits that the standard reserves, and leaves every other bit as it is:
//   - FPDMA commands carry the tag in count bits 12:3 (standard: 7:3);
//   - DMA Setup carries it in bits 9:0 of the buffer identifier's first dword (standard: 4:0);
//   - Set Device Bits carries tag / 32, the bank of its SActive dword, in byte 1 bits 4:0 (standard: 0 without a port
//     multiplier).

/// Register, host to device: a command.
struct RegisterH2D {
  bool is_command = true;  ///< C: a command, not a change of device control
  std::uint8_t command = 0;
  std::uint16_t features = 0;
  HostLba lba{};  ///< 48 bits
  std::uint8_t device = 0;
  std::uint16_t count = 0;
  std::uint8_t icc = 0;
  std::uint8_t control = 0;
  std::uint32_t auxiliary = 0;
};
void build(Frame& frame, const RegisterH2D& registers);
RegisterH2D parse_register_h2d(const Frame& frame);

/// Register, device to host.
struct RegisterD2H {
  bool interrupt = false;
  std::uint8_t status = 0;
  std::uint8_t error = 0;
  HostLba lba{};  ///< 48 bits
  std::uint8_t device = 0;
  std::uint16_t count = 0;
};
void build(Frame& frame, const RegisterD2H& registers);
RegisterD2H parse_register_d2h(const Frame& frame);
/// The frame says that a reset is over: error 01h (diagnostics passed), count 01h, LBA 000001h of a device that is not
/// packet-based (ATA8-ACS, device signatures); without an interrupt, as Serial ATA's reset protocols send it.
bool is_signature(const RegisterD2H& registers);

/// DMA Activate: the host may send one data frame.
struct DmaActivate {};
void build(Frame& frame, const DmaActivate&);

/// DMA Setup (first-party): the data of a queued command follow.
struct DmaSetup {
  std::uint32_t tag = 0;
  bool to_host = false;        ///< D
  bool interrupt = false;      ///< I
  bool auto_activate = false;  ///< A: the first data frame needs no DMA Activate
  std::uint32_t offset_bytes = 0;
  std::uint32_t count_bytes = 0;
};
void build(Frame& frame, const DmaSetup& setup);
DmaSetup parse_dma_setup(const Frame& frame);

/// PIO Setup: a DRQ block of data follows.
struct PioSetup {
  bool to_host = true;  ///< D
  bool interrupt = true;
  std::uint8_t status = 0;
  std::uint8_t error = 0;
  HostLba lba{};
  std::uint8_t device = 0;
  std::uint16_t count = 0;
  std::uint8_t end_status = 0;  ///< E_Status: the status when the data have passed
  std::uint16_t transfer_bytes = 0;
};
void build(Frame& frame, const PioSetup& setup);
PioSetup parse_pio_setup(const Frame& frame);

/// Set Device Bits: queued commands completed.
struct SetDeviceBits {
  bool interrupt = true;
  bool notification = false;
  std::uint8_t status = 0;  ///< bits 6:4 and 2:0; BSY and DRQ do not change
  std::uint8_t error = 0;
  std::uint32_t bank = 0;     ///< tag / 32; 0 in the standard
  std::uint32_t sactive = 0;  ///< bit n completes tag 32 * bank + n
};
void build(Frame& frame, const SetDeviceBits& bits);
SetDeviceBits parse_set_device_bits(const Frame& frame);

/// Data: `bytes` (a multiple of 4, at most kMaxDataBytes) at `data`, null if contents are not modelled.
void build_data(Frame& frame, const std::uint8_t* data, std::uint32_t bytes);

/// PRIO of an FPDMA command, count bits 15:14. ATA8-ACS reserves 3; here it is the vendor's background priority.
enum class Priority : std::uint8_t { normal = 0, isochronous = 1, high = 2, background = 3 };

/// An FPDMA command's registers. `sectors` is 1 to 65,536.
RegisterH2D fpdma(Command command, std::uint32_t tag, HostLba lba, std::uint32_t sectors, bool fua,
                  Priority priority = Priority::normal);
/// Its tag, 0 to 1,023.
constexpr std::uint32_t fpdma_tag(const RegisterH2D& registers) {
  return (registers.count >> 3) & 0x3FF;
}
/// Its number of sectors, 1 to 65,536.
constexpr std::uint32_t fpdma_sectors(const RegisterH2D& registers) {
  return registers.features == 0 ? kMaxSectors : registers.features;
}
/// Sectors of an unqueued 48-bit read or write, 1 to 65,536.
constexpr std::uint32_t dma_ext_sectors(const RegisterH2D& registers) {
  return registers.count == 0 ? kMaxSectors : registers.count;
}

/// Address and sectors of an unqueued 28-bit read or write: address bits 27:24 lie in the device register, and the
/// count has 8 bits, 0 for 256.
constexpr HostLba lba28(const RegisterH2D& registers) {
  return HostLba((registers.lba.value() & 0xFF'FFFF) | std::uint64_t{registers.device & 0xFu} << 24);
}
constexpr std::uint32_t sectors28(const RegisterH2D& registers) {
  return (registers.count & 0xFF) == 0 ? 256 : registers.count & 0xFF;
}

/// For people: "H2D READ FPDMA tag 3", "DATA 4096 tag 3", "SDB 00000008".
std::string describe(const Frame& frame);

}  // namespace armature::sata
