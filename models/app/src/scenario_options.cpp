#include "scenario_options.h"

#include "armature/core/conversions.h"
#include "armature/core/log.h"

#include <fmt/format.h>

#include <charconv>

namespace armature::app {
namespace {

/// What a run leaves, and up to when it goes.
void add_outputs(const cli::Command& run, ScenarioOptions& options) {
  run.add_option("--out", options.out, "directory of the results (out)").type_name("DIR");
  run.add_option("--seed", options.seed, "seed of the random streams").type_name("N");
  run.add_option("--until", options.until, "simulated time at which to end: 10, \"5 min\"").type_name("TIME");
  run.add_flag("--waves", options.waves, "write waves.fst and waves.gtkw");
  run.add_option("--scope", options.scope, "glob of the probes in the waves: \"*.disk.srv0.*\"; may be repeated")
      .one_at_a_time()
      .type_name("GLOB");
  run.add_option("--from", options.from, "beginning of the waves, and of --instructions: 0.5, \"20 ms\"")
      .type_name("TIME");
  run.add_option("--to", options.to, "end of the waves, and of --instructions").type_name("TIME");
  run.add_option("--around", options.around, "waves around one request").type_name("REQUEST");
}

}  // namespace

void add_scenario(const cli::Command& command, ScenarioOptions& options) {
  command.add_option("SCENARIO", options.scenario, "scenario file (.toml)").required();
  command.add_option("--set", options.sets, "override a key: --set spindle.rpm=5400, --set drives.a.host.policy=sptf")
      .one_at_a_time()
      .type_name("KEY=VALUE");
}

void add_run_options(const cli::Command& run, ScenarioOptions& options) {
  add_outputs(run, options);
  run.add_flag("-q,--quiet", options.quiet, "no progress, no summary");
  run.add_flag("--console", options.console,
               "print what firmware writes to its console (fw_printf), and the answers to host.commands");
  run.add_flag("--check-firmware", options.check_firmware,
               "end the run where firmware breaks a rule of time: polling, accesses without end or out of its instant");
  run.add_option("--firmware", options.firmware,
                 "your own firmware for all drives, an ELF or a folder of C files, on an instruction-set simulator "
                 "(controller.firmware)")
      .type_name("FILE");
  run.add_option(
         "--profile", options.profile,
         "instructions of firmware that runs as an ELF, by function and line with calls, in callgrind's format; "
         "FILE.requests.csv has them by request and handler")
      .type_name("FILE");
  run.add_option("--coverage", options.coverage,
                 "lines, functions and branches that firmware as an ELF executed, as lcov's tracefile")
      .type_name("FILE");
  run.add_option("--instructions", options.instructions,
                 "each instruction of firmware as an ELF, tab-separated: time, drive, handler, request, address, "
                 "function, line, instruction, register written; compressed if FILE ends in .gz")
      .type_name("FILE");
  run.add_option("--instructions-of", options.instructions_of, "with --instructions: only what worked for one request")
      .type_name("REQUEST");
  run.add_option("--log", options.log,
                 "lines on standard error by module and level (info, debug, trace): \"*.disk.*=debug\" prints each "
                 "drive's requests as they complete, \"firmware=info\" the firmware's console; may be repeated")
      .one_at_a_time()
      .type_name("GLOB=LEVEL");
  run.add_option("--slice", options.slice).hidden();  // for the test that it has no effect
}

void add_gdb(const cli::Command& command, ScenarioOptions& options) {
  command
      .add_option("--gdb", options.gdb,
                  "wait for gdb, which debugs firmware that runs as an ELF, at unix:PATH or localhost:PORT; \"list\" "
                  "prints what each drive runs instead")
      .type_name("ADDRESS");
}

std::uint64_t whole_number(const std::string& text, const char* option, const char* expected) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end)
    throw InputError(fmt::format("{} {}: {} is expected", option, text, expected));
  return number;
}

std::vector<config::Node> overrides(const ScenarioOptions& options) {
  std::vector<config::Node> nodes;
  for (const std::string& set : options.sets) nodes.push_back(config::assignment(set));
  const auto add = [&](const std::string& option, const char* key, const std::string& value) {
    if (!value.empty()) nodes.push_back(config::assignment(fmt::format("{}={}", key, value), option));
  };
  add("--out", "output.directory", options.out);
  add("--seed", "simulation.seed", options.seed);
  add("--until", "simulation.until_s", options.until);
  add("--from", "output.from_s", options.from);
  add("--to", "output.to_s", options.to);
  if (!options.around.empty())
    whole_number(options.around, "--around", "the number of a request in requests.csv, 0 or more,");
  add("--around", "output.around_request", options.around);
  if (!options.firmware.empty()) {
    add("--firmware", "controller.processor", "iss");
    add("--firmware", "controller.firmware", config::quote(options.firmware));
  }
  if (!options.scope.empty()) {
    std::string list;
    for (const std::string& glob : options.scope) list += config::quote(glob) + ",";
    add("--scope", "output.scope", fmt::format("[{}]", list));
  }
  const bool wanted = options.waves || !options.scope.empty() || !options.from.empty() || !options.to.empty() ||
                      !options.around.empty();
  if (wanted) add("--waves", "output.waves", "true");
  return nodes;
}

FirmwareTraceOptions trace_options_of(const Scenario& scenario, const ScenarioOptions& options) {
  FirmwareTraceOptions traces;
  traces.profile = options.profile;
  traces.coverage = options.coverage;
  traces.instructions = options.instructions;
  traces.command = options.command;
  traces.from = from_seconds(scenario.output.from_s);
  if (scenario.output.to_s > 0) traces.to = from_seconds(scenario.output.to_s);
  if (options.instructions_of.empty()) return traces;
  if (options.instructions.empty()) throw InputError("--instructions-of: --instructions FILE is missing");
  traces.request =
      whole_number(options.instructions_of, "--instructions-of", "the number of a request in requests.csv, 0 or more,");
  return traces;
}

void open_log(const ScenarioOptions& options) {
  LogRules rules;
  if (options.console) rules.add("firmware=info");
  if (options.console) rules.add("*.commands=info");
  for (const std::string& rule : options.log) rules.add(rule);
  LogOutput::open(std::move(rules));
}

}  // namespace armature::app
