#pragma once

#include "armature/app/linked_drive.h"
#include "armature/app/scenario.h"
#include "armature/host/background_reads.h"
#include "armature/host/command_player.h"
#include "armature/host/contents_check.h"
#include "armature/host/drive_manager.h"
#include "armature/host/host_bus_adapter.h"
#include "armature/host/host_queue.h"
#include "armature/host/write_journal.h"
#include "armature/observe/run_outputs.h"
#include "armature/workload/source.h"
#include "drive_commands.h"
#include "read_back.h"

#include <systemc>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace armature::app {

/// A drive with its own host queue and adapter: `NAME.host`, `NAME.adapter`.
class HostedDrive final : public LinkedDrive, private host::RequestListener {
 public:
  /// @param seed    of the data that host.verify writes
  /// @param source  of requests that lie on the drive's logical sectors
  /// @param of_array  requests and their data come from an array, which verifies them
  /// @param folder  where the answers to host.commands go
  HostedDrive(sc_core::sc_module_name name, const DriveSetup& setup, std::uint64_t seed,
              std::unique_ptr<workload::Source> source, bool of_array, observe::RequestTracker& tracker,
              const BlockContext& context, const std::filesystem::path& folder);

  const host::HostQueue& queue() const { return queue_; }
  host::HostQueue& queue() { return queue_; }
  const workload::Source& source() const { return *source_; }
  bool of_array() const { return of_array_; }
  const host::HostBusAdapter& adapter() const { return adapter_; }
  /// Null unless host.verify is on and the drive is of no array.
  const host::ContentsCheck* contents_check() const { return contents_check_ ? &*contents_check_ : nullptr; }

  /// Called once: the source has ended, and all requests and host.commands have.
  std::function<void()> on_finished;
  /// After the run. Throws InputError if the journal could not be written.
  void finish();
  /// Null: there are no host.commands.
  const CommandLog* commands() const { return commands_ ? &*commands_ : nullptr; }

  const host::WriteJournal* journal() const override { return journal_ ? &*journal_ : nullptr; }
  bool finished() const override { return queue_.finished() && (!player_ || player_->finished()); }
  int tag_of(std::uint64_t request) const override { return queue_.tag_of(request); }
  std::string diagnosis() const override;
  host::HostBusAdapter::Counters host_counters() const override { return adapter_.counters(); }
  host::HostQueue::Batched batched() const override { return queue_.batched(); }
  const host::BackgroundReads* background() const override { return background_ ? &*background_ : nullptr; }

  /// A request that nothing has happened to for more than `limit`, though nothing is at work for it that ends by
  /// itself: the one that waits longest, in words. Empty: there is none.
  ///
  /// Legal waits are those for the media or the link while these are at work (for another request, too), for the
  /// stacks' speed and for a long handler. In a slot of the arbitration unit the order is the policy's, and hardware
  /// has the request. If firmware alone has it, work for others excuses it only as long as none of them came more than
  /// half of the limit later and has been served.
  std::string waits_in_vain(Ps limit) const;

 private:
  HostedDrive(sc_core::sc_module_name name, const DriveSetup& setup, std::uint64_t seed,
              std::unique_ptr<workload::Source> source, bool of_array, observe::RequestTracker& tracker,
              const BlockContext& context, const std::filesystem::path& folder,
              const std::shared_ptr<QueueRequests>& own_requests);

  void add_commands(const DriveSetup& setup, const std::filesystem::path& folder);
  std::unique_ptr<workload::Source> with_read_back(std::unique_ptr<workload::Source> source);
  void part_finished();
  std::uint64_t requests_at_drive() const override { return queue_.outstanding(); }
  void supply_seen(bool on) override;
  void look_at_medium(PowerCut& cut) override;
  /// The requests at the drive never complete, and the host sends no more.
  void supply_is_gone() override { queue_.cut(); }
  void supply_returns() override {
    if (contents_check_) contents_check_->power_restored();
    if (journal_) journal_->supply(true, now());
  }
  void arrived(const workload::Request& request, Ps at) override;
  void dispatched(const workload::Request& request, unsigned tag, Ps at) override;
  void joined(unsigned tag, unsigned leader) override { tracked().joined(tag, leader); }
  void withdrawn(const workload::Request&, unsigned tag, Ps at) override { tracked().withdrawn(tag, at); }
  void completed(const workload::Request& request, unsigned tag, const host::CommandStatus& status, Ps at) override;

  const bool of_array_;
  ReadBack* read_back_ = nullptr;  ///< null: nothing is read at the end
  const std::unique_ptr<workload::Source> source_;
  const std::shared_ptr<QueueRequests> own_requests_;  ///< if there are host.commands
  const Ps batch_;                                     ///< longest wait in the host for other requests
  Ps last_completion_ = 0;
  host::HostBusAdapter adapter_;
  host::HostQueue queue_;
  std::optional<host::BackgroundReads> background_;
  host::TimedDriveManager manager_;
  std::optional<host::ContentsCheck> contents_check_;
  std::optional<host::WriteJournal> journal_;
  std::optional<CommandLog> commands_;
  std::unique_ptr<host::CommandPlayer> player_;
};

}  // namespace armature::app
