#include "armature/uml/socket.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace armature::uml {
namespace {

constexpr std::size_t kMostFiles = 8;  // that come with one message

ProtocolError gone(const char* name) {
  return ProtocolError(fmt::format("the guest's end of {} is gone", name));
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    if (number_ >= 0) ::close(number_);
    number_ = other.release();
  }
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

int Descriptor::release() {
  const int number = number_;
  number_ = -1;
  return number;
}

std::size_t Patience::wait(const std::vector<int>& files) const {
  std::vector<pollfd> polled;
  polled.reserve(files.size());
  for (const int file : files) polled.push_back({file, POLLIN, 0});
  const auto begin = std::chrono::steady_clock::now();
  while (true) {
    const int ready = ::poll(polled.data(), polled.size(), 100);
    if (ready < 0 && errno != EINTR) throw ProtocolError(fmt::format("poll: {}", std::strerror(errno)));
    if (ready > 0)
      for (std::size_t i = 0; i < polled.size(); ++i)
        if (polled[i].revents != 0) return i;
    if (look_) look_();
    const double silent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (seconds_ > 0 && silent > seconds_)
      throw ProtocolError(fmt::format("nothing was heard of the guest for {:.0f} s of wall time", silent));
  }
}

bool Socket::read(void* bytes, std::size_t count, const Patience& patience, std::vector<Descriptor>* files) {
  auto* at = static_cast<char*>(bytes);
  std::size_t left = count;
  while (left > 0) {
    patience.wait({file_.get()});
    alignas(cmsghdr) char control[CMSG_SPACE(kMostFiles * sizeof(int))];
    iovec part{at, left};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t got = ::recvmsg(file_.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) {
      if (left == count && (got == 0 || errno == ECONNRESET)) return false;
      throw gone(name_);
    }
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
      if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
      const std::size_t sent = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (std::size_t i = 0; i < sent; ++i) {
        int number = -1;
        std::memcpy(&number, CMSG_DATA(header) + i * sizeof number, sizeof number);
        Descriptor file(number);  // nobody asked for it: closed
        if (files) files->push_back(std::move(file));
      }
    }
    at += got;
    left -= static_cast<std::size_t>(got);
  }
  return true;
}

void Socket::write(const void* bytes, std::size_t count) {
  const auto* at = static_cast<const char*>(bytes);
  while (count > 0) {
    ssize_t put = ::send(file_.get(), at, count, MSG_NOSIGNAL);
    if (put < 0 && errno == ENOTSOCK) put = ::write(file_.get(), at, count);  // the guest hands out a pipe
    if (put < 0 && errno == EINTR) continue;
    if (put < 0 && errno == EAGAIN) {
      pollfd full{file_.get(), POLLOUT, 0};
      ::poll(&full, 1, 100);
      continue;
    }
    if (put <= 0) throw gone(name_);
    at += put;
    count -= static_cast<std::size_t>(put);
  }
}

Listener::Listener(const std::filesystem::path& path) : path_(path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  if (text.size() >= sizeof address.sun_path)
    throw ProtocolError(fmt::format("{}: the path is too long for a socket", text));
  std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
  file_ = Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!file_.open() || ::bind(file_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(file_.get(), 1) != 0)
    throw ProtocolError(fmt::format("{}: {}", text, std::strerror(errno)));
}

Listener::~Listener() {
  ::unlink(path_.c_str());
}

Descriptor Listener::accept() {
  Descriptor file(::accept4(file_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!file.open()) throw ProtocolError(fmt::format("{}: {}", path_.string(), std::strerror(errno)));
  return file;
}

}  // namespace armature::uml
