#pragma once

#include "armature/core/ring.h"
#include "armature/host/data_port.h"
#include "armature/workload/source.h"

#include <cstdint>

namespace armature::host {

class HostQueue;

/// The requests that another module gives to a host queue one by one, with their data: how a controller over several
/// drives uses the queue of each of them. A request keeps the number that its owner gave it, so that the owner knows
/// which larger request it is part of.
class RequestFeed final : public workload::Source, public DataPort {
 public:
  class Owner {
   public:
    /// The buffer of a request that goes to the drive now; null if it has none. It belongs to the drive until
    /// `finished`.
    virtual std::uint8_t* buffer(const workload::Request& request) = 0;
    virtual void finished(const workload::Request& request, const CommandStatus& status, Ps at) = 0;

   protected:
    ~Owner() = default;
  };

  explicit RequestFeed(Owner& owner) : owner_(owner) {}
  /// Before the simulation begins.
  void set_queue(HostQueue& queue) { queue_ = &queue; }

  /// The request arrives at the queue now, whatever its `arrival`.
  void push(const workload::Request& request);
  /// No more will come: the queue finishes when all have completed.
  void close();
  bool closed() const { return closed_; }

  Next next(workload::Request& request) override;
  void completed(const workload::Request& request, Ps at) override { owner_.finished(request, status_, at); }

 private:
  std::uint8_t* dispatched(const workload::Request& request, unsigned) override { return owner_.buffer(request); }
  void completed(const workload::Request&, unsigned, const CommandStatus& status) override { status_ = status; }

  Owner& owner_;
  HostQueue* queue_ = nullptr;
  GrowingRing<workload::Request> given_;
  CommandStatus status_;  ///< of the request whose completion the queue is about to report
  bool closed_ = false;
};

}  // namespace armature::host
