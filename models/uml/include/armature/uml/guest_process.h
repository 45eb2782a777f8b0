#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace armature::uml {

/// The process of a User-Mode Linux with those that it makes. It ends with its owner.
class GuestProcess {
 public:
  /// Starts `command` in `folder`; its standard input is empty, its output goes to `log`. Throws ProtocolError.
  GuestProcess(const std::vector<std::string>& command, const std::filesystem::path& folder,
               const std::filesystem::path& log);
  ~GuestProcess();
  GuestProcess(const GuestProcess&) = delete;
  GuestProcess& operator=(const GuestProcess&) = delete;

  /// In words, how it ended; nothing: it runs.
  std::optional<std::string> end();

 private:
  pid_t pid_ = -1;
  std::optional<std::string> end_;
};

}  // namespace armature::uml
