#pragma once

#include "armature/core/time.h"

#include <cstdint>

namespace armature::controller {

/// Calls of one of firmware's handlers, and the time that they took, from the edge at which their interrupts were
/// sampled.
struct HandlerTime {
  const char* handler = nullptr;  ///< "grant"; "reset" and "idle" too
  std::uint64_t calls = 0;
  Ps total = 0;
  Ps most = 0;  ///< of one call
};

}  // namespace armature::controller
