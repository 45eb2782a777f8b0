#pragma once

#include "armature/host/block_port.h"
#include "armature/host/dispatch_policy.h"
#include "armature/host/store_map.h"
#include "armature/workload/source.h"

#include <cstdint>
#include <deque>
#include <vector>

namespace armature::host {

/// Puts the waiting requests together that one pass of a MEMS store serves, and their data into one buffer.
class BatchMaker {
 public:
  /// @param requests  most of a batch
  BatchMaker(const StoreMap& map, std::size_t requests) : map_(map), most_requests_(requests) {}

  /// `first` goes now: takes those out of the policy, oldest first, that its pass can serve besides. False: there are
  /// none, or its own blocks do not lie in one pass.
  bool collect(const workload::Request& first, DispatchPolicy& policy);
  const std::vector<workload::Request>& requests() const { return requests_; }
  const std::vector<Lbn>& blocks() const { return blocks_; }

  /// The command for all of them. `data`: buffer of each request, or null if contents are not modelled.
  BlockCommand command(const std::vector<std::uint8_t*>& data);
  /// It has ended: what was read goes to the requests' buffers.
  void hand_out();

  /// Requests of a batch that failed: they go one by one before all others.
  std::deque<workload::Request> alone;

 private:
  bool add(const workload::Request& request);

  const StoreMap map_;
  const std::size_t most_requests_;
  std::vector<workload::Request> requests_;
  std::vector<Lbn> blocks_;
  std::vector<StoreMap::Place> places_;
  std::vector<std::uint8_t*> data_;
  std::vector<std::uint8_t> buffer_;
};

}  // namespace armature::host
