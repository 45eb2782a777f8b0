#pragma once

#include "armature/gdb_server/packet.h"
#include "armature/sockets/connection.h"

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace armature::gdb_server {

/// Packets over gdb's connection: each is acknowledged until gdb does without, and the last one goes again if gdb asks.
class PacketChannel {
 public:
  explicit PacketChannel(sockets::Connection connection) : connection_(std::move(connection)) {}

  /// Waits for the payload of gdb's next packet. Nothing: the connection is lost, or `give_up`, asked some times a
  /// second, has said so.
  std::optional<std::string> wait(const std::function<bool()>& give_up);
  /// Reads what has come, without waiting. Whether gdb interrupts (Ctrl-C); packets wait for `wait`.
  bool interrupted();
  bool lost() { return connection_.lost(); }

  void send(std::string_view payload);
  /// Text that gdb prints.
  void show(const std::string& text);
  void stop_acknowledging() { acknowledge_ = false; }
  /// Until gdb closes the connection, for at most some seconds.
  void wait_for_end();

  /// What another process needs to go on over the same connection, and takes from the front of a text.
  std::string hand_over() const;
  void take_over(std::string_view& handed_over);

 private:
  sockets::Connection connection_;
  PacketReader reader_;
  std::deque<Incoming> waiting_;  ///< what came while the run was on its way
  std::string last_sent_;
  bool acknowledge_ = true;
};

}  // namespace armature::gdb_server
