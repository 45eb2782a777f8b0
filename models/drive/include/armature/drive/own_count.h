#pragma once

#include <string>

namespace armature::drive {

/// A figure that only some mechanisms have, for the summary.
struct OwnCount {
  std::string name;  ///< with its unit
  std::string unit, meaning;
  double value;
};

}  // namespace armature::drive
