#include "armature/uml/guest_process.h"

#include "armature/uml/protocol_error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

namespace armature::uml {

GuestProcess::GuestProcess(const std::vector<std::string>& command, const std::filesystem::path& folder,
                           const std::filesystem::path& log) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const std::string path = log.string();
  const std::string place = folder.string();
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) throw ProtocolError(fmt::format("fork: {}", std::strerror(errno)));
  if (pid_ > 0) {
    ::setpgid(pid_, pid_);
    return;
  }
  ::setpgid(0, 0);  // Ctrl-C is for this program; and all of the guest's processes end together
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // The kernel's memory begins where its heap does: at random addresses each run would have another size of memory.
  ::personality(ADDR_NO_RANDOMIZE);
  if (::getppid() != parent) ::_exit(127);
  const int input = ::open("/dev/null", O_RDONLY);
  const int output = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (input < 0 || output < 0 || ::dup2(input, 0) < 0 || ::dup2(output, 1) < 0 || ::dup2(output, 2) < 0 ||
      ::chdir(place.c_str()) != 0)
    ::_exit(127);
  // Signals as a program expects them: the simulation's handlers are gone by execv, what it ignores is not.
  for (const int number : {SIGINT, SIGTERM, SIGPIPE, SIGHUP}) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execv(words[0], words.data());
  ::_exit(127);
}

GuestProcess::~GuestProcess() {
  if (pid_ <= 0) return;
  ::kill(-pid_, SIGKILL);
  if (!end_) ::waitpid(pid_, nullptr, 0);
}

std::optional<std::string> GuestProcess::end() {
  if (end_) return end_;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
  if (WIFSIGNALED(status)) {
    end_ = fmt::format("it ended by signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  } else {
    end_ = WEXITSTATUS(status) == 127 ? "it could not be started"
                                      : fmt::format("it ended with status {}", WEXITSTATUS(status));
  }
  return end_;
}

}  // namespace armature::uml
