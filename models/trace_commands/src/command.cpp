#include "armature/trace_commands/commands.h"

#include "armature/cli/status.h"
#include "armature/cli/terminal.h"
#include "armature/core/config.h"
#include "armature/core/input_file.h"
#include "armature/workload/params.h"
#include "armature/workload/source.h"
#include "results.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace armature::trace_commands {
namespace {

/// `armature trace info FILE`: what a trace asks for, or the load of a scenario, without a drive.
class TraceCommand {
 public:
  TraceCommand(const cli::Command& program, ScenarioLoad load);

  /// Throws InputError for a broken trace; then nothing has been written.
  int run() const;

 private:
  std::unique_ptr<workload::Source> of_trace() const;
  std::unique_ptr<workload::Source> of_scenario() const;
  void refuse_lost_inputs(const std::vector<std::string>& inputs) const;

  ScenarioLoad load_;
  std::string file_;
  std::string format_;
  std::string drive_;
  std::string out_;
  std::vector<std::string> sets_;
};

using workload::Source;
using workload::WorkloadParams;

/// The keys that `--set` may name: those of a scenario's section, under the same names.
struct TraceKeys {
  WorkloadParams workload;

  void keys(KeyVisitor& v) { v.section("workload", workload, "The trace"); }
};

/// @param moving  show on standard error how far it is
void read_trace(Source& source, workload::TraceProfile& profile, bool moving) {
  constexpr std::uint64_t kShowEach = 1 << 18;
  workload::Request request;
  for (;;) {
    switch (source.next(request)) {
      case Source::Next::end:
        if (moving) fmt::print(stderr, "\r\033[K");
        return;
      case Source::Next::request:
        break;
      case Source::Next::after_completion:
        throw InputError(source.place(), "the trace waits for a completion while nothing is in flight");
    }
    profile.add(request);
    // A closed loop goes on as it did on the drive that was measured, or at once if nothing was.
    source.completed(request, request.arrival + std::max<Ps>(request.measured_response, 0));
    if (moving && profile.all().requests % kShowEach == 0) {
      fmt::print(stderr, "\rreading{}, {} M requests",
                 source.fraction_read() < 0 ? "" : fmt::format(" {:3.0f} %", source.fraction_read() * 100),
                 profile.all().requests / 1'000'000);
      std::fflush(stderr);
    }
  }
}

}  // namespace

TraceCommand::TraceCommand(const cli::Command& program, ScenarioLoad load) : load_(std::move(load)) {
  const cli::Command trace = program.add_command("trace", "what a trace holds: trace info FILE");
  trace.require_command();
  const cli::Command info =
      trace.add_command("info", "rates, mix, sizes, locality and idle times of a trace").runs([this] { return run(); });
  info.add_option("FILE", file_, "the trace, which may be compressed; or a scenario (.toml), for its load").required();
  info.add_option("--format", format_, "its format, if neither content nor name tell (docs/guide/workloads.md)")
      .type_name("FORMAT");
  info.add_option("--drive", drive_, "of a scenario: whose load (its array's, or its last drive's)").type_name("NAME");
  info.add_option("--out", out_, "directory for tables and a picture (TSV, SVG, HTML)").type_name("DIR");
  info.add_option("--set", sets_,
                  "a key of [workload], as for run: --set workload.columns.time_unit=s (of a scenario: any)")
      .one_at_a_time()
      .type_name("KEY=VALUE");
}

std::unique_ptr<Source> TraceCommand::of_trace() const {
  if (!drive_.empty()) throw InputError("--drive is for a scenario (FILE.toml), which gives each drive its load");
  TraceKeys keys;
  keys.workload.device_layout = WorkloadParams::overlay;
  keys.workload.time_zero = WorkloadParams::first_request;
  keys.workload.round_to_sectors = true;
  config::Node table;
  for (const std::string& set : sets_) config::merge(table, config::assignment(set));
  if (!format_.empty()) config::merge(table, config::assignment("workload.format=" + format_, "--format"));
  config::read(table, keys);
  keys.workload.kind = WorkloadParams::trace;
  keys.workload.file = file_;
  refuse_lost_inputs({file_});
  return workload::make_source(keys.workload, 1, 0, "");
}

std::unique_ptr<Source> TraceCommand::of_scenario() const {
  if (!format_.empty()) throw InputError("--format is for a trace; a scenario has workload.format");
  return load_(file_, drive_, sets_, [this](const std::vector<std::string>& files) { refuse_lost_inputs(files); });
}

/// The trace, or what the scenario names, is not among the files that --out makes.
void TraceCommand::refuse_lost_inputs(const std::vector<std::string>& inputs) const {
  if (out_.empty()) return;
  for (const std::string& input : inputs)
    for (const char* const name : kTraceInfoFiles)
      if (is_same_file(input, std::filesystem::path(out_) / name))
        throw InputError(fmt::format("--out {}: {} would take the place of the file that is read; name another folder",
                                     out_, (std::filesystem::path(out_) / name).string()));
}

int TraceCommand::run() const {
  const std::unique_ptr<Source> source =
      std::filesystem::path(file_).extension() == ".toml" ? of_scenario() : of_trace();
  const auto profile = std::make_unique<workload::TraceProfile>();
  read_trace(*source, *profile, cli::is_terminal(stderr));

  TraceInfo info{std::filesystem::path(file_).filename().string(), *profile, *source};
  fmt::print("{}", trace_tables(info));
  if (!out_.empty()) {
    write_trace_info(info, out_);
    fmt::print("picture: {}\n", (std::filesystem::path(out_) / "trace.html").string());
  }
  return kOk;
}

void add(const cli::Command& program, ScenarioLoad load) {
  program.add<TraceCommand>(std::move(load));
}

}  // namespace armature::trace_commands
