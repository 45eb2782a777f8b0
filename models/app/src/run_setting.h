#pragma once

#include "armature/app/simulation.h"
#include "armature/observe/run_folder.h"
#include "armature/observe/run_outputs.h"
#include "scenario_options.h"

#include <csignal>
#include <filesystem>
#include <functional>

namespace armature::app {

// What every command that runs a scenario does before and after it.

// The one thing that a signal's handler may touch. It holds the signal's number; the second signal ends the process.
extern volatile std::sig_atomic_t signalled;
void catch_signals();

observe::RunOptions run_options_of(const Scenario& scenario, const Preparation& preparation,
                                   const ScenarioOptions& options);
/// Makes the folder of the results. Throws InputError.
observe::RunOutputs outputs_of(const Scenario& scenario, const observe::RunOptions& options);
/// The resolved configuration into that folder. Throws InputError.
void write_configuration(const observe::RunOptions& options);
/// Calls `simulate`; if a block has refused its parameters, the folder of the results is no more than it was.
int in_new_folder(const Scenario& scenario, const std::function<int()>& simulate);
/// What the words say of the run itself.
RunControl control_of(const ScenarioOptions& options);

}  // namespace armature::app
