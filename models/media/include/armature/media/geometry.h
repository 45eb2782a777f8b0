#pragma once

#include "armature/core/rotation.h"
#include "armature/core/schema.h"
#include "armature/media/contents.h"
#include "armature/media/track_angles.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

namespace armature::media {

/// Order in which the tracks of a zone take up consecutive logical blocks.
enum class Mapping : int {
  conventional,  ///< all heads of a cylinder in ascending order, then the next cylinder
  alternating,   ///< the same, but every second cylinder of a zone in descending order, so a cylinder switch keeps its
                 ///< head
  serpentine,    ///< bands of cylinders: inwards on head 0, back outwards on head 1, ...; then the next band
  alternating_odd,  ///< as alternating, but cylinders of odd numbers are in descending order, whatever their zone
  serpentine_alternating,  ///< as serpentine, but every second band of a zone begins on the last head, so a change of
                           ///< band keeps its head
  inward_bands,            ///< bands of cylinders, too, but inwards on each head
};

/// Tracks of one head follow each other, along a band of cylinders.
constexpr bool has_bands(Mapping mapping) {
  return mapping == Mapping::serpentine || mapping == Mapping::serpentine_alternating ||
         mapping == Mapping::inward_bands;
}

/// The effect of a slipped sector on the angles of the tracks after it.
enum class SlipSkew : int {
  none,      ///< nothing: tracks begin where the skews put them
  cylinder,  ///< cylinders after it in the zone begin one sector later
  track,     ///< tracks after it in the zone begin one sector later
};

/// Unit of skews and offsets in `zones` and `zone_fronts`.
enum class SkewUnit : int { sectors, revolutions };

/// A row of `zones`. Skews are in `GeometryParams::skew_unit`.
struct ZoneParams {
  std::int64_t first_cylinder = 0;
  std::int64_t last_cylinder = 0;
  std::int64_t sectors_per_track = 0;  ///< 0: as many as section `format` has room for
  double track_skew = 0;               ///< of a head switch
  double cylinder_skew = 0;            ///< of a cylinder switch
  std::int64_t spares = 0;             ///< sectors

  std::int64_t cylinders() const { return last_cylinder - first_cylinder + 1; }

  friend bool operator==(const ZoneParams& a, const ZoneParams& b) {
    return a.first_cylinder == b.first_cylinder && a.last_cylinder == b.last_cylinder &&
           a.sectors_per_track == b.sectors_per_track && a.track_skew == b.track_skew &&
           a.cylinder_skew == b.cylinder_skew && a.spares == b.spares;
  }
};

/// A row of `slips`: a sector without a block.
struct SlippedSector {
  std::int64_t zone = 0;    ///< from 0
  std::int64_t sector = 0;  ///< of the zone in mapping order, from 0

  friend bool operator==(const SlippedSector& a, const SlippedSector& b) {
    return a.zone == b.zone && a.sector == b.sector;
  }
};

/// A row of `remaps`: a grown defect.
struct RemappedBlock {
  static constexpr std::int64_t kNextSpare = -1;  ///< the first one that no row names

  std::int64_t lbn = 0;
  std::int64_t spare = kNextSpare;  ///< of its zone, from 0

  friend bool operator==(const RemappedBlock& a, const RemappedBlock& b) {
    return a.lbn == b.lbn && a.spare == b.spare;
  }
};

/// A row of `bands`, for the mappings that have bands.
struct ZoneBands {
  std::int64_t zone = 0;       ///< from 0
  std::int64_t cylinders = 1;  ///< of a band
  double skew = 0;             ///< of a change of band, in `skew_unit`
  bool backwards = false;      ///< the zone's first band begins on the last head

  friend bool operator==(const ZoneBands& a, const ZoneBands& b) {
    return a.zone == b.zone && a.cylinders == b.cylinders && a.skew == b.skew && a.backwards == b.backwards;
  }
};

/// A row of `zone_fronts`.
struct ZoneFront {
  std::int64_t zone = 0;      ///< from 0
  std::int64_t reserved = 0;  ///< sectors that the drive keeps for itself
  double offset = 0;          ///< angle of its first track, in `skew_unit`

  friend bool operator==(const ZoneFront& a, const ZoneFront& b) {
    return a.zone == b.zone && a.reserved == b.reserved && a.offset == b.offset;
  }
};

/// A row of `surface_sectors`: a surface that is recorded more or less densely than its zone's others.
struct SurfaceSectors {
  std::int64_t zone = 0;     ///< from 0
  std::int64_t surface = 0;  ///< from 0
  std::int64_t sectors = 0;  ///< on each of its tracks in this zone, in place of the zone's

  friend bool operator==(const SurfaceSectors& a, const SurfaceSectors& b) {
    return a.zone == b.zone && a.surface == b.surface && a.sectors == b.sectors;
  }
};

/// A row of `range_skews`.
struct RangeSkew {
  std::int64_t zone = 0;  ///< from 0
  double skew = 0;        ///< that each border between ranges of `spare_range_cylinders` adds, in `skew_unit`

  friend bool operator==(const RangeSkew& a, const RangeSkew& b) { return a.zone == b.zone && a.skew == b.skew; }
};

/// Recording layout of a disk: keys of the section `geometry`.
struct GeometryParams {
  std::int64_t heads = 2;  ///< data surfaces
  std::vector<ZoneParams> zones;
  std::vector<SlippedSector> slips;
  std::vector<RemappedBlock> remaps;
  Mapping mapping = Mapping::conventional;
  std::int64_t serpentine_band_cylinders = 100;
  std::vector<ZoneBands> bands;
  /// 512 or 4096: what the disk writes as a whole. With 4096, zones, slips and remaps are made of whole ones.
  std::int64_t physical_sector_bytes = 512;
  /// 512 or 4096: what a host's LBAs count. 4096 needs physical sectors of 4,096 bytes. Everything here and all
  /// requests count 512 bytes all the same.
  std::int64_t logical_sector_bytes = 512;
  std::vector<ZoneFront> zone_fronts;
  std::vector<RangeSkew> range_skews;
  std::vector<SurfaceSectors> surface_sectors;  ///< surfaces whose tracks differ from the zone's; skews in revolutions
  std::int64_t spare_range_cylinders = 0;       ///< each range of this many cylinders has its own spares; 0: the zone
  bool spares_per_track = false;                ///< each track has its own spares
  bool spares_in_front = false;                 ///< they lie at the front of their range, not at its end
  bool slips_use_spares = true;                 ///< otherwise each slip takes a block from its range
  SlipSkew slip_skew = SlipSkew::none;
  SkewUnit skew_unit = SkewUnit::sectors;
  double skew_scale = 1;       ///< factor of all skews, not of the offsets in `zone_fronts`
  bool cylinder_gaps = false;  ///< zones may leave out cylinders
  std::int64_t blocks = 0;     ///< logical blocks; 0: all that the zones hold
  /// Not a key: the number of ranges if arms have separate surfaces (section `arms`). The heads are divided into this
  /// many equal groups of adjacent heads, each with an equal part of `blocks`, of each zone's spares (rounded up), and
  /// of the LBAs, one group after the other. Zones, slips and fronts apply to each group.
  std::int64_t ranges = 1;
  /// Not a key: the wedges of each row of `zones`, from the sector format (section `format`); empty: no wedges.
  std::vector<Wedges> wedges;
  void keys(KeyVisitor& visitor);
};

struct ExpandedZone;  // a zone with all the keys worked in: src/layout_rows.h

/// Where a logical block lies.
struct Location {
  std::uint32_t cylinder = 0;
  std::uint32_t head = 0;
  std::uint32_t sector = 0;  ///< from the track's first sector
  std::uint32_t sectors_per_track = 0;
  /// Logical blocks from this one to the last that follows in place on the track, this one counted: to the track's
  /// end, or to the block before one that lies in a spare.
  std::uint32_t run = 0;
  std::uint32_t even = 0;  ///< the same up to a slipped sector: their sectors have consecutive numbers
  TrackAngle angle;        ///< leading edge of the sector under the head, skew and servo wedges included
};

/// Logical block to place and back. Exact; no state but the blocks that were moved to spares.
///
/// The skew of a zone's first track is zero (or its offset in `zone_fronts`); each head switch on the way to a track
/// adds the zone's track skew, each cylinder switch its cylinder skew, both in sectors. A change of band counts
/// as a cylinder switch, unless `bands` says otherwise. `conventional`, `alternating` and
/// `alternating_odd`, with these skews and slips, are mapping schemes 0, 1 and 2 of DiskSim's layout model g1
/// (diskmodel/layout_g1.c), which describes drives whose layout was extracted from the real thing. Slipped sectors hold
/// no block, the blocks after them move up, and the zone's spares (which the slips use up) are what remains at its end.
///
/// A layout of several ranges is one such layout on the first heads, then one on the next heads, and so on. Each range
/// has all the zones, and a block's spares are in its own zone and range.
///
/// Surfaces may have sectors of their own in a zone (drives format each surface as densely as its head allows): then a
/// skew is the same part of a revolution on all of them, and a sector of the zone is counted over tracks that differ.
///
/// A remapped block (a grown defect) lies in one of these spares; the blocks after it stay where they are, and its own
/// sector holds nothing. With physical sectors of 4,096 bytes a slip or a remap takes all eight sectors of one: rows
/// name the first, spares are counted in eights. `reallocate` moves more blocks while the drive is at work.
class Geometry {
 public:
  static constexpr std::uint32_t kMaxCylinders = 1u << 23;  ///< what the registers of servo and channel can hold
  static constexpr std::uint32_t kMaxHeads = 1u << 8;
  static constexpr std::uint32_t kMaxSectorsPerTrack = 65'535;
  /// Sectors without a block that are kept one by one: slips, and spares of tracks. More take gigabytes.
  static constexpr std::int64_t kMaxListed = 20'000'000;

  /// Throws InputError when the zones do not make a disk (gaps, overlaps, skew over a revolution, spares over the
  /// zone).
  explicit Geometry(const GeometryParams& params);

  std::uint64_t sectors() const { return sectors_; }  ///< capacity in 512-byte sectors
  std::uint32_t cylinders() const { return cylinders_; }
  std::uint32_t heads() const { return heads_; }
  std::uint32_t zones() const { return zones_of_range_; }

  Location locate(std::uint64_t lbn) const;  ///< requires lbn < sectors()
  /// Blocks of the same track that lie before this one in place, with no block in a spare between. Requires lbn <
  /// sectors().
  std::uint32_t run_before(std::uint64_t lbn) const;
  /// Angles of the sectors on the track of `at`, which must be on the disk.
  TrackAngles track_angles(const Location& at) const;

  /// Moves the block, with all of its physical sector, to the next free spare of its zone and returns the number of the
  /// first sector there; nothing if there is none. What it leaves is not used again. Requires lbn < sectors().
  std::optional<PhysicalSector> reallocate(std::uint64_t lbn);
  /// The same to a place that `reallocate` gave once. False: it is no free spare of the block's zone.
  bool reallocate(std::uint64_t lbn, PhysicalSector place);

  /// Sectors on the disk, spares and defective ones counted.
  std::uint64_t physical_sectors() const { return physical_sectors_; }
  std::uint32_t physical_sector_bytes() const { return unit_ * 512; }

  /// Number of a sector among all of the disk, below physical_sectors(): zone by zone in the order of the mapping, so
  /// consecutive on a track. `at` must lie on the disk. Where the last block of a run has a number higher by more than
  /// the run has blocks, slipped sectors lie between.
  PhysicalSector physical(const Location& at) const;
  PhysicalSector physical(std::uint64_t lbn) const;  ///< requires lbn < sectors()

  /// The block in a sector; nothing for an unused spare, a defective sector or a place outside the disk.
  std::optional<std::uint64_t> lbn_of(std::uint32_t cylinder, std::uint32_t head, std::uint32_t sector) const;

  /// Number of a track among those of its zone, in the order of the mapping. `at` must lie on the disk.
  std::uint64_t track_of_zone(const Location& at) const;
  std::uint32_t zone_of(std::uint32_t cylinder) const;  ///< requires cylinder < cylinders()
  /// Of the cylinder's surface that has the most. Requires cylinder < cylinders().
  std::uint32_t sectors_per_track(std::uint32_t cylinder) const;
  /// Logical blocks on one track and on all tracks of a cylinder. Require cylinder < cylinders(), head < heads().
  std::uint32_t blocks_on_track(std::uint32_t cylinder, std::uint32_t head) const;
  std::uint32_t blocks_on_cylinder(std::uint32_t cylinder) const;

 private:
  struct Zone {
    std::uint32_t first_cylinder;
    std::uint32_t cylinders;
    std::uint32_t first_head;
    std::uint32_t sectors_per_track;
    std::vector<std::uint32_t> surfaces;  // sectors a track of each head of the range; empty: all have as many
    std::uint64_t track_skew;
    std::uint64_t cylinder_skew;
    std::uint32_t angle_units;  // angles are in these parts of a sector
    std::uint64_t start_skew;   // of the first track
    bool first_backwards;       // alternating: its first cylinder runs from the last head down, or its band
    std::uint32_t band;         // serpentine: cylinders of a band
    std::uint64_t band_skew;
    std::vector<std::uint64_t> skewing;  // slips of the row that move tracks behind them
    std::uint64_t first_lbn;
    PhysicalSector first_physical;
    std::uint64_t used;                // sectors up to the last one with a block, in mapping order
    std::vector<std::uint64_t> slips;  // ascending, all below `used`
    std::uint64_t end;                 // sectors, spares counted
    std::vector<std::uint64_t> slipped_spares;
    Wedges wedges;

    friend bool operator==(const Zone& a, const Zone& b) {
      const auto all = [](const Zone& z) {
        return std::tie(z.first_cylinder, z.cylinders, z.first_head, z.sectors_per_track, z.surfaces, z.track_skew,
                        z.cylinder_skew, z.angle_units, z.start_skew, z.first_backwards, z.band, z.band_skew, z.skewing,
                        z.first_lbn, z.first_physical, z.used, z.slips, z.end, z.slipped_spares, z.wedges);
      };
      return all(a) == all(b);
    }
  };
  /// Equal layouts have the same, which stays in the processor's caches while drives take turns.
  struct Zones {
    std::vector<Zone> list;
    std::vector<std::uint64_t> ends;  // first block behind each zone
    // Where `locate` begins to look: the zone of the first block of each piece of 2^guide_shift blocks.
    std::vector<std::uint32_t> guide;
    unsigned guide_shift = 0;

    friend bool operator==(const Zones& a, const Zones& b) {
      return a.list == b.list && a.ends == b.ends && a.guide == b.guide && a.guide_shift == b.guide_shift;
    }
  };
  struct Remap {
    std::uint64_t lbn;
    PhysicalSector place;
  };
  struct Place {
    const Zone* zone;
    std::uint64_t sector;  // of the zone
    std::size_t slipped;   // slips below it
  };
  struct Track {
    std::uint32_t cylinder;  // from the zone's first
    std::uint32_t head;
    std::uint64_t skew;  // in angle_units, not reduced
  };

  /// A track in the order of its zone.
  struct Along {
    std::uint64_t number;
    std::uint64_t begin;    // its first sector, of the zone
    std::uint32_t sectors;  // that it has
  };
  /// Tracks that follow each other on each surface: a cylinder, or a band of them.
  struct Group {
    std::uint64_t number;
    std::uint32_t first;  // cylinder of the zone
    std::uint32_t width;  // cylinders; the last band of a zone may be narrower
  };

  void add_zone(Zones& zones, const ExpandedZone& from, const std::vector<Wedges>& wedges, std::uint32_t first_head);
  void slip(Zone& zone, const ExpandedZone& from) const;
  void add_remaps(const GeometryParams& params);
  std::uint64_t spare(const Zone& zone, std::uint64_t number) const;
  bool free_spare(PhysicalSector place) const;
  void move(std::uint64_t lbn, PhysicalSector place);
  Place original_place(std::uint64_t lbn) const;
  Location remapped(const Remap& remap) const;
  std::vector<Remap>::const_iterator remap_at_or_behind(std::uint64_t lbn) const;
  std::uint32_t blocks_in_spares(PhysicalSector begin, PhysicalSector end) const;
  const Zone& zone_at(std::uint32_t cylinder, std::uint32_t head) const {
    return zones_->list[head / heads_of_range_ * zones_of_range_ + zone_of(cylinder)];
  }
  std::size_t number_of(const Zone& zone) const { return static_cast<std::size_t>(&zone - zones_->list.data()); }
  static bool holds(const Zone& zone, std::uint32_t cylinder) {
    return cylinder - zone.first_cylinder < zone.cylinders;  // not a gap behind it
  }
  Track track(const Zone& zone, std::uint64_t ordinal) const;
  bool backwards(const Zone& zone, std::uint32_t cylinder) const {
    return mapping_ != Mapping::conventional && (cylinder % 2 == 1) != zone.first_backwards;
  }
  bool in_bands() const { return has_bands(mapping_); }
  /// Cylinder of a band of the nth head's track that is number `along` there, or the other way round.
  std::uint32_t in_width(std::uint32_t nth, std::uint32_t along, std::uint32_t width) const {
    return nth % 2 == 1 && mapping_ != Mapping::inward_bands ? width - 1 - along : along;
  }
  /// Head of the nth run of tracks in a band, or the other way round: it is its own inverse.
  std::uint32_t in_band(const Zone& zone, std::uint64_t band, std::uint32_t nth) const {
    const bool odd = mapping_ == Mapping::serpentine_alternating && band % 2 == 1;
    return odd != zone.first_backwards ? heads_of_range_ - 1 - nth : nth;
  }
  std::uint64_t slip_skew(const Zone& zone, std::uint64_t ordinal) const;
  TrackAngle angle(const Zone& zone, const Track& track, std::uint32_t sector) const;
  TrackAngles angles(const Zone& zone, const Track& track) const;
  Along along(const Zone& zone, std::uint64_t sector) const;  // the track that holds a sector of the zone
  std::uint64_t track_begin(const Zone& zone, std::uint64_t ordinal) const;  // its first sector, of the zone
  Group group(const Zone& zone, std::uint64_t number) const;
  std::uint32_t nth_head(const Zone& zone, std::uint64_t group, std::uint32_t nth) const;  // of the range
  static std::uint32_t track_sectors(const Zone& zone, std::uint32_t head_of_range) {
    return zone.surfaces.empty() ? zone.sectors_per_track : zone.surfaces[head_of_range];
  }
  std::uint64_t ordinal(const Zone& zone, std::uint32_t cylinder, std::uint32_t global_head) const;
  std::uint32_t blocks_on_track(const Zone& zone, std::uint64_t ordinal) const;

  Mapping mapping_;
  SlipSkew slip_skew_;
  std::uint32_t heads_;
  std::uint32_t heads_of_range_;
  std::uint32_t zones_of_range_ = 0;
  std::uint32_t cylinders_ = 0;
  std::uint64_t sectors_ = 0;
  std::uint64_t physical_sectors_ = 0;
  std::uint32_t unit_;                  // sectors of a physical sector
  bool wedged_ = false;                 // some zone has servo wedges
  std::vector<Remap> remaps_;           // by block
  std::vector<Remap> remaps_by_place_;  // by spare
  std::vector<PhysicalSector> left_;    // first sectors of spares that were given up, ascending
  std::shared_ptr<const Zones> zones_;
  std::vector<std::uint64_t> next_spare_;  // of each zone: reallocation looks from here on
};

}  // namespace armature::media
