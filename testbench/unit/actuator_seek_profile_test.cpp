#include "armature/actuator/seek_profile.h"

#include "armature/core/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace armature::actuator {
namespace {

SeekParams fitted(double single, double average, double full) {
  SeekParams params;
  params.single_track_ms = single;
  params.average_ms = average;
  params.full_stroke_ms = full;
  return params;
}

TEST(SeekProfile, ATableIsMetAtItsPointsAndLinearInBetween) {
  SeekParams params;
  params.table = {{1, 1.245}, {2, 1.157}, {6, 1.557}, {10, 2}};
  const SeekProfile profile(params, 20);
  EXPECT_EQ(profile.seek(0), 0);
  EXPECT_EQ(profile.seek(1), 1'245'000'000) << "a measured inversion is kept";
  EXPECT_EQ(profile.seek(2), 1'157'000'000);
  EXPECT_EQ(profile.seek(3), 1'257'000'000) << "a quarter of the way to 1.557 ms";
  EXPECT_EQ(profile.seek(5), 1'457'000'000);
  EXPECT_EQ(profile.seek(6), 1'557'000'000);
  EXPECT_EQ(profile.seek(8), 1'778'500'000);
  EXPECT_EQ(profile.seek(19), 2'000'000'000) << "constant behind the last point";
}

TEST(SeekProfile, InterpolationRoundsDownOnRisingAndFallingPieces) {
  SeekParams params;
  params.table = {{1, 1}, {4, 1.000'000'001}, {7, 1}};  // 1 ps up, 1 ps down
  const SeekProfile profile(params, 8);
  EXPECT_EQ(profile.seek(3), 1'000'000'000);
  EXPECT_EQ(profile.seek(4), 1'000'000'001);
  EXPECT_EQ(profile.seek(5), 1'000'000'000);
  EXPECT_EQ(profile.seek(6), 1'000'000'000);
}

TEST(SeekProfile, ItsLowerBoundIsAtMostEveryMoveOfThatLengthOrMoreAndNeverFalls) {
  SeekParams measured, constant, two_piece;
  measured.table = {{1, 1.245}, {2, 1.157}, {40, 1.9}, {50, 1.86}, {400, 3.1}, {500, 3.0}};
  constant.curve = SeekCurve::constant;
  two_piece.curve = SeekCurve::two_piece;
  two_piece.two_piece = {{616, 3.45, 0.597, 10.8, 0.012}};  // falls by 0.1 % at 616 cylinders
  SeekParams with_table = two_piece, lee = fitted(1, 8, 16);
  with_table.table = {{1, 5}, {2, 4}, {3, 7}, {10, 4.5}};
  lee.curve = SeekCurve::lee;
  for (const SeekParams& params : {measured, constant, two_piece, with_table, lee, fitted(0.8, 8.5, 17)}) {
    const SeekProfile profile(params, 2'000);
    Ps least = profile.seek(1'999), bound = profile.least_seek(1'999);
    for (std::uint32_t d = 1'999; d > 0; --d) {
      least = std::min(least, profile.seek(d));
      ASSERT_LE(profile.least_seek(d), least) << d;
      ASSERT_LE(profile.least_seek(d), bound) << d;
      ASSERT_GE(profile.least_seek(d), least - 1) << "no lower than need be: " << d;
      bound = profile.least_seek(d);
    }
    EXPECT_EQ(profile.least_seek(0), 0);
  }
}

TEST(SeekProfile, AFitMeetsThreeDatasheetNumbersByTheDatasheetsDefinition) {
  // Barracuda ES 750 and Ultrastar A7K1000 (scenarios/drives), and a small drive.
  const struct {
    double single, average, full;
    std::uint32_t cylinders;
  } drives[] = {{0.8, 8.5, 17, 150'000}, {0.75, 8.2, 14.7, 160'672}, {1.0, 4.7, 9.0, 15'000}};
  for (const auto& drive : drives) {
    const SeekProfile profile(fitted(drive.single, drive.average, drive.full), drive.cylinders);
    EXPECT_NEAR(to_ms(profile.seek(1)), drive.single, 1e-9);
    EXPECT_NEAR(to_ms(profile.seek(drive.cylinders - 1)), drive.full, 1e-9);
    // Every ordered pair of different cylinders once: 2 (N - n) pairs are n apart.
    long double sum = 0, pairs = 0;
    for (std::uint32_t n = 1; n < drive.cylinders; ++n) {
      const long double weight = 2.0L * (drive.cylinders - n);
      sum += weight * static_cast<long double>(profile.seek(n));
      pairs += weight;
    }
    EXPECT_NEAR(static_cast<double>(sum / pairs) * 1e-9, drive.average, 1e-7);
    EXPECT_NEAR(profile.mean_over_cylinders_ms(), drive.average, 1e-7);
    for (std::uint32_t n = 2; n < drive.cylinders; ++n) ASSERT_GE(profile.seek(n), profile.seek(n - 1)) << n;
  }
}

TEST(SeekProfile, AStrokeTooShortForThreeConditionsStillMeetsItsEnds) {
  EXPECT_EQ(SeekProfile(fitted(1, 2, 3), 3).seek(1), from_ms(1));
  EXPECT_EQ(SeekProfile(fitted(1, 2, 3), 3).seek(2), from_ms(3));
  EXPECT_EQ(SeekProfile(fitted(1, 2, 3), 2).seek(1), from_ms(1));
  EXPECT_EQ(SeekProfile(fitted(1, 2, 3), 1).seek(0), 0);
  EXPECT_EQ(SeekProfile(fitted(1, 2, 3), 1).mean_over_cylinders_ms(), 0);
}

TEST(SeekProfile, NumbersThatNoRisingCurveFitsAreAnInputError) {
  EXPECT_THROW(SeekProfile(fitted(0.8, 8.5, 8.6), 100'000), InputError) << "the far end would have to fall";
  EXPECT_THROW(SeekProfile(fitted(0.8, 3, 30), 100'000), InputError) << "the near end would have to fall";
  EXPECT_THROW(SeekProfile(fitted(9, 8.5, 17), 100'000), InputError);
  EXPECT_THROW(SeekProfile(fitted(-1, 8.5, 17), 100'000), InputError);
  EXPECT_THROW(SeekProfile(fitted(0.8, std::nan(""), 17), 100'000), InputError);
}

TEST(SeekProfile, ATableOutOfOrderIsAnInputError) {
  const auto with = [](std::vector<SeekPoint> table) {
    SeekParams params;
    params.table = std::move(table);
    return params;
  };
  EXPECT_THROW(SeekProfile(with({{2, 1}}), 10), InputError) << "nothing is said about one cylinder";
  EXPECT_THROW(SeekProfile(with({{1, 1}, {1, 2}}), 10), InputError);
  EXPECT_THROW(SeekProfile(with({{1, 1}, {3, 2}, {2, 2}}), 10), InputError);
  EXPECT_THROW(SeekProfile(with({{1, -1}}), 10), InputError);
}

SeekParams of_curve(SeekCurve curve) {
  SeekParams params = fitted(0.1, 0.88, 2);
  params.curve = curve;
  return params;
}

TEST(SeekProfile, TheConstantCurveTakesTheSameForEachMoveAndNothingForNone) {
  const SeekProfile profile(of_curve(SeekCurve::constant), 39'511);
  EXPECT_EQ(profile.seek(0), 0) << "staying on the cylinder is no move";
  EXPECT_EQ(profile.seek(1), 880'000'000);
  EXPECT_EQ(profile.seek(2), 880'000'000);
  EXPECT_EQ(profile.seek(39'510), 880'000'000);
  EXPECT_NEAR(profile.mean_over_cylinders_ms(), 0.88, 1e-9);
}

TEST(SeekProfile, TheLinearCurveRisesByTheSameForEachCylinderToThePicosecond) {
  // 1.9 ms over 39,509 steps: 48,090.3 ps each.
  const SeekProfile profile(of_curve(SeekCurve::linear), 39'511);
  EXPECT_EQ(profile.seek(0), 0);
  EXPECT_EQ(profile.seek(1), 100'000'000);
  EXPECT_EQ(profile.seek(39'510), 2'000'000'000);
  for (std::int64_t d = 1; d < 39'511; d += 97) {
    const std::int64_t rise = (3'800'000'000 * (d - 1) + 39'509) / (2 * 39'509);  // to the nearest picosecond
    ASSERT_EQ(profile.seek(static_cast<std::uint32_t>(d)), 100'000'000 + rise) << d;
  }
  // The mean distance over pairs of different cylinders is (N + 1) / 3.
  EXPECT_NEAR(profile.mean_over_cylinders_ms(), 0.1 + 1.9 * (39'512 / 3.0 - 1) / 39'509, 1e-8);
  EXPECT_EQ(SeekProfile(of_curve(SeekCurve::linear), 2).seek(1), 100'000'000);
  EXPECT_EQ(SeekProfile(of_curve(SeekCurve::linear), 1).seek(0), 0);
  EXPECT_EQ(SeekProfile(of_curve(SeekCurve::linear), 3).seek(2), 2'000'000'000);
}

TEST(SeekProfile, TwoPiecesMeetWhereTheSecondBegins) {
  SeekParams params = of_curve(SeekCurve::two_piece);
  params.two_piece = {{616, 3.45, 0.597, 10.84, 0.012}};  // HP 335H
  const SeekProfile profile(params, 1449);
  EXPECT_EQ(profile.seek(0), 0);
  EXPECT_EQ(profile.seek(1), 4'047'000'000);
  EXPECT_EQ(profile.seek(4), 4'644'000'000);
  EXPECT_EQ(profile.seek(100), 9'420'000'000);
  EXPECT_EQ(profile.seek(615), std::llround(3'450'000'000 + 597'000'000 * std::sqrt(615.0)));
  EXPECT_EQ(profile.seek(616), 18'232'000'000) << "10.84 + 616 * 0.012";
  EXPECT_EQ(profile.seek(1448), 28'216'000'000);
}

TEST(SeekProfile, KeysThatACurveDoesNotUseAndPiecesThatFallAreAnInputError) {
  SeekParams params = of_curve(SeekCurve::constant);
  params.table = {{1, 1}};
  EXPECT_THROW(SeekProfile(params, 10), InputError) << "a table beside a constant";
  params = of_curve(SeekCurve::linear);
  params.two_piece = {{616, 3.45, 0.597, 10.84, 0.012}};
  EXPECT_THROW(SeekProfile(params, 10), InputError);
  params = of_curve(SeekCurve::two_piece);
  EXPECT_THROW(SeekProfile(params, 10), InputError) << "no row";
  params.two_piece = {{616, 3.45, 0.597, 9, 0.012}};
  EXPECT_THROW(SeekProfile(params, 1449), InputError) << "falls by 1.8 ms at 616";
  params.two_piece = {{0, 3.45, 0.597, 10.84, 0.012}};
  EXPECT_THROW(SeekProfile(params, 1449), InputError);
  params = of_curve(SeekCurve::linear);
  params.full_stroke_ms = 0.05;
  EXPECT_THROW(SeekProfile(params, 10), InputError) << "a falling line";
}

TEST(SeekProfile, TheShortestMovesOfTwoPiecesMayHaveATable) {
  // DiskSim's "hplplus10": the table to its last distance, the pieces from the next one on.
  SeekParams params = of_curve(SeekCurve::two_piece);
  params.two_piece = {{616, 3.45, 0.597, 10.84, 0.012}};
  params.table = {{1, 2}, {3, 3}};
  const SeekProfile profile(params, 1449);
  EXPECT_EQ(profile.seek(0), 0);
  EXPECT_EQ(profile.seek(1), 2'000'000'000);
  EXPECT_EQ(profile.seek(2), 2'500'000'000);
  EXPECT_EQ(profile.seek(3), 3'000'000'000);
  EXPECT_EQ(profile.seek(4), 4'644'000'000);
  EXPECT_EQ(profile.seek(616), 18'232'000'000);
  params.two_piece = {{2, 3.45, 0.597, 10.84, 0.012}};  // the table covers all of the first piece
  EXPECT_EQ(SeekProfile(params, 1449).seek(3), 3'000'000'000);
  EXPECT_EQ(SeekProfile(params, 1449).seek(4), 10'888'000'000);
}

TEST(SeekProfile, LeesCurveHasItsCoefficientsFromThreeNumbers) {
  // a = (-10 + 15 * 8 - 5 * 16) / (3 sqrt(1600)) = 0.25 ms, b = (7 - 15 * 8 + 8 * 16) / (3 * 1600) = 0.003125 ms.
  SeekParams params = fitted(1, 8, 16);
  params.curve = SeekCurve::lee;
  const SeekProfile profile(params, 1600);
  EXPECT_EQ(profile.seek(0), 0);
  EXPECT_EQ(profile.seek(1), 1'000'000'000);
  EXPECT_EQ(profile.seek(2), 1'253'125'000);
  EXPECT_EQ(profile.seek(10), 1'000'000'000 + 750'000'000 + 28'125'000);
  EXPECT_EQ(profile.seek(401), 1'000'000'000 + 5'000'000'000 + 1'250'000'000);
  EXPECT_NEAR(static_cast<double>(profile.seek(1599)) / 1e9, 16, 0.02) << "the full stroke: sqrt(1598) for sqrt(1600)";
  EXPECT_NEAR(static_cast<double>(profile.seek(1600 / 3)) / 1e9, 8, 0.6) << "the average, about a third of it";
  params.average_ms = 5;
  EXPECT_THROW(SeekProfile(params, 1600), InputError) << "a falls below 0";
  params.average_ms = 10;
  EXPECT_THROW(SeekProfile(params, 1600), InputError) << "b falls below 0";
  params = fitted(1, 8, 16);
  params.curve = SeekCurve::lee;
  params.table = {{1, 1}};
  EXPECT_THROW(SeekProfile(params, 1600), InputError);
}

TEST(SeekProfile, AHeadSwitchRunsBesideTheMove) {
  SeekParams params;
  params.table = {{1, 1}, {2, 3}};
  params.head_switch_ms = 2;
  const SeekProfile profile(params, 10);
  EXPECT_EQ(profile.positioning(0, 0, false), 0);
  EXPECT_EQ(profile.positioning(0, 0, true), from_ms(2));
  EXPECT_EQ(profile.positioning(0, 1, false), from_ms(1));
  EXPECT_EQ(profile.positioning(0, 1, true), from_ms(2));
  EXPECT_EQ(profile.positioning(0, 2, true), from_ms(3));
}

TEST(SeekProfile, MovesInwardsAndOutwardsDifferByAsMuchOnEitherSideOfTheCurve) {
  SeekParams params;
  params.table = {{1, 1}, {2, 3}, {9, 10}};
  params.head_switch_ms = 2;
  params.inward_ms = 0.75;
  const SeekProfile profile(params, 10);
  EXPECT_EQ(profile.seek(2), from_ms(3)) << "the curve is the mean";
  EXPECT_EQ(profile.seek(3, 5), from_ms(3.75));
  EXPECT_EQ(profile.seek(5, 3), from_ms(2.25));
  EXPECT_EQ(profile.seek(4, 4), 0);
  EXPECT_EQ(profile.seek(0, 1), from_ms(1.5)) << "by half of the curve's time at most";
  EXPECT_EQ(profile.seek(1, 0), from_ms(0.5));
  EXPECT_EQ(profile.slower_seek(2), from_ms(3.75));
  EXPECT_LE(profile.least_seek(2), from_ms(2.25)) << "a bound of both ways";
  EXPECT_TRUE(profile.faster_way(5, 3));
  EXPECT_FALSE(profile.faster_way(3, 5));
  EXPECT_FALSE(profile.faster_way(3, 3));
  EXPECT_EQ(profile.positioning(1, 0, true), from_ms(2));
  EXPECT_EQ(profile.positioning(0, 9, false), from_ms(10.75));

  params.inward_ms = -0.75;
  const SeekProfile outwards(params, 10);
  EXPECT_EQ(outwards.seek(3, 5), from_ms(2.25));
  EXPECT_EQ(outwards.seek(5, 3), from_ms(3.75));
  EXPECT_EQ(outwards.slower_seek(2), from_ms(3.75));
  EXPECT_TRUE(outwards.faster_way(3, 5));

  params.inward_ms = 0;
  const SeekProfile even(params, 10);
  EXPECT_EQ(even.seek(3, 5), even.seek(5, 3));
  EXPECT_EQ(even.slower_seek(2), even.seek(2));
  EXPECT_FALSE(even.faster_way(5, 3));
}

}  // namespace
}  // namespace armature::actuator
