// The disassembler against objdump, over all of the drive's own firmware.
#include "armature/iss/disassembly.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string>

namespace armature::testing {
namespace {

TEST(IssDisassembly, IsThatOfObjdump) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> listing(popen(OBJDUMP " -d " OWN_FIRMWARE, "r"), pclose);
  ASSERT_TRUE(listing);
  std::array<char, 512> line;
  std::size_t compared = 0;
  while (std::fgets(line.data(), line.size(), listing.get())) {
    // "    1004:\t10010113          \tadd\tsp,sp,256 # 10000100 <stack_end>"
    unsigned pc = 0, word = 0;
    int text = 0;
    if (std::sscanf(line.data(), " %x:\t%x \t%n", &pc, &word, &text) != 2 || text == 0) continue;
    std::string expected = line.data() + text;
    for (const char* mark : {" #", " <", "\n"}) expected = expected.substr(0, expected.find(mark));
    for (char& c : expected)
      if (c == '\t') c = ' ';
    while (!expected.empty() && expected.back() == ' ') expected.pop_back();
    ASSERT_EQ(iss::disassemble(word, pc).text, expected) << std::hex << pc << ": " << word;
    ++compared;
  }
  EXPECT_GT(compared, 30'000u);
}

TEST(IssDisassembly, TellsRegisterLengthAndTarget) {
  const iss::Disassembly call = iss::disassemble(0x2811, 0x102e);
  EXPECT_EQ(call.text, "jal 1042");
  EXPECT_EQ(call.bytes, 2u);
  EXPECT_EQ(call.rd, 1u);
  EXPECT_EQ(call.target, 0x1042u);
  const iss::Disassembly store = iss::disassemble(0x00c52423, 0);
  EXPECT_EQ(store.text, "sw a2,8(a0)");
  EXPECT_EQ(store.rd, 0u);
  EXPECT_EQ(store.target, std::nullopt);
  EXPECT_STREQ(iss::register_name(10), "a0");
}

TEST(IssDisassembly, WhatTheFirmwareDoesNotUse) {
  const std::pair<std::uint32_t, const char*> expected[] = {
      {0x1000252f, "lr.w a0,(zero)"},
      {0x1ac5252f, "sc.w.rl a0,a2,(a0)"},
      {0x06c5252f, "amoadd.w.aqrl a0,a2,(a0)"},
      {0x0ff0000f, "fence"},
      {0x0000100f, "fence.i"},
      {0x0330000f, "fence rw,rw"},
      {0xc0001073, "unimp"},
      {0x0000, "unimp"},
      {0xffffffff, ".4byte 0xffffffff"},
      {0x00052007, ".4byte 0x52007"},
      {0x9002, "ebreak"},
      {0xb0002573, "csrr a0,mcycle"},
      {0xc00025f3, "rdcycle a1"},
      {0x30047073, "csrc mstatus,8"},
      {0x02b55533, "divu a0,a0,a1"},
      {0xfff54513, "not a0,a0"},
      {0x0ff57513, "zext.b a0,a0"},
      {0x40a00533, "neg a0,a0"},
      {0x00153513, "seqz a0,a0"},
      {0x00a03533, "snez a0,a0"},
      {0x7139, "add sp,sp,-64"},
  };
  for (const auto& [word, text] : expected) EXPECT_EQ(iss::disassemble(word, 0).text, text) << std::hex << word;
}

}  // namespace
}  // namespace armature::testing
