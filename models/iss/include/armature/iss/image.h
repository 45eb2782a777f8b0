#pragma once

#include "armature/iss/symbols.h"

#include <memory>
#include <string>

namespace armature::iss {

/// Firmware as its linker left it: what lies in the code memory, and what the data memory of a processor begins with.
/// Processors share it; none of them can write to it.
class Image;

/// The drive's own firmware, compiled when this program was built. Throws InputError, with what to install, if there
/// was no compiler for it then, or nothing that runs it.
std::shared_ptr<const Image> own_image();

/// Firmware of the user's: a statically linked ELF for RV32 (docs/guide/firmware.md says what else it must be). One
/// that somebody still holds is not read again. Throws InputError that names the file.
std::shared_ptr<const Image> load_image(const std::string& path);

/// The same of bytes that are no file. Throws InputError that begins with `name`.
std::shared_ptr<const Image> image_of(const std::string& name, std::string bytes);

/// Its functions and source lines; they live as long as it does.
const Symbols& symbols_of(const Image& image);

/// The file's name as it was given, or "the drive's own firmware".
const std::string& name_of(const Image& image);

}  // namespace armature::iss
