// Service by medium or buffer, heat of the medium, measured beside simulated times: sinks, summary and report.
#include "armature/core/random.h"
#include "armature/observe/measured_comparison.h"
#include "armature/observe/media_heat.h"
#include "armature/observe/run_outputs.h"
#include "armature/observe/service_history.h"
#include "support/observe_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace armature::observe {
namespace {

using testing::contents;
using testing::play_read;
using testing::ScratchFolder;

RequestRecord served(Operation operation, Ps completion, std::uint32_t accesses, bool ok = true) {
  RequestRecord record;
  record.operation = operation;
  record.completion = completion;
  record.accesses = accesses;
  record.ok = ok;
  return record;
}

template <class Sink>
void complete(Sink& sink, const RequestRecord& record, const std::vector<AccessTiming>& accesses = {}) {
  sink.completed({record, {}, accesses});
}

TEST(ServiceHistory, CountsReadsAndWritesByWhatServedThem) {
  ServiceHistory history;
  complete(history, served(Operation::read, 1, 1));
  complete(history, served(Operation::read, 2, 0));
  complete(history, served(Operation::read, kPsPerMs, 2));
  complete(history, served(Operation::write, kPsPerMs, 0));
  complete(history, served(Operation::flush, kPsPerMs, 0));
  complete(history, served(Operation::read, kPsPerMs, 0, /*ok=*/false));
  const auto with = [](RequestRecord record, Phase phase) {
    record.phases[static_cast<std::size_t>(phase)] = 1;
    return record;
  };
  complete(history, with(served(Operation::read, kPsPerMs, 0), Phase::buffer_fill));
  complete(history, with(served(Operation::write, kPsPerMs, 0), Phase::write_back));
  complete(history, with(served(Operation::write, kPsPerMs, 1), Phase::write_back));
  complete(history, with(served(Operation::read, kPsPerMs, 0), Phase::rotation));
  EXPECT_EQ(history.total().reads, (ServiceHistory::Counts{3, 1, 1, 0}));
  EXPECT_EQ(history.total().writes, (ServiceHistory::Counts{1, 1, 0, 1})) << "no flush, no failed request";
  ASSERT_EQ(history.intervals().size(), 2u);
  EXPECT_EQ(history.intervals()[0].reads, (ServiceHistory::Counts{1, 1, 0, 0}));
  EXPECT_EQ(history.intervals()[1].reads, (ServiceHistory::Counts{2, 0, 1, 0}));
}

TEST(ServiceHistory, IntervalsDoubleAndLoseNothing) {
  ServiceHistory history;
  RandomStream random(3, "service");
  std::vector<std::pair<Ps, bool>> all;
  Ps at = 0;
  for (int i = 0; i < 20'000; ++i) {
    at += static_cast<Ps>(random.below(2 * kPsPerMs));
    const bool hit = random.below(3) == 0;
    all.emplace_back(at, hit);
    complete(history, served(Operation::read, at, hit ? 0 : 1));
  }
  EXPECT_LE(history.intervals().size(), ServiceHistory::kIntervals);
  EXPECT_GT(history.intervals().size(), ServiceHistory::kIntervals / 2);
  for (std::size_t i = 0; i < history.intervals().size(); ++i) {
    const Ps begin = static_cast<Ps>(i) * history.interval(), end = begin + history.interval();
    ServiceHistory::Counts expected{};
    for (const auto& [time, hit] : all)
      if (time >= begin && time < end) ++expected[hit ? 1 : 0];
    ASSERT_EQ(history.intervals()[i].reads, expected) << "interval " << i;
  }
}

AccessTiming access_at(std::uint32_t cylinder, Ps move, Ps ready, Ps go, Ps first, Ps done) {
  AccessTiming timing;
  timing.access.cylinder = cylinder;
  timing.move_at = move;
  timing.ready_at = ready;
  timing.moved = ready - move;
  timing.go_at = go;
  timing.access.first_sector_at = first;
  timing.access.done_at = done;
  return timing;
}

TEST(MediaHeat, AnAccessCountsInTheZoneItWentTo) {
  // A cylinder between two zones holds nothing; its zone is the one before.
  MediaHeat heat({{0, 99, 400}, {101, 199, 300}, {200, 299, 200}}, 300);
  EXPECT_TRUE(heat.by_zone());
  complete(heat, served(Operation::read, 100, 2),
           {access_at(99, 10, 15, 16, 20, 23), access_at(101, 23, 24, 25, 31, 40)});
  complete(heat, served(Operation::write, 100, 1), {access_at(199, 40, 47, 47, 50, 60)});
  complete(heat, served(Operation::write, 100, 1), {access_at(299, 0, 0, 0, 0, 1)});
  const auto& bands = heat.bands();
  ASSERT_EQ(bands.size(), 3u);
  EXPECT_EQ(bands[0].reads, 1u);
  EXPECT_EQ(bands[0].writes, 0u);
  EXPECT_EQ(bands[0].positioning, 5);
  EXPECT_EQ(bands[0].rotation, 4);
  EXPECT_EQ(bands[0].transfer, 3);
  EXPECT_EQ(bands[1].reads, 1u);
  EXPECT_EQ(bands[1].writes, 1u);
  EXPECT_EQ(bands[1].positioning, 1 + 7);
  EXPECT_EQ(bands[1].rotation, 6 + 3);
  EXPECT_EQ(bands[1].transfer, 9 + 10);
  EXPECT_EQ(bands[1].busy(), 36);
  EXPECT_EQ(bands[2].writes, 1u);
  EXPECT_EQ(bands[2].sectors_per_track, 200u);
}

TEST(MediaHeat, WithoutZonesBandsOfEqualWidthCoverAllCylinders) {
  for (const std::uint32_t cylinders : {1u, 7u, 32u, 33u, 39'511u}) {
    MediaHeat heat({}, cylinders);
    EXPECT_FALSE(heat.by_zone());
    const auto& bands = heat.bands();
    ASSERT_EQ(bands.size(), std::min(cylinders, MediaHeat::kBands));
    EXPECT_EQ(bands.front().first_cylinder, 0u);
    EXPECT_EQ(bands.back().last_cylinder, cylinders - 1);
    for (std::size_t i = 1; i < bands.size(); ++i)
      ASSERT_EQ(bands[i].first_cylinder, bands[i - 1].last_cylinder + 1) << cylinders;
    complete(heat, served(Operation::read, 1, 1), {access_at(cylinders - 1, 0, 0, 0, 0, 1)});
    EXPECT_EQ(heat.bands().back().reads, 1u);
  }
  EXPECT_EQ(MediaHeat({}, 0).bands().size(), 1u) << "a drive that says nothing of its cylinders";
}

TEST(MediaHeat, OfManyZonesNeighboursArePutTogether) {
  std::vector<ZoneDescription> zones;
  for (std::uint32_t i = 0; i < 130; ++i) zones.push_back({10 * i, 10 * i + 9, 500 - i});
  const MediaHeat heat(zones, 1300);
  ASSERT_EQ(heat.bands().size(), 44u) << "three together";
  EXPECT_EQ(heat.bands()[0].last_cylinder, 29u);
  EXPECT_EQ(heat.bands()[43].first_cylinder, 1290u);
  EXPECT_EQ(heat.bands()[43].last_cylinder, 1299u);
}

TEST(TimeHistogram, QuantilesAreWithinABucketOfTheExactOnes) {
  RandomStream random(9, "histogram");
  TimeHistogram histogram;
  std::vector<double> exact;
  for (int i = 0; i < 50'000; ++i) {
    const auto time = static_cast<Ps>(-std::log1p(-random.uniform()) * 8e9);
    histogram.add(time);
    exact.push_back(static_cast<double>(time));
  }
  std::sort(exact.begin(), exact.end());
  const auto quantiles = histogram.quantiles(1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    const double fraction = (static_cast<double>(i) + 0.5) / 1000;
    // Between the neighbours in order, and a bucket of 0.4 % at most.
    const auto rank = static_cast<std::size_t>(fraction * 50'000);
    ASSERT_GE(quantiles[i], exact[rank - 1] / 1.004) << i;
    ASSERT_LE(quantiles[i], exact[rank + 1] * 1.004) << i;
    ASSERT_NEAR(histogram.quantile(fraction), quantiles[i], 1e-6 * quantiles[i]);
  }
  EXPECT_EQ(TimeHistogram().quantile(0.5), 0);
}

TEST(MeasuredComparison, ErrorsAreThoseOfTheRequestsThatHaveAMeasuredTime) {
  MeasuredComparison comparison;
  const auto request = [&comparison](Ps measured, Ps simulated, bool ok = true) {
    RequestRecord record = served(Operation::read, 1000 + simulated, 1, ok);
    record.arrival = 1000;
    record.measured_response = measured;
    complete(comparison, record);
  };
  request(10'000, 13'000);
  request(20'000, 18'000);
  request(kNoTime, 99'000);
  request(30'000, 99'000, /*ok=*/false);
  EXPECT_EQ(comparison.count(), 2u);
  EXPECT_EQ(comparison.mean_measured(), 15'000);
  EXPECT_EQ(comparison.mean_simulated(), 15'500);
  EXPECT_EQ(comparison.mean_error(), 500);
  EXPECT_EQ(comparison.mean_absolute_error(), 2500);
  // The lower half of the quantiles are 3000 apart, the upper ones 2000.
  EXPECT_NEAR(comparison.rms_distance(), std::sqrt((3000.0 * 3000 + 2000.0 * 2000) / 2), 60);
  EXPECT_EQ(MeasuredComparison().rms_distance(), 0);
}

TEST(MeasuredComparison, TheDistanceIsThatOfTheSortedTimes) {
  // The metric from the samples themselves: sort both, take quantiles 0.0001 apart.
  RandomStream random(10, "rms");
  MeasuredComparison comparison;
  std::vector<double> measured, simulated;
  for (int i = 0; i < 10'000; ++i) {
    const auto m = static_cast<Ps>((2 + 10 * random.uniform()) * 1e9),
               s = static_cast<Ps>((1 + 12 * random.uniform()) * 1e9);
    RequestRecord record = served(Operation::write, s, 1);
    record.measured_response = m;
    complete(comparison, record);
    measured.push_back(static_cast<double>(m));
    simulated.push_back(static_cast<double>(s));
  }
  std::sort(measured.begin(), measured.end());
  std::sort(simulated.begin(), simulated.end());
  double sum = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) sum += std::pow(measured[i] - simulated[i], 2);
  const double expected = std::sqrt(sum / 10'000);
  EXPECT_NEAR(comparison.rms_distance(), expected, 0.01 * expected);
}

TEST(RunOutputs, SummaryAndReportTellServiceHeatMeasuredTimesAndWhatWasLeftOut) {
  const ScratchFolder folder;
  RunOptions options;
  options.directory = folder / "run";
  options.drives.push_back({"atlas", "Atlas", 6000 * kPsPerUs, 1000, 1, {{0, 499, 300}, {500, 999, 200}}});
  options.drives.push_back({"other", "Other", 6000 * kPsPerUs, 1000, 1});
  RunOutputs outputs(options);
  play_read(outputs.tracker(0), 0, 7, 0, 700);  // 9681 us, the arm comes from 400
  Arrival arrival;
  arrival.id = 1;
  arrival.at = 20'000 * kPsPerUs;
  arrival.sectors = 8;
  arrival.measured_response = 250 * kPsPerUs;
  outputs.tracker(0).arrived(arrival);  // no access: the buffer serves it
  outputs.tracker(0).dispatched(1, 3, arrival.at);
  outputs.tracker(0).completed(3, true, 0, arrival.at + 100 * kPsPerUs);
  outputs.finish({true, "", 30'000 * kPsPerUs, 0.1, std::nullopt, {0, 17}});

  const auto json = nlohmann::json::parse(contents(folder / "run/summary.json"));
  const auto& drive = json.at("drives").at(0);
  EXPECT_EQ(drive.at("service").at("read").at("medium"), 1);
  EXPECT_EQ(drive.at("service").at("read").at("buffer"), 1);
  EXPECT_EQ(drive.at("service").at("read").at("hit_share"), 0.5);
  EXPECT_FALSE(drive.at("service").at("write").contains("hit_share")) << "there was no write";
  const auto& bands = drive.at("heat").at("bands");
  ASSERT_EQ(bands.size(), 2u);
  EXPECT_EQ(bands[0].at("reads"), 0);
  EXPECT_EQ(bands[1].at("reads"), 1);
  EXPECT_DOUBLE_EQ(bands[1].at("positioning_s"), 5e-3);
  EXPECT_DOUBLE_EQ(bands[1].at("rotation_s"), 3e-3);
  EXPECT_DOUBLE_EQ(bands[1].at("transfer_s"), 120e-6);
  EXPECT_EQ(drive.at("measured").at("compared"), 1);
  EXPECT_DOUBLE_EQ(drive.at("measured").at("mean_measured_ms"), 0.25);
  EXPECT_DOUBLE_EQ(drive.at("measured").at("mean_simulated_ms"), 0.1);
  EXPECT_DOUBLE_EQ(drive.at("measured").at("mean_error_ms"), -0.15);
  EXPECT_EQ(drive.at("dropped"), 0);
  EXPECT_EQ(json.at("drives").at(1).at("dropped"), 17);
  EXPECT_EQ(json.at("drives").at(1).at("heat").at("by_zone"), false);
  for (const char* key : {"medium", "buffer", "hit_share", "dropped", "rms_distance_ms", "rotation_s", "compared"})
    EXPECT_TRUE(json.at("definitions").contains(key)) << key;

  const std::string page = contents(folder / "run/report.html");
  const auto begin = page.find("id=\"data\">") + 10;
  const auto data = nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  const auto& shown = data.at("drives").at(0);
  EXPECT_EQ(shown.at("service").at("kinds"), nlohmann::json({"medium", "buffer", "buffer_fill", "write_back"}));
  EXPECT_EQ(shown.at("service").at("reads"), nlohmann::json({1, 1, 0, 0}));
  EXPECT_EQ(shown.at("heat").at("rows").at(1), nlohmann::json({500, 999, 200, 1, 0, 0.005, 0.003, 0.00012}));
  EXPECT_FALSE(shown.at("measured").empty());
  EXPECT_TRUE(data.at("drives").at(1).at("measured").empty());
}

}  // namespace
}  // namespace armature::observe
