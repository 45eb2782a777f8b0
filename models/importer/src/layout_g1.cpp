#include "conversion.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

// The meaning of the keys is in DiskSim's diskmodel/modules/layout_g1*.modspec and done in diskmodel/layout_g1.c and
// layout_g1_load.c. Where the two disagree (docs/reference/import.md lists it) the documented meaning is taken.

namespace armature::importer {
namespace {

using media::Geometry;
using media::GeometryParams;

enum Sparing {
  kNone,
  kTracks,
  kCylinder,
  kTrack,
  kCylinderSlipToEnd,
  kCylinderFront,
  kCylinderFrontSlipToEnd,
  kEndOfDisk,
  kRange,
  kZone,
  kZoneSlipToEnd,
};
constexpr const char* kSparingNames[] = {
    "none",
    "whole tracks at the end of a zone",
    "at the end of each cylinder",
    "at the end of each track",
    "at the end of each cylinder, slips do not use them",
    "at the front of each cylinder",
    "at the front of each cylinder, slips do not use them",
    "at the end of the disk",
    "at the end of each range of cylinders",
    "at the end of each zone",
    "at the end of each zone, slips do not use them",
};

// More than any disk has; what a damaged file asks for must not take the memory of the machine.
constexpr double kMostRemaps = 1 << 18;

InputError too_many_listed(const Place& place) {
  return InputError(place, fmt::format("more sectors without a block than are represented ({} million)",
                                       Geometry::kMaxListed / 1'000'000));
}

struct Band {
  const ParameterBlock* block;
  std::int64_t first, last, per_track, spares, reserved;
  double offset, track_skew, cylinder_skew;
  bool revolutions;
  std::vector<std::int64_t> slips;    // sectors, or tracks
  std::vector<std::int64_t> defects;  // pairs
  Place slips_at, defects_at;

  std::int64_t cylinders() const { return last - first + 1; }
};

class Converter {
 public:
  Converter(const ParameterFile& file, const ParameterBlock& block, const DiskFacts& disk, Report& report)
      : file_(file), block_(block), disk_(disk), report_(report), reader_(file, block, report) {}

  Layout convert() {
    read();
    build();
    set_blocks();
    add_remaps();
    write();
    reader_.finish();
    return std::move(layout_);
  }

 private:
  GeometryParams& params() { return layout_.params; }
  std::int64_t sectors_of(const Band& band) const { return band.cylinders() * disk_.surfaces * band.per_track; }

  void read() {
    scheme_ = static_cast<Sparing>(of_schemes("Sparing scheme used", kZoneSlipToEnd));
    mapping_ = static_cast<int>(of_schemes("LBN-to-PBN mapping scheme", 2));
    range_ = reader_.whole("Rangesize for sparing", {1, Geometry::kMaxCylinders}).value_or(1);
    const bool revolutions = in_revolutions(reader_, false);
    const ParameterValue* const zones = reader_.list("Zones");
    if (!zones || zones->items.empty()) throw InputError(block_.place, "a layout needs Zones");
    for (const ParameterValue& item : zones->items) {
      if (item.kind != ParameterValue::block) throw InputError(item.place, "a zone is a block dm_layout_g1_zone");
      if (auto band = read_band(*item.inner, revolutions)) bands_.push_back(*band);
    }
    if (bands_.empty()) throw InputError(zones->place, "no zone of this layout has a cylinder");
    put_in_order();
  }

  /// A number of one of DiskSim's schemes 0 to `most`.
  std::int64_t of_schemes(const char* key, std::int64_t most) {
    const Range range{0, static_cast<double>(most)};
    return reader_.find(key) ? reader_.needed_whole(key, range) : reader_.whole_or_none(key, range);
  }

  /// By cylinder, none of two zones. A cylinder that two zones claim stays with the first one.
  void put_in_order() {
    const auto outer = [](const Band& a, const Band& b) { return a.first < b.first; };
    const auto unsorted = std::is_sorted_until(bands_.begin(), bands_.end(), outer);
    if (unsorted != bands_.end())
      report_.note(unsorted->block->place,
                   fmt::format("this zone begins at cylinder {}, before the one that stands before it: zones are "
                               "taken in the order of their cylinders, so blocks lie elsewhere than in DiskSim",
                               unsorted->first));
    std::stable_sort(bands_.begin(), bands_.end(), outer);
    std::vector<Band> kept;
    std::int64_t next = 0;
    for (Band& band : bands_) {
      if (band.first < next) {
        report_.note(
            band.block->place,
            fmt::format(
                "this zone begins at cylinder {}, and the one before it ends at {}: {}", band.first, next - 1,
                band.last < next ? std::string("it is left out") : fmt::format("it is taken from {} on", next)));
        band.first = next;
        if (band.last < next) continue;
      }
      if (band.first > next) params().cylinder_gaps = true;
      next = band.last + 1;
      kept.push_back(std::move(band));
    }
    bands_ = std::move(kept);
  }

  static bool in_revolutions(BlockReader& reader, bool otherwise) {
    const auto unit = reader.word("Skew units");
    if (!unit) return otherwise;
    if (*unit == "sectors") return false;
    if (*unit == "revolutions") return true;
    throw InputError(reader.find("Skew units")->value.place,
                     fmt::format("Skew units: {} is neither sectors nor revolutions", printable(*unit)));
  }

  /// Nothing: a zone without a cylinder.
  std::optional<Band> read_band(const ParameterBlock& block, bool revolutions) {
    if (block.type != "dm_layout_g1_zone")
      throw InputError(block.place, fmt::format("a zone is a dm_layout_g1_zone, not a {}", printable(block.type)));
    BlockReader reader(file_, block, report_);
    Band band{};
    band.block = &block;
    band.first = reader.needed_whole("First cylinder number", {0, Geometry::kMaxCylinders - 1.0});
    band.last = reader.needed_whole("Last cylinder number", {-1, Geometry::kMaxCylinders - 1.0});
    if (band.last < band.first) {
      report_.note(block.place, fmt::format("this zone ends at cylinder {}, before it begins at {}: it is left out",
                                            band.last, band.first));
      return std::nullopt;
    }
    band.per_track = reader.needed_whole("Blocks per track", {1, Geometry::kMaxSectorsPerTrack});
    band.spares = reader.whole_or_none("Number of spares", {0, 1e9});
    band.reserved = reader.whole_or_none("Empty space at zone front", {0, static_cast<double>(Geometry::kMaxListed)});
    band.revolutions = in_revolutions(reader, revolutions);
    band.offset = skew(reader, "Offset of first block", band);
    band.track_skew = skew(reader, "Skew for track switch", band);
    band.cylinder_skew = skew(reader, "Skew for cylinder switch", band);
    if (const ParameterValue* const slips = reader.list("slips")) {
      band.slips = whole_numbers(*slips, report_);
      band.slips_at = slips->place;
    }
    if (const ParameterValue* const defects = reader.list("defects")) {
      band.defects_at = defects->place;
      read_pairs(*defects, band.defects);
    }
    reader.finish();
    return band;
  }

  /// Pairs of whole numbers of at least 0. One that is none takes its other with it.
  void read_pairs(const ParameterValue& list, std::vector<std::int64_t>& values) {
    ParameterValue pair = list;
    for (std::size_t i = 0; i + 1 < list.items.size(); i += 2) {
      pair.items.assign(list.items.begin() + static_cast<std::ptrdiff_t>(i),
                        list.items.begin() + static_cast<std::ptrdiff_t>(i) + 2);
      const std::vector<std::int64_t> numbers = whole_numbers(pair, report_);
      if (numbers.size() == 2) values.insert(values.end(), numbers.begin(), numbers.end());
    }
    if (list.items.size() % 2 != 0)
      report_.note(list.place, "defects are pairs of numbers: the last one has no other, and is left out");
  }

  /// Reduced to less than a revolution; parts of a sector are dropped, as DiskSim does.
  double skew(BlockReader& reader, const std::string& key, const Band& band) {
    const double given = reader.number(key, {-1e6, 1e6}).value_or(0);
    const double turn = band.revolutions ? 1 : static_cast<double>(band.per_track);
    double value = band.revolutions ? given : std::trunc(given);
    if (value != given) report_.note(reader.find(key)->place, fmt::format("{}: the part of a sector is dropped", key));
    value -= turn * std::floor(value / turn);
    return value < turn ? value : 0;
  }

  // ---- Geometry ----------------------------------------------------------------------------------------------------

  void build() {
    GeometryParams& geometry = params();
    geometry.heads = disk_.surfaces;
    constexpr media::Mapping kMappings[] = {media::Mapping::conventional, media::Mapping::alternating,
                                            media::Mapping::alternating_odd};
    geometry.mapping = kMappings[mapping_];
    geometry.spares_per_track = scheme_ == kTrack;
    geometry.spares_in_front = scheme_ == kCylinderFront || scheme_ == kCylinderFrontSlipToEnd;
    geometry.slips_use_spares = scheme_ != kCylinderSlipToEnd && scheme_ != kCylinderFrontSlipToEnd;
    if (per_cylinder()) geometry.spare_range_cylinders = 1;
    if (scheme_ == kRange) geometry.spare_range_cylinders = range_;
    const bool revolutions = std::any_of(bands_.begin(), bands_.end(), [](const Band& b) { return b.revolutions; });
    if (revolutions) geometry.skew_unit = media::SkewUnit::revolutions;

    std::int64_t listed = 0;
    for (std::size_t z = 0; z < bands_.size(); ++z) {
      Band& band = bands_[z];
      if (scheme_ == kTracks) slip_whole_tracks(band);
      tidy_slips(band);
      listed += static_cast<std::int64_t>(band.slips.size()) + band.reserved;
      if (scheme_ == kTrack) listed += band.cylinders() * disk_.surfaces * band.spares;
      if (geometry.spares_in_front) listed += band.cylinders() * band.spares;
      if (listed > Geometry::kMaxListed) throw too_many_listed(band.block->place);
      const double unit = revolutions && !band.revolutions ? 1.0 / static_cast<double>(band.per_track) : 1;
      const auto number = static_cast<std::int64_t>(z);
      geometry.zones.push_back(
          {band.first, band.last, band.per_track, band.track_skew * unit, band.cylinder_skew * unit, spares_of(band)});
      if (band.reserved > 0 || band.offset > 0)
        geometry.zone_fronts.push_back({number, band.reserved, band.offset * unit});
      for (const std::int64_t slip : band.slips) geometry.slips.push_back({number, slip});
    }
    // "Slips also push skew forward in some schemes" (layout_g1.c).
    if (!geometry.slips.empty() && (per_cylinder() || scheme_ == kTrack))
      geometry.slip_skew = scheme_ == kTrack ? media::SlipSkew::track : media::SlipSkew::cylinder;
  }

  bool per_cylinder() const {
    return scheme_ == kCylinder || scheme_ == kCylinderSlipToEnd || scheme_ == kCylinderFront ||
           scheme_ == kCylinderFrontSlipToEnd;
  }

  /// As the drive file's column has it: sectors of a range.
  std::int64_t spares_of(const Band& band) {
    const auto slips = static_cast<std::int64_t>(band.slips.size());
    switch (scheme_) {
      case kNone:
        return 0;
      case kTracks:
        return band.spares * band.per_track;
      case kEndOfDisk:
        if (band.spares > 0)
          report_.note(band.block->place, "Number of spares: with spares at the end of the disk a zone has none");
        return slips;
      case kZoneSlipToEnd:
        return band.spares + slips;
      default:
        return band.spares;
    }
  }

  void slip_whole_tracks(Band& band) {
    if (static_cast<std::int64_t>(band.slips.size()) * band.per_track > Geometry::kMaxListed)
      throw too_many_listed(band.slips_at);
    std::vector<std::int64_t> sectors;
    for (const std::int64_t track : band.slips)
      if (track < band.cylinders() * disk_.surfaces)
        for (std::int64_t i = 0; i < band.per_track; ++i) sectors.push_back(track * band.per_track + i);
    if (sectors.size() != band.slips.size() * static_cast<std::size_t>(band.per_track))
      report_.note(band.slips_at, "slips behind the zone's last track are left out");
    band.slips = std::move(sectors);
  }

  /// Ascending, each once, inside the zone, and no more than there are spares for: DiskSim lets the blocks behind such
  /// ones run into what is not theirs.
  void tidy_slips(Band& band) {
    if (scheme_ == kNone && !band.slips.empty()) {
      report_.note(band.slips_at, "slips: without spares DiskSim slips nothing");
      band.slips.clear();
    }
    std::sort(band.slips.begin(), band.slips.end());
    const std::size_t given = band.slips.size();
    band.slips.erase(std::unique(band.slips.begin(), band.slips.end()), band.slips.end());
    while (!band.slips.empty() && band.slips.back() >= sectors_of(band)) band.slips.pop_back();
    if (band.slips.size() != given)
      report_.note(band.slips_at, fmt::format("{} slips that stand twice or lie outside the zone are left out",
                                              given - band.slips.size()));
    const bool use_spares = params().slips_use_spares && scheme_ != kEndOfDisk && scheme_ != kZoneSlipToEnd;
    if (!use_spares || band.slips.empty()) return;

    const std::int64_t cylinder = disk_.surfaces * band.per_track;
    std::int64_t range = sectors_of(band);
    if (scheme_ == kTrack) range = band.per_track;
    if (per_cylinder()) range = cylinder;
    if (scheme_ == kRange) range = cylinder * range_;
    const std::int64_t spares = spares_of(band);
    std::vector<std::int64_t> kept;
    std::int64_t of_range = -1, left = 0;
    for (const std::int64_t slip : band.slips) {
      if (slip / range != of_range) {
        of_range = slip / range;
        left = (of_range + 1) * range <= sectors_of(band) ? spares : 0;
      }
      if (left-- > 0) kept.push_back(slip);
    }
    if (kept.size() != band.slips.size())
      report_.note(band.slips_at, fmt::format("{} slips for which their range has no spare are left out",
                                              band.slips.size() - kept.size()));
    band.slips = std::move(kept);
  }

  Geometry geometry() {
    try {
      return Geometry(params());
    } catch (const InputError& error) {
      throw InputError(block_.place, fmt::format("this layout makes no disk: {}", error.what()));
    }
  }

  void set_blocks() {
    const Geometry all = geometry();
    const auto hold = static_cast<std::int64_t>(all.sectors());
    if (disk_.blocks > 0 && disk_.blocks < hold) params().blocks = disk_.blocks;
    if (disk_.blocks > 0 && disk_.blocks < hold)
      report_.note(block_.place, fmt::format("the zones hold {} blocks more than Block count says: what lies behind "
                                             "block {} stays unused (DiskSim itself would use it)",
                                             hold - disk_.blocks, disk_.blocks - 1));
    if (disk_.blocks > hold)
      report_.note(block_.place,
                   fmt::format("the zones hold {} blocks, {} fewer than Block count says; DiskSim goes by "
                               "the zones, and so does the drive file",
                               hold, disk_.blocks - hold));
    if (disk_.cylinders > 0 && disk_.cylinders != bands_.back().last + 1)
      report_.note(block_.place, fmt::format("the last zone ends with cylinder {}, Number of cylinders is {}",
                                             bands_.back().last, disk_.cylinders));
    const Geometry used = geometry();
    layout_.reach = used.locate(used.sectors() - 1).cylinder - used.locate(0).cylinder;
  }

  // ---- Defects -----------------------------------------------------------------------------------------------------

  /// The sector that is number `sector` in the zone's order.
  media::Location place_of(const Band& band, std::int64_t sector) const {
    const std::int64_t track = sector / band.per_track;
    const std::int64_t cylinder = track / disk_.surfaces, nth = track % disk_.surfaces;
    const std::int64_t parity = mapping_ == 1 ? cylinder : band.first + cylinder;
    media::Location at;
    at.cylinder = static_cast<std::uint32_t>(band.first + cylinder);
    at.head = static_cast<std::uint32_t>(mapping_ != 0 && parity % 2 == 1 ? disk_.surfaces - 1 - nth : nth);
    at.sector = static_cast<std::uint32_t>(sector % band.per_track);
    return at;
  }

  std::optional<std::uint64_t> block_at(const Geometry& disk, const Band& band, std::int64_t sector) const {
    const media::Location at = place_of(band, sector);
    return disk.lbn_of(at.cylinder, at.head, at.sector);
  }

  void add_remaps() {
    const Geometry plain = geometry();
    double listed = 0;
    for (const Band& band : bands_) {
      std::set<std::int64_t> taken;
      std::set<std::uint64_t> blocks;
      std::size_t lost = 0;
      const std::int64_t width = scheme_ == kTracks ? band.per_track : 1;
      listed += static_cast<double>(band.defects.size()) * static_cast<double>(width) / 2;
      if (listed > kMostRemaps) throw InputError(band.defects_at, "more remapped sectors than are represented");
      for (std::size_t i = 0; i + 1 < band.defects.size(); i += 2) {
        for (std::int64_t j = 0; j < width; ++j) {
          const double bound = static_cast<double>(sectors_of(band)) / static_cast<double>(width);
          if (static_cast<double>(band.defects[i]) >= bound || static_cast<double>(band.defects[i + 1]) >= bound) {
            ++lost;
            continue;
          }
          const std::int64_t from = band.defects[i] * width + j, to = band.defects[i + 1] * width + j;
          const auto block = block_at(plain, band, from);
          if (!block || from == to) continue;  // no block lies there: DiskSim changes nothing either
          const auto spare = spare_number(plain, band, *block, from, to);
          if (!spare || !taken.insert(to).second || !blocks.insert(*block).second) {
            ++lost;
            continue;
          }
          params().remaps.push_back({static_cast<std::int64_t>(*block), *spare});
        }
      }
      if (lost > 0)
        report_.not_represented.push_back(
            fmt::format("{}: defects: {} of the zone's remapped sectors: the replacement is no spare behind the blocks "
                        "of the same range",
                        cited(band.defects_at), lost));
    }
    if (params().remaps.empty()) return;
    try {
      const Geometry with_remaps(params());
    } catch (const InputError& error) {
      params().remaps.clear();
      report_.not_represented.push_back(
          fmt::format("{}: defects: none of them: {}", cited(block_.place), error.what()));
    }
  }

  /// Which of the spares behind the last block of the range of sector `from` the sector `to` is.
  std::optional<std::int64_t> spare_number(const Geometry& disk, const Band& band, std::uint64_t block,
                                           std::int64_t from, std::int64_t to) const {
    std::int64_t range = sectors_of(band);
    if (per_cylinder()) range = disk_.surfaces * band.per_track;
    if (scheme_ == kRange) range = range_ * disk_.surfaces * band.per_track;
    if (from / range != to / range || block_at(disk, band, to)) return std::nullopt;
    if (std::binary_search(band.slips.begin(), band.slips.end(), to)) return std::nullopt;
    const media::PhysicalSector target = disk.physical(place_of(band, to));
    // The last block that lies before `to`.
    std::uint64_t low = block, high = disk.sectors();
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (disk.physical(middle) < target ? low : high) = middle;
    }
    if (disk.physical(low) > target) return std::nullopt;  // in front of the blocks
    // Behind it there must be none of the same range: then `to` is a spare between tracks.
    const std::int64_t range_end = std::min((to / range + 1) * range, sectors_of(band));
    if (high < disk.sectors() && disk.physical(high) < target + static_cast<std::uint64_t>(range_end - to))
      return std::nullopt;
    const auto first_spare = to - static_cast<std::int64_t>(target - disk.physical(low)) + 1;
    const auto slipped = std::lower_bound(band.slips.begin(), band.slips.end(), to) -
                         std::lower_bound(band.slips.begin(), band.slips.end(), first_spare);
    return to - first_spare - slipped;
  }

  // ---- Text --------------------------------------------------------------------------------------------------------

  void write() {
    const GeometryParams& geometry = params();
    DriveText& text = layout_.text;
    text.section("geometry");
    text.key("heads", fmt::format("{}", geometry.heads), "Number of data surfaces");
    constexpr const char* kMappings[] = {"conventional", "alternating", "alternating_odd"};
    text.key("mapping", toml_string(kMappings[mapping_]), reader_.source("LBN-to-PBN mapping scheme"));
    text.comment(fmt::format("{} zones; spares ({}): {}.", bands_.size(), reader_.source("Sparing scheme used"),
                             kSparingNames[scheme_]));
    if (geometry.cylinder_gaps) text.key("cylinder_gaps", "true", "cylinders that belong to no zone");
    if (geometry.spare_range_cylinders > 0)
      text.key("spare_range_cylinders", fmt::format("{}", geometry.spare_range_cylinders),
               scheme_ == kRange ? reader_.source("Rangesize for sparing") : "");
    if (geometry.spares_per_track) text.key("spares_per_track", "true");
    if (geometry.spares_in_front) text.key("spares_in_front", "true");
    if (!geometry.slips_use_spares) text.key("slips_use_spares", "false");
    if (geometry.slip_skew != media::SlipSkew::none)
      text.key("slip_skew", geometry.slip_skew == media::SlipSkew::track ? "\"track\"" : "\"cylinder\"",
               "as in layout_g1.c with this scheme");
    if (geometry.skew_unit != media::SkewUnit::sectors) text.key("skew_unit", "\"revolutions\"");
    if (geometry.blocks > 0) text.key("blocks", fmt::format("{}", geometry.blocks), "Block count");
    text.comment(fmt::format(
        "First and last cylinder, sectors a track, track skew and cylinder skew ({}), spare "
        "sectors: Zones, {}.",
        geometry.skew_unit != media::SkewUnit::sectors ? "revolutions" : "sectors", cited(bands_[0].block->place)));
    text.rows("zones", geometry);
    if (!geometry.zone_fronts.empty()) {
      text.comment("Zone, Empty space at zone front, Offset of first block.");
      text.packed("zone_fronts", geometry);
    }
    if (!geometry.slips.empty()) {
      text.comment("Slips: zone, sector of the zone.");
      text.packed("slips", geometry);
    }
    if (!geometry.remaps.empty()) {
      text.comment("Defects: block, and the spare of its range that holds it.");
      text.packed("remaps", geometry);
    }
  }

  const ParameterFile& file_;
  const ParameterBlock& block_;
  const DiskFacts disk_;
  Report& report_;
  BlockReader reader_;
  Sparing scheme_ = kNone;
  int mapping_ = 0;
  std::int64_t range_ = 1;
  std::vector<Band> bands_;
  Layout layout_;
};

}  // namespace

Layout layout_g1(const ParameterFile& file, const ParameterBlock& layout, const DiskFacts& disk, Report& report) {
  return Converter(file, layout, disk, report).convert();
}

}  // namespace armature::importer
