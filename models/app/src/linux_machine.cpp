#include "linux_machine.h"

#include "armature/app/simulation.h"

#include <algorithm>

namespace armature::app {
namespace {

// The vendor and the device of an AHCI controller that every driver of Linux takes by its class; the numbers are those
// of Red Hat's virtual devices, of which this one is none that a driver knows.
constexpr std::uint16_t kVendor = 0x1B36;
constexpr std::uint16_t kDevice = 0x0A11;

}  // namespace

LinuxMachine::LinuxMachine(const Scenario& scenario, observe::RunOutputs& outputs, const uml::LinuxHost::Params& params,
                           uml::LinuxHost::Surroundings& surroundings)
    : controller_("ahci", static_cast<unsigned>(scenario.drives.size()), scenario.linux_host->ahci,
                  {outputs.probes(), nullptr, nullptr}) {
  controller_.set_observer(this);
  for (std::size_t i = 0; i < scenario.drives.size(); ++i) {
    const auto port = static_cast<unsigned>(i);
    const DriveSetup& setup = scenario.drives[i];
    try {
      drives_.push_back(std::make_unique<PortedDrive>(
          setup.name.c_str(), setup, controller_.port(port), outputs.tracker(i), outputs.context(i),
          [this, port](unsigned slot) { return controller_.frame_of(port, slot); }, outputs.drive_directory(i)));
    } catch (const InputError& error) {
      throw of_drive(error, setup);
    }
  }
  uml::LinuxHost::Params with_identity = params;
  with_identity.identity = {
      kVendor, kDevice, ahci::PciIdentity::kClassCode, 1, ahci::PciIdentity::kBar, ahci::PciIdentity::kBarBytes};
  host_ = std::make_unique<uml::LinuxHost>("linux", with_identity, surroundings);
  host_->to_registers.bind(controller_.registers);
  controller_.memory.bind(host_->from_function);
  controller_.on_message = [this] { host_->interrupt(); };
}

LinuxMachine::~LinuxMachine() = default;

std::vector<LinkedDrive*> LinuxMachine::linked_drives() const {
  std::vector<LinkedDrive*> all;
  for (const auto& drive : drives_) all.push_back(drive.get());
  return all;
}

bool LinuxMachine::busy() const {
  return std::any_of(drives_.begin(), drives_.end(), [](const auto& one) { return one->tracker().outstanding() > 0; });
}

std::uint64_t LinuxMachine::completed() const {
  std::uint64_t sum = 0;
  for (const auto& one : drives_) sum += one->completed();
  return sum;
}

}  // namespace armature::app
