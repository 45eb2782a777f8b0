#include "armature/nbd/server.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace armature::nbd {
namespace {

constexpr std::size_t kReadBytes = 256u << 10;
constexpr std::size_t kMostClients = 64;

bool only_later() {
  return errno == EAGAIN || errno == EINTR;
}

timespec time_of(std::chrono::nanoseconds wait) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(wait);
  return {static_cast<time_t>(seconds.count()), static_cast<long>((wait - seconds).count())};
}

}  // namespace

Server::~Server() {
  close();
}

void Server::close() {
  for (const Client& client : clients_) ::close(client.socket);
  clients_.clear();
}

void Server::shut_down() {
  shut_down_ = true;
  for (const Client& client : clients_) client.session->shut_down();
}

bool Server::busy() const {
  return std::any_of(clients_.begin(), clients_.end(), [](const Client& client) {
    return client.session->outstanding() > 0 || !client.session->output().empty();
  });
}

void Server::pump(std::chrono::nanoseconds wait) {
  for (Client& client : clients_) write(client);
  std::vector<pollfd> polled;
  for (const Client& client : clients_) {
    short events = 0;
    if (client.session->wants_input()) events |= POLLIN;
    if (!client.session->output().empty()) events |= POLLOUT;
    polled.push_back({client.socket, events, 0});
  }
  const bool listens = !shut_down_ && clients_.size() < kMostClients;
  if (listens) polled.push_back({listener_.descriptor(), POLLIN, 0});
  const timespec time = time_of(wait);
  if (ppoll(polled.data(), polled.size(), &time, nullptr) > 0) {
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      if ((polled[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0) read(clients_[i]);
      write(clients_[i]);
    }
    if (listens && polled.back().revents != 0) accept();
  }
  const auto is_over = [](const Client& client) {
    if (client.session->over()) ::close(client.socket);
    return client.session->over();
  };
  clients_.erase(std::remove_if(clients_.begin(), clients_.end(), is_over), clients_.end());
}

void Server::accept() {
  const int socket = listener_.accept();
  if (socket < 0) return;
  ++connections_;
  clients_.push_back({socket, std::make_shared<Session>(disks_)});
  write(clients_.back());
}

void Server::read(Client& client) {
  thread_local std::array<char, kReadBytes> bytes;
  const ssize_t count = recv(client.socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (count > 0)
    client.session->take({bytes.data(), static_cast<std::size_t>(count)});
  else if (count == 0 || !only_later())
    client.session->lost();
}

void Server::write(Client& client) {
  while (!client.session->output().empty()) {
    const std::string_view bytes = client.session->output();
    const ssize_t count = send(client.socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) {
      client.session->sent(static_cast<std::size_t>(count));
      continue;
    }
    if (!only_later()) client.session->lost();
    return;
  }
}

}  // namespace armature::nbd
