#include "armature/checkpoint/checkpoints.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <system_error>

namespace armature::checkpoint {

/// What all processes of a run see.
struct Checkpoints::Shared {
  std::atomic<pid_t> present;
  std::uint64_t lines_shown;
  std::array<Slot, kMost> slots;
  bool refused;  ///< the one that was woken could not fork
  std::size_t errand_bytes;
  std::array<char, kLongestErrand> errand;
};

namespace {

constexpr std::uint64_t kOne = 1;
constexpr int kLookEveryMs = 100;
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr double kLeastFree = 1.0 / 16;  ///< of the machine's memory

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void ring(int event) {
  const ssize_t ignored = ::write(event, &kOne, sizeof kOne);
  (void)ignored;
}

bool is_rung(int event, int wait_ms) {
  pollfd waits{event, POLLIN, 0};
  if (::poll(&waits, 1, wait_ms) <= 0) return false;
  std::uint64_t count = 0;
  return ::read(event, &count, sizeof count) == sizeof count;
}

sigset_t handed_on() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : kSignals) sigaddset(&set, number);
  return set;
}

/// Signals stay out while the process is no more what they are for.
class Quiet {
 public:
  Quiet() {
    const sigset_t set = handed_on();
    sigprocmask(SIG_BLOCK, &set, &before_);
  }
  ~Quiet() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

  static void drop_pending() {
    const sigset_t set = handed_on();
    const timespec none{};
    while (sigtimedwait(&set, nullptr, &none) > 0) {
    }
  }

 private:
  sigset_t before_{};
};

/// Timers are not inherited by a fork.
class Timers {
 public:
  Timers() {
    for (std::size_t i = 0; i < kTimers.size(); ++i) getitimer(kTimers[i], &timers_[i]);
  }
  void set() const {
    for (std::size_t i = 0; i < kTimers.size(); ++i) setitimer(kTimers[i], &timers_[i], nullptr);
  }

 private:
  static constexpr std::array<__itimer_which_t, 3> kTimers = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
  std::array<itimerval, 3> timers_{};
};

bool memory_is_short() {
  std::ifstream file("/proc/meminfo");
  double total = 0, available = -1;
  std::string name, unit;
  for (double value; file >> name >> value && (total == 0 || available < 0); std::getline(file, unit)) {
    if (name == "MemTotal:") total = value;
    if (name == "MemAvailable:") available = value;
  }
  return available >= 0 && available < kLeastFree * total;
}

/// Ends as the present process did.
[[noreturn]] void end_like(int status) {
  if (!WIFSIGNALED(status)) ::_exit(WEXITSTATUS(status));
  const int number = WTERMSIG(status);
  const rlimit none{};
  setrlimit(RLIMIT_CORE, &none);  // the one that ended has written its own
  std::signal(number, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, number);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  ::kill(::getpid(), number);
  ::_exit(128 + number);
}

}  // namespace

std::size_t least_needed(const std::vector<Position>& positions, Position here) {
  std::size_t least = positions.size() - 1;
  double least_worth = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < positions.size(); ++i) {
    const Position next = i + 1 < positions.size() ? positions[i + 1] : std::max(here, positions[i]);
    const double gap = static_cast<double>(next - positions[i - 1]);
    const double back = static_cast<double>(std::max(here, positions[i]) - positions[i]);
    const double worth = gap / (back + 1);
    if (worth >= least_worth) continue;
    least = i;
    least_worth = worth;
  }
  return least;
}

Checkpoints::Checkpoints(std::size_t most) : most_(std::min(most, kMost)) {
  void* const memory =
      ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) fail("shared memory for checkpoints");
  shared_ = static_cast<Shared*>(memory);  // zeros, which is what it begins with
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
  lifeline_ = ends[0];
  const auto event = [] {
    const int made = ::eventfd(0, EFD_CLOEXEC);
    if (made < 0) fail("eventfd");
    return made;
  };
  ready_ = event();
  answer_ = event();
  for (std::size_t i = 0; i < most_; ++i) bells_.push_back(event());
  watching_ = ::getpid();
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) fail("prctl");
  std::fflush(nullptr);
  // Whoever watches takes signals from a queue; they are held back until it does.
  sigset_t set = handed_on(), before;
  sigaddset(&set, SIGCHLD);
  sigprocmask(SIG_BLOCK, &set, &before);
  const pid_t child = ::fork();
  if (child < 0) fail("fork");
  if (child != 0) {
    ::setpgid(child, child);
    watch_over(child, ends[1]);
  }
  ::close(ends[1]);
  inherited_ = open_descriptors();  // with those above, which the processes share on purpose
  ::setpgid(0, 0);                  // a terminal's signals go to the process that watches
  std::signal(SIGCHLD, SIG_IGN);
  become_present(0);
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

void Checkpoints::watch_over(pid_t group, int lifeline) {
  (void)lifeline;  // open as long as this process lives
  ::close(lifeline_);
  pid_t nobody = 0;
  shared_->present.compare_exchange_strong(nobody, group);  // which may be further on already
  sigset_t set = handed_on();
  sigaddset(&set, SIGCHLD);
  for (;;) {
    siginfo_t info{};
    const int number = sigwaitinfo(&set, &info);
    if (number < 0) continue;
    if (number != SIGCHLD) {
      ::kill(shared_->present, number);
      continue;
    }
    int status = 0;
    for (pid_t ended; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      if (ended != shared_->present) continue;
      ::kill(-group, SIGKILL);
      int ignored = 0;
      while (::waitpid(-1, &ignored, 0) > 0 || errno == EINTR) {
      }
      end_like(status);
    }
  }
}

/// Lives only as long as the watching process, whose child it is. Not before the one that was present has ended: until
/// then that one may still be its parent, and has not heard the answer.
void Checkpoints::become_present(pid_t before) {
  while (before != 0 && ::kill(before, 0) == 0) ::usleep(50);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != watching_) ::_exit(EXIT_FAILURE);
  shared_->present = ::getpid();
}

std::optional<std::string> Checkpoints::take(Position here) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  if (memory_is_short()) return std::nullopt;
  const std::optional<std::size_t> slot = free_slot(here);
  if (!slot) return std::nullopt;
  OpenFiles files(inherited_);
  const Timers timers;
  const Quiet quiet;
  const pid_t process = ::fork();
  if (process == 0) {
    std::string errand = sleep(*slot, files);
    timers.set();
    return errand;
  }
  if (process > 0 && wait_for(ready_, process)) shared_->slots[*slot] = {process, here};
  last_cost_s_ = std::chrono::duration<double>(Clock::now() - begin).count();
  return std::nullopt;
}

/// Returns in the present process: when it is woken.
std::string Checkpoints::sleep(std::size_t slot, OpenFiles& files) {
  const auto prepare = [&] {
    try {
      files.own_copies();
    } catch (const std::system_error&) {
      ::_exit(EXIT_FAILURE);  // whoever waits sees that it is gone
    }
    ring(ready_);
  };
  prepare();
  for (;;) {
    std::array<pollfd, 2> waits = {pollfd{bells_[slot], POLLIN, 0}, pollfd{lifeline_, 0, 0}};
    if (::poll(waits.data(), waits.size(), -1) < 0) continue;
    if ((waits[1].revents & POLLHUP) != 0) ::_exit(EXIT_SUCCESS);
    if (!is_rung(bells_[slot], 0)) continue;
    const pid_t process = ::fork();
    if (process == 0) {  // sleeps on in its stead
      prepare();
      continue;
    }
    shared_->refused = process < 0 || !wait_for(ready_, process);
    if (shared_->refused) {
      ring(answer_);
      continue;
    }
    shared_->slots[slot].process = process;
    const pid_t before = shared_->present.exchange(::getpid());
    std::string errand(shared_->errand.data(), shared_->errand_bytes);
    ring(answer_);
    become_present(before);
    try {
      files.put_back();
    } catch (const std::system_error& error) {
      fmt::print(stderr, "the output files cannot be put back: {}\n", error.what());
      ::_exit(EXIT_FAILURE);
    }
    Quiet::drop_pending();
    return errand;
  }
}

std::string Checkpoints::wake(Position checkpoint, std::string_view errand) {
  if (errand.size() > kLongestErrand) return fmt::format("more than {} bytes are to be handed over", kLongestErrand);
  const auto slot = std::find_if(shared_->slots.begin(), shared_->slots.end(),
                                 [&](const Slot& s) { return s.process != 0 && s.at == checkpoint; });
  if (slot == shared_->slots.end()) return fmt::format("there is no checkpoint at {}", checkpoint);
  std::copy(errand.begin(), errand.end(), shared_->errand.begin());
  shared_->errand_bytes = errand.size();
  const Quiet quiet;
  ring(bells_[static_cast<std::size_t>(slot - shared_->slots.begin())]);
  if (!wait_for(answer_, slot->process)) {
    slot->process = 0;
    return "the checkpoint's process has gone";
  }
  if (shared_->refused) return "the checkpoint's process cannot fork";
  ::_exit(EXIT_SUCCESS);  // no destructor, no buffer of a file: they are the other process's now
}

bool Checkpoints::wait_for(int event, pid_t other) const {
  while (!is_rung(event, kLookEveryMs))
    if (::kill(other, 0) != 0) return is_rung(event, 0);
  return true;
}

void Checkpoints::forget_from(Position first) {
  for (Slot& slot : shared_->slots)
    if (slot.process != 0 && slot.at >= first) drop(slot);
}

void Checkpoints::drop(Slot& slot) {
  ::kill(slot.process, SIGKILL);
  slot.process = 0;
}

std::vector<Position> Checkpoints::positions() const {
  std::vector<Position> positions;
  for (const Slot& slot : shared_->slots)
    if (slot.process != 0) positions.push_back(slot.at);
  std::sort(positions.begin(), positions.end());
  return positions;
}

std::uint64_t Checkpoints::own_bytes() const {
  std::uint64_t sum = 0;
  for (const Slot& slot : shared_->slots) {
    if (slot.process == 0) continue;
    std::ifstream file(fmt::format("/proc/{}/smaps_rollup", slot.process));
    for (std::string line; std::getline(file, line);) {
      if (line.compare(0, 8, "Private_") != 0) continue;
      sum += std::strtoull(line.c_str() + line.find(':') + 1, nullptr, 10) * 1024;
    }
  }
  return sum;
}

std::uint64_t& Checkpoints::lines_shown() {
  return shared_->lines_shown;
}

std::optional<std::size_t> Checkpoints::free_slot(Position here) {
  for (Slot& slot : shared_->slots)
    if (slot.process != 0 && slot.at == here) drop(slot);  // the younger one takes its place
  const std::vector<Position> taken = positions();
  if (taken.size() >= most_) {
    const Position least = taken[least_needed(taken, here)];
    for (Slot& slot : shared_->slots)
      if (slot.process != 0 && slot.at == least) drop(slot);
  }
  for (std::size_t i = 0; i < most_; ++i)
    if (shared_->slots[i].process == 0) return i;
  return std::nullopt;
}

}  // namespace armature::checkpoint
