#pragma once

#include "armature/core/error.h"
#include "support/trace_files.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <ostream>
#include <string>

namespace armature::testing {

/// A trace with a fault, and what its error must say.
struct BrokenTrace {
  const char* what;  ///< name of the case
  workload::WorkloadParams::Format format;
  const char* text;
  std::size_t line;
  std::size_t column;  ///< 0: the whole line
  const char* message;
};

inline void PrintTo(const BrokenTrace& broken, std::ostream* out) {
  *out << broken.what;
}

/// Reads it to the end: the error names file, line and column.
inline void expect_error_with_its_place(const BrokenTrace& broken) {
  const TraceDirectory directory;
  directory.write("broken", broken.text);
  try {
    drain(*workload::make_source(trace_params("broken", broken.format), 1, 1'000'000, directory.path()));
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.place().file, directory.path_of("broken"));
    EXPECT_EQ(error.place().line, broken.line) << error.what();
    EXPECT_EQ(error.place().column, broken.column) << error.what();
    EXPECT_NE(std::string(error.what()).find(broken.message), std::string::npos) << error.what();
  }
}

}  // namespace armature::testing
