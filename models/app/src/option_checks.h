#pragma once

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdlib>
#include <string>

namespace armature::app {

// Checks of an option's text for CLI::Option::check: what is wrong, empty if nothing is.

/// CLI::Range and CLI::NonNegativeNumber let "nan" pass.
inline std::string is_number(const std::string& text) {
  return std::isnan(std::strtod(text.c_str(), nullptr)) ? "a number is expected, not " + text : "";
}

/// An empty text is a script's variable that is not set, and no wish for what the program does without the option.
inline std::string is_given(const std::string& text) {
  return text.empty() ? "a value is expected, not an empty text" : "";
}

/// Lets no option and no positional argument of a command, or of its own commands, be empty. Call it at the end.
inline void refuse_empty(CLI::App& command) {
  for (CLI::Option* const option : command.get_options())
    if (option->get_items_expected_max() > 0) option->check(&is_given);
  for (CLI::App* const part : command.get_subcommands([](const CLI::App*) { return true; })) refuse_empty(*part);
}

}  // namespace armature::app
