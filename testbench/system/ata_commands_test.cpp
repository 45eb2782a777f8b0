// Every ATA command through a whole drive, on a link of fixed times: the table of docs/reference/ata-commands.md is
// what is held.
#include "armature/core/random.h"
#include "support/ata_bench.h"
#include "support/drive_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>

namespace armature::testing {
namespace {

constexpr std::uint64_t kCapacity = 100 * 2 * 100 + 100 * 2 * 80;  // of round_drive

drive::DriveParams small_drive() {
  drive::DriveParams params = round_drive();
  params.media.contents = media::ContentsParams::memory;
  return params;
}

drive::DriveParams shipped_drive(const std::string& name) {
  drive::DriveParams params;
  config::read(load_drive_sections(name), params);
  return params;
}

/// The documented protocol of each code, "absent" where the page has none.
std::map<unsigned, std::string> documented() {
  std::map<unsigned, std::string> protocols;
  for (unsigned code = 0; code < 256; ++code) protocols[code] = "absent";
  std::ifstream page(ARMATURE_SOURCE_DIR "/docs/reference/ata-commands.md");
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("<!-- commands:", 0) == 0) inside = true;
    if (line.rfind("<!-- end of commands", 0) == 0) inside = false;
    unsigned code;
    if (!inside || line.size() < 5 || line[4] != 'h' || std::sscanf(line.c_str(), "| %2X", &code) != 1) continue;
    std::istringstream cells(line);
    std::string cell;
    for (int i = 0; i < 4; ++i) std::getline(cells, cell, '|');
    protocols[code] = cell.substr(1, cell.size() - 2);
  }
  return protocols;
}

std::string protocol_of(const AtaAnswer& answer) {
  if (answer.has(sata::FrameType::dma_setup)) return answer.setups[0].to_host ? "queued data-in" : "queued data-out";
  if (!answer.blocks.empty()) return answer.blocks[0].to_host ? "PIO data-in" : "PIO data-out";
  if (answer.has(sata::FrameType::dma_activate)) return "DMA data-out";
  if (answer.has(sata::FrameType::data)) return "DMA data-in";
  return answer.ended ? (answer.aborted() ? "absent" : "non-data") : "no answer";
}

/// Registers with which the drive does what the page says.
AtaCommand plain(unsigned code) {
  AtaCommand command{code, 0, 1, 100};
  if (code == 0x60 || code == 0x61) return {code, 1, 3u << 3, 100};
  if (code == 0x2F || code == 0x47) command.lba = 0x00;
  if (code == 0x3F || code == 0x57) command.lba = 0xE0;
  if (code == 0xEF) command.features = 0xAA;
  if (code == 0x45) command = {code, 0x55, 1, 5'000};
  if (code == 0xB0) return {0xB0, 0xDA, 0, 0xC24F00};
  if (code == 0x37 || code == 0xF9) command.count = 0;
  return command;
}

TEST(AtaCommands, EachOfThe256CodesIsAnsweredAsThePageSays) {
  AtaBench bench(small_drive());
  const std::map<unsigned, std::string> page = documented();
  unsigned answered = 0;
  for (unsigned code = 0; code < 256; ++code) {
    if (code >= 0x8A && code <= 0x8D) continue;  // a MEMS store's, below
    ASSERT_TRUE(bench.send({0xC6, 0, 8}).ok());
    if (code == 0xF9 || code == 0x37) {
      ASSERT_TRUE(bench.send({code == 0xF9 ? 0xF8u : 0x27u}).ok());
    }
    AtaCommand command = plain(code);
    if (code == 0xC6) command.count = 4;
    const AtaAnswer answer = bench.send(command);
    // NOP is always aborted, and native firmware cannot be changed.
    const std::string expected = code == 0x00 || code == 0x92 || code == 0x93 ? "absent" : page.at(code);
    EXPECT_EQ(protocol_of(answer), expected) << std::hex << code;
    const bool no_command = code == 0x3F || code == 0x57;  // the page that they take is none of SCT
    EXPECT_EQ(answer.ok(), expected != "absent" && !no_command) << std::hex << code;
    EXPECT_EQ(answer.aborted(), expected == "absent" || no_command) << std::hex << code;
    answered += expected != "absent" ? 1 : 0;
    if (code == 0xE6 || !answer.ok()) bench.soft_reset();
    if (code == 0xF9) {
      ASSERT_TRUE(bench.send({0xF8}).ok());
      ASSERT_TRUE(bench.send({0xF9, 0, 0, kCapacity - 1}).ok());
    }
    if (code == 0x37) {
      ASSERT_TRUE(bench.send({0x27}).ok());
      ASSERT_TRUE(bench.send({0x37, 0, 0, kCapacity - 1}).ok());
    }
  }
  EXPECT_EQ(answered, 45u);
  for (unsigned code = 0x8A; code <= 0x8D; ++code) EXPECT_TRUE(bench.send(plain(code)).aborted()) << "a disk";
}

// The scripts that showed it: milliseconds are those of a real-time host.
TEST(AtaCommands, CheckPowerModeDoesNotKeepTheDriveAwake) {
  AtaBench bench(shipped_drive("wd_ultrastar_hc560_20tb"));
  ASSERT_TRUE(bench.send({0xE3, 0, 1}).ok()) << "IDLE, 5 s";
  for (unsigned i = 0; i < 2; ++i) {
    bench.wait(2 * kPsPerSecond);
    EXPECT_EQ(bench.send({0xE5}).registers.count, 0xFFu) << i;
  }
  for (unsigned i = 0; i < 4; ++i) {
    bench.wait(2 * kPsPerSecond);
    EXPECT_EQ(bench.send({0xE5}).registers.count, 0x00u) << i;
  }
  bench.wait(20 * kPsPerSecond);
  EXPECT_EQ(bench.send({0xE5}).registers.count, 0x00u);
}

TEST(AtaCommands, WhatIdentifyClaimsIsAnswered) {
  AtaBench bench(shipped_drive("wd_ultrastar_hc560_20tb"));
  EXPECT_TRUE(bench.send({0xEC}).ok());
  const AtaAnswer verify = bench.send({0x42, 0, 8, 0x100});
  EXPECT_TRUE(verify.ok());
  EXPECT_FALSE(verify.has(sata::FrameType::data));
  const AtaAnswer sectors = bench.send({0x24, 0, 1, 0x100});
  EXPECT_TRUE(sectors.ok());
  EXPECT_EQ(sectors.data.size(), 512u);
  EXPECT_EQ(sectors.frames.back(), sata::FrameType::data) << "no Register frame behind PIO data";
  EXPECT_EQ(bench.send({0xC8, 0, 8, 0x100}).data.size(), 8u * 512);
  const AtaAnswer diagnostic = bench.send({0x90});
  EXPECT_EQ(diagnostic.registers.status, 0x50u);
  EXPECT_EQ(diagnostic.registers.error, 0x01u);
  EXPECT_EQ(diagnostic.registers.count, 0x01u);
  EXPECT_EQ(diagnostic.registers.lba.value(), 1u);
}

TEST(AtaCommands, ADriveWithSplitRangesTellsThem) {
  drive::DriveParams params = shipped_drive("wd_ultrastar_hc560_20tb");
  params.arms.count = 2;
  params.arms.range = drive::ArmsParams::split;
  AtaBench bench(params);
  const AtaAnswer directory = bench.send({0x2F, 0, 1, 0});
  EXPECT_EQ(directory.word(0x47), 1u);
  const AtaAnswer ranges = bench.send({0x2F, 0, 1, 0x47});
  ASSERT_TRUE(ranges.ok());
  const AtaAnswer identify = bench.send({0xEC});
  const std::uint64_t sectors = identify.qword(200);
  EXPECT_EQ(ranges.data[0], 2u);
  for (unsigned range = 0; range < 2; ++range) {
    EXPECT_EQ(ranges.data[64 + 32 * range], range);
    EXPECT_EQ(ranges.data[65 + 32 * range], 1u) << "storage elements";
    EXPECT_EQ(ranges.qword(64 + 32 * range + 8), range * sectors / 2);
    EXPECT_EQ(ranges.qword(64 + 32 * range + 16), sectors / 2);
  }
  EXPECT_TRUE(bench.send({0x2F, 0, 2, 0x47}).aborted()) << "more pages than the directory says";
}

TEST(AtaCommands, ADriveWithoutSplitRangesHasNoSuchLog) {
  AtaBench bench(small_drive());
  EXPECT_EQ(bench.send({0x2F, 0, 1, 0}).word(0x47), 0u);
  EXPECT_TRUE(bench.send({0x2F, 0, 1, 0x47}).aborted());
}

struct Kind {
  unsigned code;
  bool queued = false;
};
const Kind kReads[] = {{0x20}, {0x24}, {0x25}, {0x29}, {0xC4}, {0xC8}, {0x60, true}};
const Kind kWrites[] = {{0x30}, {0x34}, {0x35}, {0x39}, {0x3D}, {0xC5}, {0xCA}, {0xCE}, {0x61, true}};

AtaCommand media(const Kind& kind, std::uint64_t lba, unsigned sectors, unsigned tag = 5) {
  if (kind.queued) return {kind.code, sectors, tag << 3, lba};
  const auto shape = sata::media_command(static_cast<std::uint8_t>(kind.code));
  if (shape->lba48) return {kind.code, 0, sectors, lba};
  return {kind.code, 0, sectors & 0xFF, lba & 0xFF'FFFF, static_cast<unsigned>(0x40 | (lba >> 24 & 0xF))};
}

/// What each write has written is what each read reads, whatever the lengths.
class EveryProtocol : public ::testing::TestWithParam<unsigned> {};

TEST_P(EveryProtocol, ReadsWhatWasWritten) {
  drive::DriveParams params = small_drive();
  params.cache.write = GetParam() != 0;
  AtaBench bench(params);
  ASSERT_TRUE(bench.send({0xC6, 0, GetParam() == 0 ? 8u : 16u}).ok());
  RandomStream random(GetParam() + 1, "protocols");
  std::uint32_t sent = 0;
  for (const Kind& write : kWrites) {
    for (const Kind& read : kReads) {
      const auto sectors = static_cast<unsigned>(random.chance(0.3) ? 100 + random.below(157) : 1 + random.below(24));
      const std::uint64_t lba = random.below(kCapacity - sectors);
      ASSERT_TRUE(bench.send(media(write, lba, sectors)).ok()) << std::hex << write.code;
      const AtaAnswer answer = bench.send(media(read, lba, sectors));
      ASSERT_TRUE(answer.ok()) << std::hex << read.code;
      ASSERT_EQ(answer.data.size(), sectors * 512u) << std::hex << read.code;
      for (std::uint32_t i = 0; i < sectors * 512; ++i)
        ASSERT_EQ(answer.data[i], ScriptedHost::pattern(sent + i)) << std::hex << write.code << " " << read.code;
      sent += sectors * 512;
      ASSERT_TRUE(bench.send(media({0x42}, lba, sectors)).ok());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AtaCommands, EveryProtocol, ::testing::Values(0u, 1u));

TEST(AtaCommands, PioDataGoInBlocks) {
  AtaBench bench(small_drive());
  EXPECT_TRUE(bench.send({0xC4, 0, 10, 0}).aborted()) << "before SET MULTIPLE MODE";
  EXPECT_EQ(bench.send({0xEC}).word(59), 0u);
  for (const unsigned bad : {3u, 17u, 32u, 0x80u}) EXPECT_TRUE(bench.send({0xC6, 0, bad}).aborted()) << bad;
  ASSERT_TRUE(bench.send({0xC6, 0, 8}).ok());
  const AtaAnswer identify = bench.send({0xEC});
  EXPECT_EQ(identify.word(47), 0x8010u);
  EXPECT_EQ(identify.word(59), 0x0108u);

  const auto sizes = [](const AtaAnswer& answer) {
    std::vector<unsigned> result;
    for (const sata::PioSetup& block : answer.blocks) result.push_back(block.transfer_bytes / 512);
    return result;
  };
  const AtaAnswer read = bench.send({0xC4, 0, 20, 90});
  EXPECT_EQ(sizes(read), (std::vector<unsigned>{8, 8, 4}));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read.blocks[i].status, 0x58u);
    EXPECT_EQ(read.blocks[i].end_status, i == 2 ? 0x50u : 0xD0u);
    EXPECT_TRUE(read.blocks[i].interrupt);
  }
  const AtaAnswer write = bench.send({0xC5, 0, 20, 90});
  EXPECT_EQ(sizes(write), (std::vector<unsigned>{8, 8, 4}));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_FALSE(write.blocks[i].to_host);
    EXPECT_EQ(write.blocks[i].interrupt, i != 0) << "the first block is asked for without an interrupt";
    EXPECT_EQ(write.blocks[i].end_status, 0xD0u);
  }
  EXPECT_EQ(write.frames.back(), sata::FrameType::register_d2h);
  EXPECT_EQ(sizes(bench.send({0x24, 0, 3, 90})), (std::vector<unsigned>{1, 1, 1}));
  ASSERT_TRUE(bench.send({0xC6, 0, 0}).ok());
  EXPECT_TRUE(bench.send({0xC4, 0, 10, 0}).aborted()) << "off again";
}

TEST(AtaCommands, A28BitCommandReaches28BitsAndACountOf0Means256) {
  AtaBench bench(shipped_drive("wd_ultrastar_hc560_20tb"));
  EXPECT_EQ(bench.send({0xC8, 0, 0, 0}).data.size(), 256u * 512);
  EXPECT_EQ(bench.send({0xC8, 0, 0x0100, 0}).data.size(), 256u * 512) << "8 bits of the count";
  EXPECT_EQ(bench.send({0x20, 0, 0, 0}).blocks.size(), 256u);
  EXPECT_TRUE(bench.send({0xC8, 0, 1, 0xFF'FFFF, 0x4F}).ok()) << "LBA FFFFFFFh";
  EXPECT_TRUE(bench.send({0xC8, 0, 1, 0xFF'FFFF, 0x0F}).aborted()) << "by cylinder, head and sector";
  const AtaAnswer last = bench.send({0xF8});
  EXPECT_EQ(last.registers.lba.value(), 0xFF'FFFFu);
  EXPECT_EQ(last.registers.device & 0x4F, 0x4Fu);
}

TEST(AtaCommands, BeyondTheEndTheFirstSectorThatIsNotThereIsTold) {
  AtaBench bench(small_drive());
  ASSERT_TRUE(bench.send({0xC6, 0, 16}).ok());
  for (const unsigned code : {0x20u, 0x24u, 0x25u, 0x29u, 0x30u, 0x34u, 0x35u, 0x39u, 0x3Du, 0x40u, 0x42u, 0xC4u, 0xC5u,
                              0xC8u, 0xCAu, 0xCEu}) {
    const AtaAnswer across = bench.send(media({code}, kCapacity - 3, 8));
    EXPECT_EQ(across.registers.status, 0x51u) << std::hex << code;
    EXPECT_EQ(across.registers.error, 0x10u) << std::hex << code;
    EXPECT_EQ(across.registers.lba.value(), kCapacity) << std::hex << code;
    EXPECT_EQ(across.frames.size(), 1u) << std::hex << code;
    const AtaAnswer behind = bench.send(media({code}, kCapacity + (1u << 24), 1));
    EXPECT_EQ(behind.registers.error, 0x10u) << std::hex << code;
    const std::uint64_t told = behind.registers.lba.value() | std::uint64_t{behind.registers.device & 0xFu} << 24;
    EXPECT_EQ(told, kCapacity + (1u << 24)) << std::hex << code;
    EXPECT_TRUE(bench.send(media({code}, kCapacity - 1, 1)).ok()) << std::hex << code;
  }
}

TEST(AtaCommands, SettingsAreToldByIdentify) {
  AtaBench bench(small_drive());
  const auto word = [&](unsigned index) { return bench.send({0xEC}).word(index); };
  const auto set = [&](unsigned feature, unsigned count = 0) { return bench.send({0xEF, feature, count}); };
  EXPECT_EQ(word(88), 0x407Fu);
  EXPECT_TRUE(set(0x03, 0x45).ok());
  EXPECT_EQ(word(88), 0x207Fu);
  EXPECT_TRUE(set(0x03, 0x22).ok());
  EXPECT_EQ(word(88), 0x007Fu);
  EXPECT_EQ(word(63), 0x0407u);
  for (const unsigned mode : {0x00u, 0x01u, 0x08u, 0x0Cu}) EXPECT_TRUE(set(0x03, mode).ok()) << mode;
  for (const unsigned mode : {0x02u, 0x0Du, 0x23u, 0x47u, 0xFFu}) EXPECT_TRUE(set(0x03, mode).aborted()) << mode;
  EXPECT_TRUE(set(0x55).ok());
  EXPECT_EQ(word(85) & 0x40, 0u);
  EXPECT_TRUE(set(0xAA).ok());
  EXPECT_EQ(word(85) & 0x40, 0x40u);
  EXPECT_TRUE(set(0x10, 1).ok());
  EXPECT_EQ(word(79), 0x0042u);
  EXPECT_TRUE(set(0x90, 1).ok());
  EXPECT_TRUE(set(0x90, 6).ok());
  EXPECT_EQ(word(79), 0x0000u);
  for (const unsigned feature : {2u, 3u, 4u, 5u, 7u, 0u}) EXPECT_TRUE(set(0x10, feature).aborted()) << feature;
  for (const unsigned feature : {0x00u, 0x07u, 0x42u, 0x05u, 0x5Du, 0x86u, 0xFFu})
    EXPECT_TRUE(set(feature, 0x80).aborted()) << feature;
}

TEST(AtaCommands, ASoftResetKeepsTheSettingsUnlessTheHostWantsThemBack) {
  drive::DriveParams params = small_drive();
  params.cache.look_ahead = true;
  AtaBench bench(params);
  ASSERT_TRUE(bench.send({0xC6, 0, 4}).ok());
  ASSERT_TRUE(bench.send({0xEF, 0x55}).ok());
  bench.soft_reset();
  AtaAnswer identify = bench.send({0xEC});
  EXPECT_EQ(identify.word(59), 0x0104u);
  EXPECT_EQ(identify.word(85) & 0x40, 0u);
  ASSERT_TRUE(bench.send({0xEF, 0xCC}).ok());
  bench.soft_reset();
  identify = bench.send({0xEC});
  EXPECT_EQ(identify.word(59), 0u);
  EXPECT_EQ(identify.word(85) & 0x40, 0x40u);
}

TEST(AtaCommands, TheHostProtectedAreaIsOutOfReach) {
  AtaBench bench(small_drive());
  EXPECT_TRUE(bench.send({0x37, 0, 0, 999}).aborted()) << "READ NATIVE MAX ADDRESS must come first";
  AtaAnswer native = bench.send({0x27});
  EXPECT_EQ(native.registers.lba.value(), kCapacity - 1);
  ASSERT_TRUE(bench.send({0xE5}).ok());
  EXPECT_TRUE(bench.send({0x37, 0, 0, 999}).aborted()) << "at once";
  ASSERT_TRUE(bench.send({0x27}).ok());
  const AtaAnswer beyond = bench.send({0x37, 0, 0, kCapacity});
  EXPECT_EQ(beyond.registers.error, 0x10u);
  ASSERT_TRUE(bench.send({0xF8}).ok());
  ASSERT_TRUE(bench.send({0xF9, 0, 0, 999}).ok());
  const AtaAnswer identify = bench.send({0xEC});
  EXPECT_EQ(identify.word(60) | identify.word(61) << 16, 1'000u);
  EXPECT_EQ(identify.qword(200), 1'000u);
  EXPECT_TRUE(bench.send({0x25, 0, 1, 999}).ok());
  EXPECT_EQ(bench.send({0x25, 0, 2, 999}).registers.lba.value(), 1'000u);
  EXPECT_EQ(bench.send({0x27}).registers.lba.value(), kCapacity - 1) << "the disk has not become smaller";
}

TEST(AtaCommands, OfTwoLimitsOfTheAddressesTheKeptOneOutlivesPowerOff) {
  AtaBench bench(small_drive());
  const auto reach = [&] { return bench.send({0xEC}).qword(200); };
  const auto set = [&](std::uint64_t last, unsigned count) {
    EXPECT_TRUE(bench.send({0x27}).ok());
    return bench.send({0x37, 0, count, last});
  };
  const auto cycle = [&](Ps after = 0) {
    bench.wait(after);
    bench.disk.power_off();
    bench.wait(kPsPerSecond);
    bench.disk.power_on();
    bench.comreset();
    bench.wait(30 * kPsPerSecond);
  };
  EXPECT_TRUE(set(999, 0).ok());
  EXPECT_EQ(reach(), 1'000u);
  cycle(5 * kPsPerSecond);
  EXPECT_EQ(reach(), kCapacity) << "the volatile one is gone";
  const AtaAnswer kept = set(1'999, 1);
  EXPECT_TRUE(kept.ok());
  EXPECT_EQ(kept.registers.lba.value(), 1'999u);
  cycle();  // at once: what is answered is kept
  EXPECT_EQ(reach(), 2'000u);
  EXPECT_EQ(bench.send({0x25, 0, 1, 2'000}).registers.error, 0x10u);
  EXPECT_TRUE(set(999, 0).ok());
  EXPECT_EQ(reach(), 1'000u);
  bench.comreset();
  EXPECT_EQ(reach(), 2'000u) << "back to the kept one";
  EXPECT_TRUE(set(kCapacity - 1, 1).ok()) << "once after each power-on";
  EXPECT_EQ(set(99, 1).registers.error, 0x10u);
  cycle();
  EXPECT_EQ(reach(), kCapacity);
}

TEST(AtaCommands, TheBufferIsReadAsItWasWritten) {
  AtaBench bench(small_drive());
  EXPECT_EQ(bench.send({0xE4}).data, std::vector<std::uint8_t>(512, 0));
  ASSERT_TRUE(bench.send({0xE8}).ok());
  const AtaAnswer pio = bench.send({0xE4});
  ASSERT_EQ(pio.data.size(), 512u);
  for (unsigned i = 0; i < 512; ++i) ASSERT_EQ(pio.data[i], ScriptedHost::pattern(i));
  AtaCommand dma{0xEB, 0, 1};
  ASSERT_TRUE(bench.send(dma).ok());
  const AtaAnswer read = bench.send({0xE9});
  ASSERT_EQ(read.data.size(), 512u);
  for (unsigned i = 0; i < 512; ++i) ASSERT_EQ(read.data[i], ScriptedHost::pattern(512 + i));
  EXPECT_EQ(read.frames.back(), sata::FrameType::register_d2h);
}

// Feature sets that the drive does not have: no bit of IDENTIFY DEVICE and of log 30h claims them, and their commands
// and logs abort.
TEST(AtaCommands, WhatIsNotThereIsNotClaimedAndAborts) {
  AtaBench bench(small_drive());
  const AtaAnswer identify = bench.send({0xEC});
  struct Claim {
    unsigned word, bits;
  };
  for (const Claim& claim : {Claim{82, 0x0012},
                             {83, 0x0801},
                             {84, 0x0010},
                             {69, 0x4030},
                             {59, 0xF000},
                             {48, 0x0001},
                             {128, 0xFFFF},
                             {169, 0x0001},
                             {119, 0x01F2},
                             {77, 0x01F0},
                             {78, 0x0F00},
                             {214, 0xFFFF}})
    EXPECT_EQ(identify.word(claim.word) & claim.bits, 0u) << claim.word;
  for (const unsigned code :
       {0xF1u, 0xF2u, 0xF3u, 0xF4u, 0xF5u, 0xF6u, 0xB1u, 0xB4u, 0x5Bu, 0x5Cu, 0x5Du, 0x5Eu, 0x5Fu, 0x2Au, 0x2Bu, 0x3Au,
        0x3Bu, 0x51u, 0x06u, 0x07u, 0x0Bu, 0x4Au, 0x9Fu, 0x78u, 0x77u, 0xA0u, 0xA1u, 0x63u, 0x64u, 0x65u, 0x44u}) {
    const AtaAnswer answer = bench.send({code, 0, 1, 0});
    EXPECT_TRUE(answer.aborted()) << std::hex << code;
    EXPECT_EQ(answer.frames.size(), 1u) << std::hex << code;
  }
  for (const unsigned log : {0x08u, 0x0Au, 0x0Cu, 0x0Du, 0x12u, 0x13u, 0x19u, 0x21u, 0x22u}) {
    EXPECT_EQ(bench.send({0x2F, 0, 1, 0}).word(log), 0u) << log;
    EXPECT_TRUE(bench.send({0x2F, 0, 1, log}).aborted()) << log;
  }
}

TEST(AtaLogs, TheDirectoryHasWhatCanBeRead) {
  AtaBench bench(small_drive());
  const AtaAnswer directory = bench.send({0x2F, 0, 1, 0});
  for (unsigned log = 0; log < 256; ++log) {
    const unsigned pages = directory.word(log);
    if (log == 0xE1) continue;  // only SCT commands with data use it, and there is none
    EXPECT_EQ(bench.send({0x2F, 0, 1, log}).ok(), pages != 0) << log;
    EXPECT_EQ(bench.send({0x47, 0, 1, log}).ok(), pages != 0) << log;
    if (pages == 0) continue;
    EXPECT_TRUE(bench.send({0x2F, 0, pages + 1, log}).aborted()) << log;
    EXPECT_TRUE(bench.send({0x2F, 0, 1, log | pages << 8}).aborted()) << log;
    EXPECT_TRUE(bench.send({0x2F, 0, 2, log | (pages - 1) << 8}).aborted()) << log << ": across the last page";
    const AtaAnswer all = bench.send({0x2F, 0, pages, log});
    ASSERT_EQ(all.data.size(), pages * 512u) << log;
    const AtaAnswer by_dma = bench.send({0x47, 0, pages, log});
    EXPECT_EQ(by_dma.data, all.data) << log;
    EXPECT_TRUE(by_dma.blocks.empty());
    for (unsigned page = 0; page < pages; ++page) {
      const AtaAnswer one = bench.send({0x2F, 0, 1, log | page << 8});
      EXPECT_TRUE(std::equal(one.data.begin(), one.data.end(), all.data.begin() + page * 512)) << log << " " << page;
    }
  }
}

TEST(AtaLogs, TheIdentifyLogRepeatsIdentify) {
  AtaBench bench(small_drive());
  const AtaAnswer identify = bench.send({0xEC});
  const AtaAnswer log = bench.send({0x2F, 0, 9, 0x30});
  const auto page = [&](unsigned number) {
    AtaAnswer one;
    one.data.assign(log.data.begin() + number * 512, log.data.begin() + (number + 1) * 512);
    return one;
  };
  EXPECT_EQ(page(0).qword(0), 1u);
  EXPECT_EQ(page(0).data[8], 8u);
  EXPECT_EQ(page(1).data, identify.data);
  for (const unsigned number : {2u, 3u, 4u, 5u, 6u, 8u})
    EXPECT_EQ(page(number).qword(0), 0x8000'0000'0000'0001u | number << 16) << number;
  EXPECT_EQ(page(7).qword(0), 0u);
  EXPECT_EQ(page(2).qword(8), 0x8000'0000'0000'0000u | kCapacity);
  EXPECT_EQ(page(2).qword(24), 0x8000'0000'0000'0100u) << "words a sector";
  EXPECT_TRUE(std::equal(identify.data.begin() + 20, identify.data.begin() + 40, page(5).data.begin() + 8)) << "serial";
  EXPECT_TRUE(std::equal(identify.data.begin() + 46, identify.data.begin() + 54, page(5).data.begin() + 32));
  EXPECT_TRUE(std::equal(identify.data.begin() + 54, identify.data.begin() + 94, page(5).data.begin() + 48));
}

// Bit by bit, ACS-4 9.11: what log 30h says is what IDENTIFY DEVICE says.
TEST(AtaLogs, ThePagesOfTheIdentifyLogHaveTheirBits) {
  drive::DriveParams params = small_drive();
  params.cache.look_ahead = true;
  params.cache.write = true;
  AtaBench bench(params);
  constexpr std::uint64_t kValid = 0x8000'0000'0000'0000;
  const auto bits = [](std::initializer_list<unsigned> numbers) {
    std::uint64_t word = kValid;
    for (const unsigned bit : numbers) word |= std::uint64_t{1} << bit;
    return word;
  };
  const auto page = [&](unsigned number) { return bench.send({0x2F, 0, 1, 0x30u | number << 8}); };
  const AtaAnswer identify = bench.send({0xEC});
  const AtaAnswer can = page(3);
  EXPECT_EQ(can.qword(8), bits({1, 2, 7, 8, 11, 12, 20, 22, 23, 24, 25, 27, 28, 29, 32, 35, 36, 47}));
  EXPECT_EQ(can.qword(24), kValid | identify.word(217));
  EXPECT_EQ(can.qword(64), kValid);
  EXPECT_EQ(can.qword(56) >> 48, identify.word(108));
  EXPECT_EQ(can.qword(136), kValid | 31);
  EXPECT_EQ(can.qword(144), bits({0, 4, 5}));
  EXPECT_EQ(page(4).qword(8), bits({6, 7, 13}));
  EXPECT_EQ(page(8).qword(8), bits({0, 1, 7, 9, 14, 18, 23, 24}));
  EXPECT_EQ(page(8).qword(16), bits({1, 8})) << "3 Gb/s";
  ASSERT_TRUE(bench.send({0xEF, 0x55}).ok());
  ASSERT_TRUE(bench.send({0xEF, 0x82}).ok());
  ASSERT_TRUE(bench.send({0xEF, 0xCC}).ok());
  ASSERT_TRUE(bench.send({0xEF, 0x10, 1}).ok());
  ASSERT_TRUE(bench.send({0xEF, 0x90, 6}).ok());
  EXPECT_EQ(page(4).qword(8), bits({6, 11}));
  EXPECT_EQ(page(8).qword(16), bits({1, 3}));
  for (const unsigned byte : {16u, 40u, 48u}) EXPECT_EQ(page(6).qword(byte), kValid) << "no security: " << byte;
}

// ACS-3, software settings preservation, and SET FEATURES 66h and CCh.
TEST(AtaCommands, EachSettingAfterEachReset) {
  drive::DriveParams params = small_drive();
  params.cache.look_ahead = true;
  params.cache.write = true;
  AtaBench bench(params);
  struct Settings {
    bool look_ahead, write_cache, offsets, preserved;
    unsigned multiple, mode;
  };
  const auto change = [&] {
    for (const unsigned feature : {0x55u, 0x82u}) ASSERT_TRUE(bench.send({0xEF, feature}).ok());
    ASSERT_TRUE(bench.send({0xEF, 0x03, 0x42}).ok());
    ASSERT_TRUE(bench.send({0xC6, 0, 4}).ok());
    ASSERT_TRUE(bench.send({0xEF, 0x10, 1}).ok());
  };
  const auto expect = [&](const Settings& settings, const std::string& when) {
    const AtaAnswer identify = bench.send({0xEC});
    EXPECT_EQ((identify.word(85) & 0x40) != 0, settings.look_ahead) << when;
    EXPECT_EQ((identify.word(85) & 0x20) != 0, settings.write_cache) << when;
    EXPECT_EQ((identify.word(79) & 0x02) != 0, settings.offsets) << when;
    EXPECT_EQ((identify.word(79) & 0x40) != 0, settings.preserved) << when;
    EXPECT_EQ(identify.word(59) & 0xFF, settings.multiple) << when;
    EXPECT_EQ(identify.word(88) >> 8, settings.mode) << when;
  };
  const Settings power_on = {true, true, false, true, 0, 0x40};
  expect(power_on, "power-on");
  change();
  bench.soft_reset();
  expect({false, false, true, true, 4, 0x04}, "soft reset");
  bench.comreset();
  expect({false, false, false, true, 4, 0x04}, "COMRESET");
  ASSERT_TRUE(bench.send({0xEF, 0x90, 6}).ok());
  bench.comreset();
  expect(power_on, "COMRESET without preservation");
  change();
  ASSERT_TRUE(bench.send({0xEF, 0xCC}).ok());
  bench.soft_reset();
  expect({true, true, true, true, 0, 0x40}, "soft reset that reverts");
  ASSERT_TRUE(bench.send({0xEF, 0x66}).ok());
  change();
  bench.soft_reset();
  expect({false, false, true, true, 4, 0x04}, "soft reset that does not");
}

TEST(AtaCommands, TheStandbyTimerAfterCOMRESET) {
  AtaBench bench(shipped_drive("wd_ultrastar_hc560_20tb"));
  ASSERT_TRUE(bench.send({0xE3, 0, 2}).ok()) << "IDLE, 10 s";
  bench.comreset();
  bench.wait(15 * kPsPerSecond);
  EXPECT_EQ(bench.send({0xE5}).registers.count, 0x00u) << "preserved";
  ASSERT_TRUE(bench.send({0xE3, 0, 2}).ok());
  ASSERT_TRUE(bench.send({0xEF, 0x90, 6}).ok());
  bench.comreset();
  bench.wait(15 * kPsPerSecond);
  EXPECT_EQ(bench.send({0xE5}).registers.count, 0xFFu) << "off";
}

TEST(AtaLogs, StatisticsCountWhatHasHappened) {
  AtaBench bench(small_drive());
  constexpr std::uint64_t kValid = 0xC000'0000'0000'0000;
  const auto statistic = [&](unsigned page, unsigned byte) {
    return bench.send({0x2F, 0, 1, 0x04 | page << 8}).qword(byte);
  };
  EXPECT_EQ(statistic(0, 8) & 0xFF'FFFF'FFFF, 0x06'0403'0100'05ull & 0xFF'FFFF'FFFF);
  EXPECT_EQ(statistic(1, 0), 0x1'0001u);
  EXPECT_EQ(statistic(1, 24), kValid);
  ASSERT_TRUE(bench.send({0x35, 0, 16, 500}).ok());
  ASSERT_TRUE(bench.send({0xC8, 0, 8, 500}).ok());
  ASSERT_TRUE(bench.send({0x24, 0, 4, 600}).ok());
  ASSERT_TRUE(bench.send({0x42, 0, 4, 600}).ok());
  EXPECT_EQ(statistic(1, 24), kValid | 16);
  EXPECT_EQ(statistic(1, 32), kValid | 1);
  EXPECT_EQ(statistic(1, 40), kValid | 12);
  EXPECT_EQ(statistic(1, 48), kValid | 2);
  EXPECT_EQ(statistic(1, 8), kValid | 1);
  EXPECT_EQ(statistic(4, 8), kValid);
  EXPECT_EQ(statistic(2, 0), 0u) << "no such page";
}

TEST(AtaLogs, HardwaresHitsAreCountedToo) {
  drive::DriveParams params = small_drive();
  params.cache.hardware_hits = true;
  AtaBench bench(params);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(bench.send({0x25, 0, 8, 500}).ok());
  const AtaAnswer page = bench.send({0x2F, 0, 1, 0x104});
  EXPECT_EQ(page.qword(40) & 0xFFFF, 40u);
  EXPECT_EQ(page.qword(48) & 0xFFFF, 5u);
}

TEST(AtaLogs, PhyCountersCountResets) {
  AtaBench bench(small_drive());
  const AtaAnswer log = bench.send({0x2F, 0, 1, 0x11});
  EXPECT_EQ(log.word(2), 0x1001u);
  EXPECT_EQ(log.word(3), 0u);
  EXPECT_EQ(log.word(4), 0x100Au);
  EXPECT_EQ(log.word(5), 0u);
  EXPECT_EQ(log.byte_sum(), 0u);
}

TEST(AtaLogs, ErrorRecoveryControlSetsTheLadder) {
  drive::DriveParams params = shipped_drive("wd_ultrastar_hc560_20tb");
  AtaBench bench(params);
  const AtaAnswer identify = bench.send({0xEC});
  const AtaAnswer status = bench.send({0x2F, 0, 1, 0xE0});
  EXPECT_EQ(status.word(0), 3u);
  EXPECT_EQ(status.data[200], 0x80u) << "temperature: not known";
  EXPECT_TRUE(identify.word(206) == 0x0039u || identify.word(206) == 0x0031u);
  bench.host.clear();
  EXPECT_TRUE(bench.send({0x3F, 0, 1, 0xE0}).aborted()) << "a page of a pattern is no command";
  EXPECT_NE(bench.send({0x2F, 0, 1, 0xE0}).word(7), 0u) << "and the status says so";
  EXPECT_TRUE(bench.send({0x3F, 0, 1, 0xE1}).aborted());
  EXPECT_TRUE(bench.send({0x3F, 0, 2, 0xE0}).aborted());
}

TEST(AtaCommands, AQueuedAndAnUnqueuedCommandDoNotMix) {
  AtaBench bench(small_drive());
  for (const unsigned code : {0x24u, 0xC8u, 0x30u, 0x42u, 0xE5u, 0xEFu, 0x00u}) {
    bench.host.clear();
    bench.host.read_queued(3, 5'000, 8);
    bench.host.send([&] {
      sata::RegisterH2D registers;
      registers.command = static_cast<std::uint8_t>(code);
      registers.device = 0x40;
      registers.count = 1;
      return registers;
    }());
    bench.wait(200 * kPsPerMs);
    EXPECT_TRUE(bench.seen().aborted()) << std::hex << code;
    EXPECT_TRUE(bench.send({0xC8, 0, 1, 0}).aborted()) << "until log 10h is read";
    const AtaAnswer log = bench.send({0x2F, 0, 1, 0x10});
    EXPECT_EQ(log.data[0], 0x80u);
    EXPECT_TRUE(bench.send({0xC8, 0, 1, 0}).ok());
  }
}

/// A command with one field damaged, and the answer that it must get.
struct Damaged {
  AtaCommand command;
  unsigned status, error;
};

Damaged damaged(RandomStream& random) {
  const auto pick = [&](std::initializer_list<unsigned> codes) {
    return *(codes.begin() + random.below(codes.size()));
  };
  const auto sectors = static_cast<unsigned>(1 + random.below(200));
  switch (random.below(8)) {
    case 0:  // an address beyond the end
      return {media({pick({0x24, 0x25, 0x29, 0x34, 0x35, 0x39, 0x3D, 0x42, 0xCE})},
                    kCapacity + random.below(1ull << 40), sectors),
              0x51, 0x10};
    case 1:  // a range across it
      return {media({pick({0x20, 0x24, 0x25, 0x30, 0x35, 0x40, 0xC4, 0xC5, 0xC8, 0xCA})},
                    kCapacity - random.below(sectors), sectors),
              0x51, 0x10};
    case 2: {  // no LBA
      AtaCommand command =
          media({pick({0x20, 0x30, 0x40, 0xC4, 0xC5, 0xC8, 0xCA})}, random.below(kCapacity - 200), sectors);
      command.device &= ~0x40u;
      return {command, 0x51, 0x04};
    }
    case 3:  // a code that is none
      return {{pick({0x06, 0x08, 0x63, 0x92, 0xB0, 0xF5, 0x11, 0xA0, 0xD7, 0x99}),
               static_cast<unsigned>(random.below(256)), sectors, random.below(kCapacity)},
              0x51,
              0x04};
    case 4:  // a feature that is none
      return {{0xEF, pick({0x00, 0x01, 0x07, 0x33, 0x42, 0x99, 0xC2, 0xFE}), sectors}, 0x51, 0x04};
    case 5: {  // a log that is none, or pages that it does not have
      const unsigned log = pick({0x01, 0x02, 0x05, 0x12, 0x21, 0x22, 0x31, 0x47, 0x80, 0xA0, 0xE1, 0xFF});
      if (random.chance(0.5)) return {{pick({0x2F, 0x47}), 0, 1, log}, 0x51, 0x04};
      return {{pick({0x2F, 0x47}), 0, 1, 0x30u | (9 + random.below(60'000)) % 256 << 8 | std::uint64_t{1} << 32},
              0x51,
              0x04};
    }
    case 6:  // pages without a number, or too many
      return {{pick({0x2F, 0x47}), 0, random.chance(0.5) ? 0u : 10u, pick({0x30, 0x04, 0x10, 0x00})}, 0x51, 0x04};
    default:  // blocks of a length that is none
      return {{0xC6, 0, pick({3, 5, 7, 9, 12, 17, 33, 255})}, 0x51, 0x04};
  }
}

TEST(AtaCommands, TwoHundredDamagedCommandsGetTheRightErrorAndNothingElse) {
  AtaBench bench(small_drive());
  ASSERT_TRUE(bench.send({0xC6, 0, 8}).ok());
  ASSERT_TRUE(bench.send({0x35, 0, 8, 700}).ok());
  const AtaAnswer before = bench.send({0x25, 0, 8, 700});
  const AtaAnswer identify = bench.send({0xEC});
  RandomStream random(43, "damaged");
  for (int i = 0; i < 200; ++i) {
    const Damaged bad = damaged(random);
    const AtaAnswer answer = bench.send(bad.command);
    ASSERT_EQ(answer.frames, std::vector<sata::FrameType>{sata::FrameType::register_d2h})
        << i << ": " << std::hex << bad.command.code << " " << bad.command.features << " " << bad.command.count << " "
        << bad.command.lba;
    ASSERT_EQ(answer.registers.status, bad.status) << i << ": " << std::hex << bad.command.code;
    ASSERT_EQ(answer.registers.error, bad.error) << i << ": " << std::hex << bad.command.code;
  }
  EXPECT_EQ(bench.send({0x25, 0, 8, 700}).data, before.data);
  EXPECT_EQ(bench.send({0xEC}).data, identify.data) << "no setting has changed";
  EXPECT_EQ(bench.host.refused(), 0u);
}

}  // namespace
}  // namespace armature::testing
