#pragma once

#include "armature/core/time.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
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

/// Which requests of a run `armature explain --at|--slowest|--missed` lists: one of the three.
struct RequestChoice {
  std::optional<Ps> at;     ///< list the requests in the system at this simulated time
  std::size_t slowest = 0;  ///< list this number of requests with the longest response times
  std::string missed;       ///< list the requests that missed a revolution for this cause; "any": all causes
};

/// Table of the chosen requests of a drive, or of each if none is named, from the files of a run; the longest response
/// times first, those at one time in the order of their arrival.
/// @throws InputError if the run, the drive or the cause is not there, or a file is damaged
std::string list_requests(const std::filesystem::path& run, const RequestChoice& choice, const std::string& drive);

}  // namespace armature::observe
