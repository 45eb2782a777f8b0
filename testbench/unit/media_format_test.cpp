#include "armature/core/random.h"
#include "armature/media/format.h"
#include "armature/media/geometry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

// Servo wedges on a track, against an enumeration that walks the track cell by cell and knows no equation.

namespace armature::media {
namespace {

/// A track of equal cells. Wedges take `wedge` cells each and lie evenly in the revolution, the first at the index; a
/// sector takes `sector` cells of those between them.
struct CellTrack {
  std::int64_t wedges, wedge, gap;  // gap: cells between two wedges
  std::int64_t sector, first;       // first: data cell with which sector 0 begins
  std::int64_t cells() const { return wedges * (wedge + gap); }
  std::int64_t sectors() const { return wedges * gap / sector; }
};

/// Runs of cells of each sector, in the order in which they pass from the sector's first one on.
struct Cells {
  std::int64_t begin, end;
};
std::vector<std::vector<Cells>> walk(const CellTrack& track) {
  std::vector<std::vector<Cells>> runs(static_cast<std::size_t>(track.sectors()));
  std::int64_t data_cell = 0, wedge_cells = 0, data_cells = 0;
  // Two revolutions, so that each sector is met once from its beginning to its end.
  std::int64_t sector = -1, left = 0, started = 0;
  for (std::int64_t turn = 0; turn < 3 && started <= track.sectors(); ++turn) {
    data_cell = 0;
    for (std::int64_t cell = 0; cell < track.cells(); ++cell) {
      const bool in_wedge = cell % (track.wedge + track.gap) < track.wedge;
      if (turn == 0) ++(in_wedge ? wedge_cells : data_cells);
      if (in_wedge) continue;
      if (sector < 0 && data_cell == track.first) sector = 0, left = track.sector, started = 1;
      if (sector >= 0 && started <= track.sectors()) {
        auto& of_sector = runs[static_cast<std::size_t>(sector)];
        const std::int64_t at = turn * track.cells() + cell;
        if (of_sector.empty() || of_sector.back().end != at) of_sector.push_back({at, at});
        ++of_sector.back().end;
        if (--left == 0) sector = (sector + 1) % track.sectors(), left = track.sector, ++started;
      }
      ++data_cell;
    }
  }
  EXPECT_EQ(wedge_cells, track.wedges * track.wedge);
  EXPECT_EQ(wedge_cells + data_cells, track.cells());
  return runs;
}

class WedgesTest : public ::testing::Test {
 protected:
  /// All sectors of the track of `geometry` on which block `lbn` lies.
  static void compare(const Geometry& geometry, std::uint64_t lbn, const CellTrack& track) {
    const Location place = geometry.locate(lbn);
    const TrackAngles angles = geometry.track_angles(place);
    ASSERT_EQ(angles.sectors(), track.sectors());
    const std::vector<std::vector<Cells>> expected = walk(track);
    const double cell = static_cast<double>(Wedges::kTurn) / static_cast<double>(track.cells());
    const double turn = static_cast<double>(Wedges::kTurn);
    // A wedge's width is rounded to half a unit, and each angle down to a unit.
    const double tolerance = 2 + 0.5 * static_cast<double>(track.wedges);
    ASSERT_LT(tolerance, cell / 2) << "a cell too many would go unnoticed";
    const auto near = [&](TrackAngle angle, std::int64_t at) {
      EXPECT_EQ(angle.denominator, Wedges::kTurn);
      EXPECT_GE(angle.numerator, 0);
      EXPECT_LT(angle.numerator, angle.denominator);
      const double apart = std::remainder(static_cast<double>(angle.numerator) - static_cast<double>(at) * cell, turn);
      return std::abs(apart) <= tolerance;
    };
    double covered = 0;
    for (std::uint32_t sector = 0; sector < expected.size(); ++sector) {
      const std::vector<Cells>& runs = expected[sector];
      const std::vector<TrackAngles::Part> parts = angles.parts(sector);
      ASSERT_EQ(parts.size(), runs.size()) << "sector " << sector;
      ASSERT_TRUE(near(angles.begin(sector), runs.front().begin)) << "sector " << sector;
      ASSERT_TRUE(near(angles.end(sector), runs.back().end)) << "sector " << sector;
      ASSERT_EQ(angles.begin(sector).numerator, parts.front().begin % Wedges::kTurn);
      ASSERT_EQ(angles.end(sector).numerator, parts.back().end % Wedges::kTurn);
      for (std::size_t i = 0; i < runs.size(); ++i) {
        ASSERT_TRUE(near({parts[i].begin % Wedges::kTurn, Wedges::kTurn}, runs[i].begin)) << sector << " part " << i;
        ASSERT_TRUE(near({parts[i].end % Wedges::kTurn, Wedges::kTurn}, runs[i].end)) << sector << " part " << i;
        covered += static_cast<double>(parts[i].end - parts[i].begin);
      }
      // Elapsed angles from here to each later sector of the track.
      for (const std::uint32_t last : {sector, (sector + static_cast<std::uint32_t>(expected.size())) / 2,
                                       static_cast<std::uint32_t>(expected.size()) - 1}) {
        const double length = static_cast<double>(expected[last].back().end - runs.front().begin) * cell;
        ASSERT_NEAR(static_cast<double>(angles.span(sector, last).numerator), length, tolerance) << sector;
      }
    }
    covered += static_cast<double>(angles.wedges().count * angles.wedges().width);
    EXPECT_NEAR(covered, turn, tolerance * static_cast<double>(track.wedges + track.sectors()));
  }
};

TEST_F(WedgesTest, SectorsLieAsAWalkAlongTheTrackFindsThem) {
  RandomStream random(20, "formats");
  const auto pick = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(high - low + 1)));
  };
  int split = 0, at_a_wedge = 0;
  for (int format = 0; format < 400; ++format) {
    CellTrack track{};
    track.wedges = pick(1, 120);
    track.wedge = pick(1, 30);
    // Sectors fill the data cells: their length is a divisor, and now and then one that meets the wedges.
    const std::int64_t sectors = pick(1, 300);
    track.sector = format % 4 == 0 ? pick(1, 4) * track.wedges : track.wedges;
    track.gap = track.sector * sectors / track.wedges;
    if (format % 5 == 0) {  // each wedge is followed by a sector that begins there
      track.sector = pick(3, 40);
      track.gap = track.sector * pick(1, 4);
    }
    if (track.gap == 0 || track.wedges * track.gap % track.sector != 0 || track.sectors() < 2) continue;
    const std::int64_t skew = pick(0, track.sectors() - 1);
    track.first = skew * track.sector;
    GeometryParams params;
    params.heads = 2;
    params.zones = {{0, 3, track.sectors(), static_cast<double>(skew), 0, 0}};
    params.wedges = {{track.wedges, std::llround(std::ldexp(static_cast<double>(track.wedge), 40) /
                                                 static_cast<double>(track.cells()))}};
    const Geometry geometry(params);
    const auto second_track = static_cast<std::uint64_t>(track.sectors());
    compare(geometry, second_track, track);
    if (HasFatalFailure()) FAIL() << "format " << format << ": " << track.wedges << " wedges of " << track.wedge;
    for (const auto& runs : walk(track)) {
      split += runs.size() > 1;
      at_a_wedge += runs.front().begin % (track.wedge + track.gap) == track.wedge;
    }
    // A block's place says the same as the table of its track.
    for (std::uint64_t lbn = second_track; lbn < 2 * second_track; ++lbn) {
      const Location place = geometry.locate(lbn);
      const TrackAngle angle = geometry.track_angles(place).begin(place.sector);
      ASSERT_EQ(place.angle.numerator, angle.numerator);
      ASSERT_EQ(place.angle.denominator, angle.denominator);
    }
  }
  EXPECT_GT(split, 1000);
  EXPECT_GT(at_a_wedge, 1000);
}

TEST_F(WedgesTest, SkewsMayBePartsOfASector) {
  // 12 wedges of 3 cells, 60 cells of data between them, 30 sectors of 24: 0.05 revolution is 36 of 720 data cells.
  CellTrack track{12, 3, 60, 24, 36};
  GeometryParams params;
  params.heads = 2;
  params.skew_unit = SkewUnit::revolutions;
  params.zones = {{0, 0, 30, 0.05, 0, 0}};
  params.wedges = {{12, std::llround(std::ldexp(3.0, 40) / 756)}};
  const Geometry geometry(params);
  compare(geometry, 30, track);
}

TEST_F(WedgesTest, WithoutThemSectorsLieEvenly) {
  GeometryParams params;
  params.heads = 2;
  params.zones = {{0, 3, 77, 5, 9, 0}};
  const Geometry geometry(params);
  for (std::uint64_t lbn = 0; lbn < geometry.sectors(); ++lbn) {
    const Location place = geometry.locate(lbn);
    const TrackAngles angles = geometry.track_angles(place);
    ASSERT_EQ(place.angle.denominator, 77);
    ASSERT_EQ(angles.begin(place.sector).numerator, place.angle.numerator);
    ASSERT_EQ(angles.end(place.sector).numerator, (place.angle.numerator + 1) % 77);
    ASSERT_EQ(angles.span(place.sector, 76).numerator, 77 - place.sector);
  }
}

TEST_F(WedgesTest, TheyLeaveRoomForData) {
  GeometryParams params;
  params.zones = {{0, 3, 77, 5, 9, 0}};
  params.wedges = {{4, Wedges::kTurn / 4}};
  EXPECT_THROW(Geometry{params}, std::exception);
  params.wedges = {{4, Wedges::kTurn / 4 - 1}};
  EXPECT_NO_THROW(Geometry{params});
}

TEST(SectorFormat, DataBeginBehindGapAndMarks) {
  FormatParams format;
  EXPECT_DOUBLE_EQ(format.sync_share(512), 15.0 / 577);
  EXPECT_DOUBLE_EQ(format.sync_share(4096), 15.0 / 4'211);
  format.sector_gap_bytes = 40;
  format.sector_ecc_bytes = 60;
  format.code_rate = 0.9;
  EXPECT_DOUBLE_EQ(format.sync_share(512), 40.0 / 612) << "the code takes its part of everything";
}

}  // namespace
}  // namespace armature::media
