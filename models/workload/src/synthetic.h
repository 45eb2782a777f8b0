#pragma once

#include "armature/core/random.h"
#include "armature/workload/params.h"

#include <cstdint>
#include <queue>
#include <unordered_map>
#include <vector>

namespace armature::workload {

/// Addresses that requests may begin at: multiples of an alignment within a range, everywhere alike or with hot spots.
class AddressSpace {
 public:
  /// Throws InputError for hot spots that overlap or leave the range.
  AddressSpace(const WorkloadParams& params, std::uint64_t seed, std::uint64_t drive_sectors);

  std::uint64_t first_lbn() const { return first_lbn_; }
  std::uint64_t end_lbn() const { return end_lbn_; }  ///< behind the range
  /// Throws InputError if no request of this size lies in the range, or in a part that requests are to go to.
  void check(std::uint32_t sectors) const;
  std::uint64_t draw(std::uint32_t sectors);
  /// Uniform over the starts within `distance` of `from`, or the nearest one if there is none.
  std::uint64_t draw_near(std::uint64_t from, std::uint64_t distance, std::uint32_t sectors);

 private:
  struct Part {
    std::uint64_t first = 0;  // LBN
    std::uint64_t end = 0;
  };
  struct HotSpot : Part {
    double requests = 0;  // of this one and those before it
  };

  std::uint64_t first_start(const Part& part) const { return (part.first + align_ - 1) / align_; }
  std::uint64_t starts(const Part& part, std::uint32_t sectors) const;

  RandomStream addresses_;
  RandomStream spots_stream_;
  const std::uint64_t align_;
  const std::uint64_t first_lbn_;
  std::uint64_t end_lbn_;
  std::vector<HotSpot> spots_;
  std::vector<Part> rest_;  // the range without its hot spots
};

/// What synthetic requests ask for: operation, size, address. Each draws from a stream of its own, so that a change of
/// one share leaves the others' numbers.
class SyntheticContent {
 public:
  /// Throws InputError if the range of addresses does not hold the largest request.
  SyntheticContent(const WorkloadParams& params, std::uint64_t seed, std::uint64_t drive_sectors);

  std::uint32_t streams() const { return static_cast<std::uint32_t>(streams_.size()); }
  void fill(Request& request, std::uint32_t stream);

 private:
  /// A sequential one, with its part of the range.
  struct Stream {
    std::uint64_t first, end;
    std::uint64_t next;
  };
  struct Size {
    std::uint32_t sectors;
    double cumulated_weight;
  };

  std::uint32_t draw_size();

  RandomStream operations_;
  RandomStream sizes_stream_;
  RandomStream sequence_;
  AddressSpace space_;
  const double read_fraction_;
  const double sequential_fraction_;
  const double local_fraction_;
  const std::uint64_t local_sectors_;
  std::vector<Size> sizes_;
  std::uint64_t previous_start_;
  std::vector<Stream> streams_;
};

/// Times of open arrivals: gaps of one distribution, in bursts or not.
class ArrivalProcess {
 public:
  ArrivalProcess(const WorkloadParams& params, std::uint64_t seed);

  /// The next arrival, never before the one before; later than TimeScale::kLatest if the simulation ends before it.
  Ps next();

 private:
  Ps gap();
  void pass(Ps duration);
  Ps burst_length(double mean_ps);

  RandomStream arrivals_;
  RandomStream bursts_;
  const int distribution_;
  const double shape_;
  const double on_ps_;  // 0: no bursts
  const double off_ps_;
  const bool fixed_lengths_;
  double mean_ps_ = 0;  // of a gap, without the silences
  bool first_ = true;
  Ps on_left_ = 0;
  Ps at_ = 0;
};

/// Arrivals at a rate, whatever the drive does.
class OpenSource final : public Source {
 public:
  OpenSource(const WorkloadParams& params, std::uint64_t seed, std::uint64_t drive_sectors);
  Next next(Request& request) override;
  std::uint64_t expected() const override { return count_; }

 private:
  SyntheticContent content_;
  ArrivalProcess arrivals_;
  const std::uint64_t count_;
  std::uint64_t issued_ = 0;
};

/// A number of requests in flight or being thought about: N users, each of whom asks again after a think time.
class ClosedSource final : public Source {
 public:
  ClosedSource(const WorkloadParams& params, std::uint64_t seed, std::uint64_t drive_sectors);
  Next next(Request& request) override;
  void completed(const Request& request, Ps at) override;
  bool revise(Request& ahead) override;
  std::uint64_t expected() const override { return count_; }

 private:
  SyntheticContent content_;
  RandomStream think_;
  const std::uint64_t count_;
  const bool exponential_;
  const double mean_ps_;
  std::uint64_t issued_ = 0;
  struct User {
    Ps arrival;
    std::uint32_t stream;
    bool operator>(const User& other) const {
      return arrival != other.arrival ? arrival > other.arrival : stream > other.stream;
    }
  };
  std::priority_queue<User, std::vector<User>, std::greater<>> users_;  // who are not in flight
  std::unordered_map<std::uint64_t, std::uint32_t> streams_;            // of those who are, if there are several
};

}  // namespace armature::workload
