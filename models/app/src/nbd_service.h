#pragma once

#include "armature/app/simulation.h"
#include "armature/nbd/device.h"
#include "armature/nbd/pacer.h"
#include "armature/nbd/server.h"
#include "hosted_array.h"
#include "hosted_drive.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace armature::app {

/// NBD clients as the load of a run: each drive that is of no array, and the array, is a disk for them. The first is
/// the array if there is one.
class NbdService {
 public:
  struct Options {
    std::string address;
    nbd::Pacer::Params pacing;
  };

  /// Listens. Throws InputError for an address that cannot be had.
  explicit NbdService(const Options& options);

  /// Gives `preparation` the sources of the clients' requests. Throws InputError, with the scenario's place, if the
  /// scenario keeps no contents or checks its own.
  void give_sources(const Scenario& scenario, Preparation& preparation);
  /// Before the kernel starts. `array`: null if there is none.
  void connect(const std::vector<std::unique_ptr<HostedDrive>>& drives, HostedArray* array);
  /// The drives will be gone. What the clients did goes to `notes`.
  void leave(std::vector<std::string>& notes);

 private:
  struct Served {
    nbd::Device* device;
    std::size_t drive;  ///< number in the run; that of the array is one behind the last drive's
  };

  const Options options_;
  nbd::Server server_;
  std::vector<Served> served_;
  std::unique_ptr<nbd::Pacer> pacer_;
};

}  // namespace armature::app
