#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace armature::observe {

/// What `armature explain N` prints: the life of one request, from the files of a run.
///
/// If the waves of the run hold the request, a save file request-<id>.gtkw with markers at its events is written to the
/// same folder and the command that shows it is printed.
///
/// @param run    directory of the run
/// @param id     of the request, as in requests.csv
/// @param drive  folder of the drive if the run had several; empty: the only one
/// @param hint   how to repeat the run with waves around the request, printed if there are none of it
/// @throws InputError if the run, the drive or the request is not there, or a file is damaged
std::string explain(const std::filesystem::path& run, std::uint64_t id, const std::string& drive,
                    const std::string& hint);

}  // namespace armature::observe
