// Configuration space of the PCI function, and the function behind its virtqueues.
#include "armature/uml/pci_function.h"
#include "armature/uml/pci_transport.h"
#include "support/guest_rings.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <vector>

namespace armature::uml_pci_test {
namespace {

using test::GuestRings;
using uml::PciFunction;
using uml::PciTransport;
using uml::ProtocolError;

constexpr PciFunction::Identity kIdentity{0x8086, 0x2922, 0x010601, 2, 5, 0x2000};
enum : std::uint8_t { kConfigurationRead = 1, kConfigurationWrite, kMmioRead, kMmioWrite, kMmioMemset };

TEST(UmlPciFunction, TellsWhatItIs) {
  const PciFunction function(kIdentity);
  EXPECT_EQ(function.read(0, 4), 0x2922'8086u);
  EXPECT_EQ(function.read(0x08, 4), 0x0106'0102u);
  EXPECT_EQ(function.read(0x0E, 1), 0u);  // type 0
  EXPECT_EQ(function.read(0x06, 2) & 0x10u, 0x10u);
  EXPECT_EQ(function.read(0x100, 4), 0xFFFF'FFFFu);
  EXPECT_EQ(function.read(0xFE, 4), 0xFFFF'0000u);
  EXPECT_EQ(function.read(~std::uint64_t{0}, 8), ~std::uint64_t{0});
}

TEST(UmlPciFunction, BarTellsItsSize) {
  PciFunction function(kIdentity);
  EXPECT_EQ(function.read(0x24, 4), 0u);
  function.write(0x24, 4, 0xFFFF'FFFF);
  EXPECT_EQ(function.read(0x24, 4), 0xFFFF'E000u);
  function.write(0x24, 4, 0xF000'0000);
  EXPECT_EQ(function.read(0x24, 4), 0xF000'0000u);
  for (const unsigned other : {0x10u, 0x14u, 0x18u, 0x1Cu, 0x20u, 0x30u}) {
    function.write(other, 4, 0xFFFF'FFFF);
    EXPECT_EQ(function.read(other, 4), 0u) << other;
  }
}

TEST(UmlPciFunction, OnlyWhatIsWritableIsWritten) {
  PciFunction function(kIdentity);
  for (unsigned at = 0; at < 0x100; at += 4) function.write(at, 4, 0xFFFF'FFFF);
  EXPECT_EQ(function.read(0, 4), 0x2922'8086u);
  EXPECT_EQ(function.read(0x04, 4), 0x0010'0546u);
  EXPECT_EQ(function.read(0x34, 1), 0x50u);
  EXPECT_EQ(function.read(0x50, 4), 0x0081'0005u);  // one vector, whatever was asked for
  function.write(0xFE, 4, 0);                       // half beyond the end
  EXPECT_EQ(function.read(0xFC, 4), 0u);
}

TEST(UmlPciFunction, MsiIsProgrammed) {
  PciFunction function(kIdentity);
  EXPECT_FALSE(function.msi_enabled());
  function.write(0x54, 4, 0xFEE0'0003);
  EXPECT_EQ(function.read(0x54, 4), 0xFEE0'0000u);
  function.write(0x5C, 2, 65);
  function.write(0x52, 2, 1);
  EXPECT_TRUE(function.msi_enabled());
  EXPECT_EQ(function.msi_data(), 65);
  function.write(0x04, 2, 0x0006);
  EXPECT_TRUE(function.memory_enabled());
  EXPECT_TRUE(function.bus_master());
}

class Bench final : public PciTransport::Registers {
 public:
  Bench() {
    memory.map(rings.file(), rings.region());
    for (unsigned i = 0; i < 2; ++i) {
      queues[i].set_size(GuestRings::kEntries);
      queues[i].set_addresses(GuestRings::kUser + GuestRings::descriptors(i), GuestRings::kUser + GuestRings::used(i),
                              GuestRings::kUser + GuestRings::available(i));
      queues[i].enable(true);
    }
  }

  /// A message as User-Mode Linux lays it out: header, data in a buffer of their own, room for the answer.
  void submit(std::uint8_t operation, std::uint8_t bar, std::uint32_t bytes, std::uint64_t address,
              std::uint64_t data = 0, std::uint32_t header = 16) {
    const bool reads = operation == kConfigurationRead || operation == kMmioRead;
    rings.put(0x8000, operation);
    rings.put(0x8001, bar);
    rings.put(0x8004, bytes);
    rings.put(0x8008, address);
    rings.put(0x8010, data);
    rings.put(0x9000, std::uint64_t{0xEEEE'EEEE'EEEE'EEEE});
    rings.describe(0, 0, GuestRings::kGuest + 0x8000, header, 1, 1);
    if (reads) {
      rings.describe(0, 1, GuestRings::kGuest + 0x9000, 8, 2);
    } else {
      rings.describe(0, 1, GuestRings::kGuest + 0x8010, bytes, 0);
    }
    rings.make_available(0, 0);
  }
  std::uint64_t read(std::uint8_t operation, std::uint32_t bytes, std::uint64_t address, std::uint8_t bar = 5) {
    submit(operation, bar, bytes, address);
    transport.serve(queues[0]);
    return rings.get<std::uint64_t>(0x9000);
  }
  void write(std::uint8_t operation, std::uint32_t bytes, std::uint64_t address, std::uint64_t data,
             std::uint8_t bar = 5) {
    submit(operation, bar, bytes, address, data);
    transport.serve(queues[0]);
  }

  std::uint32_t read32(std::uint32_t offset) override { return 0x1000'0000 + offset; }
  void write32(std::uint32_t offset, std::uint32_t value) override { written.emplace_back(offset, value); }

  GuestRings rings;
  uml::GuestMemory memory;
  uml::Virtqueue queues[2] = {uml::Virtqueue(memory), uml::Virtqueue(memory)};
  PciTransport transport{kIdentity, *this};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> written;
};

TEST(UmlPciTransport, AccessesReachTheFunction) {
  Bench b;
  EXPECT_EQ(b.read(kConfigurationRead, 4, 0) & 0xFFFF'FFFFu, 0x2922'8086u);
  b.write(kConfigurationWrite, 2, 0x04, 6);
  EXPECT_TRUE(b.transport.function().bus_master());
  EXPECT_EQ(b.read(kMmioRead, 4, 0x100), 0xEEEE'EEEE'1000'0100u);  // no more is written than was asked for
  EXPECT_EQ(b.read(kMmioRead, 8, 0x100), 0x1000'0104'1000'0100u);
  b.write(kMmioWrite, 4, 0x138, 0xAABB);
  b.write(kMmioWrite, 8, 0x100, 0x1111'2222'3333'4444);
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> expected = {
      {0x138, 0xAABB}, {0x100, 0x3333'4444}, {0x104, 0x1111'2222}};
  EXPECT_EQ(b.written, expected);
  EXPECT_EQ(b.rings.used_index(0), 6);
  EXPECT_EQ(b.transport.counters().reads, 3u);
  EXPECT_EQ(b.transport.counters().writes, 3u);
}

TEST(UmlPciTransport, AccessesThatMakeNoSenseReadOnesAndWriteNothing) {
  Bench b;
  EXPECT_EQ(b.read(kMmioRead, 4, 0x100, 0) & 0xFFFF'FFFFu, 0xFFFF'FFFFu);  // another BAR
  EXPECT_EQ(b.read(kMmioRead, 4, 0x2000) & 0xFFFF'FFFFu, 0xFFFF'FFFFu);    // behind the last register
  EXPECT_EQ(b.read(kMmioRead, 8, 0x1FFC), ~std::uint64_t{0});              // half behind it
  EXPECT_EQ(b.read(kMmioRead, 4, ~std::uint64_t{3}) & 0xFFFF'FFFFu, 0xFFFF'FFFFu);
  EXPECT_EQ(b.read(kMmioRead, 4, 0x102) & 0xFFFF'FFFFu, 0xFFFF'FFFFu);  // not aligned
  EXPECT_EQ(b.read(kMmioRead, 2, 0x100) & 0xFFFFu, 0xFFFFu);
  EXPECT_EQ(b.read(kMmioRead, 3, 0x100) & 0xFF'FFFFu, 0xFF'FFFFu);
  EXPECT_EQ(b.read(kMmioRead, 1u << 30, 0x100), ~std::uint64_t{0});
  b.write(kMmioWrite, 4, 0x2000, 1);
  b.write(kMmioWrite, 2, 0x100, 1);
  b.write(kMmioMemset, 4, 0x100, 1);
  b.write(0, 4, 0x100, 1);
  b.write(200, 4, 0x100, 1);
  EXPECT_TRUE(b.written.empty());
  EXPECT_EQ(b.transport.counters().refused, 13u);
  b.submit(kConfigurationRead, 0, 4, 0, 0, 12);  // a header cut off
  b.rings.describe(0, 0, GuestRings::kGuest + 0x8000, 12, 0);
  EXPECT_THROW(b.transport.serve(b.queues[0]), ProtocolError);
}

TEST(UmlPciTransport, DriverHearsOfManyPostedWrites) {
  Bench b;
  int told = 0;
  for (int i = 0; i < 130; ++i) {
    b.submit(kMmioWrite, 5, 4, 0x100, 1);
    told += b.transport.serve(b.queues[0]) ? 1 : 0;
  }
  EXPECT_EQ(told, 2);
  b.read(kMmioRead, 4, 0);  // takes back what was given
  for (int i = 0; i < 64; ++i) {
    b.submit(kMmioWrite, 5, 4, 0x100, 1);
    EXPECT_FALSE(b.transport.serve(b.queues[0]));
  }
}

TEST(UmlPciTransport, InterruptIsAnMsiMessage) {
  Bench b;
  b.rings.describe(1, 4, GuestRings::kGuest + 0xA000, 20, 2);
  b.rings.make_available(1, 4);
  EXPECT_FALSE(b.transport.interrupt(b.queues[1]));  // MSI is not enabled
  b.write(kConfigurationWrite, 2, 0x5C, 65);
  b.write(kConfigurationWrite, 2, 0x52, 1);
  EXPECT_TRUE(b.transport.interrupt(b.queues[1]));
  EXPECT_EQ(b.rings.used_bytes(1, 0), 18u);
  EXPECT_EQ(b.rings.get<std::uint8_t>(0xA000), 7u);
  EXPECT_EQ(b.rings.get<std::uint32_t>(0xA004), 2u);
  EXPECT_EQ(b.rings.get<std::uint16_t>(0xA010), 65u);
  EXPECT_FALSE(b.transport.interrupt(b.queues[1]));  // no buffer left
  b.rings.describe(1, 4, GuestRings::kGuest + 0xA000, 8, 2);
  b.rings.make_available(1, 4);
  EXPECT_THROW(b.transport.interrupt(b.queues[1]), ProtocolError);
}

}  // namespace
}  // namespace armature::uml_pci_test
