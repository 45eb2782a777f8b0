#pragma once

#include "armature/ahci/command_observer.h"
#include "armature/ahci/port.h"
#include "armature/app/linked_drive.h"
#include "armature/app/scenario.h"
#include "armature/observe/run_outputs.h"
#include "armature/sata/fis.h"

#include <systemc>

#include <array>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace armature::app {

/// A drive at a port of an AHCI controller. It makes requests of the commands that go by the port: reads and writes of
/// the media, and flushes. A request arrives when the driver issues its command, and completes when data, registers and
/// the interrupt message for it are at the host.
class PortedDrive final : public LinkedDrive {
 public:
  /// Reads a command's frame at the instant of its issue.
  using FrameOf = std::function<std::optional<sata::RegisterH2D>(unsigned slot)>;

  /// @param folder  of the drive's results
  PortedDrive(sc_core::sc_module_name name, const DriveSetup& setup, ahci::Port& port, observe::RequestTracker& tracker,
              const BlockContext& context, FrameOf frame_of, const std::filesystem::path& folder);

  std::uint64_t completed() const { return completed_; }

  int tag_of(std::uint64_t request) const override;
  /// Its host may ask for more at any time.
  bool finished() const override { return false; }
  std::string diagnosis() const override;
  host::HostBusAdapter::Counters host_counters() const override;

  // What CommandObserver tells of this port.
  void issued(unsigned slot, Ps at);
  void sent(unsigned slot, bool queued, const sata::RegisterH2D& registers, Ps at);
  void ended(unsigned slot, const ahci::CommandObserver::Ending& ending);
  void dropped(unsigned slot, Ps at);

 private:
  class Requests;
  struct Slot {
    std::optional<observe::Arrival> request;  ///< if the command is one
    bool sent = false;
    bool queued = false;
  };
  struct Ended {
    Ps at;
    unsigned slot;
    bool ok;
    std::uint8_t error;
  };

  PortedDrive(sc_core::sc_module_name name, const DriveSetup& setup, ahci::Port& port, observe::RequestTracker& tracker,
              const BlockContext& context, FrameOf frame_of, const std::filesystem::path& folder,
              const std::shared_ptr<Requests>& requests);

  std::uint64_t requests_at_drive() const override;
  void send(unsigned slot, Ps at);
  void complete_due();
  void complete(unsigned slot, bool ok, std::uint8_t error, Ps at);

  const ahci::Port& port_;
  const FrameOf frame_of_;
  const std::shared_ptr<Requests> requests_;
  std::array<Slot, 32> slots_;
  std::deque<Ended> ended_;
  sc_core::sc_event ended_event_;
  std::uint64_t next_ = 0;
  std::uint64_t completed_ = 0;
};

}  // namespace armature::app
