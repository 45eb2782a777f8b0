#pragma once

#include <string>

namespace armature::app {

/// Builds firmware of a folder of C files, which are laid over the drive's own (models/firmware/rv32/build), unless the
/// ELF of an earlier build is newer than all of its files. The compiler's messages go to standard error.
/// @return  the ELF's path: in the tree's .build, or of an installed program in the user's cache
/// Throws InputError if it does not compile.
std::string build_firmware(const std::string& folder);

}  // namespace armature::app
