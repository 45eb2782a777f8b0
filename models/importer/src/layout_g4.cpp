#include "layout_mapped.h"

#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

// The fields of the lists are those that DiskSim's diskmodel/layout_g4_load.c reads, what they mean is done in
// layout_g4.c. (The layout_g4.modspec describes an earlier form without angles.)

namespace armature::importer {
namespace {

constexpr std::int64_t kMostTracks = 1 << 21;
constexpr std::int64_t kMostSteps = 1 << 22;
constexpr int kDeepest = 16;  // as in DiskSim
constexpr double kMostCylinders = 1 << 18;
constexpr double kMostBlocks = 1e12;

struct Track {
  std::int64_t low, high, per_track;
};

/// `runlen` blocks in equal instances of a child, one behind the other in blocks, cylinders and angle.
struct Entry {
  std::int64_t lbn, cylinder, length, cylinders, run_length;
  double angle, angle_step;
  bool inwards;
  bool track;
  std::size_t child;
  std::int64_t head;
};

struct Piece {
  std::int64_t lbn;  // slips counted
  std::int64_t cylinder, head, sector, length, per_track;
  double angle;
  std::size_t root;  // entry of the outermost index
};

class Converter {
 public:
  Converter(const ParameterFile& file, const ParameterBlock& block, const DiskFacts& disk, Report& report)
      : block_(block), disk_(disk), report_(report), reader_(file, block, report) {}

  Layout convert() {
    read_tracks();
    read_indices();
    expand(indices_.back(), 0, 0, 0, static_cast<std::int64_t>(kMostBlocks), 0);
    if (pieces_.empty()) throw InputError(block_.place, "this layout makes no disk: no index leads to a track");
    std::stable_sort(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) { return a.lbn < b.lbn; });
    place_blocks();
    reader_.finish();
    // Entries of the outermost index are zones or parts of them.
    Report whole, parts;
    Layout merged = mapped_layout(zones(false), runs_, disk_, block_.place, cited(block_.place), whole);
    if (merged.elsewhere > 0) {
      Layout split = mapped_layout(zones(true), runs_, disk_, block_.place, cited(block_.place), parts);
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
      const std::int64_t per_track = whole(tracks.items[i + 2], "TP: sectors of the track", 1, 65'535);
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
    Entry entry{};
    entry.lbn = whole(next(), "IDX: LBN", 0, kMostBlocks);
    entry.cylinder = whole(next(), "IDX: cylinder", 0, kMostCylinders);
    entry.angle = angle();
    entry.length = whole(next(), "IDX: length in blocks", 1, kMostBlocks);
    entry.cylinders = whole(next(), "IDX: length in cylinders", 1, kMostCylinders);
    entry.angle_step = angle();
    entry.run_length = whole(next(), "IDX: length of the run in blocks", 0, kMostBlocks);
    entry.inwards = whole(next(), "IDX: length of the run in cylinders", -kMostCylinders, kMostCylinders) >= 0;
    const ParameterValue& kind = next();
    entry.track = kind.string == "TRACK" || kind.string == "TP";
    if (kind.kind != ParameterValue::text || (!entry.track && kind.string != "IDX"))
      throw InputError(kind.place, fmt::format("TRACK or IDX is expected, not {}", shown(kind)));
    const std::size_t children = entry.track ? tracks_.size() : indices;
    entry.child = static_cast<std::size_t>(
        whole(next(), "IDX: number of the track pattern or index", 0, static_cast<double>(children) - 1));
    if (entry.track) entry.head = whole(next(), "IDX: head", 0, media::Geometry::kMaxHeads - 1);
    return entry;
  }

  /// Pieces of an index that begins at a block, cylinder and angle and has room for so many blocks.
  void expand(const std::vector<Entry>& index, std::int64_t lbn, std::int64_t cylinder, double angle, std::int64_t room,
              int depth) {
    if (depth >= kDeepest) throw InputError(block_.place, fmt::format("IDX: indices lie more than {} deep", kDeepest));
    for (std::size_t i = 0; i < index.size(); ++i) {
      const Entry& entry = index[i];
      if (depth == 0) root_ = i;
      std::int64_t instance = 0;
      for (std::int64_t from = 0; from < entry.run_length && entry.lbn + from < room;
           from += entry.length, ++instance) {
        if (++steps_ > kMostSteps) throw InputError(block_.place, "IDX: more tracks than are represented");
        const std::int64_t has = std::min({entry.length, entry.run_length - from, room - entry.lbn - from});
        const std::int64_t at = cylinder + entry.cylinder + (entry.inwards ? instance : -instance) * entry.cylinders;
        const double begins = angle + entry.angle + static_cast<double>(instance) * entry.angle_step;
        if (at < 0 || static_cast<double>(at) >= kMostCylinders) continue;
        if (entry.track) {
          add_piece(entry, lbn + entry.lbn + from, at, has, begins);
        } else {
          expand(indices_[entry.child], lbn + entry.lbn + from, at, begins, has, depth + 1);
        }
      }
    }
  }

  void add_piece(const Entry& entry, std::int64_t lbn, std::int64_t cylinder, std::int64_t length, double angle) {
    const Track& track = tracks_[entry.child];
    if (static_cast<std::int64_t>(pieces_.size()) >= kMostTracks)
      throw InputError(block_.place, "IDX: more tracks than are represented");
    pieces_.push_back({lbn, cylinder, entry.head, track.low, std::min(length, track.high - track.low + 1),
                       track.per_track, part_of_revolution(angle), root_});
  }

  // ---- Blocks ------------------------------------------------------------------------------------------------------

  struct Remap {
    std::int64_t lbn, length, cylinder, head, sector;
  };

  std::vector<Remap> remaps() {
    std::vector<Remap> remaps;
    const ParameterValue* const given = reader_.list("Remaps");
    for (std::size_t i = 0; given && i + 5 < given->items.size(); i += 6) {
      const auto item = [&](std::size_t k, double most) { return whole(given->items[i + k], "Remaps", 0, most); };
      remaps.push_back({item(0, kMostBlocks), item(1, 1e6), item(2, kMostCylinders), item(3, 255), item(4, 65'534)});
      item(5, 65'535);  // sectors of that track: the patterns tell
    }
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
        runs_.push_back({lbn, to.cylinder, to.head, to.sector + lbn - to.lbn, stop - lbn, {}});
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
      runs_.push_back({lbn, at.cylinder, at.head, at.sector + raw - at.lbn, length, at.angle});
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

  /// Runs of cylinders with equally many sectors on their tracks; `by_root`: and of one entry of the outermost index.
  std::vector<MappedZone> zones(bool by_root) const {
    struct Cylinder {
      std::int64_t per_track;
      std::size_t root;
    };
    std::map<std::int64_t, Cylinder> cylinders;
    for (const Piece& piece : pieces_) {
      const auto [at, added] = cylinders.insert({piece.cylinder, {piece.per_track, piece.root}});
      if (!added && at->second.per_track != piece.per_track)
        throw InputError(block_.place,
                         fmt::format("tracks of cylinder {} have {} and {} sectors: here all heads have equally many",
                                     piece.cylinder, at->second.per_track, piece.per_track));
    }
    std::vector<MappedZone> zones;
    std::size_t root = 0;
    for (const auto& [number, cylinder] : cylinders) {
      if (zones.empty() || zones.back().last + 1 != number || zones.back().per_track != cylinder.per_track ||
          (by_root && root != cylinder.root))
        zones.push_back({number, number, cylinder.per_track, 0, 0, 0});
      zones.back().last = number;
      root = cylinder.root;
    }
    return zones;
  }

  const ParameterBlock& block_;
  const DiskFacts disk_;
  Report& report_;
  BlockReader reader_;
  std::vector<Track> tracks_;
  std::vector<std::vector<Entry>> indices_;
  std::vector<Piece> pieces_;
  std::vector<MappedRun> runs_;
  std::size_t root_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace

Layout layout_g4(const ParameterFile& file, const ParameterBlock& layout, const DiskFacts& disk, Report& report) {
  return Converter(file, layout, disk, report).convert();
}

}  // namespace armature::importer
