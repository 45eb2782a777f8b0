#include "armature/host/dispatch_policy.h"

#include "armature/core/error.h"

#include "ring.h"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

namespace armature::host {
namespace {

using workload::Request;

class Fcfs final : public DispatchPolicy {
 public:
  void add(const Request& request) override { waiting_.push_back(request); }
  Request take(Ps) override { return waiting_.pop_front(); }
  std::size_t size() const override { return waiting_.size(); }

 private:
  Ring<Request> waiting_;
};

/// Two heaps, lowest LBN on top: what lies ahead in this sweep, and what must wait for the next one.
class CLook final : public DispatchPolicy {
 public:
  void add(const Request& request) override {
    std::uint32_t place;
    if (unused_.empty()) {
      place = static_cast<std::uint32_t>(requests_.size());
      requests_.push_back(request);
    } else {
      place = unused_.back();
      unused_.pop_back();
      requests_[place] = request;
    }
    auto& heap = request.lbn >= position_ ? ahead_ : behind_;
    heap.push_back({request.lbn, sequence_++, place});
    std::push_heap(heap.begin(), heap.end(), later);
  }

  Request take(Ps) override {
    if (ahead_.empty()) ahead_.swap(behind_);
    std::pop_heap(ahead_.begin(), ahead_.end(), later);
    const Entry entry = ahead_.back();
    ahead_.pop_back();
    unused_.push_back(entry.place);
    position_ = entry.lbn;
    return requests_[entry.place];
  }

  std::size_t size() const override { return ahead_.size() + behind_.size(); }

 private:
  struct Entry {
    std::uint64_t lbn;
    std::uint64_t sequence;  ///< order of arrival
    std::uint32_t place;     ///< in requests_
  };
  static bool later(const Entry& a, const Entry& b) {
    return std::tie(a.lbn, a.sequence) > std::tie(b.lbn, b.sequence);
  }

  std::vector<Entry> ahead_;
  std::vector<Entry> behind_;
  std::vector<Request> requests_;
  std::vector<std::uint32_t> unused_;  ///< free places
  std::uint64_t position_ = 0;         ///< LBN of the last request taken
  std::uint64_t sequence_ = 0;
};

/// The least cost among all that wait, asked anew at each take.
template <class Cost>
class LeastCost final : public DispatchPolicy {
 public:
  explicit LeastCost(Cost cost) : cost_(cost) {}

  void add(const Request& request) override { waiting_.push_back({request, sequence_++}); }

  Request take(Ps at) override {
    std::size_t best = 0;
    auto best_cost = cost_(waiting_[0].request, at);
    for (std::size_t i = 1; i < waiting_.size(); ++i) {
      const auto cost = cost_(waiting_[i].request, at);
      // Requests are added in the order of arrival, so the sequence decides a tie for the earliest.
      if (cost < best_cost || (cost == best_cost && waiting_[i].sequence < waiting_[best].sequence)) {
        best = i;
        best_cost = cost;
      }
    }
    const Request request = waiting_[best].request;
    waiting_[best] = waiting_.back();
    waiting_.pop_back();
    return request;
  }

  std::size_t size() const override { return waiting_.size(); }

 private:
  struct Entry {
    Request request;
    std::uint64_t sequence;
  };

  const Cost cost_;
  std::vector<Entry> waiting_;  ///< in no order
  std::uint64_t sequence_ = 0;
};

struct SeekDistance {
  const PositionOracle& oracle;
  std::uint32_t operator()(const Request& request, Ps) const { return oracle.seek_distance(request.lbn); }
};

struct PositioningTime {
  const PositionOracle& oracle;
  Ps operator()(const Request& request, Ps at) const {
    return oracle.positioning_time(request.lbn, request.operation, at + oracle.lead_time());
  }
};

struct AgedPositioningTime {
  const PositionOracle& oracle;
  double weight;
  Ps operator()(const Request& request, Ps at) const {
    const Ps time = oracle.positioning_time(request.lbn, request.operation, at + oracle.lead_time());
    return time - static_cast<Ps>(weight * static_cast<double>(at - request.arrival));
  }
};

template <class Cost>
std::unique_ptr<DispatchPolicy> least(Cost cost) {
  return std::make_unique<LeastCost<Cost>>(cost);
}

}  // namespace

std::unique_ptr<DispatchPolicy> make_policy(const HostParams& params, const PositionOracle* oracle) {
  if (params.needs_oracle() && !oracle)
    throw InputError("host.policy sstf, sptf and asptf need a positioning oracle, and this drive offers none");
  switch (static_cast<Policy>(params.policy)) {
    case Policy::fcfs:
      return std::make_unique<Fcfs>();
    case Policy::clook:
      return std::make_unique<CLook>();
    case Policy::sstf:
      return least(SeekDistance{*oracle});
    case Policy::sptf:
      return least(PositioningTime{*oracle});
    case Policy::aged_sptf:
      return least(AgedPositioningTime{*oracle, params.ageing_weight});
  }
  throw InputError("host.policy must be one of fcfs, clook, sstf, sptf, asptf");
}

}  // namespace armature::host
