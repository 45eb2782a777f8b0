#include "linux_machine.h"

#include "armature/ahci/command_table.h"
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
          [this, port](unsigned slot) { return frame_of(port, slot); }, outputs.drive_directory(i)));
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

/// The command's header, its table and the frame in it, as the controller will read them.
std::optional<sata::RegisterH2D> LinuxMachine::frame_of(unsigned port, unsigned slot) {
  constexpr std::uint64_t kPorts = 0x100;  // AHCI 1.3.1, section 3.3: PxCLB and PxCLBU are the first of a port
  constexpr std::uint64_t kPortBytes = 0x80;
  const std::uint64_t at = kPorts + kPortBytes * port;
  const std::uint64_t list = host_->peek(at) | static_cast<std::uint64_t>(host_->peek(at + 4)) << 32;
  std::array<std::uint8_t, ahci::kHeaderBytes> header{};
  if (!host_->peek_memory(list + ahci::kHeaderBytes * slot, header.data(), header.size())) return std::nullopt;
  std::array<std::uint8_t, 20> bytes{};
  if (!host_->peek_memory(ahci::parse_header(header).table, bytes.data(), bytes.size())) return std::nullopt;
  sata::Frame frame;
  frame.type = static_cast<sata::FrameType>(bytes[0]);
  if (frame.type != sata::FrameType::register_h2d) return std::nullopt;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    frame.dwords[i / 4] |= static_cast<std::uint32_t>(bytes[i]) << 8 * (i % 4);
  return sata::parse_register_h2d(frame);
}

}  // namespace armature::app
