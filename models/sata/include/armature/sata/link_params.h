#pragma once

#include "armature/core/schema.h"

#include <cstdint>

namespace armature::sata {

/// Keys of the section `link`.
struct LinkParams {
  double rate_gbps = 3;          ///< line rate: 1.5, 3 or 6 Gb/s
  double phy_latency_ns = 100;   ///< one way: serialiser, cable, deserialiser and elastic buffer
  double bus_us_per_sector = 0;  ///< data do not move faster than 512 bytes in this time; 0: as fast as the line
  double bus_us_per_written_sector = 0;  ///< the same for data to the drive; 0: as bus_us_per_sector
  /// Most bytes of a frame with data to the drive. On a slower bus the first sectors of a whole frame would be held
  /// back until its last one has come.
  std::uint32_t written_frame_bytes() const;
  void keys(KeyVisitor& visitor);
};

}  // namespace armature::sata
