#pragma once

#include "armature/core/time.h"

#include <filesystem>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

namespace armature::observe {

/// Which changes of a dump are wanted.
struct ChangeOptions {
  std::vector<std::string> signals;  ///< globs of probes, as TraceScope; empty: all
  Ps from = 0;
  Ps to = std::numeric_limits<Ps>::max();
};

/// The signals of an FST dump, tab-separated with a header: name with its range of bits, kind (bits, real, text).
/// @throws InputError if the file is no such dump
void write_signals(const std::filesystem::path& dump, const std::vector<std::string>& globs, std::ostream& out);

/// Every change of an FST dump in order of time, tab-separated with a header: time in ps, signal, value. Bits are those
/// of the dump (0, 1, x, z), reals have 17 digits; in a text, tab, newline and backslash are \t, \n and \\. The first
/// rows are the values at the beginning of the dump. A signal may be given the value that it has, or several at one
/// instant.
/// @throws InputError if the file is no such dump, or its unit of time is shorter than 1 ps
void write_changes(const std::filesystem::path& dump, const ChangeOptions& options, std::ostream& out);

}  // namespace armature::observe
