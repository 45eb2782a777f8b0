#pragma once

#include <cstdio>
#include <string>

namespace armature::cli {

/// Columns of the terminal behind `stream`; COLUMNS or `otherwise` if there is none.
int terminal_width(std::FILE* stream, int otherwise);

bool is_terminal(std::FILE* stream);

/// "850", "12.3 k", "1.2 M".
std::string short_count(double count);

}  // namespace armature::cli
