#pragma once

#include "armature/core/time.h"

#include <systemc>

#include <cstring>
#include <type_traits>

// Between our time and SystemC's. It stands apart from time.h so that what only counts picoseconds is compiled without
// SystemC's headers.

namespace armature {

/// The kernel's time. Requires the default time resolution of 1 ps.
inline Ps now() {
  // Looked up once: the kernel's context lives as long as the process, and this is called some fifty times a request.
  static const sc_core::sc_time& time = sc_core::sc_get_curr_simcontext()->time_stamp();
  return static_cast<Ps>(time.value());
}

/// As a kernel duration or time; `t` must not be negative.
inline sc_core::sc_time to_sc_time(Ps t) {
  // sc_time::from_value is no inline function, and this is called some thirty times a request. What it does besides,
  // fixing the resolution, is done for good by the first time that is made of seconds.
  static_assert(sizeof(sc_core::sc_time) == sizeof t && std::is_trivially_destructible_v<sc_core::sc_time>);
  sc_core::sc_time time;
  std::memcpy(static_cast<void*>(&time), &t, sizeof t);
  return time;
}

}  // namespace armature
