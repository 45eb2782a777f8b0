// The seek table that the factory writes for the arbitration unit, against the curve that the servo follows: each kind
// of curve, with a table and without, in the unit's own arithmetic.
#include "armature/arbiter/seek_table.h"
#include "armature/core/config.h"
#include "armature/core/random.h"
#include "armature/drive/hard_disk.h"
#include "disk_record.h"
#include "support/drive_file.h"
#include "support/tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

namespace armature::drive {
namespace {

using actuator::SeekCurve;
using actuator::SeekProfile;

constexpr unsigned kTags = 32;

struct Case {
  const char* name;
  SeekCurve curve;
  std::uint32_t cylinders;
  double rpm;
  void (*change)(DriveParams&);
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

/// As firmware loads it: slopes rounded down.
arbiter::SeekTable loaded(const fw_factory& record) {
  arbiter::SeekTable table;
  for (unsigned i = 0; i < record.seek_points; ++i) {
    const fw_seek_point &from = record.seek[i], &to = record.seek[std::min(i + 1, record.seek_points - 1)];
    const bool rises = to.cylinders > from.cylinders;
    table.store(i, from.cylinders, from.ticks,
                rises ? arbiter::SeekTable::slope(from.cylinders, from.ticks, to.cylinders, to.ticks) : 0);
  }
  table.use(record.seek_points);
  table.prepare();
  return table;
}

/// Every distance of a short stroke, of a long one 20,000 random ones, the short ones as often as the long ones, and
/// those where two pieces meet.
std::vector<std::uint32_t> distances(const DriveParams& params, std::uint32_t stroke) {
  std::vector<std::uint32_t> chosen{std::max(1u, stroke)};
  if (stroke <= 60'000)
    for (std::uint32_t d = 1; d < stroke; ++d) chosen.push_back(d);
  RandomStream random(17, "distances");
  for (int i = 0; i < 20'000 && stroke > 1; ++i)
    chosen.push_back(static_cast<std::uint32_t>(std::pow(1.0 * stroke, random.uniform())));
  for (const auto& row : params.seek.two_piece)
    for (int by = -2; by <= 2; ++by) chosen.push_back(static_cast<std::uint32_t>(row.from + by));
  return chosen;
}

void expect_the_curve_within_a_tick(const DriveParams& params) {
  HardDisk::check(params, kTags);
  const media::Geometry geometry(params.layout());
  const std::uint32_t guard = guard_cylinders(params.head.jog(params.format, geometry.cylinders()));
  const std::uint32_t stroke = geometry.cylinders() - 1 + guard;
  const SeekProfile profile(params.seek, stroke + 1, params.whatif.seek_scale);
  fw_factory record{};
  describe_disk(params, geometry, profile, kTags, kTags, record);
  ASSERT_LE(record.seek_points, FW_MAX_SEEK_POINTS);
  const arbiter::SeekTable table = loaded(record);
  EXPECT_EQ(table.ticks(0), 0u);
  std::int64_t greatest = 0;
  std::uint32_t worst = 1;
  for (const std::uint32_t d : distances(params, stroke)) {
    const std::int64_t error = std::int64_t{table.ticks(d)} - ticks(profile.slower_seek(d), params.spindle.rpm);
    if (std::llabs(error) <= std::llabs(greatest)) continue;
    greatest = error;
    worst = d;
  }
  EXPECT_LE(std::llabs(greatest), 1) << "ticks at a distance of " << worst << " cylinders: " << table.ticks(worst)
                                     << ", the curve's " << ticks(profile.slower_seek(worst), params.spindle.rpm);
}

class FactorySeekTable : public ::testing::TestWithParam<Case> {};

TEST_P(FactorySeekTable, IsTheCurveWithinATick) {
  const Case& c = GetParam();
  DriveParams params;
  params.spindle.rpm = c.rpm;
  params.seek.curve = c.curve;
  params.geometry.heads = 2;
  params.geometry.zones = {{0, std::int64_t{c.cylinders} - 1, 100, 20, 35, 0}};
  c.change(params);
  expect_the_curve_within_a_tick(params);
}

TEST(SeekTableOfEveryDriveFile, IsItsCurveWithinATick) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ARMATURE_SOURCE_DIR "/scenarios/drives")) {
    if (entry.path().extension() != ".toml") continue;
    const std::string name = entry.path().stem();
    SCOPED_TRACE(name);
    DriveParams params;
    config::read(testing::load_drive_sections(name), params);
    expect_the_curve_within_a_tick(params);
    ++files;
  }
  EXPECT_GE(files, 20);
}

/// Tables are kept for further drives of the same file: one key that is another makes another table.
TEST(SeekTables, OfDrivesThatDifferInOneKeyAreTheirOwn) {
  DriveParams params;
  params.geometry.heads = 2;
  params.geometry.zones = {{0, 9'999, 100, 20, 35, 0}};
  const std::vector<void (*)(DriveParams&)> changes = {
      [](DriveParams&) {},
      [](DriveParams& p) { p.spindle.rpm = 5'400; },
      [](DriveParams& p) { p.seek.average_ms = 8.6; },
      [](DriveParams& p) { p.seek.inward_ms = 0.1; },
      [](DriveParams& p) { p.whatif.seek_scale = 0.5; },
      [](DriveParams& p) { p.geometry.zones[0].last_cylinder = 8'999; },
      [](DriveParams& p) {
        p.seek.table = {{1, 1}, {9'999, 20}};
      },
      [](DriveParams& p) {
        p.seek.table = {{1, 1}, {9'999, 21}};
      },
  };
  for (int round = 0; round < 2; ++round)
    for (std::size_t i = 0; i < changes.size(); ++i) {
      SCOPED_TRACE(i);
      DriveParams other = params;
      changes[i](other);
      expect_the_curve_within_a_tick(other);
    }
}

std::vector<actuator::SeekPoint> long_table(std::uint32_t cylinders, unsigned rows) {
  std::vector<actuator::SeekPoint> table;
  RandomStream random(5, "a measured table");
  for (unsigned i = 0; i < rows; ++i) {
    const double d = 1 + std::floor((cylinders - 2.0) * i / (rows - 1));
    const double measured = std::floor((0.9 + 0.05 * std::sqrt(d) + 0.01 * random.uniform()) * 1000) / 1000;
    table.push_back({static_cast<std::int64_t>(d), measured});
  }
  return table;
}

const std::vector<actuator::SeekPoint> kShortest = {{1, 3.12}, {2, 3.02}, {3, 3.34}, {4, 3.41}, {5, 3.6},
                                                    {6, 3.55}, {7, 3.7},  {8, 3.76}, {9, 3.8},  {10, 3.9}};

void datasheet(DriveParams& p) {
  p.seek.single_track_ms = 0.8, p.seek.average_ms = 8.5, p.seek.full_stroke_ms = 17;
}
void measured(DriveParams& p) {
  p.seek.table = long_table(10'042, 138);
}

INSTANTIATE_TEST_SUITE_P(
    Curves, FactorySeekTable,
    ::testing::Values(
        Case{"Measured", SeekCurve::measured, 10'042, 10'025, measured},
        Case{"MeasuredThatFalls", SeekCurve::measured, 10'042, 10'025,
             [](DriveParams& p) {
               p.seek.table = {{1, 1.245}, {2, 1.157}, {34, 1.15}, {900, 3.3}, {5'000, 7.1}};
             }},
        Case{"MeasuredWithAllPoints", SeekCurve::measured, 40'000, 7'200,
             [](DriveParams& p) { p.seek.table = long_table(40'000, 256); }},
        // The unit does not know which way an arm goes: it reckons with the slower one.
        Case{"MeasuredSlowerOutwards", SeekCurve::measured, 10'042, 10'025,
             [](DriveParams& p) { measured(p), p.seek.inward_ms = -0.6; }},
        // More points than the unit has entries: the curve is one that as many entries can follow.
        Case{"MeasuredWithTooManyPoints", SeekCurve::measured, 2'000, 7'200,
             [](DriveParams& p) {
               for (std::int64_t d = 1; d < 2'000; d += 4)
                 p.seek.table.push_back({d, std::floor((0.9 + 0.2 * std::sqrt(static_cast<double>(d))) * 1e6) / 1e6});
             }},
        Case{"MeasuredEndsEarly", SeekCurve::measured, 10'042, 10'025,
             [](DriveParams& p) { p.seek.table = long_table(3'000, 60); }},
        Case{"ThreeTimes", SeekCurve::measured, 100'000, 7'200, datasheet},
        Case{
            "ThreeTimesOnAGreatDisk", SeekCurve::measured, 547'000, 7'200,
            [](DriveParams& p) { p.seek.single_track_ms = 0.23, p.seek.average_ms = 7.4, p.seek.full_stroke_ms = 15; }},
        Case{
            "ThreeTimesFast", SeekCurve::measured, 60'000, 15'000,
            [](DriveParams& p) { p.seek.single_track_ms = 0.5, p.seek.average_ms = 3.9, p.seek.full_stroke_ms = 7.2; }},
        Case{"ThreeTimesShortStroke", SeekCurve::measured, 120, 7'200, datasheet},
        Case{"OneCylinder", SeekCurve::measured, 1, 7'200, datasheet},
        Case{"Constant", SeekCurve::constant, 50'000, 7'200, [](DriveParams& p) { p.seek.average_ms = 0.326; }},
        Case{"Linear", SeekCurve::linear, 50'000, 55'000,
             [](DriveParams& p) { p.seek.single_track_ms = 0.1, p.seek.full_stroke_ms = 2; }},
        Case{"TwoPiece", SeekCurve::two_piece, 1'449, 4'002,
             [](DriveParams& p) {
               p.seek.two_piece = {{616, 3.45, 0.597, 10.84, 0.012}};
             }},
        Case{"TwoPieceWithTable", SeekCurve::two_piece, 2'051, 5'400,
             [](DriveParams& p) {
               p.seek.two_piece = {{600, 3.0, 0.45, 8.7, 0.0089}};
               p.seek.table = kShortest;
             }},
        Case{"TwoPieceWithATableAcross", SeekCurve::two_piece, 2'051, 5'400,
             [](DriveParams& p) {
               p.seek.two_piece = {{5, 3.0, 0.45, 8.7, 0.0089}};
               p.seek.table = kShortest;
             }},
        Case{"TwoPieceThatJumps", SeekCurve::two_piece, 60'000, 7'200,
             [](DriveParams& p) {
               p.seek.two_piece = {{30'000, 0.9, 0.02, 9, 0.0002}};
             }},
        Case{"Lee", SeekCurve::lee, 60'000, 7'200,
             [](DriveParams& p) { p.seek.single_track_ms = 0.8, p.seek.average_ms = 8.0, p.seek.full_stroke_ms = 16; }},
        Case{"ScaledByHalf", SeekCurve::two_piece, 2'051, 5'400,
             [](DriveParams& p) {
               p.seek.two_piece = {{600, 3.0, 0.45, 8.7, 0.0089}};
               p.seek.table = kShortest;
               p.whatif.seek_scale = 0.5;
             }},
        Case{"NoSeeks", SeekCurve::measured, 10'042, 10'025,
             [](DriveParams& p) { measured(p), p.whatif.seek_scale = 0; }},
        Case{"RadialHeads", SeekCurve::two_piece, 2'051, 5'400,
             [](DriveParams& p) {
               p.seek.two_piece = {{600, 3.0, 0.45, 8.7, 0.0089}};
               p.seek.table = kShortest;
               p.arms.heads = 3;
             }},
        Case{"MicroJog", SeekCurve::measured, 100'000, 7'200,
             [](DriveParams& p) {
               datasheet(p);
               p.format.outer_radius_mm = 46, p.format.inner_radius_mm = 20;
               p.head.writer_along_um = 8;
             }}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace armature::drive
