// Buses that members share: one transfer at a time, in the order of asking, for as long as its bytes take.
#include "support/array_bench.h"
#include "support/contents_load.h"
#include "support/host_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

namespace armature::array::array_bus_test {
namespace {

using testing::ArrayBench;
using testing::ContentsLoad;
using testing::ListSource;
using testing::request;

ArrayParams params_of(Level level, std::int64_t buses) {
  ArrayParams params;
  params.level = level;
  params.stripe_unit_kib = 4;
  params.bus.count = buses;
  params.bus.mb_s = 10;
  params.bus.overhead_us = 20;
  return params;
}

std::map<int, std::vector<MemberOperation>> by_bus(const ArrayBench& bench) {
  std::map<int, std::vector<MemberOperation>> buses;
  for (const auto& each : bench.ended)
    if (each.operation.bus != MemberOperation::kNoBus) buses[each.operation.bus].push_back(each.operation);
  for (auto& [bus, turns] : buses)
    std::sort(turns.begin(), turns.end(), [](const auto& a, const auto& b) { return a.bus_begin < b.bus_begin; });
  return buses;
}

TEST(ArrayBus, OneTransferAtATimeInTheOrderOfAskingForItsBytesAndNeverIdleWithWork) {
  const ArrayParams params = params_of(Level::raid5, 2);
  const Layout layout(Level::raid5, std::vector<std::uint64_t>(5, 4'000), 8);
  ContentsLoad::Params load_params;
  load_params.count = 2'000;
  load_params.sectors = load_params.hot_sectors = layout.sectors();
  ContentsLoad load(load_params);
  ArrayBench bench(params, 5, 0, 4'000, load);
  bench.keep = true;
  bench.run();
  const auto buses = by_bus(bench);
  ASSERT_EQ(buses.size(), 2u);
  std::size_t waited = 0;
  Ps wait = 0;
  for (const auto& [bus, turns] : buses) {
    Ps free = 0, asked = 0, busy = 0;
    for (const MemberOperation& turn : turns) {
      EXPECT_EQ(turn.bus_begin, std::max(turn.bus_asked, free)) << "operation " << turn.id;
      EXPECT_GE(turn.bus_asked, asked) << "overtaken by operation " << turn.id;
      EXPECT_EQ(turn.bus_end - turn.bus_begin, 20 * kPsPerUs + Ps{turn.sectors} * 512 * kPsPerUs / 10);
      EXPECT_EQ(turn.device < 3 ? 0 : 1, bus);
      waited += turn.bus_begin > turn.bus_asked ? 1 : 0;
      wait += turn.bus_begin - turn.bus_asked;
      busy += turn.bus_end - turn.bus_begin;
      free = turn.bus_end;
      asked = turn.bus_asked;
    }
    EXPECT_EQ(busy, bench.controller.bus_busy()[static_cast<std::size_t>(bus)]);
  }
  EXPECT_GT(waited, 100u);
  EXPECT_EQ(wait, bench.controller.counters().bus_wait);
}

TEST(ArrayBus, AReadUsesItAfterTheDriveAndAWriteBefore) {
  ListSource source;
  source.requests = {request(0, 0, 8), request(kPsPerSecond, 0, 8, Operation::write)};
  ArrayBench bench(params_of(Level::raid0, 1), 2, 0, 800, source);
  bench.keep = true;
  bench.run();
  const Ps time = 20 * kPsPerUs + 4'096 * kPsPerUs / 10;
  ASSERT_GE(bench.ended.size(), 2u);
  const auto &read = bench.ended[0], &write = bench.ended[1];
  EXPECT_EQ(read.operation.bus_end, read.at);
  EXPECT_EQ(read.operation.bus_end - read.operation.bus_begin, time);
  EXPECT_GT(read.operation.bus_begin, 0);
  EXPECT_EQ(write.operation.bus_begin, kPsPerSecond);
  EXPECT_GT(write.at, write.operation.bus_end);
}

TEST(ArrayBus, TwoReadsThatEndTogetherFollowEachOther) {
  ListSource source;
  for (std::uint64_t i = 0; i < 16; ++i) source.requests.push_back(request(0, 8 * i, 8));
  ArrayParams params = params_of(Level::raid0, 1);
  params.bus.mb_s = 1;  // 4 ms for what the devices take up to 4 ms for
  ArrayBench bench(params, 4, 0, 800, source);
  bench.keep = true;
  bench.run();
  Ps last = 0;
  for (const auto& each : bench.ended) last = std::max(last, each.at);
  EXPECT_GE(last, 16 * (20 * kPsPerUs + 4'096 * kPsPerUs));
  EXPECT_LT(last, 17 * (20 * kPsPerUs + 4'096 * kPsPerUs));
}

TEST(ArrayBus, AlternateMembersAndSparesOfTheLastGroup) {
  ListSource source;
  for (std::uint64_t i = 0; i < 6; ++i) source.requests.push_back(request(0, 8 * i, 8));
  ArrayParams params = params_of(Level::raid0, 2);
  params.bus.assignment = BusAssignment::alternate;
  ArrayBench bench(params, 6, 1, 800, source);
  bench.keep = true;
  bench.run();
  for (const auto& each : bench.ended) {
    EXPECT_EQ(each.operation.bus, static_cast<int>(each.operation.device % 2));
  }
}

}  // namespace
}  // namespace armature::array::array_bus_test
