#include "armature/mems/layout.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature::mems {
namespace {

constexpr std::int64_t kMostBits = 1'000'000;  // of a range of movement

/// A range of movement in bits.
std::int64_t bits_of(double micrometres, double bit_nm, const char* key) {
  // A range that is a whole number of bits shall not lose one to the last digit of a division.
  const auto bits = static_cast<std::int64_t>(std::floor(micrometres * 1000 / bit_nm + 1e-9));
  if (bits < 1) throw InputError(fmt::format("{}: {} um are less than a bit of {} nm", key, micrometres, bit_nm));
  if (bits > kMostBits)
    throw InputError(
        fmt::format("{}: {} um are {} bits of {} nm, more than {}", key, micrometres, bits, bit_nm, kMostBits));
  return bits;
}

/// Tips that may be active at once.
std::int64_t active_of(const MemsParams& params) {
  const TipParams& tips = params.tips;
  const PowerParams& power = params.power;
  if (tips.active > 0 && power.budget_mw == 0) return tips.active;
  if (power.budget_mw == 0) throw InputError("tips.active: 0 means what power.budget_mw allows, and there is none");
  const double room = power.budget_mw - power.sled_mw * static_cast<double>(params.sled.count);
  const double most = power.tip_mw > 0 ? room / power.tip_mw / static_cast<double>(params.sled.count)
                                       : static_cast<double>(room < 0 ? 0 : tips.usable);
  if (tips.active > 0) {
    if (static_cast<double>(tips.active) > most)
      throw InputError(fmt::format("tips.active: {} tips draw more than power.budget_mw leaves, which allows {:.0f}",
                                   tips.active, std::max(0.0, std::floor(most))));
    return tips.active;
  }
  // As many whole blocks as the budget allows, of the numbers that divide a sled's tips into tracks.
  const std::int64_t groups = tips.usable / tips.per_block;
  for (std::int64_t cells = groups; cells > 0; --cells)
    if (groups % cells == 0 && static_cast<double>(cells * tips.per_block) <= most) return cells * tips.per_block;
  throw InputError(
      fmt::format("power.budget_mw: {} mW do not allow the {} tips of one block", power.budget_mw, tips.per_block));
}

}  // namespace

std::int64_t bits_in_y(const SledParams& sled) {
  return bits_of(sled.move_y_um, sled.bit_nm, "sled.move_y_um");
}

Layout::Layout(const MemsParams& params) {
  const SledParams& sled = params.sled;
  const TipParams& tips = params.tips;
  const std::int64_t x_bits = bits_of(sled.move_x_um, sled.bit_nm, "sled.move_x_um");
  const std::int64_t y_bits = bits_in_y(sled);
  const std::int64_t active = active_of(params);
  if (tips.per_block > active)
    throw InputError(
        fmt::format("tips.per_block: a block needs {} tips, and {} may be active", tips.per_block, active));
  if (active > tips.usable)
    throw InputError(fmt::format("tips.active: {} tips may be active, and only {} are there", active, tips.usable));
  const std::int64_t row = tips.sector_bits + tips.servo_bits;
  const std::int64_t rows = (y_bits - tips.servo_bits) / row;
  if (rows < 1)
    throw InputError(
        fmt::format("tips.sector_bits: a range of {} bits in Y has no room for a tip sector of {} bits "
                    "between two servo bursts of {}",
                    y_bits, tips.sector_bits, tips.servo_bits));
  sleds_ = static_cast<std::uint32_t>(sled.count);
  cylinders_ = static_cast<std::uint32_t>(x_bits);
  tracks_ = static_cast<std::uint32_t>(tips.usable / active);
  rows_ = static_cast<std::uint32_t>(rows);
  cells_ = static_cast<std::uint32_t>(active / tips.per_block);
  active_tips_ = static_cast<std::uint32_t>(active);
  tips_per_block_ = static_cast<std::uint32_t>(tips.per_block);
  row_bits_ = static_cast<std::int32_t>(row);
  servo_bits_ = static_cast<std::int32_t>(tips.servo_bits);
  reach_x_ = static_cast<std::int32_t>(x_bits / 2);
  reach_y_ = static_cast<std::int32_t>(y_bits / 2);
  high_y_ = static_cast<std::int32_t>(y_bits) - reach_y_;
  // The rows with the servo burst behind the last lie in the middle of the range.
  lowest_ = -(static_cast<std::int32_t>(rows) * row_bits_ + servo_bits_) / 2;
  access_nm_s_ = std::llround(sled.access_kb_s * 1000 * sled.bit_nm);
  if (access_nm_s_ < 1) throw InputError("sled.access_kb_s: the sled would not move");
  blocks_per_sled_ = blocks_per_cylinder() * cylinders_;
  order_ = tips.rows;
  reach_cylinders_ = static_cast<std::uint32_t>(tips.reach_left("reach_bits", tips.reach_bits, sled.bit_nm));
  spread_tips(tips);
}

void Layout::spread_tips(const TipParams& tips) {
  if (tips.spread == TipSpread::die) tip_stride_ = tracks_ * cells_;
  shared_tips_ = static_cast<std::uint32_t>(tips.shared);
  if (shared_tips_ == 1) return;
  if (tips.spread == TipSpread::together)
    throw InputError(fmt::format(
        "tips.shared: neighbours are tips of one block, which work at the same time; {} of them can share a "
        "part with tips.spread = \"die\" only",
        shared_tips_));
  if (tracks_ % shared_tips_ != 0)
    throw InputError(
        fmt::format("tips.shared: {} does not divide the {} tracks of a cylinder, so that tips of one row "
                    "would share a part",
                    shared_tips_, tracks_));
}

std::uint32_t Layout::first_tip_of(std::uint32_t track, std::uint32_t cell) const {
  return tip_stride_ == 1 ? track * active_tips_ + cell * tips_per_block_ : cell * tracks_ + track;
}

bool Layout::reversed(std::uint32_t cylinder, std::uint32_t track) const {
  // Tracks counted over the cylinders: each turns round where the one before ended.
  return order_ == RowOrder::serpentine && (track + (tracks_ % 2 == 1 ? cylinder : 0)) % 2 == 1;
}

BlockPlace Layout::locate(std::uint64_t lbn) const {
  BlockPlace place;
  place.sled = static_cast<std::uint32_t>(lbn / blocks_per_sled_);
  std::uint64_t rest = lbn % blocks_per_sled_;
  place.cylinder = static_cast<std::uint32_t>(rest / blocks_per_cylinder());
  rest %= blocks_per_cylinder();
  place.track = static_cast<std::uint32_t>(rest / blocks_per_track());
  rest %= blocks_per_track();
  place.row = static_cast<std::uint32_t>(rest / cells_);
  place.cell = static_cast<std::uint32_t>(rest % cells_);
  if (reversed(place.cylinder, place.track)) place.row = rows_ - 1 - place.row;
  place.first_tip = first_tip_of(place.track, place.cell);
  return place;
}

std::uint64_t Layout::lbn_of(const BlockPlace& place) const {
  const std::uint32_t row = reversed(place.cylinder, place.track) ? rows_ - 1 - place.row : place.row;
  return place.sled * blocks_per_sled_ + place.cylinder * blocks_per_cylinder() + place.track * blocks_per_track() +
         std::uint64_t{row} * cells_ + place.cell;
}

std::uint32_t Layout::blocks_of_a_pass(std::uint64_t lbn, std::uint64_t end) const {
  const BlockPlace place = locate(lbn);
  std::uint32_t count = 1;
  while (lbn + count < end && count < cells_ && locate(lbn + count).same_position(place)) ++count;
  return count;
}

Pass Layout::upwards(const BlockPlace& place) const {
  const std::int32_t x = static_cast<std::int32_t>(place.cylinder) - reach_x_;
  const std::int32_t y = lowest_ + static_cast<std::int32_t>(place.row) * row_bits_;
  return {{x, y, access_nm_s_}, {x, y + row_bits_, access_nm_s_}};
}

Pass Layout::downwards(const BlockPlace& place) const {
  // The servo burst of the row above stands before the tip sector.
  Pass pass = upwards(place);
  const std::int32_t low = pass.begin.y, high = pass.end.y;
  pass.begin = {pass.begin.x, high + servo_bits_, -access_nm_s_};
  pass.end = {pass.begin.x, low + servo_bits_, -access_nm_s_};
  return pass;
}

std::pair<std::uint32_t, std::uint32_t> Layout::rows_in(std::uint32_t number, std::uint32_t parts) const {
  // The first row whose middle is not below a limit; in half bits, because a row's middle may lie between two bits.
  const auto from = [this, parts](std::uint32_t limit) {
    std::uint32_t row = 0;
    while (row < rows_) {
      BlockPlace place;
      place.row = row;
      const Pass up = upwards(place), down = downwards(place);
      const std::int64_t twice = std::int64_t{up.begin.y} + down.begin.y - 2 * std::int64_t{low_y()};
      if (twice * parts >= 2 * std::int64_t{range_y()} * limit) break;
      ++row;
    }
    return row;
  };
  return {from(number), number + 1 == parts ? rows_ : from(number + 1)};
}

SledState Layout::middle() const {
  return upwards(locate(cylinders_ / 2 * blocks_per_cylinder() + blocks_per_cylinder() / 2)).begin;
}

}  // namespace armature::mems
