#include "armature/sockets/listener.h"

#include "armature/core/error.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace armature::sockets {
namespace {

constexpr int kBacklog = 16;
constexpr int kLookEveryMs = 100;  ///< while nobody connects

[[noreturn]] void refuse(const std::string& option, const std::string& address, std::string_view why) {
  throw InputError(fmt::format("{} {}: {}", option, address, why));
}

bool readable(int socket, int wait_ms) {
  pollfd waits{socket, POLLIN, 0};
  return poll(&waits, 1, wait_ms) > 0;
}

/// A socket in the file system that no process listens at: a killed run left it.
bool is_abandoned(const std::string& path) {
  struct stat file {};
  if (lstat(path.c_str(), &file) != 0 || !S_ISSOCK(file.st_mode)) return false;
  sockaddr_un place{};
  place.sun_family = AF_UNIX;
  if (path.size() >= sizeof place.sun_path) return false;
  std::memcpy(place.sun_path, path.data(), path.size());
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return false;
  const bool refused =
      connect(probe, reinterpret_cast<const sockaddr*>(&place), sizeof place) != 0 && errno == ECONNREFUSED;
  ::close(probe);
  return refused;
}

}  // namespace

Listener::Listener(const std::string& option, const std::string& address) {
  constexpr std::string_view kUnix = "unix:";
  const std::size_t colon = address.rfind(':');
  if (address.compare(0, kUnix.size(), kUnix) == 0)
    listen_unix(option, address.substr(kUnix.size()));
  else if (colon != std::string::npos)
    listen_tcp(option, address.substr(0, colon), address.substr(colon + 1));
  else
    refuse(option, address, "unix:PATH or localhost:PORT is expected");
}

Listener::~Listener() {
  close();
}

void Listener::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
  if (!path_.empty()) unlink(path_.c_str());
  path_.clear();
}

void Listener::listen_unix(const std::string& option, const std::string& path) {
  address_ = "unix:" + path;
  if (path.empty()) refuse(option, address_, "unix:PATH is expected");
  // Under its name once somebody can connect: who waits for the file need not try again.
  const std::string unready = path + "~";
  sockaddr_un place{};
  place.sun_family = AF_UNIX;
  if (unready.size() >= sizeof place.sun_path)
    refuse(option, address_, fmt::format("the path of a socket has at most {} characters", sizeof place.sun_path - 2));
  struct stat file {};
  if (lstat(path.c_str(), &file) == 0 && !is_abandoned(path))
    refuse(option, address_, "the file exists, or another run waits there");
  if (is_abandoned(unready)) unlink(unready.c_str());
  std::memcpy(place.sun_path, unready.data(), unready.size());
  socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool bound = bind(socket_, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0;
  if (bound && listen(socket_, kBacklog) == 0 && rename(unready.c_str(), path.c_str()) == 0) {
    path_ = path;
    return;
  }
  const std::string why = std::strerror(errno);
  if (bound) unlink(unready.c_str());
  refuse(option, address_, why);
}

void Listener::listen_tcp(const std::string& option, const std::string& host, const std::string& port) {
  const std::string named = host + ":" + port;
  std::uint16_t number = 0;
  const char* const end = port.data() + port.size();
  const auto [stop, error] = std::from_chars(port.data(), end, number);
  if (port.empty() || error != std::errc() || stop != end) refuse(option, named, "a port is a number up to 65535");
  const bool six = host == "::1" || host == "[::1]";
  // Whoever connects controls the run, so nobody from outside of this machine may.
  if (!six && !host.empty() && host != "localhost" && host != "127.0.0.1")
    refuse(option, named, "only this machine can be named: localhost:PORT, or unix:PATH");
  socket_ = socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_storage place{};
  socklen_t size = 0;
  if (six) {
    auto& at = reinterpret_cast<sockaddr_in6&>(place);
    at.sin6_family = AF_INET6;
    at.sin6_port = htons(number);
    at.sin6_addr = in6addr_loopback;
    size = sizeof at;
  } else {
    auto& at = reinterpret_cast<sockaddr_in&>(place);
    at.sin_family = AF_INET;
    at.sin_port = htons(number);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    size = sizeof at;
  }
  auto* const general = reinterpret_cast<sockaddr*>(&place);
  if (bind(socket_, general, size) != 0 || listen(socket_, kBacklog) != 0 || getsockname(socket_, general, &size) != 0)
    refuse(option, named, std::strerror(errno));
  const std::uint16_t taken =
      six ? reinterpret_cast<sockaddr_in6&>(place).sin6_port : reinterpret_cast<sockaddr_in&>(place).sin_port;
  address_ = fmt::format("{}:{}", six ? "[::1]" : "localhost", ntohs(taken));
}

int Listener::wait(const std::function<bool()>& give_up) {
  while (!give_up()) {
    if (!readable(socket_, kLookEveryMs)) continue;
    const int peer = accepted(0);
    if (peer < 0) continue;
    close();
    return peer;
  }
  return -1;
}

int Listener::accept() {
  return readable(socket_, 0) ? accepted(SOCK_NONBLOCK) : -1;
}

int Listener::accepted(int flags) const {
  const int peer = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC | flags);
  const int on = 1;
  if (peer >= 0) setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // no effect on a unix socket
  return peer;
}

}  // namespace armature::sockets
