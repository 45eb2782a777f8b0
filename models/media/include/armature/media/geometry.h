#pragma once

#include "armature/core/rotation.h"
#include "armature/core/schema.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace armature::media {

/// Order in which the tracks of a zone take up consecutive logical blocks.
enum class Mapping : int {
  conventional,  ///< all heads of a cylinder in ascending order, then the next cylinder
  alternating,   ///< the same, but every second cylinder of a zone in descending order, so a cylinder switch keeps its
                 ///< head
  serpentine,    ///< bands of cylinders: inwards on head 0, back outwards on head 1, ...; then the next band
};

/// Recording layout of a disk: keys of the section `geometry`.
struct GeometryParams {
  std::int64_t heads = 2;  ///< data surfaces
  /// Rows: first cylinder, last cylinder, sectors a track, track skew and cylinder skew (sectors), spare sectors at the
  /// end.
  std::vector<std::vector<double>> zones;
  /// Rows: zone (from 0), sector of the zone in mapping order (from 0) that is skipped.
  std::vector<std::vector<double>> slips;
  int mapping = 0;  ///< index of: conventional, alternating, serpentine
  std::int64_t serpentine_band_cylinders = 100;
  void keys(KeyVisitor& visitor);
};

/// Where a logical block lies.
struct Location {
  std::uint32_t cylinder = 0;
  std::uint32_t head = 0;
  std::uint32_t sector = 0;  ///< from the track's first sector
  std::uint32_t sectors_per_track = 0;
  std::uint32_t run = 0;  ///< logical blocks from this one to the last of the track, this one counted
  TrackAngle angle;       ///< leading edge of the sector, skew included
};

/// Logical block to place and back. Exact; no state.
///
/// The skew of a zone's first track is zero; each head switch on the way to a track adds the zone's track skew, each
/// cylinder switch its cylinder skew, both in sectors. A change of band in the serpentine mapping counts as a cylinder
/// switch. This and the alternating mapping are how DiskSim's layout model g1 (diskmodel/layout_g1.c, schemes 0 and 1)
/// describes drives whose layout was extracted from the real thing. Slipped sectors hold no block, the blocks behind
/// them move up, and the zone's spares (which the slips use up) are what remains at its end.
class Geometry {
 public:
  static constexpr std::uint32_t kMaxCylinders = 1u << 23;  ///< what the registers of servo and channel can hold
  static constexpr std::uint32_t kMaxHeads = 1u << 8;

  /// Throws InputError when the zones do not make a disk (gaps, overlaps, skew over a revolution, spares over the
  /// zone).
  explicit Geometry(const GeometryParams& params);

  std::uint64_t sectors() const { return sectors_; }  ///< capacity in 512-byte sectors
  std::uint32_t cylinders() const { return cylinders_; }
  std::uint32_t heads() const { return heads_; }
  std::uint32_t zones() const { return static_cast<std::uint32_t>(zones_.size()); }

  Location locate(std::uint64_t lbn) const;  ///< requires lbn < sectors()

  /// The block in a sector; nothing for a spare or slipped sector or a place outside the disk.
  std::optional<std::uint64_t> lbn_of(std::uint32_t cylinder, std::uint32_t head, std::uint32_t sector) const;

  std::uint32_t zone_of(std::uint32_t cylinder) const;            ///< requires cylinder < cylinders()
  std::uint32_t sectors_per_track(std::uint32_t cylinder) const;  ///< requires cylinder < cylinders()
  /// Logical blocks on one track and on all tracks of a cylinder. Require cylinder < cylinders(), head < heads().
  std::uint32_t blocks_on_track(std::uint32_t cylinder, std::uint32_t head) const;
  std::uint32_t blocks_on_cylinder(std::uint32_t cylinder) const;

 private:
  struct Zone {
    std::uint32_t first_cylinder;
    std::uint32_t cylinders;
    std::uint32_t sectors_per_track;
    std::uint32_t track_skew;
    std::uint32_t cylinder_skew;
    std::uint64_t first_lbn;
    std::uint64_t used;                // sectors up to the last one with a block, in mapping order
    std::vector<std::uint64_t> slips;  // ascending, all below `used`
  };
  struct Track {
    std::uint32_t cylinder;  // from the zone's first
    std::uint32_t head;
    std::uint64_t skew;  // sectors, not reduced
  };

  Track track(const Zone& zone, std::uint64_t ordinal) const;
  std::uint64_t ordinal(const Zone& zone, std::uint32_t cylinder, std::uint32_t head) const;
  std::uint32_t blocks_on_track(const Zone& zone, std::uint64_t ordinal) const;

  Mapping mapping_;
  std::uint32_t heads_;
  std::uint32_t band_;
  std::uint32_t cylinders_ = 0;
  std::uint64_t sectors_ = 0;
  std::vector<Zone> zones_;
  std::vector<std::uint64_t> zone_ends_;  // first block behind each zone
  // Where `locate` begins to look: the zone of the first block of each piece of 2^guide_shift_ blocks.
  std::vector<std::uint32_t> guide_;
  unsigned guide_shift_ = 0;
};

}  // namespace armature::media
