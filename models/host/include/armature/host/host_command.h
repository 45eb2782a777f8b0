#pragma once

#include "armature/core/error.h"
#include "armature/core/schema.h"
#include "armature/core/time.h"
#include "armature/sata/ata_commands.h"
#include "armature/sata/fis.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace armature::config {
struct Node;
}

namespace armature::host {

/// A command of the host beside its load: a row of `[[host.commands]]`, or a line of a script of `armature ata`. What
/// is not given is as the command wants it.
struct HostCommand {
  enum After : int { completed, sent };  ///< of the command before

  double at_s = -1;                 ///< since the begin of the run; -1: after the command before
  std::int64_t after_request = -1;  ///< -1: the same
  After after = completed;
  double delay_s = 0;   ///< beyond that
  std::string command;  ///< by its name or opcode; or wait, reset, comreset, power off, power on
  std::string name;     ///< for the answer
  std::int64_t features = -1, count = -1, lba = -1, device = -1, icc = 0, auxiliary = 0;  ///< registers
  std::int64_t limit = 0;
  std::int64_t sectors = -1, log = -1, page = -1, tag = -1;  ///< fields of these
  bool fua = false;
  std::string data;      ///< zeros or pattern
  std::string data_hex;  ///< in place of it
  std::string data_file;
  std::int64_t data_bytes = -1;
  bool now = false;  ///< does not wait until the drive can take it
  double timeout_s = 60;

  Place place;       ///< where it was written; no key
  std::string text;  ///< as it was written in a script; no key

  void keys(KeyVisitor& visitor);
};

/// What a host does when a HostCommand is due.
struct HostOrder {
  enum class Kind : std::uint8_t { command, wait, soft_reset, comreset, power_off, power_on };

  Kind kind = Kind::command;
  Ps at = -1;  ///< -1: not at a time
  std::int64_t after_request = -1;
  HostCommand::After after = HostCommand::completed;
  Ps delay = 0;
  std::string name;   ///< the user's, or the command's
  std::string title;  ///< "READ LOG EXT"
  sata::RegisterH2D registers;
  sata::Protocol protocol = sata::Protocol::non_data;
  bool queued = false;
  std::int64_t tag = -1;          ///< of a queued one; -1: a free one, which then goes into the count register
  bool own_count = false;         ///< the count register of a queued one is as it stands, tag and all
  std::vector<std::uint8_t> out;  ///< data for the drive
  bool now = false;
  Ps timeout = 0;
  Place place;
  std::string text;
};

/// Throws InputError, with the command's place, for registers that are contradictory, names that do not exist, files
/// that cannot be read.
/// @param sector_bytes  of a logical sector
HostOrder order_of(const HostCommand& command, std::uint32_t sector_bytes);

/// Throws InputError if an order cannot follow: a drive that is `off` can only be turned on, or waited for.
void check_power(const HostOrder& order, bool& off);

/// The orders of a list; throws InputError if their times go back.
std::vector<HostOrder> orders_of(const std::vector<HostCommand>& commands, std::uint32_t sector_bytes);

/// Reads the lines of a script (docs/reference/ata.md has its grammar).
class ScriptReader {
 public:
  /// @param folder  that files of data are relative to
  ScriptReader(std::string file, std::string folder) : file_(std::move(file)), folder_(std::move(folder)) {}

  /// The command of a line; nothing for one that has none: empty, a comment, `end`. Throws InputError with file and
  /// line.
  std::optional<HostCommand> read(const std::string& line);
  /// `end`, `exit` or `quit` has been read.
  bool ended() const { return ended_; }
  std::size_t lines() const { return line_; }

  /// A word of a line, and where it begins.
  struct Token {
    std::string text;
    std::size_t column;
  };

 private:
  void read_row(const std::vector<Token>& tokens, HostCommand& command);
  void read_time(const std::vector<Token>& tokens, HostCommand& command, std::size_t& i) const;
  std::string read_words(const std::vector<Token>& tokens, HostCommand& command, std::size_t i, config::Node& keys);
  void take_data(HostCommand& command);

  const std::string file_, folder_;
  std::size_t line_ = 0;
  bool ended_ = false;
  std::int64_t data_bytes_ = -1;  ///< of a line `wdata`, for the next command
};

}  // namespace armature::host
