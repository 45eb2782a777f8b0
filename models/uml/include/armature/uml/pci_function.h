#pragma once

#include <array>
#include <cstdint>

namespace armature::uml {

/// Configuration space of a PCI function of type 0 with one memory BAR and the MSI capability (PCI Local Bus 3.0,
/// chapter 6 and section 6.8.1: 32- and 64-bit addresses, one vector). Reads beyond it give ones; writes to what is
/// read-only do nothing.
class PciFunction {
 public:
  struct Identity {
    std::uint16_t vendor = 0;
    std::uint16_t device = 0;
    std::uint32_t class_code = 0;  ///< base class, sub-class, programming interface
    std::uint8_t revision = 0;
    unsigned bar = 0;             ///< 0 to 5
    std::uint32_t bar_bytes = 0;  ///< a power of two, at least 16
  };
  explicit PciFunction(const Identity& identity);

  std::uint64_t read(std::uint64_t offset, unsigned bytes) const;
  void write(std::uint64_t offset, unsigned bytes, std::uint64_t value);

  bool msi_enabled() const;
  std::uint16_t msi_data() const;
  bool memory_enabled() const { return space_[4] & 2u; }
  bool bus_master() const { return space_[4] & 4u; }

 private:
  static constexpr unsigned kBytes = 256;
  void make_writable(unsigned offset, unsigned bytes, std::uint32_t mask);

  std::array<std::uint8_t, kBytes> space_{};
  std::array<std::uint8_t, kBytes> writable_{};  ///< bits
};

}  // namespace armature::uml
