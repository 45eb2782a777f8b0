#pragma once

#include "armature/ahci/command_observer.h"
#include "armature/ahci/controller.h"
#include "armature/app/ported_drive.h"
#include "armature/app/scenario.h"
#include "armature/observe/run_outputs.h"
#include "armature/sata/fis.h"
#include "armature/uml/linux_host.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace armature::app {

/// A Linux with its drives: a guest of User-Mode Linux, an AHCI controller, and the drives at its ports.
class LinuxMachine final : private ahci::CommandObserver {
 public:
  LinuxMachine(const Scenario& scenario, observe::RunOutputs& outputs, const uml::LinuxHost::Params& params,
               uml::LinuxHost::Surroundings& surroundings);
  ~LinuxMachine();

  uml::LinuxHost& host() { return *host_; }
  std::vector<LinkedDrive*> linked_drives() const;
  /// A request is at a drive.
  bool busy() const;
  std::uint64_t completed() const;

 private:
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
