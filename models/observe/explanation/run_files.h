#pragma once

#include "armature/core/time.h"
#include "armature/observe/request_record.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace armature::observe {

std::string in_ms(Ps t);  ///< "9.681000 ms"
std::string in_s(Ps t);   ///< "0.009681000000 s"

/// The folder of the drive's files in a run's folder; an empty name: of its only drive.
/// @throws InputError if there is no run, no such drive, or several and none is named
std::filesystem::path directory_of(const std::filesystem::path& run, const std::string& drive);

/// Folders of all drives of the run. @throws InputError if there is none
std::vector<std::filesystem::path> directories_of(const std::filesystem::path& run);

/// The causes of a request's missed revolutions by the field `miss_cause` of requests.csv, each with its number.
/// @param all  its missed revolutions
std::vector<std::pair<std::string, std::uint64_t>> causes_of(const std::string& field, std::uint64_t all);

/// The phases of a request in order, from an events.csv; empty if they are not in it.
std::vector<Segment> read_timeline(const std::filesystem::path& file, std::uint64_t id);

}  // namespace armature::observe
