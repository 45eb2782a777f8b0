// The packet layer of gdb's remote serial protocol.
#include "armature/gdb_server/packet.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace armature::gdb_server {
namespace {

using Kind = Incoming::Kind;

std::vector<Incoming> all(PacketReader& reader, std::string_view bytes) {
  reader.feed(bytes);
  std::vector<Incoming> found;
  while (std::optional<Incoming> incoming = reader.next()) found.push_back(*incoming);
  return found;
}

TEST(GdbPacket, AFramedPayloadHasItsChecksumAndEscapes) {
  EXPECT_EQ(framed("OK"), "$OK#9a") << "the example of the manual";
  EXPECT_EQ(framed(""), "$#00");
  EXPECT_EQ(framed("a#b$c}d*e"),
            "$a}\x03"
            "b}\x04"
            "c}]d}\x0a"
            "e#51");
}

TEST(GdbPacket, WhatIsFramedIsReadAgain) {
  PacketReader reader;
  for (int length : {0, 1, 300}) {
    std::string payload;
    for (int i = 0; i < length; ++i) payload += static_cast<char>(i * 7);
    const std::vector<Incoming> found = all(reader, framed(payload));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].kind, Kind::packet);
    EXPECT_EQ(found[0].text, payload);
  }
}

TEST(GdbPacket, PacketsComeInPiecesAndBetweenOtherThings) {
  PacketReader reader;
  EXPECT_TRUE(all(reader, "  $qSup").empty());
  EXPECT_TRUE(all(reader, "ported#").empty());
  EXPECT_TRUE(all(reader, "3").empty());
  const std::vector<Incoming> found = all(reader, "7+-x\x03$g#67");
  ASSERT_EQ(found.size(), 5u);
  EXPECT_EQ(found[0].text, "qSupported");
  EXPECT_EQ(found[1].kind, Kind::accepted);
  EXPECT_EQ(found[2].kind, Kind::resend);
  EXPECT_EQ(found[3].kind, Kind::interrupt);
  EXPECT_EQ(found[4].text, "g");
}

TEST(GdbPacket, DamageIsToldAndTheNextPacketIsRead) {
  PacketReader reader;
  std::vector<Incoming> found = all(reader, "$g#68$g#67");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kind, Kind::damaged) << "its checksum is 67";
  EXPECT_EQ(found[1].kind, Kind::packet);
  found = all(reader, "$g#zz$m0,4$g#67");
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].kind, Kind::damaged);
  EXPECT_EQ(found[1].kind, Kind::damaged) << "another one begins before it ends";
  EXPECT_EQ(found[2].text, "g");
  found = all(reader, "$" + std::string(3 * kLongestPacket, 'a'));
  ASSERT_EQ(found.size(), 1u) << "one without an end does not grow for ever";
  EXPECT_EQ(found[0].kind, Kind::damaged);
  EXPECT_EQ(all(reader, "$g#67").back().text, "g");
}

TEST(GdbPacket, NumbersAndAddresses) {
  std::string_view text = "80000010,4";
  EXPECT_EQ(take_address(text), 0x8000'0010u);
  EXPECT_EQ(text, ",4");
  text = "ffffffff80000010";
  EXPECT_EQ(take_address(text), 0x8000'0010u) << "sign-extended by a debugger of 64 bits";
  text = "ffffffff7fffffff";
  EXPECT_FALSE(take_address(text));
  text = "100000000";
  EXPECT_FALSE(take_address(text));
  text = "12345678123456781";
  EXPECT_FALSE(take_number(text)) << "more than 64 bits";
  text = "x";
  EXPECT_FALSE(take_number(text));
  EXPECT_EQ(word_to_hex(0x1234'abcd), "cdab3412");
  EXPECT_EQ(word_from_hex("cdab3412"), 0x1234'abcdu);
  EXPECT_FALSE(word_from_hex("cdab341"));
  EXPECT_EQ(from_hex("4f4B"), "OK");
  EXPECT_FALSE(from_hex("4"));
  EXPECT_FALSE(from_hex("4g"));
}

TEST(GdbPacket, AnyBytesAreTaken) {
  std::mt19937 random(42);
  const std::string interesting("$#+-}\x03*0a", 9);
  PacketReader reader;
  std::size_t things = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes;
    for (unsigned n = random() % 12; n > 0; --n)
      bytes += random() % 3 == 0 ? static_cast<char>(random()) : interesting[random() % interesting.size()];
    for (const Incoming& incoming : all(reader, bytes)) {
      things += incoming.kind == Kind::packet || incoming.kind == Kind::damaged;
      EXPECT_LE(incoming.text.size(), 2 * kLongestPacket);
    }
  }
  EXPECT_GT(things, 1000u);
}

}  // namespace
}  // namespace armature::gdb_server
