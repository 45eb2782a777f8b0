#pragma once

#include "hosted_drive.h"
#include "rebuild_figures.h"

#include "armature/app/simulation.h"
#include "armature/array/array_cache.h"
#include "armature/array/array_controller.h"
#include "armature/array/power_budget.h"
#include "armature/array/staging.h"
#include "armature/host/contents_check.h"
#include "armature/host/host_queue.h"
#include "armature/host/request_feed.h"
#include "armature/observe/member_log.h"
#include "armature/observe/run_outputs.h"

#include <systemc>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace armature::app {

/// An array over the queues of its drives, with a host queue of its own: `array.host`, `array.controller`.
///
/// A request's phases are those of its member operations: in each stage those of the operation that ended last.
class HostedArray : public sc_core::sc_module,
                    private host::RequestListener,
                    private array::OperationListener,
                    private array::CacheListener {
 public:
  /// @param seed     of the data that are verified
  /// @param members  file of the member operations; empty: none is written
  /// @param folder   where its journal goes
  HostedArray(sc_core::sc_module_name name, const array::ArrayParams& params, const ArrayPreparation& preparation,
              std::uint64_t seed, std::unique_ptr<workload::Source> source, observe::RequestTracker& tracker,
              const BlockContext& context, const std::filesystem::path& members, const std::filesystem::path& folder);

  /// The source of one of its drives: members first, then spares, then the store in front of them. Once each.
  std::unique_ptr<workload::Source> take_feed(unsigned device);
  /// The drive whose source that is.
  void connect(unsigned device, HostedDrive& drive, observe::RequestTracker& tracker);

  const host::HostQueue& queue() const { return queue_; }
  host::HostQueue& queue() { return queue_; }
  const workload::Source& source() const { return *source_; }
  const array::ArrayController& controller() const { return controller_; }
  const RebuildFigures& rebuild() const { return rebuild_; }
  /// Null if the controller has no cache.
  const array::ArrayCache* cache() const { return cache_.get(); }
  /// Null if there is no store in front of the members.
  const array::Staging* staging() const { return staging_.get(); }
  /// Null if there is no cap on the members' power.
  const array::PowerBudget* power() const { return power_ ? &*power_ : nullptr; }
  /// The host will issue no more.
  void close();
  const observe::RequestTracker& tracker() const { return tracker_; }
  /// Null unless contents are verified.
  const host::ContentsCheck* contents_check() const { return contents_check_ ? &*contents_check_ : nullptr; }
  /// Closes the file of member operations. Throws InputError if it could not be written.
  void finish();

  std::function<void()> on_completion;

  /// Who waits for what, for a run without progress.
  std::string diagnosis() const;

 private:
  using Timeline = std::vector<observe::Segment>;
  /// Keeps the timelines of the requests that its drive has completed, until the controller tells of them.
  struct Timelines final : observe::RequestSink {
    unsigned follows() const override { return kEndsOnly; }
    void completed(const observe::CompletedRequest& request) override;
    Timeline take(std::uint64_t id);
    std::vector<std::pair<std::uint64_t, Timeline>> kept;
    std::vector<Timeline>* spare = nullptr;
  };
  struct Device {
    std::string name;
    host::RequestFeed* feed = nullptr;
    std::unique_ptr<host::RequestFeed> untaken;
    Timelines timelines;
    bool dark = false;  ///< without a supply, or not at the link again
  };
  /// A request in the controller.
  struct Request {
    std::uint64_t id = 0;
    Timeline last;         ///< of its operation that ended last
    bool members = false;  ///< an operation of it was sent to a member, and not to the store in front of them
  };

  void start_of_simulation() override;
  void arrived(const workload::Request& request, Ps at) override;
  void dispatched(const workload::Request& request, unsigned tag, Ps at) override;
  void completed(const workload::Request& request, unsigned tag, const host::CommandStatus& status, Ps at) override;
  void operation_ended(const array::MemberOperation& operation, bool ok, Ps at) override;
  void stage_over(unsigned tag, Ps at) override;
  void served(const array::CacheService& service, Ps at) override;
  void give_back(Timeline timeline);
  void supply_changed(unsigned device, bool on);
  host::BlockPort& below_cache();
  bool of_host(int tag) const { return tag >= 0 && static_cast<std::size_t>(tag) < requests_.size(); }

  observe::RequestTracker& tracker_;
  ReadBack* read_back_ = nullptr;  ///< null: nothing is read at the end
  const std::unique_ptr<workload::Source> source_;
  array::ArrayController controller_;
  RebuildFigures rebuild_{controller_};
  const std::unique_ptr<array::Staging> staging_;
  const std::unique_ptr<array::ArrayCache> cache_;
  host::HostQueue queue_;
  std::optional<host::ContentsCheck> contents_check_;
  std::optional<host::WriteJournal> journal_;
  std::vector<Device> devices_;
  std::vector<Request> requests_;  ///< by tag
  std::vector<Timeline> spare_;    ///< used before: their memory, a kilobyte or more, serves the next ones
  std::optional<observe::MemberLog> log_;
  std::optional<array::PowerBudget> power_;
  ProbeSink* const probes_;
};

}  // namespace armature::app
