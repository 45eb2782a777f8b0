#pragma once

#include "armature/core/random.h"
#include "armature/mems/layout.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace armature::mems {

/// Background reading that costs the foreground nothing: a pass over a row for a request leaves tips unused, and these
/// read blocks of the same equivalence class that are still wanted (Schlosser, dissertation 2004, 6.3.6). All blocks of
/// a store are wanted once. As a pass lasts as long with more tips, the requests do not notice.
///
/// A request makes as many passes as its blocks have positions, of Layout::blocks_of_a_pass blocks each. A pass reads
/// at most as many blocks as a row has cells, none with the tips of another or with tips that share a part with them.
/// With `reach` a tip may also read the block as many bits aside in X; the nearest cylinder goes first, and of the tips
/// those from a random one on.
class BackgroundReading {
 public:
  /// @param reach  bits in X by which each tip can be moved against the others
  BackgroundReading(const Layout& layout, std::uint32_t reach, std::uint64_t seed);
  /// Only these blocks are wanted. Throws InputError that begins with `tips.free_list` if one does not lie on the
  /// store.
  BackgroundReading(const Layout& layout, std::uint32_t reach, std::uint64_t seed, const std::vector<BlockRange>& list);

  /// Serves a request, which lies on the store. Its own blocks count as read. Returns the others that were read with
  /// it.
  const std::vector<std::uint64_t>& serve(std::uint64_t lbn, std::uint32_t sectors);
  /// One pass that reads these blocks, which one pass can serve; `blocks` is not empty. They count as read. Returns the
  /// others that it reads.
  const std::vector<std::uint64_t>& pass(const std::vector<std::uint64_t>& blocks);
  /// The read of a block that pass() returned has failed.
  void want_again(std::uint64_t lbn);

  std::uint64_t wanted() const { return wanted_; }  ///< blocks not yet read

 private:
  void begin();
  void ride(const std::vector<std::uint64_t>& blocks);
  void fill(BlockPlace place, std::uint32_t room);
  void find_cylinders(BlockPlace place);
  std::size_t position_of(const BlockPlace& place) const;
  bool take(std::uint64_t lbn, const BlockPlace& place);

  Layout layout_;
  std::uint32_t reach_;
  RandomStream random_;
  std::vector<bool> read_;            // by block
  std::vector<bool> busy_;            // by part (Layout::part_of)
  std::vector<std::uint32_t> parts_;  // by track and cell, of any position
  std::uint64_t wanted_;
  std::vector<std::uint32_t> wanted_at_;  // by position of the sleds
  std::vector<std::uint32_t> near_;       // cylinders that a pass reaches and that have wanted blocks, nearest first
  std::vector<std::uint64_t> ridden_, own_;
};

}  // namespace armature::mems
