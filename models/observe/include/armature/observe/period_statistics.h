#pragma once

#include "armature/observe/request_record.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace armature::observe {

/// The file of periodic statistics: a line of JSON for each drive and period, written when the period is over, so that
/// a pipe can be read while the run goes on. If its reader goes away, the run goes on without it.
class PeriodFile {
 public:
  /// @throws InputError if it cannot be written. Waits for a reader if it is a named pipe.
  explicit PeriodFile(const std::filesystem::path& file);
  void write(const std::string& line);
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::ofstream out_;
};

/// What happened to one drive's requests in each period of simulated time. A period ends before its last instant: what
/// happens at its end belongs to the next. Makes no kernel event: a period in which nothing happens is written when
/// something happens again.
class PeriodStatistics final : public RequestSink {
 public:
  PeriodStatistics(PeriodFile& file, std::string drive, Ps every);

  unsigned follows() const override { return kArrivals; }
  void arrived(const Arrival& arrival) override;
  void completed(const CompletedRequest& request) override;
  /// Writes what is left; the last period may be shorter.
  void finish(Ps end);

 private:
  void reach(Ps at);
  void count_depth(Ps until);
  void write(Ps end);

  PeriodFile& file_;
  const std::string drive_;
  const Ps every_;
  Ps begin_ = 0;    ///< of the present period
  Ps counted_ = 0;  ///< the depth up to here
  std::uint64_t depth_ = 0, max_depth_ = 0, arrived_ = 0, failed_ = 0, bytes_ = 0, missed_ = 0;
  __int128 depth_time_ = 0;
  std::vector<Ps> responses_;
};

}  // namespace armature::observe
