#include "Vaau_netlist.h"
#include "Vaau_rtl.h"
#include "Vcha_netlist.h"
#include "Vcha_rtl.h"

#include "rtl/twin.h"

#include "armature/regs/aau.h"
#include "armature/regs/cha.h"

#include <gtest/gtest.h>

namespace armature::testing {
namespace {

namespace aau = regs::aau;
namespace cha = regs::cha;

constexpr std::uint64_t kClocks = 500'000;

// The arm-arbitration unit with 4 slots, 2 arms, 2 heads, 2 stacks, 2 classes of 4 seek entries ([netlist.aau]).
TEST(Netlist, OfTheArmArbitrationUnitAgreesWithItsRtl) {
  Twin<Vaau_rtl, Vaau_netlist> twin(1);
  std::uint64_t angle = 0, tick = 0;
  std::uint32_t turning = 3;
  const auto inputs = [&](auto& unit) {
    unit.angle = static_cast<std::uint16_t>(angle);
    unit.tick = static_cast<std::uint16_t>(tick);
    unit.turning = static_cast<std::uint8_t>(turning);
  };
  const auto pass = [&] {
    if (twin.below(4) == 0) tick = (tick + 1) & 0xFFFF;
    if (twin.below(4) == 0) angle = twin.random() & 0xFFF;
    if (twin.below(4'000) == 0) turning = twin.below(4);
    if (twin.below(200) == 0) turning = 3;
  };
  const auto write = [&](std::uint32_t offset, std::uint32_t word) {
    pass();
    twin.transfer(true, offset, word, inputs);
  };
  const auto seek_tables = [&] {
    for (std::uint32_t arm_class = 0; arm_class < 2; ++arm_class) {
      write(aau::kSeekClass, arm_class);
      write(aau::kSeekEntry, 0);
      for (std::uint32_t i = 0; i < 4; ++i) {
        write(aau::kSeekDistance, 1 + i * (5 + twin.below(20)));
        write(aau::kSeekSlopeLo, twin.random());
        write(aau::kSeekSlopeHi, twin.below(4) == 0 ? 0xFF : twin.below(4));
        write(aau::kSeekTime, 3 * i + twin.below(40));
      }
      write(aau::kSeekEntries, 1 + twin.below(4));
    }
  };
  const auto enable = [&] {
    const std::uint32_t word = aau::ctrl::Policy::set(aau::ctrl::Enable::kMask, twin.below(6));
    write(aau::kCtrl, aau::ctrl::Yield::set(word, twin.below(4) == 0 ? twin.below(16) : 0));
    write(aau::kInten, 1);
    // What writes to anywhere have left, and would seldom have a winner.
    write(aau::kStroke, 127);
    write(aau::kArmMask, 3);
    for (std::uint32_t i = 0; i < 2; ++i) {
      write(aau::kHeadOffset + 4 * i, twin.below(8));
      write(aau::kArmReach + 4 * i, aau::arm_reach::Last::set(0, 0xFF));
    }
  };
  seek_tables();
  enable();
  const auto any_offset = [&] {
    switch (twin.below(4)) {
      case 0:
        return 4 * twin.below(0x40);
      case 1:
        return 0x2000 * (1 + twin.below(3)) + 4 * twin.below(6);
      case 2:
        return 4 * twin.below(0x80);
      default:
        return twin.below(0x10000);
    }
  };
  while (twin.clocks < kClocks && twin.difference.empty()) {
    switch (twin.below(18)) {
      case 0:
      case 1:
      case 2: {
        const std::uint32_t slot = 4 * twin.below(4);
        if (twin.below(3) == 0) write(aau::kSlotArm + slot, twin.below(4) == 0 ? 8u | twin.below(4) : 0);
        write(aau::kSlotTarget + slot, aau::slot_target::Head::set(twin.below(128), twin.below(4)));
        std::uint32_t word = aau::slot_commit::Angle::set(twin.random() & 0x1FFFF, twin.below(64));
        word = aau::slot_commit::SlotClass::set(word, twin.below(3) == 0 ? twin.below(4) : 0);
        word = aau::slot_commit::Stack::set(word, twin.below(2));
        write(aau::kSlotCommit + slot, word | (twin.below(8) ? aau::slot_commit::Valid::kMask : 0));
        break;
      }
      case 3:
      case 4:
        write(aau::kArm + 4 * twin.below(2),
              aau::arm::Head::set(twin.below(128), twin.below(4)) | (twin.below(8) ? aau::arm::Idle::kMask : 0));
        break;
      case 5:
        if (twin.rtl.irq) write(aau::kGrantAck, 1);
        break;
      case 6:
        if (twin.below(8) == 0) {
          write(aau::kArmMount + 4 * twin.below(2),
                aau::arm_mount::Stack::set(twin.below(64), twin.below(2)) | (twin.below(2) << 19));
          write(aau::kHeadOffset + 4 * twin.below(2), twin.below(16) == 0 ? twin.random() : twin.below(8));
          write(aau::kHeadAngle + 4 * twin.below(2), twin.random());
          for (std::uint32_t i = 0; i < 4; ++i)
            write(aau::kHeadMask + 16 * (i / 2) + 4 * (i % 2), twin.below(6) == 0 ? twin.random() : ~0u);
          write(aau::kLimits, twin.below(4) == 0 ? twin.below(0x400) : 0x100 * twin.below(2));
          write(aau::kAgeing, twin.below(2'000));
          for (const std::uint32_t offset : {aau::kMargin, aau::kReposition, aau::kHeadSwitch, aau::kWriteSettle})
            write(offset, twin.below(70));
        }
        break;
      case 7:
        if (twin.below(16) == 0) seek_tables();
        if (twin.below(8) == 0) enable();
        break;
      case 8:
        if (twin.below(8) == 0) write(any_offset(), twin.random());
        if (twin.below(64) == 0) enable();
        break;
      case 9:
        write(aau::kWithdraw, twin.below(5));
        if (twin.below(4) == 0) write(aau::kArrived, twin.below(4));
        break;
      case 10:
        pass();
        twin.transfer(false, any_offset(), 0, inputs);
        break;
      default:  // a decision takes 26 clocks at most
        for (std::uint32_t rests = 10 + twin.below(25); rests > 0; --rests) {
          pass();
          twin.clock(inputs);
        }
    }
  }
  EXPECT_EQ(twin.difference, "");
  EXPECT_GE(twin.clocks, kClocks);
  EXPECT_GT(twin.grants, 1'000u);
  RecordProperty("grants", std::to_string(twin.grants));
}

// The channel arbiter with all that it can have ([netlist.cha]).
TEST(Netlist, OfTheChannelArbiterAgreesWithItsRtl) {
  Twin<Vcha_rtl, Vcha_netlist> twin(1);
  std::array<std::uint32_t, 4> angles{};
  const auto inputs = [&](auto& unit) {
    for (std::size_t i = 0; i < angles.size(); ++i) unit.angle[i] = angles[i];
  };
  const auto write = [&](std::uint32_t offset, std::uint32_t word) {
    for (std::uint32_t& word_of_two : angles) word_of_two = twin.random();
    twin.transfer(true, offset, word, inputs);
  };
  write(cha::kInten, 1);
  while (twin.clocks < kClocks && twin.difference.empty()) {
    switch (twin.below(8)) {
      case 0:
      case 1:
        write(cha::kRequest + 4 * twin.below(8), (twin.random() & 0x7FFFF) | (twin.below(8) ? 1u << 31 : 0));
        break;
      case 2:
      case 3:
        write(cha::kFree, twin.below(8));
        break;
      case 4:
        write(cha::kGrantAck, 1);
        break;
      case 5:
        if (twin.below(8) == 0) write(cha::kCtrl, cha::ctrl::Policy::set(twin.below(16) != 0, twin.below(2)));
        if (twin.below(32) == 0) write(twin.below(2) ? 4 * twin.below(0x20) : twin.below(0x10000), twin.random());
        write(cha::kInten, 1);
        break;
      case 6:
        twin.transfer(false, twin.below(8) ? 4 * twin.below(0x20) : twin.below(0x10000), 0, inputs);
        break;
      default:
        for (std::uint32_t rests = twin.below(12); rests > 0; --rests) twin.clock(inputs);
    }
  }
  EXPECT_EQ(twin.difference, "");
  EXPECT_GE(twin.clocks, kClocks);
  EXPECT_GT(twin.grants, 1'000u);
  RecordProperty("grants", std::to_string(twin.grants));
}

}  // namespace
}  // namespace armature::testing
