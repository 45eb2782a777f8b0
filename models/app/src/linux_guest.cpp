#include "linux_guest.h"

#include "armature/core/kernel_time.h"
#include "armature/core/output_file.h"
#include "armature/uml/protocol_error.h"
#include "fio_logs.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

namespace armature::app {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr char kEndOfRun = 0x1D;          // Ctrl-]
constexpr char kEndOfInput = 0x04;        // Ctrl-D
constexpr double kEndAgain = 1;           // s of wall time after which it is typed again
constexpr unsigned kPciDeviceId = 1234;   // CONFIG_UML_PCI_OVER_VIRTIO_DEVICE_ID of kernel.config
constexpr unsigned kConsoleDeviceId = 3;  // VIRTIO_ID_CONSOLE

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

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

}  // namespace

/// A folder for sockets, whose paths are short, and for the guest's input. Its owner removes it.
class LinuxGuest::ControlFolder {
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

  void write(const char* name, const std::string& text) const { write_output_file(path_ / name, text); }
  std::optional<std::string> read(const char* name) const {
    std::ifstream file(path_ / name);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

 private:
  fs::path path_;
};

/// Standard input, each key as it is pressed if it is a terminal.
class LinuxGuest::Keyboard {
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

  /// What was typed, after at most that many seconds; Ctrl-D now and then when the input has ended.
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

LinuxGuest::LinuxGuest(const Scenario& scenario, const LinuxRun& guest, const RunControl& control)
    : scenario_(scenario),
      params_(scenario.linux_host->linux_params),
      guest_(guest),
      control_(control),
      log_(fs::absolute(fs::path(scenario.output.directory) / "kernel.log")),
      folder_(std::make_unique<ControlFolder>()) {}

LinuxGuest::~LinuxGuest() = default;

uml::LinuxHost::Params LinuxGuest::host_params() const {
  uml::LinuxHost::Params params;
  params.folder = folder_->path();
  params.start_s = static_cast<std::uint64_t>(params_.start_s);
  params.terminal = guest_.command.empty();
  return params;
}

void LinuxGuest::start(const uml::LinuxHost& host) {
  moved_ = Clock::now();
  prepare_folder();
  if (guest_.command.empty()) keyboard_ = std::make_unique<Keyboard>();
  process_.emplace(command_line(host), folder_->path(), log_);
}

void LinuxGuest::kill() {
  process_.reset();
}

void LinuxGuest::leave_terminal() {
  keyboard_.reset();
}

void LinuxGuest::prepare_folder() {
  folder_->write("disks", fmt::format("{}\n", scenario_.drives.size()));
  if (!guest_.command.empty()) {
    folder_->write("command", script_of(guest_.command));
  } else if (::isatty(STDIN_FILENO)) {
    folder_->write("typed", "");
  }
  // Short paths without blanks, whatever those of the folders are.
  fs::create_directory_symlink(fs::absolute(guest_.root), folder_->path() / "root");
  fs::create_directory_symlink(fs::absolute(share_of(scenario_)), folder_->path() / "share");
  fs::create_directory_symlink(fs::absolute(scenario_.path).parent_path(), folder_->path() / "scenario");
}

std::vector<std::string> LinuxGuest::command_line(const uml::LinuxHost& host) const {
  // Names in the folder where it starts: the kernel makes random numbers of its command line, too, and these words
  // are the same in each run.
  std::vector<std::string> words = {
      fs::absolute(guest_.kernel).string(),
      fmt::format("mem={}M", params_.memory_mib),
      "time-travel=ext:" + host.calendar_path().filename().string(),
      fmt::format("virtio_uml.device={}:{}", host.pci_path().filename().string(), kPciDeviceId),
      fmt::format("virtio_uml.device={}:{}", host.console_path().filename().string(), kConsoleDeviceId),
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

bool LinuxGuest::stopped() const {
  return (control_.stop && *control_.stop) || left_;
}

observe::JobLog LinuxGuest::jobs() const {
  return read_fio_logs(folder_->path() / "share", began_, static_cast<std::uint64_t>(params_.start_s));
}

std::optional<int> LinuxGuest::status() const {
  const std::optional<std::string> text = folder_->read("status");
  if (!text || text->empty()) return std::nullopt;
  return std::atoi(text->c_str());
}

void LinuxGuest::console(const char* text, std::size_t bytes) {
  if (control_.before_output) control_.before_output();
  written_ = true;
  std::fwrite(text, 1, bytes, stdout);
  std::fflush(stdout);
}

std::optional<std::string> LinuxGuest::typed(double seconds) {
  std::error_code ignored;
  if (!ready_) ready_ = fs::exists(folder_->path() / "ready", ignored);
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
void LinuxGuest::look() {
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
  if (on_look) on_look();
}

bool LinuxGuest::idle() const {
  std::error_code ignored;  // when the shell has ended, nobody waits for wall time
  return ready_ && drives_are_idle() && !fs::exists(folder_->path() / "status", ignored);
}

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

}  // namespace armature::app
