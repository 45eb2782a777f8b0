#pragma once

#include "armature/app/scenario.h"
#include "armature/observe/run_outputs.h"

#include <string>
#include <vector>

namespace armature::app {

/// The figures of a finished run, one column a drive.
/// @param counters  of RunResult
std::string summary_table(const Scenario& scenario, const observe::RunOutputs& outputs,
                          const std::vector<std::vector<observe::Counter>>& counters);

}  // namespace armature::app
