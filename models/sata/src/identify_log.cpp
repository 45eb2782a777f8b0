// Log 30h, IDENTIFY DEVICE data: ACS-4 9.11.
#include "page_fields.h"

#include <fmt/format.h>

#include <array>

namespace armature::sata {
namespace {

const char* identify_page(unsigned page) {
  static constexpr std::array<const char*, 10> kNames = {"list of supported pages",
                                                         "copy of IDENTIFY DEVICE data",
                                                         "capacity",
                                                         "supported capabilities",
                                                         "current settings",
                                                         "ATA strings",
                                                         "security",
                                                         "parallel ATA",
                                                         "Serial ATA",
                                                         "zoned device information"};
  return page < kNames.size() ? kNames.at(page) : "reserved";
}

/// A qword of log 30h with its flags; bit 63 says that it is valid.
template <std::size_t N>
void flags(FieldList& fields, unsigned byte, const char* name, const std::array<Named, N>& bits) {
  const std::uint64_t word = fields.at(byte, 8);
  if ((word >> 63) == 0) return;
  std::string text;
  for (const Named& one : bits)
    if (word >> one.number & 1u) text += (text.empty() ? "" : ", ") + std::string(one.name);
  fields.text(byte, 8, name, text.empty() ? "none" : text);
}

// clang-format off
// ACS-4 9.11.5; bits 46 and 47 by Linux' ata_dev_config_cdl.
constexpr std::array<Named, 44> kSupported = {{
    {0, "write-read-verify"}, {1, "WRITE UNCORRECTABLE EXT"}, {2, "READ and WRITE LOG DMA EXT"},
    {3, "DOWNLOAD MICROCODE by offsets"}, {4, "free-fall control"}, {5, "sense data reporting"},
    {6, "extended power conditions"}, {7, "SMART error logging"}, {8, "SMART self-test"}, {10, "streaming"},
    {11, "general purpose logging"}, {12, "WRITE DMA FUA EXT"}, {13, "IDLE IMMEDIATE with unload"},
    {14, "DOWNLOAD MICROCODE"}, {15, "reserved for CFA"}, {16, "advanced power management"},
    {17, "power-up in standby"}, {18, "SET FEATURES spin-up required"}, {20, "48-bit address"},
    {22, "FLUSH CACHE EXT"}, {23, "SMART"}, {24, "volatile write cache"}, {25, "read look-ahead"},
    {27, "WRITE BUFFER"}, {28, "READ BUFFER"}, {29, "NOP"}, {31, "trimmed sectors read as zeros"},
    {32, "all optional 28-bit commands"}, {33, "DOWNLOAD MICROCODE DMA"}, {35, "WRITE BUFFER DMA"},
    {36, "READ BUFFER DMA"}, {38, "long physical sector alignment error"}, {39, "deterministic data after trim"},
    {41, "accessible max address configuration"}, {42, "power source of extended power conditions"},
    {43, "low power standby"}, {44, "DSN"}, {45, "sense data of a device fault"}, {46, "download of lost data"},
    {47, "sense data for successful NCQ"}, {48, "zero extension"}, {49, "set sector configuration"},
    {53, "persistent sense data reporting"}, {54, "advanced background operations"},
}};
// ACS-4 9.11.6; bits 21 and 22 by cdl-tools.
constexpr std::array<Named, 18> kEnabled = {{
    {0, "write-read-verify"}, {1, "free-fall control"}, {2, "advanced power management"}, {3, "power-up in standby"},
    {6, "SMART"}, {7, "read look-ahead"}, {8, "non-volatile write cache"}, {10, "sense data reporting"},
    {11, "reverting to power-on defaults"}, {13, "volatile write cache"}, {15, "extended power conditions"},
    {16, "DSN"}, {17, "download of lost data"}, {18, "sense data for successful NCQ"},
    {19, "firmware activation pending"}, {20, "reserved"}, {21, "command duration limits"},
    {22, "high priority of command duration limits"},
}};
// ACS-4 9.11.10.
constexpr std::array<Named, 28> kSerialAta = {{
    {0, "1.5 Gb/s"}, {1, "3 Gb/s"}, {2, "6 Gb/s"}, {7, "NCQ"}, {8, "host-initiated interface power management"},
    {9, "Phy event counters"}, {10, "unload with NCQ commands outstanding"}, {11, "NCQ priority"},
    {12, "host automatic partial to slumber"}, {13, "device automatic partial to slumber"},
    {14, "READ LOG DMA EXT as READ LOG EXT"}, {15, "NCQ streaming"}, {16, "NCQ queue management"},
    {17, "RECEIVE and SEND FPDMA QUEUED"}, {18, "non-zero buffer offsets"}, {19, "DMA Setup auto-activate"},
    {20, "device-initiated interface power management"}, {21, "in-order data delivery"},
    {22, "hardware feature control"}, {23, "software settings preservation"}, {24, "NCQ autosense"},
    {25, "device sleep"}, {26, "DevSleep to reduced power"}, {27, "hybrid information"},
    {28, "device-initiated power management preserved over COMRESET"}, {29, "rebuild assist"}, {30, "power disable"},
    {31, "power disable always on"},
}};
constexpr std::array<Named, 11> kSerialNow = {{
    {3, "non-zero buffer offsets"}, {4, "DMA Setup auto-activate"},
    {5, "device-initiated interface power management"}, {6, "in-order data delivery"},
    {7, "hardware feature control"}, {8, "software settings preservation"}, {9, "automatic partial to slumber"},
    {10, "device sleep"}, {11, "power disable"}, {12, "rebuild assist"}, {13, "hybrid information"},
}};
constexpr std::array<Named, 11> kSct = {{
    {0, "command transport"}, {2, "write same"}, {3, "error recovery control"}, {4, "feature control"},
    {5, "data tables"}, {16, "write same function 1"}, {17, "write same function 2"}, {18, "write same function 3"},
    {24, "write same function 101h"}, {25, "write same function 102h"}, {26, "write same function 103h"},
}};
constexpr std::array<Named, 3> kDurationLimits = {{
    {0, "limits"}, {1, "guidelines"}, {2, "high priority"},
}};
constexpr std::array<Named, 6> kSecurity = {{
    {0, "supported"}, {1, "enabled"}, {2, "locked"}, {3, "frozen"}, {4, "count expired"}, {5, "enhanced erase"},
}};
constexpr std::array<Named, 7> kSecurityMore = {{
    {0, "encrypts all data"}, {1, "sanitize"}, {2, "crypto scramble"}, {3, "overwrite"}, {4, "block erase"},
    {5, "sanitize antifreeze"}, {6, "commands that sanitize allows, by ACS-3"},
}};
// clang-format on

bool valid(const FieldList& fields, unsigned byte) {
  return (fields.at(byte, 8) >> 63) != 0;
}

void capacity_page(FieldList& fields) {
  if (valid(fields, 8))
    fields.text(8, 8, "device capacity", fmt::format("{} logical sectors", fields.at(8, 8) & 0x0000'FFFF'FFFF'FFFFu));
  const std::uint64_t sizes = fields.at(16, 8);
  if (valid(fields, 16)) {
    std::string text = (sizes >> 62 & 1u) != 0
                           ? fmt::format("{} logical sectors per physical sector", 1u << (sizes >> 16 & 0xFu))
                           : "one logical sector per physical sector";
    text += fmt::format(", logical sector 0 is number {} of its physical sector", sizes & 0xFFFFu);
    fields.text(16, 8, "physical and logical sector size", text);
  }
  if (valid(fields, 24))
    fields.text(24, 8, "logical sector size", fmt::format("{} words", fields.at(24, 8) & 0xFFFF'FFFFu));
  if (valid(fields, 32))
    fields.text(32, 8, "nominal buffer size", fmt::format("{} bytes", fields.at(32, 8) & 0x7FFF'FFFF'FFFF'FFFFu));
}

void capabilities_page(FieldList& fields) {
  flags(fields, 8, "supported capabilities", kSupported);
  if (valid(fields, 24)) {
    const std::uint64_t rate = fields.at(24, 8) & 0xFFFFu;
    fields.text(24, 8, "nominal media rotation rate",
                rate == 1 ? std::string("no rotating medium") : fmt::format("{} rpm", rate));
  }
  if (valid(fields, 32)) {
    const std::uint64_t form = fields.at(32, 8) & 0xFu;
    static constexpr std::array<const char*, 6> kForms = {"not reported", "5.25 inch", "3.5 inch",
                                                          "2.5 inch",     "1.8 inch",  "less than 1.8 inch"};
    fields.text(32, 8, "nominal form factor", form < kForms.size() ? kForms.at(form) : "reserved");
  }
  if (valid(fields, 40)) fields.text(40, 8, "write-read-verify sectors, mode 3", fmt::format("{}", fields.at(40, 4)));
  if (valid(fields, 64)) fields.text(56, 8, "world wide name", fmt::format("{:016x}", fields.at(56, 8)));
  flags(fields, 72, "trim", std::array<Named, 1>{{{0, "supported"}}});
  if (valid(fields, 16) && fields.at(16, 4) != 0)
    fields.text(16, 8, "DOWNLOAD MICROCODE blocks",
                fmt::format("{} at least, {} at most", fields.at(16, 2), fields.at(18, 2)));
  if (valid(fields, 136)) fields.text(136, 8, "queue depth", fmt::format("{}", (fields.at(136, 1) & 0x1Fu) + 1));
  flags(fields, 144, "SCT", kSct);
  flags(fields, 168, "command duration", kDurationLimits);
  if (valid(fields, 176)) fields.text(176, 8, "least duration limit", fmt::format("{} us", fields.at(176, 4)));
  if (valid(fields, 184)) fields.text(184, 8, "greatest duration limit", fmt::format("{} us", fields.at(184, 4)));
}

}  // namespace

void decode_identify_log(FieldList& fields, unsigned page) {
  if (page == 1) {
    fields.add(decode_identify(fields.page()));
    return;
  }
  page_header(fields, page, identify_page(page));
  switch (page) {
    case 0:
      page_list(fields, identify_page);
      break;
    case 2:
      capacity_page(fields);
      break;
    case 3:
      capabilities_page(fields);
      break;
    case 4: {
      flags(fields, 8, "current settings", kEnabled);
      if (valid(fields, 16)) fields.text(16, 8, "feature settings", fmt::format("APM level {}", fields.at(17, 1)));
      break;
    }
    case 5:
      fields.text(8, 20, "serial number", "\"" + ata_text(fields.page(), 4, 13) + "\"");
      fields.text(32, 8, "firmware revision", "\"" + ata_text(fields.page(), 16, 19) + "\"");
      fields.text(48, 40, "model number", "\"" + ata_text(fields.page(), 24, 43) + "\"");
      fields.text(96, 8, "additional product identifier", "\"" + ata_text(fields.page(), 48, 51) + "\"");
      break;
    case 6:
      flags(fields, 16, "security", kSecurity);
      flags(fields, 40, "trusted computing", std::array<Named, 1>{{{0, "supported"}}});
      flags(fields, 48, "security capabilities", kSecurityMore);
      break;
    case 8: {
      flags(fields, 8, "Serial ATA capabilities", kSerialAta);
      flags(fields, 16, "Serial ATA settings", kSerialNow);
      static constexpr std::array<const char*, 4> kSpeeds = {"not reported", "1.5 Gb/s", "3 Gb/s", "6 Gb/s"};
      if (valid(fields, 16))
        fields.text(16, 8, "negotiated speed",
                    (fields.at(16, 1) & 7u) < 4u ? kSpeeds.at(fields.at(16, 1) & 7u) : "reserved");
      break;
    }
    default:
      for (unsigned byte = 8; byte < kPageBytes; byte += 8)
        if (fields.at(byte, 8) != 0) fields.text(byte, 8, "not decoded", "");
      break;
  }
}

}  // namespace armature::sata
