#include "armature/uml/pci_transport.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace armature::uml {
namespace {

enum Operation : std::uint8_t {  // VIRTIO_PCIDEV_OP_...
  kConfigurationRead = 1,
  kConfigurationWrite = 2,
  kMmioRead = 3,
  kMmioWrite = 4,
  kMmioMemset = 5,
  kMsi = 7,
};

struct Message {  // struct virtio_pcidev_msg; data follow
  std::uint8_t operation = 0;
  std::uint8_t bar = 0;
  std::uint16_t reserved = 0;
  std::uint32_t bytes = 0;
  std::uint64_t address = 0;
};
static_assert(sizeof(Message) == 16);

constexpr std::uint32_t kMostData = 8;
constexpr unsigned kMostPosted = 64;  // of the 256 entries that User-Mode Linux's queues have

bool is_access(std::uint32_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
}

}  // namespace

bool PciTransport::serve(Virtqueue& commands) {
  while (const auto chain = commands.take()) {
    std::array<std::uint8_t, sizeof(Message) + kMostData> bytes{};
    const std::uint32_t length = chain->read(bytes.data(), bytes.size());
    if (length < sizeof(Message)) throw ProtocolError("a message of the PCI bus is too short");
    Message message;
    std::memcpy(&message, bytes.data(), sizeof message);
    std::uint64_t data = 0;
    std::memcpy(&data, bytes.data() + sizeof message, kMostData);

    const bool reads = message.operation == kConfigurationRead || message.operation == kMmioRead;
    const bool configuration = message.operation == kConfigurationRead || message.operation == kConfigurationWrite;
    const bool sound =
        is_access(message.bytes) && (configuration || (message.bar == bar_ && message.address < bar_bytes_ &&
                                                       message.bytes <= bar_bytes_ - message.address &&
                                                       message.address % 4 == 0 && message.bytes >= 4));
    std::uint64_t value = ~std::uint64_t{0};
    if (!sound) {
      refuse();
    } else {
      switch (message.operation) {
        case kConfigurationRead:
          ++counters_.configuration;
          value = function_.read(message.address, message.bytes);
          break;
        case kConfigurationWrite:
          ++counters_.configuration;
          function_.write(message.address, message.bytes, data);
          break;
        case kMmioRead:
          value = read_bar(message.address, message.bytes);
          break;
        case kMmioWrite:
          for (std::uint32_t i = 0; i < message.bytes; i += 4) {
            ++counters_.writes;
            registers_.write32(static_cast<std::uint32_t>(message.address + i),
                               static_cast<std::uint32_t>(data >> (8 * i)));
          }
          break;
        default:  // a controller's registers are no memory to be filled
          refuse();
      }
    }
    std::uint32_t written = 0;
    if (reads) written = chain->write(&value, std::min({message.bytes, chain->in_bytes(), kMostData}));
    posted_ = chain->in.empty() ? posted_ + 1 : 0;  // a driver that waits for an answer takes all that was given back
    commands.give_back(*chain, written);
  }
  if (posted_ <= kMostPosted) return false;
  posted_ = 0;
  return true;
}

std::uint64_t PciTransport::read_bar(std::uint64_t address, std::uint32_t bytes) {
  std::uint64_t value = 0;
  for (std::uint32_t i = 0; i < bytes; i += 4) {
    ++counters_.reads;
    value |= static_cast<std::uint64_t>(registers_.read32(static_cast<std::uint32_t>(address + i))) << (8 * i);
  }
  return value;
}

bool PciTransport::interrupt(Virtqueue& events) {
  if (!function_.msi_enabled()) return false;
  const auto chain = events.take();
  if (!chain) return false;
  std::array<std::uint8_t, sizeof(Message) + 2> bytes{};
  Message message;
  message.operation = kMsi;
  message.bytes = 2;
  std::memcpy(bytes.data(), &message, sizeof message);
  const std::uint16_t data = function_.msi_data();
  std::memcpy(bytes.data() + sizeof message, &data, sizeof data);
  if (chain->write(bytes.data(), bytes.size()) != bytes.size())
    throw ProtocolError("a buffer for the PCI bus's events is too short");
  ++counters_.interrupts;
  events.give_back(*chain, bytes.size());
  return true;
}

}  // namespace armature::uml
