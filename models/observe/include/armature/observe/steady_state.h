#pragma once

#include "armature/observe/request_record.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace armature::observe {

/// Which requests at a run's beginning are its warm-up.
struct WarmUpRule {
  enum Kind : int { none, mser5, requests, time };
  Kind kind = none;
  std::uint64_t count = 0;  ///< the first requests by arrival
  Ps until = 0;             ///< requests that arrive before
};

/// MSER-5 (K. P. White, Simulation 69(6), 1997): how many of the series' first values to leave out. Batches of five; of
/// the cuts up to the middle the one with the least sum of squares of the rest, divided by the square of its number.
std::size_t mser5(const std::vector<Ps>& series);

/// Response times of one drive's requests without those of the warm-up. 24 bytes a request.
class SteadyState final : public RequestSink {
 public:
  explicit SteadyState(const WarmUpRule& rule) : rule_(rule) {}

  unsigned follows() const override { return kArrivals; }
  void arrived(const Arrival& arrival) override;
  void completed(const CompletedRequest& request) override;
  /// `end` of the drive's figures. Once.
  void finish(Ps end);

  /// Of requests of one kind, or all; times in ps. Quantiles by nearest rank.
  struct Figures {
    std::uint64_t count = 0;
    double mean = 0, deviation = 0;
    std::array<Ps, 6> quantiles{};  ///< at kQuantiles
    Ps max = 0;
  };
  static constexpr std::array<double, 6> kQuantiles = {0.5, 0.9, 0.95, 0.99, 0.999, 0.9999};

  const WarmUpRule& rule() const { return rule_; }
  std::uint64_t left_out() const { return left_out_; }
  Ps from() const { return from_; }  ///< arrival of the first request that counts
  /// False if MSER-5's least value is at the border of what it may leave out: the run is too short, or its queue grows.
  bool settled() const { return settled_; }
  const Figures& all() const { return figures_[0]; }
  const Figures& of(Operation operation) const { return figures_[1 + static_cast<std::size_t>(operation)]; }
  double rate() const;       ///< completed requests a second from `from` on
  double byte_rate() const;  ///< bytes a second of the requests that did not fail

 private:
  struct Entry {
    Ps arrival;
    Ps response = -1;  ///< until it has completed
    std::uint32_t bytes_512 = 0;
    Operation operation;
  };

  const WarmUpRule rule_;
  std::vector<Entry> entries_;  ///< in the order of arrival
  std::unordered_map<std::uint64_t, std::size_t> open_;
  std::array<Figures, 4> figures_{};
  std::uint64_t left_out_ = 0, bytes_ = 0;
  Ps from_ = 0, end_ = 0;
  bool settled_ = true;
};

}  // namespace armature::observe
