#include "run_setting.h"

#include "armature/cli/version.h"
#include "armature/core/conversions.h"
#include "armature/core/input_file.h"
#include "armature/core/output_file.h"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

namespace armature::app {

namespace fs = std::filesystem;

volatile std::sig_atomic_t signalled = 0;

namespace {

#ifdef ARMATURE_DEBUG_BUILD
constexpr bool kDebugBuild = true;
#else
constexpr bool kDebugBuild = false;
#endif

void on_signal(int number) {
  signalled = number;
}

std::string title_of(const Scenario& scenario) {
  return fs::path(scenario.path).filename().string();
}

/// Without its comments.
std::string keys_of(const std::string& toml) {
  std::istringstream lines(toml);
  std::string keys;
  for (std::string line; std::getline(lines, line);)
    if (line.compare(0, 1, "#") != 0 && !line.empty()) keys += line + '\n';
  return keys;
}

/// The results' resolved.toml may be the scenario itself, which gives the same run again. Throws InputError if it is
/// another file that the run reads, or would become another scenario.
void refuse_lost_scenario(const Scenario& scenario, const observe::RunOptions& options) {
  const fs::path resolved = options.directory / "resolved.toml";
  for (const std::string& file : scenario.files) {
    if (!is_same_file(file, resolved)) continue;
    if (file == scenario.path && keys_of(read_input_file(file)) == keys_of(options.configuration_toml)) continue;
    throw InputError(scenario.place_of("output.directory", "output"),
                     fmt::format("output.directory: {} is read by this run, whose resolved.toml would take its place; "
                                 "--out names another folder",
                                 file));
  }
}

}  // namespace

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hung_up {};
  if (sigaction(SIGHUP, nullptr, &hung_up) == 0 && hung_up.sa_handler != SIG_IGN)  // which nohup asks for
    sigaction(SIGHUP, &action, nullptr);
}

observe::RunOptions run_options_of(const Scenario& scenario, const Preparation& preparation,
                                   const ScenarioOptions& options) {
  observe::RunOptions run_options;
  run_options.directory = scenario.output.directory;
  run_options.inputs = {scenario.files.begin(), scenario.files.end()};
  run_options.scenario = title_of(scenario);
  run_options.program_version = cli::version();
  run_options.command = options.command;
  Scenario::Resolved resolved = scenario.resolved();
  run_options.configuration = std::move(resolved.json);
  run_options.configuration_toml = std::move(resolved.toml);
  run_options.labels = preparation.labels;
  run_options.drives = preparation.drives;
  run_options.waves = preparation.waves;
  run_options.warm_up = {scenario.output.warm_up, static_cast<std::uint64_t>(scenario.output.warm_up_requests),
                         from_seconds(scenario.output.warm_up_s)};
  run_options.every = from_seconds(scenario.output.every_s);
  run_options.every_file = scenario.output.every_file;
  run_options.request_log = scenario.output.request_log;
  run_options.timelines = static_cast<std::size_t>(scenario.output.timelines);
  for (const double id : scenario.output.explain) run_options.explain.push_back(static_cast<std::uint64_t>(id));
  return run_options;
}

observe::RunOutputs outputs_of(const Scenario& scenario, const observe::RunOptions& options) {
  try {
    refuse_lost_scenario(scenario, options);
    return observe::RunOutputs(options);
  } catch (const observe::FolderInUse&) {
    throw;
  } catch (const InputError& error) {
    if (std::string_view(error.what()).substr(0, 7) != "output.") throw;
    throw InputError(scenario.place_of(error.what(), "output"), error.what());
  }
}

void write_configuration(const observe::RunOptions& options) {
  write_output_file(options.directory / "resolved.toml", options.configuration_toml);
}

int in_new_folder(const Scenario& scenario, const std::function<int()>& simulate) {
  const fs::path directory(scenario.output.directory);
  const bool existed = fs::exists(directory);
  try {
    return simulate();
  } catch (const observe::FolderInUse&) {
    throw;  // nothing in it is ours
  } catch (const InputError&) {
    // A block refused its parameters after the directory was made: nothing of it is of use.
    std::error_code ignored;
    if (!existed) fs::remove_all(directory, ignored);
    throw;
  }
}

RunControl control_of(const ScenarioOptions& options) {
  RunControl control;
  control.stop = &signalled;
  if (!options.slice.empty()) control.slice = static_cast<Ps>(std::strtoll(options.slice.c_str(), nullptr, 10));
  control.check_firmware = options.check_firmware || kDebugBuild;
  return control;
}

}  // namespace armature::app
