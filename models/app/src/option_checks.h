#pragma once

#include <cmath>
#include <cstdlib>
#include <string>

namespace armature::app {

// Checks of an option's text for CLI::Option::check: what is wrong, empty if nothing is.

/// CLI::Range and CLI::NonNegativeNumber let "nan" pass.
inline std::string is_number(const std::string& text) {
  return std::isnan(std::strtod(text.c_str(), nullptr)) ? "a number is expected, not " + text : "";
}

/// An empty name is a script's variable that is not set, and no wish for what the program does without the option.
inline std::string is_named(const std::string& file) {
  return file.empty() ? "the name of a file is expected" : "";
}

}  // namespace armature::app
