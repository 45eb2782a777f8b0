#pragma once

#include "armature/actuator/seek_profile.h"
#include "armature/drive/drive_params.h"
#include "armature/firmware/fw_abi.h"
#include "armature/media/geometry.h"

namespace armature::drive {

/// Ticks of the arbitration unit (1/65,536 revolution) in `t`, rounded up.
std::uint32_t ticks(Ps t, double rpm);

/// What the factory writes into a hard disk besides: arms and heads, seek table, retry ladder; `params.arms`
/// has been checked. tags, slots: as for `describe_controller`. Throws InputError for what the unit's registers cannot
/// hold.
void describe_disk(const DriveParams& params, const media::Geometry& geometry, const actuator::SeekProfile& profile,
                   unsigned tags, unsigned slots, fw_factory& record);

}  // namespace armature::drive
