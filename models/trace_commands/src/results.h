#pragma once

#include "armature/workload/source.h"
#include "armature/workload/trace_profile.h"

#include <string>

namespace armature::trace_commands {

struct TraceInfo {
  std::string title;
  const workload::TraceProfile& profile;
  const workload::Source& source;  ///< at its end: for the names of devices and what it left out

  /// "0", "sdb (1)"
  std::string device(std::uint32_t number) const;
};

/// For a terminal of 100 columns.
std::string trace_tables(const TraceInfo& info);

/// What write_trace_info writes.
inline constexpr const char* kTraceInfoFiles[] = {"summary.tsv", "sizes.tsv", "sizes_by_device.tsv",
                                                  "gaps.tsv",    "idle.tsv",  "seeks.tsv",
                                                  "heat.tsv",    "trace.svg", "trace.html"};

/// trace.html, trace.svg and tables (summary.tsv, sizes.tsv, sizes_by_device.tsv, gaps.tsv, idle.tsv, seeks.tsv,
/// heat.tsv) into a directory, which is made if need be. Throws InputError if it cannot be written.
void write_trace_info(const TraceInfo& info, const std::string& directory);

/// The picture: gaps, sizes, seeks, arrivals over time, addresses over time. Stands alone.
std::string trace_picture(const TraceInfo& info);

/// "850 us", "12 ms", "3.4 h"
std::string short_time(double ps);
/// "512 B", "4 KiB", "1.5 GiB"
std::string short_size(double sectors);

}  // namespace armature::trace_commands
