#pragma once

#include "armature/arbiter/cost_model.h"

#include <cstdint>

namespace armature::arbiter {

/// Where a sled would leave if a decision began now: pins of the unit.
struct SledDeparture {
  std::uint32_t x = 0;      ///< X position, from the lower edge
  std::uint32_t y = 0;      ///< bits from the lower edge
  bool up = true;           ///< it moves upwards then
  std::int64_t turn = 0;    ///< to turn round there, 1/64 tick
  std::int64_t leaves = 0;  ///< from the beginning of the decision on, 1/64 tick
};

/// A seek in Y to the end of a row from which the tips pass over it: a word of the memory of seeks.
struct SledWay {
  std::int64_t time = 0;  ///< 1/64 tick, with the turnaround at its end if the sled would arrive the other way
  bool up = false;        ///< the way leads upwards; where the sled is at the row's end it counts as downwards
  bool at = false;        ///< the sled is at the row's end
  bool none = false;      ///< tips do not read in that direction
};

/// What the unit is given for a sled's cost (COST_MODEL 1 of the RTL): the sleds' places, and a memory of the times of
/// all seeks. Answers are part of decisions, so they depend on nothing but the arguments and what firmware or the
/// mechanism did before.
///
/// The RTL has room for times below these limits; the C++ reference takes any.
class SledSeeks {
 public:
  static constexpr unsigned kShift = 6;                   ///< times count in 2^-6 tick
  static constexpr std::int64_t kMostSeek = 1 << 29;      ///< of X, and of Y
  static constexpr std::int64_t kMostTurn = 1 << 28;      ///< SledDeparture::turn
  static constexpr std::int64_t kMostLeaves = 1 << 30;    ///< SledDeparture::leaves
  static constexpr std::uint32_t kMostPlaces = 1u << 16;  ///< X positions, places in Y, rows
  static constexpr unsigned kLatency = 4;                 ///< clocks from an address of the memory to its word

  virtual unsigned sleds() const = 0;  ///< arms that have one
  /// Where the arm's sled would leave for a decision that begins at `edge` of the unit's clock.
  virtual SledDeparture departure(unsigned arm, std::int64_t edge) const = 0;
  /// Seek and settling from one X position to another, 1/64 tick.
  virtual std::int64_t x(std::uint32_t from, std::uint32_t to) const = 0;
  /// From a place in Y to where the tips begin to pass over the row, upwards or downwards.
  virtual SledWay y(std::uint32_t from, std::uint32_t row, bool up) const = 0;

 protected:
  ~SledSeeks() = default;
};

/// Positioning of a sled, as rtl/aau/aau_sled_cost.sv computes it: X and Y move at the same time, and the tips pass
/// over the row in the direction that is reached sooner.
class SledCost final : public CostModel {
 public:
  explicit SledCost(const SledSeeks& seeks) : seeks_(seeks) {}
  std::int64_t ticks(unsigned arm, const Target& target, std::int64_t edge, std::int64_t most) const override;
  std::uint32_t leaves_from(unsigned arm, std::int64_t edge) const override { return seeks_.departure(arm, edge).x; }

 private:
  const SledSeeks& seeks_;
};

}  // namespace armature::arbiter
