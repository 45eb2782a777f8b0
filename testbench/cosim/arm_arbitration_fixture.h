#pragma once

#include "cosim/arm_arbitration_bench.h"

#include <gtest/gtest.h>

#include <ostream>

namespace armature::testing {

namespace aau = regs::aau;

inline constexpr std::uint32_t kIdle = aau::arm::Idle::kMask, kValid = aau::slot_commit::Valid::kMask;
inline constexpr int kPipeline = 18;

struct AauGrant {
  bool valid;
  std::uint32_t slot, arm, head, estimate;
};

inline bool operator==(const AauGrant& a, const AauGrant& b) {
  return a.valid == b.valid && a.slot == b.slot && a.arm == b.arm && a.head == b.head && a.estimate == b.estimate;
}
inline std::ostream& operator<<(std::ostream& out, const AauGrant& g) {
  return out << (g.valid ? "slot " : "(none) slot ") << g.slot << " arm " << g.arm << " head " << g.head << " estimate "
             << g.estimate;
}

/// 32 slots, 8 arms, 4 lanes. All stacks turn; angles stand at 2,000 ticks unless `pins.angle` says otherwise. Seek:
/// 100 ticks from the first cylinder, 10 more for each, to 1,100 ticks at 101 cylinders and from there on.
class ArmArbitration : public ::testing::Test {
 protected:
  ArmArbitration() {
    bench.pins.turning = 0xFF;
    bench.pins.angle.fill(2000);
    table(0, 1, 100, 101, 1100, 10);
    bench.write(aau::kInten, 1);
    policy(3);
  }
  void TearDown() override { ASSERT_TRUE(bench.difference.empty()) << bench.difference; }

  void table(unsigned arm_class, std::uint32_t from, std::uint32_t ticks, std::uint32_t to, std::uint32_t last,
             int slope) {
    bench.write(aau::kSeekClass, arm_class);
    bench.write(aau::kSeekEntry, 0);
    const std::int64_t scaled = std::int64_t{slope} << 24;
    bench.write(aau::kSeekDistance, from);
    bench.write(aau::kSeekSlopeLo, static_cast<std::uint32_t>(scaled));
    bench.write(aau::kSeekSlopeHi, static_cast<std::uint32_t>(scaled >> 32) & 0xFF);
    bench.write(aau::kSeekTime, ticks);
    bench.write(aau::kSeekDistance, to);
    bench.write(aau::kSeekSlopeLo, 0);
    bench.write(aau::kSeekSlopeHi, 0);
    bench.write(aau::kSeekTime, last);
    bench.write(aau::kSeekEntries, 2);
  }
  void policy(unsigned number, std::uint32_t yield = 0) {
    bench.write(aau::kCtrl, aau::ctrl::Yield::set(aau::ctrl::Policy::set(aau::ctrl::Enable::kMask, number), yield));
  }
  void arm(unsigned number, std::uint32_t cylinder, std::uint32_t head = 0) {
    bench.write(aau::kArm + 4 * number, kIdle | aau::arm::Head::set(cylinder, head));
  }
  void target(unsigned slot, std::uint32_t cylinder, std::uint32_t head = 0) {
    bench.write(aau::kSlotTarget + 4 * slot, aau::slot_target::Head::set(cylinder, head));
  }
  void commit(unsigned slot, std::uint32_t angle, std::uint32_t bits = 0) {
    bench.write(aau::kSlotCommit + 4 * slot, kValid | angle | bits);
  }
  /// The next grant, and that it is acknowledged.
  AauGrant grant() {
    if (!bench.wait_for_grant(1000)) return {false, 0, 0, 0, 0};
    const std::uint32_t word = bench.read(aau::kGrant);
    const AauGrant g{true, aau::grant::Slot::get(word), aau::grant::Arm::get(word), aau::grant::Head::get(word),
                     bench.read(aau::kEstimate)};
    bench.write(aau::kGrantAck, 1);
    return g;
  }
  static AauGrant granted(std::uint32_t slot, std::uint32_t number, std::uint32_t head, std::uint32_t estimate) {
    return {true, slot, number, head, estimate};
  }
  static constexpr AauGrant kNone{false, 0, 0, 0, 0};
  /// Edges from that of the last write to that at which irq rises.
  int edges_to_irq() {
    int edges = 0;
    while (!bench.irq() && edges < 1000) {
      bench.rest();
      ++edges;
    }
    return edges;
  }

  AauCosim bench{"lanes4"};
};

}  // namespace armature::testing
