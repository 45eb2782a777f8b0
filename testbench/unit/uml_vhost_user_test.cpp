// The back end of vhost-user, with a guest's side that sends what User-Mode Linux sends, and what no one should.
#include "armature/uml/vhost_user.h"
#include "support/guest_rings.h"

#include <gtest/gtest.h>

#include <sys/socket.h>

#include <cstring>
#include <random>
#include <utility>
#include <vector>

namespace armature::uml_vhost_user_test {
namespace {

using test::GuestRings;
using uml::Descriptor;
using uml::Patience;
using uml::ProtocolError;
using uml::Socket;
using uml::VhostUser;

std::pair<Descriptor, Descriptor> pair() {
  int files[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, files), 0);
  return {Descriptor(files[0]), Descriptor(files[1])};
}

struct Header {
  std::uint32_t request, flags, bytes;
};

class Bench final : public VhostUser::Device {
 public:
  Bench() : Bench(pair()) {}

  void send(std::uint32_t request, const std::vector<std::uint64_t>& words, bool reply = true,
            const std::vector<int>& files = {}, int bytes = -1) {
    const Header header{request, 1u | (reply ? 8u : 0u),
                        bytes >= 0 ? static_cast<std::uint32_t>(bytes) : static_cast<std::uint32_t>(8 * words.size())};
    std::vector<std::uint8_t> message(sizeof header + 8 * words.size());
    std::memcpy(message.data(), &header, sizeof header);
    if (!words.empty()) std::memcpy(message.data() + sizeof header, words.data(), 8 * words.size());
    iovec part{message.data(), message.size()};
    msghdr out{};
    out.msg_iov = &part;
    out.msg_iovlen = 1;
    alignas(cmsghdr) char control[CMSG_SPACE(4 * sizeof(int))] = {};
    if (!files.empty()) {
      out.msg_control = control;
      out.msg_controllen = CMSG_SPACE(files.size() * sizeof(int));
      cmsghdr* const first = CMSG_FIRSTHDR(&out);
      first->cmsg_level = SOL_SOCKET;
      first->cmsg_type = SCM_RIGHTS;
      first->cmsg_len = CMSG_LEN(files.size() * sizeof(int));
      std::memcpy(CMSG_DATA(first), files.data(), files.size() * sizeof(int));
    }
    ASSERT_EQ(::sendmsg(guest.get(), &out, 0), static_cast<ssize_t>(message.size()));
  }
  /// The value of an answer; -1 if there is none.
  std::int64_t answer() {
    struct __attribute__((packed)) {
      Header header;
      std::uint64_t value;
    } message;
    if (::recv(guest.get(), &message, sizeof message, MSG_DONTWAIT) != sizeof message) return -1;
    EXPECT_EQ(message.header.flags, 5u);  // version 1, an answer
    EXPECT_EQ(message.header.bytes, 8u);
    return static_cast<std::int64_t>(message.value);
  }
  std::int64_t ask(std::uint32_t request, const std::vector<std::uint64_t>& words = {},
                   const std::vector<int>& files = {}) {
    send(request, words, true, files);
    EXPECT_TRUE(link.serve(patience));
    return answer();
  }
  static std::uint64_t state(std::uint64_t index, std::uint64_t value) { return index | value << 32; }

  void kicked(unsigned queue) override { kicks.push_back(queue); }

  Descriptor guest;
  VhostUser link;
  Patience patience{5};
  std::vector<unsigned> kicks;

 private:
  explicit Bench(std::pair<Descriptor, Descriptor> ends)
      : guest(std::move(ends.first)), link(Socket(std::move(ends.second), "the test"), 2, *this) {}
};

TEST(UmlVhostUser, FeaturesAreAgreed) {
  Bench b;
  EXPECT_EQ(b.ask(3), 0);
  EXPECT_EQ(b.ask(1), std::int64_t{1} << 32 | std::int64_t{1} << 30);
  EXPECT_EQ(b.ask(15), 1 << 3 | 1 << 5 | 1 << 14);
  EXPECT_EQ(b.ask(16, {1u << 3 | 1u << 5 | 1u << 14}), 0);
  EXPECT_EQ(b.ask(16, {1u << 9}), 1);  // a feature that was not offered
  EXPECT_EQ(b.ask(2, {std::uint64_t{1} << 32}), 0);
  EXPECT_EQ(b.ask(2, {1}), 1);
  EXPECT_EQ(b.ask(99), 1);  // unknown
}

TEST(UmlVhostUser, NoAnswerIsSentThatNobodyAskedFor) {
  Bench b;
  b.send(3, {}, false);
  EXPECT_TRUE(b.link.serve(b.patience));
  EXPECT_EQ(b.answer(), -1);
}

TEST(UmlVhostUser, QueueWorksOverSharedMemory) {
  Bench b;
  GuestRings rings;
  EXPECT_EQ(b.ask(5, {1, GuestRings::kGuest, GuestRings::kBytes, GuestRings::kUser, 0}, {rings.file().get()}), 0);
  EXPECT_EQ(b.ask(8, {Bench::state(1, 16)}), 0);
  EXPECT_EQ(b.ask(10, {Bench::state(1, 0)}), 0);
  EXPECT_EQ(b.ask(9, {1, GuestRings::kUser + GuestRings::descriptors(1), GuestRings::kUser + GuestRings::used(1),
                      GuestRings::kUser + GuestRings::available(1), ~std::uint64_t{0}}),
            0);
  EXPECT_EQ(b.ask(18, {Bench::state(1, 1)}), 0);
  rings.describe(1, 0, GuestRings::kGuest + 0x8000, 4, 2);
  rings.make_available(1, 0);
  EXPECT_EQ(b.ask(35, {Bench::state(1, 0)}), 0);
  EXPECT_EQ(b.kicks, std::vector<unsigned>{1});
  const auto chain = b.link.queue(1).take();
  ASSERT_TRUE(chain);
  b.link.queue(1).give_back(*chain, 4);
  EXPECT_EQ(rings.used_index(1), 1);
}

TEST(UmlVhostUser, CallWaitsForItsAnswer) {
  Bench b;
  EXPECT_THROW(b.link.call(0, b.patience, [](int) {}), ProtocolError);
  auto [guest, ours] = pair();
  EXPECT_EQ(b.ask(21, {}, {ours.get()}), 0);
  const int end = guest.get();
  b.link.call(1, b.patience, [end](int) {
    struct __attribute__((packed)) {
      Header header;
      std::uint32_t index, zero;
    } call;
    ASSERT_EQ(::recv(end, &call, sizeof call, 0), static_cast<ssize_t>(sizeof call));
    EXPECT_EQ(call.header.request, 4u);
    EXPECT_EQ(call.header.flags, 9u);  // version 1, an answer is wanted
    EXPECT_EQ(call.index, 1u);
    const struct __attribute__((packed)) {
      Header header{4, 5, 8};
      std::uint64_t value = 0;
    } answer;
    ASSERT_EQ(::send(end, &answer, sizeof answer, 0), static_cast<ssize_t>(sizeof answer));
  });
  EXPECT_THROW(b.link.call(1, b.patience, [&](int) { guest = Descriptor(); }), ProtocolError);
}

TEST(UmlVhostUser, BrokenMessagesAreRefused) {
  const auto refused = [](auto&& send) {
    Bench b;
    send(b);
    EXPECT_THROW(b.link.serve(b.patience), ProtocolError);
  };
  GuestRings rings;
  const int file = rings.file().get();
  const auto table = [&](std::uint64_t bytes) {
    return std::vector<std::uint64_t>{1, GuestRings::kGuest, bytes, GuestRings::kUser, 0};
  };
  refused([&](Bench& b) { b.send(5, table(GuestRings::kBytes)); });                      // without a file
  refused([&](Bench& b) { b.send(5, table(GuestRings::kBytes), true, {file, file}); });  // with two
  refused([&](Bench& b) { b.send(5, table(GuestRings::kBytes + 1), true, {file}); });    // longer than the file
  refused([&](Bench& b) { b.send(5, {9, 0, 4096, 0, 0}, true, {file}); });               // 9 regions
  refused([&](Bench& b) { b.send(5, {1}, true, {file}); });                              // cut off
  refused([](Bench& b) { b.send(8, {Bench::state(2, 16)}); });                           // no such queue
  refused([](Bench& b) { b.send(8, {Bench::state(0, 24)}); });                           // no power of two
  refused([](Bench& b) { b.send(9, {0, 0}); });                                          // too short
  refused([](Bench& b) { b.send(35, {Bench::state(7, 0)}); });
  refused([](Bench& b) { b.send(21, {}); });                    // no file
  refused([](Bench& b) { b.send(3, {}, true, {}, 1 << 20); });  // too long
  refused([](Bench& b) {
    b.send(3, {1}, true, {}, 16);  // promises more than comes
    b.guest = Descriptor();
  });
  refused([](Bench& b) {
    const Header answer{3, 5, 0};
    ASSERT_EQ(::send(b.guest.get(), &answer, sizeof answer, 0), static_cast<ssize_t>(sizeof answer));
  });
  refused([](Bench& b) {  // nothing, for longer than the patience lasts
    b.patience = Patience(0.2);
  });
}

TEST(UmlVhostUser, GuestThatGoesIsNoError) {
  Bench b;
  b.guest = Descriptor();
  EXPECT_FALSE(b.link.serve(b.patience));
}

TEST(UmlVhostUser, RandomMessagesBreakNothing) {
  std::mt19937 random(11);
  GuestRings rings;
  for (int round = 0; round < 400; ++round) {
    Bench b;
    try {
      for (int i = 0; i < 20; ++i) {
        std::vector<std::uint64_t> words(random() % 7);
        for (auto& word : words) word = random() % 3 == 0 ? random() : random() % 4;
        std::vector<int> files(random() % 3, rings.file().get());
        b.send(random() % 40, words, random() % 2, files);
        b.link.serve(b.patience);
        while (b.answer() >= 0) {
        }
      }
    } catch (const ProtocolError&) {
    }
  }
}

}  // namespace
}  // namespace armature::uml_vhost_user_test
