#include "armature/sata/ata.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace armature::sata {
namespace {

constexpr std::size_t kPageBytes = 512;

std::uint8_t sum(const std::uint8_t* bytes) {
  return std::accumulate(bytes, bytes + kPageBytes, std::uint8_t{0},
                         [](std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a + b); });
}

std::uint16_t word(const std::uint8_t* bytes, std::size_t index) {
  return static_cast<std::uint16_t>(bytes[2 * index] | bytes[2 * index + 1] << 8);
}

/// ATA strings have the first character of each pair in the high byte, and are padded with spaces.
std::string text(const std::uint8_t* bytes, std::size_t first_word, std::size_t last_word) {
  std::string result;
  for (std::size_t i = first_word; i <= last_word; ++i) {
    result += static_cast<char>(bytes[2 * i + 1]);
    result += static_cast<char>(bytes[2 * i]);
  }
  const auto end = result.find_last_not_of(' ');
  result.erase(end == std::string::npos ? 0 : end + 1);
  result.erase(0, std::min(result.find_first_not_of(' '), result.size()));
  return result;
}

}  // namespace

std::string_view name_of(Command command) {
  switch (command) {
    case Command::read_dma_ext:
      return "READ DMA EXT";
    case Command::read_log_ext:
      return "READ LOG EXT";
    case Command::write_dma_ext:
      return "WRITE DMA EXT";
    case Command::write_dma_fua_ext:
      return "WRITE DMA FUA EXT";
    case Command::read_fpdma_queued:
      return "READ FPDMA";
    case Command::write_fpdma_queued:
      return "WRITE FPDMA";
    case Command::seek:
      return "SEEK";
    case Command::read_class:
      return "READ CLASS";
    case Command::write_batch_list:
      return "WRITE BATCH LIST";
    case Command::read_batch:
      return "READ BATCH";
    case Command::write_batch:
      return "WRITE BATCH";
    case Command::standby_immediate:
      return "STANDBY IMMEDIATE";
    case Command::idle_immediate:
      return "IDLE IMMEDIATE";
    case Command::idle:
      return "IDLE";
    case Command::flush_cache_ext:
      return "FLUSH CACHE EXT";
    case Command::identify_device:
      return "IDENTIFY DEVICE";
    case Command::set_features:
      return "SET FEATURES";
  }
  return {};
}

void build(const NcqErrorPage& page, std::uint8_t* bytes) {
  std::memset(bytes, 0, kPageBytes);
  bytes[0] = static_cast<std::uint8_t>((page.not_queued ? 0x80 : 0) | (page.tag & 0x1F));
  bytes[1] = static_cast<std::uint8_t>(page.tag >> 5 & 0x1F);
  bytes[2] = page.status;
  bytes[3] = page.error;
  for (unsigned i = 0; i < 3; ++i) {
    bytes[4 + i] = static_cast<std::uint8_t>(page.lba.value() >> 8 * i);
    bytes[8 + i] = static_cast<std::uint8_t>(page.lba.value() >> (24 + 8 * i));
  }
  bytes[7] = page.device;
  bytes[12] = static_cast<std::uint8_t>(page.count);
  bytes[13] = static_cast<std::uint8_t>(page.count >> 8);
  bytes[kPageBytes - 1] = static_cast<std::uint8_t>(-sum(bytes));
}

bool parse(const std::uint8_t* bytes, NcqErrorPage& page) {
  if (sum(bytes) != 0) return false;
  page.not_queued = (bytes[0] & 0x80) != 0;
  page.tag = (bytes[0] & 0x1Fu) | (bytes[1] & 0x1Fu) << 5;
  page.status = bytes[2];
  page.error = bytes[3];
  std::uint64_t lba = 0;
  for (unsigned i = 0; i < 3; ++i) {
    lba |= std::uint64_t{bytes[4 + i]} << 8 * i;
    lba |= std::uint64_t{bytes[8 + i]} << (24 + 8 * i);
  }
  page.lba = HostLba(lba);
  page.device = bytes[7];
  page.count = static_cast<std::uint16_t>(bytes[12] | bytes[13] << 8);
  return true;
}

bool parse(const std::uint8_t* bytes, IdentifyData& data) {
  constexpr std::uint8_t kChecksumSignature = 0xA5;
  if (bytes[510] == kChecksumSignature && sum(bytes) != 0) return false;
  data.serial = text(bytes, 10, 19);
  data.firmware = text(bytes, 23, 26);
  data.model = text(bytes, 27, 46);
  data.sectors = 0;
  for (unsigned i = 0; i < 4; ++i) data.sectors |= std::uint64_t{word(bytes, 100 + i)} << 16 * i;
  data.queued = (word(bytes, 76) & 1 << 8) != 0;
  data.queue_depth = (word(bytes, 75) & 0x1Fu) + 1;
  data.flush_cache_ext = (word(bytes, 86) & 1 << 13) != 0;
  data.volatile_write_cache = (word(bytes, 85) & 1 << 5) != 0;
  return true;
}

}  // namespace armature::sata
