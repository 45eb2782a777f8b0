#include "armature/sata/ata.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace armature::sata {
namespace {

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
  static constexpr std::pair<Command, std::string_view> kNames[] = {
      {Command::read_sectors, "READ SECTORS"},
      {Command::read_sectors_ext, "READ SECTORS EXT"},
      {Command::read_dma_ext, "READ DMA EXT"},
      {Command::read_multiple_ext, "READ MULTIPLE EXT"},
      {Command::read_log_ext, "READ LOG EXT"},
      {Command::write_sectors, "WRITE SECTORS"},
      {Command::write_sectors_ext, "WRITE SECTORS EXT"},
      {Command::write_dma_ext, "WRITE DMA EXT"},
      {Command::write_multiple_ext, "WRITE MULTIPLE EXT"},
      {Command::write_dma_fua_ext, "WRITE DMA FUA EXT"},
      {Command::read_verify_sectors, "READ VERIFY SECTORS"},
      {Command::read_verify_sectors_ext, "READ VERIFY SECTORS EXT"},
      {Command::read_log_dma_ext, "READ LOG DMA EXT"},
      {Command::read_fpdma_queued, "READ FPDMA"},
      {Command::write_fpdma_queued, "WRITE FPDMA"},
      {Command::seek, "SEEK"},
      {Command::read_class, "READ CLASS"},
      {Command::write_batch_list, "WRITE BATCH LIST"},
      {Command::read_batch, "READ BATCH"},
      {Command::write_batch, "WRITE BATCH"},
      {Command::read_multiple, "READ MULTIPLE"},
      {Command::write_multiple, "WRITE MULTIPLE"},
      {Command::read_dma, "READ DMA"},
      {Command::write_dma, "WRITE DMA"},
      {Command::write_multiple_fua_ext, "WRITE MULTIPLE FUA EXT"},
      {Command::standby_immediate, "STANDBY IMMEDIATE"},
      {Command::idle_immediate, "IDLE IMMEDIATE"},
      {Command::idle, "IDLE"},
      {Command::flush_cache_ext, "FLUSH CACHE EXT"},
      {Command::identify_device, "IDENTIFY DEVICE"},
      {Command::set_features, "SET FEATURES"},
  };
  for (const auto& [code, name] : kNames)
    if (code == command) return name;
  return {};
}

std::optional<MediaCommand> media_command(std::uint8_t code) {
  constexpr bool kPio = true, k48 = true, kFua = true;
  switch (static_cast<Command>(code)) {
    case Command::read_sectors:
    case Command::read_multiple:
      return MediaCommand{false, false, kPio};
    case Command::read_sectors_ext:
    case Command::read_multiple_ext:
      return MediaCommand{false, k48, kPio};
    case Command::read_dma:
      return MediaCommand{};
    case Command::read_dma_ext:
    case Command::read_fpdma_queued:
      return MediaCommand{false, k48};
    case Command::read_verify_sectors:
      return MediaCommand{false, false, false, kFua, true};
    case Command::read_verify_sectors_ext:
      return MediaCommand{false, k48, false, kFua, true};
    case Command::write_sectors:
    case Command::write_multiple:
      return MediaCommand{true, false, kPio};
    case Command::write_sectors_ext:
    case Command::write_multiple_ext:
      return MediaCommand{true, k48, kPio};
    case Command::write_multiple_fua_ext:
      return MediaCommand{true, k48, kPio, kFua};
    case Command::write_dma:
      return MediaCommand{true};
    case Command::write_dma_ext:
    case Command::write_fpdma_queued:
      return MediaCommand{true, k48};
    case Command::write_dma_fua_ext:
      return MediaCommand{true, k48, false, kFua};
    default:
      return std::nullopt;
  }
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
