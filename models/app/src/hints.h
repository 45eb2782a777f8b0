#pragma once

#include "armature/app/scenario.h"
#include "armature/app/simulation.h"
#include "armature/observe/statistics.h"

#include <string>
#include <vector>

namespace armature::app {

/// What of the scenario may surprise, a sentence or two each: caches off, arms that share channels, skews that belong
/// to another speed, requests that cover a small part of a drive.
std::vector<std::string> hints(const Scenario& scenario, const Preparation& preparation);

/// What of the results of the drive `name` may surprise: more requests than it can serve.
std::vector<std::string> hints(const std::string& name, const observe::Statistics& statistics);

}  // namespace armature::app
