#pragma once

#include "armature/app/scenario.h"
#include "armature/drive/drive.h"
#include "armature/host/command_player.h"
#include "armature/host/contents_check.h"
#include "armature/host/drive_manager.h"
#include "armature/host/host_bus_adapter.h"
#include "armature/host/host_queue.h"
#include "armature/host/write_journal.h"
#include "armature/observe/run_outputs.h"
#include "armature/sata/link.h"
#include "armature/workload/source.h"
#include "drive_commands.h"
#include "fault_record.h"
#include "read_back.h"

#include <systemc>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace armature::app {

/// "1 request has", "2 requests have".
inline std::string requests_have(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " request has" : " requests have");
}

/// The drive `disk` of a setup, a hard disk or a MEMS store.
std::unique_ptr<drive::Drive> make_drive(const DriveSetup& setup, const BlockContext& context);

/// What the drive has counted, and an adapter of another kind than a HostedDrive's.
std::vector<observe::Counter> drive_counters(drive::Drive& drive, const host::HostBusAdapter::Counters& host);

/// What has become of the sectors that were written, when the supply failed (host.commands: power off).
struct PowerCut {
  Ps at = 0;
  Ps back = -1;                  ///< when the supply came back; -1: it did not
  std::uint64_t written = 0;     ///< sectors of 512 bytes that writes had gone to
  std::uint64_t unreadable = 0;  ///< of these
  std::uint64_t unfinished = 0;  ///< requests at the drive
};

/// One drive with its own host queue, adapter and link: `NAME.host`, `NAME.adapter`, `NAME.link`, `NAME.disk`.
class HostedDrive : public sc_core::sc_module, private host::RequestListener {
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
  const drive::Drive& disk() const { return *disk_; }
  drive::Drive& disk() { return *disk_; }
  const host::HostBusAdapter& adapter() const { return adapter_; }
  const observe::RequestTracker& tracker() const { return tracker_; }
  /// Null unless host.verify is on and the drive is of no array.
  const host::ContentsCheck* contents_check() const { return contents_check_ ? &*contents_check_ : nullptr; }

  /// Called at each completion.
  std::function<void()> on_completion;
  /// Called once: the source has ended, and all requests and host.commands have.
  std::function<void()> on_finished;
  /// The supply fails now; false: it has failed already. `returns`: power_on will be called. Without that the requests
  /// at the drive never complete, and the host sends no more.
  bool power_off(bool returns);
  /// The supply is back: the host resets the drive at its COMINIT, and sends again what was at it. False: it was there.
  bool power_on();
  /// After the run. Throws InputError if the journal could not be written.
  void finish();
  /// Null: there is none.
  const host::WriteJournal* journal() const { return journal_ ? &*journal_ : nullptr; }
  /// Called when the supply has failed, and when it is back.
  std::function<void(bool on)> on_supply;
  /// In their order.
  const std::vector<PowerCut>& power_cuts() const { return power_cuts_; }
  /// Without a supply.
  bool dark() const { return !power_cuts_.empty() && power_cuts_.back().back < 0; }
  bool finished() const { return queue_.finished() && (!player_ || player_->finished()); }
  /// Null: the drive has no faults.
  const FaultRecord* fault_record() const { return faults_ ? &*faults_ : nullptr; }
  const sata::Link& link() const { return link_; }
  /// Null: there are no host.commands.
  const CommandLog* commands() const { return commands_ ? &*commands_ : nullptr; }

  /// Who waits for what, for a run without progress.
  std::string diagnosis() const;

  /// A request that nothing has happened to for more than `limit`, though nothing is at work for it that ends by
  /// itself: the one that waits longest, in words. Empty: there is none.
  ///
  /// Legal waits are those for the media or the link while these are at work (for another request, too), for the
  /// stacks' speed and for a long handler. In a slot of the arbitration unit the order is the policy's, and hardware
  /// has the request. If firmware alone has it, work for others excuses it only as long as none of them came more than
  /// half of the limit later and has been served.
  std::string waits_in_vain(Ps limit) const;

 private:
  void add_commands(const DriveSetup& setup, const std::filesystem::path& folder);
  std::unique_ptr<workload::Source> with_read_back(const DriveSetup& setup, std::unique_ptr<workload::Source> source);
  void part_finished();
  void supply_changed(bool on);
  void look_at_medium(PowerCut& cut);
  void arrived(const workload::Request& request, Ps at) override;
  void dispatched(const workload::Request& request, unsigned tag, Ps at) override;
  void joined(unsigned tag, unsigned leader) override { tracker_.joined(tag, leader); }
  void withdrawn(const workload::Request&, unsigned tag, Ps at) override { tracker_.withdrawn(tag, at); }
  void completed(const workload::Request& request, unsigned tag, const host::CommandStatus& status, Ps at) override;

  observe::RequestTracker& tracker_;
  const bool of_array_;
  ReadBack* read_back_ = nullptr;  ///< null: nothing is read at the end
  const std::unique_ptr<workload::Source> source_;
  std::optional<QueueRequests> own_requests_;  ///< if there are host.commands
  Ps last_completion_ = 0;
  host::HostBusAdapter adapter_;
  sata::Link link_;
  const std::unique_ptr<drive::Drive> disk_;
  host::HostQueue queue_;
  host::TimedDriveManager manager_;
  std::optional<host::ContentsCheck> contents_check_;
  std::vector<PowerCut> power_cuts_;
  std::optional<FaultRecord> faults_;
  std::optional<host::WriteJournal> journal_;
  std::optional<CommandLog> commands_;
  std::unique_ptr<host::CommandPlayer> player_;
};

}  // namespace armature::app
