#pragma once

#include "armature/uml/socket.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace armature::uml {

/// The guest's memory, mapped from the files that it shares (vhost-user: SET_MEM_TABLE).
class GuestMemory {
 public:
  struct Region {
    std::uint64_t guest_address = 0;  ///< as devices see it
    std::uint64_t bytes = 0;
    std::uint64_t user_address = 0;  ///< as the guest's process sees it: addresses of rings
    std::uint64_t file_offset = 0;
  };

  GuestMemory() = default;
  ~GuestMemory() { clear(); }
  GuestMemory(const GuestMemory&) = delete;
  GuestMemory& operator=(const GuestMemory&) = delete;

  /// Maps a region. Throws ProtocolError if the file is too short or the region overlaps another.
  void map(const Descriptor& file, const Region& region);
  void clear();
  bool empty() const { return mapped_.empty(); }

  /// Memory from a device's address on; null unless `bytes` of them lie in one region.
  std::uint8_t* at(std::uint64_t guest_address, std::uint64_t bytes) const;
  /// The same by the address in the guest's process.
  std::uint8_t* at_user(std::uint64_t user_address, std::uint64_t bytes) const;

 private:
  struct Mapped {
    Region region;
    std::uint8_t* base;  ///< of the mapping, which begins at the file's begin
    std::size_t length;
  };
  std::vector<Mapped> mapped_;
};

}  // namespace armature::uml
