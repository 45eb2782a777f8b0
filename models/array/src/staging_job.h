#pragma once

#include "armature/array/staging.h"
#include "range_locks.h"
#include "sector_set.h"

#include <list>
#include <memory>
#include <vector>

namespace armature::array {

/// A command of the host, what it leaves to be written to the store, or a destage.
struct Staging::Job {
  enum class Kind { command, fill, destage };

  Kind kind = Kind::command;
  unsigned tag = 0;  ///< of the host; of a destage below
  host::BlockCommand command;
  std::uint64_t lbn = 0;  ///< of the array
  std::uint64_t sectors = 0;
  std::vector<std::uint64_t> used;  ///< lines that must stay
  unsigned open = 0;                ///< operations of the store that are out
  bool has_lock = false;            ///< or waits for it
  bool alone = false;               ///< with that lock
  bool below = false;               ///< a command to the members is out
  bool bad = false;                 ///< the store could not do all that was asked of it
  bool counted = false;
  std::uint64_t there = 0;                     ///< sectors of a read that the store had when it began
  std::uint64_t fetched = 0, fetched_end = 0;  ///< sectors that came from the members
  std::vector<std::uint8_t> bytes;             ///< of a fill or destage

  bool reads() const { return command.operation == Operation::read; }
};

struct Staging::Jobs {
  RangeLocks<Job> locks;  ///< of lines
  std::vector<std::unique_ptr<Job>> by_tag;
  std::list<std::unique_ptr<Job>> fills;
  SectorSet lost;  ///< sectors of the array that only the store had
};

}  // namespace armature::array
