#include "armature/sockets/connection.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace armature::sockets {

Connection::~Connection() {
  if (socket_ >= 0) ::close(socket_);
}

std::string Connection::read(int wait_ms) {
  pollfd waits{socket_, POLLIN, 0};
  if (lost_ || poll(&waits, 1, wait_ms) <= 0) return {};
  std::array<char, 4096> bytes;
  const ssize_t count = recv(socket_, bytes.data(), bytes.size(), 0);
  if (count > 0) return {bytes.data(), static_cast<std::size_t>(count)};
  lost_ = count == 0 || (errno != EINTR && errno != EAGAIN);
  return {};
}

void Connection::write(std::string_view bytes) {
  while (!bytes.empty() && !lost_) {
    const ssize_t count = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(count));
    else
      lost_ = errno != EINTR;
  }
}

}  // namespace armature::sockets
