#pragma once

#include "armature/observe/request_record.h"

#include <cstdint>
#include <vector>

namespace armature::observe {

/// A zone of a disk, for the report.
struct ZoneDescription {
  std::uint32_t first_cylinder = 0;
  std::uint32_t last_cylinder = 0;
  std::uint32_t sectors_per_track = 0;
};

/// Where on the disk the media accesses of requests went, and how much time they took there, by zone; by bands of
/// cylinders of equal width if the disk has one zone or none is known. An access counts where it was, its move where it
/// went to. What the drive does on its own (no request waits for it) is in no band.
class MediaHeat final : public RequestSink {
 public:
  static constexpr std::uint32_t kBands = 32;  ///< if there are no zones
  static constexpr std::size_t kMostZones = 64;

  struct Band {
    std::uint32_t first_cylinder = 0;
    std::uint32_t last_cylinder = 0;
    std::uint32_t sectors_per_track = 0;  ///< 0: not known, or not one number
    std::uint64_t reads = 0;              ///< accesses
    std::uint64_t writes = 0;
    Ps positioning = 0;  ///< moves, head switches, settling
    Ps rotation = 0;     ///< waits for the first sector
    Ps transfer = 0;
    Ps busy() const { return positioning + rotation + transfer; }
  };

  /// @param zones  from the outside in, as many as are shown at most: of more, neighbours are put together
  MediaHeat(const std::vector<ZoneDescription>& zones, std::uint32_t cylinders);

  unsigned follows() const override { return kEndsOnly; }
  void completed(const CompletedRequest& request) override;

  const std::vector<Band>& bands() const { return bands_; }  ///< from the outside in
  bool by_zone() const { return by_zone_; }

 private:
  std::vector<Band> bands_;
  bool by_zone_ = false;
};

}  // namespace armature::observe
