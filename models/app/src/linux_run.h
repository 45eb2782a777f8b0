#pragma once

#include "armature/app/simulation.h"

#include <string>
#include <vector>

namespace armature::app {

/// What the guest of a Linux run is made of, and what it does.
struct LinuxRun {
  std::string kernel;                ///< User-Mode Linux, a program
  std::string root;                  ///< folder of its root file system
  std::vector<std::string> command;  ///< as words; empty: a prompt
};

/// What came of it.
struct LinuxResult {
  RunResult run;
  int status = 0;     ///< of the command, or of the shell
  std::string rates;  ///< a sentence: requests and messages a second of wall time
};

/// The folder that the guest sees as /share; throws InputError if it cannot be.
std::string share_of(const Scenario& scenario);

/// Runs a scenario that `give_to_linux` has prepared: as `run` does, with what the guest does as its load.
LinuxResult run_linux(const Scenario& scenario, const LinuxRun& guest, observe::RunOutputs& outputs,
                      const RunControl& control);

}  // namespace armature::app
