// The device's side of virtqueues over memory that a guest shares.
#include "armature/uml/virtqueue.h"
#include "support/guest_rings.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

namespace armature {
namespace {

using test::GuestRings;
using uml::ProtocolError;

struct Bench {
  Bench() {
    memory.map(rings.file(), rings.region());
    queue.set_size(GuestRings::kEntries);
    queue.set_addresses(GuestRings::kUser + GuestRings::descriptors(0), GuestRings::kUser + GuestRings::used(0),
                        GuestRings::kUser + GuestRings::available(0));
    queue.enable(true);
  }
  GuestRings rings;
  uml::GuestMemory memory;
  uml::Virtqueue queue{memory};
};

TEST(UmlMemory, AccessLiesInOneRegion) {
  Bench b;
  EXPECT_EQ(b.memory.at(GuestRings::kGuest, GuestRings::kBytes), b.memory.at_user(GuestRings::kUser, 1));
  EXPECT_NE(b.memory.at(GuestRings::kGuest + GuestRings::kBytes - 1, 1), nullptr);
  EXPECT_EQ(b.memory.at(GuestRings::kGuest + GuestRings::kBytes - 1, 2), nullptr);
  EXPECT_EQ(b.memory.at(GuestRings::kGuest - 1, 1), nullptr);
  EXPECT_EQ(b.memory.at(~std::uint64_t{0}, 2), nullptr);
  EXPECT_EQ(b.memory.at(GuestRings::kGuest + 1, ~std::uint64_t{0}), nullptr);
  EXPECT_EQ(b.memory.at_user(GuestRings::kGuest, 1), nullptr);
}

TEST(UmlMemory, RefusesWhatTheFileDoesNotHold) {
  GuestRings rings;
  uml::GuestMemory memory;
  auto region = rings.region();
  region.bytes += 1;
  EXPECT_THROW(memory.map(rings.file(), region), ProtocolError);
  region = rings.region();
  region.file_offset = 4096;
  EXPECT_THROW(memory.map(rings.file(), region), ProtocolError);
  region.file_offset = ~std::uint64_t{0} - 100;  // the sum overflows
  EXPECT_THROW(memory.map(rings.file(), region), ProtocolError);
  region = rings.region();
  region.guest_address = ~std::uint64_t{0} - 10;
  EXPECT_THROW(memory.map(rings.file(), region), ProtocolError);
  memory.map(rings.file(), rings.region());
  region = rings.region();
  region.guest_address += 4096;  // overlaps
  EXPECT_THROW(memory.map(rings.file(), region), ProtocolError);
}

TEST(UmlVirtqueue, ChainIsReadWrittenAndGivenBack) {
  Bench b;
  std::memcpy(b.rings.bytes() + 0x8000, "abcdef", 6);
  b.rings.describe(0, 3, GuestRings::kGuest + 0x8000, 4, 1, 5);
  b.rings.describe(0, 5, GuestRings::kGuest + 0x8004, 2, 1, 7);
  b.rings.describe(0, 7, GuestRings::kGuest + 0x9000, 8, 2);
  EXPECT_FALSE(b.queue.take());
  b.rings.make_available(0, 3);
  const auto chain = b.queue.take();
  ASSERT_TRUE(chain);
  EXPECT_EQ(chain->head, 3);
  EXPECT_EQ(chain->in_bytes(), 8u);
  char text[8] = {};
  EXPECT_EQ(chain->read(text, sizeof text), 6u);
  EXPECT_STREQ(text, "abcdef");
  EXPECT_EQ(chain->write("0123456789", 10), 8u);
  EXPECT_EQ(std::memcmp(b.rings.bytes() + 0x9000, "01234567", 8), 0);
  b.queue.give_back(*chain, 8);
  EXPECT_EQ(b.rings.used_index(0), 1);
  EXPECT_EQ(b.rings.get<std::uint32_t>(GuestRings::used(0) + 4), 3u);
  EXPECT_EQ(b.rings.used_bytes(0, 0), 8u);
  EXPECT_FALSE(b.queue.take());
}

TEST(UmlVirtqueue, IndicesWrap) {
  Bench b;
  b.queue.set_base(0xFFFE);
  b.rings.put(GuestRings::available(0) + 2, std::uint16_t{0xFFFE});
  b.rings.put(GuestRings::used(0) + 2, std::uint16_t{0xFFFE});
  b.rings.describe(0, 0, GuestRings::kGuest + 0x8000, 4, 2);
  for (int i = 0; i < 40; ++i) {
    b.rings.make_available(0, 0);
    const auto chain = b.queue.take();
    ASSERT_TRUE(chain) << i;
    b.queue.give_back(*chain, 4);
  }
  EXPECT_EQ(b.rings.used_index(0), static_cast<std::uint16_t>(0xFFFE + 40));
}

TEST(UmlVirtqueue, DisabledQueueGivesNothing) {
  Bench b;
  b.rings.describe(0, 0, GuestRings::kGuest + 0x8000, 4, 0);
  b.rings.make_available(0, 0);
  b.queue.enable(false);
  EXPECT_FALSE(b.queue.take());
  b.queue.enable(true);
  EXPECT_TRUE(b.queue.take());
}

TEST(UmlVirtqueue, BrokenRingsAreRefused) {
  const auto refused = [](auto&& spoil) {
    Bench b;
    b.rings.describe(0, 0, GuestRings::kGuest + 0x8000, 4, 0);
    b.rings.make_available(0, 0);
    spoil(b);
    EXPECT_THROW(b.queue.take(), ProtocolError);
  };
  refused([](Bench& b) { b.rings.describe(0, 0, GuestRings::kGuest + 0x8000, 4, 1, 0); });  // a loop
  refused([](Bench& b) { b.rings.describe(0, 0, GuestRings::kGuest + 0x8000, 4, 1, 16); });
  refused([](Bench& b) { b.rings.describe(0, 0, GuestRings::kGuest + GuestRings::kBytes - 2, 4, 0); });
  refused([](Bench& b) { b.rings.describe(0, 0, 0, 4, 0); });
  refused([](Bench& b) { b.rings.put(GuestRings::available(0) + 4, std::uint16_t{16}); });
  refused([](Bench& b) { b.rings.put(GuestRings::available(0) + 2, std::uint16_t{17}); });
  refused([](Bench& b) {  // to write, then to read
    b.rings.describe(0, 0, GuestRings::kGuest + 0x8000, 4, 3, 1);
    b.rings.describe(0, 1, GuestRings::kGuest + 0x8000, 4, 0);
  });
  refused([](Bench& b) { b.queue.set_addresses(0, GuestRings::kUser + 0x800, GuestRings::kUser + 0x400); });
  refused([](Bench& b) { b.queue.set_addresses(GuestRings::kUser, GuestRings::kUser, ~std::uint64_t{0}); });
  Bench b;
  for (const std::uint32_t entries : {0u, 3u, 65'536u, ~0u}) EXPECT_THROW(b.queue.set_size(entries), ProtocolError);
}

TEST(UmlVirtqueue, RandomRingsNeverLeadOutside) {
  std::mt19937 random(7);
  std::uint64_t taken = 0;
  for (int round = 0; round < 3000; ++round) {
    Bench b;
    for (std::uint64_t at = 0; at < 0x1000; at += 4) b.rings.put(at, static_cast<std::uint32_t>(random()));
    // Addresses and lengths that are likely near the region's end.
    for (unsigned i = 0; i < GuestRings::kEntries; ++i)
      b.rings.describe(0, i, GuestRings::kGuest + random() % (GuestRings::kBytes + 64), random() % 128, random() % 4,
                       random() % (GuestRings::kEntries + 1));
    b.rings.put(GuestRings::available(0) + 2, static_cast<std::uint16_t>(random() % 18));
    for (unsigned i = 0; i < GuestRings::kEntries; ++i)
      b.rings.put(GuestRings::available(0) + 4 + 2 * i, static_cast<std::uint16_t>(random() % 17));
    try {
      while (const auto chain = b.queue.take()) {
        ++taken;
        std::string bytes(4096, 'x');
        chain->read(bytes.data(), 4096);
        chain->write(bytes.data(), 4096);
        b.queue.give_back(*chain, 1);
      }
    } catch (const ProtocolError&) {
    }
  }
  EXPECT_GT(taken, 1000u);
}

}  // namespace
}  // namespace armature
