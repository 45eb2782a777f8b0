#pragma once

#include "armature/actuator/seek_profile.h"
#include "armature/drive/drive_params.h"
#include "armature/firmware/fw_abi.h"
#include "armature/media/geometry.h"

namespace armature::drive {

/// Ticks of the arbitration unit (1/65,536 revolution) in `t`, rounded up.
std::uint32_t ticks(Ps t, double rpm);

/// What the factory writes into the drive's non-volatile memory; `params.arms` has been checked. slots: of the
/// arbitration unit, those for the host's tags and others. Throws InputError for
/// strings that do not fit and for seeks that last longer than the unit's table can hold.
fw_factory factory_record(const DriveParams& params, const media::Geometry& geometry,
                          const actuator::SeekProfile& profile, unsigned tags, unsigned slots);

}  // namespace armature::drive
