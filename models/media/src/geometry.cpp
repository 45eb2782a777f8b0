#include "armature/media/geometry.h"

#include "armature/core/error.h"
#include "armature/core/shared_equal.h"
#include "layout_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace armature::media {
namespace {

// Division of 32 bits takes a fraction of the time that 64 bits take, and nearly all zones are small enough for it.
std::uint64_t quotient(std::uint64_t a, std::uint32_t b) {
  return a >> 32 == 0 ? static_cast<std::uint32_t>(a) / b : a / b;
}
std::uint32_t remainder(std::uint64_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(a >> 32 == 0 ? static_cast<std::uint32_t>(a) % b : a % b);
}

constexpr std::uint64_t kGuideEntries = 1024;

/// The layout of one range of those that `given` is divided into.
GeometryParams one_range(GeometryParams given) {
  const std::int64_t ranges = given.ranges;
  if (ranges == 1) return given;
  if (ranges < 1 || given.heads % ranges != 0 || given.blocks % ranges != 0)
    throw InputError(
        fmt::format("geometry: {} heads and {} blocks are not {} equal ranges", given.heads, given.blocks, ranges));
  if (!given.surface_sectors.empty()) throw InputError("geometry.surface_sectors: not with arms.range = \"split\"");
  given.heads /= ranges;
  given.blocks /= ranges;
  const std::int64_t unit = given.physical_sector_bytes == 4096 ? 8 : 1;
  for (ZoneParams& zone : given.zones) {
    if (given.spares_per_track || zone.spares < 0 || zone.spares % unit != 0) continue;
    zone.spares = (zone.spares / unit + ranges - 1) / ranges * unit;
  }
  return given;
}

}  // namespace

Geometry::Geometry(const GeometryParams& given)
    : mapping_(given.mapping),
      slip_skew_(given.slip_skew),
      heads_(static_cast<std::uint32_t>(given.heads)),
      heads_of_range_(static_cast<std::uint32_t>(given.heads / std::max<std::int64_t>(given.ranges, 1))),
      unit_(given.physical_sector_bytes == 4096 ? 8 : 1) {
  if (given.heads < 1 || given.heads > kMaxHeads)
    throw InputError(fmt::format("geometry.heads: {} is not in 1 .. {}", given.heads, kMaxHeads));
  if (given.serpentine_band_cylinders < 1 || given.serpentine_band_cylinders > kMaxCylinders)
    throw InputError("geometry.serpentine_band_cylinders must be at least 1 cylinder");
  if (given.physical_sector_bytes != 512 && given.physical_sector_bytes != 4096)
    throw InputError(
        fmt::format("geometry.physical_sector_bytes: must be 512 or 4096, not {}", given.physical_sector_bytes));
  if (given.logical_sector_bytes != 512 && given.logical_sector_bytes != given.physical_sector_bytes)
    throw InputError(
        fmt::format("geometry.logical_sector_bytes: must be 512, or 4096 with physical_sector_bytes = 4096, not {}",
                    given.logical_sector_bytes));
  if (given.zones.empty()) throw InputError("geometry.zones: a disk needs at least one zone");

  const std::vector<ExpandedZone> rows = expanded(one_range(given));
  zones_of_range_ = static_cast<std::uint32_t>(rows.size());
  Zones zones;
  for (std::uint32_t head = 0; head < heads_; head += heads_of_range_)
    for (const ExpandedZone& row : rows) add_zone(zones, row, given.wedges, head);

  // Behind the last block there may be cylinders that hold none.
  cylinders_ = static_cast<std::uint32_t>(given.zones.back().last_cylinder) + 1;
  while (sectors_ >> zones.guide_shift >= kGuideEntries) ++zones.guide_shift;
  for (std::uint64_t entry = 0; entry << zones.guide_shift < sectors_; ++entry) {
    const auto end = std::upper_bound(zones.ends.begin(), zones.ends.end(), entry << zones.guide_shift);
    zones.guide.push_back(static_cast<std::uint32_t>(end - zones.ends.begin()));
  }
  next_spare_.resize(zones.list.size());
  zones_ = shared_equal(std::move(zones));
  if (!given.remaps.empty()) add_remaps(given);
}

/// @param wedges      of each row of `zones`, or none
/// @param first_head  of the range
void Geometry::add_zone(Zones& zones, const ExpandedZone& from, const std::vector<Wedges>& wedges,
                        std::uint32_t first_head) {
  const auto fail = [&from](const std::string& what) {
    return InputError(fmt::format("geometry.zones row {}: {}", from.row, what));
  };
  if (std::max(from.track_skew, from.cylinder_skew) >= from.per_track * from.units)
    throw fail("a skew must be less than a revolution");
  if (from.per_track % unit_ != 0 || from.spares % unit_ != 0)
    throw fail("sectors per track and spares must be multiples of 8 with physical sectors of 4096 bytes");

  Zone zone{};
  zone.first_cylinder = static_cast<std::uint32_t>(from.first_cylinder);
  zone.cylinders = static_cast<std::uint32_t>(from.last_cylinder - from.first_cylinder + 1);
  zone.first_head = first_head;
  zone.sectors_per_track = static_cast<std::uint32_t>(from.per_track);
  zone.surfaces.assign(from.surfaces.begin(), from.surfaces.end());
  zone.track_skew = static_cast<std::uint64_t>(from.track_skew);
  zone.cylinder_skew = static_cast<std::uint64_t>(from.cylinder_skew);
  zone.angle_units = static_cast<std::uint32_t>(from.units);
  zone.start_skew = static_cast<std::uint64_t>(from.start_skew);
  zone.first_backwards = from.first_backwards;
  zone.band = static_cast<std::uint32_t>(from.band);
  zone.band_skew = static_cast<std::uint64_t>(from.band_skew);
  if (!wedges.empty()) zone.wedges = wedges.at(from.row - 1);
  wedged_ = wedged_ || zone.wedges.count != 0;
  if (zone.wedges.count < 0 || zone.wedges.count > Wedges::kMaxCount || zone.wedges.width < 0 ||
      zone.wedges.data() <= 0)
    throw fail("the servo wedges (section format) leave no room for data");
  zone.first_lbn = sectors_;
  zone.first_physical = physical_sectors_;

  const std::int64_t raw = from.sectors(heads_of_range_);
  if (from.spares >= raw) throw fail(fmt::format("{} spares leave no block of {} sectors", from.spares, raw));
  zone.used = static_cast<std::uint64_t>(raw - from.spares);
  zone.end = static_cast<std::uint64_t>(raw);
  physical_sectors_ += zone.end;
  sectors_ += zone.used;
  slip(zone, from);
  zones.ends.push_back(sectors_);
  zones.list.push_back(std::move(zone));
}

void Geometry::slip(Zone& zone, const ExpandedZone& from) const {
  const auto fail = [&from](const std::string& what) {
    return InputError(fmt::format("geometry.zones row {}: {}", from.row, what));
  };
  zone.skewing = from.skewing;
  zone.slips.reserve(from.slips.size() * unit_);
  for (const std::int64_t sector : from.slips)
    for (std::uint32_t i = 0; i < unit_; ++i) zone.slips.push_back(static_cast<std::uint64_t>(sector) + i);
  if (!std::is_sorted(zone.slips.begin(), zone.slips.end())) std::sort(zone.slips.begin(), zone.slips.end());
  if (std::adjacent_find(zone.slips.begin(), zone.slips.end()) != zone.slips.end())
    throw fail("a sector is slipped twice");
  if (!zone.slips.empty() && zone.slips.back() >= zone.end) throw fail("a slipped sector lies outside the zone");
  if (zone.slips.size() > static_cast<std::uint64_t>(from.spares))
    throw fail(fmt::format("{} slips, but {} spares", zone.slips.size(), from.spares));
  // Each slip below the end of what is used moves that end up by one sector; those behind it are spares like others.
  std::size_t counted = 0;
  while (counted < zone.slips.size() && zone.slips[counted] < zone.used) {
    ++zone.used;
    ++counted;
  }
  zone.slipped_spares.assign(zone.slips.begin() + static_cast<std::ptrdiff_t>(counted), zone.slips.end());
  zone.slips.resize(counted);
}

/// Sector of the zone that its spare of that number begins with; the defective ones are no spares.
std::uint64_t Geometry::spare(const Zone& zone, std::uint64_t number) const {
  std::uint64_t sector = zone.used + number * unit_;
  for (const std::uint64_t slipped : zone.slipped_spares)
    if (slipped <= sector) ++sector;
  return sector;
}

void Geometry::add_remaps(const GeometryParams& params) {
  const auto fail = [](std::size_t row, const std::string& what) {
    return InputError(fmt::format("geometry.remaps row {}: {}", row + 1, what));
  };
  struct Row {
    std::uint64_t lbn;
    std::size_t zone;
  };
  std::vector<Row> rows;
  std::vector<std::set<std::uint64_t>> taken(zones_->list.size());  // numbers of spares, counted in physical sectors
  std::set<std::uint64_t> blocks;
  for (std::size_t i = 0; i < params.remaps.size(); ++i) {
    const RemappedBlock& row = params.remaps[i];
    const auto lbn = static_cast<std::uint64_t>(row.lbn);
    if (row.lbn < 0 || lbn >= sectors_)
      throw fail(i, fmt::format("the disk has no block {}, only {}", row.lbn, sectors_));
    if (lbn % unit_ != 0) throw fail(i, "a physical sector begins at a multiple of 8");
    if (!blocks.insert(lbn).second) throw fail(i, fmt::format("block {} is remapped twice", lbn));
    const std::size_t zone = number_of(*original_place(lbn).zone);
    rows.push_back({lbn, zone});
    if (row.spare == RemappedBlock::kNextSpare) continue;
    if (row.spare < 0) throw fail(i, fmt::format("zone {} has no spare {}", zone, row.spare));
    if (!taken[zone].insert(static_cast<std::uint64_t>(row.spare)).second)
      throw fail(i, fmt::format("spare {} is taken twice", row.spare));
  }
  std::vector<std::uint64_t> next(zones_->list.size());  // all spares below it are taken
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto [lbn, number_of_zone] = rows[i];
    const Zone& zone = zones_->list[number_of_zone];
    std::uint64_t spare = next[number_of_zone];
    if (params.remaps[i].spare == RemappedBlock::kNextSpare) {
      while (!taken[number_of_zone].insert(spare).second) ++spare;
      next[number_of_zone] = spare + 1;
    } else {
      spare = static_cast<std::uint64_t>(params.remaps[i].spare);
    }
    const std::uint64_t sector = this->spare(zone, spare);
    if (sector >= zone.end) throw fail(i, fmt::format("zone {} has no spare {}", number_of_zone, spare));
    for (std::uint64_t j = 0; j < unit_; ++j) remaps_.push_back({lbn + j, zone.first_physical + sector + j});
  }
  remaps_by_place_ = remaps_;
  std::sort(remaps_.begin(), remaps_.end(), [](const Remap& a, const Remap& b) { return a.lbn < b.lbn; });
  std::sort(remaps_by_place_.begin(), remaps_by_place_.end(),
            [](const Remap& a, const Remap& b) { return a.place < b.place; });
}

bool Geometry::free_spare(PhysicalSector place) const {
  const auto used = std::lower_bound(remaps_by_place_.begin(), remaps_by_place_.end(), place,
                                     [](const Remap& r, PhysicalSector p) { return r.place < p; });
  return (used == remaps_by_place_.end() || used->place != place) &&
         !std::binary_search(left_.begin(), left_.end(), place);
}

std::optional<PhysicalSector> Geometry::reallocate(std::uint64_t lbn) {
  const Zone& zone = *original_place(lbn).zone;
  for (std::uint64_t& next = next_spare_[number_of(zone)];; ++next) {
    const std::uint64_t sector = spare(zone, next);
    if (sector + unit_ > zone.end) return std::nullopt;
    const PhysicalSector place = zone.first_physical + sector;
    if (!free_spare(place)) continue;
    move(lbn - lbn % unit_, place);
    return place;
  }
}

bool Geometry::reallocate(std::uint64_t lbn, PhysicalSector place) {
  if (lbn >= sectors_ || lbn % unit_ != 0) return false;
  const Zone& zone = *original_place(lbn).zone;
  if (place < zone.first_physical + zone.used || place + unit_ > zone.first_physical + zone.end) return false;
  for (std::uint64_t number = 0; spare(zone, number) <= place - zone.first_physical; ++number) {
    if (zone.first_physical + spare(zone, number) != place) continue;
    if (!free_spare(place)) return false;
    move(lbn, place);
    return true;
  }
  return false;
}

/// `lbn` is the first of its physical sector, `place` a free spare.
void Geometry::move(std::uint64_t lbn, PhysicalSector place) {
  const auto by_lbn = [](const Remap& remap, std::uint64_t block) { return remap.lbn < block; };
  const auto by_place = [](const Remap& remap, PhysicalSector p) { return remap.place < p; };
  for (std::uint64_t i = 0; i < unit_; ++i) {
    const auto at = std::lower_bound(remaps_.begin(), remaps_.end(), lbn + i, by_lbn);
    if (at != remaps_.end() && at->lbn == lbn + i) {
      if (i == 0) left_.insert(std::lower_bound(left_.begin(), left_.end(), at->place), at->place);
      remaps_by_place_.erase(std::lower_bound(remaps_by_place_.begin(), remaps_by_place_.end(), at->place, by_place));
      at->place = place + i;
    } else {
      remaps_.insert(at, {lbn + i, place + i});
    }
    remaps_by_place_.insert(std::lower_bound(remaps_by_place_.begin(), remaps_by_place_.end(), place + i, by_place),
                            {lbn + i, place + i});
  }
}

std::vector<Geometry::Remap>::const_iterator Geometry::remap_at_or_behind(std::uint64_t lbn) const {
  return std::lower_bound(remaps_.begin(), remaps_.end(), lbn,
                          [](const Remap& remap, std::uint64_t block) { return remap.lbn < block; });
}

/// Where the block lies if it is not remapped.
inline Geometry::Place Geometry::original_place(std::uint64_t lbn) const {
  const Zones& zones = *zones_;
  std::size_t number_of_zone = zones.guide[lbn >> zones.guide_shift];
  while (lbn >= zones.ends[number_of_zone]) ++number_of_zone;
  const Zone& zone = zones.list[number_of_zone];

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
  return {&zone, sector, slipped};
}

Location Geometry::locate(std::uint64_t lbn) const {
  std::uint64_t most = ~std::uint64_t{0};  // blocks up to the next one that lies in a spare
  if (!remaps_.empty()) {
    const auto remap = remap_at_or_behind(lbn);
    if (remap != remaps_.end()) {
      if (remap->lbn == lbn) return remapped(*remap);
      most = remap->lbn - lbn;
    }
  }
  const Place original = original_place(lbn);
  const Zone& zone = *original.zone;
  const std::uint64_t sector = original.sector;
  std::size_t slipped = original.slipped;

  const Along along = this->along(zone, sector);
  const Track place = track(zone, along.number);

  Location location;
  location.cylinder = zone.first_cylinder + place.cylinder;
  location.head = place.head;
  location.sector = static_cast<std::uint32_t>(sector - along.begin);
  location.sectors_per_track = along.sectors;
  const std::uint64_t track_end = std::min(along.begin + along.sectors, zone.used);
  std::uint64_t run = track_end - sector, even = run;
  if (slipped < zone.slips.size()) even = std::min(even, zone.slips[slipped] - sector);
  while (slipped < zone.slips.size() && zone.slips[slipped++] < track_end) --run;  // those further on in the track
  location.run = static_cast<std::uint32_t>(std::min(run, most));
  location.even = static_cast<std::uint32_t>(std::min(even, most));
  location.angle = angle(zone, place, location.sector);
  return location;
}

std::uint32_t Geometry::run_before(std::uint64_t lbn) const {
  std::uint64_t most = lbn;  // blocks down to the next one that lies in a spare
  if (!remaps_.empty()) {
    auto remap = remap_at_or_behind(lbn);
    if (remap != remaps_.end() && remap->lbn == lbn)
      return static_cast<std::uint32_t>(lbn % unit_);  // the blocks of a physical sector are moved together
    if (remap != remaps_.begin()) most = lbn - (--remap)->lbn - 1;
  }
  const Place place = original_place(lbn);
  const std::vector<std::uint64_t>& slips = place.zone->slips;
  const std::uint64_t begin = along(*place.zone, place.sector).begin;
  std::uint64_t before = place.sector - begin;
  for (std::size_t i = place.slipped; i > 0 && slips[i - 1] >= begin; --i) --before;
  return static_cast<std::uint32_t>(std::min(before, most));
}

inline TrackAngle Geometry::angle(const Zone& zone, const Track& track, std::uint32_t sector) const {
  if (zone.wedges.count != 0 || !zone.surfaces.empty()) return angles(zone, track).begin(sector);
  if (zone.angle_units == 1)
    return {static_cast<std::int64_t>(remainder(track.skew + sector, zone.sectors_per_track)), zone.sectors_per_track};
  const std::uint64_t turn = std::uint64_t{zone.sectors_per_track} * zone.angle_units;
  return {static_cast<std::int64_t>((track.skew + std::uint64_t{sector} * zone.angle_units) % turn),
          static_cast<std::int64_t>(turn)};
}

TrackAngles Geometry::angles(const Zone& zone, const Track& track) const {
  const std::uint32_t sectors = track_sectors(zone, track.head - zone.first_head);
  std::uint64_t skew = track.skew;
  if (sectors != zone.sectors_per_track)  // the same part of a revolution in this track's sectors
    skew = skew % (std::uint64_t{zone.sectors_per_track} * zone.angle_units) * sectors / zone.sectors_per_track;
  return {skew, zone.angle_units, std::int64_t{sectors} * zone.angle_units, zone.wedges};
}

TrackAngles Geometry::track_angles(const Location& at) const {
  if (!wedged_) {  // the angle of the sector tells where the track begins
    const std::int64_t turn = at.angle.denominator, units = turn / at.sectors_per_track;
    const std::int64_t skew = at.angle.numerator - at.sector * units;
    return {static_cast<std::uint64_t>(skew < 0 ? skew + turn : skew), units, turn, {}};
  }
  const Zone& zone = zone_at(at.cylinder, at.head);
  return angles(zone, track(zone, ordinal(zone, at.cylinder - zone.first_cylinder, at.head)));
}

Location Geometry::remapped(const Remap& remap) const {
  const Zone& zone = *original_place(remap.lbn).zone;
  const std::uint64_t sector = remap.place - zone.first_physical;
  const Along along = this->along(zone, sector);
  const Track place = track(zone, along.number);
  Location location;
  location.cylinder = zone.first_cylinder + place.cylinder;
  location.head = place.head;
  location.sector = static_cast<std::uint32_t>(sector - along.begin);
  location.sectors_per_track = along.sectors;
  location.run = location.even = unit_ - static_cast<std::uint32_t>(remap.lbn % unit_);
  location.angle = angle(zone, place, location.sector);
  return location;
}

PhysicalSector Geometry::physical(const Location& at) const {
  const Zone& zone = zone_at(at.cylinder, at.head);
  return zone.first_physical + track_begin(zone, ordinal(zone, at.cylinder - zone.first_cylinder, at.head)) + at.sector;
}

std::uint64_t Geometry::track_of_zone(const Location& at) const {
  const Zone& zone = zone_at(at.cylinder, at.head);
  return ordinal(zone, at.cylinder - zone.first_cylinder, at.head);
}

PhysicalSector Geometry::physical(std::uint64_t lbn) const {
  if (!remaps_.empty()) {
    const auto remap = remap_at_or_behind(lbn);
    if (remap != remaps_.end() && remap->lbn == lbn) return remap->place;
  }
  const Place place = original_place(lbn);
  return place.zone->first_physical + place.sector;
}

std::optional<std::uint64_t> Geometry::lbn_of(std::uint32_t cylinder, std::uint32_t head, std::uint32_t sector) const {
  if (cylinder >= cylinders_ || head >= heads_) return std::nullopt;
  const Zone& zone = zone_at(cylinder, head);
  if (sector >= track_sectors(zone, head - zone.first_head) || !holds(zone, cylinder)) return std::nullopt;
  const std::uint64_t place = track_begin(zone, ordinal(zone, cylinder - zone.first_cylinder, head)) + sector;
  if (place >= zone.used) {
    const PhysicalSector physical = zone.first_physical + place;
    const auto remap = std::lower_bound(remaps_by_place_.begin(), remaps_by_place_.end(), physical,
                                        [](const Remap& r, PhysicalSector p) { return r.place < p; });
    if (remap == remaps_by_place_.end() || remap->place != physical) return std::nullopt;
    return remap->lbn;
  }
  const auto slip = std::lower_bound(zone.slips.begin(), zone.slips.end(), place);
  if (slip != zone.slips.end() && *slip == place) return std::nullopt;
  const std::uint64_t lbn = zone.first_lbn + place - static_cast<std::uint64_t>(slip - zone.slips.begin());
  const auto remap = remap_at_or_behind(lbn);
  if (remap != remaps_.end() && remap->lbn == lbn) return std::nullopt;
  return lbn;
}

std::uint32_t Geometry::zone_of(std::uint32_t cylinder) const {
  const Zone* const first = zones_->list.data();
  const Zone* const behind =
      std::upper_bound(first, first + zones_of_range_, cylinder,
                       [](std::uint32_t c, const Zone& zone) { return c < zone.first_cylinder; });
  // Cylinders before the first zone's belong to the drive; `holds` tells.
  return behind == first ? 0 : static_cast<std::uint32_t>(behind - first) - 1;
}

std::uint32_t Geometry::sectors_per_track(std::uint32_t cylinder) const {
  const Zone& zone = zones_->list[zone_of(cylinder)];
  return zone.surfaces.empty() ? zone.sectors_per_track : *std::max_element(zone.surfaces.begin(), zone.surfaces.end());
}

std::uint32_t Geometry::blocks_on_track(std::uint32_t cylinder, std::uint32_t head) const {
  const Zone& zone = zone_at(cylinder, head);
  if (!holds(zone, cylinder)) return 0;
  return blocks_on_track(zone, ordinal(zone, cylinder - zone.first_cylinder, head));
}

std::uint32_t Geometry::blocks_on_cylinder(std::uint32_t cylinder) const {
  std::uint32_t blocks = 0;
  for (std::uint32_t head = 0; head < heads_; ++head) blocks += blocks_on_track(cylinder, head);
  return blocks;
}

std::uint32_t Geometry::blocks_on_track(const Zone& zone, std::uint64_t number) const {
  const std::uint64_t first_sector = track_begin(zone, number), next = track_begin(zone, number + 1);
  const std::uint64_t begin = std::min(first_sector, zone.used), end = std::min(next, zone.used);
  const auto slipped = std::lower_bound(zone.slips.begin(), zone.slips.end(), end) -
                       std::lower_bound(zone.slips.begin(), zone.slips.end(), begin);
  const auto blocks = static_cast<std::uint32_t>(end - begin - static_cast<std::uint64_t>(slipped));
  if (remaps_.empty()) return blocks;
  const std::uint64_t first =
      zone.first_lbn + begin -
      static_cast<std::uint64_t>(std::lower_bound(zone.slips.begin(), zone.slips.end(), begin) - zone.slips.begin());
  const auto gone = remap_at_or_behind(first + blocks) - remap_at_or_behind(first);
  return blocks - static_cast<std::uint32_t>(gone) +
         blocks_in_spares(zone.first_physical + first_sector, zone.first_physical + next);
}

std::uint32_t Geometry::blocks_in_spares(PhysicalSector begin, PhysicalSector end) const {
  const auto before = [](const Remap& remap, PhysicalSector place) { return remap.place < place; };
  const auto first = std::lower_bound(remaps_by_place_.begin(), remaps_by_place_.end(), begin, before);
  return static_cast<std::uint32_t>(std::lower_bound(first, remaps_by_place_.end(), end, before) - first);
}

/// Of a track's beginning, by the slips before it.
std::uint64_t Geometry::slip_skew(const Zone& zone, std::uint64_t number) const {
  const std::uint64_t first = slip_skew_ == SlipSkew::cylinder ? number - number % heads_of_range_ : number;
  const auto behind = std::lower_bound(zone.skewing.begin(), zone.skewing.end(), first * zone.sectors_per_track);
  return static_cast<std::uint64_t>(behind - zone.skewing.begin()) * zone.angle_units;
}

Geometry::Group Geometry::group(const Zone& zone, std::uint64_t number) const {
  const std::uint32_t width = in_bands() ? zone.band : 1;
  const auto first = static_cast<std::uint32_t>(number * width);
  return {number, first, std::min(width, zone.cylinders - std::min(first, zone.cylinders))};
}

std::uint32_t Geometry::nth_head(const Zone& zone, std::uint64_t group, std::uint32_t nth) const {
  if (in_bands()) return in_band(zone, group, nth);
  return backwards(zone, static_cast<std::uint32_t>(group)) ? heads_of_range_ - 1 - nth : nth;
}

inline Geometry::Along Geometry::along(const Zone& zone, std::uint64_t sector) const {
  if (zone.surfaces.empty()) {
    const std::uint64_t number = quotient(sector, zone.sectors_per_track);
    return {number, number * zone.sectors_per_track, zone.sectors_per_track};
  }
  const std::uint64_t of_cylinder = std::accumulate(zone.surfaces.begin(), zone.surfaces.end(), std::uint64_t{0});
  const std::uint64_t whole = (in_bands() ? zone.band : 1) * of_cylinder;
  const Group in = group(zone, sector / whole);
  std::uint64_t left = sector - in.number * whole;
  for (std::uint32_t nth = 0;; ++nth) {
    const std::uint32_t sectors = zone.surfaces[nth_head(zone, in.number, nth)];
    const std::uint64_t on_surface = std::uint64_t{in.width} * sectors;
    if (left < on_surface || nth + 1 == heads_of_range_)
      return {std::uint64_t{in.first} * heads_of_range_ + std::uint64_t{nth} * in.width + left / sectors,
              sector - left % sectors, sectors};
    left -= on_surface;
  }
}

std::uint64_t Geometry::track_begin(const Zone& zone, std::uint64_t number) const {
  if (zone.surfaces.empty()) return number * zone.sectors_per_track;
  const std::uint64_t of_cylinder = std::accumulate(zone.surfaces.begin(), zone.surfaces.end(), std::uint64_t{0});
  const Group in = group(zone, number / (std::uint64_t{in_bands() ? zone.band : 1} * heads_of_range_));
  if (in.width == 0) return zone.end;  // behind the zone's last track
  std::uint64_t tracks = number - std::uint64_t{in.first} * heads_of_range_;
  std::uint64_t begin = in.first * of_cylinder;
  for (std::uint32_t nth = 0; tracks > 0; ++nth) {
    const std::uint64_t passed = std::min<std::uint64_t>(tracks, in.width);
    begin += passed * zone.surfaces[nth_head(zone, in.number, nth)];
    tracks -= passed;
  }
  return begin;
}

Geometry::Track Geometry::track(const Zone& zone, std::uint64_t number) const {
  if (!in_bands()) {
    const auto cylinder = static_cast<std::uint32_t>(quotient(number, heads_of_range_));
    const auto nth = static_cast<std::uint32_t>(number - std::uint64_t{cylinder} * heads_of_range_);
    const std::uint64_t skew =
        zone.start_skew +
        std::uint64_t{cylinder} * (std::uint64_t{heads_of_range_ - 1} * zone.track_skew + zone.cylinder_skew) +
        std::uint64_t{nth} * zone.track_skew + (zone.skewing.empty() ? 0 : slip_skew(zone, number));
    return {cylinder, zone.first_head + (backwards(zone, cylinder) ? heads_of_range_ - 1 - nth : nth), skew};
  }
  const std::uint64_t band = number / (std::uint64_t{zone.band} * heads_of_range_);
  const auto first = static_cast<std::uint32_t>(band * zone.band);
  const std::uint32_t width = std::min(zone.band, zone.cylinders - first);  // a zone's last band may be narrower
  const std::uint64_t of_band = number - std::uint64_t{first} * heads_of_range_;
  const auto nth = static_cast<std::uint32_t>(of_band / width);
  const auto along = static_cast<std::uint32_t>(of_band % width);
  // Of the `number` switches on the way, heads - 1 in each band before and `nth` in this one were head switches.
  const std::uint64_t head_switches = band * (heads_of_range_ - 1) + nth;
  return {first + in_width(nth, along, width), zone.first_head + in_band(zone, band, nth),
          zone.start_skew + head_switches * zone.track_skew + band * zone.band_skew +
              (number - head_switches - band) * zone.cylinder_skew};
}

std::uint64_t Geometry::ordinal(const Zone& zone, std::uint32_t cylinder, std::uint32_t global_head) const {
  const std::uint32_t head = global_head - zone.first_head;
  if (!in_bands()) {
    return std::uint64_t{cylinder} * heads_of_range_ + (backwards(zone, cylinder) ? heads_of_range_ - 1 - head : head);
  }
  const std::uint32_t band = cylinder / zone.band, first = band * zone.band;
  const std::uint32_t width = std::min(zone.band, zone.cylinders - first);
  const std::uint32_t nth = in_band(zone, band, head);
  const std::uint32_t along = in_width(nth, cylinder - first, width);
  return std::uint64_t{first} * heads_of_range_ + std::uint64_t{nth} * width + along;
}

}  // namespace armature::media
