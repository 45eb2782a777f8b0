#pragma once

#include "armature/app/scenario.h"
#include "armature/drive/hard_disk.h"
#include "armature/host/contents_check.h"
#include "armature/host/host_bus_adapter.h"
#include "armature/host/host_queue.h"
#include "armature/host/position_oracle.h"
#include "armature/observe/run_outputs.h"
#include "armature/sata/link.h"
#include "armature/workload/source.h"

#include <systemc>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace armature::app {

/// One drive with its own host queue, adapter and link: `NAME.host`, `NAME.adapter`, `NAME.link`, `NAME.disk`.
class HostedDrive : public sc_core::sc_module, private host::RequestListener {
 public:
  /// @param seed    of the data that host.verify writes
  /// @param source  of requests that lie on the drive's logical sectors
  HostedDrive(sc_core::sc_module_name name, const DriveSetup& setup, std::uint64_t seed,
              std::unique_ptr<workload::Source> source, observe::RequestTracker& tracker, const BlockContext& context);

  const host::HostQueue& queue() const { return queue_; }
  host::HostQueue& queue() { return queue_; }
  const workload::Source& source() const { return *source_; }
  const drive::HardDisk& disk() const { return disk_; }
  drive::HardDisk& disk() { return disk_; }
  const host::HostBusAdapter& adapter() const { return adapter_; }
  const observe::RequestTracker& tracker() const { return tracker_; }
  /// Null unless host.verify is on.
  const host::ContentsCheck* contents_check() const { return contents_check_ ? &*contents_check_ : nullptr; }

  /// Called at each completion.
  std::function<void()> on_completion;

  /// Who waits for what, for a run without progress.
  std::string diagnosis() const;

 private:
  /// What no host can know, from the drive's queries.
  class Oracle final : public host::PositionOracle {
   public:
    Oracle(const drive::HardDisk& disk, Ps lead_time) : disk_(disk), lead_time_(lead_time) {}
    Target locate(std::uint64_t lbn) const override {
      const media::Location place = disk_.locate(lbn);
      return {lbn, place.cylinder, place.head, place.angle};
    }
    unsigned arms() const override { return disk_.arms(); }
    std::uint32_t arm_cylinder(unsigned arm) const override { return disk_.arm_cylinder(arm); }
    bool reaches(unsigned arm, const Target& target) const override { return disk_.arm_reaches(arm, target.head); }
    Ps positioning_time(const Target& target, Operation operation, Ps start) const override {
      return disk_.positioning_time(target.cylinder, target.head, target.angle, operation, start);
    }
    Ps least_time(std::uint32_t distance) const override { return disk_.least_positioning_time(distance); }
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
  std::optional<host::ContentsCheck> contents_check_;
};

}  // namespace armature::app
