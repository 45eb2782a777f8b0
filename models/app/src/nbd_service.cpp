#include "nbd_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace armature::app {
namespace {

constexpr double kBytesPerMb = 1e6;

InputError refused(const Scenario& scenario, const std::string& text) {
  return InputError(scenario.place_of(text, "drives"), text);
}

/// A client's data must come back from the drive.
void require_contents(const Scenario& scenario, const DriveSetup& setup) {
  if (!setup.drive.media.keeps())
    throw refused(scenario, fmt::format("media.contents of drive {} is \"none\": what a client writes would be lost "
                                        "(--set media.contents=memory keeps it)",
                                        setup.name));
  if (setup.host.verify)
    throw refused(scenario, "host.verify checks the data of our own loads; those that are served are the client's");
}

}  // namespace

NbdService::NbdService(const Options& options) : options_(options), server_("--nbd", options.address) {}

void NbdService::give_sources(const Scenario& scenario, Preparation& preparation) {
  for (const DriveSetup& setup : scenario.drives) require_contents(scenario, setup);
  for (std::size_t i = 0; i < preparation.sources.size(); ++i) {
    const bool of_array = i == scenario.drives.size();
    if (!of_array && preparation.array && preparation.array->device(i) >= 0) continue;
    const DriveSetup& setup = scenario.drives[of_array ? preparation.array->members.front() : i];
    nbd::Disk::Description about;
    about.name = of_array ? kArrayName : setup.name;
    about.rotational = !setup.store;
    about.text = preparation.drives[i].title;
    about.block_bytes = static_cast<std::uint32_t>(setup.drive.geometry.logical_sector_bytes);
    about.bytes = preparation.sectors[i] * kSectorBytes / about.block_bytes * about.block_bytes;
    auto device = std::make_unique<nbd::Device>(about);
    served_.push_back({device.get(), i});
    preparation.sources[i] = std::move(device);
  }
  if (preparation.array) preparation.array->data = true;
  // The array, which comes last of all, is what a client means who names nothing.
  if (preparation.array) std::rotate(served_.begin(), served_.end() - 1, served_.end());
}

void NbdService::connect(const std::vector<std::unique_ptr<HostedDrive>>& drives, HostedArray* array) {
  std::vector<nbd::Disk*> disks;
  std::vector<nbd::Device*> devices;
  for (const Served& one : served_) {
    one.device->connect(one.drive == drives.size() ? array->queue() : drives[one.drive]->queue());
    disks.push_back(one.device);
    devices.push_back(one.device);
    fmt::print(stderr, "{}: {:.1f} MB, blocks of {} bytes\n", one.device->description().name,
               static_cast<double>(one.device->description().bytes) / kBytesPerMb,
               one.device->description().block_bytes);
  }
  server_.set_disks(std::move(disks));
  pacer_ = std::make_unique<nbd::Pacer>("nbd", options_.pacing, server_, std::move(devices));
  fmt::print(stderr, "serving NBD at {}; {}\n", server_.address(),
             options_.pacing.once ? "the run ends a second after the last client" : "Ctrl-C ends the run");
  std::fflush(stderr);
}

void NbdService::leave(std::vector<std::string>& notes) {
  for (const Served& one : served_) {
    const nbd::Device::Counters& done = one.device->counters();
    notes.push_back(fmt::format("{}: {} reads of {:.1f} MB in all, {} writes of {:.1f} MB, {} flushes; {} failed",
                                one.device->description().name, done.reads,
                                static_cast<double>(done.bytes_read) / kBytesPerMb, done.writes,
                                static_cast<double>(done.bytes_written) / kBytesPerMb, done.flushes, done.failed));
  }
  notes.push_back(fmt::format("NBD: {} connections", server_.connections()));
  constexpr double kWorthTelling = 0.001;  // s
  if (options_.pacing.pace == nbd::Pacer::Pace::wall && pacer_->most_behind() > kWorthTelling)
    notes.push_back(
        fmt::format("NBD: simulated time was up to {:.3f} s behind wall time, so clients waited longer than "
                    "the drive did",
                    pacer_->most_behind()));
  pacer_.reset();
}

}  // namespace armature::app
