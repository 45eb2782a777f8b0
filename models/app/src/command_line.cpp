#include "armature/app/command_line.h"

#include "armature/app/scenario.h"
#include "armature/app/simulation.h"
#include "armature/app/version.h"
#include "armature/core/conversions.h"
#include "armature/core/input_file.h"
#include "armature/core/log.h"
#include "armature/observe/explanation.h"
#include "armature/observe/run_folder.h"
#include "ata_command.h"
#include "gdb_debugger.h"
#include "hints.h"
#include "import_command.h"
#include "key_listing.h"
#include "key_schema.h"
#include "layout_command.h"
#include "linux_run.h"
#include "memory_guard.h"
#include "mems_command.h"
#include "nbd_service.h"
#include "option_checks.h"
#include "progress_line.h"
#include "run_apart.h"
#include "samples_command.h"
#include "seek_command.h"
#include "servo_command.h"
#include "summary_table.h"
#include "terminal.h"
#include "trace_info.h"
#include "waves_command.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>

namespace armature::app {
namespace {

namespace fs = std::filesystem;

#ifdef ARMATURE_DEBUG_BUILD
constexpr bool kDebugBuild = true;
#else
constexpr bool kDebugBuild = false;
#endif

/// `--gdb list`: nothing is run.
constexpr const char* kListFirmware = "list";

struct Options {
  std::string scenario;
  std::vector<std::string> sets;
  std::string out;
  std::string seed;
  std::string until;
  bool waves = false;
  std::vector<std::string> scope;
  std::string from;
  std::string to;
  std::string around;
  bool quiet = false;
  std::vector<std::string> log;
  bool console = false;
  bool check_firmware = false;
  std::string firmware;
  std::string profile;
  std::string coverage;
  std::string instructions;
  std::string instructions_of;
  std::string gdb;
  std::string slice;

  std::string nbd;
  std::string pace = "free";
  unsigned patience_us = 200;
  bool once = false;

  std::string kernel;
  std::string root;
  std::vector<std::string> guest_command;

  bool resolved = false;

  std::string key;
  bool tsv = false;
  std::string schema;  // kind of file

  std::string command;  // as it was given

  std::string request;
  std::string at;
  std::string slowest;
  std::string missed;
  std::string run_directory;
  std::string drive;
};

// The one thing that a signal's handler may touch. It holds the signal's number; the second signal ends the process.
volatile std::sig_atomic_t signalled = 0;

void on_signal(int number) {
  signalled = number;
}

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

std::uint64_t whole_number(const std::string& text, const char* option, const char* expected) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end)
    throw InputError(fmt::format("{} {}: {} is expected", option, text, expected));
  return number;
}

/// Assignments of all options that stand for keys, in an order in which the special ones win over --set.
std::vector<config::Node> overrides(const Options& options) {
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

/// A word as a shell takes it: in quotes if it has anything unusual.
std::string for_shell(const std::string& word) {
  const auto plain = [](unsigned char c) { return std::isalnum(c) || std::strchr("_-./=:,+%@", c); };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string title_of(const Scenario& scenario) {
  return fs::path(scenario.path).filename().string();
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  stream.flush();
  if (!stream) throw InputError(Place{path.string()}, "cannot be written");
}

observe::RunOptions run_options_of(const Scenario& scenario, const Preparation& preparation, const Options& options) {
  observe::RunOptions run_options;
  run_options.directory = scenario.output.directory;
  run_options.inputs = {scenario.files.begin(), scenario.files.end()};
  run_options.scenario = title_of(scenario);
  run_options.program_version = version();
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

/// What a run prints at its end.
/// @param notes  of the configuration, to which those of the results are added
void print_results(const Scenario& scenario, const observe::RunOptions& run_options, const observe::RunOutputs& outputs,
                   const RunResult& result, std::vector<std::string> notes) {
  fmt::print("{}", summary_table(scenario, outputs));
  for (const std::string& label : run_options.labels) fmt::print("study: {}\n", label);
  notes.insert(notes.end(), result.notes.begin(), result.notes.end());
  for (std::size_t i = 0; i < scenario.drives.size(); ++i)
    for (std::string& note : hints(scenario.drives[i].name, outputs.statistics(i))) notes.push_back(std::move(note));
  for (const std::string& note : notes) fmt::print("note: {}\n", note);
  fmt::print("simulated {:.6f} s in {:.2f} s, {} requests a second\n", to_seconds(result.end), result.wall_seconds,
             short_count(static_cast<double>(outputs.completed()) / std::max(result.wall_seconds, 1e-9)));
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

FirmwareTraceOptions trace_options_of(const Scenario& scenario, const Options& options) {
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

/// What a Linux run tells at its end, beside the guest's own output; its exit status.
int linux_status(const observe::RunOptions& run_options, const LinuxResult& result, bool quiet) {
  const int status = result.run.ending == Ending::complete      ? result.status
                     : result.run.ending == Ending::interrupted ? kSignalled + (signalled != 0 ? signalled : SIGTERM)
                     : result.run.ending == Ending::until       ? kOk
                     : result.run.ending == Ending::stalled     ? kNoProgress
                     : result.run.ending == Ending::bad_input   ? kBadInput
                                                                : kInternalError;
  if (result.run.ending != Ending::complete) fmt::print(stderr, "not complete: {}\n", result.run.message);
  if (!quiet)
    fmt::print(stderr, "simulated {:.6f} s in {:.2f} s; {}\nreport: {}\n", to_seconds(result.run.end),
               result.run.wall_seconds, result.rates, (fs::path(run_options.directory) / "report.html").string());
  return status;
}

/// Writing begins here: everything that can be checked without it has been.
int simulate_linux(const Scenario& scenario, const Preparation& preparation, const Options& options) {
  const observe::RunOptions run_options = run_options_of(scenario, preparation, options);
  observe::RunOutputs outputs = outputs_of(scenario, run_options);
  write_file(fs::path(run_options.directory) / "resolved.toml", run_options.configuration_toml);
  ProgressLine progress(stderr, is_terminal(stderr), terminal_width(stderr, 100));
  RunControl control;
  control.stop = &signalled;
  if (!options.quiet) control.progress = [&](const Progress& p) { progress.show(p); };
  control.before_output = [&] { progress.clear(); };
  if (!options.slice.empty()) control.slice = static_cast<Ps>(std::strtoll(options.slice.c_str(), nullptr, 10));
  catch_signals();
  const LinuxResult result =
      run_linux(scenario, {options.kernel, options.root, options.guest_command}, outputs, control);
  progress.clear();
  return linux_status(run_options, result, options.quiet);
}

/// Writing begins here: everything that can be checked without it has been.
int simulate(const Scenario& scenario, Preparation preparation, const Options& options, GdbDebugger* gdb,
             NbdService* nbd = nullptr) {
  if (gdb) preparation.waves.switched = !preparation.waves.window();
  const observe::RunOptions run_options = run_options_of(scenario, preparation, options);
  observe::RunOutputs outputs = outputs_of(scenario, run_options);
  write_file(fs::path(run_options.directory) / "resolved.toml", run_options.configuration_toml);

  std::vector<std::string> notes;
  if (!nbd) notes = hints(scenario, preparation);
  const bool terminal = is_terminal(stderr);
  ProgressLine progress(stderr, terminal, terminal_width(stderr, 100));
  RunControl control;
  if (!nbd) control.stop = &signalled;  // it ends by a signal: the clients' requests are served first
  control.gdb = gdb;
  control.nbd = nbd;
  if (!options.quiet && !gdb) control.progress = [&](const Progress& p) { progress.show(p); };
  if (!options.slice.empty()) control.slice = static_cast<Ps>(std::strtoll(options.slice.c_str(), nullptr, 10));
  control.check_firmware = options.check_firmware || kDebugBuild;
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

void open_log(const Options& options) {
  LogRules rules;
  if (options.console) rules.add("firmware=info");
  if (options.console) rules.add("*.commands=info");
  for (const std::string& rule : options.log) rules.add(rule);
  LogOutput::open(std::move(rules));
}

/// Calls `simulate`; if a block has refused its parameters, the folder of the results is no more than it was.
template <typename Simulate>
int in_new_folder(const Scenario& scenario, Simulate simulate) {
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

int run_command(const Options& options) {
  open_log(options);
  guard_memory();
  const Scenario scenario = load_scenario(options.scenario, overrides(options));
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
  if (checkpoints) gdb.emplace(options.gdb, scenario, *checkpoints);
  return in_new_folder(scenario,
                       [&] { return simulate(scenario, std::move(preparation), options, gdb ? &*gdb : nullptr); });
}

int serve_command(const Options& options) {
  open_log(options);
  guard_memory();
  const Scenario scenario = load_scenario(options.scenario, overrides(options));
  NbdService::Options serving{options.nbd, {}};
  serving.pacing.pace = options.pace == "wall" ? nbd::Pacer::Pace::wall : nbd::Pacer::Pace::free;
  serving.pacing.patience = std::chrono::microseconds(options.patience_us);
  serving.pacing.once = options.once;
  serving.pacing.stop = &signalled;
  Preparation preparation = prepare_unloaded(scenario);
  NbdService nbd(serving);
  nbd.give_sources(scenario, preparation);
  return in_new_folder(scenario, [&] { return simulate(scenario, std::move(preparation), options, nullptr, &nbd); });
}

int linux_command(const Options& options) {
  open_log(options);
  guard_memory();
  Scenario scenario = load_scenario(options.scenario, overrides(options));
  give_to_linux(scenario);
  for (const auto& [option, file] : {std::pair("--kernel", options.kernel), std::pair("--root", options.root)}) {
    if (file.empty())
      throw InputError(
          fmt::format("linux: {} is missing: the wrapper script makes the guest, ./armature linux", option));
    if (!fs::exists(file)) throw InputError(fmt::format("{} {}: there is no such file", option, file));
  }
  const Preparation preparation = prepare(scenario);
  return in_new_folder(scenario, [&] { return simulate_linux(scenario, preparation, options); });
}

int check_command(const Options& options) {
  const config::Node document = config::load(options.scenario);
  if (is_drive_file(document)) {
    const DriveSetup setup = load_drive(options.scenario, options.sets);
    const std::uint64_t sectors = check_drive(setup);
    fmt::print("{}: a {}, {}, {} sectors\n", options.scenario, setup.store ? "MEMS store" : "drive",
               setup.drive.identity.model, sectors);
    return kOk;
  }
  const Scenario scenario = load_scenario(options.scenario, overrides(options));
  if (options.resolved) {
    prepare(scenario);  // what run looks at before it writes anything
    fmt::print("{}", scenario.resolved().toml);
    return kOk;
  }
  const Preparation preparation = prepare(scenario, kWholeTrace);
  fmt::print("{}: in order\n", options.scenario);
  for (std::size_t i = 0; i < preparation.drives.size(); ++i) {
    const std::uint64_t expected = preparation.requests[i];
    fmt::print("  {}: {}, {} sectors{}\n", preparation.drives[i].name, preparation.drives[i].title,
               preparation.sectors[i], expected > 0 ? fmt::format(", {} requests", expected) : std::string());
  }
  for (const std::string& label : preparation.labels) fmt::print("  study: {}\n", label);
  for (const std::string& note : hints(scenario, preparation)) fmt::print("  note: {}\n", note);
  return kOk;
}

/// "servo" and what stands below it are the keys of plant files, which have no such section around them.
bool of_plant_file(const std::string& key) {
  return key == "servo" || key.rfind("servo.", 0) == 0;
}

/// "mems" and what stands below it are the keys of MEMS stores, whose sections stand in a drive file as others do; so
/// are those sections that only a store has.
std::optional<std::string> of_store(const std::string& key) {
  if (key == "mems") return std::string();
  if (key.rfind("mems.", 0) == 0) return key.substr(5);
  const std::string section = key.substr(0, key.find('.'));
  return section == "sled" || section == "tips" || section == "electronics" ? std::optional(key) : std::nullopt;
}

int describe_command(const Options& options) {
  if (!options.schema.empty()) {
    fmt::print("{}", json_schema(file_kind(options.schema)));
    return kOk;
  }
  constexpr std::string_view kColumns = "requests.csv";
  if (options.key != kColumns && nearest(options.key, &kColumns, &kColumns + 1) == kColumns)
    throw InputError(fmt::format("no key matches \"{}\"; did you mean {}?", options.key, kColumns));
  if (options.key == kColumns) {
    fmt::print("{}", options.tsv ? list_request_columns_tsv() : list_request_columns(terminal_width(stdout, 100)));
    return kOk;
  }
  if (const std::optional<std::string> below = of_store(options.key)) {
    fmt::print("{}", options.tsv ? list_keys_tsv(mems_schema(), *below)
                                 : list_keys(mems_schema(), *below, terminal_width(stdout, 100)));
    return kOk;
  }
  if (of_plant_file(options.key)) {
    const std::string below = options.key.size() > 6 ? options.key.substr(6) : std::string();
    fmt::print("{}", options.tsv ? list_keys_tsv(servo::servo_schema(), below)
                                 : list_keys(servo::servo_schema(), below, terminal_width(stdout, 100)));
    return kOk;
  }
  fmt::print("{}", options.tsv ? list_keys_tsv(schema(), options.key)
                               : list_keys(schema(), options.key, terminal_width(stdout, 100)));
  return kOk;
}

/// The run that is meant if none is named: the youngest in `out` or directly below it.
fs::path latest_run() {
  const fs::path top = "out";
  std::error_code none;
  fs::path latest = top;
  fs::file_time_type at = fs::last_write_time(top / "resolved.toml", none);
  bool found = !none;
  for (const auto& entry : fs::directory_iterator(top, none)) {
    std::error_code error;
    const fs::file_time_type written = fs::last_write_time(entry.path() / "resolved.toml", error);
    if (error || (found && written <= at)) continue;
    latest = entry.path();
    at = written;
    found = true;
  }
  return latest;
}

/// What --at, --slowest or --missed choose; nothing if one request is named.
std::optional<observe::RequestChoice> request_choice(const Options& options) {
  const auto given = [](const std::string& text) { return text.empty() ? 0 : 1; };
  if (given(options.request) + given(options.at) + given(options.slowest) + given(options.missed) != 1)
    throw InputError("explain: one of REQUEST, --at TIME, --slowest N and --missed CAUSE is expected");
  if (!options.request.empty()) return std::nullopt;
  observe::RequestChoice choice;
  if (!options.at.empty()) {
    struct At {
      double time_s = 0;
      void keys(KeyVisitor& visitor) { visitor.key("at", time_s, "s", Range{0, 8.64e6}, "simulated time"); }
    } at;
    config::read(config::assignment("at=" + options.at, "--at"), at);
    choice.at = from_seconds(at.time_s);
  }
  if (!options.slowest.empty()) {
    const char* const expected = "how many requests, 1 or more,";
    choice.slowest = whole_number(options.slowest, "--slowest", expected);
    if (choice.slowest == 0) throw InputError(fmt::format("--slowest 0: {} is expected", expected));
  }
  choice.missed = options.missed;
  return choice;
}

int explain_command(const Options& options) {
  const std::optional<observe::RequestChoice> choice = request_choice(options);
  const fs::path run = options.run_directory.empty() ? latest_run() : fs::path(options.run_directory);
  if (choice) {
    const std::string list = observe::list_requests(run, *choice, options.drive);
    if (options.run_directory.empty()) fmt::print("Run {}\n", run.string());
    fmt::print("{}", list);
    return kOk;
  }
  const std::uint64_t request =
      whole_number(options.request, "REQUEST", "the number of a request in requests.csv, 0 or more,");
  const std::string hint =
      fmt::format("armature run {} --out {}-waves --around {}{}", (run / "resolved.toml").string(), run.string(),
                  options.request, options.drive.empty() ? "" : " --set output.around_drive=" + options.drive);
  const fs::path waves = run / "waves.fst";
  close_waves_of_killed_run(waves);
  const auto explain = [&] { return observe::explain(run, request, options.drive, hint); };
  const std::string text = fs::exists(waves) ? run_apart(waves.string(), explain) : explain();
  if (options.run_directory.empty()) fmt::print("Run {}\n", run.string());
  fmt::print("{}", text);
  return kOk;
}

/// The status of a command whose output has been written; a full disk behind it is the user's to know of.
int written_out(int status) {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout) return status;
  fmt::print(stderr, "standard output cannot be written: {}\n", std::strerror(errno));
  return status == kOk ? kBadInput : status;
}

/// "X: did you mean Y?" for the first word of a command line that is no command and no option; empty if none is near.
std::string meant_word(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  for (const std::string& word : words) {
    std::vector<std::string> known;
    const bool option = word.rfind("--", 0) == 0;
    if (option)
      for (const CLI::Option* const o : command->get_options()) known.push_back("--" + o->get_single_name());
    else
      for (const CLI::App* const inner : command->get_subcommands([](const CLI::App*) { return true; }))
        known.push_back(inner->get_name());
    const std::string name = word.substr(0, word.find('='));
    if (std::find(known.begin(), known.end(), name) != known.end()) {
      if (!option) command = command->get_subcommand(name);
      continue;
    }
    const std::vector<std::string_view> views(known.begin(), known.end());
    const std::string_view near = nearest(name, views.data(), views.data() + views.size());
    if (!near.empty()) return fmt::format("{}: did you mean {}?", name, near);
  }
  return {};
}

/// "armature mems: one of seek, surface, ... is expected" if the words end where a command's own command should stand.
std::string missing_word(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  const auto inner = [&command] { return command->get_subcommands([](const CLI::App*) { return true; }); };
  std::string so_far = "armature";
  for (const std::string& word : words) {
    const auto known = inner();
    const auto found =
        std::find_if(known.begin(), known.end(), [&word](const CLI::App* one) { return one->get_name() == word; });
    if (found == known.end()) break;
    command = *found;
    so_far += " " + word;
  }
  if (command == &app || inner().empty()) return {};
  std::vector<std::string> names;
  for (const CLI::App* const one : inner()) names.push_back(one->get_name());
  return fmt::format("{}: one of {} is expected", so_far, fmt::join(names, ", "));
}

/// One of the two above; empty if neither says anything.
std::string what_was_meant(const CLI::App& app, const std::vector<std::string>& words) {
  std::string meant = meant_word(app, words);
  return meant.empty() ? missing_word(app, words) : meant;
}

void add_scenario(CLI::App& command, Options& options) {
  command.add_option("SCENARIO", options.scenario, "scenario file (.toml)")->required();
  command.add_option("--set", options.sets, "override a key: --set spindle.rpm=5400, --set drives.a.host.policy=sptf")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
}

/// What a run leaves, and up to when it goes.
void add_outputs(CLI::App& run, Options& options) {
  run.add_option("--out", options.out, "directory of the results (out)")->type_name("DIR");
  run.add_option("--seed", options.seed, "seed of the random streams")->type_name("N");
  run.add_option("--until", options.until, "simulated time at which to end: 10, \"5 min\"")->type_name("TIME");
  run.add_flag("--waves", options.waves, "write waves.fst and waves.gtkw");
  run.add_option("--scope", options.scope, "glob of the probes in the waves: \"*.disk.srv0.*\"; may be repeated")
      ->allow_extra_args(false)
      ->type_name("GLOB");
  run.add_option("--from", options.from, "beginning of the waves, and of --instructions: 0.5, \"20 ms\"")
      ->type_name("TIME");
  run.add_option("--to", options.to, "end of the waves, and of --instructions")->type_name("TIME");
  run.add_option("--around", options.around, "waves around one request")->type_name("REQUEST");
}

/// Options of `run` and `serve`.
void add_run_options(CLI::App* run, Options& options) {
  add_scenario(*run, options);
  add_outputs(*run, options);
  run->add_flag("-q,--quiet", options.quiet, "no progress, no summary");
  run->add_flag("--console", options.console,
                "print what firmware writes to its console (fw_printf), and the answers to host.commands");
  run->add_flag(
      "--check-firmware", options.check_firmware,
      "end the run where firmware breaks a rule of time: polling, accesses without end or out of its instant");
  run->add_option("--firmware", options.firmware,
                  "your own firmware for all drives, an ELF or a folder of C files, on an instruction-set simulator "
                  "(controller.firmware)")
      ->type_name("FILE");
  run->add_option(
         "--profile", options.profile,
         "instructions of firmware that runs as an ELF, by function and line with calls, in callgrind's format; "
         "FILE.requests.csv has them by request and handler")
      ->type_name("FILE");
  run->add_option("--coverage", options.coverage,
                  "lines, functions and branches that firmware as an ELF executed, as lcov's tracefile")
      ->type_name("FILE");
  run->add_option("--instructions", options.instructions,
                  "each instruction of firmware as an ELF, tab-separated: time, drive, handler, request, address, "
                  "function, line, instruction, register written; compressed if FILE ends in .gz")
      ->type_name("FILE");
  run->add_option("--instructions-of", options.instructions_of, "with --instructions: only what worked for one request")
      ->type_name("REQUEST");
  run->add_option("--log", options.log,
                  "lines on standard error by module and level (info, debug, trace): \"*.disk.*=debug\" prints each "
                  "drive's requests as they complete, \"firmware=info\" the firmware's console; may be repeated")
      ->allow_extra_args(false)
      ->type_name("GLOB=LEVEL");
}

/// `armature run` and its options.
CLI::App* add_run(CLI::App& app, Options& options) {
  CLI::App* const run = app.add_subcommand("run", "simulate a scenario");
  add_run_options(run, options);
  run->add_option("--gdb", options.gdb,
                  "wait for gdb, which debugs firmware that runs as an ELF, at unix:PATH or localhost:PORT; \"list\" "
                  "prints what each drive runs instead")
      ->type_name("ADDRESS");
  run->add_option("--slice", options.slice)->group("");  // for the test that it has no effect
  return run;
}

/// `armature serve` and its options.
CLI::App* add_serve(CLI::App& app, Options& options) {
  CLI::App* const serve =
      app.add_subcommand("serve", "the scenario's drives as disks for NBD clients, who take the place of its workload");
  add_run_options(serve, options);
  serve
      ->add_option("--nbd", options.nbd,
                   "where clients connect: unix:PATH or localhost:PORT; each drive is an export by its name, and so is "
                   "\"array\", which is also what a client gets that names none")
      ->type_name("ADDRESS")
      ->required();
  serve
      ->add_option("--pace", options.pace,
                   "free: simulated time passes only while requests are outstanding, as fast as it can (the default); "
                   "wall: it follows wall time, and clients wait as long as the drive takes")
      ->check(CLI::IsMember({"free", "wall"}));
  serve
      ->add_option("--patience", options.patience_us,
                   "with --pace free: wall time in us that clients have to answer a completion with their next request "
                   "(200)")
      ->check(CLI::Range(0u, 1'000'000u))
      ->type_name("US");
  serve->add_flag("--once", options.once, "end a second after the last client has gone");
  return serve;
}

/// `armature linux` and its options.
CLI::App* add_linux(CLI::App& app, Options& options) {
  CLI::App* const linux_app =
      app.add_subcommand("linux", "boot a Linux on the drives of a scenario, in simulated time (docs/hosts.md)");
  add_scenario(*linux_app, options);
  linux_app->add_option(
      "COMMAND", options.guest_command,
      "what the guest executes, behind \"--\": one word is a line for its shell, several are a program "
      "and its arguments; a prompt if left out");
  add_outputs(*linux_app, options);
  // The wrapper makes both, and names them.
  linux_app->add_option("--kernel", options.kernel)->group("");
  linux_app->add_option("--root", options.root)->group("");
  linux_app->add_flag("-q,--quiet", options.quiet, "no progress, no closing lines");
  linux_app->add_flag("--console", options.console, "print what firmware writes to its console (fw_printf)");
  linux_app
      ->add_option("--firmware", options.firmware,
                   "your own firmware for all drives, an ELF or a folder of C files, on an instruction-set "
                   "simulator (controller.firmware)")
      ->type_name("FILE");
  linux_app
      ->add_option("--log", options.log,
                   "lines on standard error by module and level (info, debug, trace): \"*.disk.*=debug\" prints each "
                   "drive's requests as they complete, \"firmware=info\" the firmware's console; may be repeated")
      ->allow_extra_args(false)
      ->type_name("GLOB=LEVEL");
  linux_app->add_option("--slice", options.slice)->group("");
  return linux_app;
}

/// `armature check` and its options.
CLI::App* add_check(CLI::App& app, Options& options) {
  CLI::App* const check = app.add_subcommand("check", "read a scenario or a drive file and say what is wrong with it");
  add_scenario(*check, options);
  check->add_flag("--resolved", options.resolved, "print the resolved configuration, as run would leave it");
  return check;
}

/// `armature describe` and its options.
CLI::App* add_describe(CLI::App& app, Options& options) {
  CLI::App* const describe =
      app.add_subcommand("describe", "the keys of scenarios and drive files, the columns of requests.csv");
  describe->add_option(
      "KEY", options.key,
      "a key, a section, a glob or a part of a key's name (rpm); all if left out; servo: the keys of plant files; "
      "requests.csv: its columns");
  CLI::Option* const tsv = describe->add_flag("--tsv", options.tsv, "tab-separated, for programs");
  describe
      ->add_option("--schema", options.schema,
                   "JSON Schema of scenario, drive or plant files, by which an editor checks and completes them")
      ->excludes(tsv);
  return describe;
}

/// `armature explain` and its options.
CLI::App* add_explain(CLI::App& app, Options& options) {
  CLI::App* const explain =
      app.add_subcommand("explain", "the life of one request of a run, or which are worth a look");
  explain->add_option("REQUEST", options.request, "its number in requests.csv");
  explain->add_option("--at", options.at, "list those that were in the system at this simulated time: 1.5, \"20 ms\"")
      ->type_name("TIME");
  explain->add_option("--slowest", options.slowest, "list so many of the longest response times")->type_name("N");
  explain
      ->add_option("--missed", options.missed,
                   "list those that missed a revolution: late_data, late_link, late_servo, read_retry, late_channel, "
                   "late_firmware, inhibit or any")
      ->type_name("CAUSE");
  explain->add_option("--run", options.run_directory, "directory of the run; the latest in out if none is given")
      ->type_name("DIR");
  explain->add_option("--drive", options.drive, "which, if the run had several")->type_name("NAME");
  return explain;
}

constexpr const char* kVersionCommand = "version";

/// `armature version` and `armature --version`.
void add_version(CLI::App& app) {
  app.set_version_flag("--version", fmt::format("armature {}", version()));
  app.add_subcommand(kVersionCommand, "print the version");
}

int version_command() {
  fmt::print("armature {}\n", version());
  return kOk;
}

int refused(const std::string& message) {
  fmt::print(stderr, "{}\n", message);
  return kBadInput;
}

/// Help that was asked for, or what is wrong with the words.
int not_parsed(const CLI::App& app, const CLI::ParseError& error, const std::vector<std::string>& words) {
  if (app.exit(error) == 0) return written_out(kOk);
  const std::string meant = what_was_meant(app, words);
  if (!meant.empty()) fmt::print(stderr, "{}\n", meant);
  return written_out(kBadInput);
}

/// Commands that are classes of their own.
class OwnCommands {
 public:
  explicit OwnCommands(CLI::App& app)
      : trace_(app),
        import_(app),
        layout_(app),
        seek_(app),
        samples_(app),
        waves_(app),
        mems_(app),
        servo_(app),
        ata_(app) {}

  /// The status of the one that is wanted; nothing: none is.
  std::optional<int> run() const {
    if (trace_.wanted()) return trace_.run();
    if (import_.wanted()) return import_.run();
    if (layout_.wanted()) return layout_.run();
    if (seek_.wanted()) return seek_.run();
    if (samples_.wanted()) return samples_.run();
    if (waves_.wanted()) return waves_.run();
    if (mems_.wanted()) return mems_.run();
    if (servo_.wanted()) return servo_.run();
    if (ata_.wanted()) return ata_.run();
    return std::nullopt;
  }

 private:
  const TraceCommand trace_;
  const ImportCommand import_;
  const LayoutCommand layout_;
  const SeekCommand seek_;
  const SamplesCommand samples_;
  const WavesCommand waves_;
  const MemsCommand mems_;
  const ServoCommand servo_;
  const AtaCommand ata_;
};

}  // namespace

int command_line(int argc, char** argv) {
  // Beyond a limit of the size of files (ulimit -f) a write fails with a reason, as on a full disk, and kills nothing.
  std::signal(SIGXFSZ, SIG_IGN);
  Options options;
  CLI::App app("Armature: a hardware-level model of storage drives", "armature");
  app.require_subcommand(1);
  add_version(app);

  const CLI::App* const run = add_run(app, options);
  const CLI::App* const serve = add_serve(app, options);
  const CLI::App* const linux_app = add_linux(app, options);
  const CLI::App* const check = add_check(app, options);
  const CLI::App* const describe = add_describe(app, options);
  add_explain(app, options);
  const OwnCommands own(app);
  refuse_empty(app);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return not_parsed(app, error, {argv + 1, argv + argc});
  }
  options.command = "armature";
  for (int i = 1; i < argc; ++i) options.command += ' ' + for_shell(argv[i]);
  try {
    refuse_lost_input(app);
    if (*run) return written_out(run_command(options));
    if (*serve) return written_out(serve_command(options));
    if (*linux_app) return written_out(linux_command(options));
    if (*check) return written_out(check_command(options));
    if (*describe) return written_out(describe_command(options));
    if (app.got_subcommand(kVersionCommand)) return written_out(version_command());
    if (const std::optional<int> status = own.run()) return written_out(*status);
    return written_out(explain_command(options));
  } catch (const InputError& error) {
    return refused(error.what());
  } catch (const fs::filesystem_error& error) {  // a path that cannot be one, a folder that may not be read
    return refused(fmt::format("{}: {}", error.path1().string(), error.code().message()));
  } catch (const std::bad_alloc&) {
    return refused((options.scenario.empty() ? "" : options.scenario + ":1: ") +
                   "out of memory: what was asked for needs more than there is");
  } catch (const sc_core::sc_report& report) {
    fmt::print(stderr, "internal error: {}: {}\n", report.get_msg_type(), report.get_msg());
    return kInternalError;
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) return written_out(kOk);  // what fmt throws then
    fmt::print(stderr, "internal error: {}\n", error.what());
    return kInternalError;
  }
}

}  // namespace armature::app
