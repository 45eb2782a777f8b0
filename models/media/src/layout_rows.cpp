#include "layout_rows.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace armature::media {
namespace {

enum { kFirst, kLast, kPerTrack, kTrackSkew, kCylinderSkew, kSpares, kZoneColumns };
enum { kFrontZone, kFrontReserved, kFrontOffset, kFrontColumns };

struct Front {
  double reserved = 0;
  double offset = 0;
};

bool whole(double value) {
  return value >= 0 && value <= 1e15 && value == std::floor(value);
}

std::vector<Front> fronts(const GeometryParams& params) {
  std::vector<Front> of_zones(params.zones.size());
  for (std::size_t i = 0; i < params.zone_fronts.size(); ++i) {
    const auto& row = params.zone_fronts[i];
    const auto fail = [i](const std::string& what) {
      return InputError(fmt::format("geometry.zone_fronts row {}: {}", i + 1, what));
    };
    if (row.size() != kFrontColumns) throw fail("needs 3 numbers");
    if (!whole(row[kFrontZone]) || row[kFrontZone] >= static_cast<double>(of_zones.size()))
      throw fail(fmt::format("there is no zone {}", row[kFrontZone]));
    const auto zone = static_cast<std::size_t>(row[kFrontZone]);
    const bool revolutions = params.skew_unit == static_cast<int>(SkewUnit::revolutions);
    if (!whole(row[kFrontReserved]) || !(whole(row[kFrontOffset]) || (revolutions && row[kFrontOffset] >= 0)))
      throw fail("must hold whole numbers");
    if (params.zones[zone].size() == kZoneColumns &&
        row[kFrontOffset] >= (revolutions ? 1 : params.zones[zone][kPerTrack]))
      throw fail("an offset must be less than a revolution");
    if (of_zones[zone].reserved > 0 || of_zones[zone].offset > 0)
      throw fail(fmt::format("zone {} has a row already", zone));
    of_zones[zone] = {row[kFrontReserved], row[kFrontOffset]};
  }
  return of_zones;
}

/// By zone; zero where no row names it.
std::vector<double> range_skews(const GeometryParams& params) {
  std::vector<double> of_zones(params.zones.size());
  std::vector<bool> named(of_zones.size());
  const bool revolutions = params.skew_unit == static_cast<int>(SkewUnit::revolutions);
  if (!params.range_skews.empty() && params.spare_range_cylinders == 0)
    throw InputError("geometry.range_skews: needs geometry.spare_range_cylinders");
  for (std::size_t i = 0; i < params.range_skews.size(); ++i) {
    const auto& row = params.range_skews[i];
    const auto fail = [i](const std::string& what) {
      return InputError(fmt::format("geometry.range_skews row {}: {}", i + 1, what));
    };
    if (row.size() != 2) throw fail("needs 2 numbers");
    if (!whole(row[0]) || row[0] >= static_cast<double>(of_zones.size()))
      throw fail(fmt::format("there is no zone {}", row[0]));
    const auto zone = static_cast<std::size_t>(row[0]);
    if (named[zone]) throw fail(fmt::format("zone {} has a row already", zone));
    if (!(revolutions ? row[1] >= 0 : whole(row[1]))) throw fail("a skew in sectors is a whole number");
    if (params.zones[zone].size() == kZoneColumns && row[1] >= (revolutions ? 1 : params.zones[zone][kPerTrack]))
      throw fail("a skew must be less than a revolution");
    named[zone] = true;
    of_zones[zone] = row[1];
  }
  return of_zones;
}

struct Bands {
  double cylinders;
  double skew;
  bool backwards = false;
};

/// By zone; where no row names it, the bands of all zones, whose changes are cylinder switches.
std::vector<Bands> bands(const GeometryParams& params) {
  std::vector<Bands> of_zones;
  for (const auto& zone : params.zones)
    of_zones.push_back(
        {static_cast<double>(params.serpentine_band_cylinders), zone.size() == kZoneColumns ? zone[kCylinderSkew] : 0});
  std::vector<bool> named(of_zones.size());
  const bool revolutions = params.skew_unit == static_cast<int>(SkewUnit::revolutions);
  const auto mapping = static_cast<Mapping>(params.mapping);
  if (!params.bands.empty() && mapping != Mapping::serpentine && mapping != Mapping::serpentine_alternating)
    throw InputError("geometry.bands: only the serpentine mappings have bands");
  for (std::size_t i = 0; i < params.bands.size(); ++i) {
    const auto& row = params.bands[i];
    const auto fail = [i](const std::string& what) {
      return InputError(fmt::format("geometry.bands row {}: {}", i + 1, what));
    };
    if (row.size() != 4) throw fail("needs 4 numbers");
    if (!whole(row[0]) || row[0] >= static_cast<double>(of_zones.size()))
      throw fail(fmt::format("there is no zone {}", row[0]));
    const auto zone = static_cast<std::size_t>(row[0]);
    if (named[zone]) throw fail(fmt::format("zone {} has a row already", zone));
    if (!whole(row[1]) || row[1] < 1 || row[1] > Geometry::kMaxCylinders) throw fail("a band has at least 1 cylinder");
    if (!(revolutions ? row[2] >= 0 : whole(row[2]))) throw fail("a skew in sectors is a whole number");
    if (params.zones[zone].size() == kZoneColumns && row[2] >= (revolutions ? 1 : params.zones[zone][kPerTrack]))
      throw fail("a skew must be less than a revolution");
    named[zone] = true;
    of_zones[zone] = {row[1], row[2], row[3] != 0};
  }
  return of_zones;
}

constexpr double kUnitsOfSector = 1 << 20;  // revolutions are rounded to these

/// An angle in parts of a sector.
double in_units(double given, double per_track, SkewUnit unit) {
  return unit == SkewUnit::sectors ? given : std::round(given * per_track * kUnitsOfSector);
}

/// A skew in parts of a sector, at another speed: what goes beyond a revolution is the same place again.
double scaled(double given, double scale, double per_track, SkewUnit unit) {
  if (scale == 1) return in_units(given, per_track, unit);
  const double turns = std::fmod(given * scale, unit == SkewUnit::sectors ? per_track : 1);
  return in_units(unit == SkewUnit::sectors ? std::fmod(std::ceil(turns), per_track) : turns, per_track, unit);
}

void check_combination(const GeometryParams& params) {
  if (params.spare_range_cylinders < 0) throw InputError("geometry.spare_range_cylinders must not be negative");
  if (params.slip_skew < 0 || params.slip_skew > static_cast<int>(SlipSkew::track))
    throw InputError(fmt::format("geometry.slip_skew: there is no choice {}", params.slip_skew));
  if (params.skew_unit < 0 || params.skew_unit > static_cast<int>(SkewUnit::revolutions))
    throw InputError(fmt::format("geometry.skew_unit: there is no choice {}", params.skew_unit));
  if (params.spares_per_track && params.spare_range_cylinders > 0)
    throw InputError("geometry.spares_per_track: spares are those of a track or of a range of cylinders, not both");
  if (params.mapping != static_cast<int>(Mapping::serpentine) &&
      params.mapping != static_cast<int>(Mapping::serpentine_alternating))
    return;
  if (params.spare_range_cylinders > 0)
    throw InputError("geometry.spare_range_cylinders: not with the serpentine mappings");
  if (params.slip_skew != static_cast<int>(SlipSkew::none))
    throw InputError("geometry.slip_skew: not with the serpentine mappings");
}

/// One range of a zone, or a zone. Sectors are counted from its first.
class RangeOfZone {
 public:
  /// @param slips  ascending; first sectors of physical sectors of `unit`
  RangeOfZone(double raw, double per_track, double unit, std::vector<double> slips)
      : raw_(raw), per_track_(per_track), unit_(unit), slips_(std::move(slips)), empty_(slips_) {}

  double spares() const { return spares_; }
  double blocks() const { return raw_ - spares_; }
  const std::vector<double>& empty() const { return empty_; }  ///< of `unit` sectors each; not what is left at the end

  void add_spares(const GeometryParams& params, double spares) {
    const double taken = params.slips_use_spares ? 0 : static_cast<double>(slips_.size()) * unit_;
    if (params.spares_per_track) {
      // Without spares nothing is to be done on a track but the first with a slip; a disk may have billions of tracks.
      double track = 0;
      if (spares == 0)
        track = slips_.empty() || !params.slips_use_spares ? raw_ : slips_[0] - std::fmod(slips_[0], per_track_);
      for (; track < raw_; track += per_track_) {
        const double slipped = slips_in(track, track + per_track_);
        if (params.slips_use_spares && slipped > spares)
          throw InputError(fmt::format("{} slips on a track, but {} spares", slipped / unit_, spares));
        const double unused = spares - (params.slips_use_spares ? slipped : 0);
        params.spares_in_front ? empty_from(track, unused) : empty_before(track + per_track_, unused);
        spares_ += spares;
      }
    } else {
      spares_ += spares;
      const double slipped = static_cast<double>(slips_.size()) * unit_;
      if (params.spares_in_front) empty_from(0, spares - (params.slips_use_spares ? slipped : 0));
    }
    spares_ += taken;
    sort();
  }

  /// The drive keeps the first sectors that would hold blocks.
  void reserve(double sectors) {
    empty_from(0, sectors);
    spares_ += sectors;
    sort();
  }

 private:
  double slips_in(double begin, double end) const {
    const auto first = std::lower_bound(slips_.begin(), slips_.end(), begin);
    return static_cast<double>(std::lower_bound(first, slips_.end(), end) - first) * unit_;
  }
  // `empty_` is sorted up to where it was last; what is added lies in another track or nowhere else.
  bool is_empty(double sector) const {
    return std::binary_search(empty_.begin(), empty_.begin() + static_cast<std::ptrdiff_t>(sorted_), sector);
  }
  void sort() {
    std::sort(empty_.begin(), empty_.end());
    sorted_ = empty_.size();
  }
  void empty_from(double sector, double count) {
    for (; count > 0 && sector < raw_; sector += unit_) {
      if (is_empty(sector)) continue;
      empty_.push_back(sector);
      count -= unit_;
    }
  }
  void empty_before(double end, double count) {
    for (double sector = end - unit_; count > 0 && sector >= end - per_track_; sector -= unit_) {
      if (is_empty(sector)) continue;
      empty_.push_back(sector);
      count -= unit_;
    }
  }

  const double raw_;
  const double per_track_;
  const double unit_;
  const std::vector<double> slips_;
  std::vector<double> empty_;
  std::size_t sorted_ = slips_.size();
  double spares_ = 0;
};

/// Spares of tracks are kept in a list, one by one: more than these take gigabytes.
constexpr double kMostListed = 2e7;

constexpr double kMostRanges = 1e6;  ///< each is kept as a zone of its own

/// @param listed  sectors without a block of the zones before
template <class Fail>
void check_spares_of_tracks(const std::vector<double>& zone, double heads, std::size_t listed, const Fail& fail) {
  const double spares = zone[kSpares], per_track = zone[kPerTrack];
  if (spares > 0 && spares >= per_track)
    throw fail(fmt::format("{} spares leave no block on a track of {} sectors (geometry.spares_per_track)", spares,
                           per_track));
  const double tracks = (zone[kLast] - zone[kFirst] + 1) * heads;
  if (static_cast<double>(listed) + tracks * spares > kMostListed)
    throw fail(fmt::format(
        "with geometry.spares_per_track a drive has at most {:.0f} spares, and these are {:.0f} on {:.0f} tracks",
        kMostListed, tracks * spares, tracks));
}

}  // namespace

ExpandedLayout expanded(const GeometryParams& params) {
  ExpandedLayout layout{params, {}};
  GeometryParams& plain = layout.params;
  plain.zones.clear();
  plain.slips.clear();
  const std::vector<Front> front_of = fronts(params);
  const std::vector<double> skew_of_ranges = range_skews(params);
  const std::vector<Bands> bands_of = bands(params);
  const auto heads = static_cast<double>(params.heads);
  const auto range = static_cast<double>(params.spare_range_cylinders);
  check_combination(params);
  const auto skew_unit = static_cast<SkewUnit>(params.skew_unit);
  const auto mapping = static_cast<Mapping>(params.mapping);
  const double unit = params.physical_sector_bytes == 4096 ? 8 : 1;

  for (std::size_t i = 0; i < params.slips.size(); ++i) {
    const auto& slip = params.slips[i];
    if (slip.size() == 2 && !(whole(slip[0]) && slip[0] < static_cast<double>(params.zones.size())))
      throw InputError(fmt::format("geometry.slips row {}: there is no zone {}", i + 1, slip[0]));
    if (slip.size() != 2 || !whole(slip[1]))
      throw InputError(fmt::format("geometry.slips row {}: needs 2 whole numbers", i + 1));
  }

  for (std::size_t z = 0; z < params.zones.size(); ++z) {
    const auto& zone = params.zones[z];
    const auto fail = [z](const std::string& what) {
      return InputError(fmt::format("geometry.zones row {}: {}", z + 1, what));
    };
    if (zone.size() != kZoneColumns) throw fail(fmt::format("needs {} numbers, has {}", +kZoneColumns, zone.size()));
    for (std::size_t column = 0; column < kZoneColumns; ++column)
      if (!whole(zone[column]) &&
          !(skew_unit == SkewUnit::revolutions && (column == kTrackSkew || column == kCylinderSkew) &&
            zone[column] >= 0 && zone[column] < 1))
        throw fail(fmt::format("column {} must be a whole number, not {}", column + 1, zone[column]));
    const double next = z == 0 ? 0 : params.zones[z - 1][kLast] + 1;
    if (params.cylinder_gaps ? zone[kFirst] < next : zone[kFirst] != next)
      throw fail(fmt::format("first cylinder is {}, but {} comes next", zone[kFirst], next));
    if (zone[kLast] < zone[kFirst])
      throw fail(fmt::format("last cylinder {} lies before the first, {}", zone[kLast], zone[kFirst]));
    if (zone[kLast] >= Geometry::kMaxCylinders)
      throw fail(fmt::format("cylinder {} is over the limit of {}", zone[kLast], Geometry::kMaxCylinders - 1));

    const double per_track = zone[kPerTrack];
    const double width = range > 0 ? range : zone[kLast] - zone[kFirst] + 1;
    const double sectors_of_range = width * heads * per_track;
    const double units = skew_unit == SkewUnit::revolutions ? kUnitsOfSector : 1;
    const double track_skew = scaled(zone[kTrackSkew], params.skew_scale, per_track, skew_unit);
    const double cylinder_skew = scaled(zone[kCylinderSkew], params.skew_scale, per_track, skew_unit);
    const double offset = in_units(front_of[z].offset, per_track, skew_unit);
    const double band_skew = scaled(bands_of[z].skew, params.skew_scale, per_track, skew_unit);
    const double range_skew = scaled(skew_of_ranges[z], params.skew_scale, per_track, skew_unit);
    const double turn = per_track * units;
    if (std::fmod(front_of[z].reserved, unit) != 0)
      throw fail("a number of reserved sectors must be a multiple of 8 with physical sectors of 4096 bytes");

    if (params.spares_per_track) check_spares_of_tracks(zone, heads, plain.slips.size(), fail);
    const double ranges = std::ceil((zone[kLast] - zone[kFirst] + 1) / width);
    if (static_cast<double>(plain.zones.size()) + ranges > kMostRanges)
      throw InputError(
          fmt::format("geometry.spare_range_cylinders: zone {} alone has {:.0f} ranges of {} cylinders; a "
                      "drive has at most {:.0f} in all",
                      z, ranges, width, kMostRanges));

    std::vector<double> slips;
    for (const auto& slip : params.slips)
      if (slip[0] == static_cast<double>(z)) slips.push_back(slip[1]);
    std::sort(slips.begin(), slips.end());
    auto slip = slips.begin();
    double reserved = front_of[z].reserved;
    for (double first = zone[kFirst]; first <= zone[kLast]; first += width) {
      const double last = std::min(first + width - 1, zone[kLast]);
      const double begin = (first - zone[kFirst]) * heads * per_track;
      std::vector<double> of_range;
      const auto before = static_cast<double>(slip - slips.begin());
      // Those behind the zone's end go to the last range, which is checked later.
      for (; slip != slips.end() && (last == zone[kLast] || *slip < begin + sectors_of_range); ++slip)
        of_range.push_back(*slip - begin);
      if (std::adjacent_find(of_range.begin(), of_range.end()) != of_range.end())
        throw fail("a sector is slipped twice");

      RangeOfZone row((last - first + 1) * heads * per_track, per_track, unit, of_range);
      // As in DiskSim (sparing scheme 8): only a whole range has spares.
      const bool whole_range = range <= 0 || last - first + 1 == width;
      try {
        row.add_spares(params, whole_range ? zone[kSpares] : 0);
      } catch (const InputError& error) {
        throw fail(error.what());
      }
      const double kept = std::min(reserved, std::max(row.blocks(), 0.0));
      reserved -= kept;
      if (kept > 0 && kept == row.blocks()) continue;
      row.reserve(kept);

      double skew = offset + (first - zone[kFirst]) * ((heads - 1) * track_skew + cylinder_skew) +
                    (first - zone[kFirst]) / width * range_skew;
      if (params.slip_skew != static_cast<int>(SlipSkew::none)) skew += before * units;
      const bool backwards = bands_of[z].backwards ||
                             (mapping == Mapping::alternating && std::fmod(first - zone[kFirst], 2) == 1) ||
                             (mapping == Mapping::alternating_odd && std::fmod(first, 2) == 1);
      const auto number = static_cast<double>(plain.zones.size());
      for (const double sector : row.empty()) plain.slips.push_back({number, sector});
      plain.zones.push_back({first, last, per_track, track_skew, cylinder_skew, row.spares(),
                             turn > 0 ? std::fmod(skew, turn) : 0, static_cast<double>(z + 1), units,
                             backwards ? 1.0 : 0.0, bands_of[z].cylinders, band_skew});
      layout.skewing.emplace_back();
      if (params.slip_skew != static_cast<int>(SlipSkew::none))
        for (const double sector : of_range) layout.skewing.back().push_back(static_cast<std::uint64_t>(sector));
    }
    if (reserved > 0) throw fail("what is reserved at its front is more than it holds");
  }

  if (params.blocks < 0) throw InputError("geometry.blocks must not be negative");
  if (params.blocks > 0) {
    auto left = static_cast<double>(params.blocks);
    std::size_t rows = 0;
    for (; rows < plain.zones.size() && left > 0; ++rows) {
      auto& zone = plain.zones[rows];
      const double holds = (zone[kLast] - zone[kFirst] + 1) * heads * zone[kPerTrack] - zone[kSpares];
      if (holds > left) zone[kSpares] += holds - left;
      left -= std::min(holds, left);
    }
    if (left > 0)
      throw InputError(fmt::format("geometry.blocks: the zones hold {} blocks fewer than {}", left, params.blocks));
    plain.zones.resize(rows);
    layout.skewing.resize(rows);
    const auto dropped = [rows](const std::vector<double>& slip) { return slip[0] >= static_cast<double>(rows); };
    plain.slips.erase(std::remove_if(plain.slips.begin(), plain.slips.end(), dropped), plain.slips.end());
  }
  if (plain.zones.empty()) throw InputError("geometry.zones: the drive keeps all of them for itself");
  return layout;
}

}  // namespace armature::media
