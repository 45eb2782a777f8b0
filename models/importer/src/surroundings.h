#pragma once

#include "block_reader.h"

#include <memory>
#include <string>
#include <vector>

namespace armature::importer {

/// What a file that describes a whole simulation says of a disk beside the disk itself.
struct Surroundings {
  /// Buses and controllers between the host and the disk, from the host on. Without a topology that has the disk: all
  /// of the file.
  std::vector<std::shared_ptr<const ParameterBlock>> way;
  bool from_topology = false;
};

using Disk = std::shared_ptr<const ParameterBlock>;

/// The disk that is meant: a disksim_disk or a memsmodel_mems, or a dm_disk if there is none. Of several, the one that
/// is instantiated.
/// @param wanted  name of a block or of an instance; empty: the only one. Throws InputError.
Disk device_of(const ParameterFile& file, const std::string& path, const std::string& wanted);

/// @param wanted  as above: which of several instances
Surroundings surroundings_of(const ParameterFile& file, const ParameterBlock& disk, const std::string& wanted);

/// Notes on blocks and statements that are not the drive's; what a scenario makes of the load that they describe.
void note_others(const ParameterFile& file, const ParameterBlock& disk, const ParameterBlock& model,
                 const Surroundings& surroundings, Report& report);

/// Throws InputError, with the nearest type that there is, if DiskSim has no such type of block.
void check_type(const ParameterBlock& block);

}  // namespace armature::importer
