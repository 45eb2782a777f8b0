#include "layout_rows.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

namespace armature::media {
namespace {

constexpr std::int64_t kUnitsOfSector = 1 << 20;  // revolutions are rounded to these
constexpr std::int64_t kMostRanges = 1'000'000;   ///< each is kept as a zone of its own

bool whole(double value) {
  return value >= 0 && value <= 1e15 && value == std::floor(value);
}

/// A row, of any of the tables of a layout, that is about one zone.
class RowOfZone {
 public:
  /// @param number  from 0
  /// @param zone    as the row has it
  RowOfZone(const GeometryParams& params, const char* table, std::size_t number, std::int64_t zone)
      : params_(params), table_(table), number_(number), zone_(static_cast<std::size_t>(zone)) {
    if (zone < 0 || zone_ >= params.zones.size()) throw fail(fmt::format("there is no zone {}", zone));
  }
  std::size_t zone() const { return zone_; }
  bool in_revolutions() const { return params_.skew_unit == SkewUnit::revolutions; }
  bool less_than_a_turn(double angle) const {
    return angle < (in_revolutions() ? 1 : static_cast<double>(params_.zones[zone_].sectors_per_track));
  }
  /// Checks a skew of the row.
  double skew(double given) const {
    if (!(in_revolutions() ? given >= 0 : whole(given))) throw fail("a skew in sectors is a whole number");
    if (!less_than_a_turn(given)) throw fail("a skew must be less than a revolution");
    return given;
  }
  /// The one row of its zone.
  void only(std::vector<bool>& named) const {
    if (named[zone_]) throw fail(fmt::format("zone {} has a row already", zone_));
    named[zone_] = true;
  }
  InputError fail(const std::string& what) const {
    return InputError(fmt::format("{} row {}: {}", table_, number_ + 1, what));
  }

 private:
  const GeometryParams& params_;
  const char* table_;
  std::size_t number_;
  std::size_t zone_;
};

/// By zone; without an offset and a reserve where no row names it.
std::vector<ZoneFront> fronts(const GeometryParams& params) {
  std::vector<ZoneFront> of_zones(params.zones.size());
  std::vector<bool> named(of_zones.size());
  for (std::size_t i = 0; i < params.zone_fronts.size(); ++i) {
    const ZoneFront& front = params.zone_fronts[i];
    const RowOfZone row(params, "geometry.zone_fronts", i, front.zone);
    if (front.reserved < 0 || !(whole(front.offset) || (row.in_revolutions() && front.offset >= 0)))
      throw row.fail("must hold whole numbers");
    if (!row.less_than_a_turn(front.offset)) throw row.fail("an offset must be less than a revolution");
    row.only(named);
    of_zones[row.zone()] = front;
  }
  return of_zones;
}

/// By zone; zero where no row names it. In skew_unit.
std::vector<double> range_skews(const GeometryParams& params) {
  std::vector<double> of_zones(params.zones.size());
  std::vector<bool> named(of_zones.size());
  if (!params.range_skews.empty() && params.spare_range_cylinders == 0)
    throw InputError("geometry.range_skews: needs geometry.spare_range_cylinders");
  for (std::size_t i = 0; i < params.range_skews.size(); ++i) {
    const RowOfZone row(params, "geometry.range_skews", i, params.range_skews[i].zone);
    row.only(named);
    of_zones[row.zone()] = row.skew(params.range_skews[i].skew);
  }
  return of_zones;
}

/// By zone, the sectors of each surface's tracks; empty where all have those of the zone.
std::vector<std::vector<std::int64_t>> surfaces(const GeometryParams& params, std::int64_t unit) {
  std::vector<std::vector<std::int64_t>> of_zones(params.zones.size());
  std::set<std::pair<std::int64_t, std::int64_t>> named;
  for (std::size_t i = 0; i < params.surface_sectors.size(); ++i) {
    const SurfaceSectors& given = params.surface_sectors[i];
    const RowOfZone row(params, "geometry.surface_sectors", i, given.zone);
    if (!row.in_revolutions())
      throw row.fail("needs geometry.skew_unit = \"revolutions\": a skew in sectors would differ between surfaces");
    if (given.surface < 0 || given.surface >= params.heads)
      throw row.fail(fmt::format("there is no surface {}", given.surface));
    if (given.sectors < 1 || given.sectors > Geometry::kMaxSectorsPerTrack)
      throw row.fail(
          fmt::format("sectors per track must be 1 to {}, not {}", Geometry::kMaxSectorsPerTrack, given.sectors));
    if (given.sectors % unit != 0)
      throw row.fail("sectors per track must be a multiple of 8 with physical sectors of 4096 bytes");
    if (!named.insert({given.zone, given.surface}).second)
      throw row.fail(fmt::format("surface {} of zone {} has a row already", given.surface, given.zone));
    std::vector<std::int64_t>& of_zone = of_zones[row.zone()];
    of_zone.resize(static_cast<std::size_t>(params.heads), params.zones[row.zone()].sectors_per_track);
    of_zone[static_cast<std::size_t>(given.surface)] = given.sectors;
  }
  return of_zones;
}

/// By zone; where no row names it, the bands of all zones, whose changes are cylinder switches.
std::vector<ZoneBands> bands(const GeometryParams& params) {
  std::vector<ZoneBands> of_zones;
  for (const ZoneParams& zone : params.zones)
    of_zones.push_back({static_cast<std::int64_t>(of_zones.size()), params.serpentine_band_cylinders,
                        zone.cylinder_skew, /*backwards=*/false});
  std::vector<bool> named(of_zones.size());
  if (!params.bands.empty() && !has_bands(params.mapping))
    throw InputError("geometry.bands: only the serpentine mappings and inward_bands have bands");
  for (std::size_t i = 0; i < params.bands.size(); ++i) {
    const ZoneBands& given = params.bands[i];
    const RowOfZone row(params, "geometry.bands", i, given.zone);
    row.only(named);
    if (given.cylinders < 1 || given.cylinders > Geometry::kMaxCylinders)
      throw row.fail("a band has at least 1 cylinder");
    row.skew(given.skew);
    of_zones[row.zone()] = given;
  }
  return of_zones;
}

/// First sectors of the physical sectors that are slipped, by zone, ascending.
std::vector<std::vector<std::int64_t>> slips(const GeometryParams& params, std::int64_t unit) {
  std::vector<std::vector<std::int64_t>> of_zones(params.zones.size());
  for (std::size_t i = 0; i < params.slips.size(); ++i) {
    const SlippedSector& slip = params.slips[i];
    const RowOfZone row(params, "geometry.slips", i, slip.zone);
    if (slip.sector < 0) throw row.fail(fmt::format("a zone has no sector {}", slip.sector));
    if (slip.sector % unit != 0) throw row.fail("a physical sector begins at a multiple of 8");
    of_zones[row.zone()].push_back(slip.sector);
  }
  for (std::vector<std::int64_t>& of_zone : of_zones) std::sort(of_zone.begin(), of_zone.end());
  return of_zones;
}

/// Angles as they are given become parts of a sector, and skews those of another speed.
struct Angles {
  SkewUnit unit;
  double scale;  ///< of skews
  std::int64_t per_track;

  std::int64_t units() const { return unit == SkewUnit::revolutions ? kUnitsOfSector : 1; }  ///< of a sector
  std::int64_t turn() const { return per_track * units(); }
  std::int64_t offset(double given) const {
    if (unit == SkewUnit::sectors) return static_cast<std::int64_t>(given);
    return std::llround(given * static_cast<double>(per_track) * static_cast<double>(kUnitsOfSector));
  }
  /// At another speed what goes beyond a revolution is the same place again.
  std::int64_t skew(double given) const {
    if (scale == 1) return offset(given);
    const auto track = static_cast<double>(per_track);
    const double turns = std::fmod(given * scale, unit == SkewUnit::sectors ? track : 1);
    return offset(unit == SkewUnit::sectors ? std::fmod(std::ceil(turns), track) : turns);
  }
};

void check_combination(const GeometryParams& params) {
  if (params.spare_range_cylinders < 0) throw InputError("geometry.spare_range_cylinders must not be negative");
  if (params.spares_per_track && params.spare_range_cylinders > 0)
    throw InputError("geometry.spares_per_track: spares are those of a track or of a range of cylinders, not both");
  if (!params.surface_sectors.empty() && (params.spares_per_track || params.slip_skew != SlipSkew::none))
    throw InputError("geometry.surface_sectors: not with spares_per_track or slip_skew");
  if (!has_bands(params.mapping)) return;
  if (params.spare_range_cylinders > 0)
    throw InputError("geometry.spare_range_cylinders: not with the serpentine mappings and inward_bands");
  if (params.slip_skew != SlipSkew::none)
    throw InputError("geometry.slip_skew: not with the serpentine mappings and inward_bands");
}

/// One range of a zone, or a zone. Sectors are counted from its first.
class RangeOfZone {
 public:
  /// @param slips  ascending; first sectors of physical sectors of `unit`
  RangeOfZone(std::int64_t raw, std::int64_t per_track, std::int64_t unit, std::vector<std::int64_t> slips)
      : raw_(raw), per_track_(per_track), unit_(unit), slips_(std::move(slips)), empty_(slips_) {}

  std::int64_t spares() const { return spares_; }
  std::int64_t blocks() const { return raw_ - spares_; }
  /// Of `unit` sectors each; not what is left at the end.
  const std::vector<std::int64_t>& empty() const { return empty_; }

  void add_spares(const GeometryParams& params, std::int64_t spares) {
    const std::int64_t slipped = static_cast<std::int64_t>(slips_.size()) * unit_;
    if (params.spares_per_track) {
      add_spares_of_tracks(params, spares);
    } else {
      spares_ += spares;
      if (params.spares_in_front) empty_from(0, spares - (params.slips_use_spares ? slipped : 0));
    }
    spares_ += params.slips_use_spares ? 0 : slipped;
    sort();
  }

  /// The drive keeps the first sectors that would hold blocks.
  void reserve(std::int64_t sectors) {
    empty_from(0, sectors);
    spares_ += sectors;
    sort();
  }

 private:
  void add_spares_of_tracks(const GeometryParams& params, std::int64_t spares) {
    // Without spares nothing is to be done on a track but the first with a slip; a disk may have billions of tracks.
    std::int64_t track = 0;
    if (spares == 0) track = slips_.empty() || !params.slips_use_spares ? raw_ : slips_[0] - slips_[0] % per_track_;
    for (; track < raw_; track += per_track_) {
      const std::int64_t slipped = slips_in(track, track + per_track_);
      if (params.slips_use_spares && slipped > spares)
        throw InputError(fmt::format("{} slips on a track, but {} spares", slipped / unit_, spares));
      const std::int64_t unused = spares - (params.slips_use_spares ? slipped : 0);
      params.spares_in_front ? empty_from(track, unused) : empty_before(track + per_track_, unused);
      spares_ += spares;
    }
  }
  std::int64_t slips_in(std::int64_t begin, std::int64_t end) const {
    const auto first = std::lower_bound(slips_.begin(), slips_.end(), begin);
    return (std::lower_bound(first, slips_.end(), end) - first) * unit_;
  }
  // `empty_` is sorted up to where it was last; what is added lies in another track or nowhere else.
  bool is_empty(std::int64_t sector) const {
    return std::binary_search(empty_.begin(), empty_.begin() + static_cast<std::ptrdiff_t>(sorted_), sector);
  }
  void sort() {
    // Spares alone come in their order, and may be 20 million.
    if (!std::is_sorted(empty_.begin(), empty_.end())) std::sort(empty_.begin(), empty_.end());
    sorted_ = empty_.size();
  }
  void empty_from(std::int64_t sector, std::int64_t count) {
    for (; count > 0 && sector < raw_; sector += unit_) {
      if (is_empty(sector)) continue;
      empty_.push_back(sector);
      count -= unit_;
    }
  }
  void empty_before(std::int64_t end, std::int64_t count) {
    for (std::int64_t sector = end - unit_; count > 0 && sector >= end - per_track_; sector -= unit_) {
      if (is_empty(sector)) continue;
      empty_.push_back(sector);
      count -= unit_;
    }
  }

  const std::int64_t raw_;
  const std::int64_t per_track_;
  const std::int64_t unit_;
  const std::vector<std::int64_t> slips_;
  std::vector<std::int64_t> empty_;
  std::size_t sorted_ = slips_.size();
  std::int64_t spares_ = 0;
};

/// A row of `zones`, checked.
struct ZoneRow : ZoneParams {
  std::size_t number;  ///< from 1

  InputError fail(const std::string& what) const {
    return InputError(fmt::format("geometry.zones row {}: {}", number, what));
  }
};

/// @param next  the first cylinder behind the zone before
ZoneRow zone_row(const GeometryParams& params, std::size_t index, std::int64_t next) {
  const ZoneRow zone{params.zones[index], index + 1};
  const bool revolutions = params.skew_unit == SkewUnit::revolutions;
  for (const double skew : {zone.track_skew, zone.cylinder_skew})
    if (!whole(skew) && !(revolutions && skew >= 0 && skew < 1))
      throw zone.fail(
          fmt::format("a skew must be a whole number{}, not {}", revolutions ? " or less than 1" : "", skew));
  if (zone.spares < 0) throw zone.fail(fmt::format("there are no {} spares", zone.spares));
  if (params.cylinder_gaps ? zone.first_cylinder < next : zone.first_cylinder != next)
    throw zone.fail(fmt::format("first cylinder is {}, but {} comes next", zone.first_cylinder, next));
  if (zone.last_cylinder < zone.first_cylinder)
    throw zone.fail(fmt::format("last cylinder {} lies before the first, {}", zone.last_cylinder, zone.first_cylinder));
  if (zone.last_cylinder >= Geometry::kMaxCylinders)
    throw zone.fail(
        fmt::format("cylinder {} is over the limit of {}", zone.last_cylinder, Geometry::kMaxCylinders - 1));
  if (zone.sectors_per_track < 1 || zone.sectors_per_track > Geometry::kMaxSectorsPerTrack)
    throw zone.fail(fmt::format("sectors per track must be 1 to {}, not {}", Geometry::kMaxSectorsPerTrack,
                                zone.sectors_per_track));
  return zone;
}

/// @param listed  sectors without a block of the zones before
void check_spares_of_tracks(const ZoneRow& zone, std::int64_t heads, std::int64_t listed) {
  if (zone.spares > 0 && zone.spares >= zone.sectors_per_track)
    throw zone.fail(fmt::format("{} spares leave no block on a track of {} sectors (geometry.spares_per_track)",
                                zone.spares, zone.sectors_per_track));
  const std::int64_t tracks = zone.cylinders() * heads;
  if (listed + tracks * zone.spares > Geometry::kMaxListed)
    throw zone.fail(
        fmt::format("with geometry.spares_per_track a drive has at most {} spares, and these are {} on {} tracks",
                    Geometry::kMaxListed, tracks * zone.spares, tracks));
}

/// The zones that a row of `zones` becomes.
class Expansion {
 public:
  explicit Expansion(const GeometryParams& params)
      : params_(params),
        unit_(params.physical_sector_bytes == 4096 ? 8 : 1),
        fronts_(fronts(params)),
        range_skews_(range_skews(params)),
        bands_(bands(params)) {
    check_combination(params);
    surfaces_ = surfaces(params, unit_);
    slips_ = slips(params, unit_);
  }

  std::vector<ExpandedZone> zones() {
    std::int64_t next = 0;
    for (std::size_t z = 0; z < params_.zones.size(); ++z) {
      const ZoneRow zone = zone_row(params_, z, next);
      next = zone.last_cylinder + 1;
      add(zone);
    }
    if (params_.blocks < 0) throw InputError("geometry.blocks must not be negative");
    if (params_.blocks > 0) cut_to_blocks();
    if (made_.empty()) throw InputError("geometry.zones: the drive keeps all of them for itself");
    return std::move(made_);
  }

 private:
  bool slips_delay() const { return params_.slip_skew != SlipSkew::none; }

  void add(const ZoneRow& zone) {
    const ZoneFront& front = fronts_[zone.number - 1];
    if (front.reserved % unit_ != 0)
      throw zone.fail("a number of reserved sectors must be a multiple of 8 with physical sectors of 4096 bytes");
    if (params_.spares_per_track) check_spares_of_tracks(zone, params_.heads, listed_);
    const std::int64_t width = params_.spare_range_cylinders > 0 ? params_.spare_range_cylinders : zone.cylinders();
    const std::int64_t ranges = (zone.cylinders() + width - 1) / width;
    if (static_cast<std::int64_t>(made_.size()) + ranges > kMostRanges)
      throw InputError(
          fmt::format("geometry.spare_range_cylinders: zone {} alone has {} ranges of {} cylinders; a "
                      "drive has at most {} in all",
                      zone.number - 1, ranges, width, kMostRanges));
    std::int64_t reserved = front.reserved;
    std::size_t slipped = 0;
    for (std::int64_t first = zone.first_cylinder; first <= zone.last_cylinder; first += width)
      add_range(zone, first, std::min(first + width - 1, zone.last_cylinder), width, slipped, reserved);
    if (reserved > 0) throw zone.fail("what is reserved at its front is more than it holds");
  }

  /// The zone's slips of the cylinders up to `last`, counted from `begin`. Those behind the zone's end go to the last
  /// range, which is checked later. `slipped`: how many lie before, which grows.
  std::vector<std::int64_t> slips_of(const ZoneRow& zone, std::int64_t begin, std::int64_t end, bool last,
                                     std::size_t& slipped) const {
    const std::vector<std::int64_t>& all = slips_[zone.number - 1];
    std::vector<std::int64_t> found;
    for (; slipped < all.size() && (last || all[slipped] < end); ++slipped) found.push_back(all[slipped] - begin);
    if (std::adjacent_find(found.begin(), found.end()) != found.end()) throw zone.fail("a sector is slipped twice");
    return found;
  }

  void add_range(const ZoneRow& zone, std::int64_t first, std::int64_t last, std::int64_t width, std::size_t& slipped,
                 std::int64_t& reserved) {
    const std::vector<std::int64_t>& surfaces = surfaces_[zone.number - 1];
    const std::int64_t of_cylinder = surfaces.empty()
                                         ? params_.heads * zone.sectors_per_track
                                         : std::accumulate(surfaces.begin(), surfaces.end(), std::int64_t{0});
    const std::int64_t begin = (first - zone.first_cylinder) * of_cylinder;
    const std::size_t before = slipped;
    const std::vector<std::int64_t> slips =
        slips_of(zone, begin, begin + width * of_cylinder, last == zone.last_cylinder, slipped);
    RangeOfZone range((last - first + 1) * of_cylinder, zone.sectors_per_track, unit_, slips);
    // As in DiskSim (sparing scheme 8): only a whole range has spares.
    const bool whole_range = params_.spare_range_cylinders <= 0 || last - first + 1 == width;
    try {
      range.add_spares(params_, whole_range ? zone.spares : 0);
    } catch (const InputError& error) {
      throw zone.fail(error.what());
    }
    const std::int64_t kept = std::min(reserved, std::max<std::int64_t>(range.blocks(), 0));
    reserved -= kept;
    if (kept > 0 && kept == range.blocks()) return;
    range.reserve(kept);

    ExpandedZone made = place(zone, first, width, before);
    made.last_cylinder = last;
    made.spares = range.spares();
    made.slips = range.empty();
    if (slips_delay()) made.skewing.assign(slips.begin(), slips.end());
    listed_ += static_cast<std::int64_t>(made.slips.size());
    made_.push_back(std::move(made));
  }

  /// The range of the zone that begins at cylinder `first`, and its skews. `slipped`: slips of the zone before it.
  ExpandedZone place(const ZoneRow& zone, std::int64_t first, std::int64_t width, std::size_t slipped) const {
    const Angles angles{params_.skew_unit, params_.skew_scale, zone.sectors_per_track};
    const ZoneBands& bands = bands_[zone.number - 1];
    const Mapping mapping = params_.mapping;
    ExpandedZone made;
    made.row = zone.number;
    made.first_cylinder = first;
    made.per_track = zone.sectors_per_track;
    made.surfaces = surfaces_[zone.number - 1];
    made.units = angles.units();
    made.track_skew = angles.skew(zone.track_skew);
    made.cylinder_skew = angles.skew(zone.cylinder_skew);
    made.band = bands.cylinders;
    made.band_skew = angles.skew(bands.skew);
    made.first_backwards = bands.backwards ||
                           (mapping == Mapping::alternating && (first - zone.first_cylinder) % 2 == 1) ||
                           (mapping == Mapping::alternating_odd && first % 2 == 1);
    using Wide = __int128;
    const Wide of_cylinder = Wide{params_.heads - 1} * made.track_skew + made.cylinder_skew;
    Wide skew = angles.offset(fronts_[zone.number - 1].offset) + (first - zone.first_cylinder) * of_cylinder +
                Wide{(first - zone.first_cylinder) / width} * angles.skew(range_skews_[zone.number - 1]);
    if (slips_delay()) skew += Wide{static_cast<std::int64_t>(slipped)} * made.units;
    made.start_skew = static_cast<std::int64_t>(skew % angles.turn());
    return made;
  }

  /// What lies behind the last block holds none.
  void cut_to_blocks() {
    std::int64_t left = params_.blocks;
    std::size_t zones = 0;
    for (; zones < made_.size() && left > 0; ++zones) {
      ExpandedZone& zone = made_[zones];
      const std::int64_t holds = zone.sectors(params_.heads) - zone.spares;
      if (holds > left) zone.spares += holds - left;
      left -= std::min(holds, left);
    }
    if (left > 0)
      throw InputError(fmt::format("geometry.blocks: the zones hold {} blocks fewer than {}", left, params_.blocks));
    made_.resize(zones);
  }

  const GeometryParams& params_;
  const std::int64_t unit_;
  const std::vector<ZoneFront> fronts_;
  const std::vector<double> range_skews_;
  const std::vector<ZoneBands> bands_;
  std::vector<std::vector<std::int64_t>> surfaces_;  ///< by zone
  std::vector<std::vector<std::int64_t>> slips_;     ///< by zone
  std::vector<ExpandedZone> made_;
  std::int64_t listed_ = 0;  ///< slips of those
};

}  // namespace

std::vector<ExpandedZone> expanded(const GeometryParams& params) {
  return Expansion(params).zones();
}

}  // namespace armature::media
