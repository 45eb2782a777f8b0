#pragma once

#include "armature/core/time.h"

#include <filesystem>

namespace armature::observe {

/// Is this a dump (FST) without an end? A process that writes one, and one that was killed while it did, leave parts
/// that are complete, and the names of the signals in a file beside it, FILE.hier.
bool is_unfinished_dump(const std::filesystem::path& dump);

/// Makes a whole file of the dump of a run that was killed: what is behind the last complete part is cut off, the types
/// and names of the signals are added, and FILE.hier is removed. Save files for viewers (.gtkw, .sucl) are written
/// beside it. If this is interrupted, the next call does the rest.
/// @returns the last time in it, ps
/// @throws InputError if no part is complete or the file cannot be written, FolderInUse if a run still writes it
Ps close_dump(const std::filesystem::path& dump);

}  // namespace armature::observe
