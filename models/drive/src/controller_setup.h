#pragma once

#include "armature/controller/controller_params.h"
#include "armature/drive/drive_params.h"

#include <cstdint>

namespace armature::drive {

/// The buffer with room for lines if something needs them: a write cache for what was written, and physical sectors
/// that are written in part. Throws InputError if there is too little.
controller::BufferParams with_lines(const CommonParams& params, std::uint32_t physical_sector_bytes);

/// Slots of the arbitration unit that firmware uses, for a host with that many tags.
unsigned slots(const CommonParams& params, std::uint32_t physical_sector_bytes, unsigned tags);

/// Throws InputError if firmware cannot serve that many tags beside its own work.
void check_tags(const CommonParams& params, std::uint32_t physical_sector_bytes, unsigned tags);

}  // namespace armature::drive
