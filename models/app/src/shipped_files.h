#pragma once

#include <filesystem>

namespace armature::app {

/// Folder of the files that come with the program: `scenarios` and `models/firmware` lie in it. Of a program in
/// PREFIX/bin it is PREFIX/share/armature, if that is there; otherwise the tree that the program was built from.
std::filesystem::path shipped_files();

}  // namespace armature::app
