#pragma once

#include "armature/importer/parameter_file.h"

#include <string>

namespace armature::importer {

struct FoundFile {
  std::string path;  ///< empty: there is none
  std::string text;
  std::string looked_for_first;
  bool elsewhere = false;  ///< not where its name says
};

/// A file that another one names: beside that one, then in the directory of the first file, then in both by its name
/// without directories (descriptions keep the paths of the machine on which they were made).
/// @param named_in  path of the file that names it; @param first_directory  with "/" at its end, or empty
FoundFile find_file(const std::string& name, const std::string& named_in, const std::string& first_directory,
                    const ReadFile& read);

}  // namespace armature::importer
