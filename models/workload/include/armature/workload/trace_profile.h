#pragma once

#include "armature/workload/source.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace armature::workload {

/// Counts of whole numbers, 32 buckets per octave; numbers below 64 have a bucket each. Always 30 KiB.
class LogHistogram {
 public:
  struct Bucket {
    std::uint64_t first;  ///< smallest number in it
    std::uint64_t last;   ///< largest
    std::uint64_t count;
  };

  LogHistogram() : counts_(kBuckets), sums_(kBuckets) {}

  void add(std::uint64_t value);

  std::uint64_t count() const { return count_; }
  std::uint64_t min() const { return count_ == 0 ? 0 : min_; }
  std::uint64_t max() const { return max_; }
  double mean() const { return mean_; }
  double deviation() const;  ///< standard deviation, of the population
  /// The number of rank ceil(q n) (nearest rank), or the mean of its bucket: exact below 64 and if the bucket has seen
  /// but one number, within 3.2 % always. 0 if there is none.
  std::uint64_t quantile(double q) const;
  /// The buckets that are not empty, ascending.
  std::vector<Bucket> buckets() const;

 private:
  static constexpr unsigned kFractionBits = 5;
  static constexpr std::size_t kBuckets = std::size_t{64 - kFractionBits + 1} << kFractionBits;

  static std::size_t index(std::uint64_t value);
  static Bucket bucket(std::size_t index);

  std::vector<std::uint64_t> counts_;
  std::vector<double> sums_;
  std::uint64_t count_ = 0;
  std::uint64_t min_ = ~std::uint64_t{0};
  std::uint64_t max_ = 0;
  double mean_ = 0;  // Welford's recurrence
  double m2_ = 0;
};

/// How many different numbers it has seen, estimated: HyperLogLog (Flajolet and others, 2007) with the estimator of
/// Ertl ("New cardinality estimation algorithms for HyperLogLog sketches", 2017, algorithm 6), which needs no
/// correction for small numbers. 16 KiB; standard error 1.04 / sqrt(16,384) = 0.8 %.
class DistinctSketch {
 public:
  DistinctSketch() : registers_(std::size_t{1} << kIndexBits) {}

  void add(std::uint64_t value);
  double estimate() const;

 private:
  static constexpr unsigned kIndexBits = 14;

  std::vector<std::uint8_t> registers_;
};

/// Requests by time and address on a grid whose cells double when something lies outside: constant memory whatever the
/// trace spans.
class HeatMap {
 public:
  static constexpr std::size_t kColumns = 256;
  static constexpr std::size_t kRows = 128;

  HeatMap() : counts_(kColumns * kRows) {}

  /// @param at  since the beginning of the trace, >= 0
  void add(Ps at, std::uint64_t lbn);

  Ps cell_time() const { return cell_time_; }
  std::uint64_t cell_sectors() const { return cell_sectors_; }
  std::uint32_t count(std::size_t column, std::size_t row) const { return counts_[row * kColumns + column]; }

 private:
  void halve_columns();
  void halve_rows();

  std::vector<std::uint32_t> counts_;
  Ps cell_time_ = kPsPerMs;
  std::uint64_t cell_sectors_ = 8;
};

/// What there is to say of a device's requests, or of all. Constant memory.
class StreamProfile {
 public:
  static constexpr std::uint32_t kPageSectors = 8;  ///< footprints are counted in pages of 4 KiB
  static constexpr std::array<Ps, 6> kIdleLimits = {kPsPerMs,     10 * kPsPerMs,     100 * kPsPerMs,
                                                    kPsPerSecond, 10 * kPsPerSecond, 60 * kPsPerSecond};

  /// Where a request begins, seen from those before it on its device.
  struct Locality {
    bool known = false;          ///< false for the first one
    bool sequential = false;     ///< where the one before ended
    bool of_a_stream = false;    ///< where one of the last 32 ended
    bool forward = false;        ///< after the end of the one before
    std::uint64_t distance = 0;  ///< sectors from the end of the one before
  };

  /// @param since_start  arrival since the first one of the trace
  void add(const Request& request, Ps since_start, const Locality& locality);

  std::uint64_t requests = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t flushes = 0;
  std::uint64_t fua = 0;
  std::uint64_t sectors_read = 0;
  std::uint64_t sectors_written = 0;
  std::uint64_t first_lbn = ~std::uint64_t{0};
  std::uint64_t end_lbn = 0;
  Ps first_arrival = 0;
  Ps last_arrival = 0;

  LogHistogram sizes;        ///< sectors
  LogHistogram read_sizes;   ///< sectors
  LogHistogram write_sizes;  ///< sectors
  LogHistogram gaps;         ///< ps between arrivals
  LogHistogram idle;         ///< ps from the end of the last request (by its measured response, else its arrival)
  std::array<double, kIdleLimits.size()> idle_in_longer{};  ///< ps spent in idle times longer than these limits
  double idle_time = 0;                                     ///< ps, sum
  LogHistogram responses;                                   ///< ps, of requests whose response was measured
  LogHistogram seeks;                                       ///< sectors, of requests that are not sequential
  std::uint64_t placed = 0;  ///< requests whose place is known relative to the one before
  std::uint64_t sequential = 0;
  std::uint64_t of_streams = 0;
  std::uint64_t forward = 0;
  DistinctSketch pages;
  DistinctSketch written_pages;
  HeatMap heat;

  std::uint64_t sectors() const { return sectors_read + sectors_written; }
  Ps duration() const { return last_arrival - first_arrival; }
  /// Variance over mean of the number of arrivals in a second: 1 for a Poisson stream, more for bursts. 0 if the trace
  /// is shorter than two seconds.
  double dispersion() const;
  /// Mean number of requests in flight by the measured responses (Little's law); 0 if nothing was measured.
  double mean_in_flight() const;

 private:
  void count_in_seconds(Ps since_start);

  Ps busy_until_ = 0;
  std::int64_t second_ = 0;
  std::uint64_t in_second_ = 0;
  double seconds_ = 0;
  double seconds_mean_ = 0;
  double seconds_m2_ = 0;
};

/// Looks at a trace once, request by request.
class TraceProfile {
 public:
  static constexpr std::size_t kDevices = 64;    ///< most devices with a profile of their own: the first ones to appear
  static constexpr std::size_t kHeads = 65'536;  ///< devices whose requests are placed relative to each other

  TraceProfile();

  void add(const Request& request);

  const StreamProfile& all() const { return all_; }
  /// By device number, ascending.
  const std::map<std::uint32_t, std::unique_ptr<StreamProfile>>& devices() const { return devices_; }
  std::size_t device_count() const { return heads_.size(); }
  /// Requests by size in sectors, exact: the most frequent ones first, at most `most`.
  std::vector<std::pair<std::uint32_t, std::uint64_t>> common_sizes(std::size_t most) const;

 private:
  static constexpr std::size_t kStreams = 32;

  struct Head {
    bool moved = false;
    std::uint64_t end = 0;
    std::size_t next = 0;
    std::array<std::uint64_t, kStreams> ends;  // no request begins at the largest number
    Head() { ends.fill(~std::uint64_t{0}); }
  };

  StreamProfile::Locality locate(const Request& request);

  StreamProfile all_;
  std::map<std::uint32_t, std::unique_ptr<StreamProfile>> devices_;
  std::map<std::uint32_t, Head> heads_;
  std::vector<std::uint64_t> by_size_;
  Ps start_ = -1;
};

}  // namespace armature::workload
