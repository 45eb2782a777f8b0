// The commands of scripts and of [[host.commands]]: grammar, registers, what is refused.
#include "armature/host/host_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace armature::host {
namespace {

using ::testing::HasSubstr;

HostOrder order(const std::string& line, std::uint32_t sector_bytes = 512) {
  ScriptReader reader("s.txt", ".");
  const std::optional<HostCommand> command = reader.read(line);
  EXPECT_TRUE(command) << line;
  return order_of(command.value_or(HostCommand{}), sector_bytes);
}

std::string refusal(const std::string& line) {
  try {
    ScriptReader reader("s.txt", ".");
    const std::optional<HostCommand> command = reader.read(line);
    if (command) order_of(*command, 512);
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing is refused";
}

TEST(HostCommand, ANameAndItsKeys) {
  const HostOrder o = order("20 s read log ext log=0x30 page=0x102 count=2  # a comment");
  EXPECT_EQ(o.at, 20 * kPsPerSecond);
  EXPECT_EQ(o.registers.command, 0x2F);
  EXPECT_EQ(o.registers.count, 2);
  EXPECT_EQ(o.registers.lba, HostLba(0x01'0000'0230));
  EXPECT_EQ(o.registers.device, 0x40);
  EXPECT_EQ(o.name, "read log ext");
  EXPECT_FALSE(o.queued);
}

TEST(HostCommand, AnOpcodeInHexadecimal) {
  for (const char* line : {"ECh", "0xEC", "ec"}) EXPECT_EQ(order(line).registers.command, 0xEC) << line;
  EXPECT_EQ(order("25h lba=100h").registers.lba, HostLba(0x100));
  EXPECT_EQ(order("0x8E features=0xC1").title, "command 8Eh");
  EXPECT_THAT(refusal("25 lba=1"), HasSubstr("s.txt:1:1: 25: a time needs its unit"));
}

TEST(HostCommand, LinesAsTestersHaveThem) {
  const HostOrder o = order("20020 log30p0 2F 0 1 30");
  EXPECT_EQ(o.at, 20'020 * kPsPerMs);
  EXPECT_EQ(o.name, "log30p0");
  EXPECT_EQ(o.title, "READ LOG EXT");
  EXPECT_EQ(o.registers.command, 0x2F);
  EXPECT_EQ(o.registers.count, 1);
  EXPECT_EQ(o.registers.lba, HostLba(0x30));
  EXPECT_EQ(o.registers.device, 0x40);
  EXPECT_TRUE(o.now);
  EXPECT_EQ(order("1.5 x C8 0 8 100 E1").registers.device, 0xE1);
  EXPECT_EQ(order("1.5 x C8 0 8 100 E1").at, 1'500 * kPsPerUs);
  EXPECT_EQ(order("20000 srst").kind, HostOrder::Kind::soft_reset);
  EXPECT_THAT(refusal("1 x 1C8 0 8 100"), HasSubstr("s.txt:1:5: command: 1C8 is more than FFh"));
}

TEST(HostCommand, DataOfTheNextCommand) {
  ScriptReader reader("s.txt", ".");
  EXPECT_FALSE(reader.read("20000 wdata 1024"));
  EXPECT_EQ(order_of(*reader.read("20000 w 35 0 8 0"), 512).out.size(), 1'024u);
  EXPECT_EQ(order_of(*reader.read("20001 w 35 0 8 0"), 512).out.size(), 4'096u);
}

TEST(HostCommand, TimesAndWords) {
  EXPECT_EQ(order("+5 ms check power mode").delay, 5 * kPsPerMs);
  EXPECT_EQ(order("+5ms check power mode").after, HostCommand::sent);
  EXPECT_EQ(order("check power mode").after, HostCommand::completed);
  EXPECT_EQ(order("wait 5 s").kind, HostOrder::Kind::wait);
  EXPECT_EQ(order("wait 5 s").delay, 5 * kPsPerSecond);
  EXPECT_EQ(order("reset").kind, HostOrder::Kind::soft_reset);
  EXPECT_EQ(order("COMRESET").kind, HostOrder::Kind::comreset);
  EXPECT_EQ(order("power off").kind, HostOrder::Kind::power_off);
  EXPECT_THAT(refusal("wait 5"), HasSubstr("a time with its unit"));
  EXPECT_THAT(refusal("wait"), HasSubstr("a time with its unit"));
}

TEST(HostCommand, EmptyLinesCommentsAndTheEnd) {
  ScriptReader reader("s.txt", ".");
  EXPECT_FALSE(reader.read(""));
  EXPECT_FALSE(reader.read("  # nothing"));
  EXPECT_FALSE(reader.ended());
  EXPECT_FALSE(reader.read("end"));
  EXPECT_TRUE(reader.ended());
  EXPECT_EQ(reader.lines(), 3u);
}

TEST(HostCommand, AQueuedCommandHasItsCountInTheFeatures) {
  const HostOrder o = order("write fpdma queued lba=0x1000 sectors=8 tag=3 fua");
  EXPECT_TRUE(o.queued);
  EXPECT_EQ(o.tag, 3);
  EXPECT_EQ(o.registers.features, 8);
  EXPECT_EQ(o.registers.device, 0xC0);
  EXPECT_EQ(o.out.size(), 4'096u);
  EXPECT_EQ(order("read fpdma queued lba=1").tag, -1);
  EXPECT_EQ(order("60h features=8 count=0x28 lba=1").tag, 5);
  EXPECT_TRUE(order("60h features=8 count=0x28 lba=1").own_count);
  EXPECT_EQ(order("ncq non data features=1").registers.features, 1);
}

TEST(HostCommand, TheAddressOf28Bits) {
  const HostOrder o = order("read dma lba=0x9876543 sectors=256");
  EXPECT_EQ(o.registers.lba, HostLba(0x876543));
  EXPECT_EQ(o.registers.device, 0x49);
  EXPECT_EQ(o.registers.count, 0);
  EXPECT_EQ(order("read dma lba=0x9876543 device=0xE0").registers.lba, HostLba(0x9876543)) << "as it stands";
  EXPECT_THAT(refusal("read dma lba=0x10000000"), HasSubstr("more than the 28 bits"));
  EXPECT_THAT(refusal("read dma sectors=257"), HasSubstr("256 at most"));
  EXPECT_EQ(order("read dma ext lba=0x123456789AB sectors=65536").registers.count, 0);
}

TEST(HostCommand, RegistersThatSelectASubcommand) {
  const HostOrder o = order("smart read log log=0x06");
  EXPECT_EQ(o.registers.features, 0xD5);
  EXPECT_EQ(o.registers.lba, HostLba(0xC24F06));
  EXPECT_EQ(o.registers.count, 1);
  EXPECT_EQ(order("idle immediate unload").registers.lba, HostLba(0x554E4C));
}

TEST(HostCommand, DataForTheDrive) {
  EXPECT_EQ(order("write dma ext lba=0 sectors=2").out.size(), 1'024u);
  EXPECT_EQ(order("write dma ext lba=0 sectors=2", 4'096).out.size(), 8'192u);
  EXPECT_NE(order("write dma ext lba=0 sectors=2").out[0], order("write dma ext lba=0 sectors=2").out[513]);
  const HostOrder hex = order("write dma ext lba=0 sectors=1 data_hex=\"de ad BE_EF\"");
  EXPECT_EQ(hex.out.size(), 512u);
  EXPECT_EQ(hex.out[0], 0xDE);
  EXPECT_EQ(hex.out[3], 0xEF);
  EXPECT_EQ(hex.out[4], 0);
  EXPECT_EQ(order("8Eh data_hex=01").out.size(), 512u);
  EXPECT_EQ(order("8Eh data_hex=01 data_bytes=4").out.size(), 4u);
  EXPECT_EQ(order("write dma ext lba=0 sectors=1 data=zeros").out[100], 0);
  EXPECT_EQ(order("download microcode features=3 count=2 lba=1").out.size(), (1u << 8 | 2u) * 512);
  EXPECT_TRUE(order("read dma ext lba=0").out.empty());
}

TEST(HostCommand, WhatIsRefusedNamesFileLineAndColumn) {
  EXPECT_EQ(refusal("identfy device"),
            "s.txt:1:1: command: there is no \"identfy device\"; did you mean \"identify device\"?");
  EXPECT_THAT(refusal("identify device lbaa=1"), HasSubstr("s.txt:1:17: lbaa: no such key; did you mean \"lba\"?"));
  EXPECT_THAT(refusal("identify device lba=xyz"), HasSubstr("s.txt:1:17: lba:"));
  EXPECT_THAT(refusal("identify device count=0x10000"), HasSubstr("count: 65536 is out of range"));
  EXPECT_THAT(refusal("identify device count=1 count=2"), HasSubstr("count: is given twice"));
  EXPECT_THAT(refusal("identify device count=1 now please"), HasSubstr("please: a key with its value is expected"));
  EXPECT_THAT(refusal("identify device tag=1"), HasSubstr("is not a queued command"));
  EXPECT_THAT(refusal("read dma sectors=1 count=1"), HasSubstr("sectors: the register that holds it"));
  EXPECT_THAT(refusal("read log ext log=1 lba=1"), HasSubstr("lba is given, too"));
  EXPECT_THAT(refusal("8Eh data_hex=0g"), HasSubstr("no hexadecimal digit"));
  EXPECT_THAT(refusal("8Eh data_hex=012"), HasSubstr("odd number"));
  EXPECT_THAT(refusal("8Eh data_file=/does/not/exist"), HasSubstr("data_file:"));
  EXPECT_THAT(refusal("8Eh data=random"), HasSubstr("one of: zeros, pattern"));
  EXPECT_THAT(refusal("write dma ext sectors=1 data_bytes=100000000"), HasSubstr("out of range"));
  EXPECT_THAT(refusal("5 s"), HasSubstr("a command is expected"));
  EXPECT_THAT(refusal("command=ECh"), HasSubstr("a command is expected"));
}

TEST(HostCommand, TimesOfAListDoNotGoBack) {
  HostCommand first, second;
  first.command = second.command = "identify device";
  first.at_s = 2;
  second.at_s = 1;
  EXPECT_THROW(orders_of({first, second}, 512), InputError);
  EXPECT_EQ(orders_of({second, first}, 512).size(), 2u);
}

}  // namespace
}  // namespace armature::host
