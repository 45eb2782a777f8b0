#pragma once

#include "armature/cli/command.h"
#include "armature/workload/source.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace armature::trace_commands {

/// The load of a scenario's drive `drive`, or, if that is empty, of its array, or of its last drive. `read` is called
/// with the files that the scenario names, before the load is opened. Throws InputError if no such drive has a load.
using ScenarioLoad = std::function<std::unique_ptr<workload::Source>(
    const std::string& scenario, const std::string& drive, const std::vector<std::string>& sets,
    const std::function<void(const std::vector<std::string>&)>& read)>;

/// `armature trace info FILE`: what a trace asks for, or the load of a scenario, without a drive. As it runs it throws
/// InputError for a broken trace; then nothing has been written.
void add(const cli::Command& program, ScenarioLoad load);

}  // namespace armature::trace_commands
