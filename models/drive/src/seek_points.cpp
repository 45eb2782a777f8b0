#include "seek_points.h"

#include "disk_record.h"

#include <deque>
#include <optional>

namespace armature::drive {
namespace {

using Wide = __int128;

constexpr int kSlopeBits = 24;
constexpr std::int64_t kOne = std::int64_t{1} << kSlopeBits;     // a tick a cylinder
constexpr std::int64_t kSteepest = (std::int64_t{1} << 39) - 1;  // aau.seek_slope_hi holds bits 39:32

/// Rounded down; b > 0.
std::int64_t divided(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

/// The slopes of a straight piece from one entry on that keep all distances looked at within the tolerance. As the unit
/// computes, such a piece has floor(run * slope / 2^24) ticks more than its entry.
class Slopes {
 public:
  bool none() const { return least_ > most_; }

  /// `rise` ticks from the entry are right at `run` cylinders from it, `tolerance` more or less allowed.
  void admit(std::int64_t run, std::int64_t rise, std::int64_t tolerance) {
    if (Wide{run} * least_ >> kSlopeBits < rise - tolerance) least_ = -divided(-(rise - tolerance) * kOne, run);
    if (Wide{run} * most_ >> kSlopeBits > rise + tolerance) most_ = divided((rise + tolerance + 1) * kOne - 1, run);
  }
  /// The slope to a next entry with `rise` ticks more, rounded down as firmware does, is one of them.
  bool holds(std::int64_t run, std::int64_t rise) const {
    const Wide scaled = Wide{rise} * kOne;
    return Wide{run} * least_ <= scaled && scaled < Wide{run} * (Wide{most_} + 1);
  }

 private:
  std::int64_t least_ = -kSteepest, most_ = kSteepest;
};

/// Pieces as long as they can be, one after the other, with their entries `above` ticks above the curve. Nothing if
/// more entries are needed than there are.
std::optional<std::vector<fw_seek_point>> follow(const actuator::SeekProfile& profile, std::uint32_t longest,
                                                 double rpm, actuator::SeekMode mode, std::uint32_t tolerance,
                                                 std::uint32_t above) {
  const auto at = [&](std::uint32_t distance) { return ticks(profile.slower_seek(distance, mode), rpm); };
  std::vector<fw_seek_point> points{{1, at(1) + above}};
  while (points.back().cylinders < longest) {
    if (points.size() == FW_MAX_SEEK_POINTS) return std::nullopt;
    const fw_seek_point from = points.back();
    fw_seek_point to{};
    Slopes slopes;
    for (std::uint32_t distance = from.cylinders + 1; distance <= longest && !slopes.none(); ++distance) {
      const std::uint32_t time = at(distance);
      const std::int64_t run = distance - from.cylinders, rise = std::int64_t{time} - from.ticks;
      // Between neighbours lies nothing that a slope could be wrong for.
      if (run == 1 || slopes.holds(run, rise + above)) to = {distance, time + above};
      slopes.admit(run, rise, tolerance);
    }
    points.push_back(to);
  }
  return points;
}

std::vector<fw_seek_point> make_points(const actuator::SeekProfile& profile, std::uint32_t longest, double rpm,
                                       actuator::SeekMode mode) {
  if (auto exact = follow(profile, longest, rpm, mode, 0, 0)) return *exact;
  // Entries on the curve leave a piece of a curve that bends the tolerance on one side, entries above it on both.
  for (std::uint32_t tolerance = 1;; tolerance += (tolerance + 1) / 2)
    for (const std::uint32_t above : {0u, tolerance})
      if (auto points = follow(profile, longest, rpm, mode, tolerance, above)) return *points;
}

/// A table that has been made.
struct Made {
  actuator::SeekProfile profile;
  std::uint32_t longest;
  double rpm;
  actuator::SeekMode mode;
  std::vector<fw_seek_point> points;
};
constexpr std::size_t kMostMade = 8;

}  // namespace

std::vector<fw_seek_point> seek_points(const actuator::SeekProfile& profile, std::uint32_t longest, double rpm,
                                       actuator::SeekMode mode) {
  thread_local std::deque<Made> all;  // drives of one file have the same table, which takes time to make
  for (const Made& made : all)
    if (made.longest == longest && made.rpm == rpm && made.mode == mode && made.profile.moves_as(profile))
      return made.points;
  if (all.size() == kMostMade) all.pop_front();
  all.push_back({profile, longest, rpm, mode, make_points(profile, longest, rpm, mode)});
  return all.back().points;
}

}  // namespace armature::drive
