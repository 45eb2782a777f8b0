// Peaks, rolling averages and the series of a drive's power, against sums over every window that could be the greatest.
#include "armature/power/power_history.h"
#include "armature/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace armature::power {
namespace {

struct Piece {
  Ps from;
  Ps to;
  RailPower power;
  Nanowatts sum() const { return power[0] + power[1]; }
};

std::vector<Piece> random_pieces(std::uint64_t seed, int count, Ps longest) {
  RandomStream random(seed, "power");
  std::vector<Piece> pieces;
  Ps t = 0;
  for (int i = 0; i < count; ++i) {
    const Ps length = 1 + static_cast<Ps>(random.below(static_cast<std::uint64_t>(longest)));
    RailPower power = {static_cast<Nanowatts>(random.below(5)) * 1'000'000'007,
                       static_cast<Nanowatts>(random.below(40)) * 333'333'333};
    if (i > 0 && random.chance(0.1)) power = pieces.back().power;
    pieces.push_back({t, t + length, power});
    t += length;
  }
  return pieces;
}

Zeptojoules energy_between(const std::vector<Piece>& pieces, Ps from, Ps to) {
  Zeptojoules sum = 0;
  for (const Piece& piece : pieces) {
    const Ps begin = std::max(from, piece.from), end = std::min(to, piece.to);
    if (begin < end) sum += static_cast<Zeptojoules>(piece.sum()) * (end - begin);
  }
  return sum;
}

/// Of all windows that begin or end where the power changes; first one that is greatest.
std::pair<Zeptojoules, Ps> greatest(const std::vector<Piece>& pieces, Ps length) {
  const Ps end = pieces.back().to;
  std::vector<Ps> ends = {length, end};
  for (const Piece& piece : pieces) {
    ends.push_back(piece.from + length);
    ends.push_back(piece.to);
  }
  std::sort(ends.begin(), ends.end());
  Zeptojoules most = 0;
  Ps at = 0;
  for (const Ps t : ends) {
    if (t < length || t > end) continue;
    const Zeptojoules energy = energy_between(pieces, t - length, t);
    if (energy > most) most = energy, at = t;
  }
  return {most, at};
}

PowerHistory history_of(const std::vector<Piece>& pieces, const std::vector<Ps>& windows) {
  PowerHistory history(windows);
  for (const Piece& piece : pieces) history.add(piece.from, piece.to, piece.power);
  history.finish();
  return history;
}

TEST(PowerHistory, RollingAveragesAreThoseOfAllWindowsThatCouldBeTheGreatest) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const std::vector<Piece> pieces = random_pieces(seed, 150, seed % 2 == 0 ? 1000 : 10);
    const Ps end = pieces.back().to;
    const std::vector<Ps> lengths = {1, 2, 7, 100, 555, end / 3, end - 1, end};
    const PowerHistory history = history_of(pieces, lengths);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const auto [most, at] = greatest(pieces, lengths[i]);
      ASSERT_TRUE(history.windows()[i].most == most) << "seed " << seed << ", length " << lengths[i];
      ASSERT_EQ(history.windows()[i].ends, at) << "seed " << seed << ", length " << lengths[i];
      ASSERT_EQ(history.windows()[i].covers, lengths[i]);
    }
  }
}

TEST(PowerHistory, OfARunShorterThanTheWindowTheAverageIsTheRuns) {
  const PowerHistory history = history_of({{0, 400, {0, from_watts(2)}}, {400, 1000, {0, 0}}}, {5000});
  EXPECT_EQ(history.windows()[0].covers, 1000);
  EXPECT_DOUBLE_EQ(history.windows()[0].watts(), 0.8);
}

TEST(PowerHistory, PeaksAreTheFirstOfTheGreatestAndTakeNoTimeThatIsNone) {
  PowerHistory history({});
  history.add(0, 10, {from_watts(3), from_watts(4)});
  history.add(10, 10, {from_watts(90), from_watts(90)});  // for no time at all
  history.add(10, 20, {from_watts(1), from_watts(8)});
  history.add(20, 30, {from_watts(1), from_watts(8)});
  history.add(30, 31, {from_watts(5), from_watts(0)});
  history.finish();
  EXPECT_EQ(history.peak().power, from_watts(9));
  EXPECT_EQ(history.peak().at, 10);
  EXPECT_EQ(history.rail_peak(Rail::v5).power, from_watts(5));
  EXPECT_EQ(history.rail_peak(Rail::v5).at, 30);
  EXPECT_EQ(history.rail_peak(Rail::v12).power, from_watts(8));
}

TEST(PowerHistory, TheSeriesKeepsEnergyAndPeakOfEachIntervalWhateverTheLengthOfTheRun) {
  for (const Ps longest : {kPsPerMs / 100, kPsPerMs, kPsPerSecond}) {
    const std::vector<Piece> pieces = random_pieces(5, 700, longest);
    const PowerHistory history = history_of(pieces, {});
    const Ps width = history.interval();
    ASSERT_LE(history.intervals().size(), PowerHistory::kIntervals);
    ASSERT_GE(width * static_cast<Ps>(history.intervals().size()), history.end());
    ASSERT_LT(width * static_cast<Ps>(history.intervals().size() - 1), history.end());
    for (std::size_t i = 0; i < history.intervals().size(); ++i) {
      const Ps from = width * static_cast<Ps>(i), to = from + width;
      Nanowatts most = 0;
      for (const Piece& piece : pieces)
        if (piece.from < to && piece.to > from) most = std::max(most, piece.sum());
      const PowerHistory::Interval& interval = history.intervals()[i];
      ASSERT_TRUE(interval.energy[0] + interval.energy[1] == energy_between(pieces, from, to)) << i;
      ASSERT_EQ(interval.most, most) << i;
    }
  }
}

}  // namespace
}  // namespace armature::power
