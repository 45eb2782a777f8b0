#pragma once

#include "armature/observe/request_record.h"
#include "armature/power/ledger.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace armature::observe {

/// What a program of the host has logged of the requests of its jobs.
struct JobLog {
  struct Request {
    std::uint32_t job = 0;  ///< index of `names`
    Operation operation = Operation::read;
    std::uint64_t lbn = 0;  ///< 512-byte sectors from the beginning of its drive
    std::uint32_t sectors = 0;
    Ps ended = 0;    ///< it ended at this time or up to `precision` later
    Ps latency = 0;  ///< as the program saw it
  };
  std::vector<std::string> names;
  std::vector<Request> requests;  ///< in any order
  Ps precision = 0;
};

/// What a job had of a drive.
struct JobFigures {
  std::string name;  ///< empty: requests of no job, and the times in which no job had begun
  std::uint64_t requests = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t sectors = 0;
  Ps begin = 0;                     ///< its first arrival
  Ps end = 0;                       ///< its last completion
  double mean_response = 0;         ///< ps
  Ps p99_response = 0;              ///< ps
  double mean_adapter = 0;          ///< ps
  double energy_j = 0;              ///< the components' together
  std::vector<double> component_j;  ///< in the order of JobAccount::components(); empty: energy is not counted
};

/// The requests of one drive by the jobs of the host's programs, and the energy of each job.
///
/// Who a request belongs to is known after the run, from what the programs have logged: a request is a job's if the
/// job has logged one of the same kind that covers some of the same sectors and was at the drive at that time. Of two
/// such, the one with the nearest latency has it.
///
/// Between two arrivals or completions the drive's energy is divided among the requests that it has, in equal parts. If
/// it has none, it is divided among the jobs that have begun and not ended; if there is none of these either, it is
/// nobody's. So the jobs and nobody have all of it.
///
/// Memory: about 60 bytes a request, and 16 for each of its drive's components.
class JobAccount final : public RequestSink {
 public:
  /// @param ledger  null: the drive's energy is not counted
  explicit JobAccount(power::Ledger* ledger) : ledger_(ledger) {}

  unsigned follows() const override { return kArrivals; }
  void arrived(const Arrival& arrival) override;
  void completed(const CompletedRequest& request) override;

  /// The run has ended at `end`. Gives the requests of all accounts their jobs; a logged one may belong to any of them.
  static void assign(const std::vector<JobAccount*>& accounts, const JobLog& log, Ps end);

  // After assign().
  /// One a job that had a request here, in the order of the log, then nobody's.
  const std::vector<JobFigures>& jobs() const { return figures_; }
  std::vector<std::string> components() const;
  /// The name of the request's job; empty: it has none.
  const std::string& job_of(std::uint64_t id) const;

 private:
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  struct Request {
    std::uint64_t lbn = 0;
    std::uint32_t sectors = 0;
    std::uint32_t job = kNobody;
    Operation operation = Operation::read;
    Ps arrival = 0;
    Ps completion = kNoTime;
    Ps adapter = 0;
    Ps difference = 0;  ///< between its response and the latency that its job has logged
  };
  struct Moment {
    Ps at;
    std::uint32_t request;
    bool arrives;
  };

  void remember(std::uint64_t id, bool arrives);
  template <class Each>
  void candidates(const JobLog::Request& logged, Ps precision, const Each& each);
  std::optional<Ps> nearest(const JobLog::Request& logged, Ps precision);
  void take(const JobLog::Request& logged, Ps precision);
  void sum_up(const std::vector<std::string>& names);
  void share_energy(std::vector<JobFigures>& all) const;

  power::Ledger* const ledger_;
  std::vector<Request> requests_;  ///< by id
  std::vector<std::uint32_t> by_completion_;
  std::vector<Moment> moments_;
  std::vector<double> drawn_j_;  ///< by moment and component
  std::vector<std::string> names_;
  std::vector<JobFigures> figures_;
};

/// jobs.csv; docs/reference/results.md describes its columns. @throws InputError if the file cannot be written
void write_jobs(const std::filesystem::path& file, const JobAccount& account);

/// Puts the names of jobs into the column `job` of a requests.csv, which is its last and empty.
/// @throws InputError if the file cannot be read or written
void name_jobs(const std::filesystem::path& file, const JobAccount& account);

}  // namespace armature::observe
