#pragma once

#include "armature/core/kernel_time.h"

#include <systemc>

namespace armature {

/// Gives what happens at one instant an order by design. The kernel runs the processes of an instant in an order that
/// hangs on all that is scheduled, also by waves and by other drives. A process that decides something at its instant
/// (firmware that reads what hardware does, a timer of idle time that a command may end) waits with that, by delta
/// cycles, for as long as anything else is to happen at the instant.
///
///     void Block::due() {
///       if (!order_.reached(event_)) return;  // `event_` triggers this process again
///       ...
///
/// Two that wait for each other wait for so many delta cycles at most: the one with the lower rank comes first.
class Behind {
 public:
  /// Ranks: delta cycles at most.
  enum Rank : unsigned {
    kHardware = 0,  ///< what does not use this class
    kFirmware = 4,
    kHost = 8,
    kArrayWork = 12,  ///< rebuild and scrub: the host's commands come first
    kCacheIdle = 16,
    kStoreIdle = 24,
  };

  explicit Behind(Rank rank) : rank_(rank) {}

  /// False: not yet, and `event` is notified for the next delta cycle.
  bool reached(sc_core::sc_event& event) {
    if (waited_ < rank_ && sc_core::sc_pending_activity_at_current_time()) {
      ++waited_;
      event.notify(sc_core::SC_ZERO_TIME);
      return false;
    }
    waited_ = 0;
    return true;
  }
  /// The event has been cancelled.
  void cancel() { waited_ = 0; }

 private:
  const unsigned rank_;
  unsigned waited_ = 0;
};

}  // namespace armature
