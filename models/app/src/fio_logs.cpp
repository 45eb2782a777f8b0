#include "fio_logs.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

namespace armature::app {
namespace {

namespace fs = std::filesystem;

constexpr Ps kNs = 1000;

/// The name of the job whose log it is; empty: it is none.
std::string job_of(const fs::path& file, const fs::path& folder) {
  const std::string name = file.filename().string();
  const std::size_t end = name.rfind("_lat.");
  if (end == std::string::npos || end == 0) return {};
  const std::string rest = name.substr(end + 5);  // "1.log", or "log" of one file for all processes of the job
  const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (rest != "log" && (digits == 0 || rest.substr(digits) != ".log")) return {};
  const fs::path path = fs::relative(file.parent_path() / name.substr(0, end), folder);
  std::string job = path.lexically_normal().string();
  std::replace(job.begin(), job.end(), ',', '_');  // it is to be a field of a table
  return job;
}

}  // namespace

observe::JobLog read_fio_logs(const fs::path& folder, fs::file_time_type since, std::uint64_t start_s) {
  observe::JobLog log;
  log.precision = 2 * kPsPerMs;  // the time of day when fio began and the time since then, each in whole ms
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->is_regular_file(error) && at->last_write_time(error) >= since) files.push_back(at->path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const std::string name = job_of(file, folder);
    if (name.empty()) continue;
    std::vector<observe::JobLog::Request> requests;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
      // time in ms, latency in ns, direction, bytes, offset in bytes, then priority
      unsigned long long time = 0, latency = 0, direction = 0, bytes = 0, offset = 0;
      if (std::sscanf(line.c_str(), "%llu, %llu, %llu, %llu, %llu,", &time, &latency, &direction, &bytes, &offset) != 5)
        continue;
      if (direction > 1 || time < start_s * 1000 || latency > 1'000'000'000'000) continue;
      observe::JobLog::Request request;
      request.operation = direction == 0 ? Operation::read : Operation::write;
      request.lbn = offset / 512;
      request.sectors = static_cast<std::uint32_t>(bytes / 512);
      request.ended = static_cast<Ps>(time - start_s * 1000) * kPsPerMs;
      request.latency = static_cast<Ps>(latency) * kNs;
      requests.push_back(request);
    }
    if (requests.empty()) continue;
    const auto known = std::find(log.names.begin(), log.names.end(), name);
    const auto job = static_cast<std::uint32_t>(known - log.names.begin());
    if (known == log.names.end()) log.names.push_back(name);
    for (observe::JobLog::Request& request : requests) {
      request.job = job;
      log.requests.push_back(request);
    }
  }
  return log;
}

}  // namespace armature::app
