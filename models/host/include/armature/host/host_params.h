#pragma once

#include "armature/core/schema.h"

#include <cstdint>

namespace armature::host {

/// In the order of the key `policy`.
enum class Policy : int { fcfs, clook, sstf, sptf, aged_sptf };

/// Keys of the section `host`.
struct HostParams {
  int policy = static_cast<int>(Policy::fcfs);  ///< index of: fcfs, clook, sstf, sptf, asptf
  bool ncq = true;               ///< READ/WRITE FPDMA QUEUED; otherwise READ/WRITE DMA EXT, one at a time
  std::int64_t tags = 32;        ///< command tags of host and drive; above 32 is a study mode
  std::int64_t depth = 0;        ///< most requests at the drive at once; 0: as many as tags
  double ageing_weight = 0.006;  ///< asptf: seconds of positioning time that a second of waiting is worth
  bool identify = false;         ///< IDENTIFY DEVICE before the first request
  bool verify = false;           ///< writes carry data, and what reads bring is compared: contents_check.h

  void keys(KeyVisitor& visitor);

  /// Requests at the drive at once under these keys, 1 to 1,024. Throws InputError if `depth` is above `tags`.
  unsigned in_flight_limit() const;
  /// The policy asks the positioning oracle: a study aid that no host has.
  bool needs_oracle() const { return policy >= static_cast<int>(Policy::sstf); }
};

}  // namespace armature::host
