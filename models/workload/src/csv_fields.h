#pragma once

#include "trace_source.h"

namespace armature::workload::csv {

inline constexpr std::string_view kSeparators = ",;\t ";

/// Calls `take` with number and text of each field of a line; a field in quotes may hold separators. Several spaces
/// separate as one. Returns the number of fields.
template <class Take>
std::size_t split_fields(std::string_view line, char separator, Take take) {
  std::size_t column = 0;
  if (separator == ' ') {
    for (std::string_view field = next_field(line); !field.empty(); field = next_field(line)) take(column++, field);
    return column;
  }
  const char* begin = line.data();
  const char* const end = begin + line.size();
  for (;;) {
    const char* stop = begin;
    while (stop != end && *stop == ' ') ++stop;
    if (stop != end && *stop == '"') {  // a field in quotes, which may hold separators
      do ++stop;
      while (stop != end && *stop != '"');
    }
    while (stop != end && *stop != separator) ++stop;
    take(column++, trimmed({begin, static_cast<std::size_t>(stop - begin)}));
    if (stop == end) return column;
    begin = stop + 1;
  }
}

}  // namespace armature::workload::csv
