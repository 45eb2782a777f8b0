// With many slots waiting the unit finds its winner through an index: exactly the one that a scan of all finds, ties
// included.
#include "armature/core/kernel_time.h"
#include "support/arbitration_bench.h"
#include "support/arbitration_scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

namespace armature::testing::arbiter_index_test {
namespace {

using arbiter::ArbiterParams;
using arbiter::Policy;

/// Policy, arms, cylinders.
class ArbiterIndex : public ::testing::TestWithParam<std::tuple<Policy, unsigned, std::uint32_t>> {};

TEST_P(ArbiterIndex, GrantsWhatAScanOfAllSlotsGrants) {
  const auto [policy, arm_count, cylinders] = GetParam();
  ArbiterParams params;
  params.lanes = 4;
  ArbitrationBench bench(params, arm_count);
  std::mt19937_64 random(static_cast<unsigned>(policy) * 1'000 + arm_count + cylinders);
  const auto below = [&](std::uint64_t bound) { return static_cast<std::uint32_t>(random() % bound); };
  const auto tick_at = [&](Ps at) { return bench.rotation.turns(at) * 65'536 + bench.rotation.angle(at, 16); };

  ArbitrationScan scan;
  std::vector<ArbitrationScan::Slot> slots;  // by age
  std::vector<ArbitrationScan::Arm> arms;    // by number
  std::uint64_t order = 0;
  std::vector<bool> used(1'024);
  const auto commit = [&] {
    ArbitrationScan::Slot slot{below(1'024), below(cylinders), below(4), below(16) * 4'096, below(3) == 0, 0, 0,
                               order++};
    if (below(5) == 0) slot.slot_class = 1 + below(3);
    while (used[slot.slot]) slot.slot = below(1'024);
    // A third lies where another one lies: equal costs.
    if (!slots.empty() && below(3) == 0) {
      slot = slots[below(slots.size())];
      while (used[slot.slot]) slot.slot = below(1'024);
      slot.order = order;
    }
    used[slot.slot] = true;
    bench.commit(slot.slot, slot.cylinder, slot.head, slot.angle, slot.write, slot.slot_class);
    slot.committed_tick = bench.turning ? tick_at(bench.unit.writes_done()) : 0;
    slots.push_back(slot);
  };
  const auto forget = [&](std::size_t i) {
    used[slots[i].slot] = false;
    slots.erase(slots.begin() + static_cast<std::ptrdiff_t>(i));
  };

  static constexpr std::size_t kDepths[] = {40, 5, 200, 12, 900, 80};
  for (unsigned round = 0; round < 600; ++round) {
    if (round % 50 == 0) {  // another drive; curves fall in places
      scan.seek = {};
      std::vector<std::pair<std::uint32_t, std::uint32_t>> curve{{1, 500 + below(3'000)}};
      while (curve.size() < 60 && curve.back().first < cylinders) {
        const std::uint32_t rise = below(1'500), fall = below(1'000);
        curve.emplace_back(curve.back().first + 1 + below(cylinders / 30),
                           curve.back().second + rise > fall ? curve.back().second + rise - fall : 0);
      }
      load(scan.seek, curve);
      scan.margin = below(500);
      scan.head_switch = below(6'000);
      scan.write_settle = below(6'000);
      static constexpr std::int64_t kWeights[] = {0, 3, 64, 2'000};
      scan.ageing = kWeights[below(4)];
      bench.seek_table(curve);
      bench.bus.write(regs::aau::kMargin, static_cast<std::uint32_t>(scan.margin));
      bench.bus.write(regs::aau::kHeadSwitch, static_cast<std::uint32_t>(scan.head_switch));
      bench.bus.write(regs::aau::kWriteSettle, static_cast<std::uint32_t>(scan.write_settle));
      bench.bus.write(regs::aau::kAgeing, static_cast<std::uint32_t>(scan.ageing));
    }
    bench.disable();
    const std::size_t depth = kDepths[round / 25 % 6];
    while (slots.size() > depth + 3) {
      const std::size_t i = below(slots.size());
      bench.withdraw(slots[i].slot);
      forget(i);
    }
    while (slots.size() < depth) {
      run_until(now() + below(4) * 400'000'000LL);
      const bool turning = below(400) != 0;  // what comes while the disk stands has tick 0
      if (!turning) bench.drain();
      bench.turning = turning;
      commit();
      if (!turning) bench.drain();
      bench.turning = true;
    }
    if (below(4) == 0) {  // the same slot again: now the youngest
      const std::size_t i = below(slots.size());
      const ArbitrationScan::Slot again = slots[i];
      forget(i);
      slots.push_back(again);
      slots.back().order = order++;
      used[again.slot] = true;
      bench.commit(again.slot, again.cylinder, again.head, again.angle, again.write, again.slot_class);
      slots.back().committed_tick = tick_at(bench.unit.writes_done());
    }
    arms.clear();
    for (unsigned a = 0; a < arm_count; ++a) {
      if (arm_count > 1 && below(3) == 0) {
        bench.bus.write(regs::aau::kArm + 4 * a, 0);
      } else {
        arms.push_back({a, below(cylinders), below(4)});
        if (below(2) == 0) arms.back().cylinder = slots[below(slots.size())].cylinder;
        bench.idle_arm(a, arms.back().cylinder, arms.back().head);
      }
    }
    if (arms.empty()) continue;
    run_until(now() + below(2'000'000) * 5'000LL + 1);

    // One that comes too late must not be the only one that others yield to.
    const std::uint32_t yield =
        std::any_of(slots.begin(), slots.end(), [](const auto& slot) { return slot.slot_class == 0; }) ? below(16) : 0;
    bench.enable(policy, yield);
    const Ps begin = bench.begin();
    const std::vector<ArbitrationScan::Slot> candidates = slots;
    if (below(3) == 0 && slots.size() < 1'000) {  // too late for this decision
      run_until(begin + 1);
      for (unsigned i = 0; i < 3; ++i) commit();
    }
    const auto expected = scan.choose(policy, yield, candidates, arms, tick_at(begin));
    const auto grant = bench.next_grant();
    ASSERT_TRUE(grant);
    ASSERT_EQ(grant->slot, expected->slot) << "round " << round << ", " << slots.size() << " slots";
    ASSERT_EQ(grant->arm, expected->arm) << "round " << round;
    for (std::size_t i = 0; i < slots.size(); ++i)
      if (slots[i].slot == grant->slot) {
        forget(i);
        break;
      }
    bench.disable();
    bench.acknowledge();
  }
}

std::string case_name(const ::testing::TestParamInfo<ArbiterIndex::ParamType>& info) {
  static constexpr const char* kNames[] = {"Fcfs", "Sstf", "Clook", "Sptf", "AgedSptf"};
  return std::string(kNames[static_cast<int>(std::get<0>(info.param))]) + std::to_string(std::get<1>(info.param)) +
         "Arms" + std::to_string(std::get<2>(info.param)) + "Cylinders";
}

INSTANTIATE_TEST_SUITE_P(Policies, ArbiterIndex,
                         ::testing::Combine(::testing::Values(Policy::fcfs, Policy::sstf, Policy::clook, Policy::sptf,
                                                              Policy::aged_sptf),
                                            ::testing::Values(1u, 4u), ::testing::Values(900u, 60'000u, 1u << 23)),
                         case_name);

}  // namespace
}  // namespace armature::testing::arbiter_index_test
