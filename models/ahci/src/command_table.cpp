#include "armature/ahci/command_table.h"

#include <algorithm>

namespace armature::ahci {
namespace {

constexpr std::uint32_t kTableAlignment = 128;

template <std::size_t N>
std::uint64_t field(const std::array<std::uint8_t, N>& bytes, std::size_t at, unsigned size) {
  std::uint64_t value = 0;
  for (unsigned i = size; i-- > 0;) value = value << 8 | bytes[at + i];
  return value;
}

template <std::size_t N>
void put(std::array<std::uint8_t, N>& bytes, std::size_t at, unsigned size, std::uint64_t value) {
  for (unsigned i = 0; i < size; ++i) bytes[at + i] = static_cast<std::uint8_t>(value >> 8 * i);
}

constexpr std::array<std::uint8_t, 8192> kZeros{};

}  // namespace

CommandHeader parse_header(const std::array<std::uint8_t, kHeaderBytes>& bytes) {
  const auto flags = static_cast<std::uint32_t>(field(bytes, 0, 4));
  CommandHeader header;
  header.fis_dwords = flags & 0x1F;
  header.atapi = (flags & 1u << 5) != 0;
  header.write = (flags & 1u << 6) != 0;
  header.prefetch = (flags & 1u << 7) != 0;
  header.reset = (flags & 1u << 8) != 0;
  header.bist = (flags & 1u << 9) != 0;
  header.clear_busy = (flags & 1u << 10) != 0;
  header.descriptors = flags >> 16;
  header.table = field(bytes, 8, 8) & ~std::uint64_t{kTableAlignment - 1};
  return header;
}

void build(std::array<std::uint8_t, kHeaderBytes>& bytes, const CommandHeader& header) {
  bytes.fill(0);
  std::uint32_t flags = (header.fis_dwords & 0x1F) | header.descriptors << 16;
  flags |= std::uint32_t{header.atapi} << 5 | std::uint32_t{header.write} << 6 | std::uint32_t{header.prefetch} << 7;
  flags |= std::uint32_t{header.reset} << 8 | std::uint32_t{header.bist} << 9 | std::uint32_t{header.clear_busy} << 10;
  put(bytes, 0, 4, flags);
  put(bytes, 8, 8, header.table);
}

Descriptor parse_descriptor(const std::array<std::uint8_t, kDescriptorBytes>& bytes) {
  const auto last = static_cast<std::uint32_t>(field(bytes, 12, 4));
  return {field(bytes, 0, 8), (last & 0x3F'FFFF) + 1, (last >> 31) != 0};
}

void build(std::array<std::uint8_t, kDescriptorBytes>& bytes, const Descriptor& descriptor) {
  bytes.fill(0);
  put(bytes, 0, 8, descriptor.address);
  put(bytes, 12, 4, ((descriptor.bytes - 1) & 0x3F'FFFF) | std::uint32_t{descriptor.interrupt} << 31);
}

bool DataRegion::load(HostMemory& memory, tlm::tlm_response_status& response) {
  if (loaded_) return true;
  if (index_ >= descriptors_) return false;
  std::array<std::uint8_t, kDescriptorBytes> bytes{};
  response = memory.read(table_ + kDescriptorOffset + std::uint64_t{index_} * kDescriptorBytes, bytes.data(),
                         kDescriptorBytes);
  if (response != tlm::TLM_OK_RESPONSE) return false;
  now_ = parse_descriptor(bytes);
  loaded_ = true;
  return true;
}

/// True: the descriptor has been completed and asks for an interrupt.
bool DataRegion::pass(std::uint32_t bytes) {
  position_ += bytes;
  done_ += bytes;
  if (done_ < now_.bytes) return false;
  ++index_;
  done_ = 0;
  loaded_ = false;
  return now_.interrupt;
}

template <class Access>
DataRegion::Moved DataRegion::move(HostMemory& memory, std::uint32_t bytes, Access access) {
  Moved moved;
  while (moved.bytes < bytes && load(memory, moved.response)) {
    const std::uint32_t part = std::min(bytes - moved.bytes, now_.bytes - done_);
    moved.response = access(now_.address + done_, moved.bytes, part);
    if (moved.response != tlm::TLM_OK_RESPONSE) break;
    moved.bytes += part;
    if (pass(part)) moved.interrupt = true;
  }
  return moved;
}

DataRegion::Moved DataRegion::to_memory(HostMemory& memory, const std::uint8_t* data, std::uint32_t bytes) {
  return move(memory, bytes, [&](std::uint64_t address, std::uint32_t offset, std::uint32_t part) {
    return memory.write(address, data ? data + offset : kZeros.data(), part);
  });
}

DataRegion::Moved DataRegion::from_memory(HostMemory& memory, std::uint8_t* data, std::uint32_t bytes) {
  return move(memory, bytes, [&](std::uint64_t address, std::uint32_t offset, std::uint32_t part) {
    return memory.read(address, data + offset, part);
  });
}

tlm::tlm_response_status DataRegion::seek(HostMemory& memory, std::uint64_t offset) {
  if (offset < position_) *this = DataRegion(table_, descriptors_);
  tlm::tlm_response_status response = tlm::TLM_OK_RESPONSE;
  while (position_ < offset && load(memory, response))
    pass(static_cast<std::uint32_t>(std::min<std::uint64_t>(offset - position_, now_.bytes - done_)));
  return response;
}

}  // namespace armature::ahci
