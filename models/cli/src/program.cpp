#include "armature/cli/program.h"

#include "armature/cli/status.h"
#include "armature/core/error.h"
#include "armature/core/input_file.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string_view>

namespace armature::cli {

struct Command::State {
  State(const std::string& name, const std::string& meaning) : app(meaning, name) {}

  CLI::App app;
  std::map<const CLI::App*, std::function<int()>> actions;
  std::vector<std::shared_ptr<void>> parts;
};

namespace {

// Checks of an option's text: what is wrong, empty if nothing is.

std::string is_number(const std::string& text) {
  return std::isnan(std::strtod(text.c_str(), nullptr)) ? "a number is expected, not " + text : "";
}

/// An empty text is a script's variable that is not set, and no wish for what the program does without the option.
std::string is_given(const std::string& text) {
  return text.empty() ? "a value is expected, not an empty text" : "";
}

std::vector<CLI::App*> commands_of(CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::App*> commands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

/// Lets no option and no positional argument of a command, or of its own commands, be empty.
void refuse_empty(CLI::App& command) {
  for (CLI::Option* const option : command.get_options())
    if (option->get_items_expected_max() > 0) option->check(&is_given);
  for (CLI::App* const part : commands_of(command)) refuse_empty(*part);
}

/// Throws InputError if an option that names a file to be written names one that the command reads.
void refuse_lost_input(const CLI::App& command) {
  for (const CLI::Option* const output : command.get_options()) {
    const std::string name = output->get_single_name();
    if (output->count() == 0 || (name != "out" && name != "svg" && name != "json" && name != "series")) continue;
    for (const CLI::Option* const input : command.get_options()) {
      if (!input->get_positional() || input->count() == 0 || output->results().empty()) continue;
      if (is_same_file(input->results().front(), output->results().front()))
        throw InputError("--" + name + " " + output->results().front() +
                         ": is the file that is read; name another one");
    }
  }
  for (const CLI::App* const part : command.get_subcommands()) refuse_lost_input(*part);
}

/// "X: did you mean Y?" for the first word of a command line that is no command and no option; empty if none is near.
std::string meant_word(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  for (const std::string& word : words) {
    std::vector<std::string> known;
    const bool option = word.rfind("--", 0) == 0;
    if (option)
      for (const CLI::Option* const o : command->get_options()) known.push_back("--" + o->get_single_name());
    else
      for (const CLI::App* const inner : commands_of(*command)) known.push_back(inner->get_name());
    const std::string name = word.substr(0, word.find('='));
    if (std::find(known.begin(), known.end(), name) != known.end()) {
      if (!option) command = command->get_subcommand(name);
      continue;
    }
    const std::vector<std::string_view> views(known.begin(), known.end());
    const std::string_view near = nearest(name, views.data(), views.data() + views.size());
    if (!near.empty()) return fmt::format("{}: did you mean {}?", name, near);
  }
  return {};
}

/// "armature mems: one of seek, surface, ... is expected" if the words end where a command's own command should stand.
std::string missing_word(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  std::string so_far = app.get_name();
  for (const std::string& word : words) {
    const auto known = commands_of(*command);
    const auto found =
        std::find_if(known.begin(), known.end(), [&word](const CLI::App* one) { return one->get_name() == word; });
    if (found == known.end()) break;
    command = *found;
    so_far += " " + word;
  }
  if (command == &app || commands_of(*command).empty()) return {};
  std::vector<std::string> names;
  for (const CLI::App* const one : commands_of(*command)) names.push_back(one->get_name());
  return fmt::format("{}: one of {} is expected", so_far, fmt::join(names, ", "));
}

/// One of the two above; empty if neither says anything.
std::string what_was_meant(const CLI::App& app, const std::vector<std::string>& words) {
  std::string meant = meant_word(app, words);
  return meant.empty() ? missing_word(app, words) : meant;
}

}  // namespace

const Option& Option::required() const {
  option_->required();
  return *this;
}

const Option& Option::type_name(const char* name) const {
  option_->type_name(name);
  return *this;
}

const Option& Option::one_at_a_time() const {
  option_->allow_extra_args(false);
  return *this;
}

const Option& Option::hidden() const {
  option_->group("");
  return *this;
}

const Option& Option::excludes(const Option& other) const {
  option_->excludes(other.option_);
  return *this;
}

const Option& Option::needs(const Option& other) const {
  option_->needs(other.option_);
  return *this;
}

template <typename T>
const Option& Option::range(T low, T high) const {
  option_->check(CLI::Range(low, high));
  return *this;
}
template const Option& Option::range(int, int) const;
template const Option& Option::range(unsigned, unsigned) const;
template const Option& Option::range(std::int64_t, std::int64_t) const;
template const Option& Option::range(std::uint64_t, std::uint64_t) const;
template const Option& Option::range(double, double) const;

const Option& Option::non_negative() const {
  option_->check(CLI::NonNegativeNumber);
  return number();
}

const Option& Option::number() const {
  option_->check(&is_number);
  return *this;
}

const Option& Option::one_of(const std::vector<std::string>& words) const {
  option_->check(CLI::IsMember(words));
  return *this;
}

bool Option::given() const {
  return option_->count() > 0;
}

Command Command::add_command(const std::string& name, const std::string& meaning) const {
  return {app_->add_subcommand(name, meaning), state_};
}

template <typename T>
Option Command::add_option(const std::string& names, T& value, const std::string& meaning) const {
  return Option(app_->add_option(names, value, meaning));
}
template Option Command::add_option(const std::string&, std::string&, const std::string&) const;
template Option Command::add_option(const std::string&, double&, const std::string&) const;
template Option Command::add_option(const std::string&, std::int64_t&, const std::string&) const;
template Option Command::add_option(const std::string&, std::uint32_t&, const std::string&) const;
template Option Command::add_option(const std::string&, std::uint64_t&, const std::string&) const;
template Option Command::add_option(const std::string&, std::optional<std::uint32_t>&, const std::string&) const;
template Option Command::add_option(const std::string&, std::vector<std::string>&, const std::string&) const;
template Option Command::add_option(const std::string&, std::vector<double>&, const std::string&) const;

Option Command::add_flag(const std::string& names, bool& value, const std::string& meaning) const {
  return Option(app_->add_flag(names, value, meaning));
}

void Command::footer(const std::string& text) const {
  app_->footer(text);
}

const Command& Command::require_command() const {
  app_->require_subcommand(1);
  return *this;
}

const Command& Command::runs(std::function<int()> action) const {
  state_->actions[app_] = std::move(action);
  return *this;
}

void Command::keep(std::shared_ptr<void> part) const {
  state_->parts.push_back(std::move(part));
}

Program::Program(const std::string& name, const std::string& meaning, const std::string& version)
    : state_(std::make_unique<Command::State>(name, meaning)), top_(&state_->app, state_.get()) {
  top_.require_command();
  state_->app.set_version_flag("--version", version);
  top_.add_command("version", "print the version").runs([version] {
    fmt::print("{}\n", version);
    return kOk;
  });
}

Program::~Program() = default;

std::optional<int> Program::parse(int argc, char** argv) {
  CLI::App& app = state_->app;
  refuse_empty(app);
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    if (app.exit(error) == 0) return kOk;
  }
  const std::string meant = what_was_meant(app, {argv + 1, argv + argc});
  if (!meant.empty()) fmt::print(stderr, "{}\n", meant);
  return kBadInput;
}

int Program::run() const {
  refuse_lost_input(state_->app);
  const CLI::App* command = &state_->app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return state_->actions.at(command)();
}

}  // namespace armature::cli
