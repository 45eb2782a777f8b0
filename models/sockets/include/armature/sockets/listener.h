#pragma once

#include <functional>
#include <string>

namespace armature::sockets {

/// Waits for peers on this machine at an address: "unix:PATH", or "HOST:PORT" with a loopback host (localhost,
/// 127.0.0.1, ::1; none: localhost). Port 0 is any that is free.
class Listener {
 public:
  /// Throws InputError that begins with `option` if this is no such address, or it is in use.
  Listener(const std::string& option, const std::string& address);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  /// The address with the port that was free.
  const std::string& address() const { return address_; }
  /// The socket of the first peer that connects; -1 if `give_up` says so, which is asked some times a second. Nobody
  /// can connect afterwards.
  int wait(const std::function<bool()>& give_up);
  /// The socket of a peer that has connected, which does not block; -1: nobody has. Others can connect.
  int accept();
  /// For poll: readable when somebody has connected.
  int descriptor() const { return socket_; }

 private:
  void listen_unix(const std::string& option, const std::string& path);
  void listen_tcp(const std::string& option, const std::string& host, const std::string& port);
  int accepted(int flags) const;
  void close();

  std::string address_;
  std::string path_;  ///< of a unix socket that is ours
  int socket_ = -1;
};

}  // namespace armature::sockets
