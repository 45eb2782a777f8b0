#pragma once

#include "armature/nbd/session.h"
#include "armature/sockets/listener.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace armature::nbd {

/// The sockets of a server: who connects, and the sessions with them. Nothing blocks but `pump`, as long as it is told.
class Server {
 public:
  /// @param option  before what InputError says of the address
  Server(const std::string& option, const std::string& address) : listener_(option, address) {}
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// At least one, before the first `pump`.
  void set_disks(std::vector<Disk*> disks) { disks_ = std::move(disks); }
  const std::string& address() const { return listener_.address(); }

  /// Sends replies, takes requests and connections; waits for them up to `wait` if there are none.
  void pump(std::chrono::nanoseconds wait);
  /// Nobody else may connect, and new requests are refused.
  void shut_down();
  /// Closes what is left.
  void close();

  std::size_t clients() const { return clients_.size(); }
  std::uint64_t connections() const { return connections_; }  ///< so far
  /// Replies that no socket has taken yet, or operations without a reply.
  bool busy() const;

 private:
  struct Client {
    int socket;
    std::shared_ptr<Session> session;
  };

  void read(Client& client);
  void write(Client& client);
  void accept();

  sockets::Listener listener_;
  std::vector<Disk*> disks_;
  std::vector<Client> clients_;
  std::uint64_t connections_ = 0;
  bool shut_down_ = false;
};

}  // namespace armature::nbd
