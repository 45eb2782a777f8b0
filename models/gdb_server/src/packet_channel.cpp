#include "armature/gdb_server/packet_channel.h"

#include <fmt/format.h>

namespace armature::gdb_server {
namespace {
constexpr int kLookEveryMs = 200;  ///< while gdb holds the run
constexpr int kGoodbyeMs = 2000;   ///< that gdb has to close the connection at the end
}  // namespace

std::optional<std::string> PacketChannel::wait(const std::function<bool()>& give_up) {
  while (true) {
    std::optional<Incoming> incoming;
    if (!waiting_.empty()) {
      incoming = std::move(waiting_.front());
      waiting_.pop_front();
    } else if (!(incoming = reader_.next())) {
      if (connection_.lost() || give_up()) return std::nullopt;
      reader_.feed(connection_.read(kLookEveryMs));
      continue;
    }
    switch (incoming->kind) {
      case Incoming::Kind::packet:
        if (acknowledge_) connection_.write("+");
        return std::move(incoming->text);
      case Incoming::Kind::damaged:
        if (acknowledge_) connection_.write("-");
        break;
      case Incoming::Kind::resend:
        connection_.write(last_sent_);
        break;
      case Incoming::Kind::accepted:
      case Incoming::Kind::interrupt:  // the run stands
        break;
    }
  }
}

bool PacketChannel::interrupted() {
  reader_.feed(connection_.read(0));
  bool interrupted = false;
  while (const std::optional<Incoming> incoming = reader_.next()) {
    if (incoming->kind == Incoming::Kind::interrupt)
      interrupted = true;
    else
      waiting_.push_back(*incoming);
  }
  return interrupted;
}

void PacketChannel::send(std::string_view payload) {
  last_sent_ = framed(payload);
  connection_.write(last_sent_);
}

void PacketChannel::show(const std::string& text) {
  constexpr std::size_t kMost = kLongestPacket / 2 - 1;
  for (std::size_t from = 0; from < text.size(); from += kMost) send("O" + to_hex(text.substr(from, kMost)));
}

void PacketChannel::wait_for_end() {
  for (int waited = 0; waited < kGoodbyeMs && !connection_.lost(); waited += kLookEveryMs)
    connection_.read(kLookEveryMs);
}

std::string PacketChannel::hand_over() const {
  return fmt::format("{:x};{};", acknowledge_ ? 1 : 0, to_hex(last_sent_));
}

void PacketChannel::take_over(std::string_view& handed_over) {
  acknowledge_ = take_number(handed_over).value_or(0) != 0;
  take(handed_over, ";");
  const std::size_t end = handed_over.find(';');
  last_sent_ = from_hex(handed_over.substr(0, end)).value_or("");
  handed_over.remove_prefix(end + 1);
  reader_ = {};
  waiting_.clear();
}

}  // namespace armature::gdb_server
