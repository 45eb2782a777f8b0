#pragma once

#include <cstdio>

namespace armature::cli {

/// Columns of the terminal behind `stream`; COLUMNS or `otherwise` if there is none.
int terminal_width(std::FILE* stream, int otherwise);

bool is_terminal(std::FILE* stream);

}  // namespace armature::cli
