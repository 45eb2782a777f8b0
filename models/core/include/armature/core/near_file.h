#pragma once

#include <string>
#include <vector>

namespace armature {

/// "; did you mean FILE?" for a file that does not exist: the file in the same folder whose name is nearest, or one of
/// the same name in a folder of `roots` or below. Empty if there is none.
std::string near_file(const std::string& missing, const std::vector<std::string>& roots = {});

}  // namespace armature
