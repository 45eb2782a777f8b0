#include "commands.h"

#include "armature/app/fault_record.h"
#include "armature/app/scenario.h"
#include "armature/app/simulation.h"
#include "armature/cli/status.h"
#include "armature/controller/native_guard.h"
#include "armature/controller/soc.h"
#include "armature/core/input_file.h"
#include "armature/core/kernel_time.h"
#include "armature/core/log.h"
#include "armature/drive/hard_disk.h"
#include "armature/host/command_player.h"
#include "armature/mems_drive/mems_drive.h"
#include "armature/observe/energy_account.h"
#include "armature/observe/fst_trace.h"
#include "armature/observe/state_times.h"
#include "armature/sata/ata_decode.h"
#include "armature/sata/link.h"
#include "ata_printer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace armature::app {
namespace {

/// `armature ata DRIVE [SCRIPT]`: ATA commands to a drive, typed in or of a script, and its answers decoded.
class AtaCommand {
 public:
  explicit AtaCommand(const cli::Command& program);

  int run() const;

 private:
  std::string drive_, script_, name_, firmware_, waves_, identify_;
  std::vector<std::string> sets_, commands_, log_;
  bool raw_ = false, tsv_ = false, brief_ = false, strict_ = false, console_ = false, list_ = false;
};

namespace fs = std::filesystem;

constexpr const char* kGrammar =
    "A script has a command a line: [TIME] NAME [KEY=VALUE...], \"read log ext log=0x30 page=3\". TIME is since "
    "power-on "
    "(20 s) or since the line before was sent (+5 ms); without one the line waits until those before have ended. NAME "
    "is the standard's, or an opcode (ECh, 0xEC), or wait 5 s, reset, comreset, end. KEYs: features, count, lba, "
    "device, "
    "sectors, log, page, tag, fua, data (pattern, zeros), data_hex, data_file, data_bytes, now, timeout_s, name; "
    "`describe host.commands` explains them. Numbers are decimal, or hexadecimal as 0x10 or 10h. MS NAME COMMAND "
    "FEATURES COUNT LBA [DEVICE], in hexadecimal, is a line, too. \"#\" begins a comment. docs/reference/ata.md has a "
    "session.";

/// What the sensor on a drive's case tells: the drive's energy heats it.
class Warmth final : public controller::TemperatureSensor {
 public:
  Warmth(const DriveSetup& setup, ProbeSink* probes) : account(*energy_of(setup), setup.name, probes, times_) {}
  double celsius() override { return account.case_c(); }

 private:
  observe::StateTimes times_;

 public:
  observe::EnergyAccount account;
};

/// A drive alone at its link.
class Bench : public sc_core::sc_module {
 public:
  Bench([[maybe_unused]] sc_core::sc_module_name name, const DriveSetup& setup, const BlockContext& context)
      : adapter("adapter", setup.host, context), link("link", setup.link, context), disk(make(setup, context)) {
    adapter.set_logical_sectors(static_cast<std::uint32_t>(setup.drive.geometry.logical_sector_bytes / 512));
    adapter.set_data_frame(setup.link.written_frame_bytes());
    adapter.leave_errors();
    adapter.to_link.bind(link.from_host);
    link.to_host.bind(adapter.from_link);
    link.to_drive.bind(disk->from_link());
    disk->to_link().bind(link.from_drive);
    if (setup.drive.faults.empty()) return;
    faults.emplace(disk->faults(), link, nullptr, fs::path());
    faults->on_supply = [this](bool on, bool) { on ? disk->power_on() : disk->power_off(); };
  }

  host::HostBusAdapter adapter;
  sata::Link link;
  const std::unique_ptr<drive::Drive> disk;
  std::optional<FaultRecord> faults;

 private:
  static std::unique_ptr<drive::Drive> make(const DriveSetup& setup, const BlockContext& context) {
    const auto tags = static_cast<unsigned>(setup.host.tags);
    if (setup.store) {
      mems::MemsDriveParams store = setup.mems_drive();
      store.sensor = setup.sensor();
      return std::make_unique<mems::MemsDrive>("disk", store, tags, context);
    }
    drive::DriveParams params = setup.drive;
    params.sensor = setup.sensor();
    params.governor.saving = saving_of(setup);
    return std::make_unique<drive::HardDisk>("disk", params, tags, context);
  }
};

/// Where the lines come from: a script that is read and checked whole before anything happens, or a stream whose next
/// line is read when the one before has been dealt with.
class Lines {
 public:
  Lines(std::string name, std::string folder, std::uint32_t sector_bytes)
      : reader_(std::move(name), std::move(folder)), sector_bytes_(sector_bytes) {}

  void read_whole(const std::string& text) {
    std::istringstream lines(text);
    double before = 0;
    for (std::string line; !reader_.ended() && std::getline(lines, line);)
      if (auto order = take(line, before)) orders_.push_back(std::move(*order));
    whole_ = true;
  }

  /// @param terminal  a person types: an error is printed, and the next line asked for
  std::optional<host::HostOrder> next(bool terminal) {
    if (whole_) {
      if (orders_.empty()) return std::nullopt;
      host::HostOrder order = std::move(orders_.front());
      orders_.pop_front();
      return order;
    }
    while (!reader_.ended() && !error_) {
      if (terminal) fmt::print("ata> ");
      std::fflush(stdout);
      std::string line;
      if (!std::getline(std::cin, line)) break;
      try {
        if (terminal && (line == "help" || line == "?")) {
          fmt::print("{}\n", kGrammar);
          continue;
        }
        if (auto order = take(line, before_)) return order;
      } catch (const InputError& error) {
        fmt::print(stderr, "{}\n", error.what());
        if (!terminal) error_ = true;
      }
    }
    return std::nullopt;
  }
  bool failed() const { return error_; }

 private:
  std::optional<host::HostOrder> take(const std::string& line, double& before) {
    const std::optional<host::HostCommand> command = reader_.read(line);
    if (!command) return std::nullopt;
    if (command->at_s >= 0 && command->at_s < before)
      throw InputError(command->place,
                       fmt::format("{} s is before the line before it, at {} s", command->at_s, before));
    host::HostOrder order = host::order_of(*command, sector_bytes_);
    if (command->after_request >= 0)
      throw InputError(command->place,
                       "after_request: there are no requests here; `[[host.commands]]` of a scenario "
                       "go after one (docs/reference/ata.md)");
    bool off = off_;
    host::check_power(order, off);
    off_ = off;
    before = std::max(before, command->at_s);
    return order;
  }

  host::ScriptReader reader_;
  const std::uint32_t sector_bytes_;
  std::deque<host::HostOrder> orders_;
  bool whole_ = false;
  bool error_ = false;
  bool off_ = false;
  double before_ = 0;
};

/// The drive of a drive file, or one of a scenario.
DriveSetup drive_of(const std::string& path, const std::string& name, const std::vector<std::string>& sets) {
  if (is_drive_file(config::load(path))) {
    if (!name.empty()) throw InputError("--drive " + name + ": " + path + " is a drive file, with one drive");
    return load_drive(path, sets);
  }
  std::vector<config::Node> overrides;
  for (const std::string& set : sets) overrides.push_back(config::assignment(set));
  Scenario scenario = load_scenario(path, overrides);
  if (name.empty()) return std::move(scenario.drives.front());
  for (DriveSetup& setup : scenario.drives)
    if (setup.name == name) return std::move(setup);
  throw InputError(beginning_of(path), fmt::format("the scenario has no drive \"{}\" (--drive)", name));
}

void list_commands() {
  fmt::print("{:<5} {:<38} {:<16} {:<9} {}\n", "code", "command", "protocol", "registers",
             "standard (ACS-3 unless named)");
  for (const sata::CommandInfo& one : sata::all_commands()) {
    std::string registers;
    if (one.features >= 0) registers = fmt::format("F={:02X}h", one.features);
    fmt::print("{:02X}h   {:<38} {:<16} {:<9} {}\n", one.code, one.name, name_of(one.protocol), registers, one.section);
  }
}

/// 512 bytes, or their 256 words in hexadecimal as `hdparm --Istdout` prints them; what is no word of four digits
/// (`hdparm`'s heading) is passed over.
std::vector<std::uint8_t> identify_page(const std::string& path) {
  constexpr std::size_t kBytes = 512;
  const std::string text = read_input_file(path);
  if (text.size() == kBytes) return {text.begin(), text.end()};
  std::vector<std::uint8_t> page;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const bool hex = word.size() == 4 &&
                     std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
    if (!hex) continue;
    const unsigned long value = std::strtoul(word.c_str(), nullptr, 16);
    page.push_back(static_cast<std::uint8_t>(value));
    page.push_back(static_cast<std::uint8_t>(value >> 8));
  }
  if (page.size() != kBytes)
    throw InputError(Place{path}, fmt::format("{} words in hexadecimal; IDENTIFY DEVICE has 256", page.size() / 2));
  return page;
}

std::string text_of(const std::vector<std::string>& commands) {
  std::string text;
  for (const std::string& command : commands) text += command + '\n';
  return text;
}

/// From power-on to the last answer.
/// @param waves  file of the waves; empty: none
int talk(const DriveSetup& setup, Lines& lines, bool streamed, const std::string& waves, AtaPrinter& printer) {
  const bool terminal = streamed && isatty(STDIN_FILENO) != 0;
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL,
                                          sc_core::SC_DISPLAY | sc_core::SC_CACHE_REPORT | sc_core::SC_THROW);
  std::unique_ptr<observe::FstTrace> trace;
  if (!waves.empty()) {
    trace = std::make_unique<observe::FstTrace>(waves);
    trace->open_window(0);
    trace->close_window(std::numeric_limits<Ps>::max());
    trace->last_window();
  }
  std::unique_ptr<Warmth> warmth;
  std::unique_ptr<Bench> bench;
  try {
    if (setup.thermal.given()) warmth = std::make_unique<Warmth>(setup, trace.get());
    StateSink* const states = warmth ? &warmth->account : nullptr;
    bench = std::make_unique<Bench>(setup.name.c_str(), setup, BlockContext{trace.get(), states, nullptr});
    if (warmth) bench->disk->soc().pmu.set_sensor(*warmth);
  } catch (const InputError& error) {
    throw of_drive(error, setup);
  }
  bench->adapter.set_watcher(printer);
  if (terminal) fmt::print("{}: type a command, \"help\", or \"end\"\n", setup.drive.identity.model);
  host::CommandPlayer player(
      "commands", bench->adapter, static_cast<unsigned>(setup.host.tags), nullptr, [&] { return lines.next(terminal); },
      printer);
  if (streamed) player.ask_when_idle();
  player.on_power = [&bench](bool on) {
    if (bench->disk->powered() == on) return false;
    on ? bench->disk->power_on() : bench->disk->power_off();
    return true;
  };
  player.on_finished = [] { sc_core::sc_stop(); };
  bench->disk->soc().cpu->on_mistake = [] { sc_core::sc_stop(); };
  const controller::NativeGuard guard;
  sc_core::sc_start();
  if (trace) trace->finish(now());
  if (const std::string fault = bench->disk->firmware_fault(); !fault.empty()) {
    fmt::print(stderr, "{}\n", fault);
    return kInternalError;
  }
  return lines.failed() ? kBadInput : kOk;
}

}  // namespace

AtaCommand::AtaCommand(const cli::Command& program) {
  const cli::Command ata =
      program.add_command("ata", "ATA commands to a drive, of a script or typed in; its answers decoded").runs([this] {
        return run();
      });
  ata.add_option("DRIVE", drive_, "drive file or scenario (.toml)");
  ata.add_option("SCRIPT", script_, "commands, one a line; standard input if left out");
  ata.add_option("-c,--command", commands_, "a line of a script, in place of one; may be repeated")
      .one_at_a_time()
      .type_name("LINE");
  ata.add_option("--set", sets_, "override a key: --set cache.write=false").one_at_a_time().type_name("KEY=VALUE");
  ata.add_option("--drive", name_, "which of a scenario's drives; the first if left out").type_name("NAME");
  ata.add_option(
         "--firmware", firmware_,
         "your own firmware, an ELF or a folder of C files, on an instruction-set simulator (controller.firmware)")
      .type_name("FILE");
  ata.add_flag("--raw", raw_, "print all data in hexadecimal");
  ata.add_flag("--tsv", tsv_, "tab-separated, for programs: rows frame, answer, field, data");
  ata.add_flag("--brief", brief_, "answers without the frames");
  ata.add_flag("--strict", strict_, "status 1 if a command ends with an error or not at all");
  ata.add_flag("--console", console_, "print what firmware writes to its console (fw_printf)");
  ata.add_option("--log", log_, "lines on standard error by module and level, as of run")
      .one_at_a_time()
      .type_name("GLOB=LEVEL");
  ata.add_option("--waves", waves_, "write the waves to this file (.fst)").type_name("FILE");
  ata.add_flag("--list", list_, "list the commands by opcode, with their protocols, and end");
  ata.add_option("--identify", identify_,
                 "decode IDENTIFY DEVICE of a real drive, 256 words as hdparm --Istdout prints them or 512 bytes, and "
                 "end")
      .type_name("FILE");
  ata.footer(kGrammar);
}

int AtaCommand::run() const {
  if (list_) {
    list_commands();
    return kOk;
  }
  if (!identify_.empty()) {
    print_fields(sata::decode_identify(identify_page(identify_).data()));
    return kOk;
  }
  if (drive_.empty()) throw InputError("ata: DRIVE, a drive file or a scenario, is missing");
  if (!commands_.empty() && !script_.empty())
    throw InputError("--command stands in place of a script, not beside " + script_);
  LogRules rules;
  if (console_) rules.add("firmware=info");
  for (const std::string& rule : log_) rules.add(rule);
  LogOutput::open(std::move(rules));

  std::vector<std::string> sets = sets_;
  if (!firmware_.empty()) {
    sets.emplace_back("controller.processor=iss");
    sets.push_back("controller.firmware=" + config::quote(fs::absolute(firmware_).string()));
  }
  const DriveSetup setup = drive_of(drive_, name_, sets);
  check_drive(setup);
  const bool streamed = script_.empty() && commands_.empty();
  const std::string name = !commands_.empty() ? "--command" : streamed ? "standard input" : script_;
  Lines lines(name, streamed ? "." : fs::path(script_).parent_path().string(),
              static_cast<std::uint32_t>(setup.drive.geometry.logical_sector_bytes));
  if (!streamed) lines.read_whole(commands_.empty() ? read_input_file(script_) : text_of(commands_));
  AtaPrinter printer({raw_, tsv_, !brief_});
  const int status = talk(setup, lines, streamed, waves_, printer);
  return status == kOk && strict_ && printer.failed() > 0 ? kMismatch : status;
}

void add_ata(const cli::Command& program) {
  program.add<AtaCommand>();
}

}  // namespace armature::app
