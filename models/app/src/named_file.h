#pragma once

#include "armature/core/config.h"

#include <filesystem>
#include <string>

namespace armature::app {

/// The file that `named`, the value of `node`, means: relative to `base`; typed on the command line also relative to
/// the working directory; also to `shipped`, the scenarios that come with the program, unless that is empty.
/// @throws InputError at the place of `node` if there is no such file, with the nearest name
std::string find_file(const std::string& named, const config::Node& node, const std::filesystem::path& base,
                      const std::filesystem::path& shipped, bool may_be_folder = false);

}  // namespace armature::app
