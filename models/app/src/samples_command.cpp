#include "samples_command.h"

#include "armature/app/command_line.h"
#include "armature/app/scenario.h"
#include "armature/core/conversions.h"
#include "armature/core/error.h"
#include "armature/observe/wave_samples.h"
#include "option_checks.h"
#include "waves_command.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
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

namespace {

namespace fs = std::filesystem;

/// What the child tells: its rows, or what is wrong.
void tell(int pipe, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t wrote = ::write(pipe, text.data() + at, text.size() - at);
    if (wrote <= 0) return;
    at += static_cast<std::size_t>(wrote);
  }
}

std::string told(int pipe) {
  std::string text;
  char block[4096];
  for (ssize_t got = 0; (got = ::read(pipe, block, sizeof block)) > 0;)
    text.append(block, static_cast<std::size_t>(got));
  return text;
}

/// Rows written. The dump is read in a process of its own, because the library that reads it ends the process, or
/// worse, where one is damaged.
/// @throws InputError with the file's name
std::uint64_t write_apart(const fs::path& dump, const observe::SampleOptions& options, std::ostream& out) {
  int pipe[2];
  std::fflush(nullptr);
  if (::pipe(pipe) != 0)
    throw InputError(Place{dump.string()}, fmt::format("cannot be read: {}", std::strerror(errno)));
  const pid_t child = ::fork();
  if (child < 0) throw InputError(Place{dump.string()}, fmt::format("cannot be read: {}", std::strerror(errno)));
  if (child == 0) {
    ::close(pipe[0]);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);  // the library's words, which do not name the file
    try {
      const std::uint64_t rows = observe::write_samples(dump, options, out);
      out.flush();
      tell(pipe[1], out ? fmt::format("{}", rows) : std::string("!"));
    } catch (const std::exception& error) {
      tell(pipe[1], fmt::format("!{}", error.what()));
    }
    ::_exit(0);
  }
  ::close(pipe[1]);
  const std::string answer = told(pipe[0]);
  ::close(pipe[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (answer.empty()) throw InputError(Place{dump.string()}, "is damaged: its waves cannot be read");
  if (answer == "!") out.setstate(std::ios::badbit);
  if (answer.size() > 1 && answer[0] == '!') throw InputError(answer.substr(1));
  return std::strtoull(answer.c_str(), nullptr, 10);
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

}  // namespace armature::app
