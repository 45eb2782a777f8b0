// The NBD protocol at the server's end: negotiation, requests, replies and what a hostile client may send. Numbers are
// those of doc/proto.md of the reference implementation, written out here once more.
#include "armature/nbd/session.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace armature::nbd {
namespace {

std::string be(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i) & 0xFF);
  return text;
}

struct FakeDisk final : Disk {
  explicit FakeDisk(std::string name, std::uint64_t bytes, std::uint32_t block = 512)
      : about{std::move(name), "a disk", bytes, true, block} {}
  const Description& description() const override { return about; }
  void begin(std::unique_ptr<Operation> operation) override { begun.push_back(std::move(operation)); }
  void end(bool ok, std::string_view data = {}) {
    const std::unique_ptr<Operation> operation = std::move(begun.front());
    begun.pop_front();
    std::copy(data.begin(), data.end(), operation->data.begin());
    operation->end(ok);
  }

  Description about;
  std::deque<std::unique_ptr<Operation>> begun;
};

class NbdSession : public testing::Test {
 protected:
  static constexpr std::uint64_t kBytes = 1 << 20;

  std::string output() {
    std::string out(session->output());
    session->sent(out.size());
    return out;
  }
  std::string given(std::string_view bytes) {
    session->take(bytes);
    return output();
  }
  std::string option(std::uint32_t number, const std::string& data = {}) {
    return given("IHAVEOPT" + be(number, 4) + be(data.size(), 4) + data);
  }
  static std::string option_reply(std::uint32_t number, std::uint32_t type, const std::string& data = {}) {
    return be(0x0003E889045565A9, 8) + be(number, 4) + be(type, 4) + be(data.size(), 4) + data;
  }
  void greet(std::uint32_t flags = 3) {
    EXPECT_EQ(output(), "NBDMAGICIHAVEOPT" + be(3, 2));
    EXPECT_EQ(given(be(flags, 4)), "");
  }
  void go(bool structured) {
    greet();
    if (structured) {
      EXPECT_EQ(option(8), option_reply(8, 1));
      EXPECT_EQ(option(10, be(0, 4) + be(1, 4) + be(15, 4) + "base:allocation"),
                option_reply(10, 4, be(1, 4) + "base:allocation") + option_reply(10, 1));
    }
    option(7, be(0, 4) + be(0, 2));
    ASSERT_TRUE(session->transmits());
  }
  static std::string request(unsigned type, std::uint64_t offset, std::uint32_t bytes, unsigned flags = 0,
                             std::uint64_t cookie = 0x1122334455667788) {
    return be(0x25609513, 4) + be(flags, 2) + be(type, 2) + be(cookie, 8) + be(offset, 8) + be(bytes, 4);
  }
  static std::string simple(std::uint32_t error, std::uint64_t cookie = 0x1122334455667788) {
    return be(0x67446698, 4) + be(error, 4) + be(cookie, 8);
  }
  static std::string chunk(unsigned type, const std::string& data) {
    return be(0x668E33EF, 4) + be(1, 2) + be(type, 2) + be(0x1122334455667788, 8) + be(data.size(), 4) + data;
  }

  FakeDisk first{"d", kBytes}, second{"e", 4 * kBytes, 4096};
  std::shared_ptr<Session> session = std::make_shared<Session>(std::vector<Disk*>{&first, &second});
};

TEST_F(NbdSession, ExportNameChoosesADisk) {
  greet();
  EXPECT_EQ(option(1, "e"), be(4 * kBytes, 8) + be(1 + 4 + 8 + 16 + 256, 2));
  EXPECT_TRUE(session->transmits());
}

TEST_F(NbdSession, WithoutNoZeroesThereAre124) {
  greet(1);
  EXPECT_EQ(option(1, ""), be(kBytes, 8) + be(1 + 4 + 8 + 16 + 256, 2) + std::string(124, '\0'));
}

TEST_F(NbdSession, AnUnknownExportNameEndsTheConnection) {
  greet();
  EXPECT_EQ(option(1, "f"), "");
  EXPECT_TRUE(session->over());
}

TEST_F(NbdSession, ListNamesAllDisks) {
  greet();
  EXPECT_EQ(option(3), option_reply(3, 2, be(1, 4) + "d") + option_reply(3, 2, be(1, 4) + "e") + option_reply(3, 1));
  EXPECT_EQ(option(3, "x"), option_reply(3, 0x80000003));
}

TEST_F(NbdSession, InfoTellsSizeBlocksNameAndText) {
  greet();
  EXPECT_EQ(option(6, be(1, 4) + "e" + be(2, 2) + be(1, 2) + be(2, 2)),
            option_reply(6, 3, be(0, 2) + be(4 * kBytes, 8) + be(285, 2)) +
                option_reply(6, 3, be(3, 2) + be(4096, 4) + be(4096, 4) + be(32 << 20, 4)) +
                option_reply(6, 3, be(1, 2) + "e") + option_reply(6, 3, be(2, 2) + "a disk") + option_reply(6, 1));
  EXPECT_FALSE(session->transmits());
  EXPECT_EQ(option(7, be(1, 4) + "f" + be(0, 2)), option_reply(7, 0x80000006));
  EXPECT_EQ(option(7, be(9, 4) + "f" + be(0, 2)), option_reply(7, 0x80000003)) << "a length behind the end";
  EXPECT_FALSE(session->transmits());
}

TEST_F(NbdSession, OptionsThatAreNotThereAreRefused) {
  greet();
  EXPECT_EQ(option(5), option_reply(5, 0x80000001)) << "STARTTLS";
  EXPECT_EQ(option(11), option_reply(11, 0x80000001)) << "EXTENDED_HEADERS";
  EXPECT_EQ(option(999, "anything"), option_reply(999, 0x80000001));
  EXPECT_EQ(option(10, be(0, 4) + be(0, 4)), option_reply(10, 0x80000003)) << "before STRUCTURED_REPLY";
  EXPECT_EQ(option(2), option_reply(2, 1)) << "ABORT";
  EXPECT_TRUE(session->over());
}

TEST_F(NbdSession, AContextThatIsNotThereIsLeftOut) {
  greet();
  option(8);
  EXPECT_EQ(option(10, be(0, 4) + be(1, 4) + be(6, 4) + "qemu:x"), option_reply(10, 1));
  EXPECT_EQ(option(9, be(0, 4) + be(0, 4)), option_reply(9, 4, be(0, 4) + "base:allocation") + option_reply(9, 1));
  EXPECT_EQ(option(10, be(0, 4) + be(2, 4) + be(1, 4) + "x"), option_reply(10, 0x80000003)) << "a query is missing";
}

TEST_F(NbdSession, ReadWriteFlushWithSimpleReplies) {
  go(false);
  EXPECT_EQ(given(request(0, 4096, 1024)), "");
  ASSERT_EQ(first.begun.size(), 1u);
  EXPECT_EQ(first.begun[0]->kind, Operation::Kind::read);
  EXPECT_EQ(first.begun[0]->offset, 4096u);
  EXPECT_EQ(first.begun[0]->bytes, 1024u);
  first.end(true, std::string(1024, 'r'));
  EXPECT_EQ(output(), simple(0) + std::string(1024, 'r'));

  const std::string write = request(1, 512, 512, 1) + std::string(512, 'w');
  for (const char byte : write) EXPECT_EQ(given({&byte, 1}), "") << "in single bytes";
  ASSERT_EQ(first.begun.size(), 1u);
  EXPECT_TRUE(first.begun[0]->fua);
  EXPECT_EQ(first.begun[0]->data, std::vector<std::uint8_t>(512, 'w'));
  first.end(true);
  EXPECT_EQ(output(), simple(0));

  given(request(3, 0, 0));
  ASSERT_EQ(first.begun.size(), 1u);
  EXPECT_EQ(first.begun[0]->kind, Operation::Kind::flush);
  first.end(false);
  EXPECT_EQ(output(), simple(5)) << "EIO";
}

TEST_F(NbdSession, ReadsAndBlockStatusWithStructuredReplies) {
  go(true);
  given(request(0, 512, 512, 4));  // DF
  first.end(true, std::string(512, 's'));
  EXPECT_EQ(output(), chunk(1, be(512, 8) + std::string(512, 's')));
  given(request(0, 512, 512));
  first.end(false);
  EXPECT_EQ(output(), chunk(0x8001, be(5, 4) + be(0, 2)));
  EXPECT_EQ(given(request(7, 100, 3000)), chunk(5, be(1, 4) + be(3000, 4) + be(0, 4)));
}

TEST_F(NbdSession, RepliesComeInTheOrderOfTheEnds) {
  go(false);
  given(request(3, 0, 0, 0, 1) + request(3, 0, 0, 0, 2));
  std::swap(first.begun[0], first.begun[1]);
  first.end(true);
  EXPECT_EQ(output(), simple(0, 2));
  first.end(true);
  EXPECT_EQ(output(), simple(0, 1));
}

TEST_F(NbdSession, WhatCannotBeDoneGetsAnErrorAndNothingBegins) {
  go(false);
  const auto refused = [this](const std::string& bytes, std::uint32_t error) {
    EXPECT_EQ(given(bytes), simple(error));
    EXPECT_TRUE(first.begun.empty());
  };
  refused(request(0, kBytes, 512), 22);
  refused(request(0, ~0ull - 511, 512), 22);
  refused(request(0, 0, 0), 22);
  refused(request(0, 1, 512), 22);
  refused(request(0, 0, 513), 22);
  refused(request(0, 0, 512, 4), 22);  // DF without structured replies
  refused(request(0, 0, 512, 0x8000), 22);
  refused(request(1, kBytes - 512, 1024) + std::string(1024, 'x'), 28);
  refused(request(3, 512, 0), 22);
  refused(request(4, 0, 512), 22);  // TRIM
  refused(request(6, 0, 512), 22);  // WRITE_ZEROES
  refused(request(7, 0, 512), 22);  // BLOCK_STATUS without a context
  refused(request(99, 0, 512), 22);
  given(request(0, 0, 512));
  EXPECT_EQ(first.begun.size(), 1u) << "and the connection goes on";
}

TEST_F(NbdSession, BlocksOf4KiBAreKeptWhole) {
  greet();
  option(1, "e");
  EXPECT_EQ(given(request(0, 512, 4096)), simple(22));
  EXPECT_EQ(given(request(0, 4096, 512)), simple(22));
  EXPECT_EQ(given(request(0, 4096, 4096)), "");
  EXPECT_EQ(second.begun.size(), 1u);
}

TEST_F(NbdSession, ABrokenStreamEndsTheConnection) {
  go(false);
  EXPECT_EQ(given(std::string(28, 'x')), "");
  EXPECT_TRUE(session->over());
}

TEST_F(NbdSession, AWriteThatIsTooLongEndsTheConnection) {
  go(false);
  EXPECT_EQ(given(request(1, 0, (32u << 20) + 1)), "");
  EXPECT_TRUE(session->over());
}

TEST_F(NbdSession, AnOptionThatIsTooLongEndsTheConnection) {
  greet();
  given("IHAVEOPT" + be(3, 4) + be(0xFFFFFFFF, 4));
  EXPECT_TRUE(session->over());
}

TEST_F(NbdSession, UnknownHandshakeFlagsEndTheConnection) {
  greet(7);
  EXPECT_TRUE(session->over());
}

TEST_F(NbdSession, DisconnectWaitsForWhatIsOutstanding) {
  go(false);
  given(request(0, 0, 512) + request(2, 0, 0) + request(0, 0, 512));
  EXPECT_EQ(first.begun.size(), 1u) << "nothing after DISC";
  EXPECT_FALSE(session->over());
  first.end(true, std::string(512, 'z'));
  EXPECT_FALSE(session->over()) << "the reply is still to go";
  EXPECT_EQ(output(), simple(0) + std::string(512, 'z'));
  EXPECT_TRUE(session->over());
}

TEST_F(NbdSession, AClientThatIsGoneHearsNothing) {
  go(false);
  given(request(0, 0, 512));
  session->lost();
  EXPECT_TRUE(session->over());
  session.reset();
  first.end(true);
}

TEST_F(NbdSession, AServerThatEndsRefusesRequests) {
  go(false);
  session->shut_down();
  EXPECT_EQ(given(request(0, 0, 512)), simple(108));
}

TEST_F(NbdSession, AClientWithMuchOutstandingWaits) {
  go(false);
  EXPECT_TRUE(session->wants_input());
  for (int i = 0; i < 1024; ++i) given(request(0, 0, 512));
  EXPECT_FALSE(session->wants_input());
  first.end(true);
  EXPECT_TRUE(session->wants_input());
}

}  // namespace
}  // namespace armature::nbd
