#pragma once

#include "armature/arbiter/sled_cost.h"
#include "armature/core/time.h"
#include "sled.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace armature::mems {

/// What the arbitration unit is given of the sleds: where each would leave for a decision, and the times of all seeks
/// in 1/64 tick, rounded up.
class DriveSledSeeks final : public arbiter::SledSeeks {
 public:
  /// @param period     of the unit's clock, ps
  /// @param departure  from the beginning of a decision until the sled leaves, ps
  DriveSledSeeks(const MemsParams& params, const SledTimes& times, const std::vector<std::unique_ptr<Sled>>& sleds,
                 Ps period, Ps departure);

  unsigned sleds() const override { return static_cast<unsigned>(sleds_.size()); }
  arbiter::SledDeparture departure(unsigned arm, std::int64_t edge) const override;
  std::int64_t x(std::uint32_t from, std::uint32_t to) const override;
  arbiter::SledWay y(std::uint32_t from, std::uint32_t row, bool up) const override;

  /// Picoseconds in 1/64 of the unit's ticks, rounded up.
  static std::int64_t units(Ps t);
  /// Throws InputError if the RTL has no room for the sled's times or places.
  static void check_rtl(const MemsParams& params, const Layout& layout, Ps departure);

 private:
  arbiter::SledWay way(std::uint32_t from, std::uint32_t row, bool up) const;

  const SledTimes& times_;
  const std::vector<std::unique_ptr<Sled>>& sleds_;
  const Ps period_, departure_;
  const bool bidirectional_;
  /// The last answer for each sled, and for what.
  struct Departure {
    std::int64_t edge = -1;
    Ps free_from = 0, inactive_from = 0;
    SledState state;
    arbiter::SledDeparture result;
  };
  mutable std::vector<Departure> departures_;
  mutable std::vector<std::vector<arbiter::SledWay>> ways_;  ///< by the place left, then by row and direction
};

}  // namespace armature::mems
