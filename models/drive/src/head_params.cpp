#include "armature/drive/head_params.h"

#include "armature/core/angle.h"
#include "armature/core/conversions.h"
#include "armature/core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace armature::drive {
namespace {

constexpr double kParts = 256;  // of a track, of a tick
constexpr double kMostTracks = 4096;

struct Offset {
  double tracks;  // reader further in
  double ticks;   // later under the writer
};

}  // namespace

void HeadParams::keys(KeyVisitor& v) {
  v.key(
      "writer_along_um", writer_along_um, "um", {-1'000, 1'000},
      "Writer against the reader, along the arm: so much further from the pivot, where the disk comes later. Needs the "
      "radii of section format");
  v.key("writer_across_um", writer_across_um, "um", {-1'000, 1'000},
        "Writer against the reader, across the arm: so much further out");
  v.key("arm_length_mm", arm_length_mm, "mm", {1, 1'000}, "From the pivot to the head");
  v.key("pivot_distance_mm", pivot_distance_mm, "mm", {1, 1'000}, "From the spindle's axis to the pivot");
}

fw_jog HeadParams::jog(const media::FormatParams& format, std::uint32_t cylinders) const {
  fw_jog jog{};
  if (writer_along_um == 0 && writer_across_um == 0) return jog;
  if (format.inner_radius_mm <= 0 || format.outer_radius_mm <= format.inner_radius_mm)
    throw InputError("head.writer_along_um: needs format.outer_radius_mm and inner_radius_mm");
  jog.last = std::max(cylinders, 2u) - 1;
  const double pitch_um = 1e3 * (format.outer_radius_mm - format.inner_radius_mm) / jog.last;
  const auto at = [&](double radius_mm) -> Offset {
    const double sine =
        (arm_length_mm * arm_length_mm + radius_mm * radius_mm - pivot_distance_mm * pivot_distance_mm) /
        (2 * arm_length_mm * radius_mm);
    if (std::abs(sine) >= 1)
      throw InputError(
          fmt::format("head.arm_length_mm: an arm of {} mm, {} mm from the spindle, does not reach a radius "
                      "of {} mm",
                      arm_length_mm, pivot_distance_mm, radius_mm));
    const double cosine = std::sqrt(1 - sine * sine);
    const double across_um = writer_along_um * sine + writer_across_um * cosine;
    const double along_um = writer_along_um * cosine - writer_across_um * sine;
    return {across_um / pitch_um, along_um / (kTwoPi * radius_mm * 1e3) * static_cast<double>(kTicksPerTurn)};
  };
  const Offset outer = at(format.outer_radius_mm), inner = at(format.inner_radius_mm);
  if (std::max(std::abs(outer.tracks), std::abs(inner.tracks)) > kMostTracks)
    throw InputError(fmt::format("head: reader and writer may be {} tracks apart at most", kMostTracks));
  jog.outer = static_cast<std::int32_t>(std::lround(outer.tracks * kParts));
  jog.inner = static_cast<std::int32_t>(std::lround(inner.tracks * kParts));
  jog.outer_later = static_cast<std::int32_t>(std::lround(outer.ticks * kParts));
  jog.inner_later = static_cast<std::int32_t>(std::lround(inner.ticks * kParts));
  if (fw_jog_tracks(&jog, 0) < 0)
    throw InputError(
        fmt::format("head: to write cylinder 0 the reader would have to be {} tracks outside of it; make "
                    "writer_across_um greater",
                    -fw_jog_tracks(&jog, 0)));
  return jog;
}

std::uint32_t guard_cylinders(const fw_jog& jog) {
  // The arm's place rises with the cylinder, or all of it would be one track.
  return static_cast<std::uint32_t>(std::max(fw_jog_tracks(&jog, jog.last), 0));
}

}  // namespace armature::drive
