#pragma once

#include "armature/actuator/seek_profile.h"
#include "armature/core/config.h"
#include "armature/media/geometry.h"
#include "armature/spindle/spindle.h"
#include "support/drive_file.h"
#include "support/service_time.h"

#include <memory>
#include <string>

namespace armature::testing {

/// The mechanics of a drive file in scenarios/drives; its other sections belong to other folders.
struct DriveMechanics {
  media::GeometryParams geometry;
  actuator::SeekParams seek;
  spindle::SpindleParams spindle;
};

inline DriveMechanics load_drive_mechanics(const std::string& name) {
  config::Node file = load_drive_sections(name);
  DriveMechanics drive;
  config::read(file.take("geometry"), drive.geometry);
  config::read(file.take("seek"), drive.seek);
  config::read(file.take("spindle"), drive.spindle);
  return drive;
}

/// The same for the integration of the mean service time. The seek curve is the only thing taken from a model.
inline DiskForIntegration for_integration(const media::GeometryParams& geometry, const actuator::SeekParams& seek,
                                          const spindle::SpindleParams& spindle) {
  DiskForIntegration disk;
  disk.heads = geometry.heads;
  for (const media::ZoneParams& zone : geometry.zones)
    disk.zones.push_back({zone.first_cylinder, zone.last_cylinder, zone.sectors_per_track, zone.track_skew,
                          zone.cylinder_skew, zone.spares});
  disk.serpentine = geometry.mapping == media::Mapping::serpentine;
  disk.band_cylinders = geometry.serpentine_band_cylinders;
  for (const media::ZoneFront& front : geometry.zone_fronts) disk.zone_fronts.push_back({front.zone, front.reserved});
  disk.spare_range_cylinders = geometry.spare_range_cylinders;
  disk.blocks = geometry.blocks;
  disk.rpm = spindle.rpm;
  const auto cylinders = static_cast<std::uint32_t>(geometry.zones.back().last_cylinder) + 1;
  const auto profile = std::make_shared<actuator::SeekProfile>(seek, cylinders);
  disk.seek_ms = [profile](std::uint32_t distance) { return to_ms(profile->seek(distance)); };
  disk.head_switch_ms = seek.head_switch_ms;
  disk.write_settle_ms = seek.write_settle_ms;
  return disk;
}

}  // namespace armature::testing
