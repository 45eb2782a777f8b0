// Logs and SMART pages: ACS-3 (T13/2161-D) annex A and 7.48; log 30h: ACS-4 9.11; log 11h: Serial ATA 3.0, 13.9; log
// 47h: ACS-5 9.xx as Linux' ata_dev_config_cpr reads it; log E0h: ACS-3 8.2; SMART attributes: SFF-8035i.
#include "page_fields.h"

#include "armature/sata/ata.h"
#include "armature/sata/ata_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace armature::sata {
namespace {

std::string bytes_place(unsigned byte, unsigned count) {
  return count == 1 ? fmt::format("byte {}", byte) : fmt::format("bytes {}-{}", byte, byte + count - 1);
}

}  // namespace

std::uint64_t FieldList::number(unsigned byte, unsigned count, const std::string& name, const std::string& unit) {
  const std::uint64_t value = at(byte, count);
  fields_.push_back({bytes_place(byte, count), fmt::format("{:0{}X}", value, 2 * count), name,
                     fmt::format("{}{}{}", value, unit.empty() ? "" : " ", unit)});
  return value;
}

void FieldList::text(unsigned byte, unsigned count, const std::string& name, const std::string& value) {
  fields_.push_back(
      {bytes_place(byte, count), count <= 8 ? fmt::format("{:0{}X}", at(byte, count), 2 * count) : "", name, value});
}

void FieldList::checksum() {
  text(511, 1, "checksum", adds_up(page_, kPageBytes) ? "right" : "WRONG");
}

void page_list(FieldList& fields, const char* (*name)(unsigned)) {
  const auto entries = static_cast<unsigned>(fields.number(8, 1, "number of entries"));
  for (unsigned i = 0; i < std::min(entries, kPageBytes - 9); ++i) {
    const auto page = static_cast<unsigned>(fields.at(9 + i, 1));
    fields.text(9 + i, 1, fmt::format("page {:02X}h", page), name(page));
  }
}

void page_header(FieldList& fields, unsigned page, const char* name) {
  const std::uint64_t header = fields.at(0, 8);
  fields.text(0, 8, "header",
              fmt::format("page {:02X}h, {}, revision {}{}", header >> 16 & 0xFFu, name, header & 0xFFFFu,
                          (header >> 16 & 0xFFu) == page ? "" : " (another page was asked for)"));
}

namespace {

// clang-format off
constexpr std::array<Named, 24> kLogs = {{
    {0x00, "log directory"}, {0x01, "summary SMART error log"}, {0x02, "comprehensive SMART error log"},
    {0x03, "extended comprehensive SMART error log"}, {0x04, "device statistics"}, {0x06, "SMART self-test log"},
    {0x07, "extended SMART self-test log"}, {0x08, "power conditions"}, {0x09, "selective self-test log"},
    {0x0A, "device statistics notification"}, {0x0C, "pending defects log"}, {0x0D, "LPS mis-alignment log"},
    {0x0F, "sense data for successful NCQ commands"}, {0x10, "NCQ command error log"},
    {0x11, "SATA Phy event counters"}, {0x12, "NCQ queue management log"}, {0x13, "NCQ send and receive log"},
    {0x18, "command duration limits"}, {0x19, "LBA status"}, {0x21, "write stream error log"},
    {0x22, "read stream error log"}, {0x30, "IDENTIFY DEVICE data log"}, {0x47, "concurrent positioning ranges"},
    {0xE0, "SCT command and status"},
}};
// clang-format on

void directory(FieldList& fields, unsigned /*page*/) {
  fields.text(0, 2, "general purpose logging version", fmt::format("{}", fields.at(0, 2)));
  for (unsigned log = 1; log < 256; ++log) {
    const std::uint64_t pages = fields.at(2 * log, 2);
    if (pages == 0) continue;
    const std::string name = log_name(log);
    fields.text(2 * log, 2, fmt::format("log {:02X}h{}{}", log, name.empty() ? "" : ", ", name),
                fmt::format("{} page{}", pages, pages == 1 ? "" : "s"));
  }
}

/// What the drive did when the command failed (ACS-3, table of state values).
std::string error_state(std::uint64_t state) {
  static constexpr std::array<const char*, 5> kStates = {"unknown", "sleep", "standby", "active or idle",
                                                         "self-test or off-line reads"};
  return (state & 0xFu) < kStates.size() ? kStates.at(state & 0xFu) : "reserved";
}

/// Where things stand in the error logs, by byte: in a command's structure, in the error's behind five of these, and in
/// the page. The extended comprehensive log (ACS-3 A.7) has the registers of 48-bit commands, the summary and the
/// comprehensive one (A.4, A.22) those of 28-bit ones.
struct ErrorLog {
  unsigned errors, index_at, begin, command_bytes, error_bytes;
  unsigned width;  ///< of features and count, in bytes
  unsigned lba_digits;
  unsigned command_lba, code, time;         // of a command
  unsigned error_lba, status, state, hour;  // of an error
};
constexpr ErrorLog kErrors28 = {5, 1, 2, 12, 30, 1, 7, 3, 7, 8, 3, 7, 27, 28};
constexpr ErrorLog kErrors48 = {4, 2, 4, 18, 34, 2, 12, 5, 12, 14, 4, 11, 31, 32};

/// Bytes of an address as the registers have them: of 48 bits, the ones that were written first follow the last ones.
std::uint64_t lba_at(const FieldList& fields, const ErrorLog& log, unsigned at) {
  if (log.width == 1) return fields.at(at, 3) | (fields.at(at + 3, 1) & 0xFu) << 24;
  std::uint64_t lba = 0;
  for (unsigned i = 0; i < 3; ++i)
    lba |= fields.at(at + 2 * i, 1) << 8 * i | fields.at(at + 2 * i + 1, 1) << (24 + 8 * i);
  return lba;
}

void error_of(FieldList& fields, const ErrorLog& log, unsigned base, unsigned number) {
  const unsigned error = base + 5 * log.command_bytes;
  const unsigned digits = 2 * log.width;
  if (fields.at(error, 8) == 0 && fields.at(base, 8) == 0) return;
  for (unsigned i = 0; i < 5; ++i) {
    const unsigned at = base + log.command_bytes * i;
    if (fields.at(at, 8) == 0 && fields.at(at + 8, log.width == 1 ? 4 : 8) == 0) continue;
    const auto code = static_cast<std::uint8_t>(fields.at(at + log.code, 1));
    const std::uint64_t features = fields.at(at + 1, log.width), lba = lba_at(fields, log, at + log.command_lba);
    fields.text(at, log.command_bytes, fmt::format("error {}, command {}", number, i + 1),
                fmt::format("{} features {:0{}X}h count {:0{}X}h lba {:0{}X}h, at {} ms",
                            title_of(code, static_cast<std::uint16_t>(features), lba), features, digits,
                            fields.at(at + 1 + log.width, log.width), digits, lba, log.lba_digits,
                            fields.at(at + log.time, 4)));
  }
  const std::uint64_t status = fields.at(error + log.status, 1), bits = fields.at(error + 1, 1);
  fields.text(
      error, log.error_bytes, fmt::format("error {}", number),
      fmt::format("status {:02X}h {}, error {:02X}h {}, count {}, lba {:0{}X}h, {}, at {} h", status,
                  status_text(static_cast<std::uint8_t>(status)), bits, error_text(static_cast<std::uint8_t>(bits)),
                  fields.at(error + 2, log.width), lba_at(fields, log, error + log.error_lba), log.lba_digits,
                  error_state(fields.at(error + log.state, 1)), fields.at(error + log.hour, 2)));
}

template <const ErrorLog& Log>
void errors(FieldList& fields, unsigned /*page*/) {
  constexpr unsigned kStride = 5 * Log.command_bytes + Log.error_bytes;
  fields.number(0, 1, "version");
  fields.number(Log.index_at, Log.width, "error log index");
  for (unsigned i = 0; i < Log.errors; ++i) error_of(fields, Log, Log.begin + kStride * i, i + 1);
  fields.number(Log.begin + kStride * Log.errors, 2, "device error count", "errors");
  fields.checksum();
}

struct Statistic {
  unsigned page, byte;
  const char* name;
  const char* unit;
};
constexpr std::array<Statistic, 47> kStatistics = {{
    {1, 8, "lifetime power-on resets", "resets"},
    {1, 16, "power-on hours", "h"},
    {1, 24, "logical sectors written", "logical sectors"},
    {1, 32, "number of write commands", "commands"},
    {1, 40, "logical sectors read", "logical sectors"},
    {1, 48, "number of read commands", "commands"},
    {1, 56, "date and time time stamp", "ms"},
    {1, 64, "pending error count", "logical sectors"},
    {1, 72, "workload utilization", "%"},
    {1, 80, "utilization usage rate", ""},
    {2, 8, "free-fall events detected", "events"},
    {2, 16, "overlimit shock events", "events"},
    {3, 8, "spindle motor power-on hours", "h"},
    {3, 16, "head flying hours", "h"},
    {3, 24, "head load events", "events"},
    {3, 32, "reallocated logical sectors", "logical sectors"},
    {3, 40, "read recovery attempts", "attempts"},
    {3, 48, "mechanical start failures", "failures"},
    {3, 56, "reallocation candidates", "logical sectors"},
    {3, 64, "high priority unload events", "events"},
    {4, 8, "reported uncorrectable errors", "errors"},
    {4, 16, "resets between command acceptance and completion", "resets"},
    {4, 24, "physical element status changed", "changes"},
    {5, 8, "current temperature", "C"},
    {5, 16, "average short term temperature", "C"},
    {5, 24, "average long term temperature", "C"},
    {5, 32, "highest temperature", "C"},
    {5, 40, "lowest temperature", "C"},
    {5, 48, "highest average short term temperature", "C"},
    {5, 56, "lowest average short term temperature", "C"},
    {5, 64, "highest average long term temperature", "C"},
    {5, 72, "lowest average long term temperature", "C"},
    {5, 80, "time in over-temperature", "min"},
    {5, 88, "specified maximum operating temperature", "C"},
    {5, 96, "time in under-temperature", "min"},
    {5, 104, "specified minimum operating temperature", "C"},
    {6, 8, "hardware resets", "resets"},
    {6, 16, "ASR events", "events"},
    {6, 24, "interface CRC errors", "errors"},
    {7, 8, "percentage used endurance indicator", "%"},
    {255, 8, "vendor specific", ""},
    {255, 16, "vendor specific", ""},
    {255, 24, "vendor specific", ""},
    {255, 32, "vendor specific", ""},
    {255, 40, "vendor specific", ""},
    {255, 48, "vendor specific", ""},
    {255, 56, "vendor specific", ""},
}};

const char* statistics_page(unsigned page) {
  static constexpr std::array<const char*, 8> kNames = {
      "list of supported pages",   "general statistics",     "free-fall statistics", "rotating media statistics",
      "general errors statistics", "temperature statistics", "transport statistics", "solid state device statistics"};
  return page < kNames.size() ? kNames.at(page) : page == 255 ? "vendor specific" : "reserved";
}

void statistics(FieldList& fields, unsigned page) {
  page_header(fields, page, statistics_page(page));
  if (page == 0) {
    page_list(fields, statistics_page);
    return;
  }
  for (const Statistic& one : kStatistics) {
    if (one.page != page) continue;
    const std::uint64_t word = fields.at(one.byte, 8);
    if ((word >> 63) == 0) continue;
    const bool valid = (word >> 62 & 1u) != 0;
    const std::uint64_t value = word & 0x00FF'FFFF'FFFF'FFFFu;
    const std::string text = page == 5 && one.unit[0] == 'C'
                                 ? fmt::format("{} C", static_cast<int>(static_cast<std::int8_t>(value & 0xFFu)))
                                 : fmt::format("{}{}{}", value, *one.unit ? " " : "", one.unit);
    fields.text(one.byte, 8, one.name,
                (valid ? text : std::string("not valid")) + ((word >> 61 & 1u) != 0 ? " (normalized)" : ""));
  }
}

std::string self_test_status(unsigned byte) {
  static constexpr std::array<const char*, 16> kStatus = {"completed without error",
                                                          "aborted by the host",
                                                          "interrupted by a reset",
                                                          "fatal error",
                                                          "failed, element unknown",
                                                          "failed: electrical",
                                                          "failed: servo",
                                                          "failed: read",
                                                          "failed: handling damage",
                                                          "reserved",
                                                          "reserved",
                                                          "reserved",
                                                          "reserved",
                                                          "reserved",
                                                          "reserved",
                                                          "in progress"};
  return fmt::format("{}, {} % left", kStatus.at(byte >> 4), (byte & 0xFu) * 10);
}

// clang-format off
constexpr std::array<Named, 6> kSelfTests = {{
    {0, "off-line collection"}, {1, "short"}, {2, "extended"}, {3, "conveyance"}, {4, "selective"}, {0x7F, "abort"},
}};
// clang-format on

std::string self_test_kind(unsigned kind) {
  const char* const name = name_in(kSelfTests, kind & 0x7Fu, nullptr);
  return name ? name : fmt::format("kind {:02X}h", kind);
}

template <bool Extended>
void self_tests(FieldList& fields, unsigned /*page*/) {
  const unsigned length = Extended ? 26 : 24, begin = Extended ? 4 : 2, count = Extended ? 19 : 21;
  fields.number(0, Extended ? 1 : 2, "version");
  for (unsigned i = 0; i < count; ++i) {
    const unsigned at = begin + length * i;
    if (fields.at(at, 8) == 0) continue;
    const std::uint64_t lba = fields.at(at + 5, Extended ? 6 : 4);
    const bool none = lba == (Extended ? 0xFFFF'FFFF'FFFFu : 0xFFFF'FFFFu);
    const auto status = static_cast<unsigned>(fields.at(at + 1, 1));
    const bool failed = status >> 4 >= 3 && status >> 4 <= 8;
    fields.text(at, length, fmt::format("descriptor {}", i + 1),
                fmt::format("{}{}: {}, at {} h{}", self_test_kind(static_cast<unsigned>(fields.at(at, 1))),
                            (fields.at(at, 1) & 0x80u) != 0 ? " captive" : "", self_test_status(status),
                            fields.at(at + 2, 2), none || !failed ? "" : fmt::format(", LBA {}", lba)));
  }
  fields.number(Extended ? 2 : 508, Extended ? 2 : 1, "index of the most recent");
  fields.checksum();
}

// ACS-3, A.9: descriptors of 64 bytes. Page 0 has the idle conditions, page 1 the standby ones.
void power_conditions(FieldList& fields, unsigned number) {
  struct Condition {
    unsigned page, byte;
    const char* name;
  };
  static constexpr std::array<Condition, 5> kConditions = {
      {{0, 0, "idle_a"}, {0, 64, "idle_b"}, {0, 128, "idle_c"}, {1, 384, "standby_y"}, {1, 448, "standby_z"}}};
  static constexpr std::array<Named, 7> kFlags = {{{7, "supported"},
                                                   {6, "saveable"},
                                                   {5, "changeable"},
                                                   {4, "default timer enabled"},
                                                   {3, "saved timer enabled"},
                                                   {2, "current timer enabled"},
                                                   {1, "cannot be held"}}};
  for (const Condition& condition : kConditions) {
    if (condition.page != number) continue;
    std::string text;
    for (const Named& flag : kFlags)
      if ((fields.at(condition.byte + 1, 1) >> flag.number & 1u) != 0)
        text += (text.empty() ? "" : ", ") + std::string(flag.name);
    fields.text(condition.byte + 1, 1, condition.name, text.empty() ? "not supported" : text);
    if (text.empty()) continue;
    static constexpr std::array<Named, 6> kTimes = {{{4, "default timer"},
                                                     {8, "saved timer"},
                                                     {12, "current timer"},
                                                     {16, "nominal recovery time"},
                                                     {20, "minimum timer"},
                                                     {24, "maximum timer"}}};
    for (const Named& time : kTimes)
      fields.number(condition.byte + time.number, 4, fmt::format("{}: {}", condition.name, time.name), "x 100 ms");
  }
}

void selective_test(FieldList& fields, unsigned /*page*/) {
  fields.number(0, 2, "version");
  for (unsigned i = 0; i < 5; ++i)
    fields.text(2 + 16 * i, 16, fmt::format("span {}", i + 1),
                fmt::format("LBA {} to {}", fields.at(2 + 16 * i, 8), fields.at(10 + 16 * i, 8)));
  fields.number(492, 8, "LBA under test");
  fields.number(500, 2, "span under test");
  const std::uint64_t flags = fields.at(502, 2);
  fields.text(502, 2, "flags",
              fmt::format("off-line reads after the spans {}{}{}", (flags & 0x02u) != 0 ? "wanted" : "not wanted",
                          (flags & 0x08u) != 0 ? ", pending" : "", (flags & 0x10u) != 0 ? ", under way" : ""));
  fields.number(508, 2, "pending time", "min");
  fields.checksum();
}

std::string offline_status(std::uint64_t status) {
  static constexpr std::array<const char*, 7> kStates = {
      "never started",       "reserved",           "completed", "under way", "suspended by a command",
      "aborted by the host", "aborted by an error"};
  const std::uint64_t state = status & 0x7Fu;
  return fmt::format("{}, automatic off-line reads {}", state < kStates.size() ? kStates.at(state) : "vendor specific",
                     (status & 0x80u) != 0 ? "on" : "off");
}

std::string offline_capabilities(std::uint64_t bits) {
  static constexpr std::array<const char*, 7> kNames = {"immediate",          "automatic",  "aborted by a command",
                                                        "read scan",          "self-tests", "conveyance self-test",
                                                        "selective self-test"};
  std::string text;
  for (unsigned i = 0; i < kNames.size(); ++i) {
    if (i == 2 && (bits >> i & 1u) == 0) text += fmt::format("{}suspended by a command", text.empty() ? "" : ", ");
    if ((bits >> i & 1u) != 0) text += fmt::format("{}{}", text.empty() ? "" : ", ", kNames.at(i));
  }
  return text;
}

void ncq_error(FieldList& fields, unsigned /*page*/) {
  NcqErrorPage error;
  const bool right = parse(fields.page(), error);
  fields.text(
      0, 1, "NQ and tag",
      error.not_queued ? "the failed command was not queued, or there is none" : fmt::format("tag {}", error.tag));
  fields.text(2, 1, "status", status_text(error.status));
  fields.text(3, 1, "error", error_text(error.error));
  fields.text(4, 7, "LBA", fmt::format("{} ({:012X}h)", error.lba.value(), error.lba.value()));
  fields.text(7, 1, "device", "");
  fields.number(12, 2, "count");
  if (fields.at(14, 3) != 0)
    fields.text(14, 3, "sense",
                fmt::format("key {:X}h, code {:02X}h, qualifier {:02X}h", fields.at(14, 1), fields.at(15, 1),
                            fields.at(16, 1)));
  fields.text(511, 1, "checksum", right ? "right" : "WRONG");
}

// Serial ATA 3.0, 13.9.3.
// clang-format off
constexpr std::array<Named, 16> kPhyEvents = {{
    {0x001, "commands failed with ICRC"}, {0x002, "R_ERR on data FIS"}, {0x003, "R_ERR on device-to-host data FIS"},
    {0x004, "R_ERR on host-to-device data FIS"}, {0x005, "R_ERR on non-data FIS"},
    {0x006, "R_ERR on device-to-host non-data FIS"}, {0x007, "R_ERR on host-to-device non-data FIS"},
    {0x008, "device-to-host non-data FIS retries"}, {0x009, "transitions from PhyRdy to PhyNRdy"},
    {0x00A, "signatures sent because of a COMRESET"}, {0x00B, "CRC errors in host-to-device FIS"},
    {0x00D, "non-CRC errors in host-to-device FIS"}, {0x00F, "R_ERR on host-to-device data FIS because of CRC"},
    {0x010, "R_ERR on host-to-device data FIS, not CRC"},
    {0x012, "R_ERR on host-to-device non-data FIS because of CRC"},
    {0x013, "R_ERR on host-to-device non-data FIS, not CRC"},
}};
// clang-format on

void phy_counters(FieldList& fields, unsigned /*page*/) {
  unsigned byte = 4;
  while (byte + 4 <= kPageBytes) {
    const auto identifier = static_cast<unsigned>(fields.at(byte, 2));
    const unsigned bytes = 2 * (identifier >> 12 & 7u);
    if (identifier == 0 || bytes == 0 || byte + 2 + bytes > kPageBytes) break;
    const std::uint64_t value = fields.at(byte + 2, bytes);
    const bool full = bytes < 8 ? value == (std::uint64_t{1} << 8 * bytes) - 1 : value == ~std::uint64_t{0};
    fields.text(byte + 2, bytes,
                fmt::format("{:03X}h {}", identifier & 0xFFFu,
                            name_in(kPhyEvents, identifier & 0xFFFu, "reserved or vendor specific")),
                fmt::format("{}{}", value, full ? " (at its most)" : ""));
    byte += 2 + bytes;
  }
  fields.checksum();
}

std::vector<PageField> positioning_ranges(const std::uint8_t* data, std::size_t bytes) {
  FieldList fields(data);
  const auto ranges = static_cast<unsigned>(fields.number(0, 1, "number of ranges"));
  for (unsigned i = 0; i < ranges; ++i) {
    const unsigned at = 64 + 32 * i;
    if (at + 32 > bytes) break;
    fields.text(at, 32, fmt::format("range {}", fields.at(at, 1)),
                fmt::format("LBA {} to {}, {} logical sectors, {} storage element{}", fields.at(at + 8, 8),
                            fields.at(at + 8, 8) + fields.at(at + 16, 8) - 1, fields.at(at + 16, 8),
                            fields.at(at + 1, 1), fields.at(at + 1, 1) == 1 ? "" : "s"));
  }
  return fields.take();
}

// clang-format off
constexpr std::array<Named, 6> kLimitPolicies = {{
    {0x0, "go on"}, {0x1, "go on with the next limit"}, {0x2, "go on without a limit"},
    {0xD, "complete with sense data"}, {0xE, "abort after recovery"}, {0xF, "abort"},
}};
// clang-format on

const char* limit_policy(std::uint64_t policies, unsigned shift) {
  return name_in(kLimitPolicies, static_cast<unsigned>(policies >> shift & 0xFu), "reserved");
}

/// Log 18h as cdl-tools read and write it: seven descriptors for reads from byte 64 on, seven for writes from 288 on.
void duration_limits(FieldList& fields, unsigned /*page*/) {
  fields.number(0, 1, "performance versus guidelines");
  for (unsigned i = 0; i < 14; ++i) {
    const unsigned at = 64 + 32 * i;
    const std::uint64_t policies = fields.at(at, 4);
    if (policies == 0 && fields.at(at + 4, 8) == 0 && fields.at(at + 16, 4) == 0) continue;
    fields.text(at, 32, fmt::format("{} limit {}", i < 7 ? "read" : "write", i % 7 + 1),
                fmt::format("inactive {} us, {}; active {} us, {}; guideline {} us, {}", fields.at(at + 8, 4),
                            limit_policy(policies, 8), fields.at(at + 4, 4), limit_policy(policies, 4),
                            fields.at(at + 16, 4), limit_policy(policies, 0)));
  }
}

std::string temperature(std::uint64_t byte) {
  return byte == 0x80 ? "unknown" : fmt::format("{} C", static_cast<int>(static_cast<std::int8_t>(byte)));
}

void sct_status(FieldList& fields, unsigned /*page*/) {
  fields.number(0, 2, "format version");
  fields.number(2, 2, "SCT version (maker's)");
  fields.number(4, 2, "SCT specification");
  fields.text(6, 4, "status flags", (fields.at(6, 1) & 1u) != 0 ? "segment initialized" : "");
  static constexpr std::array<const char*, 6> kStates = {"active, waiting for a command",
                                                         "standby",
                                                         "sleep",
                                                         "self-test in background",
                                                         "off-line collection in background",
                                                         "SCT command in background"};
  fields.text(10, 1, "device state", fields.at(10, 1) < kStates.size() ? kStates.at(fields.at(10, 1)) : "reserved");
  fields.text(14, 2, "extended status", fields.at(14, 2) == 0 ? "no error" : fmt::format("{}", fields.at(14, 2)));
  fields.number(16, 2, "action code");
  fields.number(18, 2, "function code");
  fields.number(40, 8, "LBA of the SCT command");
  fields.text(200, 1, "temperature", temperature(fields.at(200, 1)));
  fields.text(201, 1, "least since power-on", temperature(fields.at(201, 1)));
  fields.text(202, 1, "most since power-on", temperature(fields.at(202, 1)));
  fields.text(203, 1, "least in its life", temperature(fields.at(203, 1)));
  fields.text(204, 1, "most in its life", temperature(fields.at(204, 1)));
  fields.text(205, 1, "greatest recommended temperature", temperature(fields.at(205, 1)));
  fields.number(206, 4, "time above the recommended temperature");
  fields.number(210, 4, "time below the recommended temperature");
}

// The temperature history, the only table that SCT has (ACS-3 8.3.6).
void sct_data(FieldList& fields, unsigned /*page*/) {
  fields.number(0, 2, "format version");
  fields.number(2, 2, "sampling period", "min");
  fields.number(4, 2, "interval between two entries", "min");
  fields.text(6, 1, "greatest recommended temperature", temperature(fields.at(6, 1)));
  fields.text(7, 1, "greatest temperature", temperature(fields.at(7, 1)));
  fields.text(8, 1, "least recommended temperature", temperature(fields.at(8, 1)));
  fields.text(9, 1, "least temperature", temperature(fields.at(9, 1)));
  constexpr unsigned kFirst = 34;
  const auto entries = std::min(static_cast<unsigned>(fields.at(30, 2)), kPageBytes - kFirst);
  unsigned known = 0;
  for (unsigned i = 0; i < entries; ++i) known += fields.at(kFirst + i, 1) != 0x80 ? 1 : 0;
  fields.text(30, 2, "entries", fmt::format("{}, {} with a temperature", entries, known));
  fields.number(32, 2, "latest entry");
  for (unsigned i = 0; i < entries; ++i)
    if (fields.at(kFirst + i, 1) != 0x80)
      fields.text(kFirst + i, 1, fmt::format("entry {}", i), temperature(fields.at(kFirst + i, 1)));
}

// clang-format off
constexpr std::array<Named, 34> kAttributes = {{
    {1, "raw read error rate"}, {2, "throughput performance"}, {3, "spin-up time"}, {4, "start and stop count"},
    {5, "reallocated sectors"}, {7, "seek error rate"}, {8, "seek time performance"}, {9, "power-on hours"},
    {10, "spin retry count"}, {11, "calibration retry count"}, {12, "power cycle count"}, {183, "link downshifts"},
    {184, "end-to-end errors"}, {187, "reported uncorrectable errors"}, {188, "command timeouts"},
    {189, "high fly writes"}, {190, "airflow temperature"}, {191, "shock events"}, {192, "power-off retracts"},
    {193, "load cycle count"}, {194, "temperature"}, {195, "hardware ECC recovered"}, {196, "reallocation events"},
    {197, "pending sectors"}, {198, "uncorrectable off-line"}, {199, "interface CRC errors"},
    {200, "multi-zone error rate"}, {220, "disk shift"}, {222, "loaded hours"}, {223, "load retry count"},
    {240, "head flying hours"}, {241, "logical sectors written"}, {242, "logical sectors read"},
    {254, "free-fall events"},
}};
// clang-format on

constexpr unsigned kAttributeCount = 30;
constexpr unsigned kAttributeBytes = 12;

/// The attributes of a SMART page that are there; `text` says what stands in the one at that byte.
void smart_attributes(FieldList& fields, std::string (*text)(const FieldList&, unsigned)) {
  for (unsigned i = 0; i < kAttributeCount; ++i) {
    const unsigned at = 2 + kAttributeBytes * i;
    const auto number = static_cast<unsigned>(fields.at(at, 1));
    if (number == 0) continue;
    const std::string name = smart_attribute_name(number);
    fields.text(at, kAttributeBytes, fmt::format("attribute {}{}{}", number, name.empty() ? "" : ", ", name),
                text(fields, at));
  }
}

}  // namespace

std::string log_name(unsigned log) {
  if (log == 0xE1) return "SCT data transfer";
  if (log >= 0x80 && log <= 0x9F) return "host specific";
  if (log >= 0xA0 && log <= 0xDF) return "vendor specific";
  return name_in(kLogs, log, "");
}

std::string smart_attribute_name(unsigned number) {
  return name_in(kAttributes, number, "");
}

std::vector<PageField> decode_log(unsigned log, unsigned page, const std::uint8_t* data, std::size_t bytes) {
  static constexpr struct {
    unsigned log;
    void (*decode)(FieldList&, unsigned page);
  } kDecoders[] = {
      {0x00, directory},           {0x01, errors<kErrors28>}, {0x02, errors<kErrors28>}, {0x03, errors<kErrors48>},
      {0x04, statistics},          {0x06, self_tests<false>}, {0x07, self_tests<true>},  {0x08, power_conditions},
      {0x09, selective_test},      {0x10, ncq_error},         {0x11, phy_counters},      {0x18, duration_limits},
      {0x30, decode_identify_log}, {0xE0, sct_status},        {0xE1, sct_data},
  };
  const auto* const decoder =
      std::find_if(std::begin(kDecoders), std::end(kDecoders), [log](const auto& one) { return one.log == log; });
  const std::size_t pages = bytes / kPageBytes;
  std::vector<PageField> all;
  if (pages == 0) return all;
  if (log == 0x47 && page == 0) return positioning_ranges(data, bytes);
  if (decoder == std::end(kDecoders)) return all;
  for (std::size_t i = 0; i < pages; ++i) {
    const auto number = static_cast<unsigned>(page + i);
    FieldList list(data + i * kPageBytes);
    decoder->decode(list, number);
    for (PageField& field : list.take()) {
      if (pages > 1) field.place = fmt::format("page {} {}", number, field.place);
      all.push_back(std::move(field));
    }
  }
  return all;
}

std::vector<PageField> decode_smart_data(const std::uint8_t* page) {
  FieldList fields(page);
  fields.number(0, 2, "revision");
  smart_attributes(fields, [](const FieldList& page_fields, unsigned at) {
    return fmt::format("value {} worst {} raw {} flags {:04X}h", page_fields.at(at + 3, 1), page_fields.at(at + 4, 1),
                       page_fields.at(at + 5, 6), page_fields.at(at + 1, 2));
  });
  fields.text(362, 1, "off-line collection status", offline_status(fields.at(362, 1)));
  fields.text(363, 1, "self-test status", self_test_status(static_cast<unsigned>(fields.at(363, 1))));
  fields.number(364, 2, "time of off-line collection", "s");
  fields.text(367, 1, "off-line capabilities", offline_capabilities(fields.at(367, 1)));
  fields.text(368, 2, "SMART capabilities",
              fmt::format("{}{}", (fields.at(368, 2) & 1u) != 0 ? "saved before power modes" : "",
                          (fields.at(368, 2) & 2u) != 0 ? ", autosave" : ""));
  fields.text(370, 1, "error logging", (fields.at(370, 1) & 1u) != 0 ? "supported" : "not supported");
  fields.number(372, 1, "recommended time of a short self-test", "min");
  const std::uint64_t extended = fields.at(373, 1) == 0xFF ? fields.at(375, 2) : fields.at(373, 1);
  fields.text(373, 1, "recommended time of an extended self-test", fmt::format("{} min", extended));
  fields.number(374, 1, "recommended time of a conveyance self-test", "min");
  fields.checksum();
  return fields.take();
}

std::vector<PageField> decode_smart_thresholds(const std::uint8_t* page) {
  FieldList fields(page);
  fields.number(0, 2, "revision");
  smart_attributes(fields, [](const FieldList& page_fields, unsigned at) {
    return fmt::format("threshold {}", page_fields.at(at + 1, 1));
  });
  fields.checksum();
  return fields.take();
}

}  // namespace armature::sata
