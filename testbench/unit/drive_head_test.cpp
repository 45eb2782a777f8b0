// Section `head`: the writer's place, against the triangle of spindle, pivot and head in coordinates.
#include "armature/drive/head_params.h"

#include "armature/core/error.h"
#include "armature/core/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

namespace armature::drive {
namespace {

using Point = std::complex<double>;  // mm, the spindle at 0, the reader on the real axis

/// The writer's distance from the spindle beyond the reader's in mm, and its angle behind the reader in revolutions.
struct Places {
  double out_mm, behind_rev;
};

Places places(const HeadParams& head, double radius) {
  const Point reader(radius, 0);
  // The pivot: at its distance from the spindle and the arm's length from the reader, on the side that the disk comes
  // from. Sectors turn anticlockwise here, so that is below the axis.
  const double d = head.pivot_distance_mm, l = head.arm_length_mm;
  const double x = (d * d - l * l + radius * radius) / (2 * radius);
  const Point pivot(x, -std::sqrt(d * d - x * x));
  const Point along = (reader - pivot) / std::abs(reader - pivot);
  const Point across = along * Point(0, -1);  // to the outside
  const Point writer = reader + along * head.writer_along_um * 1e-3 + across * head.writer_across_um * 1e-3;
  return {std::abs(writer) - radius, std::arg(writer) / (2 * std::acos(-1.0))};
}

TEST(Head, TheWriterIsWhereTheTriangleSays) {
  RandomStream random(3, "heads");
  int inwards = 0, outwards = 0, checked = 0;
  for (int i = 0; i < 2'000; ++i) {
    HeadParams head;
    head.writer_along_um = 20 * random.uniform() - 10;
    head.writer_across_um = 6 * random.uniform() - 3;
    head.arm_length_mm = 46 + 10 * random.uniform();
    head.pivot_distance_mm = 50 + 8 * random.uniform();
    media::FormatParams format;
    format.outer_radius_mm = 40 + 6 * random.uniform();
    format.inner_radius_mm = 18 + 6 * random.uniform();
    const std::uint32_t cylinders = 20'000 + static_cast<std::uint32_t>(random.below(200'000));
    fw_jog jog{};
    try {
      jog = head.jog(format, cylinders);
    } catch (const InputError& error) {
      // Refused for the number of tracks, or since the reader would have to leave the disk.
      const double out = places(head, format.outer_radius_mm).out_mm;
      ASSERT_LT(out, 0) << error.what();
      continue;
    }
    ++checked;
    const double pitch = (format.outer_radius_mm - format.inner_radius_mm) / (cylinders - 1);
    const Places outer = places(head, format.outer_radius_mm), inner = places(head, format.inner_radius_mm);
    // Of the coordinates to the formula: the track's bend, below a hundredth of a track here.
    ASSERT_NEAR(fw_jog_tracks(&jog, 0), outer.out_mm / pitch, 0.52);
    ASSERT_NEAR(fw_jog_tracks(&jog, cylinders - 1), inner.out_mm / pitch, 0.52);
    ASSERT_NEAR(jog.outer_later / 256.0, outer.behind_rev * 65'536, 0.02);
    ASSERT_NEAR(jog.inner_later / 256.0, inner.behind_rev * 65'536, 0.02);
    inwards += inner.out_mm > pitch;
    outwards += inner.out_mm < -pitch;
    // In between: the straight line, within half a track.
    for (int j = 0; j < 10; ++j) {
      const auto at = static_cast<std::uint32_t>(random.below(cylinders));
      const double part = static_cast<double>(at) / (cylinders - 1);
      ASSERT_NEAR(fw_jog_tracks(&jog, at), (outer.out_mm + (inner.out_mm - outer.out_mm) * part) / pitch, 0.52);
    }
    const std::int64_t last = std::int64_t{cylinders} - 1 + fw_jog_tracks(&jog, cylinders - 1);
    ASSERT_LE(last, std::int64_t{cylinders} - 1 + guard_cylinders(jog));
  }
  EXPECT_GT(checked, 500);
  EXPECT_GT(inwards, 100);
  EXPECT_GT(outwards, 100);
}

TEST(Head, InOnePlaceItChangesNothing) {
  const fw_jog jog = HeadParams{}.jog({}, 100'000);
  EXPECT_EQ(fw_jog_tracks(&jog, 0), 0);
  EXPECT_EQ(fw_jog_tracks(&jog, 99'999), 0);
  EXPECT_EQ(fw_jog_later(&jog, 50'000), 0);
  EXPECT_EQ(guard_cylinders(jog), 0u);
}

TEST(Head, RefusesWhatCannotBe) {
  HeadParams head;
  head.writer_along_um = 5;
  media::FormatParams format;
  EXPECT_THROW(head.jog(format, 100'000), InputError) << "no radii";
  format.outer_radius_mm = 46;
  format.inner_radius_mm = 20;
  EXPECT_NO_THROW(head.jog(format, 100'000));
  head.writer_along_um = -5;
  EXPECT_THROW(head.jog(format, 100'000), InputError) << "outside cylinder 0";
  head.writer_along_um = 5;
  head.arm_length_mm = 10;
  EXPECT_THROW(head.jog(format, 100'000), InputError) << "the arm is too short";
}

}  // namespace
}  // namespace armature::drive
