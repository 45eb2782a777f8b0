#pragma once

#include <string_view>

namespace armature::cli {

/// Version and commit of this build: "0.2.0+g1acaca5a0a90", "-dirty" appended if files differed from the commit.
std::string_view version();

}  // namespace armature::cli
