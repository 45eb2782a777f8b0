#pragma once

#include "armature/cli/command.h"

#include <filesystem>

namespace armature::app {

struct ScenarioOptions;

// Each adds commands with their options to the program's. What they throw as they run: InputError for what they are
// asked of a file that it does not have, and for a file that is another one; then nothing has been written.

/// `armature run`: simulates a scenario; `serve`: the same for NBD clients, who take the place of its workload.
/// @param options  shared by the commands that read a scenario
void add_run(const cli::Command& program, ScenarioOptions& options);
/// `armature linux`: boots a Linux on the drives of a scenario.
void add_linux(const cli::Command& program, ScenarioOptions& options);
/// `armature import disksim FILE`: converts a drive of another simulator.
void add_import(const cli::Command& program);
/// `armature layout FILE`: the zones of a drive file as its format makes them, or one track of it.
void add_layout(const cli::Command& program);
/// `armature seek FILE`: one seek of a drive in the normal and the quiet mode: phases, power and energy on both rails.
void add_seek(const cli::Command& program);
/// `armature samples RUN`: the waves of a run at equal steps of time, comma-separated.
void add_samples(const cli::Command& program);
/// `armature waves repair RUN`: makes a whole file of the waves of a run that was killed. `waves signals RUN` and
/// `waves changes RUN`: what is in a dump, tab-separated, for other programs.
void add_waves(const cli::Command& program);
/// `armature ata DRIVE [SCRIPT]`: ATA commands to a drive, typed in or of a script, and its answers decoded.
void add_ata(const cli::Command& program);

/// What a command that reads waves does first: if their run was killed, it makes a whole file of them and says so on
/// stderr. If it cannot, or a run still writes them, they are left as they are.
void close_waves_of_killed_run(const std::filesystem::path& dump);

}  // namespace armature::app
