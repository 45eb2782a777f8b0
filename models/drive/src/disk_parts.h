#pragma once

#include "disk_mechanism.h"

#include "armature/actuator/servo.h"
#include "armature/channel/data_channel.h"
#include "buffer_window.h"

namespace armature::drive {

/// A positioner, which is an arm assembly or a part of one: "srv0", "srv1", ...
struct DiskMechanism::Arm {
  Arm(unsigned number, const DiskMechanism& disk, std::uint32_t angle, const BlockContext& context);
  static actuator::HeadStack head_stack(unsigned number, const DiskMechanism& disk);
  static std::uint32_t start_cylinder(unsigned number, const DiskMechanism& disk);
  static std::unique_ptr<actuator::Motion> motion(unsigned number, const DiskMechanism& disk);
  actuator::Servo servo;
  const ServoPosition position;
};

/// A data channel, which works with any arm: "chn0", "chn1", ...
struct DiskMechanism::Channel {
  Channel(unsigned number, DiskMechanism& disk, const std::vector<const channel::ArmPosition*>& positions,
          const BlockContext& context);
  BufferWindow window;
  channel::DataChannel channel;
};

/// Of each fault the places, on a new disk, of the sectors that it concerns; none for those that have no place. Throws
/// InputError ("faults[0].lbn: what is wrong").
std::vector<std::vector<media::Defect>> fault_places(const std::vector<FaultParams>& faults,
                                                     const media::Geometry& geometry);
/// Defects whose time is known from the beginning.
std::vector<media::Defect> known_defects(const std::vector<FaultParams>& faults, const media::Geometry& geometry);
bool has_kind(const std::vector<FaultParams>& faults, FaultParams::Kind kind);
/// Throws InputError for faults that the disk cannot have.
void check_disk_faults(const DriveParams& params, const media::Geometry& geometry);

}  // namespace armature::drive
