#include "armature/core/input_file.h"

#include "armature/core/error.h"
#include "armature/core/near_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace armature {

namespace fs = std::filesystem;

void require_regular_file(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  switch (status.type()) {
    case fs::file_type::regular:
      return;
    case fs::file_type::not_found:
      throw InputError(Place{path}, fmt::format("cannot be read: {}{}", std::strerror(ENOENT), near_file(path)));
    case fs::file_type::none:
      throw InputError(Place{path}, fmt::format("cannot be read: {}", error.message()));
    case fs::file_type::directory:
      throw InputError(Place{path}, "is a directory; a file is expected");
    default:
      throw InputError(Place{path}, "is a pipe or a device; a file is expected");
  }
}

std::string read_input_file(const std::string& path, std::uint64_t most) {
  require_regular_file(path);
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw InputError(Place{path}, fmt::format("cannot be read: {}", std::strerror(errno)));
  std::string text;
  char block[1 << 16];
  while (stream.read(block, sizeof block) || stream.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > most) throw InputError(Place{path}, fmt::format("is larger than {} MiB", most >> 20));
  }
  if (stream.bad()) throw InputError(Place{path}, fmt::format("cannot be read: {}", std::strerror(errno)));
  return text;
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::exists(a, error) && fs::exists(b, error)) return fs::equivalent(a, b, error) && !error;
  return fs::weakly_canonical(a, error) == fs::weakly_canonical(b, error);
}

}  // namespace armature
