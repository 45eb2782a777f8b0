#pragma once

#include "armature/observe/request_record.h"

#include <cstdint>
#include <vector>

namespace armature::observe {

inline constexpr std::uint8_t kIdle = 0xFF;  ///< no phase on a track

/// From `at` on a track of a request is in this phase.
struct RequestEvent {
  Ps at = 0;
  std::uint8_t phase = kIdle;
};

/// A dispatched request: what the drive has published about it so far, and what that makes of its time.
struct RequestCourse {
  struct Grant {
    Ps at;
    std::uint32_t arm;
  };

  Arrival arrival;
  RequestRecord record;
  std::vector<RequestEvent> base, media, link;
  std::vector<Grant> grants;  ///< of all attempts: the arm that works for it from then on
  std::vector<MediaAccess> accesses;

  /// Of another request from now on, which leaves the host's queue under `tag` at `at`. The vectors keep their
  /// capacity.
  void begin(const Arrival& request, std::uint32_t tag, Ps at);
  /// The drive dropped the command and has it again.
  void begin_again(Ps at);

  /// Divides [arrival, completion] among the phases of the record, and into segments.
  /// @returns the sum of the phases
  Ps divide(Ps completion, std::vector<Segment>& timeline);
  /// Finds the times around each access on the media track: the move, on track, the channel's start.
  void time_accesses(std::vector<AccessTiming>& timings) const;
  /// Writes the first access into the record, with the number of all.
  void note_first_access();
};

}  // namespace armature::observe
