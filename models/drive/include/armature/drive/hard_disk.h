#pragma once

#include "armature/core/block_context.h"
#include "armature/drive/drive.h"
#include "armature/drive/drive_params.h"
#include "armature/media/geometry.h"

#include <systemc>

#include <cstdint>

namespace armature::drive {

/// A hard disk: spindles, arm assemblies, data channels and arm-arbitration unit behind a controller, put together from
/// a configuration. The one stack of a drive is "disk.spn", several are "disk.spn0", "disk.spn1", ...
class HardDisk final : public Drive {
 public:
  /// @param tags  commands the drive accepts at once, 1 to 1024; above 32 only for studies
  /// Throws InputError if the parameters do not make a drive.
  ///
  /// `check` throws what the constructor would of the parameters together, as "section.key: what is wrong".
  static void check(const DriveParams& params, unsigned tags);
  HardDisk(sc_core::sc_module_name name, const DriveParams& params, unsigned tags, const BlockContext& context);

  /// For tests that look at the medium itself.
  const media::Geometry& geometry() const;
  media::Location locate(std::uint64_t lbn) const { return geometry().locate(lbn); }
};

}  // namespace armature::drive
