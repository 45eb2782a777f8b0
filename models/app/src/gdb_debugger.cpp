#include "gdb_debugger.h"

#include "armature/controller/iss_processor.h"
#include "armature/controller/register_names.h"
#include "armature/controller/soc.h"
#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"
#include "armature/core/units.h"
#include "armature/iss/image.h"
#include "debugger.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <sstream>

namespace armature::app {
namespace {

using gdb_server::Stop;

constexpr std::size_t kListed = 64;                       ///< requests that `monitor queue` names
constexpr std::string_view kStarts = "fw_start_request";  ///< models/firmware/src/commands/start.c
constexpr unsigned kSecondArgument = 11;                  ///< a1: its tag
constexpr std::uint32_t kBusBegins = 0x4000'0000;         ///< docs/guide/firmware.md

std::string at_time_text(Ps at) {
  return fmt::format("{:.12f} s", to_seconds(at));
}

std::optional<std::uint64_t> number(const std::string& text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

const char* operation_name(Operation operation) {
  return operation == Operation::read ? "read" : operation == Operation::write ? "write" : "flush";
}

/// "request 40: write of 8 sectors at LBN 17580624, arrived at 0.7 s, at the drive under tag 0 (seek)"
std::string line_of(const LinkedDrive& drive, const observe::Arrival& request) {
  std::string text =
      fmt::format("request {}: {} of {} sectors at LBN {}, arrived at {}, ", request.id,
                  operation_name(request.operation), request.sectors, request.lbn, at_time_text(request.at));
  const int tag = drive.tag_of(request.id);
  if (tag < 0) return text + "waits in the host\n";
  text += fmt::format("at the drive under tag {}", tag);
  const std::optional<Phase> phase = drive.tracker().phase(static_cast<unsigned>(tag), now());
  return text + (phase ? fmt::format(" ({})\n", name_of(*phase)) : "\n");
}

bool runs_elf(const DriveSetup& setup) {
  return setup.drive.controller.processor == controller::ControllerParams::iss;
}

}  // namespace

const GdbDebugger::Command GdbDebugger::commands[] = {
    {"help", "", "these commands", &GdbDebugger::help},
    {"time", "", "simulated time, and what the drive's processor does", &GdbDebugger::time},
    {"queue", "", "requests that have arrived and are not complete", &GdbDebugger::queue},
    {"request", "N", "one of them, by its number in requests.csv", &GdbDebugger::request},
    {"regs", "BLOCK [REGISTER]", "registers without side effects: those that differ from reset, or the named ones",
     &GdbDebugger::registers},
    {"mechanics", "", "where stacks and arms stand", &GdbDebugger::mechanics},
    {"checkpoints", "", "how many the way back has, and what they cost", &GdbDebugger::checkpoints},
    {"at request", "N", "continue stops where firmware starts request N", &GdbDebugger::at_request},
    {"at time", "T", "continue stops at this simulated time: 0.5, \"20 ms\"", &GdbDebugger::at_time},
    {"wave on", "", "draw waves from now on (of a run that was started with --waves)", &GdbDebugger::wave_on},
    {"wave off", "", "and no longer", &GdbDebugger::wave_off},
};

GdbDebugger::GdbDebugger(const std::string& address, const Scenario& scenario, checkpoint::Checkpoints* checkpoints)
    : scenario_(scenario),
      checkpoints_(checkpoints),
      listener_(std::make_unique<sockets::Listener>("--gdb", address)) {}

GdbDebugger::~GdbDebugger() = default;

void GdbDebugger::connect(const std::vector<LinkedDrive*>& drives, observe::RunOutputs& outputs,
                          const volatile std::sig_atomic_t* stop) {
  outputs_ = &outputs;
  for (std::size_t i = 0; i < drives.size(); ++i) {
    auto* const processor = dynamic_cast<controller::IssProcessor*>(drives[i]->disk().soc().cpu.get());
    if (processor) harts_.push_back({i, drives[i], processor, nullptr});
  }
  std::vector<gdb_server::Core*> cores;
  for (Hart& hart : harts_) {
    iss::Machine& machine = dynamic_cast<controller::IssProcessor&>(*hart.processor).machine();
    gdb_server::MachineCore::Surroundings surroundings;
    surroundings.word = [drive = hart.drive](std::uint32_t address) -> std::optional<std::uint32_t> {
      const std::uint64_t word =
          address >= kBusBegins ? armature_register(static_cast<unsigned>(drive), address) : ~0ull;
      return word >> 32 == 0 ? std::optional(static_cast<std::uint32_t>(word)) : std::nullopt;
    };
    surroundings.state = [&hart] {
      const char* const handler = hart.processor->running_handler();
      return handler ? fmt::format("in the handler {}", handler) : std::string("waits for an interrupt");
    };
    surroundings.stops = [&hart] { return at_awaited(hart); };
    surroundings.may_stop = [&hart] { return awaited_tag(hart) >= 0; };
    surroundings.is_ahead = [&hart] { return dynamic_cast<controller::IssProcessor&>(*hart.processor).is_ahead(); };
    hart.starts_at = iss::symbols_of(machine.image()).address(kStarts);
    hart.core = std::make_unique<gdb_server::MachineCore>(hart.hosted->name(), machine, std::move(surroundings));
    cores.push_back(hart.core.get());
  }
  const std::string& address = listener_->address();
  constexpr std::string_view kUnix = "unix:";
  const bool is_unix = address.compare(0, kUnix.size(), kUnix) == 0;
  fmt::print(stderr, "the run waits for gdb: target remote {}\n", is_unix ? address.substr(kUnix.size()) : address);
  std::fflush(stderr);
  const auto stopped = [stop] { return stop && *stop; };
  const int socket = listener_->wait(stopped);
  if (socket < 0) return;
  session_.emplace(sockets::Connection(socket), cores, static_cast<gdb_server::Monitor&>(*this), stopped);
  session_->on_end = [] {
    if (sc_core::sc_get_status() == sc_core::SC_RUNNING) sc_core::sc_pause();
  };
  for (std::size_t i = 0; i < harts_.size(); ++i) harts_[i].core->attach(*session_, i);
  find_way_back();
}

void GdbDebugger::find_way_back() {
  std::string why_not =
      checkpoints_ ? checkpoints_->unrepeatable() : "the guest, a process of its own, cannot go back with it";
  for (const DriveSetup& drive : scenario_.drives)
    if (drive.drive.media.contents == media::ContentsParams::file)
      why_not = "media.contents = \"file\": what a file has taken stays in it";
  if (!why_not.empty()) {
    fmt::print(stderr, "gdb cannot go back in this run: {}\n", why_not);
    return;
  }
  travel_.emplace(
      *checkpoints_, *session_, harts_.size(),
      gdb_server::TimeTravel::Luggage{[this] { return pack(); }, [this](std::string_view text) { unpack(text); }});
  session_->set_backwards(&*travel_);
  for (Hart& hart : harts_) hart.core->set_time_travel(&*travel_);
}

/// What `monitor at` is to stop at yet.
std::string GdbDebugger::pack() const {
  std::string text = fmt::format("{:x}", static_cast<std::uint64_t>(stop_at_));
  for (const Hart& hart : harts_) text += hart.awaited ? fmt::format(",{:x}", *hart.awaited) : std::string(",-");
  return text;
}

void GdbDebugger::unpack(std::string_view text) {
  stop_at_ = static_cast<Ps>(gdb_server::take_number(text).value_or(0));
  for (Hart& hart : harts_) {
    gdb_server::take(text, ",");
    hart.awaited = gdb_server::take_number(text);
    if (!hart.awaited) gdb_server::take(text, "-");
    hart.core->ask(hart.awaited.has_value());
  }
}

void GdbDebugger::between() {
  if (!session_) return;
  if (travel_) travel_->outside();
  if (silent())
    travel_->look();
  else
    session_->look(session_->selected());
  if (session_->end() != gdb_server::Session::End::none) {
    leave();
    stop_at_ = kNever;
    return;
  }
  if (silent() || now() < stop_at_) return;
  stop_at_ = kNever;
  Stop stop;
  stop.core = session_->selected();
  stop.reason = Stop::Reason::request;
  stop.text = "stopped at " + at_time_text(now());
  session_->stop(stop);
}

void GdbDebugger::mistake(std::size_t drive, const std::string& text) {
  if (!session_ || silent()) return;
  const auto found =
      std::find_if(harts_.begin(), harts_.end(), [drive](const Hart& hart) { return hart.drive == drive; });
  if (found == harts_.end()) return;
  auto& processor = dynamic_cast<controller::IssProcessor&>(*found->processor);
  if (processor.machine().mistake()) {
    found->core->mistaken();
    return;
  }
  Stop stop;
  stop.core = static_cast<std::size_t>(found - harts_.begin());
  stop.signal = processor.bus_errors() > 0 ? gdb_server::kBusError : gdb_server::kAbort;
  stop.text = fmt::format("{}: {}", found->hosted->name(), text);
  session_->stop(stop);
}

std::string GdbDebugger::end() const {
  if (!session_) return {};
  switch (session_->end()) {
    case gdb_server::Session::End::killed:
      return "ended by gdb";
    case gdb_server::Session::End::lost:
      return "the connection to gdb is lost";
    default:
      return {};
  }
}

void GdbDebugger::leave() {
  for (Hart& hart : harts_) hart.core->detach();
  if (checkpoints_) checkpoints_->forget_from(0);
}

void GdbDebugger::exited(int status) {
  if (session_) session_->exited(status);
}

/// The awaited request's tag if the hart is where firmware starts it; -1: it is not.
int GdbDebugger::awaited_tag(const Hart& hart) {
  const int tag = hart.hosted->tag_of(*hart.awaited);
  if (tag < 0 || !hart.starts_at) return tag;
  const iss::Hart& registers = hart.core->machine().hart();
  const bool starts =
      registers.pc == *hart.starts_at && registers.x[kSecondArgument] == static_cast<std::uint32_t>(tag);
  return starts ? tag : -1;
}

/// Asked before each instruction while a request is awaited.
std::optional<Stop> GdbDebugger::at_awaited(Hart& hart) {
  const int tag = awaited_tag(hart);
  if (tag < 0) return std::nullopt;
  Stop stop;
  stop.reason = Stop::Reason::request;
  stop.text = fmt::format("request {}, tag {}", *hart.awaited, tag);
  hart.awaited.reset();
  hart.core->ask(false);
  return stop;
}

// ---- Commands ------------------------------------------------------------------------------------------------------

std::string GdbDebugger::command(const std::string& words, std::size_t core) {
  std::istringstream text(words);
  Words all;
  for (std::string word; text >> word;) all.push_back(word);
  for (std::size_t i = 0; i < harts_.size() && !all.empty(); ++i) {
    if (all.front() != harts_[i].hosted->name()) continue;
    all.erase(all.begin());
    core = i;
    break;
  }
  if (all.empty()) all.push_back("help");
  for (const Command& command : commands) {
    std::istringstream expected{std::string(command.words)};
    std::size_t matched = 0;
    bool fits = true;
    for (std::string word; expected >> word; ++matched) fits = fits && matched < all.size() && all[matched] == word;
    if (!fits) continue;
    const Words arguments(all.begin() + static_cast<std::ptrdiff_t>(matched), all.end());
    if (arguments.empty() != command.arguments.empty())
      return fmt::format("monitor {}{}{}: {}\n", command.words, command.arguments.empty() ? "" : " ", command.arguments,
                         command.help);
    return (this->*command.does)(harts_[core], arguments);
  }
  return fmt::format("there is no command {}; monitor help lists them\n", words);
}

std::string GdbDebugger::help(Hart&, const Words&) {
  std::string text;
  for (const Command& command : commands)
    text += fmt::format("monitor {:<24} {}\n", fmt::format("{} {}", command.words, command.arguments), command.help);
  if (harts_.size() > 1) text += "monitor DRIVE ... speaks of the drive with that name\n";
  return text;
}

std::string GdbDebugger::time(Hart& hart, const Words&) {
  return fmt::format("{}, {}: {}, {} instructions\n", at_time_text(now()), hart.hosted->name(), hart.core->state(),
                     hart.core->position());
}

std::string GdbDebugger::queue(Hart& hart, const Words&) {
  const std::vector<observe::Arrival> requests = hart.hosted->tracker().unfinished();
  std::string text;
  for (std::size_t i = 0; i < requests.size() && i < kListed; ++i) text += line_of(*hart.hosted, requests[i]);
  if (requests.size() > kListed) text += fmt::format("and {} younger ones\n", requests.size() - kListed);
  return text.empty() ? fmt::format("{} has no request\n", hart.hosted->name()) : text;
}

std::string GdbDebugger::request(Hart& hart, const Words& arguments) {
  const std::optional<std::uint64_t> wanted = number(arguments[0]);
  if (!wanted) return fmt::format("request {}: a number in requests.csv is expected\n", arguments[0]);
  for (const observe::Arrival& request : hart.hosted->tracker().unfinished())
    if (request.id == *wanted) return line_of(*hart.hosted, request);
  return fmt::format("request {} is not here: it is complete, or has not arrived yet (monitor at request {})\n",
                     *wanted, *wanted);
}

std::string GdbDebugger::checkpoints(Hart&, const Words&) {
  const std::size_t count = checkpoints_ ? checkpoints_->positions().size() : 0;
  if (count == 0) return "there is no checkpoint\n";
  return fmt::format("{} checkpoints; the last took {:.1f} ms; {:.1f} MB of memory are their own\n", count,
                     checkpoints_->last_cost_s() * 1e3, static_cast<double>(checkpoints_->own_bytes()) / 1e6);
}

std::string GdbDebugger::mechanics(Hart& hart, const Words&) {
  const std::string text = hart.hosted->disk().standing();
  return text.empty() ? fmt::format("the mechanism of {} tells nothing\n", hart.hosted->name()) : text;
}

std::string GdbDebugger::registers(Hart& hart, const Words& arguments) {
  const std::vector<controller::NamedRegister> all = controller::registers_of(arguments[0]);
  const auto word = [&hart](std::uint32_t address) {
    return armature_register(static_cast<unsigned>(hart.drive), address);
  };
  if (all.empty() || word(all.front().address) >> 32 != 0) {
    std::string names;
    for (const std::string& block : controller::block_names())
      if (word(controller::registers_of(block).front().address) >> 32 == 0) names += " " + block;
    return fmt::format("{} has no block {}; its blocks are{}\n", hart.hosted->name(), arguments[0], names);
  }
  const std::string wanted = arguments.size() > 1 ? arguments[1] : std::string();
  std::string text;
  std::size_t found = 0, hidden = 0;
  for (const controller::NamedRegister& one : all) {
    if (!wanted.empty() && one.name != wanted && one.name.substr(0, one.name.find('[')) != wanted) continue;
    ++found;
    const auto value = static_cast<std::uint32_t>(word(one.address));
    if (wanted.empty() && value == one.reset)
      ++hidden;
    else
      text += fmt::format("{:<18} {:#010x}\n", one.name, value);
  }
  if (found == 0) return fmt::format("{} has no register {}\n", arguments[0], wanted);
  if (hidden > 0) text += fmt::format("{} registers hold their reset values\n", hidden);
  return text;
}

std::string GdbDebugger::at_request(Hart& hart, const Words& arguments) {
  hart.awaited = number(arguments[0]);
  hart.core->ask(hart.awaited.has_value());
  if (!hart.awaited) return fmt::format("at request {}: a number in requests.csv is expected\n", arguments[0]);
  return fmt::format("stops where firmware {} request {} of {}: continue\n",
                     hart.starts_at ? "starts" : "runs after the host has sent", *hart.awaited, hart.hosted->name());
}

std::string GdbDebugger::at_time(Hart&, const Words& arguments) {
  std::string text;
  for (const std::string& word : arguments) text += (text.empty() ? "" : " ") + word;
  text.erase(std::remove(text.begin(), text.end(), '"'), text.end());
  Ps at = 0;
  try {
    const bool bare = text.find_first_not_of("0123456789._eE+-") == std::string::npos;
    const double seconds = parse_quantity(bare ? text + " s" : text, "s");
    if (seconds > to_seconds(kEndOfTime)) throw InputError("is after the end of simulated time");
    at = from_seconds(seconds);
  } catch (const InputError& error) {
    return fmt::format("at time {}: {}\n", text, error.what());
  }
  if (at < now()) return fmt::format("at time {}: it is {} already\n", text, at_time_text(now()));
  stop_at_ = at;
  if (sc_core::sc_get_status() == sc_core::SC_RUNNING) sc_core::sc_pause();  // the run's loop goes on up to it
  return fmt::format("stops at {}: continue\n", at_time_text(at));
}

std::string GdbDebugger::wave_on(Hart&, const Words&) {
  if (travel_) travel_->changed();
  return outputs_->draw_waves(true, now()) + "\n";
}

std::string GdbDebugger::wave_off(Hart&, const Words&) {
  if (travel_) travel_->changed();
  return outputs_->draw_waves(false, now()) + "\n";
}

// ---- Scenarios -----------------------------------------------------------------------------------------------------

std::string firmware_list(const Scenario& scenario) {
  std::string text;
  for (const DriveSetup& setup : scenario.drives)
    text += fmt::format("{}\t{}\t{}\n", setup.name, runs_elf(setup) ? "elf" : "native",
                        runs_elf(setup) ? setup.drive.controller.firmware : "");
  return text;
}

void require_elf(const Scenario& scenario) {
  if (std::none_of(scenario.drives.begin(), scenario.drives.end(), runs_elf))
    throw InputError(
        scenario.place_of("controller.processor", "controller"),
        "--gdb: the firmware of no drive runs as an ELF; --firmware FILE or controller.processor = \"iss\" "
        "makes it, and ./armature gdb debugs native firmware, too");
}

}  // namespace armature::app
