#pragma once

#include "armature/core/config.h"

#include <string>
#include <string_view>

namespace armature::app {

/// The keys that `pattern` names, for people: one line a key, broken to `width` columns. A pattern is a key, a section,
/// or a glob over full keys; an empty one means all. Throws InputError with the nearest key if there is none.
std::string list_keys(const config::SectionInfo& schema, std::string_view pattern, int width);

/// The same for programs: key, type, unit, allowed, default, meaning, separated by tabs, with a header line.
std::string list_keys_tsv(const config::SectionInfo& schema, std::string_view pattern);

/// The columns of requests.csv, for people and for programs: name, unit, meaning.
std::string list_request_columns(int width);
std::string list_request_columns_tsv();

}  // namespace armature::app
