#include "waves_command.h"

#include "armature/app/command_line.h"
#include "armature/core/conversions.h"
#include "armature/core/error.h"
#include "armature/observe/unfinished_dump.h"
#include "armature/observe/wave_changes.h"
#include "option_checks.h"
#include "run_apart.h"

#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <iostream>

namespace armature::app {
namespace {

namespace fs = std::filesystem;

std::string closed(const fs::path& dump, Ps end) {
  return fmt::format("{}: its run was killed; the waves are a whole file now and end at {:.9f} s\n", dump.string(),
                     to_seconds(end));
}

/// Writes to standard output in a process of its own, as a damaged dump may end it.
int print_apart(const fs::path& dump, const std::function<void(std::ostream&)>& write) {
  std::cout.flush();
  const std::string done = run_apart(dump.string(), [&] {
    write(std::cout);
    std::cout.flush();
    return std::string(std::cout ? "written" : "failed");
  });
  if (done != "written") throw InputError("standard output: cannot be written");
  return kOk;
}

}  // namespace

WavesCommand::WavesCommand(CLI::App& app) {
  CLI::App* const waves = app.add_subcommand(
      "waves", "what is in the waves of a run, and those of a run that was killed (docs/guide/waves.md)");
  waves->require_subcommand(1);
  repair_ = waves->add_subcommand("repair", "make a whole file of them, and save files for GTKWave and Surfer");
  signals_ = waves->add_subcommand("signals", "their names and kinds (bits, real, text), tab-separated");
  changes_ =
      waves->add_subcommand("changes", "every change in order of time, tab-separated: time in ps, signal, value");
  for (CLI::App* const command : {repair_, signals_, changes_})
    command->add_option("RUN", run_, "directory of the run, or its waves.fst")->required();
  for (CLI::App* const command : {signals_, changes_})
    command->add_option("--signals", globs_, "globs of the signals: '*.srv0.*'; all if left out")
        ->allow_extra_args(false)
        ->type_name("GLOB");
  changes_->add_option("--from", from_s_, "simulated time of the first change, s")
      ->check(CLI::NonNegativeNumber)
      ->check(&is_number);
  changes_->add_option("--to", to_s_, "and of the last one, s")->check(CLI::NonNegativeNumber)->check(&is_number);
}

int WavesCommand::run() const {
  const fs::path dump = fs::is_directory(run_) ? fs::path(run_) / "waves.fst" : fs::path(run_);
  if (!fs::is_regular_file(dump)) throw InputError(dump.string() + ": there is no such file");
  if (repair_->parsed()) return repair(dump);
  close_waves_of_killed_run(dump);
  if (signals_->parsed())
    return print_apart(dump, [&](std::ostream& out) { observe::write_signals(dump, globs_, out); });
  observe::ChangeOptions options;
  options.signals = globs_;
  options.from = from_seconds(from_s_);
  if (to_s_ > 0) options.to = from_seconds(to_s_);
  return print_apart(dump, [&](std::ostream& out) { observe::write_changes(dump, options, out); });
}

int WavesCommand::repair(const fs::path& dump) const {
  if (!observe::is_unfinished_dump(dump))
    fmt::print("{}: nothing to repair\n", dump.string());
  else
    fmt::print("{}", closed(dump, observe::close_dump(dump)));
  return kOk;
}

void close_waves_of_killed_run(const fs::path& dump) {
  if (!observe::is_unfinished_dump(dump)) return;
  try {
    fmt::print(stderr, "{}", closed(dump, observe::close_dump(dump)));
  } catch (const InputError&) {  // whoever reads it says what is wrong with it
  }
}

}  // namespace armature::app
