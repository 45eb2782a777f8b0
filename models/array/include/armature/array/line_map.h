#pragma once

#include "armature/array/layout.h"
#include "armature/core/time.h"

#include <cstdint>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace armature::array {

/// Which lines of an array's data a write-back front holds in which of its places, which of their sectors are there,
/// and which of these the members lack (dirty). A line is up to 64 sectors at a multiple of their number. A clean line
/// that nobody uses makes room.
class LineMap {
 public:
  using Mask = std::uint64_t;  ///< sectors of a line
  struct Line {
    std::uint64_t place = 0;  ///< its sectors begin at place * line_sectors of the store
    Mask valid = 0;
    Mask dirty = 0;
    Mask destaging = 0;  ///< a destage of these is under way
    Mask rewritten = 0;  ///< of these, the ones that were written since
    Ps since = 0;        ///< when it became dirty
    std::uint64_t stamp = 0;
    unsigned users = 0;  ///< requests under way that need it
    bool used = false;   ///< since the hand passed (clock)
    bool stuck = false;  ///< the members did not take it
    std::vector<std::uint8_t> bytes;
  };
  /// A part of a request in one line.
  struct Part {
    std::uint64_t line = 0;
    Mask mask = 0;
    std::uint64_t first = 0;  ///< sector of the request at which the line begins; negative ones wrap round
  };
  /// Order in which dirty lines are destaged: by `replacement`, or by their addresses, round and round.
  enum class DestageOrder { replacement, address };

  /// @param line_bytes  that a line keeps; 0: its data are elsewhere
  LineMap(std::uint64_t places, std::uint32_t line_sectors, CacheReplacement replacement, DestageOrder order,
          std::size_t line_bytes)
      : places_(places),
        line_sectors_(line_sectors),
        replacement_(replacement),
        order_(order),
        line_bytes_(line_bytes) {}

  std::uint32_t line_sectors() const { return line_sectors_; }
  std::uint64_t places() const { return places_; }
  std::vector<Part> parts(std::uint64_t lbn, std::uint64_t sectors) const;
  /// Null: not there.
  Line* find(std::uint64_t number);
  const Line* find(std::uint64_t number) const { return const_cast<LineMap*>(this)->find(number); }
  bool has(std::uint64_t lbn, std::uint64_t sectors) const;  ///< all of them
  bool valid(std::uint64_t lbn) const;
  bool dirty(std::uint64_t lbn) const;
  /// Used now.
  void touch(std::uint64_t number, Line& line);
  /// There is room for all lines of these sectors, in free places or those of clean lines that nobody uses.
  bool room_for(std::uint64_t lbn, std::uint64_t sectors) const;
  /// A new line without sectors; it counts from the next `changed` on. Null if no line can make room.
  Line* allocate(std::uint64_t number);
  /// As `allocate`, in a place that is free: after a loss of power.
  Line& place_at(std::uint64_t number, std::uint64_t place);
  /// To be called when `valid`, `dirty` or `users` of a line have changed; a line without any is given up.
  void changed(std::uint64_t number);
  void clear();

  /// The first and the end of the dirty sectors to be destaged next, within `row_sectors`: a run from the next dirty
  /// line on, or around it. First and end are equal if all that is dirty is under way or stuck.
  std::pair<std::uint64_t, std::uint64_t> next_run(std::uint64_t row_sectors);
  void begin_destage(std::uint64_t lbn, std::uint64_t sectors);
  /// @param refused  the members did not take it: it is stuck
  void end_destage(std::uint64_t lbn, std::uint64_t sectors, bool refused);
  /// What was refused is tried again.
  void unstick();
  void unstick(Line& line);

  const std::unordered_map<std::uint64_t, Line>& lines() const { return lines_; }
  std::uint64_t dirty_lines() const { return dirty_.size(); }
  std::uint64_t stuck_lines() const { return stuck_; }
  std::uint64_t destaging_lines() const { return destaging_; }
  /// In the order of destages.
  std::vector<std::uint64_t> dirty_numbers() const;
  std::uint64_t dirty_sectors() const;
  /// When the line that is dirty for longest became so; -1: none is.
  Ps oldest() const { return ages_.empty() ? -1 : ages_.begin()->first; }

 private:
  using Order = std::set<std::pair<std::uint64_t, std::uint64_t>>;  ///< stamps and line numbers

  std::uint64_t key(const Line& line) const { return order_ == DestageOrder::replacement ? line.stamp : 0; }
  bool evict();

  const std::uint64_t places_;
  const std::uint32_t line_sectors_;
  const CacheReplacement replacement_;
  const DestageOrder order_;
  const std::size_t line_bytes_;
  std::unordered_map<std::uint64_t, Line> lines_;  ///< by number; never iterated for what happens
  Order evictable_, dirty_;                        ///< dirty_: with 0 in place of stamps if by address
  std::set<std::pair<Ps, std::uint64_t>> ages_;
  std::set<std::uint64_t> given_up_;  ///< places below `fresh_` that are free
  std::uint64_t fresh_ = 0;           ///< places from here on were never used
  std::uint64_t stamp_ = 0;
  std::uint64_t sweep_ = 0;  ///< by address: the line at which the next destage begins to look
  std::uint64_t stuck_ = 0, destaging_ = 0;
};

}  // namespace armature::array
