#pragma once

#include "armature/core/behind.h"
#include "armature/core/block_context.h"
#include "armature/core/error.h"
#include "armature/host/background_reads.h"
#include "armature/host/batch_maker.h"
#include "armature/host/block_port.h"
#include "armature/host/data_port.h"
#include "armature/host/dispatch_policy.h"
#include "armature/host/drive_manager.h"
#include "armature/host/host_params.h"
#include "armature/host/parallel_port.h"
#include "armature/host/position_oracle.h"
#include "armature/host/request_listener.h"
#include "armature/workload/source.h"

#include <systemc>

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

namespace armature::host {

/// The host's request queue: takes requests from a source as they arrive, keeps them in the order of a policy and
/// dispatches while fewer than `depth` are at the drive.
///
/// All completions and arrivals of one instant are known before a dispatch of that instant is decided: completions are
/// taken as their frames arrive, arrivals and dispatches in the delta cycle after, or behind all else if the port is
/// late. So a decision does not depend on the order in which the kernel runs processes.
///
/// With `batch_s`, requests that find nothing at the drive wait for others, until the oldest has waited so long, so
/// many as `batch_requests` wait, or a flush is there. Then all go, and so do those that come while any is left.
///
/// A flush is a barrier: it goes when every older request has completed, and a younger one waits until it has
/// completed.
///
/// One request is pulled ahead of time. An error of the input stops the simulation; `rethrow_input_error` hands it on.
class HostQueue : public sc_core::sc_module, private BlockClient, private ManagedQueue {
 public:
  /// Called once, when the source has ended and nothing is outstanding.
  std::function<void()> on_finished;

  /// `listener` may be null, and `oracle` without a model if the policy does not need one. Throws InputError for keys
  /// that contradict each other.
  HostQueue(sc_core::sc_module_name name, const HostParams& params, workload::Source& source, BlockPort& port,
            const PositionOracle& oracle, RequestListener* listener, const BlockContext& context);

  /// Commands carry data: `data` fills those of writes and takes those of reads. Before the simulation begins; it must
  /// outlive the queue.
  void set_data_port(DataPort& data) { data_ = &data; }
  /// `manager` decides about standby and the like. The same.
  void set_manager(DriveManager& manager);

  /// Requests that one pass serves go to the store behind `port` together. It is asked for its layout before the first
  /// request. Before the simulation begins.
  void set_parallel(ParallelPort& port) { parallel_ = &port; }

  /// `reads` are sent beside the requests until these have all completed. The same.
  void set_background(BackgroundReads& reads) { background_ = &reads; }

  /// The source said `after_completion`, and now has a request or has ended.
  void source_ready();

  /// The device has lost its power: no more requests go to it, none that is there completes, and the queue has
  /// finished.
  void cut();

  bool finished() const override { return finished_; }
  std::uint64_t arrived() const { return arrived_; }
  std::uint64_t completed() const { return completed_; }
  /// Requests in the host, and at the drive.
  std::size_t waiting() const;
  unsigned outstanding() const { return outstanding_; }
  /// Requests at the drive at once: the keys' limit, or the drive's if IDENTIFY was asked and says less.
  unsigned depth() const { return depth_; }

  struct Batched {
    std::uint64_t batches = 0, requests = 0, failed = 0;  ///< `failed` of the batches
  };
  const Batched& batched() const { return batched_; }

  /// Requests have the tags below. Others may take one of these that is free, for a command of their own.
  unsigned tags() const { return static_cast<unsigned>(at_drive_.size()); }
  bool take_tag(unsigned tag);
  void give_tag(unsigned tag);

  /// Tag under which the request `id` is at the drive; -1 if it is not.
  int tag_of(std::uint64_t id) const;

  /// Throws what the source threw, if it did.
  void rethrow_input_error() const;

 private:
  void command_done(unsigned tag, const CommandStatus& status, Ps at) override;
  void identified(const CommandStatus& status, Ps at) override;
  void controlled(const CommandStatus& status, Ps at) override;
  void page_read(const CommandStatus& status, const std::uint8_t* page, Ps at) override;
  bool at_rest() const override {
    return outstanding_ == 0 && (waiting() == 0 || !open_) && ready_ && !controlling_ && !finished_;
  }
  bool controlling() const override { return controlling_; }
  void send(const ControlCommand& command) override;
  void due_changed() override { step_.notify(sc_core::SC_ZERO_TIME); }
  bool held() const { return manager_ && manager_->has_due(); }

  void arrival_due();
  void step();
  void take_arrivals(Ps at);
  void gather(Ps at);
  void pull();
  void admit(const workload::Request& request);
  void dispatch_all(Ps at);
  void dispatch(const workload::Request& request, Ps at);
  void dispatch_background(Ps at);
  unsigned send(const workload::Request& request, Ps at);
  bool dispatch_batch(const workload::Request& first, Ps at);
  void end_batch(const CommandStatus& status, Ps at);
  void end(unsigned tag, const CommandStatus& status, Ps at);
  std::size_t alone() const { return batches_ ? batches_->alone.size() : 0; }
  workload::Request take_alone();
  unsigned lowest_free_tag() const;
  bool any_tag_free() const;
  std::uint8_t next_limit();
  void publish();

  static constexpr Ps kNotGathering = -1;

  workload::Source& source_;
  BlockPort& port_;
  RequestListener* const listener_;
  DataPort* data_ = nullptr;
  BackgroundReads* background_ = nullptr;
  DriveManager* manager_ = nullptr;
  const std::unique_ptr<DispatchPolicy> policy_;
  ParallelPort* parallel_ = nullptr;
  std::unique_ptr<BatchMaker> batches_;  ///< null until the store has told its layout
  bool batch_out_ = false;
  Batched batched_;
  const bool identify_;
  bool controlling_ = false;  ///< a control command is out
  unsigned depth_;
  const Ps batch_;                    ///< longest wait for others; 0: none
  const std::size_t batch_full_;      ///< requests that end it; 0: only the time does
  bool open_;                         ///< requests may go to the drive
  Ps gathers_since_ = kNotGathering;  ///< arrival of the oldest that waits for others
  const std::uint8_t limit_;
  const double limited_share_;
  std::uint64_t sent_ = 0;  ///< requests, if there is a limit

  workload::Request next_;  ///< pulled, not arrived
  bool have_next_ = false;
  bool source_waits_ = false;  ///< the source wants a completion before it says more
  bool source_ended_ = false;
  bool ready_ = true;  ///< false while IDENTIFY or a command that was due is out
  bool started_ = false;
  bool finished_ = false;
  std::exception_ptr input_error_;

  workload::Request barrier_;  ///< the oldest flush that has not completed
  bool has_barrier_ = false;
  bool barrier_at_drive_ = false;
  std::deque<workload::Request> behind_barrier_;

  std::vector<workload::Request> at_drive_;  ///< by tag
  std::vector<std::uint64_t> free_tags_;     ///< one bit a tag
  unsigned outstanding_ = 0;
  unsigned lent_tags_ = 0;  ///< to others
  std::uint64_t arrived_ = 0;
  std::uint64_t completed_ = 0;

  sc_core::sc_event arrival_;
  sc_core::sc_event batch_due_;
  sc_core::sc_event step_;
  Behind order_{Behind::kHost};
  VectorProbe queue_length_probe_;
  VectorProbe outstanding_probe_;
};

}  // namespace armature::host
