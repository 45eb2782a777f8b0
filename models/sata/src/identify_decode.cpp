// IDENTIFY DEVICE word by word: ACS-3 (T13/2161-D) 7.12.7; obsolete words by ATA8-ACS (T13/1699-D) 7.16.7 and
// ATA/ATAPI-4 to -7.
#include "page_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace armature::sata {
namespace {

constexpr unsigned kWords = 256;

struct Bit {
  std::uint16_t mask, value;
  const char* name;
};
/// A word whose bits have names each.
struct FlagWord {
  unsigned word;
  const char* name;
  std::vector<Bit> bits;
};

constexpr Bit bit(unsigned n, const char* name) {
  return {static_cast<std::uint16_t>(1u << n), static_cast<std::uint16_t>(1u << n), name};
}

// clang-format off
const std::vector<Bit> set_1 = {  // 82 and 85
    bit(0, "SMART"), bit(1, "security"), bit(2, "removable media"), bit(3, "power management"), bit(4, "PACKET"),
    bit(5, "volatile write cache"), bit(6, "read look-ahead"), bit(7, "release interrupt"), bit(8, "service interrupt"),
    bit(9, "DEVICE RESET"), bit(10, "host protected area"), bit(12, "WRITE BUFFER"), bit(13, "READ BUFFER"), bit(14, "NOP")};
const std::vector<Bit> set_2 = {  // 83 and 86
    bit(0, "DOWNLOAD MICROCODE"), bit(1, "DMA QUEUED"), bit(2, "CFA"), bit(3, "advanced power management"),
    bit(4, "removable media status notification"), bit(5, "power-up in standby"), bit(6, "SET FEATURES spin-up required"),
    bit(7, "address offset reserved area"), bit(8, "SET MAX security"), bit(9, "automatic acoustic management"),
    bit(10, "48-bit address"), bit(11, "device configuration overlay"), bit(12, "FLUSH CACHE"), bit(13, "FLUSH CACHE EXT")};
const std::vector<Bit> set_3 = {  // 84 and 87
    bit(0, "SMART error logging"), bit(1, "SMART self-test"), bit(2, "media serial number"), bit(3, "media card pass through"),
    bit(4, "streaming"), bit(5, "general purpose logging"), bit(6, "WRITE DMA FUA EXT"), bit(7, "WRITE DMA QUEUED FUA EXT"),
    bit(8, "world wide name"), bit(9, "URG of READ STREAM"), bit(10, "URG of WRITE STREAM"), bit(13, "IDLE IMMEDIATE with unload")};
const std::vector<Bit> set_4 = {  // 119 and 120
    bit(1, "write-read-verify"), bit(2, "WRITE UNCORRECTABLE EXT"), bit(3, "READ and WRITE LOG DMA EXT"),
    bit(4, "DOWNLOAD MICROCODE by segments"), bit(5, "free-fall control"), bit(6, "sense data reporting"),
    bit(7, "extended power conditions"), bit(8, "accessible max address configuration"), bit(9, "DSN")};

const std::vector<FlagWord> flag_words = {
    {48, "trusted computing", {bit(0, "supported")}},
    {49, "capabilities", {bit(8, "DMA"), bit(9, "LBA"), bit(10, "IORDY may be disabled"), bit(11, "IORDY"),
                          bit(13, "standard values of the standby timer")}},
    {50, "capabilities", {bit(0, "least standby timer is the maker's")}},
    {53, "valid words", {bit(0, "54-58"), bit(1, "64-70"), bit(2, "88")}},
    {63, "multiword DMA", {bit(0, "mode 0"), bit(1, "mode 1"), bit(2, "mode 2"), bit(8, "mode 0 selected"), bit(9, "mode 1 selected"),
                           bit(10, "mode 2 selected")}},
    {64, "PIO modes", {bit(0, "mode 3"), bit(1, "mode 4")}},
    {69, "additional supported", {bit(2, "all write cache non-volatile"), bit(3, "extended number of addressable sectors"),
                                  bit(4, "device encrypts all data"), bit(5, "trimmed sectors read as zeros"), bit(6, "optional 28-bit commands"),
                                  bit(7, "IEEE 1667"), bit(8, "DOWNLOAD MICROCODE DMA"), bit(11, "READ BUFFER DMA"), bit(10, "WRITE BUFFER DMA"),
                                  bit(12, "SET MAX PASSWORD and UNLOCK DMA"), bit(14, "deterministic data after trim"), bit(15, "CFast")}},
    {76, "Serial ATA capabilities", {bit(1, "1.5 Gb/s"), bit(2, "3 Gb/s"), bit(3, "6 Gb/s"), bit(8, "NCQ"),
                                     bit(9, "host-initiated interface power management"), bit(10, "Phy event counters"),
                                     bit(11, "unload with NCQ commands outstanding"), bit(12, "NCQ priority"),
                                     bit(13, "host automatic partial to slumber"), bit(14, "device automatic partial to slumber"),
                                     bit(15, "READ LOG DMA EXT as READ LOG EXT")}},
    {77, "Serial ATA additional capabilities", {bit(4, "NCQ streaming"), bit(5, "NCQ queue management"), bit(6, "RECEIVE and SEND FPDMA QUEUED"),
                                                bit(7, "DevSleep to reduced power"), bit(8, "power disable always on"), bit(9, "out of band management")}},
    {78, "Serial ATA features supported", {bit(1, "non-zero buffer offsets"), bit(2, "DMA Setup auto-activate"),
                                           bit(3, "device-initiated interface power management"), bit(4, "in-order data delivery"),
                                           bit(5, "hardware feature control"), bit(6, "software settings preservation"),
                                           bit(7, "NCQ autosense"), bit(8, "device sleep"), bit(9, "hybrid information"),
                                           bit(11, "rebuild assist"), bit(12, "power disable")}},
    {79, "Serial ATA features enabled", {bit(1, "non-zero buffer offsets"), bit(2, "DMA Setup auto-activate"),
                                         bit(3, "device-initiated interface power management"), bit(4, "in-order data delivery"),
                                         bit(5, "hardware feature control"), bit(6, "software settings preservation"),
                                         bit(7, "automatic partial to slumber"), bit(8, "device sleep"), bit(9, "hybrid information"),
                                         bit(11, "rebuild assist"), bit(12, "power disable")}},
    {80, "major versions", {bit(1, "ATA-1"), bit(2, "ATA-2"), bit(3, "ATA-3"), bit(4, "ATA/ATAPI-4"), bit(5, "ATA/ATAPI-5"),
                            bit(6, "ATA/ATAPI-6"), bit(7, "ATA/ATAPI-7"), bit(8, "ATA8-ACS"), bit(9, "ACS-2"), bit(10, "ACS-3"),
                            bit(11, "ACS-4"), bit(12, "ACS-5")}},
    {82, "commands and feature sets supported", set_1},
    {83, "commands and feature sets supported", set_2},
    {84, "commands and feature sets supported", set_3},
    {85, "commands and feature sets enabled", set_1},
    {86, "commands and feature sets enabled", set_2},
    {87, "commands and feature sets enabled", set_3},
    {88, "Ultra DMA", {bit(0, "mode 0"), bit(1, "mode 1"), bit(2, "mode 2"), bit(3, "mode 3"), bit(4, "mode 4"), bit(5, "mode 5"), bit(6, "mode 6"),
                       bit(8, "mode 0 selected"), bit(9, "mode 1 selected"), bit(10, "mode 2 selected"), bit(11, "mode 3 selected"),
                       bit(12, "mode 4 selected"), bit(13, "mode 5 selected"), bit(14, "mode 6 selected")}},
    {119, "commands and feature sets supported", set_4},
    {120, "commands and feature sets enabled", set_4},
    {128, "security", {bit(0, "supported"), bit(1, "enabled"), bit(2, "locked"), bit(3, "frozen"), bit(4, "count expired"),
                       bit(5, "enhanced erase"), bit(8, "master password capability maximum")}},
    {169, "data set management", {bit(0, "trim")}},
    {206, "SCT", {bit(0, "command transport"), bit(2, "write same"), bit(3, "error recovery control"), bit(4, "feature control"),
                  bit(5, "data tables")}},
    {214, "NV cache", {bit(0, "power mode supported"), bit(1, "power mode enabled"), bit(4, "enabled")}},
};
// clang-format on

/// Bit 14 set and bit 15 clear say that the word is valid.
constexpr std::array<unsigned, 8> kValidBy14 = {48, 50, 83, 84, 87, 106, 119, 120};

std::string flags(std::uint16_t word, const FlagWord& info, bool valid_by_14) {
  std::string text;
  std::uint16_t left = word;
  if (info.word == 86 && (word & 0x8000u) != 0) {
    left = static_cast<std::uint16_t>(left & 0x7FFFu);
    text = "words 119 and 120 valid";
  }
  for (const Bit& one : info.bits) {
    if ((word & one.mask) != one.value) continue;
    left = static_cast<std::uint16_t>(left & ~one.mask);
    text += (text.empty() ? "" : ", ") + std::string(one.name);
  }
  if (valid_by_14) left &= 0x3FFFu;
  for (unsigned n = 0; n < 16; ++n)
    if (left >> n & 1u) text += fmt::format("{}bit {} (reserved or obsolete)", text.empty() ? "" : ", ", n);
  return text.empty() ? "none" : text;
}

std::string standby_value(std::uint16_t word) {
  return word == 0 ? "" : fmt::format("{} minutes", 2 * (word & 0xFFu));
}

struct Number {
  unsigned first, last;
  const char* name;
  const char* unit;
};
// Little-endian over their words.
constexpr std::array<Number, 36> kNumbers = {{
    {1, 1, "cylinders of the default translation (obsolete)", ""},
    {2, 2, "specific configuration", ""},
    {3, 3, "heads of the default translation (obsolete)", ""},
    {4, 4, "bytes per track (retired)", "bytes"},
    {5, 5, "bytes per sector (retired)", "bytes"},
    {6, 6, "sectors per track of the default translation (obsolete)", ""},
    {20, 20, "buffer type (retired)", ""},
    {21, 21, "buffer size (retired)", "sectors of 512 bytes"},
    {22, 22, "ECC bytes of READ LONG (obsolete)", "bytes"},
    {51, 51, "PIO timing mode (obsolete)", ""},
    {52, 52, "single-word DMA timing mode (obsolete)", ""},
    {54, 54, "cylinders of the present translation (obsolete)", ""},
    {55, 55, "heads of the present translation (obsolete)", ""},
    {56, 56, "sectors per track of the present translation (obsolete)", ""},
    {57, 58, "sectors of the present translation (obsolete)", "sectors"},
    {60, 61, "addressable sectors of 28-bit commands", "logical sectors"},
    {65, 65, "least cycle of multiword DMA", "ns"},
    {66, 66, "recommended cycle of multiword DMA", "ns"},
    {67, 67, "least PIO cycle without IORDY", "ns"},
    {68, 68, "least PIO cycle with IORDY", "ns"},
    {81, 81, "minor version", ""},
    {92, 92, "master password identifier", ""},
    {95, 95, "stream minimum request size", "sectors"},
    {96, 96, "streaming transfer time, DMA", ""},
    {97, 97, "streaming access latency", ""},
    {98, 99, "streaming performance granularity", ""},
    {100, 103, "addressable logical sectors", "logical sectors"},
    {104, 104, "streaming transfer time, PIO", ""},
    {105, 105, "most 512-byte blocks of DATA SET MANAGEMENT", "blocks"},
    {107, 107, "interseek delay of ISO 7779 acoustic testing", "us"},
    {117, 118, "logical sector size", "words"},
    {210, 211, "write-read-verify sectors, mode 3", "sectors"},
    {212, 213, "write-read-verify sectors, mode 2", "sectors"},
    {223, 223, "transport minor version", ""},
    {230, 233, "extended number of addressable sectors", "logical sectors"},
    {234, 235, "DOWNLOAD MICROCODE least and most blocks", ""},
}};

std::string number_text(const Number& number, std::uint64_t value, std::uint64_t sector_bytes) {
  if (number.first == 2) return fmt::format("{:04X}h", value);
  std::string text = fmt::format("{}{}{}", value, *number.unit ? " " : "", number.unit);
  if (number.first == 100 || number.first == 230)
    text += ", " + in_gb(static_cast<double>(value) * static_cast<double>(sector_bytes));
  if (number.first == 117) text += fmt::format(", {} bytes", 2 * value);
  return text;
}

/// Values that take more than a table: of the words up to 94.
std::string first_special(const std::uint8_t* page, unsigned word, std::string& name) {
  const std::uint16_t value = word_at(page, word);
  switch (word) {
    case 0:
      name = "general configuration";
      return (value & 0x8000u) != 0 ? "not an ATA device"
                                    : std::string("ATA device") + ((value & 0x80u) != 0 ? ", removable media" : "") +
                                          ((value & 0x40u) != 0 ? ", fixed (obsolete)" : "") +
                                          ((value & 0x04u) != 0 ? ", response incomplete" : "");
    case 47:
      name = "READ and WRITE MULTIPLE";
      return fmt::format("{} sectors per DRQ block at most", value & 0xFFu);
    case 59: {
      name = "sectors per DRQ block, sanitize";
      std::string text = (value & 0x100u) != 0 ? fmt::format("{} sectors are set", value & 0xFFu) : "none is set";
      if ((value & 0x1000u) != 0) text += ", sanitize";
      if ((value & 0x2000u) != 0) text += ", crypto scramble";
      if ((value & 0x4000u) != 0) text += ", overwrite";
      if ((value & 0x8000u) != 0) text += ", block erase";
      return text;
    }
    case 75:
      name = "queue depth";
      return fmt::format("{}", (value & 0x1Fu) + 1);
    case 89:
      name = "time of SECURITY ERASE UNIT";
      return standby_value(value);
    case 90:
      name = "time of an enhanced SECURITY ERASE UNIT";
      return standby_value(value);
    case 91:
      name = "level of advanced power management";
      return fmt::format("{}", value & 0xFFu);
    case 93:
      name = "hardware reset result (parallel ATA)";
      return {};
    case 94:
      name = "acoustic management";
      return fmt::format("recommended {}, present {}", value >> 8, value & 0xFFu);
    default:
      return {};
  }
}

/// Bits 3:1 of word 77: the generation of the link in use.
std::string link_speed(std::uint16_t value) {
  constexpr std::array<const char*, 4> kSpeeds = {"speed in use not told", "1.5 Gb/s in use", "3 Gb/s in use",
                                                  "6 Gb/s in use"};
  const unsigned code = value >> 1 & 7u;
  return code < kSpeeds.size() ? kSpeeds[code] : fmt::format("speed code {} in use", code);
}

std::string flag_text(const FlagWord& info, std::uint16_t value) {
  const bool by_14 = std::find(kValidBy14.begin(), kValidBy14.end(), info.word) != kValidBy14.end();
  if ((by_14 && value >> 14 != 1u) || (info.word >= 76 && info.word <= 84 && value == 0xFFFFu)) return "not valid";
  if (info.word != 77) return flags(value, info, by_14);
  const std::uint16_t others = value & 0xFFF1u;
  return link_speed(value) + (others != 0 ? ", " + flags(others, info, false) : "");
}

/// The same of those beyond.
std::string special(const std::uint8_t* page, unsigned word, std::string& name) {
  const std::uint16_t value = word_at(page, word);
  switch (word) {
    case 106: {
      name = "physical and logical sector size";
      std::string text = (value & 0x2000u) != 0
                             ? fmt::format("{} logical sectors per physical sector", 1u << (value & 0xFu))
                             : "one logical sector per physical sector";
      if ((value & 0x1000u) != 0) text += ", logical sector longer than 256 words";
      return text;
    }
    case 209:
      name = "alignment of logical in physical sectors";
      return fmt::format("logical sector 0 is number {} of its physical sector", value & 0x3FFFu);
    case 217:
      name = "nominal media rotation rate";
      return value == 1 ? "no rotating medium" : value == 0xFFFF ? "" : fmt::format("{} rpm", value);
    case 220:
      name = "write-read-verify mode";
      return fmt::format("{}", value & 0xFFu);
    case 222: {
      name = "transport major version";
      static constexpr std::array<const char*, 9> kSata = {"ATA8-AST", "SATA 1.0a", "SATA II: extensions",
                                                           "SATA 2.5", "SATA 2.6",  "SATA 3.0",
                                                           "SATA 3.1", "SATA 3.2",  "SATA 3.3"};
      if (value >> 12 != 1) return value >> 12 == 0 ? "parallel" : "reserved transport";
      std::string text = "Serial";
      for (unsigned i = 0; i < kSata.size(); ++i)
        if (value >> i & 1u) text += fmt::format(", {}", kSata.at(i));
      return text;
    }
    case 255:
      name = "integrity word";
      if ((value & 0xFFu) != 0xA5u) return "no signature";
      return adds_up(page, kPageBytes) ? "signature A5h, checksum right" : "signature A5h, checksum WRONG";
    default:
      return first_special(page, word, name);
  }
}

}  // namespace

std::string ata_text(const std::uint8_t* page, unsigned first_word, unsigned last_word) {
  std::string text;
  for (unsigned word = first_word; word <= last_word; ++word)
    for (const unsigned byte : {2 * word + 1, 2 * word}) {
      const char c = static_cast<char>(page[byte]);
      text += c >= 0x20 && c < 0x7F ? c : c == 0 ? ' ' : '?';
    }
  const auto begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

std::string in_gb(double bytes) {
  return bytes >= 1e9 ? fmt::format("{:.1f} GB", bytes / 1e9) : fmt::format("{:.1f} MB", bytes / 1e6);
}

bool adds_up(const std::uint8_t* page, std::size_t bytes) {
  return (std::accumulate(page, page + bytes, 0u) & 0xFFu) == 0;
}

std::vector<PageField> decode_identify(const std::uint8_t* page) {
  std::vector<PageField> fields;
  const auto any = [page](unsigned first, unsigned last) {
    for (unsigned word = first; word <= last; ++word)
      if (word_at(page, word) != 0) return true;
    return false;
  };
  const auto add = [&](unsigned first, unsigned last, const std::string& name, const std::string& value) {
    const std::string place = first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last);
    fields.push_back({place, first == last ? fmt::format("{:04X}", word_at(page, first)) : "", name, value});
  };
  const bool long_sectors = (word_at(page, 106) & 0xD000u) == 0x5000u;
  const std::uint64_t sector_bytes = long_sectors ? 2 * little(page + 234, 4) : kSectorBytes;

  unsigned word = 0;
  while (word < kWords) {
    const unsigned first = word++;
    if (first == 10 || first == 23 || first == 27 || first == 176) {
      static constexpr std::array<std::pair<unsigned, const char*>, 4> kTexts = {
          {{19, "serial number"}, {26, "firmware revision"}, {46, "model number"}, {205, "media serial number"}}};
      const auto& [last, name] = kTexts.at(first == 10 ? 0 : first == 23 ? 1 : first == 27 ? 2 : 3);
      word = last + 1;
      if (any(first, last)) add(first, last, name, "\"" + ata_text(page, first, last) + "\"");
      continue;
    }
    if (first == 108) {  // world wide name: NAA in the top four bits of the first word
      word = 112;
      if (any(108, 111))
        add(108, 111, "world wide name",
            fmt::format("{:04x}{:04x}{:04x}{:04x}", word_at(page, 108), word_at(page, 109), word_at(page, 110),
                        word_at(page, 111)));
      continue;
    }
    const auto number =
        std::find_if(kNumbers.begin(), kNumbers.end(), [first](const Number& one) { return one.first == first; });
    if (number != kNumbers.end()) {
      word = number->last + 1;
      if (!any(first, number->last)) continue;
      const std::uint64_t value = little(page + std::size_t{2} * first, 2 * (number->last - first + 1));
      const std::string text = number_text(*number, value, sector_bytes);
      add(first, number->last, number->name, text);
      continue;
    }
    const std::uint16_t value = word_at(page, first);
    if (value == 0 && first != 75) continue;
    if (first == 75 && !any(75, 76)) continue;  // no queueing
    const auto flag =
        std::find_if(flag_words.begin(), flag_words.end(), [first](const FlagWord& one) { return one.word == first; });
    if (flag != flag_words.end()) {
      add(first, first, flag->name, flag_text(*flag, value));
      continue;
    }
    std::string name = first >= 129 && first <= 159 ? "vendor specific" : "reserved or obsolete";
    const std::string text = special(page, first, name);
    add(first, first, name, text);
  }
  return fields;
}

}  // namespace armature::sata
