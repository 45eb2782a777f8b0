#include "commands.h"

#include "armature/app/scenario.h"
#include "armature/cli/status.h"
#include "armature/core/conversions.h"
#include "armature/core/error.h"
#include "armature/observe/wave_samples.h"
#include "run_apart.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

namespace armature::app {
namespace {

/// `armature samples RUN`: the waves of a run at equal steps of time, comma-separated.
class SamplesCommand {
 public:
  explicit SamplesCommand(const cli::Command& program);

  int run() const;

 private:
  std::string run_;
  std::uint64_t hz_ = 10'000;
  std::vector<std::string> signals_;
  double from_s_ = 0, to_s_ = 0;
  std::string out_;
};

}  // namespace

SamplesCommand::SamplesCommand(const cli::Command& program) {
  const cli::Command samples =
      program.add_command("samples", "the waves of a run at equal steps of time, as a table (docs/guide/waves.md)")
          .runs([this] { return run(); });
  samples.add_option("RUN", run_, "directory of the run, or its waves.fst").required();
  samples.add_option("--hz", hz_, "samples a second (10000)")
      .range(std::uint64_t{1}, std::uint64_t{1'000'000'000})
      .type_name("N");
  samples.add_option("--signals", signals_, "globs of the signals: '*.srv0.*'; all but texts if left out")
      .one_at_a_time()
      .type_name("GLOB");
  samples.add_option("--from", from_s_, "simulated time of the first row, s").non_negative();
  samples.add_option("--to", to_s_, "and of the last one, s").non_negative();
  samples.add_option("--out", out_, "write to this file, not to standard output").type_name("FILE");
}

namespace {

namespace fs = std::filesystem;

/// Rows written; none and a bad stream if they cannot be.
std::uint64_t write_apart(const fs::path& dump, const observe::SampleOptions& options, std::ostream& out) {
  out.flush();
  const std::string rows = run_apart(dump.string(), [&] {
    const std::uint64_t written = observe::write_samples(dump, options, out);
    out.flush();
    return out ? fmt::format("{}", written) : std::string();
  });
  if (rows.empty()) out.setstate(std::ios::badbit);
  return std::strtoull(rows.c_str(), nullptr, 10);
}

}  // namespace

int SamplesCommand::run() const {
  const fs::path dump = fs::is_directory(run_) ? fs::path(run_) / "waves.fst" : fs::path(run_);
  observe::SampleOptions options;
  options.signals = signals_;
  options.hz = hz_;
  options.from = from_seconds(from_s_);
  if (to_s_ > 0) options.to = from_seconds(to_s_);
  close_waves_of_killed_run(dump);
  if (out_.empty()) {
    write_apart(dump, options, std::cout);
    return kOk;
  }
  std::error_code ignored;
  if (fs::equivalent(out_, dump, ignored)) throw InputError(out_ + ": is the dump that is read; name another file");
  // Under a name of its own until it is whole, unless it is no file.
  const bool whole = !fs::exists(out_, ignored) || fs::is_regular_file(out_, ignored);
  const std::string written = whole ? out_ + ".part" : out_;
  std::ofstream stream(written, std::ios::binary);
  if (!stream) throw InputError(out_ + ": cannot be written");
  std::uint64_t rows = 0;
  try {
    rows = write_apart(dump, options, stream);
    stream.close();
    if (!stream) throw InputError(out_ + ": cannot be written");
    if (whole) fs::rename(written, out_);
  } catch (...) {
    if (whole) fs::remove(written, ignored);
    throw;
  }
  fmt::print("{}: {} rows\n", out_, rows);
  return kOk;
}

void add_samples(const cli::Command& program) {
  program.add<SamplesCommand>();
}

}  // namespace armature::app
