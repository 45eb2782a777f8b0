#pragma once

#include "armature/app/simulation.h"

namespace armature::app {

/// Checks the array, if the scenario has one, and appends it to what is known of the drives. @throws InputError
void prepare_array(const Scenario& scenario, Preparation& preparation);

}  // namespace armature::app
