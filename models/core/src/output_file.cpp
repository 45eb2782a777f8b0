#include "armature/core/output_file.h"

#include "armature/core/error.h"

#include <fstream>

namespace armature {

void write_output_file(const std::filesystem::path& path, std::string_view text) {
  std::ofstream stream(path, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw InputError(Place{path.string()}, "cannot be written");
}

}  // namespace armature
