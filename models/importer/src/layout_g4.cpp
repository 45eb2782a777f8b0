#include "layout_mapped.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

// The fields of the lists are those that DiskSim's diskmodel/layout_g4_load.c reads, what they mean is done in
// layout_g4.c. (The layout_g4.modspec describes an earlier form without angles.)

namespace armature::importer {
namespace {

using media::Geometry;

constexpr std::int64_t kMostSteps = 4 * kMostRuns;  // instances of entries, of which a track has few
constexpr int kDeepest = 16;                        // as in DiskSim
constexpr double kMostBlocks = 1e12;
constexpr double kMostSectors = Geometry::kMaxSectorsPerTrack;
/// Fewer sectors on up to this many tracks in a row are defects; on more a surface is recorded less densely.
constexpr std::int64_t kMostShortTracks = 16;

struct Track {
  std::int64_t low, high, per_track;
};

/// `runlen` blocks in equal instances of a child, one behind the other in blocks, cylinders and angle.
struct Entry {
  Place place;
  std::int64_t lbn, cylinder, length, cylinders, run_length;
  double angle, angle_step;
  bool inwards;
  bool track;
  std::size_t child;
  std::int64_t head;
};

struct Piece {
  std::int64_t lbn;  // slips counted
  std::int32_t cylinder, sector, length;
  std::uint16_t head, per_track;
  double angle;
  std::uint32_t root;  // entry of the outermost index
};

/// Blocks on a cylinder that no disk has.
struct Beyond {
  Place place;
  std::int64_t lbn, cylinder;
};

/// Cylinders in a row on which a surface has equally many sectors a track.
struct Stretch {
  std::int64_t first, last, per_track;

  std::int64_t cylinders() const { return last - first + 1; }
};

class Converter {
 public:
  Converter(const ParameterFile& file, const ParameterBlock& block, const DiskFacts& disk, Report& report)
      : block_(block), disk_(disk), report_(report), reader_(file, block, report) {}

  Layout convert() {
    read_tracks();
    read_indices();
    expand(indices_.back(), 0, 0, 0, static_cast<std::int64_t>(kMostBlocks), 0);
    if (pieces_.empty() && beyond_) throw leads_beyond();
    if (pieces_.empty()) throw InputError(block_.place, "this layout makes no disk: no index leads to a track");
    std::stable_sort(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) { return a.lbn < b.lbn; });
    find_stretches();
    place_blocks();
    reader_.finish();
    // Entries of the outermost index are zones or parts of them.
    const std::vector<MappedZone> together = zones(false), apart = zones(true);
    std::vector<Piece>().swap(pieces_);
    Report whole, parts;
    const bool differ = apart.size() > together.size();
    Layout merged = mapped_layout(together, differ ? runs_ : std::move(runs_), defects_, disk_, block_.place,
                                  cited(block_.place), whole);
    if (merged.elsewhere > 0 && differ) {
      Layout split =
          mapped_layout(apart, std::move(runs_), std::move(defects_), disk_, block_.place, cited(block_.place), parts);
      if (split.elsewhere < merged.elsewhere) {
        merged = std::move(split);
        whole = std::move(parts);
      }
    }
    for (auto& line : whole.not_represented) report_.not_represented.push_back(std::move(line));
    for (auto& note : whole.notes) report_.notes.push_back(std::move(note));
    return merged;
  }

 private:
  const ParameterValue& list(const char* key) {
    const ParameterValue* const list = reader_.list(key);
    if (!list) reader_.lacks(key);
    return *list;
  }

  /// `name`: what the number is, for the message.
  static std::int64_t whole(const ParameterValue& value, const char* name, double least, double most) {
    const bool number = value.kind == ParameterValue::whole || value.kind == ParameterValue::real;
    if (!number || value.number != static_cast<double>(
                                       static_cast<std::int64_t>(std::clamp(value.number, -kMostBlocks, kMostBlocks))))
      throw InputError(value.place, fmt::format("{}: a whole number is expected, not {}", name, shown(value)));
    if (!(value.number >= least && value.number <= most))
      throw InputError(value.place, fmt::format("{}: {} is out of range; allowed: {} to {}", name, shown(value),
                                                shortest(least), shortest(most)));
    return static_cast<std::int64_t>(value.number);
  }

  void read_tracks() {
    const ParameterValue& tracks = list("TP");
    for (std::size_t i = 0; i + 2 < tracks.items.size(); i += 3) {
      const std::int64_t per_track = whole(tracks.items[i + 2], "TP: sectors of the track", 1, kMostSectors);
      const std::int64_t low = whole(tracks.items[i], "TP: first sector", 0, static_cast<double>(per_track) - 1);
      tracks_.push_back(
          {low,
           whole(tracks.items[i + 1], "TP: last sector", static_cast<double>(low), static_cast<double>(per_track) - 1),
           per_track});
    }
    if (tracks_.empty()) throw InputError(tracks.place, "TP: a track pattern has 3 numbers");
    if (tracks.items.size() % 3 != 0)
      report_.note(tracks.place, "TP: a track pattern has 3 numbers: what is left of the last one is not used");
  }

  void read_indices() {
    const ParameterValue& indices = list("IDX");
    for (const ParameterValue& index : indices.items) {
      if (index.kind != ParameterValue::list) throw InputError(index.place, "IDX: an index is a list");
      indices_.emplace_back();
      for (std::size_t at = 0; at < index.items.size();)
        indices_.back().push_back(entry(index, at, indices.items.size()));
    }
    if (indices_.empty()) throw InputError(indices.place, "IDX: there is no index");
  }

  /// The entry that begins with item `at`, which then is that of the next one.
  Entry entry(const ParameterValue& index, std::size_t& at, std::size_t indices) const {
    const auto next = [&]() -> const ParameterValue& {
      if (at >= index.items.size())
        throw InputError(index.place,
                         "IDX: an entry has lbn, cylinder, angle, their lengths, the two lengths of the "
                         "run, TRACK or IDX, a number, and of a TRACK a head");
      return index.items[at++];
    };
    const auto angle = [&] {
      const ParameterValue& value = next();
      if (value.kind != ParameterValue::whole && value.kind != ParameterValue::real)
        throw InputError(value.place, fmt::format("an angle is expected, not {}", shown(value)));
      return part_of_revolution(value.number);
    };
    constexpr double kCylinders = Geometry::kMaxCylinders;
    Entry entry{};
    const ParameterValue& first = next();
    entry.place = first.place;
    entry.lbn = whole(first, "IDX: LBN", 0, kMostBlocks);
    entry.cylinder = whole(next(), "IDX: cylinder", 0, kCylinders - 1);
    entry.angle = angle();
    entry.length = whole(next(), "IDX: length in blocks", 1, kMostBlocks);
    entry.cylinders = whole(next(), "IDX: length in cylinders", 1, kCylinders);
    entry.angle_step = angle();
    entry.run_length = whole(next(), "IDX: length of the run in blocks", 0, kMostBlocks);
    entry.inwards = whole(next(), "IDX: length of the run in cylinders", -kCylinders, kCylinders) >= 0;
    const ParameterValue& kind = next();
    entry.track = kind.string == "TRACK" || kind.string == "TP";
    if (kind.kind != ParameterValue::text || (!entry.track && kind.string != "IDX"))
      throw InputError(kind.place, fmt::format("TRACK or IDX is expected, not {}", shown(kind)));
    const std::size_t children = entry.track ? tracks_.size() : indices;
    entry.child = static_cast<std::size_t>(
        whole(next(), "IDX: number of the track pattern or index", 0, static_cast<double>(children) - 1));
    if (entry.track) entry.head = whole(next(), "IDX: head", 0, Geometry::kMaxHeads - 1);
    return entry;
  }

  /// Pieces of an index that begins at a block, cylinder and angle and has room for that many blocks.
  void expand(const std::vector<Entry>& index, std::int64_t lbn, std::int64_t cylinder, double angle, std::int64_t room,
              int depth) {
    if (depth >= kDeepest) throw InputError(block_.place, fmt::format("IDX: indices lie more than {} deep", kDeepest));
    for (std::size_t i = 0; i < index.size(); ++i) {
      const Entry& entry = index[i];
      if (depth == 0) root_ = static_cast<std::uint32_t>(i);
      const std::int64_t instances = std::min(entry.run_length, room - entry.lbn) / entry.length;
      if (instances > kMostRuns - static_cast<std::int64_t>(entry.track ? pieces_.size() : 0))
        throw too_many(entry.place);
      std::int64_t instance = 0;
      for (std::int64_t from = 0; from < entry.run_length && entry.lbn + from < room;
           from += entry.length, ++instance) {
        if (++steps_ > kMostSteps) throw too_many(entry.place);
        const std::int64_t has = std::min({entry.length, entry.run_length - from, room - entry.lbn - from});
        const std::int64_t at = cylinder + entry.cylinder + (entry.inwards ? instance : -instance) * entry.cylinders;
        const double begins = angle + entry.angle + static_cast<double>(instance) * entry.angle_step;
        if (!entry.track) {
          expand(indices_[entry.child], lbn + entry.lbn + from, at, begins, has, depth + 1);
        } else if (at >= 0 && at < Geometry::kMaxCylinders) {
          add_piece(entry, lbn + entry.lbn + from, at, has, begins);
        } else if (!beyond_ || lbn + entry.lbn + from < beyond_->lbn) {
          beyond_ = {entry.place, lbn + entry.lbn + from, at};
        }
      }
    }
  }

  static InputError too_many(const Place& place) {
    return InputError(place, fmt::format("IDX: more tracks than are represented ({} million)", kMostRuns / 1'000'000));
  }

  InputError leads_beyond() const {
    return InputError(beyond_->place, fmt::format("IDX: this entry leads to cylinder {}; allowed: 0 to {}",
                                                  beyond_->cylinder, Geometry::kMaxCylinders - 1));
  }

  void add_piece(const Entry& entry, std::int64_t lbn, std::int64_t cylinder, std::int64_t length, double angle) {
    const Track& track = tracks_[entry.child];
    if (static_cast<std::int64_t>(pieces_.size()) >= kMostRuns) throw too_many(entry.place);
    pieces_.push_back({lbn, static_cast<std::int32_t>(cylinder), static_cast<std::int32_t>(track.low),
                       static_cast<std::int32_t>(std::min(length, track.high - track.low + 1)),
                       static_cast<std::uint16_t>(entry.head), static_cast<std::uint16_t>(track.per_track),
                       part_of_revolution(angle), root_});
  }

  // ---- Sectors of the tracks ---------------------------------------------------------------------------------------

  /// Of each surface. A track with several patterns has the sectors of the longest: the analysis that writes such files
  /// takes the last sector with a block for the last one.
  void find_stretches() {
    struct Of {
      std::uint16_t head, per_track;
      std::int32_t cylinder;
    };
    std::vector<Of> tracks;
    tracks.reserve(pieces_.size());
    for (const Piece& piece : pieces_)
      if (piece.head < disk_.surfaces) tracks.push_back({piece.head, piece.per_track, piece.cylinder});
    std::sort(tracks.begin(), tracks.end(), [](const Of& a, const Of& b) {
      return std::tie(a.head, a.cylinder, b.per_track) < std::tie(b.head, b.cylinder, a.per_track);
    });
    stretches_.resize(static_cast<std::size_t>(disk_.surfaces));
    for (const Of& track : tracks) {
      std::vector<Stretch>& of_head = stretches_[track.head];
      if (!of_head.empty() && of_head.back().last == track.cylinder) continue;
      if (of_head.empty() || of_head.back().last + 1 != track.cylinder || of_head.back().per_track != track.per_track)
        of_head.push_back({track.cylinder, track.cylinder, track.per_track});
      of_head.back().last = track.cylinder;
    }
    lengthen_short_tracks();
  }

  /// The stretch of a surface that holds a cylinder; null: it has no block there.
  const Stretch* stretch_at(std::size_t head, std::int64_t cylinder) const {
    const std::vector<Stretch>& of_head = stretches_[head];
    const auto behind = std::upper_bound(of_head.begin(), of_head.end(), cylinder,
                                         [](std::int64_t c, const Stretch& stretch) { return c < stretch.first; });
    return behind == of_head.begin() || (behind - 1)->last < cylinder ? nullptr : &*(behind - 1);
  }

  /// A few tracks that are shorter than those beside them on their surface have defects, unless all surfaces change
  /// there: their sectors are as wide as those of the tracks beside them.
  void lengthen_short_tracks() {
    std::int64_t count = 0, first_cylinder = 0;
    std::size_t first_head = 0;
    std::vector<std::vector<Stretch>> lengthened(stretches_.size());
    for (std::size_t head = 0; head < stretches_.size(); ++head) {
      const std::vector<Stretch>& given = stretches_[head];
      for (std::size_t i = 0; i < given.size(); ++i) {
        std::vector<Stretch>& made = lengthened[head];
        Stretch stretch = given[i];
        const Stretch* const before = !made.empty() && made.back().last + 1 == stretch.first ? &made.back() : nullptr;
        const Stretch* const behind =
            i + 1 < given.size() && given[i + 1].first == stretch.last + 1 ? &given[i + 1] : nullptr;
        if (const std::int64_t whole = whole_length(head, stretch, before, behind); whole > stretch.per_track) {
          if (count == 0) first_cylinder = stretch.first, first_head = head;
          count += stretch.cylinders();
          for (std::int64_t cylinder = stretch.first; cylinder <= stretch.last; ++cylinder)
            defects_.push_back({0,
                                static_cast<std::int32_t>(cylinder),
                                static_cast<std::int32_t>(head),
                                static_cast<std::int32_t>(stretch.per_track),
                                static_cast<std::int32_t>(whole - stretch.per_track),
                                {}});
          stretch.per_track = whole;
        }
        if (before && before->per_track == stretch.per_track) {
          made.back().last = stretch.last;
        } else {
          made.push_back(stretch);
        }
      }
    }
    stretches_ = std::move(lengthened);
    if (count > 0)
      report_.note(block_.place,
                   fmt::format("{} tracks have fewer sectors than those beside them on their surface, the first on "
                               "cylinder {}, head {}: they have defects, so what they lack is slipped",
                               count, first_cylinder, first_head));
  }

  /// Sectors per track of a stretch without its defects. At a border of zones all surfaces change.
  std::int64_t whole_length(std::size_t head, const Stretch& stretch, const Stretch* before,
                            const Stretch* behind) const {
    std::int64_t whole = 0, beside = 0;
    for (const Stretch* const other : {before, behind}) {
      if (!other || other->per_track <= stretch.per_track) continue;
      beside += other->cylinders();
      const bool zones_border = changes_everywhere(head, other == before ? stretch.first : stretch.last + 1);
      if (!zones_border) whole = std::max(whole, other->per_track);
    }
    return stretch.cylinders() <= std::min(kMostShortTracks, beside / 3) ? std::max(whole, stretch.per_track)
                                                                         : stretch.per_track;
  }

  /// No other surface goes on with equally long tracks from the cylinder before.
  bool changes_everywhere(std::size_t head, std::int64_t cylinder) const {
    for (std::size_t other = 0; other < stretches_.size(); ++other) {
      const Stretch* const there = other == head ? nullptr : stretch_at(other, cylinder);
      if (there && there->first < cylinder) return false;
    }
    return true;
  }

  // ---- Blocks ------------------------------------------------------------------------------------------------------

  struct Remap {
    std::int64_t lbn, length, cylinder, head, sector;
  };

  /// Those to a sector of a pattern's track, in the order of their blocks.
  std::vector<Remap> remaps() {
    std::vector<Remap> remaps;
    const ParameterValue* const given = reader_.list("Remaps");
    std::int64_t lost = 0;
    for (std::size_t i = 0; given && i + 5 < given->items.size(); i += 6) {
      const auto item = [&](std::size_t k, double most) { return whole(given->items[i + k], "Remaps", 0, most); };
      const Remap remap{item(0, kMostBlocks), item(1, kMostSectors), item(2, Geometry::kMaxCylinders - 1.0),
                        item(3, Geometry::kMaxHeads - 1.0), item(4, kMostSectors - 1)};
      item(5, kMostSectors);  // sectors of that track: the patterns tell
      const Stretch* const there =
          remap.head < disk_.surfaces ? stretch_at(static_cast<std::size_t>(remap.head), remap.cylinder) : nullptr;
      if (there && remap.sector + remap.length <= there->per_track) {
        remaps.push_back(remap);
      } else {
        lost += remap.length;
      }
    }
    if (given && given->items.size() % 6 != 0)
      report_.note(given->place, "Remaps: a remap has 6 numbers: what is left of the last one is not used");
    if (lost > 0)
      report_.not_represented.push_back(
          fmt::format("{}: Remaps: {} blocks are remapped to sectors that no pattern has: they lie in the order",
                      cited(given->place), lost));
    std::stable_sort(remaps.begin(), remaps.end(), [](const Remap& a, const Remap& b) { return a.lbn < b.lbn; });
    return remaps;
  }

  /// From where on so many blocks more are left out before.
  struct Shift {
    std::int64_t lbn, by;
  };

  std::vector<Shift> shifts() {
    std::vector<std::pair<std::int64_t, std::int64_t>> slips;
    const ParameterValue* const given = reader_.list("Slips");
    for (std::size_t i = 0; given && i + 1 < given->items.size(); i += 2)
      slips.emplace_back(whole(given->items[i], "Slips", 0, kMostBlocks),
                         whole(given->items[i + 1], "Slips", -1e9, 1e9));
    if (given && given->items.size() % 2 != 0)
      report_.note(given->place, "Slips: a slip has 2 numbers: what is left of the last one is not used");
    std::stable_sort(slips.begin(), slips.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Shift> shifts{{0, 0}};
    for (const auto& [at, count] : slips) {
      // A slip counts for the blocks that would lie at it or behind it.
      const std::int64_t lbn = std::max(shifts.back().lbn, at - shifts.back().by);
      shifts.push_back({lbn, std::max<std::int64_t>(shifts.back().by + count, 0)});
    }
    return shifts;
  }

  void place_blocks() {
    const std::vector<Shift> all = shifts();
    const std::vector<Remap> moved = remaps();
    // The runs of the last entry may go on behind the disk's last block, but not those before.
    if (beyond_ && (disk_.blocks == 0 || beyond_->lbn - all.back().by < disk_.blocks)) throw leads_beyond();
    std::int64_t last = pieces_.back().lbn + pieces_.back().length - all.back().by;
    if (disk_.blocks > 0) last = std::min(last, disk_.blocks);
    std::size_t shift = 0, remap = 0, piece = 0;
    for (std::int64_t lbn = 0; lbn < last;) {
      while (shift + 1 < all.size() && all[shift + 1].lbn <= lbn) ++shift;
      while (remap < moved.size() && moved[remap].lbn + moved[remap].length <= lbn) ++remap;
      std::int64_t stop = last;
      if (shift + 1 < all.size()) stop = std::min(stop, all[shift + 1].lbn);
      if (remap < moved.size() && moved[remap].lbn <= lbn) {
        const Remap& to = moved[remap];
        stop = std::min(stop, to.lbn + to.length);
        runs_.push_back({lbn,
                         static_cast<std::int32_t>(to.cylinder),
                         static_cast<std::int32_t>(to.head),
                         static_cast<std::int32_t>(to.sector + lbn - to.lbn),
                         static_cast<std::int32_t>(stop - lbn),
                         {}});
        lbn = stop;
        continue;
      }
      if (remap < moved.size()) stop = std::min(stop, moved[remap].lbn);
      const std::int64_t raw = lbn + all[shift].by;
      piece = piece_of(raw, piece);
      if (piece == pieces_.size()) return;
      const Piece& at = pieces_[piece];
      if (raw < at.lbn) {  // numbers that no pattern has
        lbn = std::min(stop, lbn + at.lbn - raw);
        continue;
      }
      const std::int64_t length = std::min(stop - lbn, at.lbn + at.length - raw);
      runs_.push_back({lbn, at.cylinder, at.head, static_cast<std::int32_t>(at.sector + raw - at.lbn),
                       static_cast<std::int32_t>(length), at.angle});
      lbn += length;
    }
  }

  /// The first piece that ends behind `raw`; the search begins at a guess.
  std::size_t piece_of(std::int64_t raw, std::size_t guess) const {
    if (guess > 0 && raw < pieces_[guess - 1].lbn + pieces_[guess - 1].length) guess = 0;
    if (guess == 0)
      guess = static_cast<std::size_t>(std::partition_point(pieces_.begin(), pieces_.end(),
                                                            [raw](const Piece& p) { return p.lbn + p.length <= raw; }) -
                                       pieces_.begin());
    while (guess < pieces_.size() && pieces_[guess].lbn + pieces_[guess].length <= raw) ++guess;
    return guess;
  }

  /// Runs of cylinders on which each surface has equally many sectors a track; `by_root`: and of one entry of the
  /// outermost index.
  std::vector<MappedZone> zones(bool by_root) const {
    const std::vector<std::int64_t> roots = by_root ? changes_of_root() : std::vector<std::int64_t>{};
    std::vector<std::int64_t> borders = roots;
    for (const std::vector<Stretch>& of_head : stretches_) {
      for (const Stretch& stretch : of_head) {
        borders.push_back(stretch.first);
        borders.push_back(stretch.last + 1);
      }
    }
    std::sort(borders.begin(), borders.end());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    std::vector<MappedZone> zones;
    for (std::size_t i = 0; i + 1 < borders.size(); ++i) {
      MappedZone zone = zone_of(borders[i], borders[i + 1] - 1);
      if (zone.per_track == 0) continue;
      const bool goes_on = !zones.empty() && zones.back().last + 1 == zone.first &&
                           zones.back().per_track == zone.per_track && zones.back().surfaces == zone.surfaces &&
                           !std::binary_search(roots.begin(), roots.end(), zone.first);
      if (goes_on) {
        zones.back().last = zone.last;
      } else {
        zones.push_back(std::move(zone));
      }
    }
    return zones;
  }

  /// Without a sector: no surface has blocks there. A surface that has none is taken to be as dense as the densest.
  MappedZone zone_of(std::int64_t first, std::int64_t last) const {
    MappedZone zone;
    zone.first = first;
    zone.last = last;
    zone.surfaces.assign(stretches_.size(), 0);
    for (std::size_t head = 0; head < stretches_.size(); ++head) {
      if (const Stretch* const there = stretch_at(head, first)) zone.surfaces[head] = there->per_track;
      zone.per_track = std::max(zone.per_track, zone.surfaces[head]);
    }
    std::replace(zone.surfaces.begin(), zone.surfaces.end(), std::int64_t{0}, zone.per_track);
    const auto full = std::count(zone.surfaces.begin(), zone.surfaces.end(), zone.per_track);
    if (full == static_cast<std::ptrdiff_t>(zone.surfaces.size())) zone.surfaces.clear();
    return zone;
  }

  /// Cylinders whose first block belongs to another entry of the outermost index than that of the one before.
  std::vector<std::int64_t> changes_of_root() const {
    std::vector<std::pair<std::int32_t, std::uint32_t>> cylinders;
    cylinders.reserve(pieces_.size());
    for (const Piece& piece : pieces_) cylinders.emplace_back(piece.cylinder, piece.root);
    std::stable_sort(cylinders.begin(), cylinders.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::int64_t> changes;
    const std::pair<std::int32_t, std::uint32_t>* before = nullptr;
    for (const auto& cylinder : cylinders) {
      if (before && before->first == cylinder.first) continue;
      if (before && before->second != cylinder.second) changes.push_back(cylinder.first);
      before = &cylinder;
    }
    return changes;
  }

  const ParameterBlock& block_;
  const DiskFacts disk_;
  Report& report_;
  BlockReader reader_;
  std::vector<Track> tracks_;
  std::vector<std::vector<Entry>> indices_;
  std::vector<Piece> pieces_;
  std::vector<std::vector<Stretch>> stretches_;  // of each surface, by cylinder
  std::vector<MappedRun> runs_, defects_;
  std::optional<Beyond> beyond_;
  std::uint32_t root_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace

Layout layout_g4(const ParameterFile& file, const ParameterBlock& layout, const DiskFacts& disk, Report& report) {
  return Converter(file, layout, disk, report).convert();
}

}  // namespace armature::importer
