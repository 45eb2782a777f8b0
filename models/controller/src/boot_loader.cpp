#include "boot_loader.h"

#include "armature/core/block_address.h"
#include "armature/core/error.h"

#include <cstddef>
#include <string_view>
#include <utility>

namespace armature::controller {
namespace {

constexpr std::uint32_t kCrcPolynomial = 0xEDB88320;  // CRC-32 (ISO 3309), bits reflected
constexpr std::uint32_t kHeaderSumAt = offsetof(fw_image_header, header_crc);

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xFFFF'FFFF;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1u) != 0 ? crc >> 1 ^ kCrcPolynomial : crc >> 1;
  }
  return ~crc;
}

}  // namespace

BootLoader::BootLoader(const NonVolatileMemory& flash, std::shared_ptr<const iss::Image> factory)
    : flash_(flash), factory_(std::move(factory)) {}

std::string BootLoader::bytes(std::uint32_t from, std::uint32_t count) const {
  std::string all(count, '\0');
  for (std::uint32_t i = 0; i < count; ++i) all[i] = static_cast<char>(flash_.byte(from + i));
  return all;
}

std::uint32_t BootLoader::word(std::uint32_t at) const {
  std::uint32_t word = 0;
  for (std::uint32_t i = 4; i-- > 0;) word = word << 8 | flash_.byte(at + i);
  return word;
}

std::shared_ptr<const iss::Image> BootLoader::image_in(unsigned slot) {
  const std::uint32_t room = flash_.slot_bytes();
  const std::uint32_t header = flash_.slot(slot) + NonVolatileMemory::kPageBytes;
  if (room < NonVolatileMemory::kPageBytes + 2 * kSectorBytes) return nullptr;
  if (word(header) != FW_IMAGE_MAGIC || word(header + kHeaderSumAt) != crc32(bytes(header, kHeaderSumAt)))
    return nullptr;
  const std::uint32_t length = word(header + offsetof(fw_image_header, elf_bytes));
  if (length > room - NonVolatileMemory::kPageBytes - kSectorBytes) return nullptr;
  std::string elf = bytes(header + kSectorBytes, length);
  const std::uint32_t sum = crc32(elf);
  if (sum != word(header + offsetof(fw_image_header, elf_crc))) return nullptr;
  if (known_ && sum == known_sum_) return known_;
  try {
    known_ = iss::image_of("firmware that the host has sent", std::move(elf));
    known_sum_ = sum;
    return known_;
  } catch (const InputError&) {
    return nullptr;
  }
}

bool BootLoader::fits(unsigned slot) {
  return image_in(slot) != nullptr;
}

/// Of two numbers that count up, the later one is less than half of the numbers ahead.
BootLoader::Choice BootLoader::choose() {
  if (flash_.slot_bytes() == 0) return {0, factory_};
  const auto number = [&](unsigned slot) { return word(flash_.slot(slot) + 4); };
  const bool second_first = number(2) - number(1) - 1 < 0x7FFF'FFFF;
  for (const unsigned slot : {second_first ? 2u : 1u, second_first ? 1u : 2u}) {
    if (word(flash_.slot(slot)) != FW_SLOT_MAGIC) continue;
    if (auto image = image_in(slot)) return {slot, std::move(image)};
  }
  return {0, factory_};
}

}  // namespace armature::controller
