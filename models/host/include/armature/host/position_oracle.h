#pragma once

#include "armature/core/position_model.h"
#include "armature/core/time.h"

namespace armature::host {

/// What a host cannot know: where the drive's arm is and how its disk is turned. A study aid for SSTF, SPTF and aged
/// SPTF in the host, and labelled so in the results.
struct PositionOracle {
  const PositionModel* model = nullptr;  ///< null: the drive offers none
  Ps lead_time = 0;                      ///< in link, firmware and arbitration between a dispatch and the arm's start
};

}  // namespace armature::host
