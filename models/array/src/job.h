#pragma once

#include "armature/array/array_controller.h"
#include "armature/array/row_plan.h"
#include "range_locks.h"

#include <optional>
#include <utility>
#include <vector>

namespace armature::array {

/// What a command does to one row.
struct ArrayController::Row {
  std::vector<Piece> pieces;
  std::optional<RowPlan> plan;    ///< with parity
  std::vector<unsigned> written;  ///< by piece: copies that hold it
  bool read_failed = false;
  bool read = false;  ///< all that must be read has been
};

/// A command of the host, or a part of the array's own work.
struct ArrayController::Job {
  enum class Kind { command, flush, rebuild, resync, check, scrub, catch_up };
  enum class Step { waiting, reading, writing };

  Kind kind = Kind::command;
  Step step = Step::waiting;
  unsigned tag = 0;
  host::BlockCommand command;
  std::vector<Row> rows;
  std::vector<std::pair<unsigned, std::uint64_t>> bad;  ///< slots and rows that could not be read
  unsigned open = 0;                                    ///< operations that are out
  bool running = true;                                  ///< of a command: it has not ended
  bool again = false;                                   ///< what a member has of its writes may be lost
  bool has_lock = false;                                ///< or waits for it
  bool lost = false;                                    ///< cannot be done
  host::CommandStatus status;

  // Of rebuild, resync, check, scrub and catch_up: a stretch of each member.
  std::uint64_t lbn = 0;
  std::uint32_t sectors = 0;
  std::vector<unsigned> sources;    ///< slots that are read
  unsigned target = 0;              ///< of catch_up: the slot that is written
  Ps next_at = 0;                   ///< of a rebuild: when the next part may begin
  std::vector<std::uint8_t> bytes;  ///< one stretch a source
  /// Of a scrub: a source that could not be read, and the first LBN of it that could not.
  struct Unread {
    std::size_t source;
    std::uint64_t lbn;
  };
  std::vector<Unread> unread;

  bool reads() const { return command.operation == Operation::read; }
  std::uint8_t* stretch(std::size_t source) {
    return bytes.empty() ? nullptr : bytes.data() + source * sectors * std::size_t{512};
  }
  const std::uint8_t* stretch(std::size_t source) const { return bytes.data() + source * sectors * std::size_t{512}; }
};

struct ArrayController::Locks : RangeLocks<ArrayController::Job> {};

}  // namespace armature::array
