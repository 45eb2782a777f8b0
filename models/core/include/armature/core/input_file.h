#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace armature {

/// Files of configuration (scenarios, drive files, plants, descriptions) have a few KiB.
inline constexpr std::uint64_t kLargestTextFile = std::uint64_t{64} << 20;

/// What a file holds. Throws InputError with its name: it is missing (with the nearest name), unreadable, larger than
/// `most`, or no regular file. A pipe or a device may have no end, or no beginning, and such files are read twice.
std::string read_input_file(const std::string& path, std::uint64_t most = kLargestTextFile);

/// Throws InputError, with its name, unless `path` is a regular file.
void require_regular_file(const std::string& path);

/// Whether both are the same file, by whatever names; one that does not exist yet is compared by its path.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace armature
