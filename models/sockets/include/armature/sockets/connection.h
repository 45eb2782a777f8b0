#pragma once

#include <string>
#include <string_view>

namespace armature::sockets {

/// A byte stream to one peer.
class Connection {
 public:
  /// @param socket  a connected stream socket, which the connection closes
  explicit Connection(int socket) : socket_(socket) {}
  ~Connection();
  Connection(Connection&& other) noexcept : socket_(other.socket_), lost_(other.lost_) { other.socket_ = -1; }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  Connection& operator=(Connection&&) = delete;

  /// What has arrived; empty if nothing has within `wait_ms`, a signal came meanwhile, or the connection is lost.
  std::string read(int wait_ms);
  /// All of it. What cannot be sent means that the connection is lost.
  void write(std::string_view bytes);
  /// The other side has closed the connection, or it broke.
  bool lost() const { return lost_; }

 private:
  int socket_;
  bool lost_ = false;
};

}  // namespace armature::sockets
