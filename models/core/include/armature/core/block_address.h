#pragma once

#include <cstdint>

namespace armature {

/// The unit that everything but the host's frames counts in, whatever the sectors of medium and host.
inline constexpr std::uint32_t kSectorBytes = 512;

/// Address of a block of 512 bytes. It converts from and to a number; it does not convert from or to `HostLba`.
class Lbn {
 public:
  constexpr Lbn() = default;
  constexpr Lbn(std::uint64_t value) : value_(value) {}  // NOLINT(google-explicit-constructor): it is a number
  constexpr operator std::uint64_t() const { return value_; }
  constexpr std::uint64_t value() const { return value_; }
  constexpr Lbn& operator+=(std::uint64_t sectors) {
    value_ += sectors;
    return *this;
  }
  constexpr Lbn& operator-=(std::uint64_t sectors) {
    value_ -= sectors;
    return *this;
  }

 private:
  std::uint64_t value_ = 0;
};

/// Address in the logical sectors of a drive, 512 or 4,096 bytes, as it stands in the frames between host and drive.
/// Only `host_lba` and `lbn_of` lead from one kind of address to the other.
class HostLba {
 public:
  constexpr HostLba() = default;
  constexpr explicit HostLba(std::uint64_t value) : value_(value) {}
  explicit HostLba(Lbn) = delete;  // host_lba() divides
  constexpr std::uint64_t value() const { return value_; }
  friend constexpr bool operator==(HostLba a, HostLba b) { return a.value_ == b.value_; }
  friend constexpr bool operator!=(HostLba a, HostLba b) { return a.value_ != b.value_; }
  friend constexpr bool operator<(HostLba a, HostLba b) { return a.value_ < b.value_; }

 private:
  std::uint64_t value_ = 0;
};

/// The logical sector of `logical` blocks (1 or 8) that holds the block.
constexpr HostLba host_lba(Lbn lbn, std::uint32_t logical) {
  return HostLba(lbn.value() / logical);
}
/// The first block of the logical sector of `logical` blocks.
constexpr Lbn lbn_of(HostLba lba, std::uint32_t logical) {
  return lba.value() * logical;
}

}  // namespace armature
