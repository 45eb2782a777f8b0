#pragma once

#include "armature/core/error.h"
#include "armature/core/input_file.h"

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

/// Throws InputError if an option that names a file to be written names one that the command reads.
inline void refuse_lost_input(const CLI::App& command) {
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

}  // namespace armature::app
