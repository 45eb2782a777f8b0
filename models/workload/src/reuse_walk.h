#pragma once

#include "armature/core/random.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace armature::workload {

/// A random walk with hierarchical reuse over blocks of equal size, as the SPC-1 load has it (Daniel and Faith, "A
/// portable, open-source implementation of the SPC-1 workload", IISWC 2005, and their program spc1.c 1.4).
///
/// Leaves of 8 blocks are those of a binary tree. A step climbs 7 levels from the present leaf, and each further one
/// with probability 0.44 until the root; the next leaf is uniform over the leaves below. A read takes the blocks of its
/// leaf in turn. A write goes to a leaf whose number is a multiple of 8: half of the writes to a random block there,
/// half to the one that a read would take next. After 15 % of the writes the next write is to the same block.
///
/// The tree has the smallest power of two of leaves that covers all; a leaf outside is drawn again. (The program has a
/// choice of three treatments of a region that is no power of two.)
class ReuseWalk {
 public:
  /// @param blocks  of the region, at least 8; what is left over a multiple of 8 is never asked for
  /// @param stream  name of its random numbers' stream
  ReuseWalk(std::uint64_t blocks, std::uint64_t seed, const std::string& stream);

  static constexpr std::uint64_t kBlocksOfLeaf = 8;

  std::uint64_t next(bool write);  ///< number of the next block in the region

 private:
  static constexpr std::size_t kPage = 4096;  // leaves whose state is allocated together, when one of them is read
  using Page = std::array<std::uint8_t, kPage>;

  std::uint64_t step();
  std::uint8_t state(std::uint64_t leaf) const;
  void advance(std::uint64_t leaf);

  RandomStream random_;
  const std::uint64_t leaves_;
  unsigned levels_ = 0;
  std::uint64_t leaf_;
  std::vector<std::unique_ptr<Page>> states_;  // the block that a read of the leaf takes next
  bool again_ = false;                         // the next write is to `written_`
  std::uint64_t written_ = 0;
};

}  // namespace armature::workload
