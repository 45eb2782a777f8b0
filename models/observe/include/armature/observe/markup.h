#pragma once

#include <string>
#include <string_view>

namespace armature::observe {

/// Text between the tags of HTML or SVG. Control characters, which XML does not allow, become '?'.
inline std::string markup_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += (c >= 0 && c < ' ' && c != '\n' && c != '\t') ? '?' : c;
  }
  return out;
}

}  // namespace armature::observe
