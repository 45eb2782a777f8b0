// A drive whose arms move by the servo loop: settling, writes that are inhibited and done again, shocks.
#include "armature/core/kernel_time.h"
#include "contents_bench.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace armature::testing {
namespace {

/// Changes of one bit.
class OneBit final : public ProbeSink {
 public:
  explicit OneBit(std::string path) : path_(std::move(path)) {}
  std::vector<std::pair<Ps, bool>> changes;

  Id declare(const ProbeInfo& info) override { return info.path == path_ ? 0 : kNotTraced; }
  void change(Id, std::uint64_t value) override {
    if (changes.empty() || changes.back().second != (value != 0)) changes.emplace_back(now(), value != 0);
  }
  void change(Id, double) override {}
  void change(Id, std::string_view) override {}
  void schedule(Id, Ps, double) override {}
  void cancel(Id) override {}

 private:
  const std::string path_;
};

void by_servo(drive::DriveParams& params, std::vector<std::string> set = {}) {
  params.mechanics.kind = drive::MechanicsParams::servo;
  params.mechanics.plant = ARMATURE_PLANT;
  params.mechanics.set = std::move(set);
}

struct Variant {
  const char* name;
  void (*set)(BenchParams&) = [](BenchParams&) {};
};
std::ostream& operator<<(std::ostream& out, const Variant& variant) {
  return out << variant.name;
}

class StrayingContents : public ::testing::TestWithParam<Variant> {};

/// Limits within the position error of every day: the arm strays all the time, and no data are lost or mixed up.
void expect_all_done_again(BenchParams params, ContentsLoad::Params load) {
  by_servo(params.drive, {"settle.inhibit_percent = 6", "settle.read_limit_percent = 6.5"});
  load.sectors = media::Geometry(params.drive.layout()).sectors();
  load.hot_first = kHotFirst;
  ContentsBench bench("bench", params, load);
  bench.run();
  for (const auto& [id, status] : bench.bench.failed)
    ADD_FAILURE() << "request " << id << ": error " << int{status.error} << " at LBN " << status.lbn;
  EXPECT_EQ(bench.bench.failures(), 0u);
  EXPECT_GT(bench.check.sectors_compared(), load.count * 10);
  bench.look_at_medium(0, bench.bench.disk().sectors());
  EXPECT_EQ(bench.unreadable, 0u);
}

TEST_P(StrayingContents, EveryWriteThatIsInhibitedIsDoneAgain) {
  BenchParams params;
  params.drive = round_drive_with_contents(true);
  GetParam().set(params);
  ContentsLoad::Params load;
  load.count = 3'000;
  load.hot_sectors = kHotSectors;
  expect_all_done_again(params, load);
}

/// Arms wait to read what another one writes, on three tracks.
TEST(StrayingArms, NobodyReadsTheSectorThatAnotherHasSpoilt) {
  BenchParams params;
  params.drive = round_drive_with_contents(true);
  params.drive.arms.count = 3;
  params.drive.cache.write = true;
  ContentsLoad::Params load;
  load.count = 20'000;
  load.hot_sectors = 300;
  load.fua_share = 0.3;
  load.flush_share = 0.05;
  expect_all_done_again(params, load);
}

INSTANTIATE_TEST_SUITE_P(
    Drives, StrayingContents,
    ::testing::Values(Variant{"plain"},
                      Variant{"uncached",
                              [](BenchParams& p) {
                                p.drive.cache.write = false;
                                p.drive.cache.look_ahead = false;
                              }},
                      Variant{"cached", [](BenchParams& p) { p.drive.cache.write = p.drive.cache.look_ahead = true; }},
                      Variant{"physical_4096",
                              [](BenchParams& p) {
                                physical_4096(p.drive);
                                p.drive.cache.write = true;
                              }},
                      Variant{"decoder", [](BenchParams& p) { p.drive.channel.latency_us = 200; }},
                      Variant{"arms",
                              [](BenchParams& p) {
                                p.drive.arms.count = 3;
                                p.drive.cache.write = true;
                              }},
                      Variant{"spinning_up",
                              [](BenchParams& p) {
                                p.drive.spindle.initially_spinning = false;
                                p.drive.spindle.spin_up_s = 1;
                                p.drive.seek.load_ms = 30;
                                p.drive.seek.unload_ms = 30;
                              }}),
    [](const auto& one) { return std::string(one.param.name); });

/// 60 G for 2 ms in the midst of a long write.
TEST(ServoDrive, AShockInAWriteInhibitsItAndItIsDoneAgain) {
  BenchParams params;
  params.drive = round_drive_with_contents(false);
  params.drive.cache.write = false;
  by_servo(params.drive, {"external.shock_gn = 60", "external.shock_ms = 2", "external.shock_at_ms = 205",
                          "external.imbalance_percent = 0.5"});
  // One track after the other, from 200 ms on.
  std::vector<workload::Request> requests;
  for (std::uint64_t i = 0; i < 12; ++i) requests.push_back(write_request(200 * kPsPerMs, 3'000 + 100 * i, 100));
  for (std::uint64_t i = 0; i < 12; ++i) requests.push_back(read_request(2'000 * kPsPerMs, 3'000 + 100 * i, 100));
  ListSource source(requests);
  host::ContentsCheck check({});
  OneBit inhibit("bench.disk.srv0.write_inhibit");
  DriveBench bench("bench", params, source, &inhibit);
  bench.queue().set_data_port(check);
  bench.run();
  EXPECT_EQ(bench.failures(), 0u);
  EXPECT_EQ(check.mismatches(), 0u);
  EXPECT_GE(check.sectors_compared(), 1'200u);
  Ps first = 0, last = 0;
  for (const auto& [at, on] : inhibit.changes)
    if (at > 200 * kPsPerMs) (on && first == 0 ? first : last) = at;
  EXPECT_GT(first, 205 * kPsPerMs);
  EXPECT_LT(first, 206 * kPsPerMs) << "the shock has a quarter of its strength by then";
  EXPECT_GT(last, 206 * kPsPerMs);
  EXPECT_LT(last, 215 * kPsPerMs) << "the loop is back in a few periods of its crossover";
}

}  // namespace
}  // namespace armature::testing
