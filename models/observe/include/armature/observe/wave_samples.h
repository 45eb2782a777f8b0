#pragma once

#include "armature/core/time.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

namespace armature::observe {

/// What of a run's waves becomes a table, and at which instants.
struct SampleOptions {
  std::vector<std::string> signals;  ///< globs of probes, as TraceScope; empty: all but texts
  std::uint64_t hz = 10'000;         ///< samples a second, 1 to 1e9
  Ps from = 0;
  Ps to = std::numeric_limits<Ps>::max();
};

/// The values of an FST dump at multiples of 1 / hz from its beginning (or `from`) to its end (or `to`):
/// comma-separated, a column a signal and `time_s`, a row an instant. A signal has the value that it was last given, at
/// that instant or before; none before its first one. Between two windows of a dump the values of the first one stay.
/// @returns the number of rows
/// @throws InputError if the file is no such dump, nothing in it matches, or a row count above 1e8 would come
std::uint64_t write_samples(const std::filesystem::path& dump, const SampleOptions& options, std::ostream& out);

}  // namespace armature::observe
