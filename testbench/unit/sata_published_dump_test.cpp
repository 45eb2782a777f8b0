// A whole dump of a real drive beside what the decoder makes of the same numbers. `smartctl -x` of a Hitachi
// HTS723232A7A364 with worn-out media, 7 March 2018, is in the public article "Gentoo Linux, repair a broken disk,
// OpenPGP, LUKS and LVM" (user taglio). The numbers that it prints are put where ACS-3 has them; the decoder's fields
// are the rows of sata_published_dump.txt. A test that fails prints them anew.
#include "armature/sata/ata_decode.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace armature::sata::sata_published_dump_test {
namespace {

using Page = std::vector<std::uint8_t>;

void put(Page& page, std::size_t byte, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) page[byte + i] = static_cast<std::uint8_t>(value >> 8 * i);
}

void seal(Page& page) {
  unsigned sum = 0;
  for (std::size_t i = 0; i < 511; ++i) sum += page[i];
  page[511] = static_cast<std::uint8_t>(0u - sum);
}

std::string text_at(const std::vector<PageField>& fields, const std::string& name) {
  for (const PageField& field : fields)
    if (field.name.rfind(name, 0) == 0) return field.value.empty() ? field.raw : field.value;
  return "no field " + name;
}

std::string text_of(const std::vector<PageField>& fields, const std::string& name) {
  for (const PageField& field : fields)
    if (field.name == name) return field.value;
  return "no field " + name;
}

std::string row(const std::string& what, const std::string& smartctl, const std::string& ours) {
  return "| " + what + " | " + smartctl + " | " + ours + " |\n";
}

struct Attribute {
  unsigned id;
  const char* flags;  ///< of smartctl's letters
  unsigned value, worst, threshold;
  std::uint64_t raw;
};

// 5 is printed "2307 (0 2079)": raw16(raw16), the low word and the two above.
constexpr Attribute kAttributes[] = {
    {1, "POSR-K", 87, 25, 62, 3'342'383},
    {2, "P-S--K", 100, 100, 40, 0},
    {3, "PO---K", 243, 100, 33, 1},
    {4, "-O--CK", 96, 96, 0, 6'522},
    {5, "PO--CK", 1, 1, 5, (std::uint64_t{2'079} << 16) | 2'307},
    {7, "POSR-K", 100, 99, 67, 0},
    {8, "P-S--K", 100, 100, 40, 0},
    {9, "-O--CK", 69, 69, 0, 13'986},
    {10, "PO--CK", 100, 100, 60, 0},
    {12, "-O--CK", 97, 97, 0, 5'749},
    {183, "-O--CK", 100, 100, 0, 0},
    {184, "PO--CK", 100, 100, 97, 0},
    {187, "-O--CK", 100, 6, 0, 251'268'471'652'846},
    {188, "-O--CK", 100, 1, 0, 3'633'959'802'393},
    {190, "-O---K", 73, 49, 45, 27},
    {191, "-O--CK", 1, 1, 0, 65'755},
    {192, "-O--CK", 100, 100, 0, 10'158'235},
    {193, "-O--CK", 49, 49, 0, 513'620},
    {196, "-O--CK", 9, 9, 0, 2'262},
    {197, "-O--CK", 91, 57, 0, 444},
    {198, "----CK", 100, 100, 0, 0},
    {199, "-OS-CK", 100, 100, 0, 1},
    {223, "-O-R-K", 100, 100, 0, 0},
};

std::string attributes() {
  Page data(512), thresholds(512);
  put(data, 0, 16, 2);
  std::size_t at = 2;
  for (const Attribute& one : kAttributes) {
    unsigned flags = 0;
    for (unsigned bit = 0; bit < 6; ++bit) flags |= (one.flags[bit] != '-' ? 1u : 0u) << bit;
    data[at] = thresholds[at] = static_cast<std::uint8_t>(one.id);
    put(data, at + 1, flags, 2);
    data[at + 3] = static_cast<std::uint8_t>(one.value);
    data[at + 4] = static_cast<std::uint8_t>(one.worst);
    put(data, at + 5, one.raw, 6);
    thresholds[at + 1] = static_cast<std::uint8_t>(one.threshold);
    at += 12;
  }
  data[363] = 73;  // smartctl prints these in decimal or in hexadecimal
  put(data, 364, 45, 2);
  data[367] = 0x51;
  put(data, 368, 3, 2);
  data[370] = 1;
  data[372] = 2;
  data[373] = 78;
  seal(data);
  const std::vector<PageField> fields = decode_smart_data(data.data());
  const std::vector<PageField> limits = decode_smart_thresholds(thresholds.data());
  std::string rows;
  for (const Attribute& one : kAttributes) {
    const std::string name = fmt::format("attribute {}", one.id);
    const auto mine = std::find_if(fields.begin(), fields.end(), [&](const PageField& field) {
      return field.name == name || field.name.rfind(name + ",", 0) == 0;
    });
    rows += row(mine == fields.end() ? name : mine->name,
                fmt::format("{} {:03} {:03} {:03} {}", one.flags, one.value, one.worst, one.threshold, one.raw),
                (mine == fields.end() ? "none" : mine->value) + ", " + text_at(limits, name));
  }
  rows += row("off-line status", "0x00: was never started", text_at(fields, "off-line collection status"));
  rows += row("self-test status", "73: a test element that failed is not known", text_at(fields, "self-test status"));
  rows += row("off-line collection", "45 seconds", text_at(fields, "time of off-line collection"));
  rows += row("off-line capabilities", "0x51: immediate, suspended by a command, self-test, selective",
              text_at(fields, "off-line capabilities"));
  rows += row("SMART capabilities", "0x0003", text_at(fields, "SMART capabilities"));
  rows += row("error logging", "0x01: supported", text_at(fields, "error logging"));
  rows += row("short, extended self-test", "2, 78 minutes",
              text_at(fields, "recommended time of a short self-test") + ", " +
                  text_at(fields, "recommended time of an extended self-test"));
  return rows;
}

/// CR FEATR COUNT LBA_48 LH LM LL DV DC as smartctl prints them, to a command of log 03h.
void put_command(Page& page, std::size_t at, const std::string& registers, std::uint64_t ms) {
  std::istringstream in(registers);
  std::vector<std::uint8_t> r;
  for (std::string word; in >> word;) r.push_back(static_cast<std::uint8_t>(std::stoul(word, nullptr, 16)));
  const std::vector<std::uint8_t> bytes = {r[12], r[2], r[1], r[4], r[3],  r[10], r[7],
                                           r[9],  r[6], r[8], r[5], r[11], r[0]};
  std::copy(bytes.begin(), bytes.end(), page.begin() + static_cast<std::ptrdiff_t>(at));
  put(page, at + 14, ms, 4);
}

struct Error {
  unsigned entry;         ///< "[0]"
  unsigned number;        ///< "Error 31665"
  const char* registers;  ///< ER -- ST COUNT LBA_48 LH LM LL DV DC
  unsigned hours;
  const char* commands[5];  ///< the newest first
  std::uint64_t ms[5];
};

constexpr Error kErrors[] = {
    {0,
     31'665,
     "40 -- 51 00 01 00 00 00 03 2b 97 00 00",
     13'986,
     {"60 00 08 00 b0 00 00 00 03 2b 90 40 00", "60 00 08 00 a8 00 00 00 03 2b 88 40 00",
      "60 00 08 00 a0 00 00 00 03 2b 80 40 00", "60 00 08 00 98 00 00 00 03 2b 78 40 00",
      "60 00 08 00 90 00 00 00 03 2b 70 40 00"},
     {2'164'809, 2'163'852, 2'163'852, 2'163'851, 2'163'851}},
    {3,
     31'664,
     "40 -- 51 00 4a 00 00 00 03 2b b6 00 00",
     13'986,
     {"60 01 00 00 88 00 00 00 03 2b 00 40 00", "60 01 00 00 80 00 00 00 03 2a 00 40 00",
      "60 00 f0 00 78 00 00 00 03 29 10 40 00", "60 00 90 00 70 00 00 00 03 28 80 40 00",
      "60 00 38 00 68 00 00 00 03 28 40 40 00"},
     {2'161'150, 2'161'043, 2'161'042, 2'161'041, 2'161'041}},
    {2,
     31'663,
     "40 -- 51 00 1c 00 00 00 03 2b e4 00 00",
     13'986,
     {"60 01 00 00 48 00 00 00 03 2b 00 40 00", "60 01 00 00 40 00 00 00 03 2a 00 40 00",
      "60 00 f0 00 38 00 00 00 03 29 10 40 00", "60 00 90 00 30 00 00 00 03 28 80 40 00",
      "60 00 38 00 28 00 00 00 03 28 40 40 00"},
     {2'131'764, 2'131'738, 2'131'731, 2'131'730, 2'131'730}},
    {1,
     31'662,
     "40 -- 51 00 08 00 00 00 03 2b d0 00 00",
     13'985,
     {"60 00 08 00 d0 00 00 00 03 2b d0 40 00", "b0 00 d5 00 01 00 00 00 c2 4f 01 00 00",
      "60 00 08 00 b0 00 00 00 03 2b c8 40 00", "b0 00 d5 00 01 00 00 00 c2 4f 06 00 00",
      "60 00 08 00 90 00 00 00 03 2b c0 40 00"},
     {108'238, 107'992, 107'905, 107'659, 107'406}},
};

std::string errors() {
  Page page(512);
  page[0] = 1;
  put(page, 2, 1, 2);  // the newest is entry 0
  for (const Error& one : kErrors) {
    const std::size_t at = 4 + 124 * one.entry;
    for (unsigned i = 0; i < 5; ++i) put_command(page, at + 18 * (4 - i), one.commands[i], one.ms[i]);
    std::istringstream in(one.registers);
    std::vector<std::uint8_t> r;
    for (std::string word; in >> word;)
      r.push_back(word == "--" ? std::uint8_t{0} : static_cast<std::uint8_t>(std::stoul(word, nullptr, 16)));
    const std::size_t error = at + 90;
    page[error + 1] = r[0];
    put(page, error + 2, r[3] << 8 | r[4], 2);
    const std::uint8_t lba[] = {r[10], r[7], r[9], r[6], r[8], r[5]};
    std::copy(std::begin(lba), std::end(lba), page.begin() + static_cast<std::ptrdiff_t>(error + 4));
    page[error + 10] = r[11];
    page[error + 11] = r[2];
    page[error + 31] = 3;
    put(page, error + 32, one.hours, 2);
  }
  put(page, 500, 31'665, 2);
  seal(page);
  const std::vector<PageField> fields = decode_log(0x03, 0, page.data(), page.size());
  std::string rows = row("device error count", "31665", text_at(fields, "device error count"));
  for (const Error& one : kErrors) {
    rows += row(fmt::format("error {} [{}]", one.number, one.entry),
                fmt::format("`{}`, active or idle, {} hours", one.registers, one.hours),
                text_of(fields, fmt::format("error {}", one.entry + 1)));
    for (unsigned i = 0; i < 5; ++i)
      rows += row(fmt::format("its command {}", 5 - i),
                  fmt::format("`{}` {}.{:03} s", one.commands[i], one.ms[i] / 1'000, one.ms[i] % 1'000),
                  text_at(fields, fmt::format("error {}, command {}", one.entry + 1, 5 - i)));
  }
  return rows;
}

struct Statistic {
  unsigned page, byte;
  std::uint64_t value;
  const char* name;
};

constexpr Statistic kStatistics[] = {
    {1, 0x08, 5'749, "Lifetime Power-On Resets"},
    {1, 0x10, 13'986, "Power-on Hours"},
    {1, 0x18, 23'880'099'276, "Logical Sectors Written"},
    {1, 0x20, 525'642'514, "Number of Write Commands"},
    {1, 0x28, 44'822'287'873, "Logical Sectors Read"},
    {1, 0x30, 954'672'703, "Number of Read Commands"},
    {3, 0x08, 13'288, "Spindle Motor Power-on Hours"},
    {3, 0x10, 13'250, "Head Flying Hours"},
    {3, 0x18, 513'621, "Head Load Events"},
    {3, 0x20, 2'079, "Number of Reallocated Logical Sectors"},
    {3, 0x28, 1'381'497, "Read Recovery Attempts"},
    {3, 0x30, 2, "Number of Mechanical Start Failures"},
    {4, 0x08, 494, "Number of Reported Uncorrectable Errors"},
    {4, 0x10, 5'657, "Resets Between Cmd Acceptance and Completion"},
    {5, 0x08, 27, "Current Temperature"},
    {5, 0x10, 26, "Average Short Term Temperature"},
    {5, 0x18, 33, "Average Long Term Temperature"},
    {5, 0x20, 51, "Highest Temperature"},
    {5, 0x28, 3, "Lowest Temperature"},
    {5, 0x30, 41, "Highest Average Short Term Temperature"},
    {5, 0x38, 24, "Lowest Average Short Term Temperature"},
    {5, 0x40, 38, "Highest Average Long Term Temperature"},
    {5, 0x48, 25, "Lowest Average Long Term Temperature"},
    {5, 0x50, 0, "Time in Over-Temperature"},
    {5, 0x58, 60, "Specified Maximum Operating Temperature"},
    {5, 0x60, 0, "Time in Under-Temperature"},
    {5, 0x68, 0, "Specified Minimum Operating Temperature"},
    {6, 0x08, 13'637, "Number of Hardware Resets"},
    {6, 0x10, 2'565, "Number of ASR Events"},
    {6, 0x18, 1, "Number of Interface CRC Errors"},
};

std::string statistics() {
  std::string rows;
  for (const Statistic& one : kStatistics) {
    Page page(512);
    put(page, 0, std::uint64_t{one.page} << 16 | 1u, 8);
    put(page, one.byte, std::uint64_t{0xC0} << 56 | one.value, 8);
    const std::vector<PageField> fields = decode_log(0x04, one.page, page.data(), page.size());
    const bool there = fields.size() == 2;
    rows += row(fmt::format("page {} byte {}", one.page, one.byte), fmt::format("{} {}", one.value, one.name),
                there ? fields[1].name + ": " + fields[1].value : "none");
  }
  return rows;
}

struct Test {
  unsigned kind, status, hours;
  std::uint64_t lba;
  const char* text;
};

constexpr std::uint64_t kNoLba = 0xFFFFFFFFFFFF;
constexpr Test kTests[] = {
    {1, 0x49, 13'985, 0, "Short, unknown failure, 90%, 13985, 0"},
    {1, 0x79, 10'168, 28'292'250, "Short, read failure, 90%, 10168, 28292250"},
    {1, 0x79, 10'168, 28'292'250, "Short, read failure, 90%, 10168, 28292250"},
    {2, 0x79, 10'165, 353'774, "Extended, read failure, 90%, 10165, 353774"},
    {1, 0x79, 10'165, 353'774, "Short, read failure, 90%, 10165, 353774"},
    {2, 0x00, 9'306, kNoLba, "Extended, without error, 00%, 9306, -"},
    {1, 0x00, 9'304, kNoLba, "Short, without error, 00%, 9304, -"},
    {2, 0x00, 9'304, kNoLba, "Extended, without error, 00%, 9304, -"},
    {1, 0x00, 9'303, kNoLba, "Short, without error, 00%, 9303, -"},
    {1, 0x00, 9'275, kNoLba, "Short, without error, 00%, 9275, -"},
    {1, 0x00, 9'213, kNoLba, "Short, without error, 00%, 9213, -"},
    {1, 0x00, 9'110, kNoLba, "Short, without error, 00%, 9110, -"},
    {1, 0x00, 9'095, kNoLba, "Short, without error, 00%, 9095, -"},
    {1, 0x00, 9'072, kNoLba, "Short, without error, 00%, 9072, -"},
    {1, 0x00, 9'008, kNoLba, "Short, without error, 00%, 9008, -"},
    {1, 0x00, 8'959, kNoLba, "Short, without error, 00%, 8959, -"},
    {1, 0x18, 6'559, kNoLba, "Short, aborted by host, 80%, 6559, -"},
    {1, 0x00, 4, kNoLba, "Short, without error, 00%, 4, -"},
};

std::string self_tests() {
  constexpr std::size_t kCount = std::size(kTests);
  Page page(512);
  put(page, 2, kCount, 2);
  for (std::size_t i = 0; i < kCount; ++i) {  // the newest comes last in the log
    const std::size_t at = 4 + 26 * (kCount - 1 - i);
    page[at] = static_cast<std::uint8_t>(kTests[i].kind);
    page[at + 1] = static_cast<std::uint8_t>(kTests[i].status);
    put(page, at + 2, kTests[i].hours, 2);
    put(page, at + 5, kTests[i].lba, 6);
  }
  const std::vector<PageField> fields = decode_log(0x07, 0, page.data(), page.size());
  std::string rows;
  for (std::size_t i = 0; i < kCount; ++i)
    rows += row(fmt::format("self-test # {}", i + 1), kTests[i].text,
                text_of(fields, fmt::format("descriptor {}", kCount - i)));
  return rows;
}

std::string others() {
  std::string rows;
  const std::vector<std::pair<unsigned, unsigned>> directory = {{0x01, 1}, {0x02, 1}, {0x03, 1}, {0x04, 7},
                                                                {0x06, 1}, {0x07, 1}, {0x09, 1}, {0x10, 1},
                                                                {0x11, 1}, {0xE0, 1}, {0xE1, 1}};
  Page page(512);
  put(page, 0, 1, 2);
  for (const auto& [log, pages] : directory) put(page, 2 * log, pages, 2);
  const std::vector<PageField> logs = decode_log(0x00, 0, page.data(), page.size());
  for (const auto& [log, pages] : directory) {
    const std::string name = fmt::format("log {:02X}h", log);
    const auto mine =
        std::find_if(logs.begin(), logs.end(), [&](const PageField& f) { return f.name.rfind(name, 0) == 0; });
    rows += row(mine == logs.end() ? name : mine->name, fmt::format("{}", pages),
                mine == logs.end() ? "none" : mine->value);
  }
  Page status(512);
  put(status, 0, 3, 2);
  put(status, 2, 256, 2);
  put(status, 6, 1, 4);
  status[200] = 27;
  status[201] = 26;
  status[202] = 27;
  status[203] = 3;
  status[204] = 51;
  const std::vector<PageField> sct = decode_log(0xE0, 0, status.data(), status.size());
  rows += row("SCT device state", "Active (0)", text_at(sct, "device state"));
  rows += row("SCT temperature", "27 Celsius", text_at(sct, "temperature"));
  rows += row("least, most since power-on", "26/27 Celsius",
              text_at(sct, "least since power-on") + ", " + text_at(sct, "most since power-on"));
  const std::pair<unsigned, unsigned> counters[] = {{0x01, 0}, {0x02, 0}, {0x03, 0}, {0x04, 0}, {0x05, 0}, {0x06, 0},
                                                    {0x07, 0}, {0x09, 2}, {0x0A, 2}, {0x0B, 0}, {0x0D, 0}};
  Page phy(512);
  std::size_t at = 4;
  for (const auto& [id, value] : counters) {
    put(phy, at, 0x1000u | id, 2);
    put(phy, at + 2, value, 2);
    at += 4;
  }
  seal(phy);
  const std::vector<PageField> events = decode_log(0x11, 0, phy.data(), phy.size());
  for (const auto& [id, value] : counters) {
    const std::string name = fmt::format("{:03X}h", id);
    const auto mine =
        std::find_if(events.begin(), events.end(), [&](const PageField& f) { return f.name.rfind(name, 0) == 0; });
    rows += row("Phy event " + (mine == events.end() ? name : mine->name), fmt::format("0x{:04x} {}", id, value),
                mine == events.end() ? "none" : mine->value);
  }
  return rows;
}

TEST(PublishedDump, EveryFieldIsInTheDocumentsAsTheDecoderHasIt) {
  std::ifstream file(ARMATURE_SOURCE_DIR "/testbench/unit/sata_published_dump.txt");
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  const std::string rows = attributes() + errors() + self_tests() + statistics() + others();
  EXPECT_THAT(rows, ::testing::Not(::testing::HasSubstr("no field")));
  EXPECT_THAT(rows, ::testing::Not(::testing::HasSubstr("| none")));
  EXPECT_TRUE(page.find(rows) != std::string::npos) << "testbench/unit/sata_published_dump.txt needs these rows:\n"
                                                    << rows;
}

}  // namespace
}  // namespace armature::sata::sata_published_dump_test
