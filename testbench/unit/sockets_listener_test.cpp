// Where a peer connects to.
#include "armature/sockets/connection.h"
#include "armature/sockets/listener.h"

#include "armature/core/error.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

namespace armature::sockets {
namespace {

namespace fs = std::filesystem;

const auto kNever = [] { return false; };

std::string refused(const std::string& address) {
  try {
    const Listener listener("--gdb", address);
  } catch (const InputError& error) {
    return error.what();
  }
  return "taken";
}

struct Folder {
  fs::path path = fs::temp_directory_path() / ("sockets_" + std::to_string(getpid()));
  Folder() { fs::create_directory(path); }
  ~Folder() { fs::remove_all(path); }
};

int connected_to(const std::string& path) {
  sockaddr_un place{};
  place.sun_family = AF_UNIX;
  std::memcpy(place.sun_path, path.data(), path.size());
  const int client = socket(AF_UNIX, SOCK_STREAM, 0);
  EXPECT_EQ(connect(client, reinterpret_cast<sockaddr*>(&place), sizeof place), 0);
  return client;
}

TEST(LocalSocket, AUnixSocketServesOneAndIsGoneThen) {
  const Folder folder;
  const std::string path = folder.path / "gdb";
  Listener listener("--gdb", "unix:" + path);
  EXPECT_EQ(listener.address(), "unix:" + path);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path), fs::directory_iterator()), 1) << "and nothing else";
  const int client = connected_to(path);
  Connection connection(listener.wait(kNever));
  EXPECT_FALSE(fs::exists(path)) << "nobody else can connect";
  ASSERT_EQ(write(client, "$g#67", 5), 5);
  EXPECT_EQ(connection.read(1000), "$g#67");
  EXPECT_EQ(connection.read(0), "");
  EXPECT_FALSE(connection.lost());
  connection.write("+");
  char answer = 0;
  EXPECT_EQ(read(client, &answer, 1), 1);
  EXPECT_EQ(answer, '+');
  close(client);
  EXPECT_EQ(connection.read(1000), "");
  EXPECT_TRUE(connection.lost());
  connection.write("nobody reads this");
}

TEST(LocalSocket, LoopbackWithAPortThatIsFree) {
  Listener listener("--gdb", "localhost:0");
  const std::string address = listener.address();
  ASSERT_EQ(address.substr(0, 10), "localhost:");
  const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(10)));
  EXPECT_GT(port, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(port);
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_EQ(connect(client, reinterpret_cast<sockaddr*>(&place), sizeof place), 0);
  const Connection connection(listener.wait(kNever));
  close(client);
}

TEST(LocalSocket, WhatIsNoAddressIsRefused) {
  const Folder folder;
  EXPECT_EQ(refused("here"), "--gdb here: unix:PATH or localhost:PORT is expected");
  EXPECT_EQ(refused("unix:"), "--gdb unix:: unix:PATH is expected");
  EXPECT_EQ(refused("localhost:70000"), "--gdb localhost:70000: a port is a number up to 65535");
  EXPECT_EQ(refused("localhost:"), "--gdb localhost:: a port is a number up to 65535");
  EXPECT_EQ(refused("example.org:1234"),
            "--gdb example.org:1234: only this machine can be named: localhost:PORT, or unix:PATH");
  EXPECT_NE(refused("unix:" + (folder.path / std::string(120, 'x')).string()).find("at most 106"), std::string::npos);
  EXPECT_NE(refused("unix:/no/such/folder/gdb").find("No such file or directory"), std::string::npos);
  std::ofstream(folder.path / "notes") << "mine";
  EXPECT_NE(refused("unix:" + (folder.path / "notes").string()).find("the file exists"), std::string::npos);
  EXPECT_TRUE(fs::exists(folder.path / "notes"));
  const std::string path = "unix:" + (folder.path / "gdb").string();
  const Listener first("--gdb", path);
  EXPECT_NE(refused(path).find("another run waits there"), std::string::npos);
}

TEST(LocalSocket, WhatAKilledRunLeftIsTaken) {
  const Folder folder;
  const std::string path = folder.path / "gdb";
  sockaddr_un place{};
  place.sun_family = AF_UNIX;
  std::memcpy(place.sun_path, path.data(), path.size());
  const int killed = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(killed, reinterpret_cast<sockaddr*>(&place), sizeof place), 0);
  close(killed);
  const Listener listener("--gdb", "unix:" + path);
}

TEST(LocalSocket, WaitingIsGivenUp) {
  Listener listener("--gdb", "localhost:0");
  int asked = 0;
  EXPECT_EQ(listener.wait([&] { return ++asked == 2; }), -1);
}

}  // namespace
}  // namespace armature::sockets
