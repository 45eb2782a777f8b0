#pragma once

#include "armature/core/schema.h"
#include "armature/host/host_command.h"

#include <cstdint>
#include <vector>

namespace armature::host {

/// In the order of the key `policy`.
enum class Policy : int { fcfs, clook, elevator, sstf, sptf, aged_sptf };

/// How a host resets a drive, in the order of the key `reset_kind`.
enum class ResetKind : int { soft, comreset };

/// What becomes of a request that does not lie on whole logical sectors of 4,096 bytes, in the order of the key
/// `unaligned`: an error of the input, or the whole sectors that it touches.
enum class Unaligned : int { fail, widen };

/// A row of `standby_plan`.
struct StandbySpan {
  double down_s = 0;  ///< when the host sends STANDBY IMMEDIATE
  double up_s = 0;    ///< and IDLE IMMEDIATE
};

/// A row of `background_ranges`, in sectors of 512 bytes.
struct BackgroundRange {
  std::int64_t first = 0;
  std::int64_t sectors = 0;
};

/// Keys of the section `host`.
struct HostParams {
  Policy policy = Policy::fcfs;
  bool ncq = true;                  ///< READ/WRITE FPDMA QUEUED; otherwise READ/WRITE DMA EXT, one at a time
  std::int64_t tags = 32;           ///< command tags of host and drive; above 32 is a study mode
  std::int64_t depth = 0;           ///< most requests at the drive at once; 0: as many as tags
  double batch_s = 0;               ///< a request waits so long for others while nothing is at the drive; 0: never
  std::int64_t batch_requests = 0;  ///< that end the wait; 0: only the time does
  double ageing_weight = 0.006;     ///< asptf: seconds of positioning time that a second of waiting is worth
  bool identify = false;            ///< IDENTIFY DEVICE before the first request
  bool verify = false;              ///< writes carry data, and what reads bring is compared: contents_check.h

  bool read_back = false;  ///< all that was written is read at the end; needs verify
  bool journal = false;    ///< what the host was told of each write: write_journal.h

  double reset_interval_ms = 0;  ///< the adapter resets the drive at each multiple of it; 0: never
  ResetKind reset_kind = ResetKind::soft;

  double timeout_s = 0;        ///< after which a command's host resets the drive; 0: never
  std::int64_t retries = 5;    ///< of a command that timed out or whose data were damaged on the link
  bool parallel = false;       ///< requests that one pass of a MEMS store serves go to it together
  bool seek_only = false;      ///< reads and writes are sent as SEEK
  double standby_after_s = 0;  ///< STANDBY IMMEDIATE after this time without a request; 0: never
  double standby_timer_s = 0;  ///< the drive's own timer, set at the start by IDLE; 0: not set
  std::vector<StandbySpan> standby_plan;
  std::int64_t acoustic_level = 0;          ///< SET FEATURES 42h before the first request, 128 to 254; 0: not sent
  double acoustic_switch_s = 0;             ///< period of changes between that level and 254; 0: never
  std::int64_t duration_limit = 0;          ///< that requests name, a descriptor of log 18h; 0: none do
  double limited_share = 1;                 ///< of the requests that name it, spread evenly
  std::int64_t background_outstanding = 0;  ///< background reads beside the requests (background_reads.h)
  std::int64_t background_sectors = 128;    ///< of each
  std::vector<BackgroundRange> background_ranges;  ///< what they read; empty: all of the drive
  Unaligned unaligned = Unaligned::fail;
  std::vector<HostCommand> commands;  ///< that the host sends beside its requests

  void keys(KeyVisitor& visitor);
  void standby_keys(KeyVisitor& visitor);     ///< a part of these
  void background_keys(KeyVisitor& visitor);  ///< and these

  /// Requests at the drive at once under these keys, 1 to 1,024. Throws InputError if `depth` is above `tags`.
  unsigned in_flight_limit() const;
  /// Throws InputError if `batch_requests` stands without `batch_s`.
  void check_batch() const;
  /// Throws InputError if the spans of `standby_plan` do not follow one another.
  void check_plan() const;
  /// Value of STANDBY and IDLE for the least standard period of `standby_timer_s` and more.
  std::uint8_t standby_timer_value() const;
  /// The policy asks the positioning oracle: a study aid that no host has.
  bool needs_oracle() const { return policy >= Policy::sstf; }
};

}  // namespace armature::host
