// The sockets of the NBD server.
#include "armature/nbd/server.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

namespace armature::nbd {
namespace {

using namespace std::chrono_literals;

struct SilentDisk final : Disk {
  const Description& description() const override { return about; }
  void begin(std::unique_ptr<Operation> operation) override { begun = std::move(operation); }
  Description about{"d", "", 1 << 20, true, 512};
  std::unique_ptr<Operation> begun;
};

class NbdServer : public testing::Test {
 protected:
  NbdServer() { server.set_disks({&disk}); }
  ~NbdServer() override { std::filesystem::remove(path); }

  int client() const {
    sockaddr_un place{};
    place.sun_family = AF_UNIX;
    std::memcpy(place.sun_path, path.data(), path.size());
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    EXPECT_EQ(connect(socket, reinterpret_cast<sockaddr*>(&place), sizeof place), 0);
    return socket;
  }
  static std::string read(int socket) {
    char bytes[4096];
    const ssize_t count = recv(socket, bytes, sizeof bytes, MSG_DONTWAIT);
    return count > 0 ? std::string(bytes, static_cast<std::size_t>(count)) : std::string();
  }
  void negotiate(int socket) {
    server.pump(1s);
    EXPECT_EQ(read(socket).size(), 18u);
    const std::string bytes("\0\0\0\3IHAVEOPT\0\0\0\1\0\0\0\0", 20);  // EXPORT_NAME of the first
    EXPECT_EQ(write(socket, bytes.data(), bytes.size()), 20);
    server.pump(1s);
    server.pump(0s);
    EXPECT_EQ(read(socket).size(), 10u);
  }

  const std::string path = std::filesystem::temp_directory_path() / ("nbd_server_" + std::to_string(getpid()));
  SilentDisk disk;
  Server server{"--nbd", "unix:" + path};
};

TEST_F(NbdServer, SeveralClientsComeAndGo) {
  const int one = client();
  negotiate(one);
  const int other = client();
  negotiate(other);
  EXPECT_EQ(server.clients(), 2u);
  close(one);
  server.pump(1s);
  EXPECT_EQ(server.clients(), 1u);
  EXPECT_EQ(server.connections(), 2u);
  close(other);
}

TEST_F(NbdServer, AClientThatGoesWithARequestOutIsForgotten) {
  const int one = client();
  negotiate(one);
  std::string read_request("\x25\x60\x95\x13\0\0\0\0", 8);
  read_request += std::string(18, '\0') + std::string("\x02\0", 2);  // 512 bytes at 0
  ASSERT_EQ(write(one, read_request.data(), read_request.size()), 28);
  server.pump(1s);
  ASSERT_NE(disk.begun, nullptr);
  EXPECT_TRUE(server.busy());
  close(one);
  server.pump(1s);
  EXPECT_EQ(server.clients(), 0u);
  disk.begun->end(true);
  server.pump(0s);
}

TEST_F(NbdServer, NobodyConnectsToAServerThatEnds) {
  server.shut_down();
  const int one = client();
  server.pump(0s);
  EXPECT_EQ(server.clients(), 0u);
  close(one);
}

TEST_F(NbdServer, WaitsNoLongerThanItIsTold) {
  const auto begin = std::chrono::steady_clock::now();
  server.pump(2ms);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 2ms);
}

}  // namespace
}  // namespace armature::nbd
