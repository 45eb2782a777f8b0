#pragma once

#include "armature/core/random.h"
#include "armature/observe/request_record.h"

#include <array>
#include <cstdint>
#include <vector>

namespace armature::observe {

/// Response times up to a fixed number, beyond that an unbiased sample of it (Vitter's algorithm R). 8 bytes a request.
class ResponseSamples {
 public:
  explicit ResponseSamples(std::size_t capacity);

  void add(Operation operation, Ps response);
  /// Before the questions below; adding is over.
  void sort();

  bool exact() const { return seen_ <= capacity_; }  ///< every response is in the sample
  std::uint64_t size() const { return keys_.size(); }
  std::uint64_t size(Operation operation) const;
  /// The response of rank ceil(q * n) among n (nearest rank), 0 <= q <= 1; 0 if there is none.
  Ps quantile(double q) const;
  Ps quantile(Operation operation, double q) const;

 private:
  std::size_t first(Operation operation) const;
  std::uint64_t count_up_to(Ps response) const;

  std::size_t capacity_;
  std::uint64_t seen_ = 0;
  std::vector<std::uint64_t> keys_;  ///< operation in the top bits, response below: sorting groups by operation
  RandomStream random_;
};

/// Mean latency breakdown of the requests in bands of response time: in buckets of response time a 32nd of an octave
/// wide, so that memory is flat. A band's border lies within a bucket (3 % wide), which is split in proportion.
class BreakdownByResponse {
 public:
  BreakdownByResponse();
  void add(const RequestRecord& record);
  /// Mean time in each phase, ps, over the requests between the ranks `from` and `to` (fractions of all, by response).
  std::array<double, kPhases> mean(double from, double to) const;

 private:
  struct Bucket {
    std::uint64_t count = 0;
    std::array<double, kPhases> sum{};
  };
  std::vector<std::vector<Bucket>> octaves_;  ///< each empty until a time is in it: most never get any
  std::uint64_t count_ = 0;
};

/// Counts, moments and quantiles of the requests of one drive.
class Statistics final : public RequestSink {
 public:
  static constexpr std::size_t kExactUpTo = 10'000'000;

  explicit Statistics(std::size_t exact_up_to = kExactUpTo);

  unsigned follows() const override { return kArrivals; }
  void arrived(const Arrival& arrival) override;
  void completed(const CompletedRequest& request) override;
  /// The last word: `end` as below, `unfinished` are the arrivals of requests that have not completed.
  void finish(Ps end, const std::vector<Arrival>& unfinished);

  /// Figures over requests of one kind; of failed ones too.
  struct Figures {
    std::uint64_t count = 0;
    std::uint64_t failed = 0;
    std::uint64_t bytes = 0;  ///< of the requests that did not fail
    Ps min = 0;               ///< of the response time, ps
    Ps max = 0;
    double mean = 0;                            ///< ps
    double variance = 0;                        ///< ps^2, of the population
    std::array<double, kPhases> phase_means{};  ///< ps; they add up to `mean`
    double link_overlapped_mean = 0;            ///< ps
  };
  Figures all() const;
  Figures of(Operation operation) const;
  const ResponseSamples& responses() const { return samples_; }
  const BreakdownByResponse& breakdown() const { return breakdown_; }

  std::uint64_t arrivals() const { return arrivals_; }
  std::uint64_t completions() const;
  std::uint64_t missed_revolutions() const { return missed_; }
  std::uint64_t missed_by(MissCause cause) const { return missed_by_[static_cast<std::size_t>(cause)]; }
  std::uint64_t seeks() const { return seeks_; }          ///< first accesses that moved the arm
  double mean_seek_cylinders() const;                     ///< over first accesses, those of distance 0 too
  double mean_positioning() const;                        ///< ps, realised, of granted requests with an access
  double mean_prediction_error() const;                   ///< ps, realised - predicted
  std::uint64_t max_depth() const { return max_depth_; }  ///< most requests in the system at a time
  /// What the rates and the mean depth are over, from time 0: until the drive's last request had completed, or until
  /// the end of the run if it had more to do, ps. So of drives side by side each has its own.
  Ps end() const { return end_; }
  /// Time of the last request, ps; 0 if there was none.
  Ps last_arrival() const { return last_arrival_; }
  /// Completed bytes a second.
  double byte_rate() const;
  /// Time average of the number of requests in the system; by Little's law the arrival rate times the mean time there.
  double mean_depth() const;
  /// Completed requests a second.
  double rate() const;

 private:
  struct Responses {
    std::uint64_t count = 0;
    Ps min = 0;
    Ps max = 0;
    double mean = 0;  ///< Welford's recurrence
    double m2 = 0;
  };
  struct Sums {
    Responses responses;
    std::uint64_t failed = 0;
    std::uint64_t bytes = 0;
    std::array<__int128, kPhases> phases{};
    __int128 link_overlapped = 0;
  };
  static void add(Responses& responses, Ps response);
  static Figures figures(const Sums& sums);

  Responses all_;  ///< the sums of all are those of each kind, added
  std::array<Sums, 3> by_operation_{};
  ResponseSamples samples_;
  BreakdownByResponse breakdown_;
  std::uint64_t arrivals_ = 0;
  Ps last_arrival_ = 0;
  std::uint64_t max_depth_ = 0;
  std::uint64_t missed_ = 0;
  std::array<std::uint64_t, kMissCauseNames.size()> missed_by_{};
  std::uint64_t accessed_ = 0;
  std::uint64_t seeks_ = 0;
  std::uint64_t seek_cylinders_ = 0;
  std::uint64_t positioned_ = 0;
  __int128 positioning_ = 0;
  std::uint64_t predicted_ = 0;
  __int128 prediction_error_ = 0;
  __int128 time_in_system_ = 0;  ///< of completed requests, and after finish() of the others up to the end
  Ps end_ = 0;
};

}  // namespace armature::observe
