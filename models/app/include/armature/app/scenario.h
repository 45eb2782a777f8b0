#pragma once

#include "armature/ahci/ahci_params.h"
#include "armature/array/array_params.h"
#include "armature/core/config.h"
#include "armature/core/schema.h"
#include "armature/core/time.h"
#include "armature/drive/drive_params.h"
#include "armature/host/host_params.h"
#include "armature/mems/params.h"
#include "armature/mems_drive/mems_drive_params.h"
#include "armature/observe/steady_state.h"
#include "armature/power/power_params.h"
#include "armature/sata/link_params.h"
#include "armature/thermal/drive_temperatures.h"
#include "armature/uml/linux_params.h"
#include "armature/workload/params.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace armature::app {

/// Section `simulation`.
struct SimulationParams {
  std::int64_t seed = 1;
  double until_s = 0;   ///< 0: to the end of the workload
  double stall_s = 20;  ///< 0: no limit
  void keys(KeyVisitor& visitor);
};

/// Section `output`.
struct OutputParams {
  std::string directory = "out";
  bool request_log = true;
  std::int64_t timelines = 1000;
  std::vector<double> explain;
  bool waves = false;
  std::vector<std::string> scope;
  std::vector<std::string> exclude;
  double from_s = 0;
  double to_s = 0;                   ///< 0: to the end
  std::int64_t around_request = -1;  ///< -1: none
  std::string around_drive;
  double tail_ms = 1;
  std::vector<double> power_windows_ms = {1, 10, 1000};
  observe::WarmUpRule::Kind warm_up = observe::WarmUpRule::none;
  std::int64_t warm_up_requests = 0;
  double warm_up_s = 0;
  double every_s = 0;
  std::string every_file;
  void keys(KeyVisitor& visitor);
};

/// One drive with its own link and host: what a drive file, the shared sections and [drives.NAME] say together.
struct DriveSetup {
  std::string name;
  std::string model;    ///< path of the drive file as found; empty if the scenario says everything itself
  std::string shipped;  ///< folder of the scenarios and drive files that come with the program
  host::HostParams host;
  sata::LinkParams link;
  drive::DriveParams drive;               ///< of a MEMS store only CommonParams and `media`
  std::optional<mems::MemsParams> store;  ///< a MEMS store in place of a hard disk
  power::PowerParams power;               ///< of a hard disk
  thermal::ThermalParams thermal;         ///< of a hard disk
  config::Node layers;                    ///< the merged input: where each value was written
  std::vector<std::string> files;         ///< drive files that it stands on
  std::vector<std::string> old_forms;     ///< messages about keys that have a new form
  Place place;                            ///< of [drives.NAME]

  /// All sections that may stand in a drive file, in a scenario for all drives, or below [drives.NAME].
  void keys(KeyVisitor& visitor);

  /// Makes it a MEMS store, if the sections of `layers` say so.
  void choose_kind();
  mems::MemsDriveParams mems_drive() const;
  /// Of a drive with temperatures.
  std::optional<drive::SensorParams> sensor() const;
  /// host.commands or faults turn it off.
  bool supply_may_fail() const;
  /// One of its faults may make a sector unreadable.
  bool sectors_may_break() const;
};

/// A Linux that drives all drives of a scenario (docs/guide/hosts.md): sections `linux` and `ahci`.
struct LinuxSetup {
  uml::LinuxParams linux_params;
  ahci::AhciParams ahci;
};

/// A scenario file with everything it names, read and checked.
struct Scenario {
  std::string path;
  SimulationParams simulation;
  workload::WorkloadParams workload;  ///< `file` is absolute
  OutputParams output;
  std::optional<array::ArrayParams> array;  ///< over some of the drives; the workload goes to it, not to them
  std::optional<LinuxSetup> linux_host;     ///< the workload is what the guest does
  std::vector<DriveSetup> drives;           ///< in the order of the file
  std::vector<std::string> files;           ///< all that it reads or keeps contents in, itself first
  config::Node layers;                      ///< simulation, workload and output: where each value was written

  /// The sections that exist once; `array` and those of a Linux if they are there.
  void keys(KeyVisitor& visitor);

  /// Place of a message's subject: the key with which it begins, or its section, or `section`, or the file.
  Place place_of(std::string_view message, std::string_view section) const;

  /// As a scenario that gives the same run and needs no drive file.
  struct Resolved {
    std::string toml, json;
  };
  Resolved resolved() const;
};

/// Reads a scenario; `overrides` are assignments of the command line (config::assignment), the later one wins.
///
/// The layers of a drive, from below: defaults; its drive file, on the one it names as `base`; the drive sections of
/// the scenario, which apply to all drives; those below [drives.NAME]; overrides without and then with "drives.NAME" in
/// front. Throws InputError.
/// @param shipped  folder of the scenarios that come with the program; empty: where this program has them
Scenario load_scenario(const std::string& path, const std::vector<config::Node>& overrides,
                       const std::string& shipped = {});

/// Makes the scenario one of a Linux, if it is none yet: its workload is the guest's, and its drives hold their
/// contents in memory unless they hold them elsewhere. Throws InputError if no Linux can drive it.
void give_to_linux(Scenario& scenario);

/// Place of the key with which a message begins, or of its section, or of `section`; if there is none, `otherwise`.
Place place_of(std::string_view message, const config::Node& layers, std::string_view section, const Place& otherwise);

/// A place that stands for all of a file.
inline Place beginning_of(const std::string& path) {
  return Place{path, 1};
}

/// Reads one drive file by itself, for `check`; `sets` are assignments "key=value" over it, the later one wins.
DriveSetup load_drive(const std::string& path, const std::vector<std::string>& sets = {},
                      const std::string& shipped = {});

/// Is it a drive file and no scenario? By its sections.
bool is_drive_file(const config::Node& document);

/// Whether a drive file, or the section of one drive, describes a MEMS store. Its sections decide.
bool is_mems_file(const config::Node& document);

/// Every key of a scenario and a drive file with its default, in the order of docs/reference/configuration.md.
config::SectionInfo schema();
/// Its parts: the sections of the run, and those of a disk.
config::SectionInfo run_schema();
config::SectionInfo drive_schema();

/// The same of a MEMS store's sections.
config::SectionInfo mems_schema();

/// The drive's properties, other than section `power`, that set its power. Throws InputError for a wrong seek curve.
power::DriveStructure power_structure(const DriveSetup& setup);

}  // namespace armature::app
