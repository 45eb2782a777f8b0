#include "armature/platform/drive.h"

#include "armature/core/kernel_time.h"
#include "block_target.h"
#include "drive_parts.h"

namespace armature {

struct Drive::Blocks : LinkParts {
  Blocks(const std::string& path, const DriveOptions& options)
      : LinkParts(path, options),
        adapter("adapter", setup().host, context),
        target("blocks", adapter, setup().host.in_flight_limit(), preparation.sectors.front(), sector_bytes, tracker) {
    adapter.set_logical_sectors(sector_bytes / kSectorBytes);
    adapter.set_data_frame(setup().link.written_frame_bytes());
    adapter.to_link.bind(link.from_host);
    link.to_host.bind(adapter.from_link);
    adapter.on_supply = [this](bool on) {
      if (!on) tracker.power_lost(now());
    };
    if (faults) {
      target.on_sent = [this](const observe::Arrival& request) { faults->sent(request); };
      target.on_ended = [this](std::uint64_t id, const host::CommandStatus& status) { faults->ended(id, status); };
    }
    signals.check();
  }

  host::HostBusAdapter adapter;
  BlockTarget target;
};

Drive::Drive(sc_core::sc_module_name name, const DriveOptions& options)
    : sc_module(name), AnyDrive(std::make_unique<Blocks>(this->name(), options)) {}

Drive::~Drive() = default;

tlm::tlm_target_socket<>& Drive::blocks() {
  return static_cast<Blocks&>(*parts_).target.socket;
}

}  // namespace armature
