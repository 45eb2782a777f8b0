#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace armature::cli {

/// An option of a command, or a positional argument. A handle, which is copied; the program owns what it refers to.
/// CLI11, which reads the words, is parsed and instantiated in one file only, as it takes the compiler seconds.
class Option {
 public:
  Option() = default;
  explicit Option(CLI::Option* option) : option_(option) {}

  const Option& required() const;
  /// What the help calls its value: "FILE".
  const Option& type_name(const char* name) const;
  /// It takes one value, and may be repeated.
  const Option& one_at_a_time() const;
  /// Help does not list it.
  const Option& hidden() const;
  const Option& excludes(const Option& other) const;
  const Option& needs(const Option& other) const;
  /// Both ends included. The help names the type. T: int, unsigned, std::int64_t, std::uint64_t, double.
  template <typename T>
  const Option& range(T low, T high) const;
  /// A number from 0 on, which "nan" is not.
  const Option& non_negative() const;
  /// No "nan", which a range lets pass.
  const Option& number() const;
  const Option& one_of(const std::vector<std::string>& words) const;

  /// Whether the words have it.
  bool given() const;

 private:
  CLI::Option* option_ = nullptr;
};

/// A command of the program, or the program itself, which is the uppermost one. A handle, as Option.
class Command {
 public:
  struct State;
  Command(CLI::App* app, State* state) : app_(app), state_(state) {}

  /// What follows adds to the help in the order of the calls. `names`: "-o,--out", or "FILE" for a positional argument.
  Command add_command(const std::string& name, const std::string& meaning) const;
  /// T: std::string, double, std::int64_t, std::uint32_t, std::uint64_t, std::optional<std::uint32_t>, and vectors of
  /// std::string and of double.
  template <typename T>
  Option add_option(const std::string& names, T& value, const std::string& meaning = {}) const;
  Option add_flag(const std::string& names, bool& value, const std::string& meaning) const;
  void footer(const std::string& text) const;
  /// One of its own commands has to follow.
  const Command& require_command() const;

  /// What Program::run calls if this is the command of the words; its result is the exit status.
  const Command& runs(std::function<int()> action) const;
  /// The same by a T, which adds its options in its constructor, T(Command, arguments...), and lives as long as the
  /// program.
  template <typename T, typename... Arguments>
  void add(Arguments&&... arguments) const {
    keep(std::make_shared<T>(*this, std::forward<Arguments>(arguments)...));
  }

 private:
  void keep(std::shared_ptr<void> part) const;

  CLI::App* app_;
  State* state_;
};

}  // namespace armature::cli
