#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace armature::gdb_server {

/// A byte stream to one debugger.
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

/// Waits for one debugger at an address: "unix:PATH", or "HOST:PORT" with a loopback host (localhost, 127.0.0.1, ::1;
/// none: localhost). Port 0 is any that is free.
class Listener {
 public:
  /// Throws InputError that begins with `option` if this is no such address, or it is in use.
  Listener(const std::string& option, const std::string& address);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// The address as gdb's `target remote` takes it.
  const std::string& address() const { return address_; }
  /// The socket of the first debugger that connects; -1 if `give_up` says so, which is asked some times a second.
  /// Nobody can connect afterwards.
  int wait(const std::function<bool()>& give_up);

 private:
  void listen_unix(const std::string& option, const std::string& path);
  void listen_tcp(const std::string& option, const std::string& host, const std::string& port);
  void close();

  std::string address_;
  std::string path_;  ///< of a unix socket that is ours
  int socket_ = -1;
};

}  // namespace armature::gdb_server
