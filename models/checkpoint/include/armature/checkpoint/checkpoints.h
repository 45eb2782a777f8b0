#pragma once

#include "armature/checkpoint/open_files.h"

#include <sys/types.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace armature::checkpoint {

/// How far a run has come, in steps that the run itself counts (instructions): from the same position, a run goes on
/// in the same way.
using Position = std::uint64_t;

/// Checkpoints of the process itself, to which a run can go back: each is a fork that sleeps, with its memory shared
/// until either writes to it (copy on write).
///
/// One process of the run is the present one. It goes back when it wakes a checkpoint and ends without a trace: the
/// checkpoint leaves a copy of itself that sleeps on, puts the open files back (OpenFiles) and is the present process.
/// The process that the user has started only watches: it hands on signals, ends with the status of the present
/// process, and leaves no process behind. If it is killed, so are all others (docs/guide/firmware-debugging.md).
class Checkpoints {
 public:
  static constexpr std::size_t kMost = 40;
  static constexpr std::size_t kLongestErrand = std::size_t{1} << 18;

  /// Makes the calling process the one that watches, which never returns from here, and returns in a new process: the
  /// present one. Before the program opens files. Throws std::system_error.
  explicit Checkpoints(std::size_t most = kMost);
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  /// Why there can be none from here on; empty if there can.
  std::string unrepeatable() const { return checkpoint::unrepeatable(inherited_, shared_); }

  /// Takes one here. Returns nothing in the process that goes on, and the errand in a process that has been woken:
  /// once for each time that somebody goes back to here. Nothing is taken if fork fails, or if memory is short; where
  /// there would be too many, those far back are thinned out.
  std::optional<std::string> take(Position here);
  /// Wakes the checkpoint at this position, which goes on with the errand. Does not return, unless it fails: why.
  std::string wake(Position checkpoint, std::string_view errand);
  /// Ends those at this position and behind it.
  void forget_from(Position first);
  /// Of the checkpoints there are, ascending.
  std::vector<Position> positions() const;

  /// Number of lines that the run has put where they cannot be taken back; all processes share it.
  std::uint64_t& lines_shown();
  double last_cost_s() const { return last_cost_s_; }  ///< wall time of the last that this process took
  /// Memory of all checkpoints that no other process shares, bytes.
  std::uint64_t own_bytes() const;

 private:
  struct Shared;
  struct Slot {
    pid_t process;  ///< 0: free
    Position at;
  };

  [[noreturn]] void watch_over(pid_t group, int lifeline);
  void become_present(pid_t before);
  std::string sleep(std::size_t slot, OpenFiles& files);
  std::optional<std::size_t> free_slot(Position here);
  void drop(Slot& slot);
  bool wait_for(int event, pid_t other) const;

  std::size_t most_;
  std::set<int> inherited_;
  Shared* shared_ = nullptr;
  pid_t watching_ = 0;
  int lifeline_ = -1;  ///< its other end is closed when the watching process ends
  int ready_ = -1;     ///< a new sleeper has what it needs
  int answer_ = -1;    ///< of a sleeper that was woken
  std::vector<int> bells_;
  double last_cost_s_ = 0;
};

/// Of ascending positions of checkpoints that are too many: which can best be done without. The first always stays; the
/// further back from `here`, the wider the gaps become.
std::size_t least_needed(const std::vector<Position>& positions, Position here);

}  // namespace armature::checkpoint
