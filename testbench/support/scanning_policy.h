#pragma once

#include "armature/host/dispatch_policy.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace armature::testing {

/// The rule that the host's policies with an oracle promise, written as it reads: the least cost of all that wait, and
/// of equal ones the one that was added first. What an index finds is compared with it.
class ScanningPolicy final : public host::DispatchPolicy {
 public:
  using Cost = std::function<Ps(const workload::Request&, Ps at)>;
  explicit ScanningPolicy(Cost cost) : cost_(std::move(cost)) {}

  void add(const workload::Request& request) override { waiting_.push_back(request); }

  workload::Request take(Ps at) override {
    std::size_t best = 0;
    for (std::size_t i = 1; i < waiting_.size(); ++i)
      if (cost_(waiting_[i], at) < cost_(waiting_[best], at)) best = i;
    const workload::Request request = waiting_[best];
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(best));
    return request;
  }

  std::size_t size() const override { return waiting_.size(); }
  void take_along(const std::function<bool(const workload::Request&)>& wants) override {
    waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), wants), waiting_.end());
  }

 private:
  const Cost cost_;
  std::vector<workload::Request> waiting_;  ///< by arrival
};

}  // namespace armature::testing
