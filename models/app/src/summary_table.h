#pragma once

#include "armature/app/scenario.h"
#include "armature/observe/run_outputs.h"

#include <string>

namespace armature::app {

/// The figures of a finished run, one column a drive.
std::string summary_table(const Scenario& scenario, const observe::RunOutputs& outputs);

}  // namespace armature::app
