#include "hosted_drive.h"

#include "armature/mems_drive/mems_drive.h"
#include "debugger.h"

#include "armature/drive/hard_disk.h"

#include <fmt/format.h>

namespace armature::app {
namespace {

constexpr std::uint32_t kRegisterFrameDwords = 5;  // Register - Host to Device, Serial ATA 3.0, 10.3.4
constexpr std::size_t kListed = 8;                 // requests that a diagnosis names

std::uint32_t logical_sectors(const DriveSetup& setup) {
  return static_cast<std::uint32_t>(setup.drive.geometry.logical_sector_bytes / 512);
}

std::unique_ptr<drive::Drive> make_drive(const DriveSetup& setup, const BlockContext& context) {
  const auto tags = static_cast<unsigned>(setup.host.tags);
  if (setup.store) {
    mems::MemsDriveParams params = setup.mems_drive();
    params.buffer_offsets = true;
    return std::make_unique<mems::MemsDrive>("disk", params, tags, context);
  }
  drive::DriveParams params = setup.drive;
  params.buffer_offsets = true;
  return std::make_unique<drive::HardDisk>("disk", params, tags, context);
}

}  // namespace

HostedDrive::HostedDrive(sc_core::sc_module_name name, const DriveSetup& setup, std::uint64_t seed,
                         std::unique_ptr<workload::Source> source, bool of_array, observe::RequestTracker& tracker,
                         const BlockContext& context)
    : sc_module(name),
      tracker_(tracker),
      of_array_(of_array),
      source_(std::move(source)),
      adapter_("adapter", setup.host, context),
      link_("link", setup.link, context),
      disk_(make_drive(setup, context)),
      queue_("host", setup.host, *source_, adapter_,
             {&disk_->positions(),
              link_.timing().arrival(kRegisterFrameDwords) + disk_->command_lead_time(Operation::read)},
             this, context),
      manager_("manager", setup.host) {
  queue_.set_manager(manager_);
  if (setup.host.parallel) queue_.set_parallel(adapter_);
  if (setup.host.verify && !of_array) {
    host::ContentsCheck::Params params;
    params.seed = seed;
    params.blank = setup.drive.media.contents != media::ContentsParams::file;
    queue_.set_data_port(contents_check_.emplace(params));
  }
  adapter_.set_logical_sectors(logical_sectors(setup));
  adapter_.set_data_frame(setup.link.written_frame_bytes());
  adapter_.to_link.bind(link_.from_host);
  link_.to_host.bind(adapter_.from_link);
  link_.to_drive.bind(disk_->from_link());
  disk_->to_link().bind(link_.from_drive);
}

void HostedDrive::arrived(const workload::Request& request, Ps at) {
  tracker_.arrived({request.id, at, request.lbn, request.sectors, request.operation, request.device, request.fua,
                    request.measured_response});
}

void HostedDrive::dispatched(const workload::Request& request, unsigned tag, Ps at) {
  tracker_.dispatched(request.id, tag, at);
  if (debugger_waits_for(request.id)) armature_request_sent(request.id, tag);
}

void HostedDrive::completed(const workload::Request&, unsigned tag, const host::CommandStatus& status, Ps at) {
  tracker_.completed(tag, status.ok, status.error, at);
  if (on_completion) on_completion();
}

std::string HostedDrive::diagnosis() const {
  const std::vector<observe::Arrival> unfinished = tracker_.unfinished();
  std::string text = fmt::format("  {}: {} arrived and not completed: {} wait in the host, {} are at the drive", name(),
                                 requests_have(unfinished.size()), queue_.waiting(), queue_.outstanding());
  if (disk_->failed()) text += "; the drive's firmware has stopped at an impossible state";
  text += '\n';
  for (std::size_t i = 0; i < unfinished.size() && i < kListed; ++i) {
    const observe::Arrival& request = unfinished[i];
    text += fmt::format("    request {}: {} of {} sectors at LBN {}, arrived at {:.9f} s\n", request.id,
                        request.operation == Operation::read    ? "read"
                        : request.operation == Operation::write ? "write"
                                                                : "flush",
                        request.sectors, request.lbn, to_seconds(request.at));
  }
  if (unfinished.size() > kListed) text += fmt::format("    and {} younger ones\n", unfinished.size() - kListed);
  std::string active;
  for (unsigned bank = 0; bank < 32; ++bank)
    for (unsigned bit = 0; bit < 32; ++bit)
      if ((adapter_.sactive(bank) >> bit) & 1u)
        active += fmt::format("{}{}", active.empty() ? "" : ", ", bank * 32 + bit);
  if (!active.empty()) text += fmt::format("    the adapter waits for the drive to complete tags {}\n", active);
  return text;
}

}  // namespace armature::app
