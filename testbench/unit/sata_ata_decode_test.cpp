// Names of commands, and pages decoded: against what two drives on the market have said, and pages made by hand.
#include "armature/sata/ata.h"
#include "armature/sata/ata_commands.h"
#include "armature/sata/ata_decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <vector>

namespace armature::sata {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Page = std::vector<std::uint8_t>;

// IDENTIFY DEVICE of a Maxtor 6B200M0 and a Seagate ST3160023AS, as `hdparm --Istdout` printed them: message
// <4405E42B.9040804@dgreaves.com> to linux-kernel and linux-ide, 1 March 2006. Words that are left out are 0.
constexpr const char* kMaxtor =
    "0040 3fff c837 0010 0000 0000 003f 0000 0000 0000 4234 3152 5643 3248 2020 2020 "
    "2020 2020 2020 2020 0003 4000 0004 4241 4e43 3142 5930 4d61 7874 6f72 2036 4232 "
    "3030 4d30 2020 2020 2020 2020 2020 2020 2020 2020 2020 2020 2020 2020 2020 8010 "
    "0000 2f00 4000 0200 0000 0007 3fff 0010 003f fc10 00fb 0110 ffff 0fff 0000 0007 "
    "0003 0078 0078 0078 0078 0000 0000 0000 0000 0000 0000 001f 0102 0000 0000 0000 "
    "00fe 001e 7c6b 7f09 4063 7c68 3e01 4063 407f 0000 0000 0000 fffe 0000 c0fe 0000 "
    "0000 0000 0000 0000 8800 17bd 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 "
    "0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 "
    "0001 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 "
    "0000 0000 0000 0000 0000 0000 0113";
constexpr unsigned kMaxtorLast = 0xA6A5;
constexpr const char* kSeagate =
    "0c5a 3fff c837 0010 0000 0000 003f 0000 0000 0000 334a 5332 4b53 4c33 2020 2020 "
    "2020 2020 2020 2020 0000 4000 0004 332e 3138 2020 2020 5354 3331 3630 3032 3341 "
    "5320 2020 2020 2020 2020 2020 2020 2020 2020 2020 2020 2020 2020 2020 2020 8010 "
    "0000 2f00 0000 0200 0200 0007 3fff 0010 003f fc10 00fb 0110 ffff 0fff 0000 0007 "
    "0003 0078 0078 00f0 0078 0000 0000 0000 0000 0000 0000 0000 0002 0000 0000 0000 "
    "007e 001b 346b 7d01 4003 3468 3c01 4003 407f 0000 0000 fefe 0000 0000 fe00 0000 "
    "0000 0000 0000 0000 9eb0 12a1 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 "
    "0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 0000 "
    "0001 9eb0 12a1 9eb0 12a1 2020 0002 42b6 8000 008a 3c06 3c0a ffff 07c6 0100 0800 "
    "0ff0 1000 0002 0030 0000 0000 0000 fe06 0000 0002 0050 008a 954f 0000 0023 000b";
constexpr unsigned kSeagateLast = 0x7EA5;

Page page_of(const std::string& words, unsigned last) {
  Page page(512);
  std::istringstream in(words);
  std::size_t at = 0;
  for (std::string word; in >> word; at += 2) {
    const unsigned value = static_cast<unsigned>(std::stoul(word, nullptr, 16));
    page[at] = static_cast<std::uint8_t>(value);
    page[at + 1] = static_cast<std::uint8_t>(value >> 8);
  }
  page[510] = static_cast<std::uint8_t>(last);
  page[511] = static_cast<std::uint8_t>(last >> 8);
  return page;
}

void put(Page& page, std::size_t byte, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) page[byte + i] = static_cast<std::uint8_t>(value >> 8 * i);
}

void seal(Page& page) {
  page[511] = 0;
  unsigned sum = 0;
  for (const std::uint8_t byte : page) sum += byte;
  page[511] = static_cast<std::uint8_t>(0u - sum);
}

std::string value(const std::vector<PageField>& fields, const std::string& place) {
  for (const PageField& field : fields)
    if (field.place == place) return field.value;
  return "no field at " + place;
}
std::string value_of(const std::vector<PageField>& fields, const std::string& name) {
  for (const PageField& field : fields)
    if (field.name == name) return field.value;
  return "no field " + name;
}

// What the kernel printed of them in the same message: 398,297,088 and 312,581,808 sectors.
TEST(AtaDecode, TheSpeedOfTheLinkInUseIsANumberAndNoFlags) {
  Page page = page_of(kMaxtor, kMaxtorLast);
  for (const auto& [word, text] : {std::pair(0x06u, "6 Gb/s in use"), std::pair(0x04u, "3 Gb/s in use"),
                                   std::pair(0x22u, "1.5 Gb/s in use, NCQ queue management")}) {
    put(page, 154, word, 2);
    EXPECT_EQ(value(decode_identify(page.data()), "77"), text);
  }
}

TEST(AtaDecode, IdentifyOfARealDriveWithQueueing) {
  const auto fields = decode_identify(page_of(kMaxtor, kMaxtorLast).data());
  EXPECT_EQ(value(fields, "10-19"), "\"B41RVC2H\"");
  EXPECT_EQ(value(fields, "23-26"), "\"BANC1BY0\"");
  EXPECT_EQ(value(fields, "27-46"), "\"Maxtor 6B200M0\"");
  EXPECT_EQ(value(fields, "1"), "16383");
  EXPECT_EQ(value(fields, "21"), "16384 sectors of 512 bytes");
  EXPECT_EQ(value(fields, "47"), "16 sectors per DRQ block at most");
  EXPECT_EQ(value(fields, "59"), "16 sectors are set");
  EXPECT_EQ(value(fields, "60-61"), "268435455 logical sectors");
  EXPECT_EQ(value(fields, "75"), "32");
  EXPECT_EQ(value(fields, "76"), "1.5 Gb/s, NCQ");
  EXPECT_EQ(value(fields, "80"), "ATA-1, ATA-2, ATA-3, ATA/ATAPI-4, ATA/ATAPI-5, ATA/ATAPI-6, ATA/ATAPI-7");
  EXPECT_EQ(value(fields, "82"),
            "SMART, security, power management, volatile write cache, read look-ahead, host protected area, WRITE "
            "BUFFER, READ BUFFER, NOP, bit 11 (reserved or obsolete)");
  EXPECT_THAT(value(fields, "83"), HasSubstr("advanced power management"));
  EXPECT_THAT(value(fields, "83"), HasSubstr("automatic acoustic management"));
  EXPECT_THAT(value(fields, "83"), HasSubstr("48-bit address"));
  EXPECT_THAT(value(fields, "86"), Not(HasSubstr("advanced power management")));
  EXPECT_EQ(value(fields, "87"), "SMART error logging, SMART self-test, general purpose logging, WRITE DMA FUA EXT");
  EXPECT_EQ(value(fields, "88"), "mode 0, mode 1, mode 2, mode 3, mode 4, mode 5, mode 6, mode 6 selected");
  EXPECT_EQ(value(fields, "94"), "recommended 192, present 254");
  EXPECT_EQ(value(fields, "100-103"), "398297088 logical sectors, 203.9 GB");
  EXPECT_EQ(value(fields, "128"), "supported");
  EXPECT_EQ(value(fields, "255"), "signature A5h, checksum right");
}

TEST(AtaDecode, IdentifyOfARealDriveWithout) {
  const Page page = page_of(kSeagate, kSeagateLast);
  const auto fields = decode_identify(page.data());
  EXPECT_EQ(value(fields, "27-46"), "\"ST3160023AS\"");
  EXPECT_EQ(value(fields, "23-26"), "\"3.18\"");
  EXPECT_EQ(value(fields, "67"), "240 ns");
  EXPECT_EQ(value(fields, "75"), "1");
  EXPECT_EQ(value(fields, "76"), "1.5 Gb/s");
  EXPECT_EQ(value(fields, "82"),
            "SMART, security, power management, volatile write cache, read look-ahead, host "
            "protected area, WRITE BUFFER, READ BUFFER");
  EXPECT_THAT(value(fields, "85"), Not(HasSubstr("security")));
  EXPECT_EQ(value(fields, "100-103"), "312581808 logical sectors, 160.0 GB");
  EXPECT_EQ(value(fields, "255"), "signature A5h, checksum right");
}

// Every word that is not zero has a field, and no field speaks of a word that is.
TEST(AtaDecode, IdentifyListsEveryWordThatIsNotZero) {
  for (const auto& [words, last] : {std::pair(kMaxtor, kMaxtorLast), std::pair(kSeagate, kSeagateLast)}) {
    const Page page = page_of(words, last);
    std::vector<bool> listed(256);
    for (const PageField& field : decode_identify(page.data())) {
      const std::size_t dash = field.place.find('-');
      const unsigned first = static_cast<unsigned>(std::stoul(field.place));
      const unsigned end =
          dash == std::string::npos ? first : static_cast<unsigned>(std::stoul(field.place.substr(dash + 1)));
      for (unsigned word = first; word <= end; ++word) listed.at(word) = true;
    }
    for (unsigned word = 0; word < 256; ++word)
      EXPECT_TRUE(listed[word] || (page[2 * word] == 0 && page[2 * word + 1] == 0)) << word;
  }
}

TEST(AtaDecode, AWrongChecksumIsTold) {
  Page page = page_of(kMaxtor, kMaxtorLast);
  page[100] ^= 1u;
  EXPECT_EQ(value(decode_identify(page.data()), "255"), "signature A5h, checksum WRONG");
}

TEST(AtaDecode, LogicalSectorsOf4096Bytes) {
  Page page(512);
  put(page, 200, 1'000'000, 8);
  put(page, 212, 0x5000, 2);
  put(page, 234, 2'048, 4);
  const auto fields = decode_identify(page.data());
  EXPECT_EQ(value(fields, "100-103"), "1000000 logical sectors, 4.1 GB");
  EXPECT_EQ(value(fields, "106"), "one logical sector per physical sector, logical sector longer than 256 words");
  EXPECT_EQ(value(fields, "117-118"), "2048 words, 4096 bytes");
}

TEST(AtaDecode, LogDirectory) {
  Page page(512);
  put(page, 0, 1, 2);
  put(page, 2 * 0x10, 1, 2);
  put(page, 2 * 0x30, 9, 2);
  const auto fields = decode_log(0x00, 0, page.data(), page.size());
  EXPECT_EQ(value_of(fields, "log 10h, NCQ command error log"), "1 page");
  EXPECT_EQ(value_of(fields, "log 30h, IDENTIFY DEVICE data log"), "9 pages");
  EXPECT_EQ(fields.size(), 3u);
}

TEST(AtaDecode, ErrorOfAQueuedCommand) {
  NcqErrorPage error;
  error.tag = 17;
  error.status = 0x41;
  error.error = 0x40;
  error.lba = HostLba(0x123456789A);
  error.count = 8;
  Page page(512);
  build(error, page.data());
  const auto fields = decode_log(0x10, 0, page.data(), page.size());
  EXPECT_EQ(value_of(fields, "NQ and tag"), "tag 17");
  EXPECT_EQ(value_of(fields, "error"), "UNC");
  EXPECT_EQ(value_of(fields, "LBA"), "78187493530 (00123456789Ah)");
  EXPECT_EQ(value_of(fields, "checksum"), "right");
  page[5] ^= 1u;
  EXPECT_EQ(value_of(decode_log(0x10, 0, page.data(), page.size()), "checksum"), "WRONG");
}

TEST(AtaDecode, DeviceStatistics) {
  Page page(512);
  put(page, 0, 3u << 16 | 1u, 8);
  put(page, 8, std::uint64_t{0xC0} << 56 | 4'321, 8);
  put(page, 32, std::uint64_t{0x80} << 56 | 7, 8);  // supported, not valid
  const auto fields = decode_log(0x04, 3, page.data(), page.size());
  EXPECT_EQ(value_of(fields, "header"), "page 03h, rotating media statistics, revision 1");
  EXPECT_EQ(value_of(fields, "spindle motor power-on hours"), "4321 h");
  EXPECT_EQ(value_of(fields, "reallocated logical sectors"), "not valid");
  EXPECT_EQ(fields.size(), 3u);
  Page temperature(512);
  put(temperature, 8, std::uint64_t{0xC0} << 56 | 0xFB, 8);
  EXPECT_EQ(value_of(decode_log(0x04, 5, temperature.data(), 512), "current temperature"), "-5 C");
}

TEST(AtaDecode, ExtendedErrorLog) {
  Page page(512);
  page[0] = 1;
  put(page, 2, 1, 2);
  page[4 + 18 * 4 + 12] = 0x60;       // the last of five commands
  put(page, 4 + 18 * 4 + 1, 8, 2);    // features
  put(page, 4 + 18 * 4 + 14, 77, 4);  // ms
  const std::size_t error = 4 + 90;
  page[error + 1] = 0x40;
  page[error + 4] = 0x9A;  // LBA 7:0, then 31:24, 15:8, 39:32, 23:16, 47:40
  page[error + 6] = 0x78;
  page[error + 8] = 0x56;
  page[error + 5] = 0x34;
  page[error + 11] = 0x41;
  page[error + 2] = 2;
  page[error + 31] = 0xA3;
  put(page, error + 32, 12, 2);
  put(page, 500, 5, 2);
  seal(page);
  const auto fields = decode_log(0x03, 0, page.data(), page.size());
  EXPECT_EQ(value_of(fields, "error 1"),
            "status 41h DRDY ERR, error 40h UNC, count 2, lba 00003456789Ah, active or idle, at 12 h");
  EXPECT_EQ(value_of(fields, "error 1, command 5"),
            "READ FPDMA QUEUED features 0008h count 0000h lba 000000000000h, at 77 ms");
  EXPECT_EQ(value_of(fields, "device error count"), "5 errors");
  EXPECT_EQ(value_of(fields, "checksum"), "right");
}

TEST(AtaDecode, SummaryErrorLog) {
  Page page(512);
  page[0] = page[1] = 1;
  page[2 + 48 + 7] = 0xC8;
  page[2 + 48 + 2] = 8;
  put(page, 2 + 48 + 3, 0x374000, 3);
  page[2 + 48 + 6] = 0xE6;
  put(page, 2 + 48 + 8, 32'075'771, 4);
  page[2 + 60 + 1] = 0x40;
  page[2 + 60 + 2] = 8;
  put(page, 2 + 60 + 3, 0x374000, 3);
  page[2 + 60 + 6] = 0xE6;
  page[2 + 60 + 7] = 0x51;
  page[2 + 60 + 27] = 3;
  put(page, 2 + 60 + 28, 18'798, 2);
  put(page, 452, 25, 2);
  seal(page);
  const auto fields = decode_log(0x01, 0, page.data(), page.size());
  EXPECT_EQ(value_of(fields, "error 1"),
            "status 51h DRDY DSC ERR, error 40h UNC, count 8, lba 6374000h, active or idle, at 18798 h");
  EXPECT_EQ(value_of(fields, "error 1, command 5"), "READ DMA features 00h count 08h lba 6374000h, at 32075771 ms");
  EXPECT_EQ(value_of(fields, "device error count"), "25 errors");
  EXPECT_EQ(value_of(decode_log(0x02, 0, page.data(), page.size()), "checksum"), "right");
}

TEST(AtaDecode, SelectiveSelfTestLog) {
  Page page(512);
  put(page, 0, 1, 2);
  put(page, 18, 100, 8);
  put(page, 26, 200, 8);
  put(page, 492, 150, 8);
  put(page, 500, 2, 2);
  put(page, 502, 0x0A, 2);
  const auto fields = decode_log(0x09, 0, page.data(), page.size());
  EXPECT_EQ(value_of(fields, "span 2"), "LBA 100 to 200");
  EXPECT_EQ(value_of(fields, "LBA under test"), "150");
  EXPECT_EQ(value_of(fields, "flags"), "off-line reads after the spans wanted, pending");
}

TEST(AtaDecode, SelfTestLogs) {
  Page page(512);
  put(page, 0, 1, 2);
  page[2] = 2;
  page[3] = 0x79;
  put(page, 4, 321, 2);
  put(page, 7, 4'711, 4);
  page[508] = 1;
  EXPECT_EQ(value_of(decode_log(0x06, 0, page.data(), 512), "descriptor 1"),
            "extended: failed: read, 90 % left, at 321 h, LBA 4711");
  Page extended(512);
  extended[4] = 1;
  extended[5] = 0;
  put(extended, 6, 9, 2);
  EXPECT_EQ(value_of(decode_log(0x07, 0, extended.data(), 512), "descriptor 1"),
            "short: completed without error, 0 % left, at 9 h");
}

TEST(AtaDecode, SctStatus) {
  Page page(512);
  put(page, 0, 3, 2);
  page[10] = 1;
  page[200] = 0x80;
  page[201] = 0xFE;
  const auto fields = decode_log(0xE0, 0, page.data(), 512);
  EXPECT_EQ(value_of(fields, "device state"), "standby");
  EXPECT_EQ(value_of(fields, "temperature"), "unknown");
  EXPECT_EQ(value_of(fields, "least since power-on"), "-2 C");
}

TEST(AtaDecode, PhyCounters) {
  Page page(512);
  put(page, 4, 0x1001, 2);  // 16 bits
  put(page, 6, 12, 2);
  put(page, 8, 0x200B, 2);  // 32 bits
  put(page, 10, 0xFFFFFFFF, 4);
  seal(page);
  const auto fields = decode_log(0x11, 0, page.data(), page.size());
  EXPECT_EQ(value_of(fields, "001h commands failed with ICRC"), "12");
  EXPECT_EQ(value_of(fields, "00Bh CRC errors in host-to-device FIS"), "4294967295 (at its most)");
  EXPECT_EQ(value_of(fields, "checksum"), "right");
  EXPECT_EQ(fields.size(), 3u);
}

TEST(AtaDecode, ConcurrentPositioningRanges) {
  Page page(512);
  page[0] = 2;
  for (unsigned i = 0; i < 2; ++i) {
    page[64 + 32 * i] = static_cast<std::uint8_t>(i);
    page[65 + 32 * i] = 1;
    put(page, 72 + 32 * i, 1'000 * i, 8);
    put(page, 80 + 32 * i, 1'000, 8);
  }
  const auto fields = decode_log(0x47, 0, page.data(), page.size());
  EXPECT_EQ(value_of(fields, "number of ranges"), "2");
  EXPECT_EQ(value_of(fields, "range 1"), "LBA 1000 to 1999, 1000 logical sectors, 1 storage element");
}

TEST(AtaDecode, PagesOfTheIdentifyLog) {
  Page page(512);
  put(page, 0, std::uint64_t{1} << 63 | 3u << 16 | 1u, 8);
  put(page, 8, std::uint64_t{1} << 63 | 1u << 11 | 1u << 22 | 1u << 1, 8);
  put(page, 24, std::uint64_t{1} << 63 | 7'200, 8);
  const auto fields = decode_log(0x30, 3, page.data(), page.size());
  EXPECT_EQ(value_of(fields, "supported capabilities"),
            "WRITE UNCORRECTABLE EXT, general purpose logging, FLUSH CACHE EXT");
  EXPECT_EQ(value_of(fields, "nominal media rotation rate"), "7200 rpm");
  Page settings(512);
  put(settings, 8, std::uint64_t{1} << 63 | 1u << 2 | 1u << 7 | 1u << 13 | 1u << 21, 8);
  put(settings, 16, std::uint64_t{1} << 63 | 0x80u << 8, 8);
  const auto now = decode_log(0x30, 4, settings.data(), settings.size());
  EXPECT_EQ(value_of(now, "current settings"),
            "advanced power management, read look-ahead, volatile write cache, command duration limits");
  EXPECT_EQ(value_of(now, "feature settings"), "APM level 128");
  Page serial(512);
  put(serial, 8, std::uint64_t{1} << 63 | 7u | 1u << 7 | 1u << 14 | 1u << 18 | 1u << 23, 8);
  put(serial, 16, std::uint64_t{1} << 63 | 3u | 1u << 3 | 1u << 8, 8);
  const auto link = decode_log(0x30, 8, serial.data(), serial.size());
  EXPECT_EQ(
      value_of(link, "Serial ATA capabilities"),
      "1.5 Gb/s, 3 Gb/s, 6 Gb/s, NCQ, READ LOG DMA EXT as READ LOG EXT, non-zero buffer offsets, software settings "
      "preservation");
  EXPECT_EQ(value_of(link, "Serial ATA settings"), "non-zero buffer offsets, software settings preservation");
  EXPECT_EQ(value_of(link, "negotiated speed"), "6 Gb/s");
  Page list(512);
  put(list, 8, 2, 1);
  put(list, 9, 0, 1);
  put(list, 10, 8, 1);
  EXPECT_EQ(value_of(decode_log(0x30, 0, list.data(), 512), "page 08h"), "Serial ATA");
}

TEST(AtaDecode, CommandDurationLimits) {
  Page page(512);
  put(page, 64, 0xF00, 4);
  put(page, 72, 50'000, 4);
  put(page, 288 + 32, 0x0F0, 4);
  put(page, 288 + 36, 20'000, 4);
  const auto fields = decode_log(0x18, 0, page.data(), page.size());
  EXPECT_EQ(value_of(fields, "read limit 1"), "inactive 50000 us, abort; active 0 us, go on; guideline 0 us, go on");
  EXPECT_EQ(value_of(fields, "write limit 2"), "inactive 0 us, go on; active 20000 us, abort; guideline 0 us, go on");
}

TEST(AtaDecode, SmartData) {
  Page page(512);
  put(page, 0, 0x10, 2);
  page[2] = 5;
  put(page, 3, 0x33, 2);
  page[5] = 100;
  page[6] = 99;
  put(page, 7, 12'345, 6);
  page[363] = 0x79;
  seal(page);
  const auto fields = decode_smart_data(page.data());
  EXPECT_EQ(value_of(fields, "attribute 5, reallocated sectors"), "value 100 worst 99 raw 12345 flags 0033h");
  EXPECT_EQ(value_of(fields, "self-test status"), "failed: read, 90 % left");
  EXPECT_EQ(value_of(fields, "checksum"), "right");
}

TEST(AtaDecode, ALogWithoutALayoutHasNoFields) {
  const Page page(512);
  EXPECT_THAT(decode_log(0x12, 0, page.data(), page.size()), IsEmpty());
  EXPECT_THAT(decode_log(0x10, 0, page.data(), 0), IsEmpty());
}

TEST(AtaCommands, NamesAreThoseOfTheStandardInAnySpelling) {
  for (const char* name : {"READ LOG EXT", "read log ext", "Read-Log_Ext", " read  log ext "}) {
    const CommandInfo* const info = find_command(name);
    ASSERT_NE(info, nullptr) << name;
    EXPECT_EQ(info->code, 0x2F);
  }
  EXPECT_EQ(find_command("identify")->code, 0xEC);
  EXPECT_EQ(find_command("read sector(s) ext")->code, 0x24);
  EXPECT_EQ(find_command("smart execute off-line immediate")->features, 0xD4);
  EXPECT_EQ(find_command("identfy device"), nullptr);
  EXPECT_EQ(near_command("identfy device"), "identify device");
}

TEST(AtaCommands, SubcommandsAreFoundByTheirRegisters) {
  EXPECT_EQ(command_of(0xB0, 0xDA, 0xC24F00)->name, "smart return status");
  EXPECT_EQ(command_of(0xB0, 0xD5, 0xC24F06)->name, "smart read log");
  EXPECT_EQ(command_of(0xB0, 0xD5, 0)->name, "smart") << "without the key in the LBA it is no subcommand";
  EXPECT_EQ(command_of(0xE1, 0x44, 0x554E4C)->name, "idle immediate unload");
  EXPECT_EQ(command_of(0xFE, 0, 0), nullptr);
  EXPECT_EQ(title_of(0x8E, 0, 0), "command 8Eh");
}

TEST(AtaCommands, EachNameIsFound) {
  for (const CommandInfo& info : all_commands()) {
    const CommandInfo* const found = find_command(info.name);
    ASSERT_NE(found, nullptr) << info.name;
    EXPECT_EQ(found->code, info.code) << info.name;
    EXPECT_EQ(found->features, info.features) << info.name;
  }
}

// The codes that the model's own host uses have the same names here.
TEST(AtaCommands, CodesOfTheModelsHostHaveTheirNames) {
  for (unsigned code = 0; code < 256; ++code) {
    const std::string_view name = name_of(static_cast<Command>(code));
    if (name.empty()) continue;
    EXPECT_EQ(title_of(static_cast<std::uint8_t>(code), 0, 0).substr(0, name.size()), name);
  }
}

}  // namespace
}  // namespace armature::sata
