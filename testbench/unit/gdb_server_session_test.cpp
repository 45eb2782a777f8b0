// What gdb's packets do to a run of two harts that are none.
#include "armature/gdb_server/session.h"
#include "armature/gdb_server/target_description.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace armature::gdb_server {
namespace {

class FakeCore final : public Core {
 public:
  explicit FakeCore(std::string name) : name_(std::move(name)) {}
  std::string name() const override { return name_; }
  std::string state() const override { return "waits"; }
  std::uint32_t reg(unsigned number) const override { return registers.at(number); }
  void set_reg(unsigned number, std::uint32_t value) override { registers.at(number) = value; }
  std::string read(std::uint32_t address, std::size_t bytes) override {
    const std::size_t at = address - kBase;
    return at < memory.size() ? memory.substr(at, bytes) : "";
  }
  bool write(std::uint32_t address, const std::string& bytes) override {
    const std::size_t at = address - kBase;
    if (at >= memory.size() || bytes.size() > memory.size() - at) return false;
    memory.replace(at, bytes.size(), bytes);
    return true;
  }
  std::uint64_t position() const override { return 0; }

  static constexpr std::uint32_t kBase = 0x8000'0000;
  std::array<std::uint32_t, kRegisters> registers{};
  std::string memory = std::string("\x01\x02\x03\x04", 4) + std::string(60, '\0');

 private:
  const std::string name_;
};

class FakeMonitor final : public Monitor {
 public:
  std::string command(const std::string& words, std::size_t core) override {
    return words + " of " + std::to_string(core) + "\n";
  }
};

/// Two harts under a session, and gdb's end of its connection.
class GdbSession : public testing::Test {
 protected:
  GdbSession() {
    int sockets[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    gdb_ = sockets[0];
    session_.emplace(sockets::Connection(sockets[1]), std::vector<Core*>{&atlas_, &other_}, monitor_,
                     [this] { return give_up_(); });
  }
  ~GdbSession() override {
    if (gdb_ >= 0) close(gdb_);
  }

  void say_raw(const std::string& bytes) {
    asked_ = 0;
    ASSERT_EQ(write(gdb_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  void say(const std::vector<std::string>& packets) {
    for (const std::string& packet : packets) say_raw(framed(packet));
  }
  /// The session's packets since the last time.
  std::vector<std::string> heard() {
    PacketReader reader;
    for (pollfd waits{gdb_, POLLIN, 0}; poll(&waits, 1, 0) > 0;) {
      std::array<char, 65536> bytes;
      const ssize_t count = ::read(gdb_, bytes.data(), bytes.size());
      if (count <= 0) break;
      reader.feed({bytes.data(), static_cast<std::size_t>(count)});
    }
    std::vector<std::string> packets;
    while (std::optional<Incoming> incoming = reader.next())
      if (incoming->kind == Incoming::Kind::packet) packets.push_back(incoming->text);
    return packets;
  }
  /// gdb's packets while `core` stands before the instruction at `pc`; the answers.
  std::vector<std::string> at(std::uint32_t pc, const std::vector<std::string>& packets, std::size_t core = 0) {
    say(packets);
    run(pc, core);
    return heard();
  }
  void run(std::uint32_t pc, std::size_t core = 0) {
    (core == 0 ? atlas_ : other_).registers[kPc] = pc;
    session_->instruction(core, pc);
  }

  FakeCore atlas_{"atlas"}, other_{"other"};
  FakeMonitor monitor_;
  int asked_ = 0;
  std::function<bool()> give_up_ = [this] { return ++asked_ > 3; };
  int gdb_ = -1;
  std::optional<Session> session_;
};

using Packets = std::vector<std::string>;

TEST_F(GdbSession, TheFirstInstructionIsAStopThatGdbAsksFor) {
  const Packets answers =
      at(0x1000, {"qSupported:swbreak+", "QStartNoAckMode", "?", "qAttached", "vMustReplyEmpty", "c"});
  ASSERT_EQ(answers.size(), 5u);
  EXPECT_NE(answers[0].find("qXfer:features:read+"), std::string::npos);
  EXPECT_EQ(answers[0].find("Reverse"), std::string::npos);
  EXPECT_EQ(answers[1], "OK");
  EXPECT_EQ(answers[2], "T05thread:1;02:00000000;20:00100000;");
  EXPECT_EQ(answers[3], "0");
  EXPECT_EQ(answers[4], "");
  run(0x1002);
  EXPECT_TRUE(heard().empty()) << "it goes on";
}

TEST_F(GdbSession, RegistersByNumberAndAllAtOnce) {
  atlas_.registers[10] = 0x1122'3344;
  other_.registers[10] = 5;
  Packets answers = at(0x1000, {"pa", "Pa=78563412", "pa", "p27", "p28", "px", "Pa=12", "Hg2", "pa", "Hg3", "g", "c"});
  ASSERT_EQ(answers.size(), 11u);
  EXPECT_EQ(answers[0], "44332211");
  EXPECT_EQ(answers[1], "OK");
  EXPECT_EQ(answers[2], "78563412");
  EXPECT_EQ(answers[3], "00000000") << "mtval";
  for (const std::size_t wrong : {4u, 5u, 6u, 9u}) EXPECT_EQ(answers[wrong], "E01");
  EXPECT_EQ(answers[8], "05000000") << "of the other thread";
  EXPECT_EQ(answers[10].size(), 8u * kRegisters);
  session_->points().insert(StopPoints::Kind::software, 0x1002, 4);
  answers = at(0x1002, {"G0000000001000000", "G" + std::string(8 * kRegisters + 8, '0'), "G12", "p1", "c"});
  EXPECT_EQ(answers, (Packets{"T05thread:1;02:00000000;20:02100000;swbreak:;", "OK", "E01", "E01", "01000000"}));
}

TEST_F(GdbSession, MemoryInHexadecimalAndBinary) {
  const Packets answers = at(0x1000, {"m80000000,4", "mffffffff80000001,2", "m0,4", "m80000000,0", "m80000000",
                                      "m80000000,zz", "M80000000,2:aabb", "X80000002,2:#}", "m80000000,4", "M0,1:00",
                                      "M80000000,3:00", "X80000000,0:", "m8000003c,ffffffff", "c"});
  EXPECT_EQ(answers, (Packets{"01020304", "0203", "E0e", "", "E01", "E01", "OK", "OK", "aabb237d", "E0e", "E01", "OK",
                              "00000000"}));
}

TEST_F(GdbSession, BreakpointsOfBothKinds) {
  EXPECT_EQ(at(0x1000, {"Z0,80000010,2", "Z1,1004,4", "Z7,0,4", "Z0,zz,4", "c"}), (Packets{"OK", "OK", "", "E01"}));
  run(0x1002);
  run(0x1006);
  EXPECT_EQ(at(0x8000'0010, {"z0,ffffffff80000010,2", "c"}),
            (Packets{"T05thread:1;02:00000000;20:10000080;swbreak:;", "OK"}));
  EXPECT_EQ(at(0x1004, {"c"}, 1), (Packets{"T05thread:2;02:00000000;20:04100000;hwbreak:;"}));
  run(0x8000'0010);
  EXPECT_TRUE(heard().empty()) << "it was removed";
}

TEST_F(GdbSession, StepsOfOneInstructionAndOfALine) {
  EXPECT_TRUE(at(0x1000, {"vCont;s:1;c"}).empty());
  run(0x2000, 1);
  EXPECT_TRUE(heard().empty()) << "the other thread goes on";
  EXPECT_EQ(at(0x1002, {"vCont;r1002,1008:1;c"}), (Packets{"T05thread:1;02:00000000;20:02100000;"}));
  run(0x1004);
  run(0x1006);
  EXPECT_EQ(at(0x1008, {"s"}), (Packets{"T05thread:1;02:00000000;20:08100000;"}));
  EXPECT_EQ(at(0x100a, {"vCont;x", "vCont;s:9", "vCont;r1,", "s:1", "c"}),
            (Packets{"T05thread:1;02:00000000;20:0a100000;", "E01", "E01", "E01", "E01"}));
}

TEST_F(GdbSession, AJumpToABreakpointStopsThere) {
  at(0x1000, {"Z0,1010,2", "c"});
  session_->points().insert(StopPoints::Kind::software, 0x1002, 2);
  EXPECT_EQ(at(0x1002, {"P20=10100000", "c", "c"}), (Packets{"T05thread:1;02:00000000;20:02100000;swbreak:;", "OK",
                                                             "T05thread:1;02:00000000;20:10100000;swbreak:;"}));
}

TEST_F(GdbSession, AStepAfterAJumpExecutesItsInstruction) {
  at(0x1000, {"P20=10100000", "s"});
  EXPECT_TRUE(heard().empty()) << "the instruction at 1010 is to come";
  EXPECT_EQ(at(0x1012, {"c"}), (Packets{"T05thread:1;02:00000000;20:12100000;"}));
}

TEST_F(GdbSession, WatchpointsByKindOfAccess) {
  at(0x1000, {"Z2,80000004,4", "Z3,40000000,4", "Z4,fffffffe,2", "c"});
  const auto access = [&](std::uint32_t address, unsigned bytes, bool write) {
    say({"c"});
    session_->access(0, address, bytes, write);
    const Packets answers = heard();
    if (answers.empty()) {  // takes the "c" off the connection
      session_->stop({});
      heard();
    }
    return answers.empty() ? "" : answers[0].substr(answers[0].rfind(':', answers[0].size() - 2) + 1);
  };
  EXPECT_EQ(access(0x8000'0004, 4, true), "80000004;");
  EXPECT_EQ(access(0x8000'0007, 1, true), "80000007;");
  EXPECT_EQ(access(0x8000'0002, 4, true), "80000002;");
  EXPECT_EQ(access(0x8000'0004, 4, false), "");
  EXPECT_EQ(access(0x8000'0008, 4, true), "");
  EXPECT_EQ(access(0x8000'0000, 4, true), "");
  EXPECT_EQ(access(0x4000'0000, 4, false), "40000000;");
  EXPECT_EQ(access(0x4000'0000, 4, true), "");
  EXPECT_EQ(access(0xFFFF'FFFC, 4, true), "fffffffc;") << "up to the end of the addresses";
}

TEST_F(GdbSession, CtrlCStopsARun) {
  at(0x1000, {"c"});
  say_raw("\x03");
  say({"c"});
  session_->look(1);
  EXPECT_EQ(heard(), (Packets{"T02thread:2;02:00000000;20:00000000;"}));
  say_raw("\x03");
  say({"c"});
  for (int i = 0; i < 5000; ++i) run(0x2000);
  EXPECT_EQ(heard(), (Packets{"T02thread:1;02:00000000;20:00200000;"})) << "within some thousand instructions";
}

TEST_F(GdbSession, AFaultIsASignalWithTheLineThatTellsIt) {
  at(0x1000, {"c"});
  Stop fault;
  fault.signal = kSegmentationFault;
  fault.text = "no memory";
  say({"?", "C0b"});
  session_->stop(fault);
  const std::string reply = "T0bthread:1;02:00000000;20:00100000;";
  EXPECT_EQ(heard(), (Packets{"O" + to_hex("no memory\n"), reply, reply}));
}

TEST_F(GdbSession, ThreadsAreTheDrives) {
  const Packets answers = at(0x1000, {"qfThreadInfo", "qsThreadInfo", "qThreadExtraInfo,2", "qC", "T2", "T3", "Hg0",
                                      "Hc-1", "qThreadExtraInfo,x", "qXfer:threads:read::0,1000", "qCRC:0,4", "c"});
  ASSERT_EQ(answers.size(), 11u);
  EXPECT_EQ(answers[0], "m1,2");
  EXPECT_EQ(answers[1], "l");
  EXPECT_EQ(answers[2], to_hex("other, waits"));
  EXPECT_EQ(answers[3], "QC1");
  EXPECT_EQ(answers[4], "OK");
  EXPECT_EQ(answers[5], "E01");
  EXPECT_EQ(answers[6], "OK");
  EXPECT_EQ(answers[7], "OK");
  EXPECT_EQ(answers[8], "E01");
  EXPECT_NE(answers[9].find(R"(<thread id="2" core="1" name="other">waits</thread>)"), std::string::npos);
  EXPECT_EQ(answers[10], "");
}

TEST_F(GdbSession, TheDescriptionComesInParts) {
  std::string whole;
  for (std::size_t from = 0; whole.empty() || from < target_description().size(); from += 100) {
    char packet[60];
    std::snprintf(packet, sizeof packet, "qXfer:features:read:target.xml:%zx,64", from);
    const Packets answers = at(0x1000, {packet, "s"});
    ASSERT_FALSE(answers.empty());
    whole += answers.back().substr(1);
    EXPECT_EQ(answers.back()[0], from + 100 < target_description().size() ? 'm' : 'l');
  }
  EXPECT_EQ(whole, target_description());
  EXPECT_NE(whole.find("riscv:rv32"), std::string::npos);
  EXPECT_NE(whole.find(R"(<reg name="mcause" bitsize="32" type="int" regnum="38"/>)"), std::string::npos);
}

TEST_F(GdbSession, MonitorCommandsAnswerWithText) {
  EXPECT_EQ(at(0x1000, {"qRcmd," + to_hex("time"), "qRcmd,7", "c"}),
            (Packets{"O" + to_hex("time of 0\n"), "OK", "E01"}));
}

TEST_F(GdbSession, DetachLetsTheRunGoOn) {
  EXPECT_EQ(at(0x1000, {"Z0,1000,2", "D"}), (Packets{"OK", "OK"}));
  EXPECT_EQ(session_->end(), Session::End::detached);
  run(0x1000);
  session_->exited(0);
  EXPECT_TRUE(heard().empty());
}

TEST_F(GdbSession, KillEndsIt) {
  EXPECT_EQ(at(0x1000, {"vKill;1"}), (Packets{"OK"}));
  EXPECT_EQ(session_->end(), Session::End::killed);
}

TEST_F(GdbSession, ALostConnectionEndsIt) {
  close(gdb_);
  gdb_ = -1;
  run(0x1000);
  EXPECT_EQ(session_->end(), Session::End::lost);
}

TEST_F(GdbSession, SomebodyElseEndsTheRunWhileGdbHoldsIt) {
  run(0x1000);
  EXPECT_EQ(session_->end(), Session::End::given_up);
}

TEST_F(GdbSession, TheEndOfTheRunIsToldWithItsStatus) {
  at(0x1000, {"c"});
  shutdown(gdb_, SHUT_WR);  // as gdb does when it hears it
  session_->exited(3);
  EXPECT_EQ(heard(), (Packets{"W03"}));
}

TEST_F(GdbSession, WithoutNoAckModeEachPacketIsAcknowledgedAndADamagedOneAskedForAgain) {
  say_raw("+$?#00$?#3f-$c#63");
  run(0x1000);
  std::array<char, 400> bytes{};
  const ssize_t count = ::read(gdb_, bytes.data(), bytes.size());
  const std::string reply = framed("T05thread:1;02:00000000;20:00100000;");
  EXPECT_EQ(std::string(bytes.data(), static_cast<std::size_t>(count)), "-+" + reply + reply + "+");
}

// A small fuzzer: packets that nearly make sense, at each of many stops. What is left intact at the end is the check,
// with the sanitizers' builds.
TEST_F(GdbSession, NoPacketBreaksIt) {
  const Packets seeds = {"qSupported:x",
                         "QStartNoAckMode",
                         "?",
                         "g",
                         "G00000000",
                         "p20",
                         "P20=00000000",
                         "m80000000,40",
                         "M80000000,1:00",
                         "X80000000,2:ab",
                         "Z0,1000,2",
                         "z0,1000,2",
                         "Z4,80000000,8",
                         "vCont?",
                         "vCont;s:1;c",
                         "vCont;r1000,2000:1;c",
                         "vCont;c",
                         "c",
                         "s",
                         "C05;1000",
                         "Hg2",
                         "Hc-1",
                         "T1",
                         "qC",
                         "qfThreadInfo",
                         "qThreadExtraInfo,1",
                         "qXfer:features:read:target.xml:0,ffb",
                         "qXfer:threads:read::0,ff",
                         "qRcmd,74696d65",
                         "qSymbol::",
                         "bs",
                         "bc",
                         "qAttached:1",
                         "vMustReplyEmpty",
                         "!",
                         "R00"};
  std::mt19937 random(7);
  give_up_ = [this] {  // nothing is left to be read
    say({"c"});
    return false;
  };
  say({"QStartNoAckMode"});
  std::size_t answered = 0;
  for (int round = 0; round < 3000; ++round) {
    for (int packets = 0; packets < 4; ++packets) {
      std::string packet = seeds[random() % seeds.size()];
      for (unsigned changes = random() % 4; changes > 0; --changes) {
        const std::size_t place = random() % (packet.size() + 1);
        switch (random() % 4) {
          case 0:
            packet.insert(place, 1, static_cast<char>(random()));
            break;
          case 1:
            packet.erase(place, 1 + random() % 3);
            break;
          case 2:
            packet.insert(place, std::to_string(random()));
            break;
          default:
            packet = packet.substr(0, place) + seeds[random() % seeds.size()].substr(random() % 2);
        }
      }
      const bool ends = packet.substr(0, 1) == "D" || packet.substr(0, 1) == "k" || packet.substr(0, 6) == "vKill;";
      if (!ends) say_raw(random() % 8 == 0 ? packet : framed(packet));
    }
    for (int stops = 0; stops < 5; ++stops) session_->stop({});
    run(0x1000 + 2 * (random() % 8), random() % 2);
    session_->access(random() % 2, 0x8000'0000 + random() % 16, 4, random() % 2 == 0);
    if (session_->end() != Session::End::none) break;
    answered += heard().size();
  }
  EXPECT_EQ(session_->end(), Session::End::none);
  EXPECT_GT(answered, 3000u);
}

}  // namespace
}  // namespace armature::gdb_server
