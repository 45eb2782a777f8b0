#pragma once

#include "armature/observe/run_outputs.h"

#include <vector>

namespace armature::app {

class HostedArray;

/// Of its controller, its cache, and the store in front of its members.
std::vector<observe::Counter> counters(const HostedArray& array);

}  // namespace armature::app
