#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace armature {

enum class LogLevel { trace, debug, info, warning, error, off };

/// The level of this name; throws InputError for another word.
LogLevel parse_log_level(std::string_view name);

/// `text` matches `pattern`, in which * stands for any run of characters and ? for one.
bool matches_glob(std::string_view pattern, std::string_view text);

/// Levels by module name: the last rule whose glob matches wins; without one it is `warning`.
class LogRules {
 public:
  /// `GLOB=LEVEL`, as on the command line: "atlas.disk.*=debug". Throws InputError.
  void add(std::string_view rule);
  LogLevel level_of(std::string_view module) const;

 private:
  struct Rule {
    std::string glob;
    LogLevel level;
  };
  std::vector<Rule> rules_;
};

/// Where the lines of a process go: standard error, each as "simulated time, level, module, text". A process has one,
/// as it has one standard error; it is set before the first module is built, and SystemC's reports go through it.
class LogOutput {
 public:
  /// Installs the rules and takes over SystemC's report handler. Fatal and error reports still end as SystemC says.
  static void open(LogRules rules);
  /// Sends the lines to a file instead; for tests. Throws InputError.
  static void open(LogRules rules, const std::string& path);
  static LogLevel level_of(std::string_view module);
  static void write(std::string_view module, LogLevel level, std::string_view text);
  static void flush();
  /// For a process that can go back to where it was: a line that it comes to again is not written again.
  /// @param shown  number of lines written so far; outlives the output, and does not go back with the process
  static void write_once(std::uint64_t& shown);
  /// From here on the process goes another way than before: its lines are new ones.
  static void new_lines();
};

/// One module's log. A line that its level leaves out costs one comparison.
class Log {
 public:
  explicit Log(std::string module) : module_(std::move(module)), level_(LogOutput::level_of(module_)) {}

  bool enabled(LogLevel level) const { return level >= level_; }

  template <class... Args>
  void trace(fmt::format_string<Args...> format, Args&&... args) const {
    if (enabled(LogLevel::trace)) write(LogLevel::trace, fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  void debug(fmt::format_string<Args...> format, Args&&... args) const {
    if (enabled(LogLevel::debug)) write(LogLevel::debug, fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  void info(fmt::format_string<Args...> format, Args&&... args) const {
    if (enabled(LogLevel::info)) write(LogLevel::info, fmt::format(format, std::forward<Args>(args)...));
  }
  template <class... Args>
  void warning(fmt::format_string<Args...> format, Args&&... args) const {
    if (enabled(LogLevel::warning)) write(LogLevel::warning, fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  void write(LogLevel level, const std::string& text) const { LogOutput::write(module_, level, text); }

  std::string module_;
  LogLevel level_;
};

}  // namespace armature
