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

/// Order in which the array's queue gives requests to the controller, in the order of the key `policy`.
enum class QueuePolicy : int { fcfs, clook };

/// A row of `failures`: the member (position in `members`) is out of service from this time on.
struct MemberFailure {
  double time_s = 0;
  std::int64_t member = 0;
};

/// Keys of the section `array`.
struct ArrayParams {
  Level level = Level::raid5;
  std::vector<std::string> members;  ///< names of drives, or globs; empty: there is no array
  std::vector<std::string> spares;
  double stripe_unit_kib = 64;
  ParityWrite parity_write = ParityWrite::fewest;
  MirrorRead mirror_read = MirrorRead::shortest_queue;
  std::int64_t queue_threshold = 10;  ///< operations out, of MirrorRead::queue_threshold
  QueuePolicy policy = QueuePolicy::fcfs;
  std::int64_t depth = 64;  ///< most requests in the controller at once
  std::vector<MemberFailure> failures;
  double rebuild_unit_kib = 256;
  double rebuild_mb_s = 0;  ///< 0: as fast as it goes
  bool rebuild_to_end = false;

  void keys(KeyVisitor& visitor);
  /// 512-byte sectors. Throws InputError if it is no whole number of sectors.
  std::uint32_t stripe_sectors() const;
  std::uint32_t rebuild_sectors() const;
};

}  // namespace armature::array
