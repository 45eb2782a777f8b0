#pragma once

#include <string>
#include <string_view>

namespace armature::app {

/// Kinds of files that an editor can check and complete.
enum class FileKind { scenario, drive, plant };

/// The kind of this name ("scenario", "drive", "plant"). Throws InputError with those that exist.
FileKind file_kind(std::string_view name);

/// JSON Schema (draft-07) of the files of a kind, as editors of TOML read it: sections, keys, types, ranges, choices,
/// defaults and meanings, all from the same declarations as `describe`. A number with a unit may be a number in that
/// unit or a string with a unit of its dimension.
std::string json_schema(FileKind kind);

}  // namespace armature::app
