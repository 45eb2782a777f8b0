#include "support/drive_bench.h"

#include <gtest/gtest.h>

namespace armature::testing {
namespace {

drive::DriveParams with_offsets(drive::DriveParams params) {
  params.buffer_offsets = true;
  return params;
}

}  // namespace

DriveBench::DriveBench(sc_core::sc_module_name name, const BenchParams& params, workload::Source& source,
                       ProbeSink* probes, StateSink* states)
    : sc_module(name),
      tracker_("bench", static_cast<Ps>(60e12 / params.drive.spindle.rpm)),
      context_{probes, states, &tracker_},
      adapter_("adapter", params.host, context_),
      host_end_("host_end", ProtocolRules::Place::host_end, static_cast<unsigned>(params.host.tags)),
      link_("link", params.link, context_),
      drive_end_("drive_end", ProtocolRules::Place::drive_end, static_cast<unsigned>(params.host.tags)),
      disk_("disk", with_offsets(params.drive), static_cast<unsigned>(params.host.tags), context_),
      queue_("host", params.host, source, adapter_,
             {&disk_.positions(), link_.timing().arrival(5) + disk_.command_lead_time(Operation::read)}, this,
             context_),
      manager_("manager", params.host) {
  queue_.set_manager(manager_);
  tracker_.add_sink(*this);
  const auto unit = static_cast<std::uint32_t>(params.drive.geometry.logical_sector_bytes / 512);
  adapter_.set_logical_sectors(unit);
  adapter_.set_data_frame(params.link.written_frame_bytes());
  host_end_.set_logical_sectors(unit);
  drive_end_.set_logical_sectors(unit);
  connect_monitored(adapter_, host_end_, link_, drive_end_, disk_);
}

void DriveBench::run() {
  sc_core::sc_start();
  EXPECT_TRUE(queue_.finished()) << queue_.outstanding() << " requests at the drive, nothing scheduled";
  EXPECT_FALSE(disk_.failed()) << "firmware met an impossible state";
  host_end_.expect_idle();
  drive_end_.expect_idle();
}

void DriveBench::arrived(const workload::Request& request, Ps at) {
  tracker_.arrived({request.id, at, request.lbn, request.sectors, request.operation, request.device, request.fua});
}

void DriveBench::dispatched(const workload::Request& request, unsigned tag, Ps at) {
  tracker_.dispatched(request.id, tag, at);
}

void DriveBench::completed(const workload::Request& request, unsigned tag, const host::CommandStatus& status, Ps at) {
  if (!status.ok) failed[request.id] = status;
  tracker_.completed(tag, status.ok, status.error, at);
}

void DriveBench::completed(const observe::CompletedRequest& request) {
  ++completions_;
  if (!request.record.ok) ++failures_;
  for (std::size_t i = 0; i < kPhases; ++i) phase_sums_ms_[i] += to_ms(request.record.phases[i]);
  EXPECT_LE(request.record.arrival, request.record.dispatched);
  EXPECT_LE(request.record.dispatched, request.record.completion);
  if (on_completed) on_completed(request);
  if (!keep) return;
  finished[request.record.id] = {request.record, request.timeline, request.accesses};
  order.push_back(request.record.id);
}

drive::DriveParams round_drive() {
  drive::DriveParams params;
  params.spindle.rpm = 6000;
  params.geometry.heads = 2;
  params.geometry.zones = {{0, 99, 100, 20, 35, 0}, {100, 199, 80, 16, 28, 0}};
  params.seek.table = {{1, 1.0}, {201, 3.0}};
  params.seek.head_switch_ms = 0.5;
  params.seek.write_settle_ms = 0.4;
  return params;
}

}  // namespace armature::testing
