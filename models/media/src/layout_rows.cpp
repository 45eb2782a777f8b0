#include "layout_rows.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace armature::media {
namespace {

enum { kFirst, kLast, kPerTrack, kTrackSkew, kCylinderSkew, kSpares, kZoneColumns };

constexpr std::int64_t kUnitsOfSector = 1 << 20;  // revolutions are rounded to these
/// Spares of tracks are kept in a list, one by one: more than these take gigabytes.
constexpr std::int64_t kMostListed = 20'000'000;
constexpr std::int64_t kMostRanges = 1'000'000;  ///< each is kept as a zone of its own

bool whole(double value) {
  return value >= 0 && value <= 1e15 && value == std::floor(value);
}

/// The tables of a layout whose rows each name a zone first.
class RowOfZone {
 public:
  /// @param number  from 0
  RowOfZone(const GeometryParams& params, const char* table, std::size_t number, const std::vector<double>& cells,
            std::size_t columns)
      : params_(params), table_(table), number_(number), cells_(cells) {
    if (cells.size() != columns) throw fail(fmt::format("needs {} numbers", columns));
    if (!whole(cells[0]) || cells[0] >= static_cast<double>(params.zones.size()))
      throw fail(fmt::format("there is no zone {}", cells[0]));
  }
  std::size_t zone() const { return static_cast<std::size_t>(cells_[0]); }
  double cell(std::size_t column) const { return cells_[column]; }
  bool in_revolutions() const { return params_.skew_unit == SkewUnit::revolutions; }
  /// The zone's sectors a track, if its row is one; otherwise any angle is less than a revolution.
  bool less_than_a_turn(double angle) const {
    const std::vector<double>& row = params_.zones[zone()];
    return row.size() != kZoneColumns || angle < (in_revolutions() ? 1 : row[kPerTrack]);
  }
  /// Checks a skew of the column.
  double skew(std::size_t column) const {
    if (!(in_revolutions() ? cells_[column] >= 0 : whole(cells_[column])))
      throw fail("a skew in sectors is a whole number");
    if (!less_than_a_turn(cells_[column])) throw fail("a skew must be less than a revolution");
    return cells_[column];
  }
  /// The one row of its zone.
  void only(std::vector<bool>& named) const {
    if (named[zone()]) throw fail(fmt::format("zone {} has a row already", zone()));
    named[zone()] = true;
  }
  InputError fail(const std::string& what) const {
    return InputError(fmt::format("{} row {}: {}", table_, number_ + 1, what));
  }

 private:
  const GeometryParams& params_;
  const char* table_;
  std::size_t number_;
  const std::vector<double>& cells_;
};

struct Front {
  std::int64_t reserved = 0;  ///< sectors
  double offset = 0;          ///< in skew_unit
};

std::vector<Front> fronts(const GeometryParams& params) {
  std::vector<Front> of_zones(params.zones.size());
  std::vector<bool> named(of_zones.size());
  for (std::size_t i = 0; i < params.zone_fronts.size(); ++i) {
    const RowOfZone row(params, "geometry.zone_fronts", i, params.zone_fronts[i], 3);
    const double reserved = row.cell(1), offset = row.cell(2);
    if (!whole(reserved) || !(whole(offset) || (row.in_revolutions() && offset >= 0)))
      throw row.fail("must hold whole numbers");
    if (!row.less_than_a_turn(offset)) throw row.fail("an offset must be less than a revolution");
    row.only(named);
    of_zones[row.zone()] = {static_cast<std::int64_t>(reserved), offset};
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
    const RowOfZone row(params, "geometry.range_skews", i, params.range_skews[i], 2);
    row.only(named);
    of_zones[row.zone()] = row.skew(1);
  }
  return of_zones;
}

struct Bands {
  std::int64_t cylinders;
  double skew;  ///< in skew_unit
  bool backwards = false;
};

/// By zone; where no row names it, the bands of all zones, whose changes are cylinder switches.
std::vector<Bands> bands(const GeometryParams& params) {
  std::vector<Bands> of_zones;
  for (const auto& zone : params.zones)
    of_zones.push_back({params.serpentine_band_cylinders, zone.size() == kZoneColumns ? zone[kCylinderSkew] : 0});
  std::vector<bool> named(of_zones.size());
  const Mapping mapping = params.mapping;
  if (!params.bands.empty() && mapping != Mapping::serpentine && mapping != Mapping::serpentine_alternating)
    throw InputError("geometry.bands: only the serpentine mappings have bands");
  for (std::size_t i = 0; i < params.bands.size(); ++i) {
    const RowOfZone row(params, "geometry.bands", i, params.bands[i], 4);
    row.only(named);
    if (!whole(row.cell(1)) || row.cell(1) < 1 || row.cell(1) > Geometry::kMaxCylinders)
      throw row.fail("a band has at least 1 cylinder");
    of_zones[row.zone()] = {static_cast<std::int64_t>(row.cell(1)), row.skew(2), row.cell(3) != 0};
  }
  return of_zones;
}

/// First sectors of the physical sectors that are slipped, by zone, ascending.
std::vector<std::vector<std::int64_t>> slips(const GeometryParams& params, std::int64_t unit) {
  std::vector<std::vector<std::int64_t>> of_zones(params.zones.size());
  for (std::size_t i = 0; i < params.slips.size(); ++i) {
    const auto& slip = params.slips[i];
    const auto fail = [i](const std::string& what) {
      return InputError(fmt::format("geometry.slips row {}: {}", i + 1, what));
    };
    if (slip.size() == 2 && !(whole(slip[0]) && slip[0] < static_cast<double>(params.zones.size())))
      throw fail(fmt::format("there is no zone {}", slip[0]));
    if (slip.size() != 2 || !whole(slip[1])) throw fail("needs 2 whole numbers");
    const auto sector = static_cast<std::int64_t>(slip[1]);
    if (sector % unit != 0) throw fail("a physical sector begins at a multiple of 8");
    of_zones[static_cast<std::size_t>(slip[0])].push_back(sector);
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
  if (params.mapping != Mapping::serpentine && params.mapping != Mapping::serpentine_alternating) return;
  if (params.spare_range_cylinders > 0)
    throw InputError("geometry.spare_range_cylinders: not with the serpentine mappings");
  if (params.slip_skew != SlipSkew::none) throw InputError("geometry.slip_skew: not with the serpentine mappings");
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
    std::sort(empty_.begin(), empty_.end());
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
struct ZoneRow {
  std::size_t number;  ///< from 1
  std::int64_t first, last, per_track, spares;
  double track_skew, cylinder_skew;  ///< in skew_unit

  std::int64_t cylinders() const { return last - first + 1; }
  InputError fail(const std::string& what) const {
    return InputError(fmt::format("geometry.zones row {}: {}", number, what));
  }
};

/// @param next  the first cylinder behind the zone before
ZoneRow zone_row(const GeometryParams& params, std::size_t index, std::int64_t next) {
  const auto& cells = params.zones[index];
  ZoneRow zone{index + 1, 0, 0, 0, 0, 0, 0};
  if (cells.size() != kZoneColumns)
    throw zone.fail(fmt::format("needs {} numbers, has {}", +kZoneColumns, cells.size()));
  const bool revolutions = params.skew_unit == SkewUnit::revolutions;
  for (std::size_t column = 0; column < kZoneColumns; ++column) {
    const bool part_of_turn =
        revolutions && (column == kTrackSkew || column == kCylinderSkew) && cells[column] >= 0 && cells[column] < 1;
    if (!whole(cells[column]) && !part_of_turn)
      throw zone.fail(fmt::format("column {} must be a whole number, not {}", column + 1, cells[column]));
  }
  const auto cell = [&cells](std::size_t column) { return static_cast<std::int64_t>(cells[column]); };
  zone = {index + 1,     cell(kFirst),      cell(kLast),         cell(kPerTrack),
          cell(kSpares), cells[kTrackSkew], cells[kCylinderSkew]};
  if (params.cylinder_gaps ? zone.first < next : zone.first != next)
    throw zone.fail(fmt::format("first cylinder is {}, but {} comes next", zone.first, next));
  if (zone.last < zone.first)
    throw zone.fail(fmt::format("last cylinder {} lies before the first, {}", zone.last, zone.first));
  if (zone.last >= Geometry::kMaxCylinders)
    throw zone.fail(fmt::format("cylinder {} is over the limit of {}", zone.last, Geometry::kMaxCylinders - 1));
  if (zone.per_track < 1 || zone.per_track > Geometry::kMaxSectorsPerTrack)
    throw zone.fail(
        fmt::format("sectors per track must be 1 to {}, not {}", Geometry::kMaxSectorsPerTrack, zone.per_track));
  return zone;
}

/// @param listed  sectors without a block of the zones before
void check_spares_of_tracks(const ZoneRow& zone, std::int64_t heads, std::int64_t listed) {
  if (zone.spares > 0 && zone.spares >= zone.per_track)
    throw zone.fail(fmt::format("{} spares leave no block on a track of {} sectors (geometry.spares_per_track)",
                                zone.spares, zone.per_track));
  const std::int64_t tracks = zone.cylinders() * heads;
  if (listed + tracks * zone.spares > kMostListed)
    throw zone.fail(
        fmt::format("with geometry.spares_per_track a drive has at most {} spares, and these are {} on {} tracks",
                    kMostListed, tracks * zone.spares, tracks));
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
    slips_ = slips(params, unit_);
  }

  std::vector<ExpandedZone> zones() {
    std::int64_t next = 0;
    for (std::size_t z = 0; z < params_.zones.size(); ++z) {
      const ZoneRow zone = zone_row(params_, z, next);
      next = zone.last + 1;
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
    const Front& front = fronts_[zone.number - 1];
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
    for (std::int64_t first = zone.first; first <= zone.last; first += width)
      add_range(zone, first, std::min(first + width - 1, zone.last), width, slipped, reserved);
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
    const std::int64_t of_cylinder = params_.heads * zone.per_track, begin = (first - zone.first) * of_cylinder;
    const std::size_t before = slipped;
    const std::vector<std::int64_t> slips =
        slips_of(zone, begin, begin + width * of_cylinder, last == zone.last, slipped);
    RangeOfZone range((last - first + 1) * of_cylinder, zone.per_track, unit_, slips);
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
    const Angles angles{params_.skew_unit, params_.skew_scale, zone.per_track};
    const Bands& bands = bands_[zone.number - 1];
    const Mapping mapping = params_.mapping;
    ExpandedZone made;
    made.row = zone.number;
    made.first_cylinder = first;
    made.per_track = zone.per_track;
    made.units = angles.units();
    made.track_skew = angles.skew(zone.track_skew);
    made.cylinder_skew = angles.skew(zone.cylinder_skew);
    made.band = bands.cylinders;
    made.band_skew = angles.skew(bands.skew);
    made.first_backwards = bands.backwards || (mapping == Mapping::alternating && (first - zone.first) % 2 == 1) ||
                           (mapping == Mapping::alternating_odd && first % 2 == 1);
    using Wide = __int128;
    const Wide of_cylinder = Wide{params_.heads - 1} * made.track_skew + made.cylinder_skew;
    Wide skew = angles.offset(fronts_[zone.number - 1].offset) + (first - zone.first) * of_cylinder +
                Wide{(first - zone.first) / width} * angles.skew(range_skews_[zone.number - 1]);
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
  const std::vector<Front> fronts_;
  const std::vector<double> range_skews_;
  const std::vector<Bands> bands_;
  std::vector<std::vector<std::int64_t>> slips_;  ///< by zone
  std::vector<ExpandedZone> made_;
  std::int64_t listed_ = 0;  ///< slips of those
};

}  // namespace

std::vector<ExpandedZone> expanded(const GeometryParams& params) {
  return Expansion(params).zones();
}

}  // namespace armature::media
