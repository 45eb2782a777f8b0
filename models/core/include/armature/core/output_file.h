#pragma once

#include <filesystem>
#include <string_view>

namespace armature {

/// Makes `text` what the file holds; a pipe or a device takes it too. Throws InputError with the file's name: it cannot
/// be made, or the disk is full.
void write_output_file(const std::filesystem::path& path, std::string_view text);

}  // namespace armature
