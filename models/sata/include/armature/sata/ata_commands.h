#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace armature::sata {

/// How the data of a command move (ACS-3, clause 4; Serial ATA 3.0, 13.14 for the queued ones).
enum class Protocol : std::uint8_t {
  non_data,
  pio_in,
  pio_out,
  dma_in,
  dma_out,
  queued_in,
  queued_out,
  queued_non_data,
  packet,  ///< PACKET: not of these drives
};

std::string_view name_of(Protocol protocol);  ///< "PIO data-in"
constexpr bool is_queued(Protocol protocol) {
  return protocol == Protocol::queued_in || protocol == Protocol::queued_out || protocol == Protocol::queued_non_data;
}
constexpr bool takes_data(Protocol protocol) {
  return protocol == Protocol::pio_out || protocol == Protocol::dma_out || protocol == Protocol::queued_out;
}

/// What the count of a command counts, if its data have a length by it.
enum class Counts : std::uint8_t { nothing, logical_sectors, pages };

/// A command by its name in the standard. Subcommands that share an opcode (SMART READ DATA) have rows of their own,
/// with the registers that select them.
struct CommandInfo {
  std::uint8_t code;
  std::string_view name;  ///< in lower case: "read log ext"
  Protocol protocol;
  bool wide;                 ///< 48-bit: the upper halves of count and LBA count
  Counts counts;             ///< its data in 512-byte pages or logical sectors
  std::uint16_t count;       ///< of the count register, if nobody says otherwise
  std::int32_t features;     ///< of the features register; -1: selects nothing
  std::int64_t lba;          ///< of the LBA registers; -1: selects nothing
  std::string_view section;  ///< of ACS-3, or the standard that has it
};

/// All of them, by opcode.
const std::vector<CommandInfo>& all_commands();

/// The command of a name, whatever its case, with spaces, '-' or '_' between the words; null if there is none.
const CommandInfo* find_command(std::string_view name);
/// The row for the registers of a command; null for an opcode without a name.
const CommandInfo* command_of(std::uint8_t code, std::uint16_t features, std::uint64_t lba);
/// The name in the list that is nearest to `name`; empty if none is near.
std::string_view near_command(std::string_view name);
/// "READ LOG EXT", or "command 8Eh".
std::string title_of(std::uint8_t code, std::uint16_t features, std::uint64_t lba);

/// "DRDY DSC ERR", and of the error register "IDNF ABRT"; empty if no bit is set.
std::string status_text(std::uint8_t status);
std::string error_text(std::uint8_t error);

/// The subcommand of SET FEATURES: "enable volatile write cache"; empty if it has no name.
std::string_view set_features_name(std::uint8_t feature);
/// What CHECK POWER MODE means by its count: "standby"; empty if it has no name.
std::string_view power_mode_name(std::uint8_t count);

}  // namespace armature::sata
