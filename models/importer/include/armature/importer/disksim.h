#pragma once

#include "armature/actuator/seek_profile.h"
#include "armature/importer/parameter_file.h"
#include "armature/media/geometry.h"
#include "armature/mems/params.h"

#include <optional>
#include <string>
#include <vector>

namespace armature::importer {

struct DiskSimOptions {
  std::string device;  ///< name of the block to import; empty: the only one
  std::string name;    ///< of the model; empty: the block's
};

/// A drive described for DiskSim 4.0, as a drive file.
struct ImportedDrive {
  std::string model;
  double rpm = 0;
  media::GeometryParams geometry;
  actuator::SeekParams seek;
  std::optional<mems::MemsParams> store;     ///< of a MEMS store; then the three above say nothing
  std::string text;                          ///< the drive file
  std::vector<std::string> files;            ///< what was read
  std::vector<std::string> not_represented;  ///< "file:line: key = value: why"
  std::vector<std::string> notes;            ///< what was taken in another form, and numbers that do not agree
};

/// Reads a device from parameter files (.diskspecs with its .model and .seek, a .model alone, or a whole .parv). The
/// same files give the same bytes. docs/reference/import.md says what becomes of each key, and why of some nothing
/// does. Throws InputError for what parse_parameters does not read, an unknown type of block, a number that is none or
/// out of its range, a layout that makes no disk, and a device whose medium is not modelled.
ImportedDrive import_disksim(const std::string& path, const DiskSimOptions& options = {},
                             const ReadFile& read = read_file);

}  // namespace armature::importer
