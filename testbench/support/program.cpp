#include "program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace armature::testing {
namespace {

namespace fs = std::filesystem;

std::string contents_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

fs::path unique_directory(const char* name) {
  std::string pattern = (fs::temp_directory_path() / name).string() + "-XXXXXX";
  if (!mkdtemp(pattern.data())) throw std::runtime_error("no directory " + pattern);
  return pattern;
}

}  // namespace

Outcome run_program(const std::vector<std::string>& arguments, const fs::path& directory,
                    const std::function<void(int pid)>& meanwhile, const std::string& output_to) {
  const fs::path streams = unique_directory("armature-streams");
  const std::string out = output_to.empty() ? (streams / "out").string() : output_to, err = (streams / "err").string();
  std::vector<std::string> words = {ARMATURE_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  const pid_t pid = fork();
  if (pid == 0) {  // only what is safe between fork and exec
    if (chdir(directory.c_str()) != 0) _exit(126);
    dup2(open(out.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600), STDOUT_FILENO);
    dup2(open(err.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600), STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  if (meanwhile) {
    while (waitpid(pid, &status, WNOHANG) == 0) {
      meanwhile(pid);
      usleep(5000);
    }
  } else {
    waitpid(pid, &status, 0);
  }
  Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                  output_to.empty() ? contents_of(out) : std::string(), contents_of(err)};
  fs::remove_all(streams);
  return outcome;
}

Workplace::Workplace() : path_(unique_directory("armature-test")) {}

Workplace::~Workplace() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path Workplace::write(const std::string& name, const std::string& text) const {
  fs::create_directories((path_ / name).parent_path());
  std::ofstream(path_ / name, std::ios::binary) << text;
  return path_ / name;
}

std::string Workplace::read(const fs::path& name) const {
  return contents_of(path_ / name);
}

std::vector<std::string> Workplace::contents() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(path_))
    names.push_back(fs::relative(entry.path(), path_).string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace armature::testing
