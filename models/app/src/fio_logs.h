#pragma once

#include "armature/core/time.h"
#include "armature/observe/host_jobs.h"

#include <cstdint>
#include <filesystem>

namespace armature::app {

/// What fio has logged below a folder since `since`: files NAME_lat.NUMBER.log of its options write_lat_log, log_offset
/// and log_unix_epoch, by which a job is called NAME, with the path below the folder before it. Lines of another form,
/// and those of times before `start_s`, are left out.
/// @param start_s  time of day at which the simulation began, s since 1970
observe::JobLog read_fio_logs(const std::filesystem::path& folder, std::filesystem::file_time_type since,
                              std::uint64_t start_s);

}  // namespace armature::app
