#pragma once

#include <functional>
#include <string>

namespace armature::app {

/// What `work`, done in a process of its own, returns. For reading a dump of waves: the library that does it ends the
/// process, or worse, where the dump is damaged. Its words on standard error, which do not name the file, are dropped.
/// @param dump  the file that is read
/// @throws InputError that `work` throws, or that says that `dump` is damaged
std::string run_apart(const std::string& dump, const std::function<std::string()>& work);

}  // namespace armature::app
