#include "run_apart.h"

#include "armature/core/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace armature::app {
namespace {

constexpr char kResult = '+', kError = '!';

void tell(int pipe, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t wrote = ::write(pipe, text.data() + at, text.size() - at);
    if (wrote <= 0) return;
    at += static_cast<std::size_t>(wrote);
  }
}

std::string told(int pipe) {
  std::string text;
  char block[4096];
  for (;;) {
    const ssize_t got = ::read(pipe, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(block, static_cast<std::size_t>(got));
  }
}

}  // namespace

std::string run_apart(const std::string& dump, const std::function<std::string()>& work) {
  int pipe[2];
  std::fflush(nullptr);
  if (::pipe(pipe) != 0) throw InputError(Place{dump}, fmt::format("cannot be read: {}", std::strerror(errno)));
  const pid_t child = ::fork();
  if (child < 0) throw InputError(Place{dump}, fmt::format("cannot be read: {}", std::strerror(errno)));
  if (child == 0) {
    ::close(pipe[0]);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) ::dup2(nowhere, STDERR_FILENO);
    try {
      tell(pipe[1], kResult + work());
    } catch (const std::exception& error) {
      tell(pipe[1], kError + std::string(error.what()));
    }
    ::_exit(0);
  }
  ::close(pipe[1]);
  std::string answer = told(pipe[0]);
  ::close(pipe[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE)
    std::raise(SIGPIPE);  // the reader has gone: end as any filter
  if (answer.empty()) throw InputError(Place{dump}, "is damaged: its waves cannot be read");
  const bool failed = answer[0] == kError;
  answer.erase(0, 1);
  if (failed) throw InputError(answer);
  return answer;
}

}  // namespace armature::app
