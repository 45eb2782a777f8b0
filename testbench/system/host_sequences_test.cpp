// Commands that real hosts send when they find a drive, before it sleeps, when it wakes, and after errors, with the
// answers that ACS-3 and Serial ATA want. The orders are those of Linux (libata: ata_dev_read_id, ata_dev_configure,
// ata_set_mode, ata_eh_analyze_ncq_error, ata_scsi_park_store), of Windows (storahci) and of firmware of PCs.
#include "support/program.h"
#include "support/tab_separated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace armature {
namespace {

using testing::Outcome;
using testing::tab_separated;
using testing::Workplace;

// 100,000 sectors of 512 bytes, heads on a ramp; spins from the beginning.
constexpr const char* kDrive =
    "[identity]\nmodel = \"TESTDRIVE\"\n"
    "[geometry]\nheads = 1\nzones = [[0, 999, 100, 0, 0, 0]]\n"
    "[seek]\ntable = [[1, 1], [10, 1.6], [100, 4], [999, 12]]\nload_ms = 40\nunload_ms = 30\n"
    "[media]\ncontents = \"memory\"\n[cache]\nwrite = true\n";

/// A line of a script and its answer: the end, and of an error the error register; then "count" or "lba" of the answer
/// in hexadecimal, if they matter.
struct Step {
  const char* line;
  const char* answer;
  const char* count = nullptr;
  const char* lba = nullptr;
};

/// Sends the lines and looks at each answer.
void play(const std::vector<Step>& steps) {
  const Workplace place;
  place.write("drive.toml", kDrive);
  std::string script;
  for (const Step& step : steps) script += std::string(step.line) + "\n";
  place.write("script.txt", script);
  const Outcome got = place.run({"ata", "drive.toml", "script.txt", "--tsv"});
  ASSERT_EQ(got.status, 0) << got.err;
  std::size_t n = 0;
  for (const auto& cells : tab_separated(got.out)) {
    if (cells.empty() || cells[0] != "answer") continue;
    ASSERT_LT(n, steps.size());
    const Step& step = steps[n++];
    SCOPED_TRACE(step.line);
    const std::string end = cells.at(12), error = cells.at(14);
    EXPECT_EQ(end == "error" ? error : end, step.answer);
    if (step.count) {
      EXPECT_EQ(cells.at(15), step.count);
    }
    if (step.lba) {
      EXPECT_EQ(cells.at(16), step.lba);
    }
  }
  EXPECT_EQ(n, steps.size());
}

TEST(HostSequences, LinuxFindsTheDrive) {
  play({{"reset", "ok"},
        {"identify device", "ok"},
        {"set features features=0x10 count=2", "04"},  // DMA Setup auto-activate: word 78 bit 2 is 0
        {"read log ext log=0 page=0", "ok"},
        {"read log ext log=0x30 page=0", "ok"},
        {"read log ext log=0x30 page=8", "ok"},
        {"read log dma ext log=0x30 page=3", "ok"},
        {"identify device", "ok"},
        {"read native max address ext", "ok", nullptr, "00000001869F"},
        {"set features features=0x03 count=0x0C", "ok"},  // PIO 4
        {"set features features=0x03 count=0x46", "ok"},  // Ultra DMA 6
        {"identify device", "ok"},
        {"read fpdma queued lba=0 sectors=8", "ok"},
        {"smart return status", "ok", nullptr, "000000C24F00"},
        {"check power mode", "ok", "00FF"}});
}

TEST(HostSequences, LinuxGoesToSleepAndWakes) {
  play({{"write fpdma queued lba=0x100 sectors=8", "ok"},
        {"flush cache ext", "ok"},
        {"standby immediate", "ok"},
        {"check power mode", "ok", "0000"},
        {"comreset", "ok"},
        {"identify device", "ok"},  // needs no spin-up
        {"check power mode", "ok", "0000"},
        {"set features features=0x03 count=0x46", "ok"},
        {"set features features=0x02", "ok"},
        {"set features features=0xAA", "ok"},
        {"read verify sectors ext lba=0 sectors=1", "ok"},  // START STOP UNIT with START
        {"check power mode", "ok", "00FF"},
        {"read fpdma queued lba=0x100 sectors=8", "ok"}});
}

/// Without word 84 bit 13 UNLOAD is IDLE IMMEDIATE, and does not answer C4h.
TEST(HostSequences, HeadsAreParkedAsIfByIdleImmediate) {
  play({{"idle immediate unload", "ok", nullptr, "000000000000"}, {"check power mode", "ok", "00FF"}});
}

TEST(HostSequences, AfterAnErrorOfAQueuedCommandTheLogIsReadFirst) {
  play({{"write uncorrectable ext features=0x55 lba=0x50 sectors=1", "ok"},
        {"read fpdma queued lba=0x48 sectors=16 tag=4", "40"},
        {"identify device", "04"},  // as everything but READ LOG EXT of log 10h
        {"read log ext log=0x10", "ok"},
        {"identify device", "ok"},
        {"read fpdma queued lba=0x10 sectors=8 tag=4", "ok"},
        {"read fpdma queued lba=0x48 sectors=16 tag=1", "40"},
        {"read log dma ext log=0x10", "ok"},
        {"write fpdma queued lba=0x50 sectors=1 tag=1", "ok"},
        {"read fpdma queued lba=0x48 sectors=16 tag=1", "ok"}});
}

TEST(HostSequences, ResetsEndWhatIsQueuedAndOnTheLink) {
  play({{"read fpdma queued lba=0x1000 sectors=64 tag=0", "reset"},
        {"+0.01 ms read fpdma queued lba=0x8000 sectors=64 tag=31", "reset"},
        {"+0.05 ms reset", "ok"},
        {"read fpdma queued lba=0x1000 sectors=8 tag=0", "ok"},
        {"read dma ext lba=0x2000 sectors=2000", "reset"},
        {"+25 ms comreset", "ok"},
        {"read dma ext lba=0x2000 sectors=8", "ok"},
        {"write dma ext lba=0x3000 sectors=512", "reset"},
        {"+0.2 ms comreset", "ok"},
        {"identify device", "ok"},
        {"write fpdma queued lba=0x3000 sectors=8", "ok"},
        {"flush cache ext", "ok"}});
}

/// The drive forgets an error of the queue with a reset: no log needs to be read.
TEST(HostSequences, AResetEndsTheErrorOfAQueue) {
  play({{"write uncorrectable ext features=0x55 lba=0x50 sectors=1", "ok"},
        {"read fpdma queued lba=0x50 sectors=1 tag=4", "40"},
        {"reset", "ok"},
        {"identify device", "ok"},
        {"read fpdma queued lba=0x50 sectors=1 tag=4", "40"},
        {"comreset", "ok"},
        {"read fpdma queued lba=0x10 sectors=1 tag=4", "ok"}});
}

TEST(HostSequences, WindowsFindsTheDrive) {
  play({{"identify device", "ok"},
        {"set features features=0x10 count=3", "04"},  // device-initiated power management: word 78 bit 3 is 0
        {"set features features=0x90 count=3", "04"},
        {"smart enable operations", "ok"},
        {"smart return status", "ok", nullptr, "000000C24F00"},
        {"smart read data", "ok"},
        {"smart read thresholds", "ok"},
        {"read log ext log=0 page=0", "ok"},
        {"read log ext log=0x30 page=2", "ok"},
        {"set features features=0x02", "ok"},
        {"set features features=0xAA", "ok"},
        {"data set management features=1 sectors=1", "04"},  // TRIM: word 169 bit 0 is 0
        {"flush cache ext", "ok"},
        {"standby immediate", "ok"}});
}

TEST(HostSequences, FirmwareOfAPcFindsTheDrive) {
  play({{"reset", "ok"},
        {"identify packet device", "04"},  // a disk: the signature has said so
        {"packet", "04"},
        {"identify device", "ok"},
        {"security freeze lock", "04"},  // no security: word 82 bit 1 is 0
        {"B1h features=0xC2", "04"},     // DEVICE CONFIGURATION IDENTIFY
        {"F5h", "04"},
        {"execute device diagnostic", "ok", "0001", "000000000001"},
        {"set features features=0x03 count=0x08", "ok"},
        {"set multiple mode count=16", "ok"},
        {"read multiple lba=0 sectors=1", "ok"},
        {"read sectors lba=0 sectors=1", "ok"},
        {"read sectors ext lba=0 sectors=1", "ok"},
        {"read dma lba=0 sectors=1", "ok"},
        {"write buffer", "ok"},
        {"read buffer", "ok"},
        {"read native max address", "ok", nullptr, "00000001869F"},
        {"smart enable operations", "ok"},
        {"idle count=0", "ok"},
        {"standby count=0", "ok"}});
}

TEST(HostSequences, SmartOfANameThatIsNoneIsAborted) {
  play({{"B0h features=0xDA lba=0", "04"},
        {"B0h features=0xDA lba=0xC24F00", "ok", nullptr, "000000C24F00"},
        {"smart disable operations", "ok"},
        {"smart return status", "04"},
        {"smart read data", "04"},
        {"smart enable operations", "ok"},
        {"B0h features=0x77 lba=0xC24F00", "04"}});
}

}  // namespace
}  // namespace armature
