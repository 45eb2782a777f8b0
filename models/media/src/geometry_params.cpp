// The keys of section geometry.
#include "armature/core/typed_keys.h"
#include "armature/media/geometry.h"

namespace armature::media {
namespace {

constexpr double kMaxSectorsPerTrack = Geometry::kMaxSectorsPerTrack;  // what the registers can hold
constexpr Range kCylinderNumbers{0, Geometry::kMaxCylinders - 1.0};    // of zones, too, of which there are no more

/// Spares, and what a slip changes.
void sparing_keys(GeometryParams& p, KeyVisitor& v) {
  v.key("spare_range_cylinders", p.spare_range_cylinders, "", {0, Geometry::kMaxCylinders},
        "Cylinders that share the spares given in `zones`; the spares lie at the end of these cylinders. 0: the whole "
        "zone shares them");
  rows(v, "range_skews", p.range_skews,
       {{"zone", "", &RangeSkew::zone, kCylinderNumbers}, {"skew", "", &RangeSkew::skew, {0, kMaxSectorsPerTrack}}},
       "Where a range of spare_range_cylinders begins behind another, its first track has this skew more: zone (from "
       "0), skew");
  v.key("spares_per_track", p.spares_per_track, "The spares given in `zones` are for each track");
  v.key("spares_in_front", p.spares_in_front,
        "Spares lie at the front of their range (then slips move the blocks before them forwards), not at its end");
  v.key("slips_use_spares", p.slips_use_spares,
        "A slip uses up a spare of its range; otherwise the range holds a block less for it and keeps its spares");
  choice(v, "slip_skew", p.slip_skew, {"none", "cylinder", "track"},
         "What begins a sector later behind each slip of a zone: nothing, the cylinders behind it, or the tracks");
}

/// Surfaces that differ.
void surface_keys(GeometryParams& p, KeyVisitor& v) {
  rows(v, "surface_sectors", p.surface_sectors,
       {{"zone", "", &SurfaceSectors::zone, kCylinderNumbers},
        {"surface", "", &SurfaceSectors::surface, {0, Geometry::kMaxHeads - 1.0}},
        {"sectors", "", &SurfaceSectors::sectors, {1, kMaxSectorsPerTrack}}},
       "Surfaces with another number of sectors than their zone has in `zones`: zone (from 0), surface (from 0), "
       "sectors on each of its tracks there. Needs skew_unit = \"revolutions\"");
}

/// Skews, capacity and the order of tracks.
void order_keys(GeometryParams& p, KeyVisitor& v) {
  choice(v, "skew_unit", p.skew_unit, {"sectors", "revolutions"},
         "Unit of the skews in `zones`, `range_skews` and `bands` and of the offsets");
  v.key("skew_scale", p.skew_scale, "", {0, 100},
        "Factor of all skews, rounded up to whole sectors: at another speed than the layout was made for, the speed "
        "divided by the layout's gives a head switch and a cylinder switch the time that they had");
  v.key("cylinder_gaps", p.cylinder_gaps, "Zones may leave out cylinders, which the drive keeps for itself");
  v.key("blocks", p.blocks, "", {0, 1e15},
        "Logical blocks of the drive; sectors of the zones behind the last one stay unused. 0: the zones' capacity");
  choice(v, "mapping", p.mapping,
         {"conventional", "alternating", "serpentine", "alternating_odd", "serpentine_alternating", "inward_bands"},
         "Order of tracks: all heads of a cylinder (alternating: every second cylinder of a zone backwards; "
         "alternating_odd: each cylinder with an odd number backwards), or bands of cylinders on one surface after "
         "the other "
         "(serpentine_alternating: every second band of a zone from the last surface to the first; inward_bands: "
         "inwards on "
         "each surface)");
  v.key("serpentine_band_cylinders", p.serpentine_band_cylinders, "", {1, Geometry::kMaxCylinders},
        "Cylinders of a band of the serpentine mappings and of inward_bands");
  rows(v, "bands", p.bands,
       {{"zone", "", &ZoneBands::zone, kCylinderNumbers},
        {"cylinders", "", &ZoneBands::cylinders, {1, Geometry::kMaxCylinders}},
        {"skew", "", &ZoneBands::skew, {0, kMaxSectorsPerTrack}},
        {"backwards", "", &ZoneBands::backwards, {0, 1}}},
       "Bands of a zone, in place of serpentine_band_cylinders: zone (from 0), cylinders of a band, skew of a change "
       "of band, 1 if its first band begins on the last surface");
}

}  // namespace

void GeometryParams::keys(KeyVisitor& v) {
  v.key("heads", heads, "", {1, Geometry::kMaxHeads}, "Data surfaces, each with one head");
  rows(v, "zones", zones,
       {{"first_cylinder", "", &ZoneParams::first_cylinder, kCylinderNumbers},
        {"last_cylinder", "", &ZoneParams::last_cylinder, kCylinderNumbers},
        {"sectors_per_track", "", &ZoneParams::sectors_per_track, {0, kMaxSectorsPerTrack}},
        {"track_skew", "", &ZoneParams::track_skew, {0, kMaxSectorsPerTrack}},
        {"cylinder_skew", "", &ZoneParams::cylinder_skew, {0, kMaxSectorsPerTrack}},
        {"spares", "", &ZoneParams::spares, {0, 1e12}}},
       "Zones from the outside in: first and last cylinder, sectors on a track (0: as many as section format has "
       "room for), skew of a head switch and of a cylinder switch in sectors, spare sectors at the zone's end");
  rows(v, "slips", slips,
       {{"zone", "", &SlippedSector::zone, kCylinderNumbers}, {"sector", "", &SlippedSector::sector, {0, 1e12}}},
       "Sectors without a block: zone (from 0) and sector of the zone, counted in the order of the mapping");
  rows(v, "remaps", remaps,
       {{"lbn", "", &RemappedBlock::lbn, {0, 1e15}}, {"spare", "", &RemappedBlock::spare, {-1, 1e12}}},
       "Grown defects: block, and number of the spare in its zone that holds it (from 0; -1: the first that no row "
       "names)");
  v.key("physical_sector_bytes", physical_sector_bytes, "B", {512, 4096},
        "What the disk reads and writes as a whole: 512, or 4096 (then all counts of sectors are multiples of 8)");
  v.key("logical_sector_bytes", logical_sector_bytes, "B", {512, 4096},
        "What an LBA of the host counts: 512, or 4096 (4Kn, with physical_sector_bytes = 4096)");
  rows(v, "zone_fronts", zone_fronts,
       {{"zone", "", &ZoneFront::zone, kCylinderNumbers},
        {"reserved", "", &ZoneFront::reserved, {0, 1e12}},
        {"offset", "", &ZoneFront::offset, {0, kMaxSectorsPerTrack}}},
       "Fronts of zones: zone (from 0), sectors that the drive keeps for itself there, angle of the first track's "
       "first sector in sectors");

  surface_keys(*this, v);
  sparing_keys(*this, v);
  order_keys(*this, v);
}

}  // namespace armature::media
