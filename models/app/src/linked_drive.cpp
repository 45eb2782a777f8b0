#include "armature/app/linked_drive.h"

#include "armature/app/simulation.h"
#include "armature/core/kernel_time.h"
#include "armature/drive/hard_disk.h"
#include "armature/mems_drive/mems_drive.h"
#include "debugger.h"

#include <fmt/format.h>

namespace armature::app {
namespace {

constexpr std::size_t kListed = 8;  // requests that a diagnosis names

std::unique_ptr<drive::Drive> make_drive(const DriveSetup& setup, const BlockContext& context) {
  const auto tags = static_cast<unsigned>(setup.host.tags);
  if (setup.store) {
    mems::MemsDriveParams params = setup.mems_drive();
    params.buffer_offsets = true;
    params.sensor = setup.sensor();
    return std::make_unique<mems::MemsDrive>("disk", params, tags, context);
  }
  drive::DriveParams params = setup.drive;
  params.buffer_offsets = true;
  params.sensor = setup.sensor();
  params.governor.saving = saving_of(setup);
  return std::make_unique<drive::HardDisk>("disk", params, tags, context);
}

BlockContext with_requests(BlockContext context, RequestObserver* requests) {
  if (requests) context.requests = requests;
  return context;
}

}  // namespace

LinkedDrive::LinkedDrive(sc_core::sc_module_name name, const DriveSetup& setup, observe::RequestTracker& tracker,
                         const BlockContext& context, std::shared_ptr<RequestObserver> filter,
                         const std::filesystem::path& folder)
    : sc_module(name),
      tracker_(tracker),
      filter_(std::move(filter)),
      logical_sectors_(static_cast<std::uint32_t>(setup.drive.geometry.logical_sector_bytes / kSectorBytes)),
      link_("link", setup.link, with_requests(context, filter_.get())),
      disk_(make_drive(setup, with_requests(context, filter_.get()))) {
  link_.to_drive.bind(disk_->from_link());
  disk_->to_link().bind(link_.from_drive);
  if (setup.drive.faults.empty()) return;
  faults_.emplace(disk_->faults(), link_, filter_ ? filter_.get() : static_cast<const RequestObserver*>(&tracker_),
                  folder);
  faults_->on_supply = [this](bool on, bool returns) { on ? power_on() : power_off(returns); };
}

bool LinkedDrive::power_off(bool returns) {
  if (!disk_->powered()) return false;
  disk_->power_off();
  if (!returns) supply_is_gone();
  return true;
}

bool LinkedDrive::power_on() {
  if (disk_->powered()) return false;
  supply_returns();
  power_cuts_.back().back = now();
  disk_->power_on();
  return true;
}

void LinkedDrive::supply_changed(bool on) {
  if (on_supply) on_supply(on);
  supply_seen(on);
  if (on) return;
  PowerCut& cut = power_cuts_.emplace_back();
  cut.at = now();
  cut.unfinished = requests_at_drive();
  tracker_.power_lost(now());
  look_at_medium(cut);
}

void LinkedDrive::request_sent(const observe::Arrival& request, unsigned slot, unsigned tag, Ps at) {
  tracker_.dispatched(request.id, slot, at);
  if (faults_) faults_->sent(request);
  if (debugger_waits_for(request.id)) armature_request_sent(request.id, tag);
}

void LinkedDrive::request_ended(std::uint64_t request, unsigned slot, const host::CommandStatus& status, Ps at) {
  tracker_.completed(slot, status.ok, status.error, at, status.gave_up);
  if (faults_) faults_->ended(request, status);
}

std::string list_unfinished(const observe::RequestTracker& tracker) {
  const std::vector<observe::Arrival> unfinished = tracker.unfinished();
  std::string text;
  for (std::size_t i = 0; i < unfinished.size() && i < kListed; ++i) {
    const observe::Arrival& request = unfinished[i];
    text += fmt::format("    request {}: {} of {} sectors at LBN {}, arrived at {:.9f} s\n", request.id,
                        request.operation == Operation::read    ? "read"
                        : request.operation == Operation::write ? "write"
                                                                : "flush",
                        request.sectors, request.lbn, to_seconds(request.at));
  }
  if (unfinished.size() > kListed) text += fmt::format("    and {} younger ones\n", unfinished.size() - kListed);
  return text;
}

}  // namespace armature::app
