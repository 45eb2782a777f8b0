#pragma once

#include "armature/array/power_budget.h"
#include "armature/core/schema.h"

#include <cstdint>
#include <string>
#include <vector>

namespace armature::array {

/// In the order of the key `level`.
enum class Level : int { concat, raid0, raid1, raid10, raid4, raid5 };

/// How the parity of a row that is written in part is made, in the order of the key `parity_write`.
enum class ParityWrite : int { fewest, read_modify_write, reconstruct_write };

/// What a read with parity reads besides its data, in the order of the key `read_parity`.
enum class ReadParity : int { none, read, check };

/// Which copy of a mirrored block is read, in the order of the key `mirror_read`.
enum class MirrorRead : int { shortest_queue, nearest, round_robin, first, queue_threshold, fastest };

/// Priority of the reads of a rebuild at the members, in the order of the key `rebuild_reads`.
enum class RebuildReads : int { normal, background };

/// Order in which the array's queue gives requests to the controller, in the order of the key `policy`.
enum class QueuePolicy : int { fcfs, clook, elevator };

/// A row of `failures`: the member (position in `members`) is out of service from this time on.
struct MemberFailure {
  double time_s = 0;
  std::int64_t member = 0;
};

/// How members are given to the buses, in the order of the key `bus.assignment`: equal groups of neighbours, or in
/// turn.
enum class BusAssignment : int { groups, alternate };

/// Buses between the controller and its members: keys of the section `array.bus`.
struct BusParams {
  std::int64_t count = 0;  ///< 0: each member has a link of its own and nothing waits
  double mb_s = 160;
  double overhead_us = 0;
  BusAssignment assignment = BusAssignment::groups;

  void keys(KeyVisitor& visitor);
};

/// When a write ends, in the order of the key `cache.write`.
enum class CacheWrite : int { back, through };

/// Which line makes room, in the order of the key `cache.replacement`.
enum class CacheReplacement : int { lru, fifo, clock };

/// Memory of the controller: keys of the section `array.cache`.
struct CacheParams {
  double size_mib = 0;  ///< 0: none
  double line_kib = 4;
  CacheWrite write = CacheWrite::back;
  CacheReplacement replacement = CacheReplacement::lru;
  bool nonvolatile = true;
  double hit_us = 20;
  double destage_at = 0.5;
  double destage_idle_ms = 100;
  std::int64_t destage_depth = 8;

  void keys(KeyVisitor& visitor);
  /// Throws InputError if a line is no whole number of sectors up to 64.
  std::uint32_t line_sectors() const;
  /// Throws InputError if there are fewer than two lines.
  std::uint64_t lines() const;
};

/// Writes to copies that may sleep are put off: keys of the section `array.deferred`.
struct DeferredParams {
  double after_s = 0;       ///< a copy without a read of the host for so long may sleep; 0: no write is put off
  double age_s = 60;        ///< oldest write that is put off
  double most_mib = 64;     ///< of a copy
  std::int64_t copies = 1;  ///< get each write at once

  void keys(KeyVisitor& visitor);
};

/// A row of `staging.warm`: sectors of the array that the store has at the start.
struct WarmRange {
  std::int64_t lbn = 0;
  std::int64_t sectors = 0;
};

/// A store in front of the members that holds what was read and written last: keys of the section `array.staging`.
struct StagingParams {
  std::string store;   ///< name of its drive; empty: none
  double size_gb = 0;  ///< 10^9 bytes of the store that are used; 0: all of it
  std::vector<WarmRange> warm;
  double line_kib = 32;       ///< given up together, at most 32
  double largest_kib = 1024;  ///< of a request that it takes
  double destage_at = 0.5;    ///< share of the lines
  double destage_idle_ms = 100;
  std::int64_t destage_depth = 8;
  bool lazy = false;   ///< members that sleep are left asleep
  double age_s = 0;    ///< oldest write that the members lack; 0: any
  double fails_s = 0;  ///< when the store goes out of service; 0: never

  void keys(KeyVisitor& visitor);
  /// Throws InputError if a line is no whole number of sectors up to 64.
  std::uint32_t line_sectors() const;
  /// Lines for which a store of so many 512-byte sectors has room. Throws InputError if it is smaller than `size_gb`,
  /// or has no room for two.
  std::uint64_t lines(std::uint64_t store_sectors) const;
};

/// A row of `extents`: where a part of a concatenation lies.
struct Extent {
  double size_mib = 0;
  std::int64_t member = 0;
};

/// Keys of the section `array`.
struct ArrayParams {
  Level level = Level::raid5;
  std::vector<std::string> members;  ///< names of drives, or globs; empty: there is no array
  std::vector<std::string> spares;
  std::vector<Extent> extents;  ///< of concat, in the order of the array's addresses; empty: each member as a whole
  std::int64_t copies = 2;      ///< of each block, of Level::raid10
  double stripe_unit_kib = 64;
  ParityWrite parity_write = ParityWrite::fewest;
  ReadParity read_parity = ReadParity::none;
  MirrorRead mirror_read = MirrorRead::shortest_queue;
  double mirror_probe_s = 60;         ///< of MirrorRead::fastest; 0: never
  std::int64_t queue_threshold = 10;  ///< operations out, of MirrorRead::queue_threshold
  QueuePolicy policy = QueuePolicy::fcfs;
  std::int64_t depth = 64;  ///< most requests in the controller at once
  std::vector<MemberFailure> failures;
  double rebuild_unit_kib = 256;
  double rebuild_mb_s = 0;  ///< 0: as fast as it goes
  bool rebuild_to_end = false;
  RebuildReads rebuild_reads = RebuildReads::normal;
  double scrub_mb_s = 0;  ///< of each member; 0: no scrub
  double scrub_unit_kib = 256;
  bool scrub_to_end = false;
  BusParams bus;
  DeferredParams deferred;
  CacheParams cache;
  StagingParams staging;
  PowerBudgetParams power;

  void keys(KeyVisitor& visitor);
  /// 512-byte sectors. Throws InputError if it is no whole number of sectors.
  std::uint32_t stripe_sectors() const;
  std::uint32_t rebuild_sectors() const;
  std::uint32_t scrub_sectors() const;
  /// Throws InputError if writes cannot be put off with these keys.
  void check_deferred() const;
};

}  // namespace armature::array
