#include "commands.h"

#include "armature/app/simulation.h"
#include "armature/cli/status.h"
#include "armature/cli/terminal.h"
#include "armature/core/conversions.h"
#include "gdb_debugger.h"
#include "hints.h"
#include "memory_guard.h"
#include "nbd_service.h"
#include "progress_line.h"
#include "run_setting.h"
#include "scenario_options.h"
#include "summary_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>

namespace armature::app {
namespace {

/// `armature run`: simulates a scenario.
class RunCommand {
 public:
  RunCommand(const cli::Command& program, ScenarioOptions& options);

  int run() const;

 private:
  const ScenarioOptions& options_;
};

/// `armature serve`: the same for NBD clients, who take the place of its workload.
class ServeCommand {
 public:
  ServeCommand(const cli::Command& program, ScenarioOptions& options);

  int run() const;

 private:
  const ScenarioOptions& options_;
  std::string nbd_;
  std::string pace_ = "free";
  unsigned patience_us_ = 200;
  bool once_ = false;
};

namespace fs = std::filesystem;

/// `--gdb list`: nothing is run.
constexpr const char* kListFirmware = "list";

void refuse_linux(const Scenario& scenario) {
  if (!scenario.linux_host) return;
  const char* const key = scenario.layers.find("linux") ? "linux" : "ahci";
  throw InputError(
      scenario.place_of(key, key),
      fmt::format("{}: a Linux drives the drives of this scenario, and \"armature linux {}\" boots it; the "
                  "sections linux and ahci belong to that command only",
                  key, scenario.path));
}

/// What a run prints at its end.
/// @param notes  of the configuration, to which those of the results are added
void print_results(const Scenario& scenario, const observe::RunOptions& run_options, const observe::RunOutputs& outputs,
                   const RunResult& result, std::vector<std::string> notes) {
  fmt::print("{}", summary_table(scenario, outputs, result.counters));
  if (!result.rebuild.empty()) fmt::print("{}\n", result.rebuild);
  for (const std::string& label : run_options.labels) fmt::print("study: {}\n", label);
  notes.insert(notes.end(), result.notes.begin(), result.notes.end());
  for (std::size_t i = 0; i < scenario.drives.size(); ++i)
    for (std::string& note : hints(scenario.drives[i].name, outputs.statistics(i))) notes.push_back(std::move(note));
  for (const std::string& note : notes) fmt::print("note: {}\n", note);
  fmt::print("simulated {:.6f} s in {:.2f} s, {} requests a second\n", to_seconds(result.end), result.wall_seconds,
             cli::short_count(static_cast<double>(outputs.completed()) / std::max(result.wall_seconds, 1e-9)));
  if (result.ending != Ending::complete)
    fmt::print("not complete: {}\n", result.message.substr(0, result.message.find('\n')));
  if (result.verification)
    fmt::print("verified: {} sectors compared, {} mismatches{}\n", result.verification->sectors_compared,
               result.verification->mismatches,
               result.verification->array_faults > 0
                   ? fmt::format(", {} faults of the array", result.verification->array_faults)
                   : std::string());
  fmt::print("report: {}\n", (fs::path(run_options.directory) / "report.html").string());
  std::fflush(stdout);
}

/// Reports what went wrong and returns the exit status.
int exit_status(const Scenario& scenario, const observe::RunOutputs& outputs, const RunResult& result) {
  const std::string missing = outputs.missing_waves();
  if (!missing.empty())
    fmt::print(stderr, "{}\n",
               InputError(scenario.place_of(missing, "output"), missing + ": the waves are empty").what());
  const bool wrong_reads = result.verification && result.verification->mismatches > 0;
  const bool array_faults = result.verification && result.verification->array_faults > 0;
  const bool mismatch = wrong_reads || array_faults;
  if (wrong_reads)
    fmt::print(stderr, "host.verify: {} of {} sectors read are wrong\n", result.verification->mismatches,
               result.verification->sectors_compared);
  if (mismatch) {
    if (!wrong_reads) fmt::print(stderr, "host.verify: no sector was read wrong, but the array's data are not sound\n");
    for (const std::string& text : result.verification->descriptions) fmt::print(stderr, "  {}\n", text);
  }
  switch (result.ending) {
    case Ending::complete:
    case Ending::until:
      return mismatch ? kMismatch : missing.empty() ? kOk : kBadInput;
    case Ending::interrupted:
      return kSignalled + (signalled != 0 ? signalled : SIGTERM);  // gdb's `kill` is no signal
    case Ending::bad_input:
      fmt::print(stderr, "{}\n", result.message);
      return kBadInput;
    case Ending::stalled:
      fmt::print(stderr, "{}", result.message);
      return kNoProgress;
    case Ending::failed:
      fmt::print(stderr, "{}\n", result.message);
      return kInternalError;
  }
  return kInternalError;
}

/// Writing begins here: everything that can be checked without it has been.
int simulate(const Scenario& scenario, Preparation preparation, const ScenarioOptions& options, GdbDebugger* gdb,
             NbdService* nbd = nullptr) {
  if (gdb) preparation.waves.switched = !preparation.waves.window();
  const observe::RunOptions run_options = run_options_of(scenario, preparation, options);
  observe::RunOutputs outputs = outputs_of(scenario, run_options);
  write_configuration(run_options);

  std::vector<std::string> notes;
  if (!nbd) notes = hints(scenario, preparation);
  const bool terminal = cli::is_terminal(stderr);
  ProgressLine progress(stderr, terminal, cli::terminal_width(stderr, 100));
  RunControl control = control_of(options);
  if (nbd) control.stop = nullptr;  // it ends by a signal: the clients' requests are served first
  control.gdb = gdb;
  control.nbd = nbd;
  if (!options.quiet && !gdb) control.progress = [&](const Progress& p) { progress.show(p); };
  std::optional<FirmwareTraces> traces;
  if (const FirmwareTraceOptions wanted = trace_options_of(scenario, options); wanted.any())
    control.traces = &traces.emplace(wanted, scenario);
  catch_signals();
  const RunResult result = run(scenario, std::move(preparation), outputs, control);
  progress.end();
  if (traces) notes.insert(notes.end(), traces->notes().begin(), traces->notes().end());

  if (!options.quiet) print_results(scenario, run_options, outputs, result, std::move(notes));
  const int status = exit_status(scenario, outputs, result);
  if (gdb) gdb->exited(status);
  return status;
}

}  // namespace

RunCommand::RunCommand(const cli::Command& program, ScenarioOptions& options) : options_(options) {
  const cli::Command command = program.add_command("run", "simulate a scenario").runs([this] { return run(); });
  add_scenario(command, options);
  add_run_options(command, options);
  add_gdb(command, options);
}

int RunCommand::run() const {
  const ScenarioOptions& options = options_;
  open_log(options);
  guard_memory();
  const Scenario scenario = load_scenario(options.scenario, overrides(options));
  refuse_linux(scenario);
  if (options.gdb == kListFirmware) {
    fmt::print("{}", firmware_list(scenario));
    return kOk;
  }
  std::optional<checkpoint::Checkpoints> checkpoints;
  if (!options.gdb.empty()) {
    require_elf(scenario);
    checkpoints.emplace();  // from here on in another process, before it opens files
  }
  Preparation preparation = prepare(scenario);
  std::optional<GdbDebugger> gdb;
  if (checkpoints) gdb.emplace(options.gdb, scenario, &*checkpoints);
  return in_new_folder(scenario,
                       [&] { return simulate(scenario, std::move(preparation), options, gdb ? &*gdb : nullptr); });
}

ServeCommand::ServeCommand(const cli::Command& program, ScenarioOptions& options) : options_(options) {
  const cli::Command serve =
      program.add_command("serve", "the scenario's drives as disks for NBD clients, who take the place of its workload")
          .runs([this] { return run(); });
  add_scenario(serve, options);
  add_run_options(serve, options);
  serve
      .add_option("--nbd", nbd_,
                  "where clients connect: unix:PATH or localhost:PORT; each drive is an export by its name, and so is "
                  "\"array\", which is also what a client gets that names none")
      .type_name("ADDRESS")
      .required();
  serve
      .add_option("--pace", pace_,
                  "free: simulated time passes only while requests are outstanding, as fast as it can (the default); "
                  "wall: it follows wall time, and clients wait as long as the drive takes")
      .one_of({"free", "wall"});
  serve
      .add_option("--patience", patience_us_,
                  "with --pace free: wall time in us that clients have to answer a completion with their next request "
                  "(200)")
      .range(0u, 1'000'000u)
      .type_name("US");
  serve.add_flag("--once", once_, "end a second after the last client has gone");
}

int ServeCommand::run() const {
  const ScenarioOptions& options = options_;
  open_log(options);
  guard_memory();
  const Scenario scenario = load_scenario(options.scenario, overrides(options));
  refuse_linux(scenario);
  NbdService::Options serving{nbd_, {}};
  serving.pacing.pace = pace_ == "wall" ? nbd::Pacer::Pace::wall : nbd::Pacer::Pace::free;
  serving.pacing.patience = std::chrono::microseconds(patience_us_);
  serving.pacing.once = once_;
  serving.pacing.stop = &signalled;
  Preparation preparation = prepare_unloaded(scenario);
  NbdService nbd(serving);
  nbd.give_sources(scenario, preparation);
  return in_new_folder(scenario, [&] { return simulate(scenario, std::move(preparation), options, nullptr, &nbd); });
}

void add_run(const cli::Command& program, ScenarioOptions& options) {
  program.add<RunCommand>(options);
  program.add<ServeCommand>(options);
}

}  // namespace armature::app
