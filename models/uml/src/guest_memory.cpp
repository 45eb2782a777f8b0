#include "armature/uml/guest_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace armature::uml {
namespace {

bool inside(std::uint64_t begin, std::uint64_t length, std::uint64_t address, std::uint64_t bytes) {
  return address >= begin && address - begin <= length && bytes <= length - (address - begin);
}

bool overlap(std::uint64_t a, std::uint64_t b, std::uint64_t a_bytes, std::uint64_t b_bytes) {
  return a < b ? b - a < a_bytes : a - b < b_bytes;
}

}  // namespace

void GuestMemory::map(const Descriptor& file, const Region& region) {
  struct stat status {};
  const std::uint64_t length = region.file_offset + region.bytes;
  if (region.bytes == 0 || length < region.bytes || region.guest_address + region.bytes < region.bytes ||
      region.user_address + region.bytes < region.bytes)
    throw ProtocolError("the guest shares memory of a size that cannot be");
  if (::fstat(file.get(), &status) != 0) throw ProtocolError("the guest shares memory without a file");
  // Beyond the end of the file an access would end this process.
  if (static_cast<std::uint64_t>(status.st_size) < length)
    throw ProtocolError(fmt::format("the guest shares {} bytes of a file of {}", length, status.st_size));
  for (const Mapped& other : mapped_)
    if (overlap(other.region.guest_address, region.guest_address, other.region.bytes, region.bytes))
      throw ProtocolError("the guest shares memory that overlaps");
  void* const base = ::mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (base == MAP_FAILED)
    throw ProtocolError(fmt::format("the guest's memory cannot be mapped: {}", std::strerror(errno)));
  mapped_.push_back({region, static_cast<std::uint8_t*>(base), static_cast<std::size_t>(length)});
}

void GuestMemory::clear() {
  for (const Mapped& one : mapped_) ::munmap(one.base, one.length);
  mapped_.clear();
}

std::uint8_t* GuestMemory::at(std::uint64_t guest_address, std::uint64_t bytes) const {
  for (const Mapped& one : mapped_)
    if (inside(one.region.guest_address, one.region.bytes, guest_address, bytes))
      return one.base + one.region.file_offset + (guest_address - one.region.guest_address);
  return nullptr;
}

std::uint8_t* GuestMemory::at_user(std::uint64_t user_address, std::uint64_t bytes) const {
  for (const Mapped& one : mapped_)
    if (inside(one.region.user_address, one.region.bytes, user_address, bytes))
      return one.base + one.region.file_offset + (user_address - one.region.user_address);
  return nullptr;
}

}  // namespace armature::uml
