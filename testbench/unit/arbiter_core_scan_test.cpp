// The core of the arm-arbitration unit against a scan of all candidates: with many slots it does not look at all of
// them.
#include "support/aau_bench.h"
#include "support/arbitration_scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace armature::testing::arbiter_core_scan_test {
namespace {

using arbiter::AauShape;
using arbiter::Policy;
namespace aau = regs::aau;

constexpr std::int64_t kTurn = 65'536;

std::uint32_t stack(std::uint32_t n) {
  return aau::slot_commit::Stack::set(0, n);
}
std::uint32_t of_class(std::uint32_t n) {
  return aau::slot_commit::SlotClass::set(0, n);
}

/// Every candidate looked at, as the contract says it, in other words than the core's.
struct Scan {
  struct Slot {
    std::uint32_t number, cylinder, head, angle, write, slot_class, stack, reserved;  // as slot_arm
    std::int64_t tick;
  };
  struct Arm {
    std::uint32_t number, cylinder, head, angle, stack, first, last;
    std::array<std::uint32_t, 4> masked;  ///< surfaces below 32
  };
  std::vector<Slot> slots;  // by age
  std::vector<Arm> arms;
  std::vector<std::pair<std::int32_t, std::uint32_t>> heads;
  arbiter::SeekTable seek;
  std::int64_t margin = 0, head_switch = 0, settle = 0, reposition = 0, ageing = 0, stroke = 0;
  std::uint32_t yield = 0, turning = 0, wrote = 0;

  /// {slot, arm, head}, or nothing.
  std::optional<std::array<std::uint32_t, 3>> choose(Policy policy, std::int64_t edge) const {
    using Key = std::array<std::int64_t, 5>;
    std::optional<std::pair<Key, std::array<std::uint32_t, 3>>> best;
    const bool host = std::any_of(slots.begin(), slots.end(), [](const Slot& s) { return s.slot_class == 0; });
    for (std::size_t age = 0; age < slots.size(); ++age) {
      const Slot& s = slots[age];
      if (host && s.slot_class != 0 && ((yield >> s.slot_class) & 1u)) continue;
      if (!((turning >> s.stack) & 1u)) continue;
      for (const Arm& a : arms) {
        if ((s.reserved & aau::slot_arm::Reserved::kMask) != 0 && aau::slot_arm::Arm::get(s.reserved) != a.number)
          continue;
        if (a.stack != s.stack || s.head < a.first || s.head > a.last) continue;
        for (std::uint32_t h = 0; h < heads.size(); ++h) {
          if ((a.masked[h] >> s.head) & 1u) continue;
          const std::int64_t target = std::int64_t{s.cylinder} - heads[h].first;
          if (target < 0 || target > stroke) continue;
          const std::int64_t up = target - a.cylinder;
          const bool turns = s.head != a.head;
          std::int64_t move = seek.ticks(static_cast<std::uint32_t>(std::abs(up)));
          if (turns && move < head_switch) move = head_switch;
          if (move < reposition && !(s.write != 0 && ((wrote >> a.number) & 1u))) move = reposition;
          if (s.write != 0 && (up != 0 || turns)) move += settle;
          const std::int64_t start = margin + move;
          const std::int64_t angle = edge / 8 + 1'000 * std::int64_t{s.stack};
          std::int64_t wait = (s.angle + a.angle + heads[h].second - angle - start) % kTurn;
          if (wait < 0) wait += kTurn;
          const std::int64_t time = start + wait;
          std::int64_t key = 0;
          if (policy == Policy::sstf) key = std::abs(up);
          if (policy == Policy::clook) key = up < 0 ? up + (1 << 23) : up;
          if (policy == Policy::sptf) key = time;
          if (policy == Policy::aged_sptf) key = time;
          if (policy == Policy::aged_sptf && s.slot_class == 0)
            key -= ageing * std::max<std::int64_t>(edge / 8 - s.tick, 0) / 1'024;
          const Key whole{key, static_cast<std::int64_t>(age), time, a.number, h};
          if (!best || whole < best->first) best = {whole, {s.number, a.number, h}};
        }
      }
    }
    if (!best) return std::nullopt;
    return best->second;
  }
};

class AauCoreIndex : public ::testing::TestWithParam<Policy> {};
INSTANTIATE_TEST_SUITE_P(Arbiter, AauCoreIndex,
                         ::testing::Values(Policy::fcfs, Policy::sstf, Policy::clook, Policy::sptf, Policy::aged_sptf));

/// With many slots the core does not look at all of them: it must find the same, ties included.
TEST_P(AauCoreIndex, GrantsWhatAScanOfAllCandidatesGrants) {
  std::mt19937_64 random(static_cast<unsigned>(GetParam()) + 1);
  const auto below = [&](std::uint64_t bound) { return static_cast<std::uint32_t>(random() % bound); };
  unsigned grants = 0;
  for (unsigned drive = 0; drive < 40; ++drive) {
    AauShape shape;
    shape.slots = 256;
    AauBench bench(shape);
    Scan scan;
    const std::uint32_t cylinders = drive % 3 == 0 ? 40 : drive % 3 == 1 ? 5'000 : 300'000;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> curve{{1, 500 + below(3'000)}};
    while (curve.size() < 60 && curve.back().first < cylinders) {
      const std::uint32_t rise = below(1'500), fall = below(1'000);
      curve.emplace_back(curve.back().first + 1 + below(cylinders / 30),
                         curve.back().second + rise > fall ? curve.back().second + rise - fall : 0);
    }
    load(scan.seek, curve);
    bench.seek_table(curve);
    const auto set = [&](std::uint32_t offset, std::uint32_t value) {
      bench.write(offset, value);
      return value;
    };
    scan.margin = set(aau::kMargin, below(500));
    scan.head_switch = set(aau::kHeadSwitch, below(6'000));
    scan.settle = set(aau::kWriteSettle, below(6'000));
    scan.reposition = set(aau::kReposition, below(3) == 0 ? below(4'000) : 0);
    scan.ageing = set(aau::kAgeing, std::array{0u, 3u, 64u, 2'000u}[below(4)]);
    scan.stroke = set(aau::kStroke, below(2) == 0 ? cylinders - 1 : cylinders + 40'000);
    scan.turning = drive % 2 == 0 ? 1 : 1 + below(4);
    bench.core.turn(bench.at, scan.turning);
    const std::uint32_t head_count = 1 + below(4);
    bench.write(aau::kLimits, aau::limits::Heads::set(0, head_count - 1));
    for (std::uint32_t h = 0; h < head_count; ++h) {
      const auto offset = h == 0 ? 0 : static_cast<std::int32_t>(below(cylinders)) - static_cast<int>(cylinders / 2);
      scan.heads.emplace_back(offset, below(4) * 0x4000);
      bench.write(aau::kHeadOffset + 4 * h, static_cast<std::uint32_t>(offset));
      bench.write(aau::kHeadAngle + 4 * h, scan.heads.back().second);
    }
    scan.yield = below(16) & ~1u;
    std::vector<bool> used(256);
    for (unsigned round = 0; round < 60; ++round) {
      bench.write(aau::kCtrl, 0);
      const std::size_t depth = std::array<std::size_t, 4>{5, 30, 200, 80}[round / 15];
      while (scan.slots.size() > depth) {
        const std::size_t i = below(scan.slots.size());
        bench.write(aau::kWithdraw, scan.slots[i].number);
        used[scan.slots[i].number] = false;
        scan.slots.erase(scan.slots.begin() + static_cast<std::ptrdiff_t>(i));
      }
      while (scan.slots.size() < depth) {
        bench.at += below(400'000);
        Scan::Slot slot{below(256), below(cylinders), below(4), below(16) * 4'096, 0, 0, 0, 0, 0};
        if (!scan.slots.empty() && below(3) == 0) slot = scan.slots[below(scan.slots.size())];  // equal costs
        while (used[slot.number]) slot.number = below(256);
        slot.write = below(3) == 0;
        slot.slot_class = below(5) == 0 ? 1 + below(3) : 0;
        slot.stack = drive % 2 == 0 ? 0 : below(3);
        slot.reserved = below(6) == 0 ? aau::slot_arm::Reserved::kMask | below(8) : 0;
        bench.write(aau::kSlotArm + 4 * slot.number, slot.reserved);
        const std::int64_t e = bench.commit(
            slot.number, slot.cylinder, slot.head, slot.angle,
            (slot.write != 0 ? aau::slot_commit::Write::kMask : 0) | of_class(slot.slot_class) | stack(slot.stack));
        slot.tick = e / 8;
        used[slot.number] = true;
        scan.slots.push_back(slot);
      }
      scan.arms.clear();
      for (std::uint32_t a = 0; a < 8; ++a) {
        if (below(3) != 0) {
          bench.write(aau::kArm + 4 * a, 0);
          continue;
        }
        Scan::Arm arm{a, below(cylinders), below(4), below(4) * 0x4000, below(drive % 2 == 0 ? 1 : 3), 0, 0xFF, {}};
        if (below(3) == 0) arm.first = below(3);
        if (below(3) == 0) arm.last = 1 + below(3);
        if (below(2) == 0) arm.cylinder = scan.slots[below(scan.slots.size())].cylinder;
        bench.write(aau::kArmMount + 4 * a, aau::arm_mount::Stack::set(arm.angle, arm.stack));
        bench.write(aau::kArmReach + 4 * a, arm.first | arm.last << 8);
        for (unsigned h = 0; h < 4; ++h) {
          arm.masked[h] = below(4) == 0 ? below(16) : 0;
          bench.write(aau::kHeadMask + 16 * a + 4 * h, ~(arm.masked[h] >> arm.first));
        }
        bench.idle(a, arm.cylinder, arm.head);
        scan.arms.push_back(arm);
      }
      scan.wrote = below(256);
      for (std::uint32_t a = 0; a < 8; ++a)
        bench.write(aau::kWrote, aau::wrote::Arm::set(aau::wrote::Held::set(0, scan.wrote >> a & 1u), a));
      bench.at += below(800'000);
      const std::int64_t begin = bench.enable(GetParam(), scan.yield) + 1;
      const auto expected = scan.choose(GetParam(), begin);
      const auto grant = bench.decide();
      ASSERT_EQ(grant.has_value(), expected.has_value()) << "drive " << drive << " round " << round;
      if (!grant) continue;
      ++grants;
      ASSERT_EQ((std::array{grant->slot, grant->arm, grant->head}), *expected) << drive << " " << round;
      bench.acknowledge();
      used[grant->slot] = false;
      scan.slots.erase(std::find_if(scan.slots.begin(), scan.slots.end(),
                                    [&](const Scan::Slot& slot) { return slot.number == grant->slot; }));
    }
  }
  EXPECT_GT(grants, 1'200u);
}

}  // namespace
}  // namespace armature::testing::arbiter_core_scan_test
