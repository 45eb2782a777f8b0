#pragma once

#include "armature/app/fault_record.h"
#include "armature/app/scenario.h"
#include "armature/app/simulation.h"
#include "armature/core/block_context.h"
#include "armature/drive/drive.h"
#include "armature/observe/energy_account.h"
#include "armature/observe/request_tracker.h"
#include "armature/observe/state_times.h"
#include "armature/observe/statistics.h"
#include "armature/platform/drive.h"
#include "armature/sata/link.h"
#include "probe_signals.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace armature {

/// What is told of a drive: made before the drive, and destroyed behind it.
struct AnyDrive::Parts {
  /// @param path    of the module that the drive's blocks are below
  /// @param probes  name of the module of the probes' signals
  Parts(const std::string& path, const DriveOptions& options, const std::string& probes = "probes");
  virtual ~Parts() = default;

  virtual drive::Drive& disk() = 0;
  virtual void power_off() { disk().power_off(); }
  virtual void power_on() { disk().power_on(); }
  DriveResults results();

  const app::DriveSetup& setup() const { return scenario.drives.front(); }

  const app::Scenario scenario;  ///< of one drive, without a load
  const app::Preparation preparation;
  const std::uint32_t sector_bytes;
  ProbeSignals signals;
  observe::StateTimes times;
  observe::Statistics statistics;
  observe::RequestTracker tracker;
  const std::unique_ptr<observe::EnergyAccount> account;
  const BlockContext context;
};

/// A drive on a link; the host's end of the link is the front end's.
struct LinkParts : AnyDrive::Parts {
  LinkParts(const std::string& path, const DriveOptions& options);
  drive::Drive& disk() override { return *drive; }

  sata::Link link;
  const std::unique_ptr<drive::Drive> drive;
  std::optional<app::FaultRecord> faults;  ///< if the drive has any
};

}  // namespace armature
