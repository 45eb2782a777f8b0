#pragma once

#include "armature/actuator/seek_profile.h"
#include "armature/media/geometry.h"
#include "block_reader.h"
#include "drive_text.h"
#include "surroundings.h"

#include <string>

namespace armature::importer {

/// What a dm_disk says of itself beside its two models.
struct DiskFacts {
  std::int64_t surfaces = 0;
  std::int64_t cylinders = 0;  ///< 0: not said
  std::int64_t blocks = 0;     ///< 0: not said
};

/// A section of the drive file with what it was made from.
struct Layout {
  media::GeometryParams params;
  DriveText text;
  std::uint32_t reach = 0;     ///< longest move between two blocks, cylinders
  std::int64_t elsewhere = 0;  ///< blocks that do not lie where the description says
};
struct Mechanics {
  double rpm = 0;
  actuator::SeekParams seek;
  DriveText text;
};

/// dm_layout_g1.
Layout layout_g1(const ParameterFile& file, const ParameterBlock& layout, const DiskFacts& disk, Report& report);
/// dm_mech_g1. @param layout  of the same disk
Mechanics mechanics_g1(ParameterFile& file, const ParameterBlock& mechanics, const DiskFacts& disk,
                       const Layout& layout, const ReadFile& read, Report& report);
/// Everything of a disksim_disk but its model.
DriveText controller_of(const ParameterFile& file, const ParameterBlock& disk, const Surroundings& surroundings,
                        const Layout& layout, Report& report);

}  // namespace armature::importer
