#pragma once

#include "armature/mems/layout.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace armature::mems {

/// Blocks that lie under the tips at one position of the sled: those of one cylinder and row, on all tracks. As many of
/// them as tips may be active are read in the same pass. If each tip can be moved against the others by `reach` bits in
/// X, those of the neighbouring cylinders belong to them too.
///
/// Schlosser's formula (dissertation 2004, 6.3.2) with its two misprints mended (docs/guide/mems.md): it needs no
/// search. With p blocks a row, N squares (places that a block can have at one position), Nx = p, Ny = N / p, ST blocks
/// a track, SC a cylinder, the members at cylinder x and row y are, for 0 <= i < N,
///
///     SC x + ST floor(i / Nx) + p r + i mod Nx,  r = y, or rows - 1 - y where floor(i / Nx) + Ny x is odd.
class EquivalenceClasses {
 public:
  /// @param reach  in bits of X
  EquivalenceClasses(const Layout& layout, std::uint32_t reach) : layout_(layout), reach_(reach) {}
  explicit EquivalenceClasses(const Layout& layout) : EquivalenceClasses(layout, layout.reach_cylinders()) {}

  /// Members of the block's class in order, itself among them. lbn < blocks().
  std::vector<std::uint64_t> by_formula(std::uint64_t lbn) const;
  /// The same by a look at every block of the sled.
  std::vector<std::uint64_t> by_search(std::uint64_t lbn) const;

  /// Holds the formula against the layout for every block and every position of the store.
  struct Check {
    std::uint64_t blocks = 0;
    std::uint64_t classes = 0;
    std::uint64_t wrong_positions = 0;  ///< blocks that the formula puts elsewhere
    std::uint64_t wrong_classes = 0;    ///< positions whose members differ
  };
  Check check() const;

  /// Why one pass cannot serve all of these blocks; they lie on the store.
  struct Obstacle {
    enum Kind {
      none,
      elsewhere,  ///< the block is not under the tips when those of the first one are
      conflict,   ///< the block needs tips of an earlier one, or tips that share a part with them (Layout::conflict)
      too_many,   ///< the blocks before need as many tips as may be active
    } kind = none;
    std::size_t block = 0;    ///< the first one that cannot be served with those before it
    std::size_t earlier = 0;  ///< conflict: the one that it excludes
  };
  Obstacle obstacle(const std::vector<std::uint64_t>& lbns) const;

 private:
  /// A sled's position by the formula's own arithmetic.
  struct Position {
    std::uint64_t sled, x, y;
  };
  Position position(std::uint64_t lbn) const;
  std::vector<std::uint64_t> members(const Position& at) const;

  Layout layout_;
  std::uint32_t reach_;
};

}  // namespace armature::mems
