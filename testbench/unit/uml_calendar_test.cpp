// The calendar of a User-Mode Linux, with the guest's messages in the order in which it sends them.
#include "armature/uml/calendar.h"

#include <gtest/gtest.h>

#include <sys/socket.h>

#include <cstring>
#include <utility>
#include <vector>

namespace armature::uml_calendar_test {
namespace {

using uml::Calendar;
using uml::Descriptor;
using uml::Patience;
using uml::ProtocolError;
using uml::Socket;

enum : std::uint32_t { kAck, kStart, kRequest, kWait, kGet, kUpdate, kRun, kFreeUntil, kTimeOfDay };

struct Message {
  std::uint32_t operation, sequence;
  std::uint64_t time;
};

class Bench final : public Calendar::Time {
 public:
  Bench() : Bench(pair()) {}

  void send(std::uint32_t operation, std::uint64_t time = 0, std::uint32_t number = 0) {
    const Message message{operation, number, time};
    ASSERT_EQ(::send(guest.get(), &message, sizeof message, 0), static_cast<ssize_t>(sizeof message));
  }
  Message receive() {
    Message message{99, 0, 0};
    EXPECT_EQ(::recv(guest.get(), &message, sizeof message, MSG_DONTWAIT), static_cast<ssize_t>(sizeof message));
    return message;
  }
  bool silent() {
    char byte;
    return ::recv(guest.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0;
  }
  /// Sends a message, and returns the time of its acknowledgement.
  std::uint64_t ask(std::uint32_t operation, std::uint64_t time = 0) {
    send(operation, time, ++sequence);
    EXPECT_TRUE(calendar.serve(patience));
    const Message answer = receive();
    EXPECT_EQ(answer.operation, kAck);
    EXPECT_EQ(answer.sequence, sequence);
    return answer.time;
  }

  std::uint64_t now_ns() const override { return now; }
  void advance_to(std::uint64_t ns) override { now = ns; }

  std::uint64_t now = 0;
  std::uint32_t sequence = 0;
  Descriptor guest;
  Patience patience{5};
  Calendar calendar;

 private:
  static std::pair<Descriptor, Descriptor> pair() {
    int files[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, files), 0);
    return {Descriptor(files[0]), Descriptor(files[1])};
  }
  explicit Bench(std::pair<Descriptor, Descriptor> ends)
      : guest(std::move(ends.first)), calendar(Socket(std::move(ends.second), "the test"), *this, 1000) {}
};

TEST(UmlCalendar, GuestAsksForAnInstantAndRunsThen) {
  Bench b;
  b.ask(kStart);
  EXPECT_EQ(b.ask(kTimeOfDay), std::uint64_t{1000} * 1'000'000'000);
  EXPECT_FALSE(b.calendar.waiting());
  b.ask(kRequest, 500);
  b.ask(kWait);
  EXPECT_TRUE(b.calendar.waiting());
  EXPECT_EQ(b.calendar.request(), 500u);
  b.now = 500;
  b.calendar.run(0);
  EXPECT_FALSE(b.calendar.waiting());
  const Message run = b.receive();
  EXPECT_EQ(run.operation, kRun);
  EXPECT_EQ(run.time, 500u);
  EXPECT_TRUE(b.silent());  // no time to go on by itself
  b.send(kAck, 0, run.sequence);
  EXPECT_TRUE(b.calendar.serve(b.patience));
  b.ask(kUpdate, 510);
  EXPECT_EQ(b.now, 510u);
  EXPECT_EQ(b.ask(kGet), 510u);
  b.ask(kWait);
  EXPECT_FALSE(b.calendar.request());  // only an interrupt ends this
}

TEST(UmlCalendar, GrantsWhatLiesBeforeTheNextEvent) {
  Bench b;
  b.ask(kStart);
  b.ask(kWait);
  b.now = 100;
  b.calendar.run(250);
  const Message grant = b.receive();
  EXPECT_EQ(grant.operation, kFreeUntil);
  EXPECT_EQ(grant.time, 250u);
  EXPECT_EQ(b.receive().operation, kRun);
}

TEST(UmlCalendar, TakesBackAGrantBeforeTheGuestGoesOn) {
  Bench b;
  b.ask(kStart);
  b.ask(kWait);
  b.calendar.run(250);
  const Message grant = b.receive();
  const Message run = b.receive();
  b.calendar.shorten(300, b.patience);  // later: as it was
  EXPECT_TRUE(b.silent());
  // The acknowledgements of the grant and of the run come first, and a question between them.
  b.send(kAck, 0, grant.sequence);
  b.send(kAck, 0, run.sequence);
  b.send(kGet, 0, 77);
  b.send(kAck, 0, run.sequence + 1);
  b.calendar.shorten(120, b.patience);
  const Message shorter = b.receive();
  EXPECT_EQ(shorter.operation, kFreeUntil);
  EXPECT_EQ(shorter.time, 120u);
  EXPECT_EQ(shorter.sequence, run.sequence + 1);
  EXPECT_EQ(b.receive().sequence, 77u);
  EXPECT_TRUE(b.silent());
}

TEST(UmlCalendar, NothingIsTakenBackThatWasNotGranted) {
  Bench b;
  b.ask(kStart);
  b.ask(kWait);
  b.now = 100;
  b.calendar.run(100);
  EXPECT_EQ(b.receive().operation, kRun);
  b.calendar.shorten(100, b.patience);
  EXPECT_TRUE(b.silent());
}

TEST(UmlCalendar, BrokenMessagesAreRefused) {
  const auto refused = [](auto&& send) {
    Bench b;
    send(b);
    EXPECT_THROW(b.calendar.serve(b.patience), ProtocolError);
  };
  refused([](Bench& b) { b.send(kGet); });  // not started
  refused([](Bench& b) {
    b.ask(kStart);
    b.send(kStart);
  });
  for (const std::uint32_t operation : {6u, 7u, 9u, 1000u})  // RUN and FREE_UNTIL are ours
    refused([operation](Bench& b) {
      b.ask(kStart);
      b.send(operation);
    });
  refused([](Bench& b) {
    ASSERT_EQ(::send(b.guest.get(), "half", 4, 0), 4);
    b.guest = Descriptor();
  });
  Bench b;
  b.guest = Descriptor();
  EXPECT_FALSE(b.calendar.serve(b.patience));
}

}  // namespace
}  // namespace armature::uml_calendar_test
