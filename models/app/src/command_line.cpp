#include "armature/app/command_line.h"

#include "armature/app/scenario.h"
#include "armature/app/simulation.h"
#include "armature/cli/program.h"
#include "armature/cli/status.h"
#include "armature/cli/terminal.h"
#include "armature/cli/version.h"
#include "armature/core/conversions.h"
#include "armature/core/input_file.h"
#include "armature/drive/mechanics_params.h"
#include "armature/media/geometry.h"
#include "armature/mems_commands/commands.h"
#include "armature/observe/explanation.h"
#include "armature/servo_commands/commands.h"
#include "armature/trace_commands/commands.h"
#include "commands.h"
#include "hints.h"
#include "key_listing.h"
#include "key_schema.h"
#include "mems_file.h"
#include "run_apart.h"
#include "scenario_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>

namespace armature::app {
namespace {

namespace fs = std::filesystem;

struct Options : ScenarioOptions {
  bool resolved = false;

  std::string key;
  bool tsv = false;
  std::string schema;  // kind of file

  std::string request;
  std::string at;
  std::string slowest;
  std::string missed;
  std::string run_directory;
  std::string drive;
};

/// A word as a shell takes it: in quotes if it has anything unusual.
std::string for_shell(const std::string& word) {
  const auto plain = [](unsigned char c) { return std::isalnum(c) || std::strchr("_-./=:,+%@", c); };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
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
  Scenario scenario = load_scenario(options.scenario, overrides(options));
  if (scenario.linux_host) give_to_linux(scenario);
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
  return section == "sled" || section == "tips" || section == "refresh" || section == "electronics" ? std::optional(key)
                                                                                                    : std::nullopt;
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
    fmt::print("{}", options.tsv ? list_request_columns_tsv() : list_request_columns(cli::terminal_width(stdout, 100)));
    return kOk;
  }
  if (const std::optional<std::string> below = of_store(options.key)) {
    fmt::print("{}", options.tsv ? list_keys_tsv(mems_schema(), *below)
                                 : list_keys(mems_schema(), *below, cli::terminal_width(stdout, 100)));
    return kOk;
  }
  if (of_plant_file(options.key)) {
    const std::string below = options.key.size() > 6 ? options.key.substr(6) : std::string();
    fmt::print("{}", options.tsv ? list_keys_tsv(servo::servo_schema(), below)
                                 : list_keys(servo::servo_schema(), below, cli::terminal_width(stdout, 100)));
    return kOk;
  }
  fmt::print("{}", options.tsv ? list_keys_tsv(schema(), options.key)
                               : list_keys(schema(), options.key, cli::terminal_width(stdout, 100)));
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

/// `armature check`, `describe` and `explain`.
void add_readers(const cli::Command& program, Options& options) {
  const cli::Command check =
      program.add_command("check", "read a scenario or a drive file and say what is wrong with it").runs([&options] {
        return check_command(options);
      });
  add_scenario(check, options);
  check.add_flag("--resolved", options.resolved, "print the resolved configuration, as run would leave it");

  const cli::Command describe =
      program.add_command("describe", "the keys of scenarios and drive files, the columns of requests.csv")
          .runs([&options] { return describe_command(options); });
  describe.add_option(
      "KEY", options.key,
      "a key, a section, a glob or a part of a key's name (rpm); all if left out; servo: the keys of plant files; "
      "requests.csv: its columns");
  const cli::Option tsv = describe.add_flag("--tsv", options.tsv, "tab-separated, for programs");
  describe
      .add_option("--schema", options.schema,
                  "JSON Schema of scenario, drive or plant files, by which an editor checks and completes them")
      .excludes(tsv);

  const cli::Command explain =
      program.add_command("explain", "the life of one request of a run, or which are worth a look").runs([&options] {
        return explain_command(options);
      });
  explain.add_option("REQUEST", options.request, "its number in requests.csv");
  explain.add_option("--at", options.at, "list those that were in the system at this simulated time: 1.5, \"20 ms\"")
      .type_name("TIME");
  explain.add_option("--slowest", options.slowest, "list so many of the longest response times").type_name("N");
  explain
      .add_option("--missed", options.missed,
                  "list those that missed a revolution: late_data, late_link, late_servo, read_retry, late_channel, "
                  "late_firmware, inhibit or any")
      .type_name("CAUSE");
  explain.add_option("--run", options.run_directory, "directory of the run; the latest in out if none is given")
      .type_name("DIR");
  explain.add_option("--drive", options.drive, "which, if the run had several").type_name("NAME");
}

/// The load of a scenario, for `trace info`.
std::unique_ptr<workload::Source> load_of_scenario(const std::string& file, const std::string& drive,
                                                   const std::vector<std::string>& sets,
                                                   const std::function<void(const std::vector<std::string>&)>& read) {
  std::vector<config::Node> overrides;
  for (const std::string& set : sets) overrides.push_back(config::assignment(set));
  const Scenario scenario = load_scenario(file, overrides);
  read(scenario.files);
  Preparation preparation = prepare(scenario);
  const auto wanted = [&](std::size_t i) {
    return drive.empty() || drive == (i < scenario.drives.size() ? scenario.drives[i].name : kArrayName);
  };
  for (std::size_t i = preparation.sources.size(); i-- > 0;)  // an array, which is the last one, before single drives
    if (preparation.sources[i] && wanted(i)) return std::move(preparation.sources[i]);
  throw InputError(Place{file}, fmt::format("no drive \"{}\" gets the workload by itself", drive));
}

/// The servo loop of a drive file, for `servo curve` and `servo fit`.
servo_commands::DriveLoop loop_of_drive(const std::string& file, const std::string& plant,
                                        const std::vector<std::string>& sets) {
  drive::DriveParams drive = load_drive(file).drive;
  drive.mechanics.kind = drive::MechanicsParams::servo;
  if (!plant.empty()) drive.mechanics.plant = plant;
  drive.mechanics.set.insert(drive.mechanics.set.end(), sets.begin(), sets.end());
  const std::uint32_t cylinders = drive.seek_cylinders(media::Geometry(drive.layout()));
  return {drive::plant_of(drive, cylinders), drive.seek, cylinders};
}

int refused(const std::string& message) {
  fmt::print(stderr, "{}\n", message);
  return kBadInput;
}

}  // namespace

int command_line(int argc, char** argv) {
  // Beyond a limit of the size of files (ulimit -f) a write fails with a reason, as on a full disk, and kills nothing.
  std::signal(SIGXFSZ, SIG_IGN);
  Options options;
  cli::Program program("armature", "Armature: a hardware-level model of storage drives",
                       fmt::format("armature {}", cli::version()));
  const cli::Command& commands = program.top();
  add_run(commands, options);
  add_linux(commands, options);
  add_readers(commands, options);
  trace_commands::add(commands, &load_of_scenario);
  add_import(commands);
  add_layout(commands);
  add_seek(commands);
  add_samples(commands);
  add_waves(commands);
  mems_commands::add(commands, {&load_mems, [](const std::string& key) {
                                  return list_keys(mems_schema(), key, cli::terminal_width(stdout, 100));
                                }});
  servo_commands::add(commands, &loop_of_drive);
  add_ata(commands);

  if (const std::optional<int> status = program.parse(argc, argv)) return written_out(*status);
  options.command = "armature";
  for (int i = 1; i < argc; ++i) options.command += ' ' + for_shell(argv[i]);
  try {
    return written_out(program.run());
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
