#include "armature/core/random.h"
#include "armature/observe/period_statistics.h"
#include "armature/observe/steady_state.h"
#include "support/observe_feed.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace armature::observe::observe_steady_test {
namespace {

using nlohmann::json;
using testing::contents;
using testing::lines_of;
using testing::ScratchFolder;

/// The definition, batch by batch.
std::size_t mser5_by_definition(const std::vector<Ps>& series) {
  std::vector<double> batches;
  for (std::size_t i = 0; i + 5 <= series.size(); i += 5)
    batches.push_back(static_cast<double>(series[i] + series[i + 1] + series[i + 2] + series[i + 3] + series[i + 4]) /
                      5);
  if (batches.size() < 2) return 0;
  double least = std::numeric_limits<double>::infinity();
  std::size_t best = 0;
  for (std::size_t d = 0; d <= batches.size() / 2; ++d) {
    double mean = 0, squares = 0;
    const auto rest = static_cast<double>(batches.size() - d);
    for (std::size_t i = d; i < batches.size(); ++i) mean += batches[i] / rest;
    for (std::size_t i = d; i < batches.size(); ++i) squares += (batches[i] - mean) * (batches[i] - mean);
    if (squares / (rest * rest) < least) {
      least = squares / (rest * rest);
      best = d;
    }
  }
  return best * 5;
}

TEST(Mser5, CutsWhatItsDefinitionCuts) {
  RandomStream random(11, "mser5");
  std::size_t cut_some = 0;
  for (std::size_t round = 0; round < 60; ++round) {
    std::vector<Ps> series;
    const std::size_t count = 3 + random.below(400), transient = random.below(count);
    for (std::size_t i = 0; i < count; ++i) {
      const Ps start = i < transient ? static_cast<Ps>((transient - i) * 40'000) : 0;
      series.push_back(start + static_cast<Ps>(random.below(3'000'000)));
    }
    EXPECT_EQ(mser5(series), mser5_by_definition(series)) << count << ", " << transient;
    cut_some += mser5(series) > 0 ? 1 : 0;
  }
  EXPECT_GT(cut_some, 20u);
  EXPECT_EQ(mser5({}), 0u);
  EXPECT_EQ(mser5(std::vector<Ps>(9, 1)), 0u);
}

/// Twenty reads, each 9,681 us and the first five longer, 20 ms apart; of one the completion never comes.
SteadyState played(const WarmUpRule& rule) {
  RequestTracker tracker("drive", 0);
  SteadyState steady(rule);
  tracker.add_sink(steady);
  for (std::uint64_t id = 0; id < 20; ++id)
    testing::play_read(tracker, id, 0, static_cast<Ps>(id) * from_ms(40), 700,
                       id % 2 == 0 ? Operation::read : Operation::write, id < 5 ? 9000 : 1000);
  Arrival open;
  open.id = 99;
  open.at = from_ms(790);
  tracker.arrived(open);
  steady.finish(from_ms(1000));
  return steady;
}

TEST(SteadyState, LeavesOutByNumberByTimeOrByMser5) {
  for (const WarmUpRule& rule : {WarmUpRule{WarmUpRule::requests, 5, 0}, WarmUpRule{WarmUpRule::time, 0, from_ms(161)},
                                 WarmUpRule{WarmUpRule::mser5, 0, 0}}) {
    const SteadyState steady = played(rule);
    EXPECT_EQ(steady.left_out(), 5u) << rule.kind;
    EXPECT_EQ(steady.from(), from_ms(200));
    EXPECT_EQ(steady.all().count, 15u);
    EXPECT_DOUBLE_EQ(steady.all().mean, static_cast<double>(9681 * kPsPerUs));
    EXPECT_DOUBLE_EQ(steady.all().deviation, 0);
    EXPECT_EQ(steady.all().quantiles.back(), 9681 * kPsPerUs);
    EXPECT_EQ(steady.of(Operation::read).count, 7u);
    EXPECT_EQ(steady.of(Operation::write).count, 8u);
    EXPECT_DOUBLE_EQ(steady.rate(), 15 / 0.8);
    EXPECT_DOUBLE_EQ(steady.byte_rate(), 15 * 4096 / 0.8);
    EXPECT_TRUE(steady.settled());
  }
  const SteadyState none = played({WarmUpRule::requests, 100, 0});
  EXPECT_EQ(none.all().count, 0u) << "all of them are the warm-up";
  EXPECT_EQ(none.rate(), 0);
}

TEST(PeriodStatistics, CountEachEventInItsPeriodAndAllPeriods) {
  const ScratchFolder folder;
  PeriodFile file(folder / "stats.json");
  RequestTracker tracker("drive", 0);
  PeriodStatistics periods(file, "drive", from_ms(10));
  tracker.add_sink(periods);
  testing::play_read(tracker, 0, 0, 0);            // to 9.681 ms
  testing::play_read(tracker, 1, 0, from_ms(10));  // arrives at the border: in the second; to 19.681
  testing::play_read(tracker, 2, 0, from_ms(45));  // after two empty ones; to 54.681
  periods.finish(from_ms(57));
  const auto lines = lines_of(contents(folder / "stats.json"));
  ASSERT_EQ(lines.size(), 6u);
  const std::uint64_t arrived[] = {1, 1, 0, 0, 1, 0}, completed[] = {1, 1, 0, 0, 0, 1};
  const double depth[] = {0.9681, 0.9681, 0, 0, 0.5, 4.681 / 7};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const json line = json::parse(lines[i]);
    EXPECT_EQ(line["arrived"], arrived[i]) << i;
    EXPECT_EQ(line["completed"], completed[i]) << i;
    EXPECT_NEAR(line["mean_depth"].get<double>(), depth[i], 1e-9) << i;
    EXPECT_EQ(line.contains("p99_ms"), completed[i] > 0);
    EXPECT_NEAR(line["from_s"].get<double>(), 0.01 * static_cast<double>(i), 1e-12);
  }
  EXPECT_DOUBLE_EQ(json::parse(lines[5])["to_s"].get<double>(), 0.057) << "the last is shorter";
  EXPECT_DOUBLE_EQ(json::parse(lines[0])["p99_ms"].get<double>(), 9.681);
}

}  // namespace
}  // namespace armature::observe::observe_steady_test
