#pragma once

#include <string>

namespace armature::arbiter {

/// What the RTL said with $error, $fatal or $stop.
struct RtlFailed {
  std::string message;
};

}  // namespace armature::arbiter
