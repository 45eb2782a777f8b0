#pragma once

#include "armature/array/array_controller.h"
#include "buses.h"
#include "commands.h"
#include "deferred.h"
#include "final_check.h"
#include "job.h"
#include "members.h"
#include "operations.h"
#include "range_locks.h"
#include "rebuild.h"
#include "resync.h"
#include "scrub.h"

namespace armature::array {

/// The tasks of an array controller, each with its own state, and what they share. They find each other here.
struct Array {
  Array(const ArrayParams& params, const Layout& layout, unsigned spares, bool data);

  const ArrayParams params;
  const Layout layout;
  const bool data;                   ///< commands and operations carry data
  const std::uint32_t part_sectors;  ///< of rebuilds, of catching up and of the check at the end
  ArrayController::Counters counters;
  sc_core::sc_event settle;

  Operations operations;
  Buses buses;
  Deferred deferred;
  Members members;
  Commands commands;
  Rebuild rebuild;
  Resync resync;
  Scrub scrub;
  FinalCheck end;

  std::uint64_t row_end(std::uint64_t row) const { return (row + 1) * layout.row_sectors(); }
  /// Of rows; of levels without rows, of sectors of a member or, for commands, of the array.
  void lock(Job& job, std::uint64_t first, std::uint64_t last, bool exclusive);
  void lock(StretchJob& job);
  void release(Job& job);
  /// Whole rows of about so many sectors, as one command may have.
  static std::uint32_t whole_rows(std::uint64_t wanted, std::uint64_t row);

 private:
  RangeLocks<Job> locks_;
};

/// Each byte of `to` becomes its exclusive or with that of `from`.
inline void exclusive_or(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) to[i] = static_cast<std::uint8_t>(to[i] ^ from[i]);
}

}  // namespace armature::array
