#pragma once

#include "armature/core/config.h"

#include <string>
#include <string_view>

namespace armature::app {

/// The keys that are meant, for people: one line a key, broken to `width` columns. `key_or_part` is a key, a section, a
/// glob over full keys, or else a part of their names; empty: all. Throws InputError with the nearest key if there is
/// none.
std::string list_keys(const config::SectionInfo& schema, std::string_view key_or_part, int width);

/// The same for programs: key, type, unit, allowed, default, meaning, separated by tabs, with a header line.
std::string list_keys_tsv(const config::SectionInfo& schema, std::string_view key_or_part);

/// The columns of requests.csv, for people and for programs: name, unit, meaning.
std::string list_request_columns(int width);
std::string list_request_columns_tsv();

}  // namespace armature::app
