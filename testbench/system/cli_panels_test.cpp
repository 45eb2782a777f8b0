// What a run tells of hits, zones, measured times and requests left out: from the input to the files.
#include "support/program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace armature {
namespace {

using testing::Workplace;

TEST(RunPanels, MeasuredTimesZonesHitsAndWhatWasLeftOutReachTheSummary) {
  const Workplace place;
  // 30 reads in zone 0 of 24, 100 ms apart; each block twice, so that half of them are hits with look-ahead on. The
  // last one lies behind the disk's end.
  std::string trace = "arrival_ms,op,lbn,sectors,response_ms\n";
  for (int i = 0; i < 30; ++i)
    trace += std::to_string(100 + 100 * i) + ",R," + std::to_string(1000 * (i / 2)) + ",8,5.5\n";
  trace += "4000,R,17938986,8,5.5\n";
  place.write("t.csv", trace);
  place.write("s.toml", R"([workload]
kind = "trace"
file = "t.csv"
out_of_range = "drop"

[drives.atlas]
model = "drives/quantum_atlas_10k.toml"
cache.look_ahead = true
)");
  const testing::Outcome outcome = place.run({"run", "s.toml"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto drive = nlohmann::json::parse(place.read("out/summary.json")).at("drives").at(0);
  EXPECT_EQ(drive.at("completed"), 30);
  EXPECT_EQ(drive.at("dropped"), 1);
  EXPECT_EQ(drive.at("measured").at("compared"), 30);
  EXPECT_DOUBLE_EQ(drive.at("measured").at("mean_measured_ms"), 5.5);
  EXPECT_NEAR(drive.at("measured").at("mean_simulated_ms").get<double>(),
              drive.at("response").at("all").at("mean_ms").get<double>(), 1e-9);
  const auto& reads = drive.at("service").at("read");
  EXPECT_EQ(reads.at("buffer"), 15) << "the second read of each block";
  EXPECT_EQ(reads.at("medium"), 15);
  EXPECT_EQ(reads.at("hit_share"), 0.5);
  const auto& heat = drive.at("heat");
  EXPECT_TRUE(heat.at("by_zone"));
  ASSERT_EQ(heat.at("bands").size(), 24u);
  EXPECT_EQ(heat.at("bands").at(0).at("last_cylinder"), 432);
  // Of 334 sectors a track, the reads of blocks 1000, 2000 and 3000 begin at 332, 330 and 328: two accesses each.
  EXPECT_EQ(heat.at("bands").at(0).at("reads"), 15 + 3);
  for (std::size_t i = 1; i < 24; ++i) EXPECT_EQ(heat.at("bands").at(i).at("reads"), 0) << i;
}

}  // namespace
}  // namespace armature
