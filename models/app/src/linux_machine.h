#pragma once

#include "armature/ahci/command_observer.h"
#include "armature/ahci/controller.h"
#include "armature/app/scenario.h"
#include "armature/core/kernel_time.h"
#include "armature/drive/drive.h"
#include "armature/observe/run_outputs.h"
#include "armature/sata/fis.h"
#include "armature/sata/link.h"
#include "armature/uml/linux_host.h"
#include "hosted_drive.h"

#include <systemc>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace armature::app {

/// A drive at a port of an AHCI controller, with its link: `NAME.link`, `NAME.disk`. It makes requests of the commands
/// that go by the port: reads and writes of the media, and flushes. A request arrives when the driver issues its
/// command, and completes when data, registers and the interrupt message for it are at the host.
class PortedDrive : public sc_core::sc_module {
 public:
  /// Reads a command's frame at the instant of its issue.
  using FrameOf = std::function<std::optional<sata::RegisterH2D>(unsigned slot)>;

  PortedDrive(sc_core::sc_module_name name, const DriveSetup& setup, ahci::Port& port, observe::RequestTracker& tracker,
              const BlockContext& context, FrameOf frame_of);

  drive::Drive& disk() { return *disk_; }
  const drive::Drive& disk() const { return *disk_; }
  const observe::RequestTracker& tracker() const { return tracker_; }
  std::uint64_t completed() const { return completed_; }
  const host::HostBusAdapter::Counters& counters(const ahci::Port::Counters& port);

  // What CommandObserver tells of this port.
  void issued(unsigned slot, Ps at);
  void sent(unsigned slot, bool queued, const sata::RegisterH2D& registers, Ps at);
  void ended(unsigned slot, const ahci::CommandObserver::Ending& ending);
  void dropped(unsigned slot, Ps at);

 private:
  class Requests;
  struct Slot {
    std::optional<std::uint64_t> request;  ///< its number, if the command is one
    bool sent = false;
  };
  struct Ended {
    Ps at;
    unsigned slot;
    bool ok;
    std::uint8_t error;
  };

  void complete_due();
  void complete(unsigned slot, bool ok, std::uint8_t error, Ps at);

  observe::RequestTracker& tracker_;
  const FrameOf frame_of_;
  const std::uint32_t logical_sectors_;
  const std::unique_ptr<Requests> requests_;
  sata::Link link_;
  const std::unique_ptr<drive::Drive> disk_;
  std::array<Slot, 32> slots_;
  std::deque<Ended> ended_;
  sc_core::sc_event ended_event_;
  std::uint64_t next_ = 0;
  std::uint64_t completed_ = 0;
  host::HostBusAdapter::Counters counters_;
};

/// A Linux with its drives: a guest of User-Mode Linux, an AHCI controller, and the drives at its ports.
class LinuxMachine final : private ahci::CommandObserver {
 public:
  LinuxMachine(const Scenario& scenario, observe::RunOutputs& outputs, const uml::LinuxHost::Params& params,
               uml::LinuxHost::Surroundings& surroundings);
  ~LinuxMachine();

  uml::LinuxHost& host() { return *host_; }
  ahci::Controller& controller() { return controller_; }
  std::vector<std::unique_ptr<PortedDrive>>& drives() { return drives_; }
  /// A request is at a drive.
  bool busy() const;
  std::uint64_t completed() const;

 private:
  std::optional<sata::RegisterH2D> frame_of(unsigned port, unsigned slot);

  void issued(unsigned port, unsigned slot, Ps at) override { drives_[port]->issued(slot, at); }
  void sent(unsigned port, unsigned slot, bool queued, const sata::RegisterH2D& registers, Ps at) override {
    drives_[port]->sent(slot, queued, registers, at);
  }
  void ended(unsigned port, unsigned slot, const Ending& ending) override { drives_[port]->ended(slot, ending); }
  void dropped(unsigned port, unsigned slot, Ps at) override { drives_[port]->dropped(slot, at); }

  ahci::Controller controller_;
  std::unique_ptr<uml::LinuxHost> host_;
  std::vector<std::unique_ptr<PortedDrive>> drives_;
};

}  // namespace armature::app
