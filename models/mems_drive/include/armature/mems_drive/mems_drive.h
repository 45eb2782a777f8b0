#pragma once

#include "armature/core/block_context.h"
#include "armature/drive/drive.h"
#include "armature/mems_drive/mems_drive_params.h"

#include <systemc>

namespace armature::mems {

/// Sleds, tips and arm-arbitration unit behind the same controller and firmware as a hard disk's. Each sled is what an
/// arm is of a disk. Modules: "sld0", "tip0", ..., "aau".
class MemsDrive final : public drive::Drive {
 public:
  /// Throws what the constructor would of the parameters together, as "section.key: what is wrong".
  static void check(const MemsDriveParams& params, unsigned tags);
  /// @param tags  commands the drive accepts at once, 1 to 1024; above 32 only for studies
  MemsDrive(sc_core::sc_module_name name, const MemsDriveParams& params, unsigned tags, const BlockContext& context);
};

}  // namespace armature::mems
