#pragma once

#include "armature/app/scenario.h"
#include "armature/drive/hard_disk.h"
#include "armature/host/host_bus_adapter.h"
#include "armature/host/host_queue.h"
#include "armature/host/position_oracle.h"
#include "armature/observe/run_outputs.h"
#include "armature/sata/link.h"
#include "armature/workload/source.h"

#include <systemc>

#include <functional>
#include <memory>
#include <string>

namespace armature::app {

/// One drive with its own host queue, adapter and link: `NAME.host`, `NAME.adapter`, `NAME.link`, `NAME.disk`.
class HostedDrive : public sc_core::sc_module, private host::RequestListener {
 public:
  HostedDrive(sc_core::sc_module_name name, const DriveSetup& setup, std::unique_ptr<workload::Source> source,
              observe::RequestTracker& tracker, const BlockContext& context);

  const host::HostQueue& queue() const { return queue_; }
  host::HostQueue& queue() { return queue_; }
  const workload::Source& source() const { return *source_; }
  const drive::HardDisk& disk() const { return disk_; }
  const observe::RequestTracker& tracker() const { return tracker_; }

  /// Called at each completion.
  std::function<void()> on_completion;

  /// Who waits for what, for a run without progress.
  std::string diagnosis() const;

 private:
  /// What no host can know, from the drive's queries.
  class Oracle final : public host::PositionOracle {
   public:
    Oracle(const drive::HardDisk& disk, Ps lead_time) : disk_(disk), lead_time_(lead_time) {}
    std::uint32_t cylinder_of(std::uint64_t lbn) const override { return disk_.cylinder_of(lbn); }
    std::uint32_t seek_distance(std::uint64_t lbn) const override { return disk_.seek_distance(lbn); }
    Ps positioning_time(std::uint64_t lbn, Operation operation, Ps start) const override {
      return disk_.positioning_time(lbn, operation, start);
    }
    Ps lead_time() const override { return lead_time_; }

   private:
    const drive::HardDisk& disk_;
    Ps lead_time_;
  };

  void arrived(const workload::Request& request, Ps at) override;
  void dispatched(const workload::Request& request, unsigned tag, Ps at) override;
  void completed(const workload::Request& request, unsigned tag, const host::CommandStatus& status, Ps at) override;

  observe::RequestTracker& tracker_;
  const std::unique_ptr<workload::Source> source_;
  host::HostBusAdapter adapter_;
  sata::Link link_;
  drive::HardDisk disk_;
  Oracle oracle_;
  host::HostQueue queue_;
};

}  // namespace armature::app
