#include "armature/host/dispatch_policy.h"

#include "armature/core/cylinder_index.h"
#include "armature/core/error.h"
#include "armature/core/ring.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace armature::host {
namespace {

using workload::Request;

class Fcfs final : public DispatchPolicy {
 public:
  void add(const Request& request) override { waiting_.push_back(request); }
  Request take(Ps) override { return waiting_.pop_front(); }
  std::size_t size() const override { return waiting_.size(); }
  void take_along(const std::function<bool(const Request&)>& wants) override {
    for (std::size_t left = waiting_.size(); left > 0; --left) {
      const Request request = waiting_.pop_front();
      if (!wants(request)) waiting_.push_back(request);
    }
  }

 private:
  GrowingRing<Request> waiting_;
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
  void take_along(const std::function<bool(const Request&)>& wants) override {
    std::vector<Entry> all = ahead_;
    all.insert(all.end(), behind_.begin(), behind_.end());
    std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return a.sequence < b.sequence; });
    std::vector<std::uint64_t> taken;  // sequence numbers, ascending
    for (const Entry& entry : all) {
      if (!wants(requests_[entry.place])) continue;
      taken.push_back(entry.sequence);
      unused_.push_back(entry.place);
    }
    if (taken.empty()) return;
    for (auto* heap : {&ahead_, &behind_}) {
      const auto gone = [&](const Entry& e) { return std::binary_search(taken.begin(), taken.end(), e.sequence); };
      heap->erase(std::remove_if(heap->begin(), heap->end(), gone), heap->end());
      std::make_heap(heap->begin(), heap->end(), later);
    }
  }

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

/// By LBN, then arrival; the sweep goes up or down from the last one taken, and turns when nothing lies ahead.
class Elevator final : public DispatchPolicy {
 public:
  void add(const Request& request) override { waiting_.emplace(Key{request.lbn, sequence_++}, request); }

  Request take(Ps) override {
    auto next = ahead();
    if (next == waiting_.end()) {
      up_ = !up_;
      next = ahead();
    }
    const Request request = next->second;
    position_ = request.lbn;
    waiting_.erase(next);
    return request;
  }

  std::size_t size() const override { return waiting_.size(); }
  void take_along(const std::function<bool(const Request&)>& wants) override {
    std::vector<Key> all;
    for (const auto& [key, request] : waiting_) all.push_back(key);
    std::sort(all.begin(), all.end(), [](const Key& a, const Key& b) { return a.second < b.second; });
    for (const Key& key : all)
      if (wants(waiting_.at(key))) waiting_.erase(key);
  }

 private:
  using Key = std::pair<std::uint64_t, std::uint64_t>;  ///< LBN, order of arrival
  using Waiting = std::map<Key, Request>;

  Waiting::iterator ahead() {
    if (up_) return waiting_.lower_bound({position_, 0});
    const auto above = waiting_.upper_bound({position_, ~std::uint64_t{0}});
    return above == waiting_.begin() ? waiting_.end() : waiting_.lower_bound({std::prev(above)->first.first, 0});
  }

  Waiting waiting_;
  bool up_ = true;
  std::uint64_t position_ = 0;  ///< LBN of the last request taken
  std::uint64_t sequence_ = 0;
};

// clang-format off
/// Takes the waiting request of least cost, computed anew at each take. Cost has
///   cost(target, request, at)    the cost of a request
///   bound(distance, age)         a lower bound of the cost of every request at this distance or more from each arm
///                                that has waited this long or less; must not fall with distance nor rise with age
///   Value, kAges                 the cost's type, and whether age matters
/// If few requests wait, all are examined. If many wait, the nearest are examined first, in turn with the oldest if age
/// matters, until the bound shows that no other request can cost less.
// clang-format on
template <class Cost>
class LeastCost final : public DispatchPolicy {
 public:
  explicit LeastCost(Cost cost) : cost_(cost) {}

  void add(const Request& request) override {
    std::uint32_t place;
    if (unused_.empty()) {
      place = static_cast<std::uint32_t>(entries_.size());
      entries_.emplace_back();
    } else {
      place = unused_.back();
      unused_.pop_back();
    }
    Entry& entry = entries_[place];
    entry = {request, cost_.model.place(request.lbn), sequence_++};
    index_.insert(place, entry.target.cylinder);
  }

  Request take(Ps at) override {
    Search search{*this, at};
    if (size() <= kScanned) {
      for (std::uint32_t id = index_.oldest(); id != CylinderIndex::kNone; id = index_.younger(id)) search.consider(id);
    } else {
      for (unsigned arm = 0; arm < cost_.model.arms(); ++arm) search.around(cost_.model.arm_cylinder(arm));
    }
    const Request request = entries_[search.best].request;
    index_.erase(search.best);
    unused_.push_back(search.best);
    return request;
  }

  std::size_t size() const override { return index_.size(); }
  void take_along(const std::function<bool(const Request&)>& wants) override {
    for (std::uint32_t id = index_.oldest(); id != CylinderIndex::kNone;) {
      const std::uint32_t next = index_.younger(id);
      if (wants(entries_[id].request)) {
        index_.erase(id);
        unused_.push_back(id);
      }
      id = next;
    }
  }

 private:
  using Value = typename Cost::Value;
  static constexpr std::size_t kScanned = 8;  ///< with fewer than about this many a search gains nothing

  struct Entry {
    Request request;
    PositionModel::Place target;
    std::uint64_t sequence = 0;
  };

  struct Search {
    const LeastCost& policy;
    const Ps at;
    std::uint32_t best = CylinderIndex::kNone;
    Value best_cost{};

    void consider(std::uint32_t id) {
      const Entry& entry = policy.entries_[id];
      const Value cost = policy.cost_.cost(entry.target, entry.request, at);
      // Requests are added in the order of arrival, so the sequence decides a tie for the earliest.
      if (best == CylinderIndex::kNone || cost < best_cost ||
          (cost == best_cost && entry.sequence < policy.entries_[best].sequence)) {
        best = id;
        best_cost = cost;
      }
    }

    /// Nothing so far from an arm, or farther, and so old, or younger, is better. Equal ones still must be looked at.
    bool over(std::uint32_t distance, Ps age) const {
      return best != CylinderIndex::kNone && policy.cost_.bound(distance, age) > best_cost;
    }

    Ps age(std::uint32_t id) const { return at - policy.entries_[id].request.arrival; }

    /// Unless its distance from this arm alone says that it does not win by it.
    void consider(std::uint32_t id, std::uint32_t here) {
      const std::uint32_t there = policy.entries_[id].target.cylinder;
      if (!over(there > here ? there - here : here - there, age(id))) consider(id);
    }

    /// What is not seen here is farther from this arm than any that could win.
    void around(std::uint32_t cylinder) {
      const CylinderIndex& index = policy.index_;
      std::uint32_t old = index.oldest();
      for (CylinderIndex::Outward near(index, cylinder); near.distance() != CylinderIndex::kNone; near.advance()) {
        if (over(near.distance(), age(old))) return;
        for (std::uint32_t id = near.first(); id != CylinderIndex::kNone; id = index.next_in_bucket(id)) {
          consider(id, cylinder);
          if (!Cost::kAges) continue;
          consider(old, cylinder);
          old = index.younger(old);
          if (old == CylinderIndex::kNone) return;  // all seen
        }
      }
    }
  };

  const Cost cost_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> unused_;  ///< free places of entries_
  CylinderIndex index_;
  std::uint64_t sequence_ = 0;
};

struct SeekDistance {
  static constexpr bool kAges = false;
  using Value = std::uint32_t;
  const PositionModel& model;

  std::uint32_t cost(const PositionModel::Place& target, const Request&, Ps) const {
    std::uint32_t least = ~std::uint32_t{0};
    for (unsigned arm = 0; arm < model.arms(); ++arm) {
      if (!model.reaches(arm, target)) continue;
      const std::uint32_t here = model.arm_cylinder(arm);
      least = std::min(least, target.cylinder > here ? target.cylinder - here : here - target.cylinder);
    }
    return least;
  }
  std::uint32_t bound(std::uint32_t distance, Ps) const { return distance; }
};

struct PositioningTime {
  static constexpr bool kAges = false;
  using Value = Ps;
  const PositionModel& model;
  Ps lead_time;

  Ps cost(const PositionModel::Place& target, const Request& request, Ps at) const {
    return model.positioning_time(target, request.operation, at + lead_time);
  }
  Ps bound(std::uint32_t distance, Ps) const { return model.least_time(distance); }
};

struct AgedPositioningTime {
  static constexpr bool kAges = true;
  using Value = Ps;
  const PositionModel& model;
  Ps lead_time;
  double weight;

  Ps cost(const PositionModel::Place& target, const Request& request, Ps at) const {
    return model.positioning_time(target, request.operation, at + lead_time) - credit(at - request.arrival);
  }
  Ps bound(std::uint32_t distance, Ps age) const { return model.least_time(distance) - credit(age); }
  /// Never falls with the age: neither the product nor the conversion does.
  Ps credit(Ps age) const { return static_cast<Ps>(weight * static_cast<double>(age)); }
};

template <class Cost>
std::unique_ptr<DispatchPolicy> least(Cost cost) {
  return std::make_unique<LeastCost<Cost>>(cost);
}

}  // namespace

std::unique_ptr<DispatchPolicy> make_policy(const HostParams& params, const PositionOracle& oracle) {
  if (params.needs_oracle() && !oracle.model)
    throw InputError("host.policy sstf, sptf and asptf need a positioning oracle, and this drive offers none");
  switch (params.policy) {
    case Policy::fcfs:
      return std::make_unique<Fcfs>();
    case Policy::clook:
      return std::make_unique<CLook>();
    case Policy::elevator:
      return std::make_unique<Elevator>();
    case Policy::sstf:
      return least(SeekDistance{*oracle.model});
    case Policy::sptf:
      return least(PositioningTime{*oracle.model, oracle.lead_time});
    case Policy::aged_sptf:
      return least(AgedPositioningTime{*oracle.model, oracle.lead_time, params.ageing_weight});
  }
  throw InputError("host.policy must be one of fcfs, clook, elevator, sstf, sptf, asptf");
}

}  // namespace armature::host
