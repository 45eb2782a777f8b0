#include "commands.h"

#include "armature/cli/status.h"
#include "armature/core/conversions.h"
#include "armature/core/error.h"
#include "armature/observe/unfinished_dump.h"
#include "armature/observe/wave_changes.h"
#include "run_apart.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

namespace armature::app {
namespace {

/// `armature waves repair RUN`: makes a whole file of the waves of a run that was killed. `waves signals RUN` and
/// `waves changes RUN`: what is in a dump, tab-separated, for other programs.
class WavesCommand {
 public:
  explicit WavesCommand(const cli::Command& program);

 private:
  /// Throws InputError if there is none.
  std::filesystem::path dump() const;
  int repair() const;
  int signals() const;
  int changes() const;

  std::string run_;
  std::vector<std::string> globs_;
  double from_s_ = 0, to_s_ = 0;
};

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

WavesCommand::WavesCommand(const cli::Command& program) {
  const cli::Command waves = program.add_command(
      "waves", "what is in the waves of a run, and those of a run that was killed (docs/guide/waves.md)");
  waves.require_command();
  const cli::Command repair =
      waves.add_command("repair", "make a whole file of them, and save files for GTKWave and Surfer");
  const cli::Command signals = waves.add_command("signals", "their names and kinds (bits, real, text), tab-separated");
  const cli::Command changes =
      waves.add_command("changes", "every change in order of time, tab-separated: time in ps, signal, value");
  repair.runs([this] { return this->repair(); });
  signals.runs([this] { return this->signals(); });
  changes.runs([this] { return this->changes(); });
  for (const cli::Command& command : {repair, signals, changes})
    command.add_option("RUN", run_, "directory of the run, or its waves.fst").required();
  for (const cli::Command& command : {signals, changes})
    command.add_option("--signals", globs_, "globs of the signals: '*.srv0.*'; all if left out")
        .one_at_a_time()
        .type_name("GLOB");
  changes.add_option("--from", from_s_, "simulated time of the first change, s").non_negative();
  changes.add_option("--to", to_s_, "and of the last one, s").non_negative();
}

fs::path WavesCommand::dump() const {
  fs::path dump = fs::is_directory(run_) ? fs::path(run_) / "waves.fst" : fs::path(run_);
  if (!fs::is_regular_file(dump))
    throw InputError(dump.string() + ": there is no such file; armature run SCENARIO --waves writes it");
  return dump;
}

int WavesCommand::repair() const {
  const fs::path dump = this->dump();
  if (!observe::is_unfinished_dump(dump))
    fmt::print("{}: nothing to repair\n", dump.string());
  else
    fmt::print("{}", closed(dump, observe::close_dump(dump)));
  return kOk;
}

int WavesCommand::signals() const {
  const fs::path dump = this->dump();
  close_waves_of_killed_run(dump);
  return print_apart(dump, [&](std::ostream& out) { observe::write_signals(dump, globs_, out); });
}

int WavesCommand::changes() const {
  const fs::path dump = this->dump();
  close_waves_of_killed_run(dump);
  observe::ChangeOptions options;
  options.signals = globs_;
  options.from = from_seconds(from_s_);
  if (to_s_ > 0) options.to = from_seconds(to_s_);
  return print_apart(dump, [&](std::ostream& out) { observe::write_changes(dump, options, out); });
}

void close_waves_of_killed_run(const fs::path& dump) {
  if (!observe::is_unfinished_dump(dump)) return;
  try {
    fmt::print(stderr, "{}", closed(dump, observe::close_dump(dump)));
  } catch (const InputError&) {  // whoever reads it says what is wrong with it
  }
}

void add_waves(const cli::Command& program) {
  program.add<WavesCommand>();
}

}  // namespace armature::app
