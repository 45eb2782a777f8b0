#pragma once

#include "armature/core/request.h"
#include "armature/core/ring.h"
#include "armature/host/data_port.h"
#include "armature/host/host_queue.h"
#include "armature/nbd/session.h"
#include "armature/workload/source.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

namespace armature::nbd {

/// What NBD clients ask of one queue, as its source of requests with their data. An operation becomes one request,
/// which arrives at the simulated time of `admit`.
class Device final : public Disk, public workload::Source, public host::DataPort {
 public:
  /// @param description  `bytes` and `block_bytes` are multiples of 512
  explicit Device(Description description) : description_(std::move(description)) {}

  /// Before the simulation begins.
  void connect(host::HostQueue& queue);
  /// Called at each completion.
  std::function<void()> on_completion;

  /// Operations that have begun arrive at the queue, now.
  void admit();
  /// No more will come: the queue finishes when all have completed.
  void close();
  /// Operations that have begun and have not ended.
  std::size_t outstanding() const { return begun_.size() + operations_.size(); }

  struct Counters {
    std::uint64_t reads = 0, writes = 0, flushes = 0, failed = 0;
    std::uint64_t bytes_read = 0, bytes_written = 0;
  };
  const Counters& counters() const { return counters_; }

  const Description& description() const override { return description_; }
  void begin(std::unique_ptr<Operation> operation) override { begun_.push_back(std::move(operation)); }

  Next next(workload::Request& request) override;
  void completed(const workload::Request&, Ps) override {}

 private:
  std::uint8_t* dispatched(const workload::Request& request, unsigned tag) override;
  void completed(const workload::Request& request, unsigned tag, const host::CommandStatus& status) override;
  void count(const Operation& operation, bool ok);

  const Description description_;
  host::HostQueue* queue_ = nullptr;
  std::vector<std::unique_ptr<Operation>> begun_;
  GrowingRing<workload::Request> arrived_;                                    ///< and not taken by the queue
  std::unordered_map<std::uint64_t, std::unique_ptr<Operation>> operations_;  ///< by request; never iterated
  std::uint64_t next_id_ = 0;
  bool closed_ = false;
  Counters counters_;
};

}  // namespace armature::nbd
