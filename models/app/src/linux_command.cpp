#include "commands.h"

#include "armature/app/simulation.h"
#include "armature/cli/status.h"
#include "armature/cli/terminal.h"
#include "armature/core/conversions.h"
#include "gdb_debugger.h"
#include "linux_run.h"
#include "memory_guard.h"
#include "progress_line.h"
#include "run_setting.h"
#include "scenario_options.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace armature::app {
namespace {

/// `armature linux`: boots a Linux on the drives of a scenario.
class LinuxCommand {
 public:
  LinuxCommand(const cli::Command& program, ScenarioOptions& options);

  int run() const;

 private:
  const ScenarioOptions& options_;
  std::string kernel_;
  std::string root_;
  std::vector<std::string> command_;
};

namespace fs = std::filesystem;

/// What a Linux run tells at its end, beside the guest's own output; its exit status.
int linux_status(const observe::RunOptions& run_options, const LinuxResult& result,
                 const std::vector<std::string>& notes, bool quiet) {
  const int status = result.run.ending == Ending::complete      ? result.status
                     : result.run.ending == Ending::interrupted ? kSignalled + (signalled != 0 ? signalled : SIGTERM)
                     : result.run.ending == Ending::until       ? kOk
                     : result.run.ending == Ending::stalled     ? kNoProgress
                     : result.run.ending == Ending::bad_input   ? kBadInput
                                                                : kInternalError;
  if (result.run.ending != Ending::complete) fmt::print(stderr, "not complete: {}\n", result.run.message);
  if (quiet) return status;
  for (const std::string& note : notes) fmt::print(stderr, "note: {}\n", note);
  fmt::print(stderr, "simulated {:.6f} s in {:.2f} s; {}\nreport: {}\n", to_seconds(result.run.end),
             result.run.wall_seconds, result.rates, (fs::path(run_options.directory) / "report.html").string());
  return status;
}

/// Writing begins here: everything that can be checked without it has been.
int simulate(const Scenario& scenario, Preparation preparation, const LinuxRun& guest, const ScenarioOptions& options,
             GdbDebugger* gdb) {
  if (gdb) preparation.waves.switched = !preparation.waves.window();
  const observe::RunOptions run_options = run_options_of(scenario, preparation, options);
  observe::RunOutputs outputs = outputs_of(scenario, run_options);
  write_configuration(run_options);
  ProgressLine progress(stderr, cli::is_terminal(stderr), cli::terminal_width(stderr, 100));
  RunControl control = control_of(options);
  control.gdb = gdb;
  if (!options.quiet && !gdb) control.progress = [&](const Progress& p) { progress.show(p); };
  control.before_output = [&] { progress.clear(); };
  std::optional<FirmwareTraces> traces;
  if (const FirmwareTraceOptions wanted = trace_options_of(scenario, options); wanted.any())
    control.traces = &traces.emplace(wanted, scenario);
  catch_signals();
  LinuxResult result = run_linux(scenario, guest, outputs, control);
  progress.clear();
  std::vector<std::string> notes = std::move(result.run.notes);
  if (traces) notes.insert(notes.end(), traces->notes().begin(), traces->notes().end());
  const int status = linux_status(run_options, result, notes, options.quiet);
  if (gdb) gdb->exited(status);
  return status;
}

}  // namespace

LinuxCommand::LinuxCommand(const cli::Command& program, ScenarioOptions& options) : options_(options) {
  const cli::Command command =
      program.add_command("linux", "boot a Linux on the drives of a scenario, in simulated time (docs/guide/hosts.md)")
          .runs([this] { return run(); });
  add_scenario(command, options);
  command.add_option("COMMAND", command_,
                     "what the guest executes, behind \"--\": one word is a line for its shell, several are a program "
                     "and its arguments; a prompt if left out");
  add_run_options(command, options);
  add_gdb(command, options);
  // The wrapper makes both, and names them.
  command.add_option("--kernel", kernel_).hidden();
  command.add_option("--root", root_).hidden();
}

int LinuxCommand::run() const {
  open_log(options_);
  guard_memory();
  Scenario scenario = load_scenario(options_.scenario, overrides(options_));
  give_to_linux(scenario);
  for (const auto& [option, file] : {std::pair("--kernel", kernel_), std::pair("--root", root_)}) {
    if (file.empty())
      throw InputError(
          fmt::format("linux: {} is missing: the wrapper script makes the guest, ./armature linux", option));
    if (!fs::exists(file)) throw InputError(fmt::format("{} {}: there is no such file", option, file));
  }
  if (!options_.gdb.empty()) require_elf(scenario);
  Preparation preparation = prepare(scenario);
  std::optional<GdbDebugger> gdb;
  if (!options_.gdb.empty()) gdb.emplace(options_.gdb, scenario, nullptr);
  return in_new_folder(scenario, [&] {
    return simulate(scenario, std::move(preparation), {kernel_, root_, command_}, options_, gdb ? &*gdb : nullptr);
  });
}

void add_linux(const cli::Command& program, ScenarioOptions& options) {
  program.add<LinuxCommand>(options);
}

}  // namespace armature::app
