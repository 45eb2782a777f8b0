// Commands by their names: ACS-3 (T13/2161-D), clause 7 and annex B; those that it has dropped by ATA8-ACS or
// ATA/ATAPI-7; SMART by ATA8-ACS 7.53 and ACS-3 7.48.
#include "armature/sata/ata_commands.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace armature::sata {
namespace {

constexpr std::int64_t kSmart = 0xC24F00;  // LBA mid 4Fh, high C2h
constexpr std::int64_t kNone = -1;

using P = Protocol;
using C = Counts;

// clang-format off
const std::vector<CommandInfo> command_table = {
    // code, name, protocol, 48-bit, counts, count, features, LBA, section
    {0x00, "nop", P::non_data, false, C::nothing, 0, -1, kNone, "7.17"},
    {0x06, "data set management", P::dma_out, true, C::pages, 1, -1, kNone, "7.5"},
    {0x0B, "request sense data ext", P::non_data, true, C::nothing, 0, -1, kNone, "7.32"},
    {0x20, "read sectors", P::pio_in, false, C::logical_sectors, 1, -1, kNone, "7.28"},
    {0x24, "read sectors ext", P::pio_in, true, C::logical_sectors, 1, -1, kNone, "7.29"},
    {0x25, "read dma ext", P::dma_in, true, C::logical_sectors, 1, -1, kNone, "7.21"},
    {0x27, "read native max address ext", P::non_data, true, C::nothing, 0, -1, kNone, "ATA8-ACS 7.32"},
    {0x29, "read multiple ext", P::pio_in, true, C::logical_sectors, 1, -1, kNone, "7.26"},
    {0x2A, "read stream dma ext", P::dma_in, true, C::logical_sectors, 1, -1, kNone, "7.30"},
    {0x2B, "read stream ext", P::pio_in, true, C::logical_sectors, 1, -1, kNone, "7.31"},
    {0x2F, "read log ext", P::pio_in, true, C::pages, 1, -1, kNone, "7.24"},
    {0x30, "write sectors", P::pio_out, false, C::logical_sectors, 1, -1, kNone, "7.68"},
    {0x34, "write sectors ext", P::pio_out, true, C::logical_sectors, 1, -1, kNone, "7.69"},
    {0x35, "write dma ext", P::dma_out, true, C::logical_sectors, 1, -1, kNone, "7.61"},
    {0x37, "set max address ext", P::non_data, true, C::nothing, 0, -1, kNone, "ATA8-ACS 7.50"},
    {0x39, "write multiple ext", P::pio_out, true, C::logical_sectors, 1, -1, kNone, "7.66"},
    {0x3A, "write stream dma ext", P::dma_out, true, C::logical_sectors, 1, -1, kNone, "7.70"},
    {0x3B, "write stream ext", P::pio_out, true, C::logical_sectors, 1, -1, kNone, "7.71"},
    {0x3D, "write dma fua ext", P::dma_out, true, C::logical_sectors, 1, -1, kNone, "7.62"},
    {0x3F, "write log ext", P::pio_out, true, C::pages, 1, -1, kNone, "7.64"},
    {0x40, "read verify sectors", P::non_data, false, C::nothing, 1, -1, kNone, "7.34"},
    {0x42, "read verify sectors ext", P::non_data, true, C::nothing, 1, -1, kNone, "7.35"},
    {0x45, "write uncorrectable ext", P::non_data, true, C::nothing, 1, 0x55, kNone, "7.72"},
    {0x47, "read log dma ext", P::dma_in, true, C::pages, 1, -1, kNone, "7.25"},
    {0x51, "configure stream", P::non_data, true, C::nothing, 0, -1, kNone, "7.4"},
    {0x57, "write log dma ext", P::dma_out, true, C::pages, 1, -1, kNone, "7.65"},
    {0x5B, "trusted non data", P::non_data, false, C::nothing, 0, -1, kNone, "7.54"},
    {0x5C, "trusted receive", P::pio_in, false, C::pages, 1, -1, kNone, "7.55"},
    {0x5D, "trusted receive dma", P::dma_in, false, C::pages, 1, -1, kNone, "7.56"},
    {0x5E, "trusted send", P::pio_out, false, C::pages, 1, -1, kNone, "7.57"},
    {0x5F, "trusted send dma", P::dma_out, false, C::pages, 1, -1, kNone, "7.58"},
    {0x60, "read fpdma queued", P::queued_in, true, C::logical_sectors, 1, -1, kNone, "7.23"},
    {0x61, "write fpdma queued", P::queued_out, true, C::logical_sectors, 1, -1, kNone, "7.63"},
    {0x63, "ncq non data", P::queued_non_data, true, C::nothing, 0, -1, kNone, "7.16"},
    {0x64, "send fpdma queued", P::queued_out, true, C::pages, 1, -1, kNone, "7.47"},
    {0x65, "receive fpdma queued", P::queued_in, true, C::pages, 1, -1, kNone, "7.36"},
    {0x70, "seek", P::non_data, false, C::nothing, 0, -1, kNone, "ATA/ATAPI-6 8.36"},
    {0x77, "set date time ext", P::non_data, true, C::nothing, 0, -1, kNone, "7.44"},
    {0x78, "accessible max address configuration", P::non_data, true, C::nothing, 0, -1, kNone, "7.1"},
    {0x78, "get native max address ext", P::non_data, true, C::nothing, 0, 0x0000, kNone, "7.1.2"},
    {0x78, "set accessible max address ext", P::non_data, true, C::nothing, 0, 0x0001, kNone, "7.1.3"},
    {0x78, "freeze accessible max address ext", P::non_data, true, C::nothing, 0, 0x0002, kNone, "7.1.4"},
    {0x8A, "read class", P::pio_in, true, C::pages, 1, -1, kNone, "docs/guide/mems.md"},
    {0x8B, "write batch list", P::dma_out, true, C::pages, 1, -1, kNone, "docs/guide/mems.md"},
    {0x8C, "read batch", P::dma_in, true, C::logical_sectors, 1, -1, kNone, "docs/guide/mems.md"},
    {0x8D, "write batch", P::dma_out, true, C::logical_sectors, 1, -1, kNone, "docs/guide/mems.md"},
    {0x90, "execute device diagnostic", P::non_data, false, C::nothing, 0, -1, kNone, "7.9"},
    {0x91, "initialize device parameters", P::non_data, false, C::nothing, 0, -1, kNone, "ATA/ATAPI-5 8.16"},
    {0x92, "download microcode", P::pio_out, false, C::pages, 1, -1, kNone, "7.7"},
    {0x93, "download microcode dma", P::dma_out, false, C::pages, 1, -1, kNone, "7.8"},
    {0xA0, "packet", P::packet, false, C::nothing, 0, -1, kNone, "7.18"},
    {0xA1, "identify packet device", P::pio_in, false, C::nothing, 0, -1, kNone, "7.13"},
    {0xB0, "smart", P::non_data, false, C::nothing, 0, -1, kSmart, "7.48"},
    {0xB0, "smart read data", P::pio_in, false, C::nothing, 0, 0xD0, kSmart, "7.48.6"},
    {0xB0, "smart read thresholds", P::pio_in, false, C::nothing, 0, 0xD1, kSmart, "ATA/ATAPI-4 8.41.6"},
    {0xB0, "smart attribute autosave", P::non_data, false, C::nothing, 0xF1, 0xD2, kSmart, "7.48.3"},
    {0xB0, "smart save attribute values", P::non_data, false, C::nothing, 0, 0xD3, kSmart, "ATA8-ACS 7.53.9"},
    {0xB0, "smart execute off line immediate", P::non_data, false, C::nothing, 0, 0xD4, kSmart, "7.48.5"},
    {0xB0, "smart read log", P::pio_in, false, C::pages, 1, 0xD5, kSmart, "7.48.7"},
    {0xB0, "smart write log", P::pio_out, false, C::pages, 1, 0xD6, kSmart, "7.48.9"},
    {0xB0, "smart enable operations", P::non_data, false, C::nothing, 0, 0xD8, kSmart, "7.48.4"},
    {0xB0, "smart disable operations", P::non_data, false, C::nothing, 0, 0xD9, kSmart, "7.48.2"},
    {0xB0, "smart return status", P::non_data, false, C::nothing, 0, 0xDA, kSmart, "7.48.8"},
    {0xB0, "smart automatic off line", P::non_data, false, C::nothing, 0xF8, 0xDB, kSmart, "SFF-8035i"},
    {0xB1, "device configuration overlay", P::non_data, false, C::nothing, 0, -1, kNone, "ATA8-ACS 7.11"},
    {0xB1, "device configuration restore", P::non_data, false, C::nothing, 0, 0xC0, kNone, "ATA8-ACS 7.11"},
    {0xB1, "device configuration freeze lock", P::non_data, false, C::nothing, 0, 0xC1, kNone, "ATA8-ACS 7.11"},
    {0xB1, "device configuration identify", P::pio_in, false, C::nothing, 0, 0xC2, kNone, "ATA8-ACS 7.11"},
    {0xB1, "device configuration set", P::pio_out, false, C::nothing, 0, 0xC3, kNone, "ATA8-ACS 7.11"},
    {0xB4, "sanitize device", P::non_data, true, C::nothing, 0, -1, kNone, "7.36"},
    {0xB4, "sanitize status ext", P::non_data, true, C::nothing, 0, 0x0000, kNone, "7.36.9"},
    {0xC4, "read multiple", P::pio_in, false, C::logical_sectors, 1, -1, kNone, "ATA8-ACS 7.30"},
    {0xC5, "write multiple", P::pio_out, false, C::logical_sectors, 1, -1, kNone, "ATA8-ACS 7.68"},
    {0xC6, "set multiple mode", P::non_data, false, C::nothing, 0, -1, kNone, "7.46"},
    {0xC8, "read dma", P::dma_in, false, C::logical_sectors, 1, -1, kNone, "7.20"},
    {0xCA, "write dma", P::dma_out, false, C::logical_sectors, 1, -1, kNone, "7.60"},
    {0xCE, "write multiple fua ext", P::pio_out, true, C::logical_sectors, 1, -1, kNone, "7.67"},
    {0xE0, "standby immediate", P::non_data, false, C::nothing, 0, -1, kNone, "7.53"},
    {0xE1, "idle immediate", P::non_data, false, C::nothing, 0, -1, kNone, "7.15"},
    {0xE1, "idle immediate unload", P::non_data, false, C::nothing, 0, 0x44, 0x554E4C, "7.15.2"},
    {0xE2, "standby", P::non_data, false, C::nothing, 0, -1, kNone, "7.52"},
    {0xE3, "idle", P::non_data, false, C::nothing, 0, -1, kNone, "7.14"},
    {0xE4, "read buffer", P::pio_in, false, C::nothing, 0, -1, kNone, "7.19"},
    {0xE5, "check power mode", P::non_data, false, C::nothing, 0, -1, kNone, "7.3"},
    {0xE6, "sleep", P::non_data, false, C::nothing, 0, -1, kNone, "7.49"},
    {0xE7, "flush cache", P::non_data, false, C::nothing, 0, -1, kNone, "7.10"},
    {0xE8, "write buffer", P::pio_out, false, C::nothing, 0, -1, kNone, "7.59"},
    {0xE9, "read buffer dma", P::dma_in, false, C::nothing, 0, -1, kNone, "7.19"},
    {0xEA, "flush cache ext", P::non_data, true, C::nothing, 0, -1, kNone, "7.11"},
    {0xEB, "write buffer dma", P::dma_out, false, C::nothing, 0, -1, kNone, "7.59"},
    {0xEC, "identify device", P::pio_in, false, C::nothing, 0, -1, kNone, "7.12"},
    {0xEF, "set features", P::non_data, false, C::nothing, 0, -1, kNone, "7.45"},
    {0xF1, "security set password", P::pio_out, false, C::nothing, 0, -1, kNone, "7.41"},
    {0xF2, "security unlock", P::pio_out, false, C::nothing, 0, -1, kNone, "7.42"},
    {0xF3, "security erase prepare", P::non_data, false, C::nothing, 0, -1, kNone, "7.38"},
    {0xF4, "security erase unit", P::pio_out, false, C::nothing, 0, -1, kNone, "7.39"},
    {0xF5, "security freeze lock", P::non_data, false, C::nothing, 0, -1, kNone, "7.40"},
    {0xF6, "security disable password", P::pio_out, false, C::nothing, 0, -1, kNone, "7.37"},
    {0xF8, "read native max address", P::non_data, false, C::nothing, 0, -1, kNone, "ATA8-ACS 7.31"},
    {0xF9, "set max address", P::non_data, false, C::nothing, 0, -1, kNone, "ATA8-ACS 7.49"},
};
// clang-format on

/// A name in lower case, words apart by one space.
std::string plain(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
  if (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

/// What people and tools call them besides.
struct Alias {
  std::string_view alias, name;
};
constexpr std::array<Alias, 16> kAliases = {{
    {"identify", "identify device"},
    {"read fpdma", "read fpdma queued"},
    {"write fpdma", "write fpdma queued"},
    {"read sector s", "read sectors"},
    {"read sector s ext", "read sectors ext"},
    {"write sector s", "write sectors"},
    {"write sector s ext", "write sectors ext"},
    {"read verify sector s", "read verify sectors"},
    {"read verify sector s ext", "read verify sectors ext"},
    {"ncq queue management", "ncq non data"},
    {"smart read attribute thresholds", "smart read thresholds"},
    {"smart read attribute values", "smart read data"},
    {"smart enable disable attribute autosave", "smart attribute autosave"},
    {"smart execute off line", "smart execute off line immediate"},
    {"smart execute offline immediate", "smart execute off line immediate"},
    {"data set management trim", "data set management"},
}};

struct Named {
  std::uint8_t value;
  std::string_view name;
};

// ACS-3, table 128 (7.45.1); those that it has dropped by ATA8-ACS.
constexpr std::array<Named, 38> kFeatures = {{
    {0x02, "enable volatile write cache"},
    {0x03, "set transfer mode"},
    {0x05, "enable APM"},
    {0x06, "enable power-up in standby"},
    {0x07, "power-up in standby spin-up"},
    {0x0A, "reserved for CFA"},
    {0x0B, "enable write-read-verify"},
    {0x0C, "enable device life control"},
    {0x10, "enable Serial ATA feature"},
    {0x41, "enable free-fall control"},
    {0x42, "enable automatic acoustic management"},
    {0x43, "maximum host interface sector times"},
    {0x4A, "extended power conditions"},
    {0x50, "advanced background operation"},
    {0x55, "disable read look-ahead"},
    {0x5D, "enable release interrupt"},
    {0x5E, "enable service interrupt"},
    {0x62, "long physical sector alignment error reporting"},
    {0x63, "enable data set management"},
    {0x66, "disable reverting to power-on defaults"},
    {0x69, "long physical sector alignment error reporting (old)"},
    {0x82, "disable volatile write cache"},
    {0x85, "disable APM"},
    {0x86, "disable power-up in standby"},
    {0x8A, "reserved for CFA"},
    {0x8B, "disable write-read-verify"},
    {0x8C, "disable device life control"},
    {0x90, "disable Serial ATA feature"},
    {0xAA, "enable read look-ahead"},
    {0xC1, "disable free-fall control"},
    {0xC2, "disable automatic acoustic management"},
    {0xC3, "sense data reporting"},
    {0xCC, "enable reverting to power-on defaults"},
    {0xDD, "disable release interrupt"},
    {0xDE, "disable service interrupt"},
    {0x04, "enable automatic defect reassignment (ATA-3)"},
    {0x84, "disable automatic defect reassignment (ATA-3)"},
    {0xBB, "4 bytes of vendor data on READ LONG (ATA-3)"},
}};

// ACS-3, 7.3.4; 81h and 82h are obsolete names of idle conditions.
constexpr std::array<Named, 11> kModes = {{
    {0x00, "standby (standby_z)"},
    {0x01, "standby_y"},
    {0x40, "NV cache power mode, spun down"},
    {0x41, "NV cache power mode, spun up"},
    {0x80, "idle"},
    {0x81, "idle_a"},
    {0x82, "idle_b"},
    {0x83, "idle_c"},
    {0xFF, "active or idle"},
    {0xFE, ""},
    {0xFD, ""},
}};

std::string bits_text(std::uint8_t bits, const std::array<const char*, 8>& names) {
  std::string text;
  for (unsigned bit = 8; bit-- > 0;) {
    if ((bits >> bit & 1u) == 0) continue;
    if (!text.empty()) text += ' ';
    text += names.at(bit);
  }
  return text;
}

template <std::size_t N>
std::string_view named(const std::array<Named, N>& list, std::uint8_t value) {
  for (const Named& one : list)
    if (one.value == value) return one.name;
  return {};
}

}  // namespace

std::string_view name_of(Protocol protocol) {
  switch (protocol) {
    case P::non_data:
      return "non-data";
    case P::pio_in:
      return "PIO data-in";
    case P::pio_out:
      return "PIO data-out";
    case P::dma_in:
      return "DMA data-in";
    case P::dma_out:
      return "DMA data-out";
    case P::queued_in:
      return "queued data-in";
    case P::queued_out:
      return "queued data-out";
    case P::queued_non_data:
      return "queued non-data";
    case P::packet:
      return "packet";
  }
  return {};
}

const std::vector<CommandInfo>& all_commands() {
  return command_table;
}

const CommandInfo* find_command(std::string_view name) {
  std::string wanted = plain(name);
  for (const Alias& alias : kAliases)
    if (wanted == alias.alias) wanted = alias.name;
  for (const CommandInfo& one : command_table)
    if (one.name == wanted) return &one;
  return nullptr;
}

const CommandInfo* command_of(std::uint8_t code, std::uint16_t features, std::uint64_t lba) {
  const CommandInfo* best = nullptr;
  for (const CommandInfo& one : command_table) {
    if (one.code != code) continue;
    if (!best) best = &one;
    // SMART's LBA has the log's address or the kind of self-test in its low byte.
    const bool address = one.lba == kNone ||
                         (lba & ~std::uint64_t{0xFF}) == (static_cast<std::uint64_t>(one.lba) & ~std::uint64_t{0xFF});
    const std::uint16_t given = one.wide ? features : features & 0xFFu;
    if (one.features >= 0 && given == one.features && address) return &one;
  }
  return best;
}

std::string_view near_command(std::string_view name) {
  std::vector<std::string_view> names;
  names.reserve(command_table.size() + kAliases.size());
  for (const CommandInfo& one : command_table) names.push_back(one.name);
  for (const Alias& one : kAliases) names.push_back(one.alias);
  const std::string wanted = plain(name);
  std::string_view near = nearest(wanted, names.data(), names.data() + names.size());
  if (!near.empty() || wanted.size() < 3) return near;
  for (const std::string_view one : names)
    if (one.find(wanted) != std::string_view::npos) return one;
  return {};
}

std::string title_of(std::uint8_t code, std::uint16_t features, std::uint64_t lba) {
  const CommandInfo* const info = command_of(code, features, lba);
  if (!info) return fmt::format("command {:02X}h", code);
  std::string title(info->name);
  std::transform(title.begin(), title.end(), title.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return title;
}

std::string status_text(std::uint8_t status) {
  return bits_text(status, {"ERR", "SENSE", "ALIGN", "DRQ", "DSC", "DF", "DRDY", "BSY"});
}

std::string error_text(std::uint8_t error) {
  return bits_text(error, {"bit0", "EOM", "ABRT", "MCR", "IDNF", "MC", "UNC", "ICRC"});
}

std::string_view set_features_name(std::uint8_t feature) {
  return named(kFeatures, feature);
}

std::string_view power_mode_name(std::uint8_t count) {
  return named(kModes, count);
}

}  // namespace armature::sata
