#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace armature {

/// Where in a user's input something is wrong. Line and column count from 1; 0 means "not known".
struct Place {
  std::string file;
  std::size_t line = 0;
  std::size_t column = 0;
};

/// Bad input: a misspelt key, a wrong unit, a broken trace line, a damaged file. The command line prints
/// "file:line:column: message" and ends with status 2. Never thrown across a TLM call, never for a model's own mistake.
class InputError : public std::runtime_error {
 public:
  InputError(const Place& place, std::string_view message);
  explicit InputError(std::string_view message) : InputError(Place{}, message) {}

  const Place& place() const { return place_; }

 private:
  Place place_;
};

/// The candidate nearest to `word` by edit distance, empty if none is near: for "did you mean".
std::string_view nearest(std::string_view word, const std::string_view* first, const std::string_view* last);

}  // namespace armature
