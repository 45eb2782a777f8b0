// How long a stream of neighbouring blocks must take on a layout, counted by hand: independent of the drive's own walk.
#pragma once

#include "armature/media/geometry.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace armature::testing {

/// Revolutions from the leading edge of block `first` to the trailing edge of block `end - 1` if no turn is lost that
/// the layout does not cost: each track's sectors, and from each track to the next the angle between them, less than a
/// turn, or a turn more where `misses(from, to, angle)` says that the drive cannot be there so soon. Of layouts without
/// servo wedges. Requires first < end <= geometry.sectors().
template <class Misses>
double stream_turns(const media::Geometry& geometry, std::uint64_t first, std::uint64_t end, Misses misses) {
  double turns = 0, behind = 0;  // `behind`: the angle at which the last run ended
  media::Location before;
  for (std::uint64_t block = first; block < end;) {
    const media::Location from = geometry.locate(block);
    const std::uint64_t last = std::min(block + from.run, end) - 1;
    const double angle = static_cast<double>(from.angle.numerator) / static_cast<double>(from.angle.denominator);
    if (block != first) {
      const double between = std::max(angle - behind - std::floor(angle - behind + 1e-9), 0.0);
      turns += between + (misses(before, from, between) ? 1 : 0);
    }
    // Slipped sectors within the run pass, too.
    const double run = static_cast<double>(geometry.physical(last) - geometry.physical(block) + 1) /
                       static_cast<double>(from.sectors_per_track);
    turns += run;
    behind = angle + run;
    before = from;
    block = last + 1;
  }
  return turns;
}

}  // namespace armature::testing
