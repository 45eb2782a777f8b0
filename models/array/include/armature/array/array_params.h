#pragma once

#include "armature/core/schema.h"

#include <cstdint>
#include <string>
#include <vector>

namespace armature::array {

/// In the order of the key `level`.
enum class Level : int { concat, raid0, raid1, raid10, raid4, raid5 };

/// How the parity of a row that is written in part is made, in the order of the key `parity_write`.
enum class ParityWrite : int { fewest, read_modify_write, reconstruct_write };

/// Which copy of a mirrored block is read, in the order of the key `mirror_read`.
enum class MirrorRead : int { shortest_queue, nearest, round_robin, first, queue_threshold };

/// Keys of the section `array`.
struct ArrayParams {
  int level = static_cast<int>(Level::raid5);
  std::vector<std::string> members;  ///< names of drives, or globs; empty: there is no array
  std::vector<std::string> spares;
  double stripe_unit_kib = 64;
  int parity_write = static_cast<int>(ParityWrite::fewest);
  int mirror_read = static_cast<int>(MirrorRead::shortest_queue);
  std::int64_t queue_threshold = 10;  ///< operations out, of MirrorRead::queue_threshold
  int policy = 0;           ///< of the array's queue; index of: fcfs, clook
  std::int64_t depth = 64;  ///< most requests in the controller at once
  /// Rows of time (s) and member (position in `members`): it is out of service from then on.
  std::vector<std::vector<double>> failures;
  double rebuild_unit_kib = 256;
  double rebuild_mb_s = 0;  ///< 0: as fast as it goes
  bool rebuild_to_end = false;

  void keys(KeyVisitor& visitor);
  /// 512-byte sectors. Throws InputError if it is no whole number of sectors.
  std::uint32_t stripe_sectors() const;
  std::uint32_t rebuild_sectors() const;
};

}  // namespace armature::array
