#pragma once

#include "armature/drive/hard_disk.h"
#include "armature/host/drive_manager.h"
#include "armature/host/host_bus_adapter.h"
#include "armature/host/host_queue.h"
#include "armature/observe/request_tracker.h"
#include "armature/sata/link.h"
#include "armature/workload/source.h"
#include "support/link_monitor.h"

#include <systemc>

#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace armature::testing {

/// A given list of requests, by ascending arrival; `id` is set to the position in the list.
class ListSource final : public workload::Source {
 public:
  explicit ListSource(std::vector<workload::Request> requests) : requests_(std::move(requests)) {
    for (std::size_t i = 0; i < requests_.size(); ++i) requests_[i].id = i;
  }
  Next next(workload::Request& request) override {
    if (position_ == requests_.size()) return Next::end;
    request = requests_[position_++];
    return Next::request;
  }

 private:
  std::vector<workload::Request> requests_;
  std::size_t position_ = 0;
};

inline workload::Request read_request(Ps arrival, std::uint64_t lbn, std::uint32_t sectors) {
  workload::Request request;
  request.arrival = arrival;
  request.lbn = lbn;
  request.sectors = sectors;
  return request;
}

inline workload::Request write_request(Ps arrival, std::uint64_t lbn, std::uint32_t sectors) {
  workload::Request request = read_request(arrival, lbn, sectors);
  request.operation = Operation::write;
  return request;
}

struct BenchParams {
  drive::DriveParams drive;
  host::HostParams host;
  sata::LinkParams link;
};

/// A host, a link and a drive, without files: what a request went through is kept in memory. A protocol monitor sits at
/// both ends of the link and fails the test if a frame breaks a rule.
class DriveBench : public sc_core::sc_module, private host::RequestListener, private observe::RequestSink {
 public:
  struct Finished {
    observe::RequestRecord record;
    std::vector<observe::Segment> timeline;
    std::vector<observe::AccessTiming> accesses;
  };

  DriveBench(sc_core::sc_module_name name, const BenchParams& params, workload::Source& source,
             ProbeSink* probes = nullptr, StateSink* states = nullptr);

  /// Runs until nothing more is scheduled; everything must have completed then.
  void run();

  /// Sees each completed request, kept or not.
  std::function<void(const observe::CompletedRequest&)> on_completed;
  bool keep = true;                                     ///< fill `finished`; switch it off for long runs
  std::map<std::uint64_t, Finished> finished;           ///< by request id
  std::vector<std::uint64_t> order;                     ///< ids in the order of completion
  std::map<std::uint64_t, host::CommandStatus> failed;  ///< what the host was told, by request id

  const drive::HardDisk& disk() const { return disk_; }
  drive::HardDisk& disk() { return disk_; }
  const host::HostQueue& queue() const { return queue_; }
  host::HostQueue& queue() { return queue_; }
  const host::HostBusAdapter& adapter() const { return adapter_; }
  host::HostBusAdapter& adapter() { return adapter_; }
  const sata::Link& link() const { return link_; }
  const observe::RequestTracker& tracker() const { return tracker_; }
  std::uint64_t completions() const { return completions_; }
  std::uint64_t failures() const { return failures_; }
  /// Sum of the time in each phase over all completed requests.
  const std::array<double, kPhases>& phase_sums_ms() const { return phase_sums_ms_; }

 private:
  void arrived(const workload::Request& request, Ps at) override;
  void dispatched(const workload::Request& request, unsigned tag, Ps at) override;
  void completed(const workload::Request& request, unsigned tag, const host::CommandStatus& status, Ps at) override;
  unsigned follows() const override { return kEndsOnly; }
  void completed(const observe::CompletedRequest& request) override;

  observe::RequestTracker tracker_;
  const BlockContext context_;
  host::HostBusAdapter adapter_;
  LinkMonitor host_end_;
  sata::Link link_;
  LinkMonitor drive_end_;
  drive::HardDisk disk_;
  host::HostQueue queue_;
  host::TimedDriveManager manager_;
  std::uint64_t completions_ = 0;
  std::uint64_t failures_ = 0;
  std::array<double, kPhases> phase_sums_ms_{};
};

/// A small drive whose times are round numbers: 6,000 rpm (a turn is 10 ms), two heads, zone 0 of 100 cylinders with
/// 100 sectors a track (0.1 ms each; skews 20 and 35) and zone 1 of 100 cylinders with 80 (0.125 ms each; 16 and 28),
/// conventional mapping; a seek over d cylinders takes 1 ms + (d - 1) 10 us, a head switch 0.5 ms, write settle 0.4 ms.
drive::DriveParams round_drive();

}  // namespace armature::testing
