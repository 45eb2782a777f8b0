#pragma once

#include "address_space.h"
#include "armature/core/random.h"
#include "armature/workload/params.h"
#include "request_sizes.h"

#include <cstdint>
#include <memory>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

namespace armature::workload {

/// What synthetic requests ask for.
class Content {
 public:
  virtual ~Content() = default;
  /// Sequential streams that arrivals take turns among.
  virtual std::uint32_t streams() const { return 1; }
  /// Sets operation, address, size and, in a mix, the row as the device.
  /// @param stream  0 to streams() - 1
  virtual void fill(Request& request, std::uint32_t stream) = 0;
  /// What a row of a mix is, in a word; empty otherwise.
  virtual std::string name(std::uint32_t device) const {
    (void)device;
    return {};
  }
};

/// The mix of `params`, or their one stream. Throws InputError for keys that contradict each other.
std::unique_ptr<Content> make_content(const WorkloadParams& params, std::uint64_t seed, std::uint64_t drive_sectors);

/// One stream of requests: operation, size, address. Each draws from random numbers of its own, so that a change of
/// one share leaves the others' numbers.
class SyntheticContent final : public Content {
 public:
  /// Throws InputError if the range of addresses does not hold the largest request.
  SyntheticContent(const WorkloadParams& params, std::uint64_t seed, std::uint64_t drive_sectors);

  std::uint32_t streams() const override { return static_cast<std::uint32_t>(streams_.size()); }
  void fill(Request& request, std::uint32_t stream) override;

 private:
  /// A sequential one, with its part of the range.
  struct Stream {
    std::uint64_t first, end;
    std::uint64_t next;
  };

  RandomStream operations_;
  RandomStream sequence_;
  RequestSizes sizes_;
  AddressSpace space_;
  const double read_fraction_;
  const double sequential_fraction_;
  const double local_fraction_;
  const std::uint64_t local_sectors_;
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
  std::string device_name(std::uint32_t device) const override { return content_->name(device); }

 private:
  std::unique_ptr<Content> content_;
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
  std::string device_name(std::uint32_t device) const override { return content_->name(device); }

 private:
  std::unique_ptr<Content> content_;
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
