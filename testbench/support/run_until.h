#pragma once

#include "armature/core/kernel_time.h"

#include <systemc>

namespace armature::testing {

/// Runs all that happens at the present instant. sc_start(duration) leaves out what lies exactly at its end.
inline void settle() {
  while (sc_core::sc_time_to_pending_activity() == sc_core::SC_ZERO_TIME) sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

/// Runs to `at`, with everything that happens there.
inline void run_until(Ps at) {
  if (at > now()) sc_core::sc_start(to_sc_time(at - now()));
  settle();
}

}  // namespace armature::testing
