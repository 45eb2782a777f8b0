#pragma once

#include "armature/core/request.h"
#include "armature/core/time.h"
#include "armature/host/block_port.h"
#include "armature/host/request_feed.h"

#include <systemc>

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

namespace armature::host {

/// A request to the queue of one target that is part of a request of the host, its parent.
struct ChildRequest {
  std::uint64_t id = 0;  ///< number of the request in the target's queue; unique among all targets
  unsigned parent = 0;   ///< tag of the host's request
  unsigned target = 0;   ///< from 0
  Operation operation = Operation::read;
  Lbn lbn = 0;  ///< of the target
  std::uint32_t sectors = 0;
  bool fua = false;
  bool background = false;
  std::uint64_t offset = 0;  ///< its first sector, counted from the parent's
  Ps begun = 0;              ///< when the target's queue got it, ps
};

/// Follows the children.
class ChildListener {
 public:
  virtual void child_began(const ChildRequest& child) = 0;
  virtual void child_ended(const ChildRequest& child, const CommandStatus& status, Ps at) = 0;

 protected:
  ~ChildListener() = default;
};

/// A workload divided over several block devices, which the host's queue sees as one: each stretch of its addresses
/// lies on one target. A request becomes one child for each stretch that it touches, a flush one for each target.
/// Children go to the targets' queues through feeds, all at the instant of the request, and the request ends, as one,
/// when the last of them has ended; with an error if any did, at the lowest of the blocks that failed.
///
/// Children that end at one instant are taken together, a delta cycle later and in the order of their numbers: what the
/// host sees does not depend on the order in which the kernel runs processes.
class TargetSet : public sc_core::sc_module, public BlockPort {
 public:
  /// Addresses of the host that lie on a target one after the other. They begin where the stretch before ends.
  struct Stretch {
    unsigned target = 0;
    Lbn lbn = 0;  ///< of the target: where the first of them lies
    std::uint64_t sectors = 0;
  };

  /// Throws InputError if a stretch is empty or `division` is, or if two stretches share sectors of a target.
  TargetSet(sc_core::sc_module_name name, std::vector<Stretch> division);

  unsigned targets() const { return static_cast<unsigned>(targets_.size()); }
  std::uint64_t sectors() const { return ends_.back(); }  ///< of the host's addresses
  /// The target's side of its feed; before the simulation begins, each.
  RequestFeed::Owner& owner(unsigned target) { return targets_.at(target); }
  void set_feed(unsigned target, RequestFeed& feed) { targets_.at(target).feed = &feed; }
  void set_listener(ChildListener& listener) { listener_ = &listener; }

  void set_client(BlockClient& client) override { client_ = &client; }
  void issue(unsigned tag, const BlockCommand& command) override;
  void identify() override;
  const sata::IdentifyData& identity() const override { return identity_; }
  /// A command for one drive has no meaning here: it ends with an error.
  void control(const ControlCommand& command) override;
  bool completes_late() const override { return true; }

  /// The host will issue no more: the targets' queues finish when their children have ended.
  void close();

  /// The children of a command, without numbers. Requires that its sectors exist.
  std::vector<ChildRequest> children(unsigned parent, const BlockCommand& command) const;

 private:
  struct Target final : RequestFeed::Owner {
    std::uint8_t* buffer(const workload::Request& request) override;
    void finished(const workload::Request& request, const CommandStatus& status, Ps at) override;

    TargetSet* set = nullptr;
    RequestFeed* feed = nullptr;
  };
  struct Parent {
    BlockCommand command;
    unsigned open = 0;
    CommandStatus status;
  };
  struct Ended {
    std::uint64_t id;
    CommandStatus status;
  };

  void settle();
  void begin(unsigned tag);
  void end(const Ended& child);

  const std::vector<Stretch> division_;
  std::vector<std::uint64_t> ends_;  ///< of the stretches, in the host's addresses
  std::deque<Target> targets_;       ///< an owner stays where it is
  BlockClient* client_ = nullptr;
  ChildListener* listener_ = nullptr;
  sata::IdentifyData identity_;

  std::vector<Parent> parents_;                           ///< by tag
  std::unordered_map<std::uint64_t, ChildRequest> sent_;  ///< never iterated
  std::uint64_t next_child_ = 0;
  std::vector<unsigned> begun_;  ///< tags of this instant
  std::vector<Ended> ended_;     ///< of this instant
  bool identify_asked_ = false;
  bool control_asked_ = false;
  sc_core::sc_event settle_;
};

}  // namespace armature::host
