#include "samples_command.h"

#include "armature/app/command_line.h"
#include "armature/app/scenario.h"
#include "armature/core/conversions.h"
#include "armature/core/error.h"
#include "armature/observe/wave_samples.h"
#include "option_checks.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>

namespace armature::app {

SamplesCommand::SamplesCommand(CLI::App& app)
    : samples_(app.add_subcommand("samples", "the waves of a run at equal steps of time, as a table (docs/waves.md)")) {
  samples_->add_option("RUN", run_, "directory of the run, or its waves.fst")->required();
  samples_->add_option("--hz", hz_, "samples a second (10000)")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}))
      ->type_name("N");
  samples_->add_option("--signals", signals_, "globs of the signals: '*.srv0.*'; all but texts if left out")
      ->allow_extra_args(false)
      ->type_name("GLOB");
  samples_->add_option("--from", from_s_, "simulated time of the first row, s")
      ->check(CLI::NonNegativeNumber)
      ->check(&is_number);
  samples_->add_option("--to", to_s_, "and of the last one, s")->check(CLI::NonNegativeNumber)->check(&is_number);
  samples_->add_option("--out", out_, "write to this file, not to standard output")->type_name("FILE");
}

int SamplesCommand::run() const {
  namespace fs = std::filesystem;
  const fs::path dump = fs::is_directory(run_) ? fs::path(run_) / "waves.fst" : fs::path(run_);
  observe::SampleOptions options;
  options.signals = signals_;
  options.hz = hz_;
  options.from = from_seconds(from_s_);
  if (to_s_ > 0) options.to = from_seconds(to_s_);
  if (out_.empty()) {
    observe::write_samples(dump, options, std::cout);
    return kOk;
  }
  std::ofstream stream(out_, std::ios::binary);
  if (!stream) throw InputError(out_ + ": cannot be written");
  const std::uint64_t rows = observe::write_samples(dump, options, stream);
  stream.flush();
  if (!stream) throw InputError(out_ + ": cannot be written");
  fmt::print("{}: {} rows\n", out_, rows);
  return kOk;
}

}  // namespace armature::app
