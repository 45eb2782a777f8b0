#pragma once

#include "armature/ahci/host_memory.h"

#include <tlm>

#include <array>
#include <cstdint>

namespace armature::ahci {

// What the host's driver builds in memory (AHCI 1.3.1, section 4.2), little-endian.
inline constexpr std::uint32_t kSlots = 32;
inline constexpr std::uint32_t kHeaderBytes = 32;          ///< of a command header; the list has one a slot
inline constexpr std::uint32_t kCommandFisBytes = 64;      ///< at the begin of a command table
inline constexpr std::uint32_t kAtapiOffset = 0x40;        ///< of ACMD in a command table
inline constexpr std::uint32_t kAtapiBytes = 16;           ///< of ACMD
inline constexpr std::uint32_t kDescriptorOffset = 0x80;   ///< of the descriptors in a command table
inline constexpr std::uint32_t kDescriptorBytes = 16;      ///< of one
inline constexpr std::uint32_t kReceivedFisBytes = 0x100;  ///< of the received FIS structure
// Offsets in the received FIS structure (section 4.2.1).
inline constexpr std::uint32_t kDmaSetupOffset = 0x00;
inline constexpr std::uint32_t kPioSetupOffset = 0x20;
inline constexpr std::uint32_t kRegisterOffset = 0x40;
inline constexpr std::uint32_t kSetDeviceBitsOffset = 0x58;
inline constexpr std::uint32_t kUnknownOffset = 0x60;

/// A command header (section 4.2.2).
struct CommandHeader {
  std::uint32_t fis_dwords = 0;  ///< CFL
  bool atapi = false;            ///< A
  bool write = false;            ///< W
  bool prefetch = false;         ///< P
  bool reset = false;            ///< R: part of a software reset
  bool bist = false;             ///< B
  bool clear_busy = false;       ///< C: no answer comes: PxCI and STS.BSY are cleared with R_OK
  std::uint32_t descriptors = 0;
  std::uint64_t table = 0;  ///< CTBA, a multiple of 128
};
CommandHeader parse_header(const std::array<std::uint8_t, kHeaderBytes>& bytes);
void build(std::array<std::uint8_t, kHeaderBytes>& bytes, const CommandHeader& header);

/// A physical region descriptor (section 4.2.3.3).
struct Descriptor {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;  ///< 1 to 4 MiB
  bool interrupt = false;
};
Descriptor parse_descriptor(const std::array<std::uint8_t, kDescriptorBytes>& bytes);
void build(std::array<std::uint8_t, kDescriptorBytes>& bytes, const Descriptor& descriptor);

/// A command's data in host memory: walks its descriptors, reading each when it is reached.
class DataRegion {
 public:
  DataRegion() = default;
  DataRegion(std::uint64_t table, std::uint32_t descriptors) : table_(table), descriptors_(descriptors) {}

  struct Moved {
    std::uint32_t bytes = 0;  ///< less than asked for: the descriptors end here, or `response` tells why not
    bool interrupt = false;   ///< a descriptor whose interrupt bit is set has been completed
    tlm::tlm_response_status response = tlm::TLM_OK_RESPONSE;
  };
  /// From the present position. `data` null: zeros.
  Moved to_memory(HostMemory& memory, const std::uint8_t* data, std::uint32_t bytes);
  Moved from_memory(HostMemory& memory, std::uint8_t* data, std::uint32_t bytes);
  /// To `offset` bytes from the begin; beyond the end nothing more can be moved.
  tlm::tlm_response_status seek(HostMemory& memory, std::uint64_t offset);
  std::uint64_t position() const { return position_; }

 private:
  template <class Access>
  Moved move(HostMemory& memory, std::uint32_t bytes, Access access);
  /// The descriptor at the position. False: there is none, or it cannot be read.
  bool load(HostMemory& memory, tlm::tlm_response_status& response);
  bool pass(std::uint32_t bytes);

  std::uint64_t table_ = 0;
  std::uint32_t descriptors_ = 0;
  std::uint32_t index_ = 0;  ///< of `now_`
  std::uint32_t done_ = 0;   ///< bytes of `now_`
  std::uint64_t position_ = 0;
  bool loaded_ = false;
  Descriptor now_;
};

}  // namespace armature::ahci
