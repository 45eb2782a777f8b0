#include "layout_mapped.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace armature::importer {
namespace {

using media::Geometry;
using media::GeometryParams;
using media::Mapping;

constexpr std::int64_t kMostRemaps = 1 << 16;  // blocks out of the order; each that is added moves those behind it
constexpr const char* kMappings[] = {"conventional",           "alternating", "serpentine", "alternating_odd",
                                     "serpentine_alternating", "inward_bands"};

/// Blocks by their place in the order of the mapping, in one zone.
struct Placed {
  std::int64_t at = 0;  // sector of the disk, counted along the mapping
  std::int64_t lbn = 0;
  const MappedRun* run = nullptr;
  std::int32_t length = 0;
  bool moved = false;  // lies elsewhere: `at` is where it would lie
};

class Mapper {
 public:
  Mapper(std::vector<MappedZone> zones, std::vector<MappedRun> runs, std::vector<MappedRun> defects,
         const DiskFacts& disk, const Place& place, std::string source, Report& report)
      : zones_(std::move(zones)),
        runs_(std::move(runs)),
        given_defects_(std::move(defects)),
        disk_(disk),
        place_(place),
        source_(std::move(source)),
        report_(report) {}

  Layout convert() {
    tidy();
    choose_mapping();
    place_runs();
    skews();
    const GeometryParams plain = with_sectors(Spares::zone);
    layout_.params = plain;
    for (const Spares spares : {Spares::track, Spares::cylinder}) {
      if (layout_.params.slips.size() <= zones_.size() * 64 || (spares == Spares::cylinder && has_bands(mapping_)) ||
          (spares == Spares::track && !bare_.surface_sectors.empty()))
        continue;
      GeometryParams shorter = with_sectors(spares);
      if (shorter.slips.size() < layout_.params.slips.size() && elsewhere(shorter) <= elsewhere(layout_.params))
        layout_.params = std::move(shorter);
    }
    if (static_cast<std::int64_t>(layout_.params.slips.size()) > Geometry::kMaxListed)
      throw InputError(place_, fmt::format("more sectors without a block than are represented ({} million)",
                                           Geometry::kMaxListed / 1'000'000));
    add_remaps();
    finish();
    write();
    return std::move(layout_);
  }

 private:
  enum class Spares { zone, track, cylinder };

  GeometryParams& params() { return layout_.params; }
  std::int64_t heads() const { return disk_.surfaces; }

  const MappedZone* zone_of(std::int64_t cylinder) const {
    const auto behind = std::upper_bound(zones_.begin(), zones_.end(), cylinder,
                                         [](std::int64_t c, const MappedZone& zone) { return c < zone.first; });
    if (behind == zones_.begin() || (behind - 1)->last < cylinder) return nullptr;
    return &*(behind - 1);
  }

  /// Runs that lie on the disk, with blocks numbered without gaps.
  void tidy() {
    std::sort(zones_.begin(), zones_.end(), [](const MappedZone& a, const MappedZone& b) { return a.first < b.first; });
    std::size_t kept = 0;
    std::int64_t next = 0, outside = 0, twice = 0, nowhere = 0;
    for (MappedRun run : runs_) {
      const MappedZone* const zone = zone_of(run.cylinder);
      if (!zone || run.head < 0 || run.head >= heads() || run.sector < 0 || run.length < 1 ||
          run.sector + run.length > zone->track(run.head)) {
        outside += std::max<std::int64_t>(run.length, 1);
        continue;
      }
      if (run.lbn < next) {
        twice += run.length;
        continue;
      }
      nowhere += run.lbn - next;
      next = run.lbn + run.length;
      run.lbn = kept == 0 ? 0 : runs_[kept - 1].lbn + runs_[kept - 1].length;
      runs_[kept++] = run;
    }
    runs_.resize(kept);
    if (runs_.empty()) throw InputError(place_, "this layout makes no disk: no block lies in a zone");
    if (outside > 0)
      report_.note(place_, fmt::format("{} blocks lie outside the zones or the heads: left out", outside));
    if (twice > 0) report_.note(place_, fmt::format("{} blocks are placed twice: the first place counts", twice));
    if (nowhere > 0)
      report_.note(place_, fmt::format("{} numbers of blocks have no place: the blocks behind them move up", nowhere));
    std::vector<bool> used(zones_.size());
    for (const MappedRun& run : runs_) used[static_cast<std::size_t>(zone_of(run.cylinder) - zones_.data())] = true;
    std::vector<MappedZone> with_blocks;
    for (std::size_t z = 0; z < zones_.size(); ++z)
      if (used[z]) with_blocks.push_back(std::move(zones_[z]));
    zones_ = std::move(with_blocks);
  }

  // ---- Order of tracks ---------------------------------------------------------------------------------------------

  GeometryParams bare(Mapping mapping) const {
    GeometryParams bare;
    bare.heads = heads();
    bare.mapping = mapping;
    bare.cylinder_gaps = true;
    bare.skew_unit = media::SkewUnit::revolutions;
    for (std::size_t z = 0; z < zones_.size(); ++z) {
      const MappedZone& zone = zones_[z];
      bare.zones.push_back({zone.first, zone.last, zone.per_track, 0, 0, 0});
      for (std::int64_t head = 0; head < heads(); ++head)
        if (zone.track(head) != zone.per_track)
          bare.surface_sectors.push_back({static_cast<std::int64_t>(z), head, zone.track(head)});
      if (has_bands(mapping))
        bare.bands.push_back({static_cast<std::int64_t>(z), bands_[z].width, 0, bands_[z].backwards});
    }
    return bare;
  }

  Geometry geometry(const GeometryParams& params) const {
    try {
      return Geometry(params);
    } catch (const InputError& error) {
      throw InputError(place_, fmt::format("this layout makes no disk: {}", error.what()));
    }
  }

  static media::Location location(const MappedRun& run) {
    media::Location at;
    at.cylinder = static_cast<std::uint32_t>(run.cylinder);
    at.head = static_cast<std::uint32_t>(run.head);
    at.sector = static_cast<std::uint32_t>(run.sector);
    return at;
  }
  static std::int64_t number_of(const Geometry& disk, const MappedRun& run) {
    return static_cast<std::int64_t>(disk.physical(location(run)));
  }

  void choose_mapping() {
    find_bands();
    std::int64_t best = -1;
    for (const Mapping mapping : {Mapping::conventional, Mapping::alternating, Mapping::alternating_odd,
                                  Mapping::serpentine, Mapping::serpentine_alternating, Mapping::inward_bands}) {
      const Geometry disk = geometry(bare(mapping));
      std::int64_t in_order = 0, end = 0;
      for (const MappedRun& run : runs_) {
        const std::int64_t at = number_of(disk, run);
        if (at >= end && at - end <= 2 * zone_of(run.cylinder)->per_track) in_order += run.length;
        end = at + run.length;
      }
      if (in_order <= best) continue;
      best = in_order;
      mapping_ = mapping;
    }
    bare_ = bare(mapping_);
  }

  struct Band {
    std::int64_t width = 1;
    bool backwards = false;
  };

  /// The length of most stretches of tracks on one head, of several the shortest; and where the zone begins.
  void find_bands() {
    bands_.resize(zones_.size());
    std::vector<std::map<std::int64_t, std::int64_t>> stretches(zones_.size());
    std::vector<bool> begun(zones_.size());
    const MappedRun* before = nullptr;
    std::int64_t length = 0;
    const auto end_stretch = [&] {
      if (before) ++stretches[static_cast<std::size_t>(zone_of(before->cylinder) - zones_.data())][length];
    };
    for (const MappedRun& run : runs_) {
      const MappedZone* const zone = zone_of(run.cylinder);
      if (run.length * 4 < zone->per_track) continue;  // perhaps out of the order
      const auto z = static_cast<std::size_t>(zone - zones_.data());
      if (!begun[z]) bands_[z].backwards = run.head == heads() - 1 && heads() > 1;
      begun[z] = true;
      const bool same_zone = before && zone_of(before->cylinder) == zone;
      if (same_zone && before->head == run.head && before->cylinder == run.cylinder) continue;
      if (same_zone && before->head == run.head && std::abs(before->cylinder - run.cylinder) == 1) {
        ++length;
      } else {
        end_stretch();
        length = 1;
      }
      before = &run;
    }
    end_stretch();
    for (std::size_t z = 0; z < zones_.size(); ++z) {
      std::int64_t most = 0;
      for (const auto& [width, count] : stretches[z]) {
        if (count <= most) continue;
        most = count;
        bands_[z].width = width;
      }
    }
  }

  /// Where each run lies in the order, those that are out of it where their numbers belong. No run lies so far behind
  /// that the ones after it have no room.
  void place_runs() {
    const Geometry disk = geometry(bare_);
    std::vector<std::int64_t> numbers;
    numbers.reserve(runs_.size());
    std::int64_t left = 0;
    for (const MappedRun& run : runs_) {
      numbers.push_back(number_of(disk, run));
      left += run.length;
    }
    for (const MappedRun& defect : given_defects_)
      if (zone_of(defect.cylinder))
        for (std::int64_t i = 0; i < defect.length; ++i) defects_.push_back(number_of(disk, defect) + i);
    std::sort(defects_.begin(), defects_.end());
    for (const MappedZone& zone : zones_) {
      zone_begins_.push_back(sectors_);
      sectors_ += zone.sectors(heads());
    }
    zone_begins_.push_back(sectors_);
    std::int64_t end = 0, dropped = 0;
    for (std::size_t i = 0; i < runs_.size(); left -= runs_[i++].length) {
      const bool moved = numbers[i] < end || is_ahead(numbers, i, end);
      if (end + runs_[i].length > sectors_) {
        dropped += runs_[i].length;
      } else {
        end = place(runs_[i], moved ? end : std::min(numbers[i], std::max(sectors_ - left, end)), moved);
      }
    }
    if (dropped > 0)
      report_.not_represented.push_back(
          fmt::format("{}: {} blocks have no sector of their own: the drive has fewer", cited(place_), dropped));
  }

  /// In parts, if it goes on in the next zone. Returns the sector behind it.
  std::int64_t place(const MappedRun& run, std::int64_t at, bool moved) {
    for (std::int64_t done = 0; done < run.length;) {
      const auto behind = std::upper_bound(zone_begins_.begin(), zone_begins_.end(), at);
      const std::int64_t length =
          behind == zone_begins_.end() ? run.length - done : std::min(run.length - done, *behind - at);
      placed_.push_back({at, run.lbn + done, &run, static_cast<std::int32_t>(length), moved});
      at += length;
      done += length;
    }
    return at;
  }

  /// Whether a run lies in front of where the next ones go on.
  bool is_ahead(const std::vector<std::int64_t>& numbers, std::size_t i, std::int64_t end) const {
    const std::int64_t near = end + 2 * zone_of(runs_[i].cylinder)->per_track;
    if (numbers[i] <= near) return false;
    for (std::size_t j = i + 1; j < std::min(i + 9, numbers.size()); ++j)
      if (numbers[j] >= end && numbers[j] <= near) return true;
    return false;
  }

  // ---- Angles ------------------------------------------------------------------------------------------------------

  struct Mean {
    double first = 0, sum = 0;  // of differences to the first, each less than half a revolution
    std::int64_t count = 0;

    void add(double value) {
      if (count++ == 0) first = value;
      const double difference = value - first;
      sum += difference - std::round(difference);
    }
    std::optional<double> mean() const {
      if (count == 0) return std::nullopt;
      return part_of_revolution(first + sum / static_cast<double>(count));
    }
  };

  struct Switches {
    std::int64_t heads = 0, cylinders = 0, bands = 0;
  };

  /// On the way from the zone's first track to its track of that number.
  Switches switches(std::size_t z, std::int64_t track) const {
    if (!has_bands(mapping_)) return {track / heads() * (heads() - 1) + track % heads(), track / heads(), 0};
    const std::int64_t width = bands_[z].width;
    const MappedZone& zone = zones_[z];
    const std::int64_t band = track / (width * heads()), first = band * width;
    const std::int64_t narrow = std::min(width, zone.last - zone.first + 1 - first);
    const std::int64_t of_heads = band * (heads() - 1) + (track - first * heads()) / narrow;
    return {of_heads, track - of_heads - band, band};
  }

  /// The skews that the angles of the tracks have on the average, so that nothing adds up along a zone.
  void skews() {
    struct Track {
      std::size_t zone;
      std::int64_t number;
      double angle;
    };
    std::vector<Track> tracks;
    const Geometry disk = geometry(bare_);
    for (const Placed& placed : placed_) {
      if (placed.moved || !placed.run->angle) continue;
      const auto z = static_cast<std::size_t>(zone_of(placed.run->cylinder) - zones_.data());
      const auto number = static_cast<std::int64_t>(disk.track_of_zone(location(*placed.run)));
      if (!tracks.empty() && tracks.back().zone == z && tracks.back().number == number) continue;
      tracks.push_back({z, number, *placed.run->angle});
    }
    band_skews_.assign(zones_.size(), std::nullopt);
    std::vector<Mean> of_heads(zones_.size()), of_cylinders(zones_.size()), of_bands(zones_.size());
    for (std::size_t i = 1; i < tracks.size(); ++i) {
      const Track &a = tracks[i - 1], &b = tracks[i];
      if (a.zone != b.zone || b.number != a.number + 1) continue;
      const Switches from = switches(a.zone, a.number), to = switches(b.zone, b.number);
      Mean& mean = to.bands > from.bands           ? of_bands[a.zone]
                   : to.cylinders > from.cylinders ? of_cylinders[a.zone]
                                                   : of_heads[a.zone];
      mean.add(b.angle - a.angle);
    }
    std::vector<Mean> offsets(zones_.size());
    for (std::size_t z = 0; z < zones_.size() && !tracks.empty(); ++z) {
      zones_[z].track_skew = of_heads[z].mean().value_or(0);
      zones_[z].cylinder_skew = of_cylinders[z].mean().value_or(0);
      band_skews_[z] = of_bands[z].mean();
    }
    for (const Track& track : tracks) offsets[track.zone].add(track.angle - way(track.zone, track.number));
    for (std::size_t z = 0; z < zones_.size() && !tracks.empty(); ++z) zones_[z].offset = offsets[z].mean().value_or(0);
  }

  /// Skew from the zone's first track to another.
  double way(std::size_t z, std::int64_t track) const {
    const Switches n = switches(z, track);
    const MappedZone& zone = zones_[z];
    return static_cast<double>(n.heads) * zone.track_skew + static_cast<double>(n.cylinders) * zone.cylinder_skew +
           static_cast<double>(n.bands) * band_skews_[z].value_or(zone.cylinder_skew);
  }

  // ---- Sectors -----------------------------------------------------------------------------------------------------

  /// Slips, spares and fronts of the zones.
  GeometryParams with_sectors(Spares spares) const {
    GeometryParams made = bare_;
    made.spares_per_track = spares == Spares::track;
    made.spare_range_cylinders = spares == Spares::cylinder ? 1 : 0;
    std::size_t next = 0;
    std::int64_t blocks = 0;
    for (std::size_t z = 0; z < zones_.size(); ++z) {
      const MappedZone& zone = zones_[z];
      const std::int64_t begin = zone_begins_[z];
      const std::int64_t end = begin + zone.sectors(heads());
      std::vector<std::pair<std::int64_t, std::int64_t>> used;  // from the zone's first sector
      std::int64_t in_zone = 0;
      for (; next < placed_.size() && placed_[next].at < end; ++next) {
        const Placed& placed = placed_[next];
        used.emplace_back(placed.at - begin, placed.at - begin + placed.length);
        in_zone += placed.length;
      }
      blocks += in_zone;
      const std::int64_t reserved = used.empty() ? end - begin : used.front().first;
      media::ZoneParams& row = made.zones[z];
      row.track_skew = part_of_revolution(zone.track_skew);
      row.cylinder_skew = part_of_revolution(zone.cylinder_skew);
      if (has_bands(mapping_)) made.bands[z].skew = part_of_revolution(band_skews_[z].value_or(zone.cylinder_skew));
      const std::int64_t unit = spares == Spares::track      ? zone.per_track
                                : spares == Spares::cylinder ? zone.cylinder(heads())
                                                             : end - begin;
      const std::int64_t least = least_spares(used, unit, end - begin);
      row.spares = spares == Spares::zone ? end - begin - reserved - in_zone : least;
      if (reserved > 0 || zone.offset > 0)
        made.zone_fronts.push_back({static_cast<std::int64_t>(z), reserved, part_of_revolution(zone.offset)});
      add_slips(made, z, used, unit);
      if (spares == Spares::zone) add_defects_behind(made, z, used.empty() ? end : begin + used.back().second, end);
      if (static_cast<std::int64_t>(made.slips.size()) > Geometry::kMaxListed) break;
    }
    made.blocks = disk_.blocks > 0 ? std::min(disk_.blocks, blocks) : spares == Spares::zone ? 0 : blocks;
    if (disk_.blocks >= blocks && spares == Spares::zone) made.blocks = 0;
    return made;
  }

  /// Sectors without a block that each whole piece of `unit` sectors has, at most.
  static std::int64_t least_spares(const std::vector<std::pair<std::int64_t, std::int64_t>>& used, std::int64_t unit,
                                   std::int64_t sectors) {
    std::map<std::int64_t, std::int64_t> blocks;
    for (const auto& [from, to] : used)
      for (std::int64_t at = from; at < to;) {
        const std::int64_t stop = std::min(to, (at / unit + 1) * unit);
        blocks[at / unit] += stop - at;
        at = stop;
      }
    if (blocks.size() < 3 || sectors / unit < 3) return 0;
    std::map<std::int64_t, std::int64_t> counts;
    for (const auto& [piece, count] : blocks) ++counts[count];
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return unit - most->first;
  }

  /// Holes between used sectors, but not those at the end of a piece of `unit` sectors, which are its spares.
  void add_slips(GeometryParams& made, std::size_t z, const std::vector<std::pair<std::int64_t, std::int64_t>>& used,
                 std::int64_t unit) const {
    for (std::size_t i = 1; i < used.size(); ++i) {
      for (std::int64_t at = used[i - 1].second; at < used[i].first; ++at) {
        const std::int64_t piece_end = (at / unit + 1) * unit;
        if (used[i].first >= piece_end) {
          at = piece_end - 1;
          continue;
        }
        made.slips.push_back({static_cast<std::int64_t>(z), at});
        if (static_cast<std::int64_t>(made.slips.size()) > Geometry::kMaxListed) return;
      }
    }
  }

  /// Defects among the zone's spares, from `from` to `end` of the disk.
  void add_defects_behind(GeometryParams& made, std::size_t z, std::int64_t from, std::int64_t end) const {
    for (auto at = std::lower_bound(defects_.begin(), defects_.end(), from); at != defects_.end() && *at < end; ++at)
      made.slips.push_back({static_cast<std::int64_t>(z), *at - zone_begins_[z]});
  }

  /// Blocks that do not lie where the table says, those out of the order not counted.
  std::int64_t elsewhere(const GeometryParams& made) const {
    std::int64_t blocks = 0;
    try {
      const Geometry disk(made);
      for (const Placed& placed : placed_) {
        if (placed.moved) continue;
        const auto lbn = static_cast<std::uint64_t>(placed.lbn);
        const std::uint64_t last = lbn + static_cast<std::uint64_t>(placed.length) - 1;
        if (last >= disk.sectors()) continue;
        const media::Location at = disk.locate(lbn), end = disk.locate(last);
        media::Location said = location(*placed.run);
        said.sector += static_cast<std::uint32_t>(placed.lbn - placed.run->lbn);
        if (at.cylinder != said.cylinder || at.head != said.head || at.sector != said.sector ||
            end.cylinder != at.cylinder || end.head != at.head || end.sector - at.sector != last - lbn)
          blocks += placed.length;
      }
    } catch (const InputError&) {
      return sectors_ + 1;
    }
    return blocks;
  }

  void add_remaps() {
    std::int64_t lost = 0, kept = 0;
    const Geometry plain = geometry(params());
    Geometry moved = plain;
    for (const Placed& placed : placed_) {
      for (std::int64_t i = 0; placed.moved && i < placed.length; ++i) {
        const auto lbn = static_cast<std::uint64_t>(placed.lbn + i);
        if (lbn >= plain.sectors()) continue;
        if (kept < kMostRemaps && moved.reallocate(lbn)) {
          params().remaps.push_back({static_cast<std::int64_t>(lbn), media::RemappedBlock::kNextSpare});
          ++kept;
        } else {
          ++lost;
        }
      }
    }
    if (kept > 0)
      report_.note(place_, fmt::format("{} blocks lie out of the order of tracks: each is in the first free spare of "
                                       "its zone, wherever DiskSim has it",
                                       kept));
    if (lost > 0)
      report_.not_represented.push_back(fmt::format(
          "{}: {} blocks out of the order of tracks, for which their zones have no spare: they lie in the order",
          cited(place_), lost));
  }

  // ---- Result ------------------------------------------------------------------------------------------------------

  void finish() {
    bool gaps = zones_.front().first > 0;
    for (std::size_t z = 1; z < zones_.size(); ++z) gaps = gaps || zones_[z].first > zones_[z - 1].last + 1;
    params().cylinder_gaps = gaps;
    const Geometry disk = geometry(params());
    const auto [outermost, innermost] = std::minmax_element(
        runs_.begin(), runs_.end(), [](const MappedRun& a, const MappedRun& b) { return a.cylinder < b.cylinder; });
    layout_.reach = static_cast<std::uint32_t>(innermost->cylinder - outermost->cylinder);
    const std::int64_t others = layout_.elsewhere = elsewhere(params());
    if (others > 0)
      report_.not_represented.push_back(
          fmt::format("{}: {} of {} blocks lie elsewhere: no order of tracks that we have is that of the table; the "
                      "nearest is {}",
                      cited(place_), others, disk.sectors(), kMappings[static_cast<int>(mapping_)]));
    if (disk_.blocks > static_cast<std::int64_t>(disk.sectors()))
      report_.note(place_, fmt::format("the layout holds {} blocks, {} fewer than Block count says", disk.sectors(),
                                       disk_.blocks - static_cast<std::int64_t>(disk.sectors())));
    note_angles(disk);
  }

  /// If tracks do not begin where the table says, to half a sector.
  void note_angles(const Geometry& disk) const {
    double worst = 0, sectors = 0;
    for (const Placed& placed : placed_) {
      const auto lbn = static_cast<std::uint64_t>(placed.run->lbn);
      if (placed.moved || !placed.run->angle || lbn >= disk.sectors()) continue;
      const media::Location at = disk.locate(lbn);
      const auto per_track = static_cast<double>(at.sectors_per_track);
      const double angle = static_cast<double>(at.angle.numerator) / static_cast<double>(at.angle.denominator);
      const double off = angle - *placed.run->angle - static_cast<double>(placed.run->sector) / per_track;
      const double by = std::abs(off - std::round(off));
      if (by <= worst) continue;
      worst = by;
      sectors = by * per_track;
    }
    if (sectors > 0.5)
      report_.note(place_,
                   fmt::format("tracks begin up to {:.4f} revolutions from where the layout says: each zone has "
                               "one skew for each kind of switch",
                               worst));
  }

  void write() {
    const GeometryParams& geometry = params();
    DriveText& text = layout_.text;
    text.section("geometry");
    text.key("heads", fmt::format("{}", geometry.heads), "Number of data surfaces");
    text.key("mapping", toml_string(kMappings[static_cast<int>(geometry.mapping)]),
             "the order of tracks in " + source_);
    if (geometry.cylinder_gaps) text.key("cylinder_gaps", "true", "cylinders that belong to no zone");
    if (geometry.spare_range_cylinders > 0) text.key("spare_range_cylinders", "1", "each cylinder has as many spares");
    if (geometry.spares_per_track) text.key("spares_per_track", "true", "each track has as many spares");
    text.key("skew_unit", "\"revolutions\"");
    if (geometry.blocks > 0) text.key("blocks", fmt::format("{}", geometry.blocks), "Block count");
    text.comment(
        "First and last cylinder, sectors a track, track skew and cylinder skew (revolutions), spare sectors: " +
        source_ + ".");
    text.rows("zones", geometry);
    if (!geometry.surface_sectors.empty()) {
      text.comment("Zone, surface, sectors on its tracks: surfaces that are recorded less densely.");
      text.packed("surface_sectors", geometry);
    }
    if (!geometry.bands.empty()) {
      text.comment("Zone, cylinders of a band, skew of a change of band, whether the first begins on the last head.");
      text.packed("bands", geometry);
    }
    if (!geometry.zone_fronts.empty()) {
      text.comment("Zone, sectors before its first block, angle of its first track.");
      text.packed("zone_fronts", geometry);
    }
    if (!geometry.slips.empty()) {
      text.comment("Sectors without a block: zone, sector of the zone.");
      text.packed("slips", geometry);
    }
    if (!geometry.remaps.empty()) {
      text.comment("Blocks out of the order of tracks.");
      text.packed("remaps", geometry);
    }
  }

  std::vector<MappedZone> zones_;
  std::vector<MappedRun> runs_;
  const std::vector<MappedRun> given_defects_;
  std::vector<std::int64_t> defects_;  // sectors of the disk, along the mapping
  const DiskFacts disk_;
  const Place place_;
  const std::string source_;
  Report& report_;
  Mapping mapping_ = Mapping::conventional;
  std::vector<Band> bands_;
  GeometryParams bare_;
  std::vector<Placed> placed_;
  std::vector<std::int64_t> zone_begins_;
  std::int64_t sectors_ = 0;
  std::vector<std::optional<double>> band_skews_;
  Layout layout_;
};

}  // namespace

double part_of_revolution(double revolutions) {
  const double part = revolutions - std::floor(revolutions);
  return part < 1 - 1e-11 && part > 1e-15 ? part : 0;
}

Layout mapped_layout(std::vector<MappedZone> zones, std::vector<MappedRun> runs, std::vector<MappedRun> defects,
                     const DiskFacts& disk, const Place& place, const std::string& source, Report& report) {
  return Mapper(std::move(zones), std::move(runs), std::move(defects), disk, place, source, report).convert();
}

}  // namespace armature::importer
