#include "armature/uml/calendar.h"

#include <fmt/format.h>

namespace armature::uml {
namespace {

enum Operation : std::uint32_t {  // UM_TIMETRAVEL_...
  kAck = 0,
  kStart = 1,
  kRequest = 2,
  kWait = 3,
  kGet = 4,
  kUpdate = 5,
  kRun = 6,
  kFreeUntil = 7,
  kGetTimeOfDay = 8,
};

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

}  // namespace

Calendar::Calendar(Socket socket, Time& time, std::uint64_t start_s)
    : socket_(std::move(socket)), time_(time), start_ns_(start_s * kNsPerSecond) {}

void Calendar::send(const Message& message) {
  ++counters_.messages;
  socket_.write(&message, sizeof message);
}

bool Calendar::serve(const Patience& patience) {
  Message message;
  if (!socket_.read(&message, sizeof message, patience)) return false;
  ++counters_.messages;
  handle(message);
  return true;
}

/// True: it was an acknowledgement.
bool Calendar::handle(const Message& message) {
  if (message.operation == kAck) return true;
  if (!started_ && message.operation != kStart) throw ProtocolError("the guest's clock has not been started");
  Message answer{kAck, message.sequence, 0};
  switch (message.operation) {
    case kStart:
      if (started_) throw ProtocolError("the guest's clock is started twice");
      started_ = true;
      break;
    case kRequest:
      request_ = message.time;
      break;
    case kWait:
      waiting_ = true;
      break;
    case kGet:
      answer.time = time_.now_ns();
      break;
    case kUpdate:
      time_.advance_to(message.time);
      break;
    case kGetTimeOfDay:
      answer.time = start_ns_ + time_.now_ns();
      break;
    default:
      throw ProtocolError(fmt::format("the guest's clock sends message {}", message.operation));
  }
  send(answer);
  return false;
}

void Calendar::run(std::uint64_t free_until_ns) {
  const std::uint64_t now = time_.now_ns();
  granted_ = free_until_ns > now ? free_until_ns : 0;
  // Both are acknowledged; the guest reads them in order, so nothing waits for it here.
  if (granted_ > 0) send({kFreeUntil, ++sequence_, granted_});
  waiting_ = false;
  request_.reset();
  ++counters_.runs;
  send({kRun, ++sequence_, now});
}

void Calendar::shorten(std::uint64_t free_until_ns, const Patience& patience) {
  if (free_until_ns >= granted_) return;
  granted_ = free_until_ns;
  send({kFreeUntil, ++sequence_, granted_});
  Message message;
  do {  // the acknowledgement of the last RUN may come first
    if (!socket_.read(&message, sizeof message, patience)) throw ProtocolError("the guest's clock is gone");
    ++counters_.messages;
  } while (!handle(message) || message.sequence != sequence_);
}

}  // namespace armature::uml
