#pragma once

#include "armature/host/host_bus_adapter.h"
#include "armature/host/host_queue.h"
#include "armature/mems_drive/mems_drive.h"
#include "armature/observe/request_tracker.h"
#include "armature/sata/link.h"

#include <systemc>

#include <ostream>
#include <vector>

namespace armature::testing {

/// The second generation as the dissertation has it (scenarios/drives/mems/g2_dissertation.toml), with contents.
inline mems::MemsDriveParams mems_g2() {
  mems::MemsDriveParams params;
  params.store.tips.active = 640;
  params.media.contents = media::ContentsParams::memory;
  return params;
}

/// A store under a load, for a parameterised test.
struct MemsVariant {
  const char* name;
  void (*change)(mems::MemsDriveParams&);
  double reset_interval_ms = 0;
};
inline void PrintTo(const MemsVariant& variant, std::ostream* out) {
  *out << variant.name;
}

/// Host, link and a MEMS drive, without files.
class MemsBench : public sc_core::sc_module, private host::RequestListener, private observe::RequestSink {
 public:
  MemsBench(sc_core::sc_module_name name, const mems::MemsDriveParams& params, const host::HostParams& host_params,
            workload::Source& source, ProbeSink* probes = nullptr, StateSink* states = nullptr)
      : sc_module(name),
        tracker_(this->name()),
        context_{probes, states, &tracker_},
        adapter("adapter", host_params, context_),
        link("link", {}, context_),
        disk("disk", with_offsets(params), static_cast<unsigned>(host_params.tags), context_),
        queue("host", host_params, source, adapter,
              {&disk.positions(), link.timing().arrival(5) + disk.command_lead_time(Operation::read)}, this, context_) {
    tracker_.add_sink(*this);
    adapter.to_link.bind(link.from_host);
    link.to_drive.bind(disk.from_link());
    disk.to_link().bind(link.from_drive);
    link.to_host.bind(adapter.from_link);
  }

  std::vector<observe::RequestRecord> records;  ///< in the order of completion
  std::vector<std::uint64_t> failed;            ///< LBNs of requests that the drive refused

 private:
  /// As the hosts of scenarios set it.
  static mems::MemsDriveParams with_offsets(mems::MemsDriveParams params) {
    params.buffer_offsets = true;
    return params;
  }
  void arrived(const workload::Request& r, Ps at) override {
    tracker_.arrived({r.id, at, r.lbn, r.sectors, r.operation, r.device, r.fua});
  }
  void dispatched(const workload::Request& r, unsigned tag, Ps at) override { tracker_.dispatched(r.id, tag, at); }
  void joined(unsigned tag, unsigned leader) override { tracker_.joined(tag, leader); }
  void withdrawn(const workload::Request&, unsigned tag, Ps at) override { tracker_.withdrawn(tag, at); }
  void completed(const workload::Request& r, unsigned tag, const host::CommandStatus& status, Ps at) override {
    if (!status.ok) failed.push_back(r.lbn);
    tracker_.completed(tag, status.ok, status.error, at);
  }
  unsigned follows() const override { return kEndsOnly; }
  void completed(const observe::CompletedRequest& request) override { records.push_back(request.record); }

  observe::RequestTracker tracker_;
  const BlockContext context_;

 public:
  host::HostBusAdapter adapter;
  sata::Link link;
  mems::MemsDrive disk;
  host::HostQueue queue;
};

}  // namespace armature::testing
