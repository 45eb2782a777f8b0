#include "armature/app/command_line.h"

#include "armature/app/scenario.h"
#include "armature/app/simulation.h"
#include "armature/app/version.h"
#include "armature/core/conversions.h"
#include "armature/core/input_file.h"
#include "armature/observe/explanation.h"
#include "ata_command.h"
#include "hints.h"
#include "import_command.h"
#include "key_listing.h"
#include "key_schema.h"
#include "layout_command.h"
#include "linux_command.h"
#include "mems_command.h"
#include "option_checks.h"
#include "run_apart.h"
#include "run_command.h"
#include "samples_command.h"
#include "scenario_options.h"
#include "seek_command.h"
#include "servo_command.h"
#include "terminal.h"
#include "trace_info.h"
#include "waves_command.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
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

  const RunCommand run(app, options);
  const ServeCommand serve(app, options);
  const LinuxCommand linux_command(app, options);
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
    if (run.wanted()) return written_out(run.run());
    if (serve.wanted()) return written_out(serve.run());
    if (linux_command.wanted()) return written_out(linux_command.run());
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
