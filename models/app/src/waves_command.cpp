#include "waves_command.h"

#include "armature/app/command_line.h"
#include "armature/core/conversions.h"
#include "armature/core/error.h"
#include "armature/observe/unfinished_dump.h"

#include <fmt/format.h>

#include <cstdio>

namespace armature::app {
namespace {

namespace fs = std::filesystem;

std::string closed(const fs::path& dump, Ps end) {
  return fmt::format("{}: its run was killed; the waves are a whole file now and end at {:.9f} s\n", dump.string(),
                     to_seconds(end));
}

}  // namespace

WavesCommand::WavesCommand(CLI::App& app) {
  CLI::App* const waves = app.add_subcommand("waves", "the waves of a run that was killed (docs/guide/waves.md)");
  waves->require_subcommand(1);
  repair_ = waves->add_subcommand("repair", "make a whole file of them, and save files for GTKWave and Surfer");
  repair_->add_option("RUN", run_, "directory of the run, or its waves.fst")->required();
}

int WavesCommand::run() const {
  const fs::path dump = fs::is_directory(run_) ? fs::path(run_) / "waves.fst" : fs::path(run_);
  if (!fs::is_regular_file(dump)) throw InputError(dump.string() + ": there is no such file");
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
