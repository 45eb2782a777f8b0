// Every register of the table through the RTL's bus port: reset values, each bit, what is read-only or a pulse, that
// reading changes nothing, and which addresses answer with an error. What is expected comes from the generated table.
#include "cosim/arm_arbitration_bench.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace armature::testing {
namespace {

namespace aau = regs::aau;

class ArmArbitrationRegisters : public ::testing::TestWithParam<const char*> {
 protected:
  AauCosim bench{GetParam()};

  void TearDown() override { ASSERT_TRUE(bench.difference.empty()) << bench.difference; }

  /// Elements of a register that this instance has, by number.
  std::vector<unsigned> elements(const RegisterInfo& r) const {
    const arbiter::AauShape& shape = bench.shape();
    unsigned count = r.count;
    if (r.offset == aau::kArm || r.offset == aau::kArmMount || r.offset == aau::kArmReach) count = shape.arms;
    if (r.offset == aau::kHeadOffset || r.offset == aau::kHeadAngle) count = shape.heads;
    if (r.offset == aau::kHeadMask) count = 4 * shape.arms;
    if (r.offset >= aau::kSlotArm) count = shape.slots;
    std::vector<unsigned> numbers;
    for (unsigned i = 0; i < count; ++i)
      if (r.offset != aau::kHeadMask || i % 4 < shape.heads) numbers.push_back(i);
    return numbers;
  }

  /// Bits that hold what is written, in this instance.
  std::uint32_t kept(const RegisterInfo& r) const {
    const arbiter::AauShape& shape = bench.shape();
    const std::uint32_t no_cylinder = 0x7FFFFF & ~((1u << shape.cyl_bits) - 1);
    const std::uint32_t no_angle = 0xFFFF & ~((1u << shape.angle_bits) - 1);
    std::uint32_t bits = r.writable & r.readable & ~r.pulses;
    if (r.offset == aau::kArm || r.offset == aau::kSlotTarget || r.offset == aau::kStroke) bits &= ~no_cylinder;
    if (r.offset == aau::kArmMount || r.offset == aau::kSlotCommit) bits &= ~no_angle;
    if (r.offset == aau::kHeadAngle) bits &= ~no_angle;
    if (r.offset == aau::kCtrl && shape.cost_model == 0) bits &= ~aau::ctrl::Zone::kMask;
    return bits;
  }

  std::uint32_t after_reset(const RegisterInfo& r) const {
    const arbiter::AauShape& shape = bench.shape();
    if (r.offset == aau::kConfig) return shape.slots | shape.arms << 12 | shape.heads << 16;
    return r.reset & (kept(r) | ~r.writable);
  }

  /// All registers but most of the slots'.
  std::map<std::uint32_t, std::uint32_t> look() {
    std::map<std::uint32_t, std::uint32_t> values;
    for (const RegisterInfo& r : aau::kTable) {
      for (const unsigned i : elements(r)) {
        if (r.offset >= aau::kSlotArm && i > 1 && i + 1 < bench.shape().slots) continue;
        values[r.offset + r.stride * i] = bench.read(r.offset + r.stride * i);
      }
    }
    return values;
  }
};

TEST_P(ArmArbitrationRegisters, HoldTheirResetValues) {
  for (const RegisterInfo& r : aau::kTable) {
    for (const unsigned i : elements(r)) {
      EXPECT_EQ(bench.read(r.offset + r.stride * i), after_reset(r)) << r.name << " " << i;
      EXPECT_FALSE(bench.last_error()) << r.name << " " << i;
    }
  }
}

TEST_P(ArmArbitrationRegisters, KeepEachWritableBit) {
  for (const RegisterInfo& r : aau::kTable) {
    for (const unsigned i : elements(r)) {
      const std::uint32_t offset = r.offset + r.stride * i;
      // Bits of hardware: too_late says what became of the slot that the write named, `wrote` which arms are held.
      const std::uint32_t hardware = r.offset == aau::kWithdraw ? aau::withdraw::TooLate::kMask
                                     : r.offset == aau::kWrote  ? aau::wrote::Arms::kMask
                                                                : 0;
      const std::uint32_t read_only = after_reset(r) & ~kept(r);
      std::vector<std::uint32_t> words{0, 0xFFFFFFFF, 0xA5A5A5A5, 0x5A5A5A5A};
      for (unsigned bit = 0; bit < 32; ++bit) words.push_back(1u << bit);
      for (const std::uint32_t word : words) {
        bench.write(offset, word);
        EXPECT_FALSE(bench.last_error()) << r.name;
        EXPECT_EQ(bench.read(offset) & ~hardware, (word & kept(r)) | read_only) << r.name << " " << i << " " << word;
      }
      bench.write(offset, r.offset == aau::kSlotCommit ? 0 : after_reset(r));
    }
  }
}

TEST_P(ArmArbitrationRegisters, WritesReachNoOtherRegister) {
  for (const RegisterInfo& r : aau::kTable) {
    for (const unsigned i : {0u, elements(r).back()}) {
      bench.reset();
      // One arm is idle and at rest, two slots wait; nothing is enabled, so what changes is the write's.
      bench.write(aau::kArm, aau::arm::Idle::kMask | 1);
      bench.write(aau::kSlotCommit + 4, aau::slot_commit::Valid::kMask);
      const std::uint32_t offset = r.offset + r.stride * i;
      std::map<std::uint32_t, std::uint32_t> expected = look();
      const std::uint32_t word = r.offset == aau::kCtrl ? 0xFE : 0xFFFFFFFF & ~(r.offset == aau::kWithdraw ? 1u : 0u);
      bench.write(offset, word);
      expected[offset] = (word & kept(r)) | (after_reset(r) & ~kept(r));
      if (r.offset == aau::kSeekTime) expected[aau::kSeekEntry] = 1;
      if (r.offset == aau::kWithdraw) expected[offset] |= aau::withdraw::TooLate::kMask;  // there is no slot 1,022
      if (r.offset == aau::kSeekClass) expected[aau::kSeekEntries] = 0;
      if (r.offset == aau::kWrote) expected[offset] = bench.shape().arms == 8 ? 0x80 : 0;  // arm 7 is held
      EXPECT_EQ(look(), expected) << r.name << " " << i;
    }
  }
}

TEST_P(ArmArbitrationRegisters, WroteIsToldArmByArm) {
  std::uint32_t held = 0;
  for (const std::uint32_t arm : {0u, 3u, 1u, 7u, 2u}) {
    bench.write(aau::kWrote, aau::wrote::Arm::set(aau::wrote::Held::kMask, arm));
    if (arm < bench.shape().arms) held |= 1u << arm;
    EXPECT_EQ(bench.read(aau::kWrote), held);
  }
  for (const std::uint32_t arm : {1u, 7u, 0u}) {
    bench.write(aau::kWrote, aau::wrote::Arm::set(0, arm));
    held &= ~(1u << arm);
    EXPECT_EQ(bench.read(aau::kWrote), held);
  }
}

TEST_P(ArmArbitrationRegisters, ReadingChangesNothing) {
  // In the middle of everything: a pending grant, waiting slots, arms at work.
  bench.pins.turning = 0xFF;
  for (unsigned slot = 0; slot < 2; ++slot) bench.write(aau::kSlotCommit + 4 * slot, aau::slot_commit::Valid::kMask);
  bench.write(aau::kArm, aau::arm::Idle::kMask);
  bench.write(aau::kArm + 4, aau::arm::Idle::kMask);
  bench.write(aau::kInten, 1);
  bench.write(aau::kCtrl, aau::ctrl::Enable::kMask);
  ASSERT_TRUE(bench.wait_for_grant());
  const std::map<std::uint32_t, std::uint32_t> before = look();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(look(), before);
    EXPECT_TRUE(bench.irq());
  }
  EXPECT_NE(before.at(aau::kGrant) & aau::grant::Valid::kMask, 0u);
}

TEST_P(ArmArbitrationRegisters, EveryOtherAddressIsAnError) {
  std::vector<bool> there(0x10000, false);
  for (const RegisterInfo& r : aau::kTable)
    for (const unsigned i : elements(r)) there[r.offset + r.stride * i] = true;
  unsigned errors = 0;
  for (std::uint32_t offset = 0; offset < 0x10000; ++offset) {
    const std::uint32_t value = bench.read(offset);
    ASSERT_EQ(bench.last_error(), !there[offset]) << offset;
    if (!bench.last_error()) continue;
    ++errors;
    ASSERT_EQ(value, 0u) << offset;
    bench.write(offset, 0xFFFFFFFF);
    ASSERT_TRUE(bench.last_error()) << offset;
  }
  EXPECT_GT(errors, 0u);
  for (const RegisterInfo& r : aau::kTable)  // and nothing of that was written anywhere
    for (const unsigned i : elements(r)) ASSERT_EQ(bench.read(r.offset + r.stride * i), after_reset(r)) << r.name;
}

INSTANTIATE_TEST_SUITE_P(Instances, ArmArbitrationRegisters,
#ifdef ARMATURE_AAU_MUTANT
                         ::testing::Values("lanes4", "narrow"),
#else
                         ::testing::Values("lanes4", "slots256", "narrow", "small"),
#endif
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace armature::testing
