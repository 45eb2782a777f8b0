#pragma once

#include "armature/drive/drive_params.h"
#include "armature/firmware/fw_abi.h"

namespace armature::drive {

/// What the factory writes into any drive: identity, limits of the queue, caches, overheads, background work. tags: of
/// the host; slots: of the arbitration unit, those for tags and others. Throws InputError for strings that do not fit
/// and keys that contradict each other.
void describe_controller(const CommonParams& params, unsigned tags, unsigned slots, fw_factory& record);

}  // namespace armature::drive
