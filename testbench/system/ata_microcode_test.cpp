// DOWNLOAD MICROCODE: firmware that the host sends runs, stays over power-off, and changes nothing if it is bad.
#include "support/ata_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace armature::ata_microcode_test {
namespace {

using testing::ata_session;
using testing::AtaAnswer;
using testing::AtaSession;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::tab_separated;
using testing::Workplace;

constexpr std::size_t kBlock = 512;
constexpr const char* kDrive =
    "[identity]\nmodel = \"TESTDRIVE\"\nfirmware = \"OLD\"\n"
    "[geometry]\nheads = 1\nzones = [[0, 999, 100, 0, 0, 0]]\n"
    "[seek]\ntable = [[1, 1], [10, 1.6], [100, 4], [999, 12]]\n"
    "[media]\ncontents = \"memory\"\n[cache]\nwrite = true\n[smart]\nautosave_min = 0\n"
    "[controller]\nprocessor = \"iss\"\n";

class Microcode : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(ARMATURE_OWN_ELF)) GTEST_SKIP() << "there is no compiler for RISC-V";
    place_.write("drive.toml", kDrive);
    ASSERT_TRUE(make("new.img", "NEW1"));
    image_ = place_.read("new.img");
    blocks_ = image_.size() / kBlock;
  }
  bool make(const std::string& name, const std::string& revision) const {
    const std::string line = std::string("python3 '") + ARMATURE_IMAGE_TOOL + "' '" + ARMATURE_OWN_ELF +
                             "' --revision " + revision + " -o '" + (place_.path() / name).string() + "' >/dev/null";
    return std::system(line.c_str()) == 0;
  }
  /// A line that sends all of a file.
  static std::string whole(const std::string& file, std::size_t blocks, const std::string& command = "") {
    return "download microcode" + command + " features=7 sectors=" + std::to_string(blocks) + " data_file=" + file +
           "\n";
  }
  /// Lines that send new.img in segments.
  std::string segments(unsigned features, std::size_t most, const std::string& command = "") {
    std::string lines;
    for (std::size_t from = 0; from < blocks_; from += most) {
      const std::size_t count = std::min(most, blocks_ - from);
      const std::string file = "part" + std::to_string(from);
      place_.write(file, image_.substr(from * kBlock, count * kBlock));
      lines += "download microcode" + command + " features=" + std::to_string(features) +
               " sectors=" + std::to_string(count) + " lba=" + std::to_string(from << 8) + " data_file=" + file + "\n";
    }
    return lines;
  }
  const std::vector<AtaAnswer>& run(const std::string& script, const std::vector<std::string>& more = {}) {
    AtaSession session = ata_session(place_, script, more);
    out_ = session.out;
    answers_ = std::move(session.answers);
    revisions_.clear();
    for (const auto& cells : tab_separated(out_))
      for (const std::string& cell : cells)
        if (cell == "firmware revision") revisions_.push_back(cells.back());
    return answers_;
  }
  static constexpr const char* kIdentify = "identify device\n";
  static constexpr const char* kCycle = "power off\n+1 s power on\n";

  Workplace place_;
  std::string image_, out_;
  std::size_t blocks_ = 0;
  std::vector<AtaAnswer> answers_;
  std::vector<std::string> revisions_;
};

TEST_F(Microcode, AnImageInOneCommandRunsAndStaysOverPowerOff) {
  for (const char* const dma : {"", " dma"}) {
    const std::string script = std::string(kIdentify) + "write dma ext lba=100 sectors=2 data_hex=\"0102\"\n" +
                               whole("new.img", blocks_, dma) + kIdentify + "read dma ext lba=100 sectors=2\n" +
                               "smart read data\n" + kCycle + kIdentify + "smart read data\n";
    run(script, {"--raw"});
    ASSERT_EQ(answers_.size(), 10u);
    for (std::size_t i = 0; i < answers_.size(); ++i) EXPECT_EQ(answers_[i].end, "ok") << i;
    EXPECT_EQ(answers_[2].status, "50");
    EXPECT_EQ(answers_[2].count, "0002") << "applied";
    ASSERT_EQ(revisions_.size(), 3u) << out_;
    EXPECT_THAT(revisions_[0], HasSubstr("OLD"));
    EXPECT_THAT(revisions_[1], HasSubstr("NEW1"));
    EXPECT_THAT(revisions_[2], HasSubstr("NEW1"));
    EXPECT_THAT(out_, HasSubstr("data\t4\t0\t01020000")) << "what was in the write cache is on the media";
  }
}

// A restart is no cycle of power, and no start of the stack.
TEST_F(Microcode, CountsGoOnOverTheRestart) {
  run(std::string("wait 1 h\n") + whole("new.img", blocks_) + "wait 1 h\nsmart read data\n");
  EXPECT_THAT(out_, ::testing::ContainsRegex("power cycle count[^\n]*raw 1[^0-9]"));
  EXPECT_THAT(out_, ::testing::ContainsRegex("start and stop count[^\n]*raw 1[^0-9]"));
  EXPECT_THAT(out_, ::testing::ContainsRegex("power-on hours[^\n]*raw 2[^0-9]"));
  EXPECT_THAT(out_, ::testing::ContainsRegex("retracts[^\n]*raw 0[^0-9]"));
}

TEST_F(Microcode, SegmentsAreAnsweredEachAndTheLastOneStartsIt) {
  run(segments(3, 100) + kIdentify);
  ASSERT_GE(answers_.size(), 4u);
  for (std::size_t i = 0; i + 2 < answers_.size(); ++i) EXPECT_EQ(answers_[i].count, "0001") << i;
  EXPECT_EQ(answers_[answers_.size() - 2].count, "0002");
  ASSERT_EQ(revisions_.size(), 1u);
  EXPECT_THAT(revisions_[0], HasSubstr("NEW1"));
}

TEST_F(Microcode, ADeferredImageWaitsForItsActivation) {
  const std::string activate = "download microcode features=15 count=0\n";
  run(segments(14, 200, " dma") + kIdentify + "standby immediate\n" + activate + kIdentify + activate);
  const std::size_t n = answers_.size();
  EXPECT_EQ(answers_[n - 6].count, "0003") << "deferred";
  ASSERT_EQ(revisions_.size(), 2u);
  EXPECT_THAT(revisions_[0], HasSubstr("OLD"));
  EXPECT_THAT(revisions_[1], HasSubstr("NEW1"));
  EXPECT_EQ(answers_[n - 3].count, "0002");
  EXPECT_EQ(answers_[n - 1].error, "04") << "there is none any more";
}

TEST_F(Microcode, ADeferredImageRunsFromTheNextPowerOnOn) {
  run(segments(14, 200) + kIdentify + kCycle + kIdentify);
  ASSERT_EQ(revisions_.size(), 2u);
  EXPECT_THAT(revisions_[0], HasSubstr("OLD"));
  EXPECT_THAT(revisions_[1], HasSubstr("NEW1"));
}

TEST_F(Microcode, TheNewFirmwareTakesTheNextOne) {
  ASSERT_TRUE(make("next.img", "NEW2"));
  run(whole("new.img", blocks_) + whole("next.img", blocks_) + kIdentify + kCycle + kIdentify +
      whole("new.img", blocks_) + kIdentify + kCycle + kIdentify);
  ASSERT_EQ(revisions_.size(), 4u);
  EXPECT_THAT(revisions_[0], HasSubstr("NEW2"));
  EXPECT_THAT(revisions_[1], HasSubstr("NEW2"));
  EXPECT_THAT(revisions_[2], HasSubstr("NEW1"));
  EXPECT_THAT(revisions_[3], HasSubstr("NEW1"));
}

TEST_F(Microcode, BadImagesAreRefusedAndChangeNothing) {
  const auto changed = [&](const std::string& name, std::size_t at, char with) {
    std::string bytes = image_;
    bytes[at] = static_cast<char>(bytes[at] ^ with);
    place_.write(name, bytes);
    return whole(name, blocks_);
  };
  place_.write("long.img", image_ + std::string(kBlock, '\0'));
  const std::string one = "download microcode features=3 sectors=1 data_file=first\n";
  place_.write("first", image_.substr(0, kBlock));
  const std::vector<std::string> bad = {
      changed("magic", 0, 1),
      changed("length", 4, 1),
      changed("revision", 14, 1),
      changed("elf", 5'000, 4),
      changed("last", image_.size() - kBlock, 4),
      "download microcode features=7 sectors=100\n",                // no image at all
      "download microcode features=7 sectors=1 data_file=first\n",  // not all of it
      whole("long.img", blocks_ + 1),                               // more than it says
      "download microcode features=3 sectors=1 lba=0x100\n",        // does not begin
      "download microcode features=7 count=0\n",                    // nothing
      "download microcode features=15 count=0\n",                   // no image waits
      "download microcode features=1 sectors=1 data_file=first\n",  // no such sub-command
      "download microcode dma features=8 sectors=1 data_file=first\n",
  };
  std::string script;
  for (const std::string& line : bad) script += line;
  run(script + one + "download microcode features=3 sectors=1 lba=0x300\n" + kIdentify + kCycle + kIdentify + one +
      "download microcode features=14 sectors=1 lba=0x100\n" + one + "reset\n" +
      "download microcode features=3 sectors=1 lba=0x100\n" + whole("new.img", blocks_) + kIdentify);
  for (std::size_t i = 0; i < bad.size(); ++i) {
    EXPECT_EQ(answers_[i].status, "51") << bad[i];
    EXPECT_EQ(answers_[i].error, "04") << bad[i];
  }
  const auto after = [&](std::size_t i) { return answers_.at(bad.size() + i); };
  EXPECT_EQ(after(0).count, "0001");
  EXPECT_EQ(after(1).error, "04") << "a gap";
  EXPECT_EQ(after(7).error, "04") << "a segment of another sub-command";
  EXPECT_EQ(after(8).count, "0001");
  EXPECT_EQ(after(10).error, "04") << "a reset has dropped what came before";
  EXPECT_EQ(after(11).count, "0002");
  ASSERT_EQ(revisions_.size(), 3u);
  EXPECT_THAT(revisions_[0], HasSubstr("OLD"));
  EXPECT_THAT(revisions_[1], HasSubstr("OLD"));
  EXPECT_THAT(revisions_[2], HasSubstr("NEW1"));
}

// The header and the sum are right, but it is nothing that the core can run.
TEST_F(Microcode, WhatIsNoFirmwareIsRefused) {
  const std::string make_toy = std::string("cp /bin/true '") + (place_.path() / "x86.elf").string() + "' && python3 '" +
                               ARMATURE_IMAGE_TOOL + "' '" + (place_.path() / "x86.elf").string() +
                               "' --revision TOY --objcopy none -o '" + (place_.path() / "toy.img").string() +
                               "' >/dev/null";
  ASSERT_EQ(std::system(make_toy.c_str()), 0);
  run(whole("toy.img", place_.read("toy.img").size() / kBlock) + kIdentify);
  EXPECT_EQ(answers_[0].error, "04");
  EXPECT_THAT(revisions_.at(0), HasSubstr("OLD"));
}

TEST_F(Microcode, APowerCutInTheMidstLeavesTheOldFirmware) {
  run(whole("new.img", blocks_));
  const double took = answers_.at(0).completed_s;
  for (const double share : {0.01, 0.3, 0.7, 0.95, 0.98}) {
    run(whole("new.img", blocks_) + "+" + std::to_string(static_cast<int>(took * share * 1e3)) +
        " ms power off\n+1 s power on\n" + kIdentify + whole("new.img", blocks_) + kIdentify);
    EXPECT_EQ(answers_[0].end, "power lost") << share;
    ASSERT_EQ(revisions_.size(), 2u);
    EXPECT_THAT(revisions_[1], HasSubstr("NEW1"));
    if (share < 0.9) {
      EXPECT_THAT(revisions_[0], HasSubstr("OLD")) << share;
    }
  }
}

TEST_F(Microcode, IdentifyClaimsItOnlyWhereItIs) {
  run("read log ext log=0x30 page=3\nidentify device\n");
  EXPECT_THAT(out_, HasSubstr("DOWNLOAD MICROCODE blocks\t1 at least, "));
  EXPECT_THAT(out_, HasSubstr("DOWNLOAD MICROCODE by offsets"));
  EXPECT_THAT(out_, HasSubstr("DOWNLOAD MICROCODE DMA"));
  run("read log ext log=0x30 page=3\nidentify device\n" + whole("new.img", blocks_) + whole("new.img", blocks_, " dma"),
      {"--set", "controller.processor=native"});
  EXPECT_THAT(out_, ::testing::Not(HasSubstr("DOWNLOAD MICROCODE by offsets")));
  EXPECT_EQ(answers_.at(2).error, "04");
  EXPECT_EQ(answers_.at(3).error, "04");
}

// Requests wait at the host and in the host interface meanwhile; what was written before is read back.
TEST_F(Microcode, UnderALoadNothingIsLost) {
  place_.write("run.toml",
               "[drives.d]\nmodel = \"drive.toml\"\n[workload]\nkind = \"closed\"\noutstanding = 16\ncount = 600\n"
               "read_fraction = 0.5\n[host]\nverify = true\n"
               "[[host.commands]]\ncommand = \"download microcode dma\"\nfeatures = 7\nsectors = " +
                   std::to_string(blocks_) +
                   "\ndata_file = \"new.img\"\nafter_request = 200\n"
                   "[[host.commands]]\ncommand = \"power off\"\nafter_request = 400\n"
                   "[[host.commands]]\ncommand = \"power on\"\ndelay_s = 1\n");
  const Outcome got = place_.run({"run", "run.toml", "--out", "out"});
  EXPECT_EQ(got.status, 0) << got.out << got.err;
  EXPECT_THAT(got.out, HasSubstr(" 0 mismatches"));
  EXPECT_THAT(got.out, HasSubstr("3 answered, 0 of them with an error"));
}

TEST_F(Microcode, AlsoIfInstructionsTakeTime) {
  run(whole("new.img", blocks_, " dma") + kIdentify + "read dma ext lba=1000\n",
      {"--set", "firmware.time=instructions"});
  EXPECT_EQ(answers_.at(0).count, "0002");
  EXPECT_THAT(revisions_.at(0), HasSubstr("NEW1"));
  EXPECT_EQ(answers_.at(2).end, "ok");
}

}  // namespace
}  // namespace armature::ata_microcode_test
