#include "armature/uml/pci_function.h"

namespace armature::uml {
namespace {

constexpr unsigned kMsi = 0x50;  // where the capability lies
constexpr unsigned kMsiControl = kMsi + 2;
constexpr unsigned kMsiAddress = kMsi + 4;
constexpr unsigned kMsiData = kMsi + 12;  // with 64-bit addresses

}  // namespace

PciFunction::PciFunction(const Identity& identity) {
  const auto put = [this](unsigned offset, unsigned bytes, std::uint32_t value) {
    for (unsigned i = 0; i < bytes; ++i) space_[offset + i] = static_cast<std::uint8_t>(value >> (8 * i));
  };
  put(0x00, 2, identity.vendor);
  put(0x02, 2, identity.device);
  make_writable(0x04, 2, 0x0546);  // memory, bus master, parity, SERR, INTx disable; no I/O space
  put(0x06, 2, 0x0010);            // capabilities list
  put(0x08, 1, identity.revision);
  put(0x09, 3, identity.class_code);
  make_writable(0x0C, 2, 0xFFFF);  // cache line size, latency timer
  make_writable(0x10 + 4 * identity.bar, 4, ~(identity.bar_bytes - 1));
  put(0x2C, 2, identity.vendor);
  put(0x2E, 2, identity.device);
  put(0x34, 1, kMsi);
  make_writable(0x3C, 1, 0xFF);  // interrupt line: a note of the system's
  put(0x3D, 1, 1);               // INTA#
  put(kMsi, 1, 0x05);            // MSI, the last capability
  put(kMsiControl, 2, 0x0080);   // 64-bit addresses, one vector
  make_writable(kMsiControl, 2, 0x0001);
  make_writable(kMsiAddress, 4, 0xFFFF'FFFC);
  make_writable(kMsiAddress + 4, 4, 0xFFFF'FFFF);
  make_writable(kMsiData, 2, 0xFFFF);
}

void PciFunction::make_writable(unsigned offset, unsigned bytes, std::uint32_t mask) {
  for (unsigned i = 0; i < bytes; ++i) writable_[offset + i] = static_cast<std::uint8_t>(mask >> (8 * i));
}

std::uint64_t PciFunction::read(std::uint64_t offset, unsigned bytes) const {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes && i < 8; ++i) {
    const std::uint64_t at = offset + i;
    const std::uint8_t byte = at < kBytes && at >= offset ? space_[at] : 0xFF;
    value |= static_cast<std::uint64_t>(byte) << (8 * i);
  }
  return value;
}

void PciFunction::write(std::uint64_t offset, unsigned bytes, std::uint64_t value) {
  for (unsigned i = 0; i < bytes && i < 8; ++i) {
    const std::uint64_t at = offset + i;
    if (at >= kBytes || at < offset) continue;
    const auto byte = static_cast<std::uint8_t>(value >> (8 * i));
    space_[at] = static_cast<std::uint8_t>((space_[at] & ~writable_[at]) | (byte & writable_[at]));
  }
}

bool PciFunction::msi_enabled() const {
  return space_[kMsiControl] & 1u;
}

std::uint16_t PciFunction::msi_data() const {
  return static_cast<std::uint16_t>(space_[kMsiData] | space_[kMsiData + 1] << 8);
}

}  // namespace armature::uml
