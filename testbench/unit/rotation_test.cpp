#include "armature/core/rotation.h"

#include "armature/core/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace armature {
namespace {

constexpr Ps kDay = 86'400 * kPsPerSecond;
constexpr Ps kHundredDays = 100 * kDay;

// Thousandths of a revolution a minute: the drives' speeds, a laptop's, one with a prime and one with a fractional
// speed.
constexpr std::int64_t kSpeeds[] = {4'200'000, 5'400'000, 7'200'000, 10'025'000, 10'025'317, 14'999'999, 15'000'000};

TEST(Rotation, SevenThousandTwoHundredRpmTurnsThreeTimesInTwentyFiveMilliseconds) {
  const Rotation rotation(0, 7'200'000);
  EXPECT_EQ(rotation.duration({3, 1}), 25'000'000'000);
  EXPECT_EQ(rotation.duration({1, 1}), 8'333'333'334) << "25e9 / 3 ps, rounded up";
  EXPECT_EQ(rotation.next_passage({0, 1}, 1), 8'333'333'334);
  EXPECT_EQ(rotation.next_passage({0, 1}, 8'333'333'335), 16'666'666'667);
  EXPECT_EQ(rotation.next_passage({0, 1}, 16'666'666'668), 25'000'000'000);
}

TEST(Rotation, AFractionalSpeedIsExact) {
  // 10,025.5 rpm: 60e12 ps hold 20,051 half turns, so 20,051 turns last 120 s.
  const Rotation rotation(0, 10'025'500);
  EXPECT_EQ(rotation.duration({20'051, 1}), 120 * kPsPerSecond);
  EXPECT_EQ(rotation.next_passage({1, 2}, 60 * kPsPerSecond - kPsPerMs), 60 * kPsPerSecond) << "turn 10,025 and a half";
}

TEST(Rotation, APassageIsItsOwnNextPassage) {
  RandomStream random(1, "rotation");
  for (const std::int64_t millirpm : kSpeeds) {
    const Ps index_time = static_cast<Ps>(random.below(1'000'000'000'000));
    const Rotation rotation(index_time, millirpm);
    const Ps turn = rotation.duration({1, 1});
    for (int i = 0; i < 100'000; ++i) {
      const std::int64_t sectors = 1 + static_cast<std::int64_t>(random.below(2000));
      const TrackAngle where{static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(sectors))), sectors};
      const Ps t = index_time + static_cast<Ps>(random.below(kHundredDays));
      const Ps passage = rotation.next_passage(where, t);
      ASSERT_GE(passage, t);
      ASSERT_LE(passage - t, turn) << millirpm << " " << where.numerator << "/" << where.denominator << " at " << t;
      ASSERT_EQ(rotation.next_passage(where, passage), passage);
      // The passage after it comes a turn later, which takes one of two whole numbers of picoseconds.
      const Ps next = rotation.next_passage(where, passage + 1) - passage;
      ASSERT_TRUE(next == turn || next == turn - 1) << next;
    }
  }
}

TEST(Rotation, APassageRoundedUpIntoTheNextTurnIsStillItsOwnNextPassage) {
  // Edges so close before the index that the next whole picosecond lies in the next turn.
  RandomStream random(3, "rotation");
  int over_the_index = 0;
  for (const std::int64_t millirpm : kSpeeds) {
    const Rotation rotation(0, millirpm);
    for (int i = 0; i < 20'000; ++i) {
      const std::int64_t parts = 100'000'000'000;  // less than a tenth of a picosecond each
      const TrackAngle where{parts - 1 - static_cast<std::int64_t>(random.below(5)), parts};
      const Ps passage = rotation.next_passage(where, static_cast<Ps>(random.below(kHundredDays)));
      ASSERT_EQ(rotation.next_passage(where, passage), passage);
      const Ps early = rotation.next_passage(where, passage - 1);
      ASSERT_EQ(early, passage) << "nor does the picosecond before see another";
      if (rotation.angle(passage, 16) == 0) ++over_the_index;
    }
  }
  EXPECT_GT(over_the_index, 10'000) << "or this tests nothing";
}

TEST(Rotation, PassagesAnglesAndDurationsAreTheExactTimesRoundedWhateverTheirSize) {
  // Small terms are reckoned in 64 bits, others in 128: both give the exact fraction's rounding.
  using Wide = __int128;
  RandomStream random(4, "rotation");
  const auto below = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(limit)));
  };
  constexpr Wide kMinute = Wide{60'000} * kPsPerSecond;
  for (const std::int64_t millirpm : kSpeeds) {
    const Rotation rotation(0, millirpm);
    for (int i = 0; i < 60'000; ++i) {
      // Sectors, ticks, servo wedges, and denominators with which a numerator times a turn passes 64 bits.
      const std::int64_t denominators[] = {1 + below(2000), 65'536, 65'536 * (1 + below(2000)), std::int64_t{1} << 40,
                                           1 + below(std::int64_t{1} << 40)};
      const std::int64_t denominator = denominators[i % 5], numerator = below(denominator);
      const Ps t = below(i % 2 == 0 ? 100 * kPsPerSecond : kHundredDays);
      const Ps passage = rotation.next_passage({numerator, denominator}, t);
      // In parts of a picosecond, 1 / (millirpm denominator), the passage of turn k is k whole + part.
      const Wide parts = Wide{millirpm} * denominator, whole = kMinute * denominator, part = kMinute * numerator;
      const Wide last = parts * (t - 1);  // the exact passage comes after it
      const Wide turns = last < part ? 0 : (last - part) / whole + 1;
      const Wide exact = t == 0 ? part : turns * whole + part;
      ASSERT_EQ(passage, static_cast<Ps>((exact + parts - 1) / parts)) << numerator << "/" << denominator << " " << t;
      ASSERT_EQ(rotation.duration({numerator, denominator}), static_cast<Ps>((part + parts - 1) / parts));
      ASSERT_EQ(rotation.turns(t), static_cast<std::int64_t>(Wide{t} * millirpm / kMinute));
      const Wide rest = Wide{t} * millirpm % kMinute;
      for (const unsigned bits : {16u, 32u})
        ASSERT_EQ(rotation.angle(t, bits), static_cast<std::uint32_t>((rest << bits) / kMinute));
    }
  }
}

TEST(Rotation, AHundredDaysOfTurnsDriftByNothing) {
  for (const std::int64_t millirpm : kSpeeds) {
    const Rotation rotation(0, millirpm);
    // 60,000 seconds hold `millirpm` whole turns, so the index passes at each multiple of them, for ever.
    for (Ps t = 60'000 * kPsPerSecond; t <= kHundredDays; t += 60'000 * kPsPerSecond) {
      ASSERT_EQ(rotation.next_passage({0, 1}, t), t) << millirpm;
      ASSERT_EQ(rotation.next_passage({0, 1}, t - 1), t) << millirpm;
      ASSERT_EQ(rotation.turns(t), t / (60'000 * kPsPerSecond) * millirpm);
    }
  }
}

TEST(Rotation, StepsFromPassageToPassageFollowTheExactTimesForAHundredDays) {
  // Walks a few turns at each of many places over 100 days and compares with the exact fraction, carried as quotient
  // and remainder of each turn so that no product is larger than 64 bits.
  for (const std::int64_t millirpm : kSpeeds) {
    const Rotation rotation(0, millirpm);
    const std::int64_t minute_ps_times_1000 = 60'000 * kPsPerSecond;  // a turn is this / millirpm ps
    const std::int64_t whole = minute_ps_times_1000 / millirpm, rest = minute_ps_times_1000 % millirpm;
    const std::int64_t turns_in_all = static_cast<std::int64_t>(100.0 * 1440 * static_cast<double>(millirpm) / 1000);
    for (int place = 0; place < 1000; ++place) {
      std::int64_t turn = turns_in_all / 1000 * place;
      for (int step = 0; step < 5; ++step, ++turn) {
        // turn * rest may pass 2^63 only beyond 1e9 turns at 1.5e7: 1.5e16. It does not.
        const Ps exact_up = turn * whole + (turn * rest + millirpm - 1) / millirpm;
        ASSERT_EQ(rotation.next_passage({0, 1}, exact_up), exact_up);
        if (turn > 0) {
          ASSERT_EQ(rotation.next_passage({0, 1}, exact_up - 1), exact_up);
        }
      }
    }
  }
}

TEST(Rotation, TheAngleAtAPassageIsTheAngleAskedFor) {
  RandomStream random(2, "rotation");
  for (const std::int64_t millirpm : kSpeeds) {
    const Rotation rotation(77, millirpm);
    for (int i = 0; i < 20'000; ++i) {
      const std::uint32_t tick = static_cast<std::uint32_t>(random.below(65'536));
      const Ps t = 77 + static_cast<Ps>(random.below(kHundredDays));
      const Ps passage = rotation.next_passage({tick, 65'536}, t);
      ASSERT_EQ(rotation.angle(passage, 16), tick);
      if (passage > 77) {
        ASSERT_EQ(rotation.angle(passage - 1, 16), (tick + 65'535) % 65'536) << "a picosecond earlier the tick before";
      }
    }
  }
}

TEST(Rotation, SectorsPassInOrderAndFillTheTurn) {
  const Rotation rotation(0, 10'025'000);
  Ps t = rotation.next_passage({0, 334}, 5 * kDay);
  const Ps begin = t;
  for (std::int64_t sector = 1; sector <= 334; ++sector) {
    const Ps edge = rotation.next_passage({sector % 334, 334}, t);
    const Ps width = rotation.duration({1, 334});
    ASSERT_TRUE(edge - t == width || edge - t == width - 1) << sector;
    t = edge;
  }
  EXPECT_EQ(t, rotation.next_passage({0, 334}, begin + 1));
}

TEST(Rotation, AnIndexBeforeTimeZeroIsAPhase) {
  const Rotation rotation(-2'500'000'000, 6'000'000);  // a turn of 10 ms, a quarter of it done at time 0
  EXPECT_EQ(rotation.angle(0, 16), 16'384u);
  EXPECT_EQ(rotation.next_passage({0, 1}, 0), 7'500'000'000);
}

TEST(Rotation, RefusesASpeedThatIsNone) {
  EXPECT_THROW(Rotation(0, 0), std::invalid_argument);
}

// ---- A speed that varies --------------------------------------------------------------------------------------------

constexpr std::int64_t kTurns = 50'000;

double deviation(const std::vector<double>& values) {
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

Rotation jittering(double ppm, double regulation, std::uint64_t seed = 9, std::int64_t millirpm = 7'200'000) {
  const Ps turn = Rotation(0, millirpm).duration({1, 1});
  return Rotation(55, millirpm, std::make_shared<SpeedVariation>(turn, ppm, regulation, seed));
}

TEST(RotationThatVaries, TurnsHaveTheDeviationAskedForWhateverTheRegulation) {
  constexpr double kPpm = 40;
  for (const double regulation : {0.1, 1.0, 10.0, 100.0}) {
    const Rotation rotation = jittering(kPpm, regulation);
    std::vector<double> turns;
    Ps index = rotation.next_passage({0, 1}, 55);
    EXPECT_EQ(index, 55);
    for (std::int64_t turn = 0; turn < kTurns; ++turn) {
      const Ps next = rotation.next_passage({0, 1}, index + 1);
      turns.push_back(static_cast<double>(next - index));
      index = next;
    }
    EXPECT_NEAR(deviation(turns) / 8.3333e9 * 1e6, kPpm, 0.01 * kPpm) << regulation;
  }
}

TEST(RotationThatVaries, TheIndexStaysAtItsTimeAndForgetsAPushAsTheLoopDoes) {
  // A process of first order with the pole r = exp(-1 / regulation): steps of deviation s have lateness of deviation
  // s / sqrt(2 (1 - r)), of which the part r is left a turn later.
  constexpr double kPpm = 40, kRegulation = 5;
  const Ps turn = 8'333'333'334;
  const SpeedVariation variation(turn, kPpm, kRegulation, 3);
  std::vector<double> late;
  for (std::int64_t i = 0; i < kTurns; ++i) {
    late.push_back(static_cast<double>(variation.late(i)));
    ASSERT_LE(std::llabs(variation.late(i)), variation.limit());
  }
  const double r = std::exp(-1 / kRegulation),
               expected = kPpm * 1e-6 * static_cast<double>(turn) / std::sqrt(2 * (1 - r));
  EXPECT_NEAR(deviation(late), expected, 0.02 * expected);
  const double mean = std::accumulate(late.begin(), late.end(), 0.0) / kTurns;
  double product = 0;
  for (std::size_t i = 1; i < late.size(); ++i) product += (late[i] - mean) * (late[i - 1] - mean);
  EXPECT_NEAR(product / kTurns / (deviation(late) * deviation(late)), r, 0.01);
}

TEST(RotationThatVaries, APassageIsItsOwnNextPassageAndTheAngleThereIsTheOneAskedFor) {
  RandomStream random(8, "rotation");
  for (const std::int64_t millirpm : kSpeeds) {
    const Rotation rotation = jittering(300, 10, 4, millirpm);
    for (int i = 0; i < 5'000; ++i) {
      const auto tick = static_cast<std::uint32_t>(random.below(65'536));
      const Ps t = 55 + static_cast<Ps>(random.below(kDay));
      const Ps passage = rotation.next_passage({tick, 65'536}, t);
      ASSERT_GE(passage, t);
      ASSERT_EQ(rotation.next_passage({tick, 65'536}, passage), passage);
      ASSERT_EQ(rotation.angle(passage, 16), tick);
      if (passage > t) {
        ASSERT_EQ(rotation.next_passage({tick, 65'536}, passage - 1), passage);
        ASSERT_EQ(rotation.angle(passage - 1, 16), (tick + 65'535) % 65'536);
      }
      const Ps before = passage - rotation.duration({1, 2});  // only the next one lies within a turn
      if (before >= 55) {
        ASSERT_EQ(rotation.next_passage({tick, 65'536}, before), passage);
      }
      ASSERT_EQ(rotation.turns(passage), rotation.turns(rotation.next_passage({0, 1}, passage + 1)) - 1);
    }
  }
}

TEST(RotationThatVaries, TheOrderOfQuestionsDoesNotMatter) {
  const Rotation forward = jittering(100, 10), backward = jittering(100, 10), other = jittering(100, 10, 10);
  std::vector<Ps> passages;
  for (Ps t = 55; t < 10 * kPsPerSecond; t += 3'333'333'333) passages.push_back(forward.next_passage({1, 3}, t));
  bool differs = false;
  for (std::size_t i = passages.size(); i-- > 0;) {
    const Ps t = 55 + static_cast<Ps>(i) * 3'333'333'333;
    ASSERT_EQ(backward.next_passage({1, 3}, t), passages[i]);
    differs = differs || other.next_passage({1, 3}, t) != passages[i];
  }
  EXPECT_TRUE(differs) << "of another seed";
}

TEST(RotationThatVaries, SectorsOfATurnAreOfOneLength) {
  const Rotation rotation = jittering(500, 3);
  for (std::int64_t turn = 0; turn < 1000; ++turn) {
    const Ps index = rotation.next_passage({0, 1}, 55 + turn * 8'333'333'334 + 4'000'000'000);
    const Ps next = rotation.next_passage({0, 1}, index + 1);
    Ps edge = index;
    for (std::int64_t sector = 1; sector <= 10; ++sector) {
      const Ps after = rotation.next_passage({sector % 10, 10}, edge + 1);
      ASSERT_NEAR(static_cast<double>(after - edge), static_cast<double>(next - index) / 10, 2);
      edge = after;
    }
    ASSERT_EQ(edge, next);
  }
}

}  // namespace
}  // namespace armature
