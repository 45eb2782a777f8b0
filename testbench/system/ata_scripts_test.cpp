// armature ata and [[host.commands]]: scripts with the answers that are known, bad lines, pipes, runs with and without
// a load.
#include "support/ata_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace armature {
namespace {

using testing::ata_rows;
using testing::AtaRow;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::Outcome;
using testing::tab_separated;
using testing::Workplace;

// 100,000 sectors of 512 bytes; spins from the beginning.
constexpr const char* kDrive =
    "[identity]\nmodel = \"TESTDRIVE\"\n"
    "[geometry]\nheads = 1\nzones = [[0, 999, 100, 0, 0, 0]]\n"
    "[seek]\ntable = [[1, 1], [10, 1.6], [100, 4], [999, 12]]\n"
    "[media]\ncontents = \"memory\"\n";

Outcome ata(const Workplace& place, const std::string& script, std::vector<std::string> more = {}) {
  place.write("drive.toml", kDrive);
  place.write("script.txt", script);
  std::vector<std::string> words = {"ata", "drive.toml", "script.txt"};
  words.insert(words.end(), more.begin(), more.end());
  return place.run(words);
}

/// The error's frame went only when something else moved.
TEST(AtaScript, APageWhoseWordOfTheRamIsWrongEndsAtOnce) {
  const Workplace place;
  place.write("flip.toml", std::string(kDrive) + "[[faults]]\nkind = \"buffer_flip\"\nbits = 2\n");
  place.write("script.txt", "read log ext log=0x10\nread log ext log=0x10\n");
  const Outcome got = place.run({"ata", "flip.toml", "script.txt", "--tsv"});
  const std::vector<AtaRow> rows = ata_rows(got.out);
  ASSERT_EQ(rows.size(), 2u) << got.err;
  EXPECT_EQ(rows[0].at("end"), "error");
  EXPECT_EQ(rows[0].at("error"), "84");  // ICRC, ABRT
  EXPECT_LT(std::stod(rows[0].at("completed_s")), 0.001);
  EXPECT_EQ(rows[1].at("end"), "ok");
}

TEST(AtaScript, FaultsOfTheLinkDamageItsFrames) {
  const Workplace place;
  place.write("crc.toml", std::string(kDrive) + "[[faults]]\nkind = \"link_crc\"\nframes = \"drive_data\"\n");
  place.write("script.txt", "read dma ext lba=0 sectors=8\nread dma ext lba=0 sectors=8\n");
  const Outcome got = place.run({"ata", "crc.toml", "script.txt", "--tsv"});
  const std::vector<AtaRow> rows = ata_rows(got.out);
  ASSERT_EQ(rows.size(), 2u) << got.err;
  EXPECT_EQ(rows[0].at("end"), "error");
  EXPECT_EQ(rows[0].at("error"), "84");  // ICRC, ABRT
  EXPECT_EQ(rows[1].at("end"), "ok");
}

TEST(AtaScript, IdentifyIsDecoded) {
  const Workplace place;
  const Outcome got = ata(place, "identify device\n");
  ASSERT_EQ(got.status, 0) << got.err;
  EXPECT_THAT(got.out, HasSubstr("> H2D          ECh IDENTIFY DEVICE"));
  EXPECT_THAT(got.out, HasSubstr("< PIO Setup    to host  status 58h DRDY DSC DRQ  end 50h DRDY DSC  512 bytes"));
  EXPECT_THAT(got.out, HasSubstr("< Data         512 bytes"));
  EXPECT_THAT(got.out, HasSubstr("= identify device: ok, status 50h DRDY DSC, 512 bytes"));
  EXPECT_THAT(got.out, HasSubstr("model number"));
  EXPECT_THAT(got.out, HasSubstr("\"TESTDRIVE\""));
  EXPECT_THAT(got.out, HasSubstr("100000 logical sectors"));
  EXPECT_THAT(got.out, HasSubstr("checksum right"));
  EXPECT_THAT(got.out, Not(HasSubstr("WRONG")));
}

TEST(AtaScript, DataThatAreWrittenAreReadBack) {
  const Workplace place;
  const Outcome got = ata(place,
                          "write dma ext lba=100 sectors=2 data_hex=\"01 02 03 04\"\n"
                          "read dma ext lba=100 sectors=2\n"
                          "write fpdma queued lba=200 sectors=1 data_hex=0A0B tag=7\n"
                          "read fpdma queued lba=200 sectors=1\n"
                          "flush cache ext\n",
                          {"--tsv", "--raw"});
  ASSERT_EQ(got.status, 0) << got.err;
  const auto rows = ata_rows(got.out);
  ASSERT_EQ(rows.size(), 5u);
  for (const AtaRow& row : rows) EXPECT_EQ(row.at("end"), "ok") << row.at("name");
  EXPECT_EQ(rows[0].at("bytes_out"), "1024");
  EXPECT_EQ(rows[1].at("bytes_in"), "1024");
  EXPECT_EQ(rows[2].at("tag"), "7");
  EXPECT_EQ(rows[3].at("bytes_in"), "512");
  EXPECT_THAT(got.out, HasSubstr("data\t1\t0\t01020304000000000000000000000000\n"));
  EXPECT_THAT(got.out, HasSubstr("data\t3\t0\t0a0b0000000000000000000000000000\n"));
}

// No two sectors of the pattern are alike, and 64 KiB go in frames of 8 KiB.
TEST(AtaScript, ALongTransferIsOneLineOfData) {
  const Workplace place;
  const Outcome got = ata(place, "write dma ext lba=0 sectors=128\nread dma ext lba=0 sectors=128\n");
  ASSERT_EQ(got.status, 0) << got.err;
  EXPECT_THAT(got.out, HasSubstr("< DMA Activate\n"));
  EXPECT_THAT(got.out, HasSubstr("> Data         65536 bytes in 8 frames, the last at "));
  EXPECT_THAT(got.out, HasSubstr("< Data         65536 bytes in 9 frames, the last at "));
  EXPECT_THAT(got.out, HasSubstr("000000  00 9e 3c da 78 17 b5 53  f1 8f 2e cc 6a 08 a7 45"));
  EXPECT_THAT(got.out, HasSubstr("and 65472 bytes more (--raw)"));
}

TEST(AtaScript, AnErrorIsAnAnswer) {
  const Workplace place;
  const std::string script = "read dma ext lba=100000\nidentify packet device\n";
  const Outcome got = ata(place, script, {"--tsv"});
  EXPECT_EQ(got.status, 0) << got.err;
  const auto rows = ata_rows(got.out);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("end"), "error");
  EXPECT_EQ(rows[0].at("status"), "51");
  EXPECT_EQ(rows[0].at("error"), "10");
  EXPECT_EQ(rows[0].at("answer_lba"), "0000000186A0");
  EXPECT_EQ(rows[1].at("error"), "04");
  EXPECT_EQ(ata(place, script, {"--strict"}).status, 1);
  EXPECT_EQ(ata(place, "identify device\n", {"--strict"}).status, 0);
}

// The drive drops its queue, and the script reads why: the host reads no log by itself.
TEST(AtaScript, AnErrorOfAQueuedCommandIsInItsLog) {
  const Workplace place;
  const Outcome got = ata(place,
                          "read fpdma queued lba=0x1000 tag=3\n"
                          "+0 ms read fpdma queued lba=100000 tag=5\n"
                          "read dma ext lba=0\n"
                          "read log ext log=0x10\n"
                          "read dma ext lba=0\n",
                          {"--tsv"});
  ASSERT_EQ(got.status, 0) << got.err;
  const auto rows = ata_rows(got.out);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0].at("end"), "error");
  EXPECT_EQ(rows[1].at("end"), "error");
  EXPECT_EQ(rows[2].at("end"), "error") << "until the log has been read";
  EXPECT_EQ(rows[3].at("end"), "ok");
  EXPECT_EQ(rows[4].at("end"), "ok");
  EXPECT_THAT(got.out, HasSubstr("NQ and tag\ttag 5\n"));
  EXPECT_THAT(got.out, HasSubstr("\terror\tIDNF\n"));
}

TEST(AtaScript, TimesAndWaits) {
  const Workplace place;
  const Outcome got = ata(place,
                          "check power mode\n"
                          "2 s check power mode\n"
                          "+500 ms check power mode\n"
                          "wait 1 s\n"
                          "check power mode\n",
                          {"--tsv"});
  ASSERT_EQ(got.status, 0) << got.err;
  const auto rows = ata_rows(got.out);
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[1].at("sent_s"), "2.000000000000");
  EXPECT_EQ(rows[2].at("sent_s"), "2.500000000000");
  EXPECT_EQ(rows[3].at("command"), "wait");
  const double waited = std::stod(rows[4].at("sent_s")) - std::stod(rows[2].at("completed_s"));
  EXPECT_NEAR(waited, 1, 1e-9);
}

TEST(AtaScript, ResetsEndWithTheSignature) {
  const Workplace place;
  const Outcome got = ata(place, "reset\ncomreset\nidentify device\n");
  ASSERT_EQ(got.status, 0) << got.err;
  EXPECT_THAT(got.out, HasSubstr("> H2D          control 04h SRST"));
  EXPECT_THAT(got.out, HasSubstr("> H2D          control 00h"));
  EXPECT_THAT(got.out, HasSubstr("> COMRESET"));
  EXPECT_THAT(got.out, HasSubstr("count 0001h  lba 000000000001h  device 00h  signature"));
  EXPECT_THAT(got.out, HasSubstr("= reset: ok"));
  EXPECT_THAT(got.out, HasSubstr("= comreset: ok"));
}

// A drive that sleeps answers nothing but a reset.
TEST(AtaScript, ACommandWithoutAnAnswerIsGivenUp) {
  const Workplace place;
  const Outcome got = ata(place, "sleep\ncheck power mode timeout_s=3\nreset\ncheck power mode\n", {"--tsv"});
  ASSERT_EQ(got.status, 0) << got.err;
  const auto rows = ata_rows(got.out);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].at("end"), "ok");
  EXPECT_EQ(rows[1].at("end"), "timed out");
  EXPECT_NEAR(std::stod(rows[1].at("completed_s")) - std::stod(rows[1].at("sent_s")), 3, 1e-9);
  EXPECT_EQ(rows[2].at("end"), "ok");
  EXPECT_EQ(rows[3].at("end"), "ok");
}

TEST(AtaScript, AResetEndsTheCommandThatIsUnderWay) {
  const Workplace place;
  const Outcome got = ata(place, "read dma ext lba=50000 sectors=256\n+1 ms reset\nread dma ext lba=0\n", {"--tsv"});
  ASSERT_EQ(got.status, 0) << got.err;
  const auto rows = ata_rows(got.out);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].at("end"), "reset");
  EXPECT_EQ(rows[1].at("end"), "ok");
  EXPECT_EQ(rows[2].at("end"), "ok");
}

TEST(AtaScript, BadLinesNameFileAndLineAndNothingIsSent) {
  const Workplace place;
  const Outcome got = ata(place, "identify device\n\nread lgo ext\n");
  EXPECT_EQ(got.status, 2);
  EXPECT_EQ(got.out, "");
  EXPECT_THAT(got.err,
              HasSubstr("script.txt:3:1: command: there is no \"read lgo ext\"; did you mean \"read log ext\"?"));
  EXPECT_THAT(ata(place, "2 s identify device\n1 s identify device\n").err, HasSubstr("script.txt:2:1: 1 s is before"));
  EXPECT_THAT(ata(place, "identify device after_request=1\n").err, HasSubstr("script.txt:1:1: after_request"));
  EXPECT_EQ(place.run({"ata", "drive.toml", "missing.txt"}).status, 2);
  EXPECT_EQ(place.run({"ata", "missing.toml", "script.txt"}).status, 2);
  EXPECT_EQ(place.run({"ata"}).status, 2);
}

TEST(AtaScript, LinesOfTheCommandLineAndOfAScenariosDrive) {
  const Workplace place;
  place.write("drive.toml", kDrive);
  place.write("run.toml",
              "[drives.a]\nmodel = \"drive.toml\"\n[drives.b]\nmodel = \"drive.toml\"\nidentity.model = \"OTHER\"\n");
  const Outcome got = place.run({"ata", "run.toml", "--drive", "b", "-c", "identify device", "-c", "flush cache ext"});
  ASSERT_EQ(got.status, 0) << got.err;
  EXPECT_THAT(got.out, HasSubstr("\"OTHER\""));
  EXPECT_THAT(got.out, HasSubstr("= flush cache ext: ok"));
  EXPECT_EQ(place.run({"ata", "run.toml", "--drive", "c", "-c", "identify device"}).status, 2);
}

// But for DOWNLOAD MICROCODE, which only an ELF can claim.
TEST(AtaScript, TheFirmwareAsAnElfAnswersTheSame) {
  const Workplace place;
  const std::string script =
      "read log ext log=0x30 page=2\nsmart read data\nwrite dma ext lba=8 sectors=8\nread fpdma queued lba=8 "
      "sectors=8\n";
  const Outcome native = ata(place, script);
  const Outcome elf = ata(place, script, {"--set", "controller.processor=iss"});
  ASSERT_EQ(elf.status, 0) << elf.err;
  EXPECT_EQ(elf.out, native.out);
}

TEST(AtaScript, WavesOfTheCommands) {
  const Workplace place;
  const Outcome got = ata(place, "identify device\n", {"--waves", "w.fst"});
  ASSERT_EQ(got.status, 0) << got.err;
  const Outcome samples = place.run({"samples", "w.fst", "--signals", "*.hif.dma", "--hz", "1000000"});
  EXPECT_EQ(samples.status, 0) << samples.err;
  EXPECT_THAT(samples.out, HasSubstr("data_out"));
}

// Words as hdparm prints them: unit_sata has a whole page.
TEST(AtaScript, IdentifyOfARealDriveIsDecoded) {
  const Workplace place;
  std::string words = "\n/dev/sdc:\n";
  for (unsigned word = 0; word < 256; ++word) words += word == 217 ? "1c20 " : "0000 ";
  place.write("page.txt", words);
  const Outcome got = place.run({"ata", "--identify", "page.txt"});
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_EQ(got.out, "     217  1C20  nominal media rotation rate  7200 rpm\n");
  std::string serial = "\n/dev/sdc:\n";
  for (unsigned word = 0; word < 256; ++word) serial += word == 77 ? "0100 " : "0000 ";
  place.write("serial.txt", serial);
  const Outcome disable = place.run({"ata", "--identify", "serial.txt"});
  EXPECT_THAT(disable.out, HasSubstr("power disable always on"));
  EXPECT_THAT(disable.out, Not(HasSubstr("out of band")));
  place.write("short.txt", words.substr(0, 100));
  const Outcome refused = place.run({"ata", "--identify", "short.txt"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("short.txt: "));
}

/// The program with `input` on its standard input.
Outcome piped(const Workplace& place, const std::string& input, const std::string& options = {}) {
  place.write("drive.toml", kDrive);
  place.write("input.txt", input);
  Outcome got;
  const std::string command = "cd '" + place.path().string() + "' && '" + ARMATURE_PROGRAM + "' ata drive.toml " +
                              options + " <input.txt >piped.out 2>piped.err";
  const int status = std::system(command.c_str());
  got.status = WEXITSTATUS(status);
  got.out = place.read("piped.out");
  got.err = place.read("piped.err");
  return got;
}

// A line is answered before the next one is read, as at a terminal: whoever writes it may wait for the answer.
TEST(AtaScript, StandardInputIsReadLineByLine) {
  const Workplace place;
  place.write("drive.toml", kDrive);
  const std::string talk =
      "cd '" + place.path().string() +
      "' && touch o && (echo identify device; for i in $(seq 500); do grep -q answer o && break; sleep 0.01; "
      "done; grep -q answer o && echo check power mode) | '" +
      ARMATURE_PROGRAM + "' ata drive.toml --tsv >o";
  ASSERT_EQ(std::system(talk.c_str()), 0);
  EXPECT_EQ(ata_rows(place.read("o")).size(), 2u);
  const Outcome got = piped(place, "identify device\nwait 1 s\ncheck power mode\n", "--tsv");
  EXPECT_EQ(got.status, 0) << got.err;
  EXPECT_EQ(ata_rows(got.out).size(), 3u);
  const Outcome ended = piped(place, "identify device\nend\nnonsense\n");
  EXPECT_EQ(ended.status, 0) << ended.err;
  const Outcome broken = piped(place, "identify device\nnonsense\nidentify device\n", "--tsv");
  EXPECT_EQ(broken.status, 2);
  EXPECT_THAT(broken.err, HasSubstr("standard input:2:1: command: there is no \"nonsense\""));
  EXPECT_EQ(ata_rows(broken.out).size(), 1u);
}

TEST(AtaScript, ListNamesEveryCommand) {
  const Workplace place;
  const Outcome got = place.run({"ata", "--list"});
  EXPECT_EQ(got.status, 0);
  EXPECT_THAT(got.out, HasSubstr("ECh   identify device"));
}

// ---- Scripts that real hosts' behaviour asks for; the answers come with the commands ------------------------------

// CHECK POWER MODE does not count as activity: standby 5 s after IDLE with a timer of 5 s, however often it is asked.
TEST(AtaAnswers, CheckPowerModeKeepsNoDriveAwake) {
  const Workplace place;
  std::string script = "20000 idle5s E3 0 1 0\n";
  for (int ms = 22'000; ms <= 32'000; ms += 2'000) script += std::to_string(ms) + " cpm E5 0 0 0\n";
  const Outcome got = ata(place, script + "40000 cpm E5 0 0 0\n", {"--tsv"});
  ASSERT_EQ(got.status, 0) << got.err;
  const auto rows = ata_rows(got.out);
  ASSERT_EQ(rows.size(), 8u);
  EXPECT_EQ(rows[1].at("answer_count"), "00FF");
  EXPECT_EQ(rows[2].at("answer_count"), "00FF");
  for (std::size_t i = 3; i < rows.size(); ++i) EXPECT_EQ(rows[i].at("answer_count"), "0000") << i;
}

// Nothing is scheduled for hours, in which the timer's counter comes round twice; then a standby timer of two hours.
TEST(AtaAnswers, ADriveThatIsIdleForHoursKnowsTheTime) {
  const Workplace place;
  const std::string hours = "read log ext log=0x04 page=1\n";
  const Outcome got = ata(place,
                          "identify device\n3 h check power mode\n" + hours +
                              "3.1 h idle count=244\n5.09 h check power mode\n5.11 h check power mode\n" + hours,
                          {"--tsv", "--set", "smart.autosave_min=0"});
  ASSERT_EQ(got.status, 0) << got.err;
  const auto rows = ata_rows(got.out);
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[1].at("answer_count"), "00FF");
  EXPECT_EQ(rows[4].at("answer_count"), "00FF");
  EXPECT_EQ(rows[5].at("answer_count"), "0000") << "two hours after IDLE";
  EXPECT_THAT(got.out, HasSubstr("power-on hours\t3"));
  EXPECT_THAT(got.out, HasSubstr("power-on hours\t5"));
}

// hdparm --make-bad-sector, --read-sector, and --repair-sector after the drive has been off.
TEST(AtaAnswers, ABadSectorSurvivesPowerOff) {
  const Workplace place;
  place.write("drive.toml", std::string(kDrive) + "contents_file = \"disk.bin\"\n");
  const auto run = [&](const std::string& script) {
    place.write("script.txt", script);
    const Outcome got = place.run({"ata", "drive.toml", "script.txt", "--tsv", "--set", "media.contents=file"});
    EXPECT_EQ(got.status, 0) << got.err;
    return ata_rows(got.out);
  };
  const auto made =
      run("write sectors ext lba=500\nwrite uncorrectable ext features=0x55 lba=500\nread sectors ext lba=500\n");
  ASSERT_EQ(made.size(), 3u);
  EXPECT_EQ(made[1].at("end"), "ok");
  EXPECT_EQ(made[2].at("error"), "40");
  const auto later =
      run("read sectors ext lba=500\nread verify sectors ext lba=500\nwrite sectors ext lba=500\nread sectors ext "
          "lba=500\n");
  ASSERT_EQ(later.size(), 4u);
  EXPECT_EQ(later[0].at("error"), "40");
  EXPECT_EQ(later[0].at("answer_lba"), "0000000001F4");
  EXPECT_EQ(later[1].at("error"), "40");
  EXPECT_EQ(later[3].at("end"), "ok");
}

// Limit 1 of reads: 1 ms without an arm, then abort.
TEST(AtaAnswers, AQueuedCommandNamesItsDurationLimit) {
  const Workplace place;
  const std::string log =
      "write log ext log=0x18 data_hex=\"" + std::string(128, '0') + "000F0000" + "00000000" + "E8030000" + "\"\n";
  const Outcome got = ata(place,
                          log +
                              "set features features=0x0D count=1\nread log ext log=0x18\n"
                              "read fpdma queued lba=0 tag=0\n+0 ms read fpdma queued lba=90000 tag=1 limit=1\n"
                              "read log ext log=0x10\nread fpdma queued lba=0 tag=0 limit=2\n",
                          {"--tsv"});
  ASSERT_EQ(got.status, 0) << got.err;
  const auto rows = ata_rows(got.out);
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[0].at("end"), "ok");
  EXPECT_EQ(rows[1].at("end"), "ok");
  EXPECT_EQ(rows[4].at("end"), "error");
  EXPECT_EQ(rows[6].at("end"), "ok");
  EXPECT_THAT(got.out, HasSubstr("read limit 1\tinactive 1000 us, abort; active 0 us, go on; guideline 0 us, go on\n"));
  EXPECT_THAT(got.out, HasSubstr("NQ and tag\ttag 1\n"));
  EXPECT_THAT(got.out, HasSubstr("sense\tkey Bh, code 2Eh, qualifier 01h\n"));
}

// One request in ten of a load names limit 1, and waits for less time than the others.
TEST(HostCommands, RequestsOfALoadNameALimit) {
  const Workplace place;
  place.write("drive.toml", kDrive);
  const std::string log = std::string(128, '0') + std::string(16, '0') + "10270000";
  place.write("run.toml",
              "[drives.d]\nmodel = \"drive.toml\"\n"
              "[workload]\nkind = \"closed\"\noutstanding = 32\ncount = 600\n"
              "[host]\nduration_limit = 1\nlimited_share = 0.1\n"
              "[[host.commands]]\ncommand = \"write log ext\"\nlog = 0x18\nat_s = 0\ndata_hex = \"" +
                  log + "\"\n[[host.commands]]\ncommand = \"set features\"\nfeatures = 0x0D\ncount = 1\n");
  const Outcome got = place.run({"run", "run.toml", "--out", "out"});
  ASSERT_EQ(got.status, 0) << got.out << got.err;
  std::istringstream rows(place.read("out/requests.csv"));
  std::string row;
  std::getline(rows, row);
  double sum[2] = {}, count[2] = {};
  while (std::getline(rows, row)) {
    std::istringstream cells(row);
    std::vector<std::string> cell(14);
    for (std::string& one : cell) std::getline(cells, one, ',');
    const unsigned long id = std::stoul(cell[0]);
    if (id < 100) continue;  // limits are off at first
    const bool limited = id % 10 == 9;
    sum[limited] += std::stod(cell[13]);
    count[limited] += 1;
  }
  EXPECT_LT(sum[1] / count[1], sum[0] / count[0] / 2);
}

TEST(AtaAnswers, TheRangesOfTwoActuators) {
  const Workplace place;
  place.write("two.toml", "base = \"drives/wd_ultrastar_hc560_20tb.toml\"\n[arms]\ncount = 2\nrange = \"split\"\n");
  place.write("script.txt",
              "20000 id EC 0 0 0\n20010 logdir 2F 0 1 0\n20020 log30p0 2F 0 1 30\n20030 log47 2F 0 1 47\n");
  const Outcome got = place.run({"ata", "two.toml", "script.txt", "--tsv"});
  ASSERT_EQ(got.status, 0) << got.err;
  const auto rows = ata_rows(got.out);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[2].at("end"), "ok");
  EXPECT_THAT(got.out, HasSubstr("log 47h, concurrent positioning ranges\t1 page\n"));
  EXPECT_THAT(got.out, HasSubstr("number of ranges\t2\n"));
  EXPECT_THAT(got.out, HasSubstr("\trange 0\tLBA 0 to "));
  EXPECT_THAT(got.out, HasSubstr("\trange 1\tLBA "));
}

// What IDENTIFY DEVICE claims makes these mandatory.
TEST(AtaAnswers, MandatoryCommandsAreAnswered) {
  const Workplace place;
  const Outcome got = ata(place,
                          "20000 id EC 0 0 0\n20010 readverifyext 42 0 8 100\n20020 readsectorsext 24 0 1 100\n"
                          "20030 readdma C8 0 8 100\n20040 diagnostic 90 0 0 0\n",
                          {"--tsv"});
  ASSERT_EQ(got.status, 0) << got.err;
  const auto rows = ata_rows(got.out);
  ASSERT_EQ(rows.size(), 5u);
  for (const AtaRow& row : rows) EXPECT_EQ(row.at("end"), "ok") << row.at("name");
  EXPECT_EQ(rows[2].at("bytes_in"), "512");
  EXPECT_EQ(rows[3].at("bytes_in"), "4096");
  EXPECT_EQ(rows[4].at("error"), "01");
}

// ---- [[host.commands]] -------------------------------------------------------------------------------------------

std::vector<std::vector<std::string>> csv(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    std::istringstream row(line);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    rows.push_back(cells);
  }
  return rows;
}

TEST(HostCommands, ARunOfCommandsAlone) {
  const Workplace place;
  place.write("drive.toml", kDrive);
  place.write("run.toml",
              "[drives.d]\nmodel = \"drive.toml\"\n"
              "[[host.commands]]\ncommand = \"identify device\"\nat_s = \"2 s\"\nname = \"id\"\n"
              "[[host.commands]]\ncommand = 'write dma ext'\nlba = 0x100\nsectors = 1\ndata_hex = \"CAFE\"\n"
              "[[host.commands]]\ncommand = \"0x25\"\nlba = 256\ncount = 1\ndelay_s = \"10 ms\"\n"
              "[[host.commands]]\ncommand = \"reset\"\n");
  const Outcome run = place.run({"run", "run.toml", "--out", "out", "--console"});
  ASSERT_EQ(run.status, 0) << run.err;
  const auto rows = csv(place.read("out/commands.csv"));
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[1][1], "id");
  EXPECT_EQ(rows[1][2], "IDENTIFY DEVICE");
  EXPECT_EQ(rows[1][9], "2.000000000000");
  for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_EQ(rows[i][11], "ok") << i;
  EXPECT_EQ(rows[3][19], "512");
  EXPECT_NEAR(std::stod(rows[3][9]) - std::stod(rows[2][10]), 0.01, 1e-9);
  EXPECT_THAT(place.read("out/commands.hex"), HasSubstr("# 2 read dma ext: 512 bytes\n000000  ca fe 00 00"));
  EXPECT_THAT(run.out, HasSubstr("host.commands: 4 answered, 0 of them with an error"));
  EXPECT_THAT(run.err, HasSubstr("id: ok, status 50h DRDY DSC, 512 bytes"));
  // The resolved configuration gives the same run again.
  const Outcome again = place.run({"run", "out/resolved.toml", "--out", "again"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(place.read("again/commands.csv"), place.read("out/commands.csv"));
  // And another run into the folder leaves no answers of this one.
  place.write("other.toml", "[workload]\nkind = \"closed\"\ncount = 10\n[drives.d]\nmodel = \"drive.toml\"\n");
  ASSERT_EQ(place.run({"run", "other.toml", "--out", "out"}).status, 0);
  EXPECT_FALSE(place.has("out/commands.csv"));
}

constexpr const char* kLoad =
    "[workload]\nkind = \"closed\"\noutstanding = 8\ncount = 200\nread_fraction = 0.5\n"
    "[host]\nverify = true\n[drives.d]\nmodel = \"drive.toml\"\n";

// Queued and unqueued commands between the requests: none of those is lost, each command is answered.
TEST(HostCommands, BesideALoad) {
  const Workplace place;
  place.write("drive.toml", kDrive);
  place.write("run.toml",
              std::string(kLoad) +
                  "[[host.commands]]\ncommand = \"identify device\"\nafter_request = 20\n"
                  "[[host.commands]]\ncommand = \"read fpdma queued\"\nlba = 5000\nsectors = 8\n"
                  "[[host.commands]]\ncommand = \"read fpdma queued\"\nlba = 9000\nafter = \"sent\"\n"
                  "[[host.commands]]\ncommand = \"read dma ext\"\nlba = 7\nafter_request = 100\n"
                  "[[host.commands]]\ncommand = \"read log ext\"\nlog = 0\n"
                  "[[host.commands]]\ncommand = \"flush cache ext\"\nafter_request = 150\ndelay_s = \"1 ms\"\n"
                  "[[host.commands]]\ncommand = \"comreset\"\n"
                  "[[host.commands]]\ncommand = \"check power mode\"\nafter_request = 100000\n");
  const Outcome run = place.run({"run", "run.toml", "--out", "out"});
  ASSERT_EQ(run.status, 0) << run.err << run.out;
  const auto rows = csv(place.read("out/commands.csv"));
  ASSERT_EQ(rows.size(), 9u);
  for (std::size_t i = 1; i < rows.size(); ++i) EXPECT_EQ(rows[i][11], "ok") << rows[i][2];
  EXPECT_EQ(csv(place.read("out/requests.csv")).size(), 201u);
  EXPECT_THAT(run.out, HasSubstr("0 mismatches"));
  // Waves change nothing.
  const Outcome waves = place.run({"run", "run.toml", "--out", "waves", "--waves"});
  ASSERT_EQ(waves.status, 0) << waves.err;
  EXPECT_EQ(place.read("waves/commands.csv"), place.read("out/commands.csv"));
  EXPECT_EQ(place.read("waves/requests.csv"), place.read("out/requests.csv"));
}

// The host's requests are sent again, the command is not.
TEST(HostCommands, AnErrorOfAQueuedCommandBesideALoad) {
  const Workplace place;
  place.write("drive.toml", kDrive);
  place.write("run.toml", std::string(kLoad) +
                              "[[host.commands]]\ncommand = \"read fpdma queued\"\nlba = 100000\nafter_request = 50\n");
  const Outcome run = place.run({"run", "run.toml", "--out", "out"});
  ASSERT_EQ(run.status, 0) << run.err << run.out;
  const auto rows = csv(place.read("out/commands.csv"));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1][11], "error");
  EXPECT_EQ(rows[1][13], "10");
  EXPECT_EQ(csv(place.read("out/requests.csv")).size(), 201u);
  EXPECT_THAT(place.read("out/summary.json"), HasSubstr("\"reissued\""));
}

TEST(HostCommands, OneDriveOfTwo) {
  const Workplace place;
  place.write("drive.toml", kDrive);
  place.write("run.toml",
              "[workload]\nkind = \"closed\"\ncount = 20\n[drives.a]\nmodel = \"drive.toml\"\n[drives.b]\nmodel = "
              "\"drive.toml\"\n"
              "[[drives.b.host.commands]]\ncommand = \"identify device\"\n");
  const Outcome run = place.run({"run", "run.toml", "--out", "out"});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(place.has("out/b/commands.csv"));
  EXPECT_FALSE(place.has("out/a/commands.csv"));
}

// The supply fails under a load of writes with flushes and forced ones: what was acknowledged and is not in the
// volatile cache only is there.
TEST(HostCommands, APowerCutLosesNothingThatWasPromised) {
  const Workplace place;
  place.write("drive.toml", kDrive);
  std::string trace = "time_s,lbn,sectors,op,flags\n";
  unsigned draw = 1;
  for (int i = 0; i < 600; ++i) {
    draw = draw * 1'103'515'245u + 12'345u;
    const std::string time = std::to_string(i * 0.004);
    if (i % 25 == 24)
      trace += time + ",0,0,F,\n";
    else
      trace += time + "," + std::to_string((draw >> 16) % 64 * 8) + ",8,W," + (i % 5 == 0 ? "FUA" : "") + "\n";
  }
  place.write("load.csv", trace);
  place.write("run.toml",
              "[workload]\nkind = \"trace\"\nfile = \"load.csv\"\n[host]\nverify = true\n"
              "[drives.d]\nmodel = \"drive.toml\"\n"
              "[[host.commands]]\ncommand = \"flush cache ext\"\nafter_request = 40\n"
              "[[host.commands]]\ncommand = \"power off\"\nat_s = 1.7\n");
  for (const char* cache : {"true", "false"}) {
    const Outcome run = place.run({"run", "run.toml", "--out", "out", "--set", std::string("cache.write=") + cache});
    ASSERT_EQ(run.status, 0) << run.err << run.out;
    EXPECT_THAT(run.out, HasSubstr("d: power off at 1.7"));
    EXPECT_THAT(run.out, HasSubstr("of 512 sectors that had been written"));
    EXPECT_THAT(run.out, HasSubstr("512 sectors compared, 0 mismatches"));
    EXPECT_LT(csv(place.read("out/requests.csv")).size(), 601u);
  }
}

TEST(HostCommands, PowerOnFollowsPowerOff) {
  const Workplace place;
  EXPECT_EQ(ata(place, "write dma ext lba=0\npower off\n").status, 0);
  EXPECT_THAT(ata(place, "power off\nidentify device\n").err, HasSubstr("script.txt:2:1: command: the drive is off"));
  EXPECT_THAT(ata(place, "power off\npower off\n").err, HasSubstr("script.txt:2:1: command: the drive is off"));
  EXPECT_THAT(ata(place, "power on\n").err, HasSubstr("script.txt:1:1: command: power on of a drive that is on"));
}

// What is on the medium stays, what was set is lost, and a command that was under way has no answer.
TEST(HostCommands, ADriveComesBackWithItsContentsAndWithoutItsSettings) {
  const Workplace place;
  const Outcome got = ata(place,
                          "write dma ext lba=7 data_hex=\"de ad\"\nflush cache ext\n"
                          "write dma ext lba=8 data_hex=\"be ef\"\nset features features=0x82\n"
                          "+0 ms read dma ext lba=5000\n+1 ms power off\nwait 200 ms\npower on\n"
                          "read dma ext lba=7 name=kept\nidentify device\n",
                          {"--set", "cache.write=true", "--set", "spindle.spin_up_s=0.5"});
  ASSERT_EQ(got.status, 0) << got.err;
  EXPECT_THAT(got.out, HasSubstr("read dma ext: power lost"));
  EXPECT_THAT(got.out, HasSubstr("< no drive"));
  EXPECT_THAT(got.out, HasSubstr("< COMINIT"));
  EXPECT_THAT(got.out, HasSubstr("> COMRESET"));
  EXPECT_THAT(got.out, HasSubstr("signature"));
  EXPECT_THAT(got.out, HasSubstr("000000  de ad 00"));
  EXPECT_THAT(got.out, HasSubstr("write cache, "));
}

// The same load as above; it goes on when the supply is back, and all is read at the end.
TEST(HostCommands, TheLoadGoesOnWhenThePowerIsBack) {
  const Workplace place;
  place.write("drive.toml", kDrive);
  std::string trace = "time_s,lbn,sectors,op,flags\n";
  for (int i = 0; i < 300; ++i)
    trace +=
        std::to_string(i * 0.004) + (i % 25 == 24 ? ",0,0,F,\n" : "," + std::to_string(i * 37 % 64 * 8) + ",8,W,\n");
  place.write("load.csv", trace);
  place.write("run.toml",
              "[workload]\nkind = \"trace\"\nfile = \"load.csv\"\n"
              "[host]\nverify = true\nread_back = true\njournal = true\n"
              "[drives.d]\nmodel = \"drive.toml\"\nspindle.spin_up_s = 0.5\n"
              "[[host.commands]]\ncommand = \"power off\"\nat_s = 0.5\n"
              "[[host.commands]]\ncommand = \"power on\"\nat_s = 0.6\n"
              "[[host.commands]]\ncommand = \"power off\"\nat_s = 0.9\n"  // while the stack comes to speed
              "[[host.commands]]\ncommand = \"power on\"\nat_s = 0.95\n");
  for (const char* cache : {"true", "false"}) {
    SCOPED_TRACE(cache);
    const Outcome run = place.run({"run", "run.toml", "--out", "out", "--set", std::string("cache.write=") + cache});
    ASSERT_EQ(run.status, 0) << run.err << run.out;
    EXPECT_THAT(run.out, HasSubstr("d: power off at 0.500000000 s"));
    EXPECT_THAT(run.out, HasSubstr("; power on at 0.950000000 s"));
    EXPECT_THAT(run.out, HasSubstr(" 0 mismatches"));
    EXPECT_GT(csv(place.read("out/requests.csv")).size(), 301u) << "and the reads at the end";
    std::size_t durable = 0, writes = 0;
    for (const auto& row : tab_separated(place.read("out/journal.tsv"))) {
      if (row.size() < 9 || row[0] != "write") continue;
      ++writes;
      durable += row[8] == "durable" ? 1 : 0;
    }
    EXPECT_GE(writes, 288u);
    EXPECT_GT(durable, 200u);
    EXPECT_LE(durable, 288u);
  }
}

TEST(HostCommands, WhatIsRefused) {
  const Workplace place;
  place.write("drive.toml", kDrive);
  const auto refusal = [&place](const std::string& rows) {
    place.write("run.toml", "[drives.d]\nmodel = \"drive.toml\"\n" + rows);
    const Outcome check = place.run({"check", "run.toml"});
    EXPECT_EQ(check.status, 2) << rows;
    EXPECT_EQ(place.run({"run", "run.toml", "--out", "out"}).status, 2) << rows;
    EXPECT_FALSE(place.has("out"));
    return check.err;
  };
  EXPECT_THAT(refusal("[[host.commands]]\ncommand = \"identfy\"\n"),
              HasSubstr("run.toml:4:11: host.commands[0].command: there is no \"identfy\"; did you mean"));
  EXPECT_THAT(refusal("[[host.commands]]\ncommand = \"identify device\"\nlab = 1\n"),
              HasSubstr("run.toml:5:1: host.commands[0].lab: no such key; did you mean \"lba\"?"));
  EXPECT_THAT(
      refusal(
          "[[host.commands]]\ncommand = \"identify device\"\n[[host.commands]]\ncommand = \"idle\"\ncount = 70000\n"),
      HasSubstr("run.toml:7:9: host.commands[1].count: 70000 is out of range"));
  EXPECT_THAT(refusal("[[host.commands]]\nat_s = 1\n"), HasSubstr("run.toml:3:1: host.commands[0].command is missing"));
  EXPECT_THAT(
      refusal("[[host.commands]]\ncommand = \"idle\"\nat_s = 2\n[[host.commands]]\ncommand = \"idle\"\nat_s = 1\n"),
      HasSubstr("run.toml:8:8: host.commands[1].at_s: 1 s is before"));
  EXPECT_THAT(refusal("[host]\ncommands = 5\n"),
              HasSubstr("run.toml:4:12: host.commands: is a list of sections; write [[host.commands]]"));
  EXPECT_THAT(refusal("[[host.commands]]\ncommand = \"write dma ext\"\ndata_file = \"none.bin\"\n"),
              HasSubstr("run.toml:5:13: host.commands[0].data_file: there is no file"));
}

}  // namespace
}  // namespace armature
