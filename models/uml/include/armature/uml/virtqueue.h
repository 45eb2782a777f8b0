#pragma once

#include "armature/uml/guest_memory.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace armature::uml {

/// The device's side of a split virtqueue (Virtual I/O Device 1.1, section 2.6). Whatever stands in the rings, no
/// access leaves the guest's memory; what makes no sense throws ProtocolError.
class Virtqueue {
 public:
  struct Part {
    std::uint8_t* bytes = nullptr;
    std::uint32_t count = 0;
  };
  /// A chain of descriptors that the driver has made available.
  struct Chain {
    std::uint16_t head = 0;
    std::vector<Part> out;  ///< the device reads
    std::vector<Part> in;   ///< the device writes

    std::uint32_t in_bytes() const;
    /// Up to `count` bytes of what the device reads, from its begin on; returns how many there are.
    std::uint32_t read(void* to, std::uint32_t count) const;
    /// Up to `count` bytes to where the device writes; returns how many had room.
    std::uint32_t write(const void* from, std::uint32_t count) const;
  };

  explicit Virtqueue(const GuestMemory& memory) : memory_(memory) {}

  /// @param entries  a power of two, at most 32,768
  void set_size(std::uint32_t entries);
  void set_base(std::uint16_t next_available) { next_ = next_available; }
  /// Addresses in the guest's process; they must lie in its memory at each use.
  void set_addresses(std::uint64_t descriptors, std::uint64_t used, std::uint64_t available);
  void enable(bool enabled) { enabled_ = enabled; }
  bool enabled() const { return enabled_; }

  /// The next chain; nothing if the driver has made no further one available, or the queue is not enabled.
  std::optional<Chain> take();
  /// Gives a chain back, with `bytes` written to it.
  void give_back(const Chain& chain, std::uint32_t bytes);

 private:
  std::uint8_t* part(std::uint64_t address, std::uint64_t bytes) const;

  const GuestMemory& memory_;
  std::uint32_t entries_ = 0;
  std::uint64_t descriptors_ = 0;
  std::uint64_t used_ = 0;
  std::uint64_t available_ = 0;
  std::uint16_t next_ = 0;
  bool enabled_ = false;
};

}  // namespace armature::uml
