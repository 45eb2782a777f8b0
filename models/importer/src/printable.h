#pragma once

#include <string>
#include <string_view>

namespace armature::importer {

/// At most 80 characters of a text from a file, with "?" for what a terminal or a comment cannot have.
inline std::string printable(std::string_view text) {
  std::string printed;
  for (const char c : text.substr(0, 80)) printed += c >= ' ' && c < 127 ? c : '?';
  return printed + (text.size() > 80 ? "..." : "");
}

}  // namespace armature::importer
