#pragma once

#include "armature/observe/run_outputs.h"

#include <vector>

namespace armature::app {

class LinkedDrive;

/// For summary.json: of a drive, its link and its host.
std::vector<observe::Counter> counters(LinkedDrive& drive);

}  // namespace armature::app
