#pragma once

#include "armature/uml/guest_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace armature::test {

/// A guest's memory of one region, and its side of split virtqueues: 16 entries each.
class GuestRings {
 public:
  static constexpr std::uint64_t kGuest = 0x10'0000;  ///< address of the region for devices
  static constexpr std::uint64_t kUser = 0x6000'0000;
  static constexpr std::uint64_t kBytes = 0x2'0000;
  static constexpr unsigned kEntries = 16;

  GuestRings() : file_(::memfd_create("guest", 0)) {
    if (::ftruncate(file_.get(), kBytes) != 0) std::abort();
    bytes_ = static_cast<std::uint8_t*>(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0));
  }
  ~GuestRings() { ::munmap(bytes_, kBytes); }
  GuestRings(const GuestRings&) = delete;
  GuestRings& operator=(const GuestRings&) = delete;

  const uml::Descriptor& file() const { return file_; }
  uml::GuestMemory::Region region() const { return {kGuest, kBytes, kUser, 0}; }
  std::uint8_t* bytes() { return bytes_; }

  static std::uint64_t descriptors(unsigned queue) { return 0x1000 * queue; }
  static std::uint64_t available(unsigned queue) { return 0x1000 * queue + 0x400; }
  static std::uint64_t used(unsigned queue) { return 0x1000 * queue + 0x800; }

  template <typename T>
  void put(std::uint64_t offset, T value) {
    std::memcpy(bytes_ + offset, &value, sizeof value);
  }
  template <typename T>
  T get(std::uint64_t offset) const {
    T value;
    std::memcpy(&value, bytes_ + offset, sizeof value);
    return value;
  }

  /// Flags: 1 another follows, 2 the device writes.
  void describe(unsigned queue, unsigned entry, std::uint64_t address, std::uint32_t length, std::uint16_t flags,
                std::uint16_t next = 0) {
    const std::uint64_t at = descriptors(queue) + 16ull * entry;
    put(at, address);
    put(at + 8, length);
    put(at + 12, flags);
    put(at + 14, next);
  }
  void make_available(unsigned queue, std::uint16_t head) {
    const auto index = get<std::uint16_t>(available(queue) + 2);
    put(available(queue) + 4 + 2ull * (index % kEntries), head);
    put(available(queue) + 2, static_cast<std::uint16_t>(index + 1));
  }
  std::uint16_t used_index(unsigned queue) const { return get<std::uint16_t>(used(queue) + 2); }
  std::uint32_t used_bytes(unsigned queue, unsigned entry) const {
    return get<std::uint32_t>(used(queue) + 4 + 8ull * (entry % kEntries) + 4);
  }

 private:
  uml::Descriptor file_;
  std::uint8_t* bytes_ = nullptr;
};

}  // namespace armature::test
