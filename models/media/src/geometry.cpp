#include "armature/media/geometry.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature::media {
namespace {

enum ZoneColumn { kFirstCylinder, kLastCylinder, kSectorsPerTrack, kTrackSkew, kCylinderSkew, kSpares, kZoneColumns };
enum SlipColumn { kSlipZone, kSlipSector, kSlipColumns };

constexpr double kMaxSectorsPerTrack = 65'535;  // what the registers can hold

/// A cell of a table as a whole number; the schema has checked files, but parameters are also set in code.
std::uint64_t whole(const std::vector<double>& row, std::size_t column, const char* table, std::size_t line) {
  const double value = row[column];
  if (!(value >= 0 && value <= 1e15) || value != std::floor(value))
    throw InputError(
        fmt::format("{} row {}: column {} must be a whole number, not {}", table, line, column + 1, value));
  return static_cast<std::uint64_t>(value);
}

// Division of 32 bits takes a fraction of the time that 64 bits take, and nearly all zones are small enough for it.
std::uint64_t quotient(std::uint64_t a, std::uint32_t b) {
  return a >> 32 == 0 ? static_cast<std::uint32_t>(a) / b : a / b;
}
std::uint32_t remainder(std::uint64_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(a >> 32 == 0 ? static_cast<std::uint32_t>(a) % b : a % b);
}

constexpr std::uint64_t kGuideEntries = 1024;

}  // namespace

void GeometryParams::keys(KeyVisitor& v) {
  v.key("heads", heads, "", {1, Geometry::kMaxHeads}, "Data surfaces, each with one head");
  v.table("zones", zones,
          {{"first_cylinder", "", {0, Geometry::kMaxCylinders - 1.0}},
           {"last_cylinder", "", {0, Geometry::kMaxCylinders - 1.0}},
           {"sectors_per_track", "", {1, kMaxSectorsPerTrack}},
           {"track_skew", "", {0, kMaxSectorsPerTrack}},
           {"cylinder_skew", "", {0, kMaxSectorsPerTrack}},
           {"spares", "", {0, 1e12}}},
          "Zones from the outside in: first and last cylinder, sectors on a track, skew of a head switch and of a "
          "cylinder switch in sectors, spare sectors at the zone's end");
  v.table("slips", slips, {{"zone", "", {0, Geometry::kMaxCylinders - 1.0}}, {"sector", "", {0, 1e12}}},
          "Sectors without a block: zone (from 0) and sector of the zone, counted in the order of the mapping");
  v.choice("mapping", mapping, {"conventional", "alternating", "serpentine"},
           "Order of tracks: all heads of a cylinder (alternating: every second cylinder backwards), or bands of "
           "cylinders on one surface after the other");
  v.key("serpentine_band_cylinders", serpentine_band_cylinders, "", {1, Geometry::kMaxCylinders},
        "Cylinders of a band of the serpentine mapping");
}

Geometry::Geometry(const GeometryParams& params)
    : mapping_(static_cast<Mapping>(params.mapping)),
      heads_(static_cast<std::uint32_t>(params.heads)),
      band_(static_cast<std::uint32_t>(params.serpentine_band_cylinders)) {
  if (params.heads < 1 || params.heads > kMaxHeads)
    throw InputError(fmt::format("geometry.heads: {} is not in 1 .. {}", params.heads, kMaxHeads));
  if (params.mapping < 0 || params.mapping > static_cast<int>(Mapping::serpentine))
    throw InputError(fmt::format("geometry.mapping: there is no mapping {}", params.mapping));
  if (params.serpentine_band_cylinders < 1 || params.serpentine_band_cylinders > kMaxCylinders)
    throw InputError("geometry.serpentine_band_cylinders must be at least 1 cylinder");
  if (params.zones.empty()) throw InputError("geometry.zones: a disk needs at least one zone");

  std::vector<std::vector<std::uint64_t>> slips(params.zones.size());
  for (std::size_t i = 0; i < params.slips.size(); ++i) {
    const auto& row = params.slips[i];
    if (row.size() != kSlipColumns) throw InputError(fmt::format("geometry.slips row {}: needs 2 numbers", i + 1));
    const std::uint64_t zone = whole(row, kSlipZone, "geometry.slips", i + 1);
    if (zone >= slips.size()) throw InputError(fmt::format("geometry.slips row {}: there is no zone {}", i + 1, zone));
    slips[zone].push_back(whole(row, kSlipSector, "geometry.slips", i + 1));
  }

  for (std::size_t i = 0; i < params.zones.size(); ++i) {
    const auto& row = params.zones[i];
    const auto fail = [i](const std::string& what) {
      return InputError(fmt::format("geometry.zones row {}: {}", i + 1, what));
    };
    if (row.size() != kZoneColumns) throw fail(fmt::format("needs {} numbers, has {}", +kZoneColumns, row.size()));
    const auto cell = [&](ZoneColumn column) { return whole(row, column, "geometry.zones", i + 1); };

    const std::uint64_t first = cell(kFirstCylinder), last = cell(kLastCylinder), per_track = cell(kSectorsPerTrack);
    if (first != cylinders_) throw fail(fmt::format("first cylinder is {}, but {} comes next", first, cylinders_));
    if (last < first) throw fail(fmt::format("last cylinder {} lies before the first, {}", last, first));
    if (last >= kMaxCylinders) throw fail(fmt::format("cylinder {} is over the limit of {}", last, kMaxCylinders - 1));
    if (per_track < 1 || per_track > kMaxSectorsPerTrack)
      throw fail(fmt::format("sectors per track must be 1 to {}, not {}", kMaxSectorsPerTrack, per_track));
    if (cell(kTrackSkew) >= per_track || cell(kCylinderSkew) >= per_track)
      throw fail("a skew must be less than a revolution");

    Zone zone{};
    zone.first_cylinder = cylinders_;
    zone.cylinders = static_cast<std::uint32_t>(last - first + 1);
    zone.sectors_per_track = static_cast<std::uint32_t>(per_track);
    zone.track_skew = static_cast<std::uint32_t>(cell(kTrackSkew));
    zone.cylinder_skew = static_cast<std::uint32_t>(cell(kCylinderSkew));
    zone.first_lbn = sectors_;

    const std::uint64_t raw = std::uint64_t{zone.cylinders} * heads_ * per_track;
    if (cell(kSpares) >= raw) throw fail(fmt::format("{} spares leave no block of {} sectors", cell(kSpares), raw));
    const std::uint64_t blocks = raw - cell(kSpares);

    zone.slips = std::move(slips[i]);
    std::sort(zone.slips.begin(), zone.slips.end());
    if (std::adjacent_find(zone.slips.begin(), zone.slips.end()) != zone.slips.end())
      throw fail("a sector is slipped twice");
    if (!zone.slips.empty() && zone.slips.back() >= raw) throw fail("a slipped sector lies outside the zone");
    if (zone.slips.size() > cell(kSpares))
      throw fail(fmt::format("{} slips, but {} spares", zone.slips.size(), cell(kSpares)));
    // Each slip below the end of what is used moves that end up by one sector; those behind it are spares like others.
    zone.used = blocks;
    std::size_t counted = 0;
    while (counted < zone.slips.size() && zone.slips[counted] < zone.used) {
      ++zone.used;
      ++counted;
    }
    zone.slips.resize(counted);

    cylinders_ += zone.cylinders;
    sectors_ += blocks;
    zone_ends_.push_back(sectors_);
    zones_.push_back(std::move(zone));
  }

  while (sectors_ >> guide_shift_ >= kGuideEntries) ++guide_shift_;
  for (std::uint64_t entry = 0; entry << guide_shift_ < sectors_; ++entry) {
    const auto end = std::upper_bound(zone_ends_.begin(), zone_ends_.end(), entry << guide_shift_);
    guide_.push_back(static_cast<std::uint32_t>(end - zone_ends_.begin()));
  }
}

Location Geometry::locate(std::uint64_t lbn) const {
  std::size_t number_of_zone = guide_[lbn >> guide_shift_];
  while (lbn >= zone_ends_[number_of_zone]) ++number_of_zone;
  const Zone& zone = zones_[number_of_zone];

  std::uint64_t sector = lbn - zone.first_lbn;
  std::size_t slipped = 0;
  if (!zone.slips.empty()) {
    // The number k of slips below the block's sector: the smallest with sector + k below slip k.
    std::size_t low = 0, high = zone.slips.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (zone.slips[middle] <= sector + middle) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    slipped = low;
    sector += low;
  }

  const std::uint32_t per_track = zone.sectors_per_track;
  const std::uint64_t number = quotient(sector, per_track);
  const Track place = track(zone, number);

  Location location;
  location.cylinder = zone.first_cylinder + place.cylinder;
  location.head = place.head;
  location.sector = static_cast<std::uint32_t>(sector - number * per_track);
  location.sectors_per_track = per_track;
  const std::uint64_t track_end = std::min((number + 1) * per_track, zone.used);
  std::uint64_t run = track_end - sector;
  while (slipped < zone.slips.size() && zone.slips[slipped++] < track_end) --run;  // those further on in the track
  location.run = static_cast<std::uint32_t>(run);
  location.angle = {static_cast<std::int64_t>(remainder(place.skew + location.sector, per_track)), per_track};
  return location;
}

std::optional<std::uint64_t> Geometry::lbn_of(std::uint32_t cylinder, std::uint32_t head, std::uint32_t sector) const {
  if (cylinder >= cylinders_ || head >= heads_) return std::nullopt;
  const Zone& zone = zones_[zone_of(cylinder)];
  if (sector >= zone.sectors_per_track) return std::nullopt;
  const std::uint64_t place = ordinal(zone, cylinder - zone.first_cylinder, head) * zone.sectors_per_track + sector;
  if (place >= zone.used) return std::nullopt;
  const auto slip = std::lower_bound(zone.slips.begin(), zone.slips.end(), place);
  if (slip != zone.slips.end() && *slip == place) return std::nullopt;
  return zone.first_lbn + place - static_cast<std::uint64_t>(slip - zone.slips.begin());
}

std::uint32_t Geometry::zone_of(std::uint32_t cylinder) const {
  const auto behind = std::upper_bound(zones_.begin(), zones_.end(), cylinder,
                                       [](std::uint32_t c, const Zone& zone) { return c < zone.first_cylinder; });
  return static_cast<std::uint32_t>(behind - zones_.begin()) - 1;
}

std::uint32_t Geometry::sectors_per_track(std::uint32_t cylinder) const {
  return zones_[zone_of(cylinder)].sectors_per_track;
}

std::uint32_t Geometry::blocks_on_track(std::uint32_t cylinder, std::uint32_t head) const {
  const Zone& zone = zones_[zone_of(cylinder)];
  return blocks_on_track(zone, ordinal(zone, cylinder - zone.first_cylinder, head));
}

std::uint32_t Geometry::blocks_on_cylinder(std::uint32_t cylinder) const {
  std::uint32_t blocks = 0;
  for (std::uint32_t head = 0; head < heads_; ++head) blocks += blocks_on_track(cylinder, head);
  return blocks;
}

std::uint32_t Geometry::blocks_on_track(const Zone& zone, std::uint64_t number) const {
  const std::uint64_t begin = std::min(number * zone.sectors_per_track, zone.used);
  const std::uint64_t end = std::min(begin + zone.sectors_per_track, zone.used);
  const auto slipped = std::lower_bound(zone.slips.begin(), zone.slips.end(), end) -
                       std::lower_bound(zone.slips.begin(), zone.slips.end(), begin);
  return static_cast<std::uint32_t>(end - begin - static_cast<std::uint64_t>(slipped));
}

Geometry::Track Geometry::track(const Zone& zone, std::uint64_t number) const {
  if (mapping_ != Mapping::serpentine) {
    const auto cylinder = static_cast<std::uint32_t>(quotient(number, heads_));
    const auto nth = static_cast<std::uint32_t>(number - std::uint64_t{cylinder} * heads_);
    const std::uint64_t skew =
        std::uint64_t{cylinder} * (std::uint64_t{heads_ - 1} * zone.track_skew + zone.cylinder_skew) +
        std::uint64_t{nth} * zone.track_skew;
    const bool backwards = mapping_ == Mapping::alternating && cylinder % 2 == 1;
    return {cylinder, backwards ? heads_ - 1 - nth : nth, skew};
  }
  const std::uint64_t band = number / (std::uint64_t{band_} * heads_);
  const auto first = static_cast<std::uint32_t>(band * band_);
  const std::uint32_t width = std::min(band_, zone.cylinders - first);  // the last band of a zone may be narrower
  const std::uint64_t in_band = number - std::uint64_t{first} * heads_;
  const auto head = static_cast<std::uint32_t>(in_band / width);
  const auto along = static_cast<std::uint32_t>(in_band % width);
  // Of the `number` switches on the way, heads - 1 in each band before and `head` in this one were head switches.
  const std::uint64_t head_switches = band * (heads_ - 1) + head;
  return {first + (head % 2 == 0 ? along : width - 1 - along), head,
          head_switches * zone.track_skew + (number - head_switches) * zone.cylinder_skew};
}

std::uint64_t Geometry::ordinal(const Zone& zone, std::uint32_t cylinder, std::uint32_t head) const {
  if (mapping_ != Mapping::serpentine) {
    const bool backwards = mapping_ == Mapping::alternating && cylinder % 2 == 1;
    return std::uint64_t{cylinder} * heads_ + (backwards ? heads_ - 1 - head : head);
  }
  const std::uint32_t first = cylinder / band_ * band_;
  const std::uint32_t width = std::min(band_, zone.cylinders - first);
  const std::uint32_t along = head % 2 == 0 ? cylinder - first : width - 1 - (cylinder - first);
  return std::uint64_t{first} * heads_ + std::uint64_t{head} * width + along;
}

}  // namespace armature::media
