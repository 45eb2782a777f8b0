#pragma once

#include "armature/core/time.h"

#include <cstdint>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace armature::array {

/// Which lines of an array's data lie in which places of a store, which of their sectors are there, and which of these
/// the members lack (dirty). A line is up to 64 sectors at a multiple of their number. The clean line used longest ago
/// makes room.
class StoreMap {
 public:
  using Mask = std::uint64_t;  ///< sectors of a line
  struct Line {
    std::uint64_t place = 0;  ///< its sectors begin at place * line_sectors of the store
    Mask valid = 0;
    Mask dirty = 0;
    Ps since = 0;  ///< when it became dirty
    std::uint64_t stamp = 0;
    unsigned users = 0;      ///< requests under way that need it
    bool destaging = false;  ///< a destage of it is under way
    bool stuck = false;      ///< the members did not take it
  };
  /// A part of a request in one line.
  struct Part {
    std::uint64_t line = 0;
    Mask mask = 0;
  };

  StoreMap(std::uint64_t places, std::uint32_t line_sectors) : places_(places), line_sectors_(line_sectors) {}

  std::uint32_t line_sectors() const { return line_sectors_; }
  std::uint64_t places() const { return places_; }
  std::vector<Part> parts(std::uint64_t lbn, std::uint64_t sectors) const;
  /// Null: not there.
  Line* find(std::uint64_t number);
  const Line* find(std::uint64_t number) const { return const_cast<StoreMap*>(this)->find(number); }
  bool has(std::uint64_t lbn, std::uint64_t sectors) const;  ///< all of them
  bool valid(std::uint64_t lbn) const;
  bool dirty(std::uint64_t lbn) const;
  /// Used now.
  void touch(Line& line, std::uint64_t number);
  /// There is room for so many further lines, in free places or those of clean lines that nobody uses.
  bool room_for(std::uint64_t lines) const;
  /// A new line without sectors. There must be room for it.
  Line& allocate(std::uint64_t number);
  /// As `allocate`, in a place that is free: after a loss of power.
  Line& place_at(std::uint64_t number, std::uint64_t place);
  /// To be called when `valid`, `dirty` or `users` of a line have changed; a line without any is given up.
  void changed(std::uint64_t number);
  void clear();

  const std::unordered_map<std::uint64_t, Line>& lines() const { return lines_; }
  const std::set<std::uint64_t>& dirty_lines() const { return dirty_; }
  /// When each dirty line became so, and its number: the oldest first.
  const std::set<std::pair<Ps, std::uint64_t>>& ages() const { return ages_; }

 private:
  const std::uint64_t places_;
  const std::uint32_t line_sectors_;
  std::unordered_map<std::uint64_t, Line> lines_;                ///< by number; never iterated for what happens
  std::set<std::pair<std::uint64_t, std::uint64_t>> evictable_;  ///< stamps and numbers
  std::set<std::uint64_t> dirty_;
  std::set<std::pair<Ps, std::uint64_t>> ages_;
  std::set<std::uint64_t> given_up_;  ///< places below `fresh_` that are free
  std::uint64_t fresh_ = 0;           ///< places from here on were never used
  std::uint64_t stamp_ = 0;
};

}  // namespace armature::array
