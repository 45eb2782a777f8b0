#pragma once

#include "armature/mems/params.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace armature::mems {

/// Where a sled is and how fast it goes in Y: what decides how long the next movement takes. In X it rests.
struct SledState {
  std::int32_t x = 0;             ///< bits from the middle
  std::int32_t y = 0;             ///< bits from the middle
  std::int64_t y_speed_nm_s = 0;  ///< positive: upwards, to larger y

  bool operator==(const SledState& other) const {
    return x == other.x && y == other.y && y_speed_nm_s == other.y_speed_nm_s;
  }
  bool operator!=(const SledState& other) const { return !(*this == other); }
};

/// The place of a block on its sled. A cylinder is an X position; of its tips so many are active at once, which makes
/// its tracks; a track has rows, each a tip sector high; the blocks of a row are its cells, read at the same time.
struct BlockPlace {
  std::uint32_t sled = 0;
  std::uint32_t cylinder = 0;
  std::uint32_t track = 0;
  std::uint32_t row = 0;  ///< from the lowest y, whatever the order of numbers
  std::uint32_t cell = 0;
  std::uint32_t first_tip = 0;  ///< of as many as a block has: each the next of Layout::tip_stride()

  /// Is it under the tips at the same position of the sled? Then one pass can serve both, whatever their tracks, if
  /// together they do not need more tips than may be active.
  bool same_position(const BlockPlace& other) const {
    return sled == other.sled && cylinder == other.cylinder && row == other.row;
  }
};

/// One pass of the tips over a row.
struct Pass {
  SledState begin;  ///< where the servo burst begins
  SledState end;    ///< where the tip sector ends
};

/// Whole bits in the range of movement in Y. Throws InputError if it has none or too many.
std::int64_t bits_in_y(const SledParams& sled);

/// Where blocks lie, by the parameters of a store. Immutable.
class Layout {
 public:
  /// Throws InputError that begins with the key: no room for a row, a block that needs more tips than may be active,
  /// tips that do not make whole tracks, tips of a row that share a part.
  explicit Layout(const MemsParams& params);

  std::uint64_t blocks() const { return blocks_per_sled_ * sleds_; }
  std::uint64_t blocks_per_sled() const { return blocks_per_sled_; }
  std::uint32_t sleds() const { return sleds_; }
  std::uint32_t cylinders() const { return cylinders_; }
  std::uint32_t tracks() const { return tracks_; }  ///< of a cylinder
  std::uint32_t rows() const { return rows_; }      ///< of a track
  std::uint32_t cells() const { return cells_; }    ///< of a row: blocks read at the same time
  std::uint32_t active_tips() const { return active_tips_; }
  std::uint32_t tips_per_block() const { return tips_per_block_; }
  /// From a block's tip to its next one, as tips are numbered over the die: neighbours have successive numbers.
  std::uint32_t tip_stride() const { return tip_stride_; }
  /// Neighbouring tips of which one works at a time.
  std::uint32_t shared_tips() const { return shared_tips_; }
  /// Cylinders on either side whose blocks a pass can serve (tips.reach_bits).
  std::uint32_t reach_cylinders() const { return reach_cylinders_; }
  std::uint64_t blocks_per_track() const { return std::uint64_t{cells_} * rows_; }
  std::uint64_t blocks_per_cylinder() const { return blocks_per_track() * tracks_; }
  /// Bits in Y from one row to the next.
  std::int32_t row_bits() const { return row_bits_; }
  /// Half the range of movement, in bits.
  std::int32_t reach_x() const { return reach_x_; }
  std::int32_t reach_y() const { return reach_y_; }
  /// Ends of the range in Y. A range of an odd number of bits has its middle in the middle of a bit, half a bit above
  /// 0.
  std::int32_t low_y() const { return -reach_y_; }
  std::int32_t high_y() const { return high_y_; }
  std::int32_t range_y() const { return high_y_ + reach_y_; }
  std::int64_t access_nm_s() const { return access_nm_s_; }

  /// lbn < blocks().
  BlockPlace locate(std::uint64_t lbn) const;
  /// The block at a place; `first_tip` is not looked at.
  std::uint64_t lbn_of(const BlockPlace& place) const;
  /// Is the tip one of the block's?
  bool has_tip(const BlockPlace& place, std::uint32_t tip) const {
    const std::uint32_t behind = tip - place.first_tip;  // a tip before wraps round
    return behind % tip_stride_ == 0 && behind / tip_stride_ < tips_per_block_;
  }
  /// The part that the tips of a block need: blocks with the same one exclude each other in a pass. Below parts().
  std::uint32_t part_of(const BlockPlace& place) const { return part_of_first(place.first_tip); }
  std::uint32_t parts() const { return part_of_first(tip_stride_ == 1 ? tracks_ * active_tips_ : tip_stride_); }
  /// Do two blocks need the same tips, or tips that share a part, so that one pass cannot serve both?
  bool conflict(const BlockPlace& a, const BlockPlace& b) const { return a.sled == b.sled && part_of(a) == part_of(b); }
  /// How many of the blocks lbn .. end - 1, which lie on the store, the pass that reads `lbn` can read: those that
  /// follow it at its position, as many as tips may be active. The end of a track and the beginning of the next one lie
  /// in the same row if the order of rows is serpentine, and then one pass reads both. lbn < end.
  std::uint32_t blocks_of_a_pass(std::uint64_t lbn, std::uint64_t end) const;
  /// Is the row read against the order of its number in a stream?
  bool reversed(std::uint32_t cylinder, std::uint32_t track) const;

  Pass upwards(const BlockPlace& place) const;
  Pass downwards(const BlockPlace& place) const;
  /// The row that a pass is over, from the lowest y.
  std::uint32_t row_of(const Pass& pass) const {
    const std::int32_t low = pass.begin.y < pass.end.y ? pass.begin.y : pass.end.y - servo_bits_;
    return static_cast<std::uint32_t>((low - lowest_) / row_bits_);
  }
  /// Rows whose middle lies in part `number` of `parts` equal parts of the range in Y, from the lowest: the first of
  /// them and the one behind the last. number < parts <= rows(), so that there is at least one.
  std::pair<std::uint32_t, std::uint32_t> rows_in(std::uint32_t number, std::uint32_t parts) const;
  /// Where an inactive sled lies, and in which direction it passes there when it has started: the middle block's row.
  SledState middle() const;

 private:
  std::uint32_t first_tip_of(std::uint32_t track, std::uint32_t cell) const;
  std::uint32_t part_of_first(std::uint32_t first_tip) const {
    return tip_stride_ == 1 ? first_tip / tips_per_block_ : first_tip / shared_tips_;
  }
  void spread_tips(const TipParams& tips);

  std::uint32_t sleds_, cylinders_, tracks_, rows_, cells_, active_tips_, tips_per_block_;
  std::uint32_t tip_stride_ = 1, shared_tips_ = 1, reach_cylinders_ = 0;
  std::int32_t row_bits_, servo_bits_, reach_x_, reach_y_, high_y_, lowest_;
  std::int64_t access_nm_s_;
  std::uint64_t blocks_per_sled_;
  RowOrder order_;
};

}  // namespace armature::mems
