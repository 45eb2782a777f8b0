#include "linux_run.h"

#include "armature/controller/native_guard.h"
#include "armature/controller/soc.h"
#include "armature/core/conversions.h"
#include "armature/core/kernel_time.h"
#include "armature/uml/guest_process.h"
#include "fio_logs.h"
#include "hosted_drive.h"
#include "linux_machine.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

namespace armature::app {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr double kSliceSeconds = 0.05;  // wall time between looks at the outside world
constexpr double kProgressSeconds = 0.1;
constexpr Ps kFirstSlice = kPsPerMs;
constexpr Ps kLongestSlice = 60 * kPsPerSecond;
constexpr char kEndOfRun = 0x1D;    // Ctrl-]
constexpr char kEndOfInput = 0x04;  // Ctrl-D
constexpr double kEndAgain = 1;     // s of wall time after which it is typed again

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A folder for sockets, whose paths are short, and for what the guest is told. It goes with its owner.
class ControlFolder {
 public:
  ControlFolder() {
    const char* const wanted = std::getenv("TMPDIR");
    // The path is a word of the kernel's command line and of a socket's address.
    const bool fit =
        wanted && *wanted && std::strlen(wanted) < 60 &&
        std::none_of(wanted, wanted + std::strlen(wanted), [](unsigned char c) { return std::isspace(c); });
    std::string text = std::string(fit ? wanted : "/tmp") + "/armature-linux-XXXXXX";
    if (!::mkdtemp(text.data()))
      throw InputError(fmt::format("{}: no folder can be made there: {}", text, std::strerror(errno)));
    path_ = text;
  }
  ~ControlFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ControlFolder(const ControlFolder&) = delete;
  ControlFolder& operator=(const ControlFolder&) = delete;
  const fs::path& path() const { return path_; }

  void write(const char* name, const std::string& text) const {
    std::ofstream file(path_ / name);
    file << text;
    if (!file.flush()) throw InputError(Place{(path_ / name).string()}, "cannot be written");
  }
  std::optional<std::string> read(const char* name) const {
    std::ifstream file(path_ / name);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

 private:
  fs::path path_;
};

/// Standard input, each key as it is pressed if it is a terminal.
class Keyboard {
 public:
  Keyboard() : terminal_(::isatty(STDIN_FILENO) != 0 && ::tcgetattr(STDIN_FILENO, &before_) == 0) {
    if (!terminal_) return;
    termios raw = before_;
    ::cfmakeraw(&raw);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  }
  ~Keyboard() {
    if (terminal_) ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;

  /// What was typed, after at most so many seconds; Ctrl-D now and then when the input has ended.
  std::optional<std::string> read(double seconds) {
    const auto begin = Clock::now();
    if (ended_ && seconds_since(told_) > kEndAgain) {
      told_ = Clock::now();
      return std::string(1, kEndOfInput);
    }
    pollfd input{ended_ ? -1 : STDIN_FILENO, POLLIN, 0};
    const int ready = ::poll(&input, 1, static_cast<int>(seconds * 1e3));
    if (ready > 0) {
      char bytes[256];
      const ssize_t got = ::read(STDIN_FILENO, bytes, sizeof bytes);
      if (got > 0) return std::string(bytes, static_cast<std::size_t>(got));
      if (got == 0 || errno != EINTR) ended_ = true;
    }
    // The rest of less than a millisecond, which poll does not know.
    if (const double left = seconds - seconds_since(begin); left > 0 && left < 1e-3)
      ::usleep(static_cast<useconds_t>(left * 1e6));
    return std::nullopt;
  }

 private:
  const bool terminal_;
  termios before_{};
  bool ended_ = false;
  Clock::time_point told_ = Clock::now() - std::chrono::hours(1);
};

/// A word as the guest's shell takes it.
std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

/// One word is a line for the shell; several are a program and its arguments.
std::string script_of(const std::vector<std::string>& command) {
  if (command.size() == 1) return command.front() + '\n';
  std::string text;
  for (const std::string& word : command) text += (text.empty() ? "" : " ") + quoted(word);
  return text + '\n';
}

class Run final : private uml::LinuxHost::Surroundings {
 public:
  Run(const Scenario& scenario, const LinuxRun& guest, observe::RunOutputs& outputs, const RunControl& control)
      : scenario_(scenario),
        params_(scenario.linux_host->linux_params),
        guest_(guest),
        outputs_(outputs),
        control_(control),
        log_(fs::absolute(fs::path(scenario.output.directory) / "kernel.log")),
        machine_(scenario, outputs, host_params(), *this) {
    outputs_.follow_jobs();
    machine_.host().on_end = [] { sc_core::sc_stop(); };
    for (std::size_t i = 0; i < machine_.drives().size(); ++i) {
      machine_.drives()[i]->disk().soc().cpu->on_mistake = [] { sc_core::sc_pause(); };
    }
  }

  LinuxResult run() {
    LinuxResult result;
    start_ = moved_ = Clock::now();
    prepare_control();
    if (guest_.command.empty()) keyboard_.emplace();
    try {
      process_.emplace(command_line(), control_folder_.path(), log_);
      loop(result.run);
    } catch (const uml::ProtocolError& error) {
      result.run.ending = Ending::failed;
      result.run.message = error.what();
    } catch (const InputError& error) {
      result.run.ending = Ending::bad_input;
      result.run.message = error.what();
    } catch (const sc_core::sc_report& report) {
      result.run.ending = Ending::failed;
      result.run.message = fmt::format("{}: {}", report.get_msg_type(), report.get_msg());
    }
    keyboard_.reset();
    result.run.end = now();
    result.run.wall_seconds = seconds_since(start_);
    if (result.run.ending == Ending::complete) read_status(result);
    process_.reset();
    finish(result);
    return result;
  }

 private:
  uml::LinuxHost::Params host_params() const {
    uml::LinuxHost::Params params;
    params.folder = control_folder_.path();
    params.start_s = static_cast<std::uint64_t>(params_.start_s);
    params.terminal = guest_.command.empty();
    return params;
  }

  void prepare_control() {
    control_folder_.write("disks", fmt::format("{}\n", scenario_.drives.size()));
    if (!guest_.command.empty()) {
      control_folder_.write("command", script_of(guest_.command));
    } else if (::isatty(STDIN_FILENO)) {
      control_folder_.write("typed", "");
    }
    // Short paths without blanks, whatever those of the folders are.
    fs::create_directory_symlink(fs::absolute(guest_.root), control_folder_.path() / "root");
    fs::create_directory_symlink(fs::absolute(share_of(scenario_)), control_folder_.path() / "share");
    fs::create_directory_symlink(fs::absolute(scenario_.path).parent_path(), control_folder_.path() / "scenario");
  }

  std::vector<std::string> command_line() {
    // Names in the folder where it starts: the kernel makes random numbers of its command line, too, and these words
    // are the same in each run.
    std::vector<std::string> words = {
        fs::absolute(guest_.kernel).string(),
        fmt::format("mem={}M", params_.memory_mib),
        "time-travel=ext:" + machine_.host().calendar_path().filename().string(),
        fmt::format("virtio_uml.device={}:{}", machine_.host().pci_path().filename().string(), kPciDeviceId),
        fmt::format("virtio_uml.device={}:{}", machine_.host().console_path().filename().string(), kConsoleDeviceId),
        "root=/dev/root",
        "rootfstype=hostfs",
        "rootflags=/proc/self/cwd/root",  // hostfs knows absolute paths only
        "ro",
        "init=/init",
        "con=null",
        "con0=null,fd:1",
        "stderr=1",
        "console=tty0",
        "panic=-1",
        "uml_dir=.",
        "umid=guest",
    };
    std::istringstream more(params_.options);
    for (std::string word; more >> word;) words.push_back(word);
    return words;
  }

  void loop(RunResult& result) {
    constexpr Ps kNever = std::numeric_limits<Ps>::max();
    const Ps until = scenario_.simulation.until_s > 0 ? from_seconds(scenario_.simulation.until_s) : kNever;
    const bool limited = params_.limit_s > 0 && !guest_.command.empty();
    const Ps limit = limited ? from_seconds(params_.limit_s) : kNever;
    Ps slice = control_.slice > 0 ? control_.slice : kFirstSlice;
    while (true) {
      const Ps begin = now();
      const auto slice_start = Clock::now();
      const Ps end = std::min({begin + slice, limit, until});
      sc_core::sc_start(to_sc_time(end - begin));
      if (machine_.host().ended()) {
        if (machine_.host().fault().empty()) return;
        result.ending = stopped() ? Ending::interrupted : Ending::stalled;
        result.message = stopped() ? "stopped by the user" : of_guest(machine_.host().fault());
        return;
      }
      for (std::size_t i = 0; i < machine_.drives().size(); ++i) {
        const std::string fault = machine_.drives()[i]->disk().firmware_fault();
        if (fault.empty()) continue;
        result.ending = Ending::failed;
        result.message = fmt::format("drive {}: {}", scenario_.drives[i].name, fault);
        return;
      }
      if (stopped()) {
        result.ending = Ending::interrupted;
        result.message = "stopped by the user";
        return;
      }
      if (now() >= until) {
        result.ending = Ending::until;
        result.message = "simulation.until_s was reached";
        return;
      }
      if (now() >= limit) {
        result.ending = Ending::stalled;
        result.message = of_guest(fmt::format("its command has not ended in {} s (linux.limit_s)", params_.limit_s));
        return;
      }
      if (!sc_core::sc_pending_activity()) {
        result.ending = Ending::stalled;
        result.message = of_guest("it waits for nothing that could come");
        return;
      }
      report();
      if (control_.slice == 0) slice = adapted(slice, begin, slice_start);
    }
  }

  static Ps adapted(Ps slice, Ps begin, Clock::time_point start) {
    const double wall = std::max(seconds_since(start), 1e-6);
    const double factor = std::clamp(kSliceSeconds / wall, 0.25, 4.0);
    const auto wanted = static_cast<Ps>(static_cast<double>(std::min(now() - begin, slice)) * factor);
    return std::clamp<Ps>(wanted, kFirstSlice / 16, kLongestSlice);
  }

  std::string of_guest(const std::string& what) const {
    return fmt::format("the guest at {:.6f} s of simulated time: {} ({} has its messages)", to_seconds(now()), what,
                       log_.string());
  }

  bool stopped() const { return (control_.stop && *control_.stop) || left_; }

  void report() {
    const double wall = seconds_since(start_);
    if (!control_.progress || wall - reported_ < kProgressSeconds) return;
    if (keyboard_ && written_) return;  // the line is the guest's
    reported_ = wall;
    Progress progress;
    progress.completed = machine_.completed();
    progress.at = now();
    progress.wall_seconds = wall;
    control_.progress(progress);
  }

  void console(const char* text, std::size_t bytes) override {
    if (control_.before_output) control_.before_output();
    written_ = true;
    std::fwrite(text, 1, bytes, stdout);
    std::fflush(stdout);
  }

  std::optional<std::string> typed(double seconds) override {
    std::error_code ignored;
    if (!ready_) ready_ = fs::exists(control_folder_.path() / "ready", ignored);
    if (!ready_) return std::nullopt;  // nobody reads yet
    std::optional<std::string> text = keyboard_ ? keyboard_->read(seconds) : std::nullopt;
    if (text && text->find(kEndOfRun) != std::string::npos && ::isatty(STDIN_FILENO)) {
      left_ = true;
      sc_core::sc_pause();
      return std::nullopt;
    }
    return text;
  }

  /// While the guest computes.
  void look() override {
    if (stopped()) throw uml::ProtocolError("stopped by the user");
    if (process_)
      if (const auto end = process_->end()) throw uml::ProtocolError(*end);
    if (now() != moved_at_) {
      moved_at_ = now();
      moved_ = Clock::now();
    }
    const double still = seconds_since(moved_);
    if (params_.silence_s > 0 && still > params_.silence_s)
      throw uml::ProtocolError(
          fmt::format("it computes without end: simulated time has stood still for {:.0f} s of wall time "
                      "(linux.silence_s)",
                      still));
    report();
  }

  bool idle() const override {
    std::error_code ignored;  // when the shell has ended, nobody waits for wall time
    return ready_ && !machine_.busy() && !fs::exists(control_folder_.path() / "status", ignored);
  }

  void read_status(LinuxResult& result) {
    const std::optional<std::string> text = control_folder_.read("status");
    if (text && !text->empty()) {
      result.status = std::atoi(text->c_str());
      return;
    }
    result.run.ending = Ending::stalled;
    result.run.message = of_guest("it has ended before its command has");
  }

  void finish(LinuxResult& result) {
    std::vector<std::vector<observe::Counter>> counted;
    for (std::size_t i = 0; i < machine_.drives().size(); ++i) {
      PortedDrive& drive = *machine_.drives()[i];
      drive.disk().catch_up();
      const auto port = static_cast<unsigned>(i);
      counted.push_back(drive_counters(drive.disk(), drive.counters(machine_.controller().port(port).counters())));
    }
    outputs_.set_jobs(
        read_fio_logs(control_folder_.path() / "share", began_, static_cast<std::uint64_t>(params_.start_s)));
    const uml::LinuxHost::Counters counters = machine_.host().counters();
    const double wall = std::max(result.run.wall_seconds, 1e-9);
    result.rates = fmt::format(
        "{} requests of the guest, {:.0f} a second of wall time; {} accesses to registers, {} "
        "interrupts, {} messages of its clock",
        machine_.completed(), static_cast<double>(machine_.completed()) / wall,
        counters.pci.reads + counters.pci.writes, counters.pci.interrupts, counters.calendar.messages);
    outputs_.finish({result.run.ending == Ending::complete,
                     result.run.ending == Ending::complete ? "" : result.run.message,
                     result.run.end,
                     result.run.wall_seconds,
                     std::nullopt,
                     {},
                     std::move(counted)});
  }

  static constexpr unsigned kPciDeviceId = 1234;   // CONFIG_UML_PCI_OVER_VIRTIO_DEVICE_ID of kernel.config
  static constexpr unsigned kConsoleDeviceId = 3;  // VIRTIO_ID_CONSOLE

  const Scenario& scenario_;
  const uml::LinuxParams& params_;
  const LinuxRun& guest_;
  observe::RunOutputs& outputs_;
  const RunControl& control_;
  const fs::path log_;
  const ControlFolder control_folder_;
  LinuxMachine machine_;
  const controller::NativeGuard guard_;
  std::optional<uml::GuestProcess> process_;
  std::optional<Keyboard> keyboard_;
  bool ready_ = false;  ///< the guest's shell has begun
  bool written_ = false;
  const fs::file_time_type began_ = fs::file_time_type::clock::now() - std::chrono::seconds(1);  // of coarser clocks
  bool left_ = false;
  Clock::time_point start_;
  Clock::time_point moved_;  ///< when simulated time was last seen to move
  Ps moved_at_ = -1;
  double reported_ = -kProgressSeconds;
};

}  // namespace

std::string share_of(const Scenario& scenario) {
  const std::string& wanted = scenario.linux_host->linux_params.share;
  std::error_code error;
  if (!wanted.empty()) {
    if (fs::is_directory(wanted, error)) return wanted;
    throw InputError(scenario.place_of("linux.share", "linux"), fmt::format("linux.share: {} is no folder", wanted));
  }
  const fs::path own = fs::path(scenario.output.directory) / "guest";
  fs::create_directories(own, error);
  if (error) throw InputError(Place{own.string()}, error.message());
  return own.string();
}

LinuxResult run_linux(const Scenario& scenario, const LinuxRun& guest, observe::RunOutputs& outputs,
                      const RunControl& control) {
  sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL,
                                          sc_core::SC_DISPLAY | sc_core::SC_CACHE_REPORT | sc_core::SC_THROW);
  std::unique_ptr<Run> run;
  try {
    run = std::make_unique<Run>(scenario, guest, outputs, control);
  } catch (const InputError& error) {  // a block has refused its parameters: nothing is left of a run that was none
    outputs.discard();
    const Place place = error.place().file.empty() ? beginning_of(scenario.path) : error.place();
    throw error.place().file.empty() ? InputError(place, error.what()) : error;
  }
  return run->run();
}

}  // namespace armature::app
