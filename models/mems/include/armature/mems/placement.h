#pragma once

#include "armature/mems/layout.h"
#include "armature/mems/params.h"

#include <cstdint>
#include <vector>

namespace armature::mems {

/// Where files lie on a store (Schlosser, dissertation 2004, 6.2.3).
enum class Placement {
  random,       ///< in any order, over the whole store
  organ_pipe,   ///< the smallest in the middle cylinders, larger ones further and further to either side
  subregioned,  ///< small ones in the middle of 5 by 5 subregions, the others in the ten on either side
  columnar,     ///< small ones in the middle columns of 25, the others in the ten on either side
};

/// Reads of whole files under different placements. The dissertation gives three shares: 78 % of the files have up to
/// 8 KB, 4 % more than 64 KB, 0.25 % more than 1 MB. Between these sizes the number of larger files falls as a power of
/// the size (from 64 KB to 1 MB sixteen times fewer: the power -1), and beyond 1 MB as before it. The smallest size,
/// 512 bytes, and the largest are assumptions. There are as many files as the middle subregion holds of the smallest
/// share; each is as likely to be read as any other. Files are whole runs of blocks; space that is free lies evenly
/// between them.
///
/// A read begins where the one before ended: the sled seeks to the file's first row and passes over all of its rows,
/// each in the direction that is reached sooner.
class PlacementStudy {
 public:
  /// Throws InputError: a store of several sleds, too few cylinders or rows for subregions, or too little room.
  /// @param largest_mib  the largest size of a file, in MiB; more than 1
  PlacementStudy(const MemsParams& params, std::uint64_t seed, double largest_mib = kLargestMib);
  static constexpr double kLargestMib = 8;

  struct Result {
    double service_ms = 0;  ///< mean of all reads
    double small_ms = 0;    ///< of files of up to 8 KB
    double large_ms = 0;    ///< of the others
  };
  Result run(Placement placement, std::uint32_t reads);

  std::size_t files() const { return files_.size(); }
  std::uint64_t blocks() const { return blocks_; }  ///< of all files
  /// First block of each file, smallest file first.
  std::vector<std::uint64_t> place(Placement placement);
  const std::vector<std::uint32_t>& sizes() const { return files_; }  ///< in blocks, ascending

 private:
  using Order = std::vector<std::size_t>;  // numbers of files

  void make_files(double largest_mib);
  Order shuffled(std::size_t first, std::size_t last);
  void spread(const Order& order, std::uint64_t begin, std::uint64_t end, std::vector<std::uint64_t>& at) const;
  void in_subregion(const Order& order, std::vector<std::uint64_t>& at) const;
  void organ_pipe(std::vector<std::uint64_t>& at) const;
  void outside(std::vector<std::uint64_t>& at);
  std::uint64_t subregion_blocks() const;

  const MemsParams params_;
  const Layout layout_;
  const std::uint64_t seed_;
  std::vector<std::uint32_t> files_;
  std::size_t small_ = 0;  ///< files of up to 8 KB: the first ones
  std::uint64_t blocks_ = 0;
};

}  // namespace armature::mems
