#pragma once

#include "cosim/channel_arbiter_bench.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>

namespace armature::testing {

/// A word for `request`.
inline std::uint32_t request_word(std::uint32_t angle, std::uint32_t stack, bool valid = true) {
  return regs::cha::request::Stack::set(angle, stack) | (valid ? regs::cha::request::Valid::kMask : 0);
}

/// Random transfers, most of them such as lead to decisions, until `decisions` of them have been made.
template <class Verilated>
void run_random(const arbiter::ChannelArbiterCore::Shape& shape, unsigned seed, std::uint64_t decisions,
                const std::function<void()>& at_end = {}) {
  ChannelArbiterCosim<Verilated> bench(shape, seed);
  std::mt19937 random(seed);
  const auto below = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const auto any_offset = [&] { return below(8) ? 4 * below(0x18) : below(0x10000); };
  while (bench.decisions < decisions && bench.difference.empty()) {
    // Angles creep, and at times jump; few bits make ties.
    for (std::uint32_t& angle : bench.angles) angle = below(64) ? angle + below(3) : random();
    switch (below(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4: {
        const bool coarse = below(2) != 0;  // ties
        bench.write(regs::cha::kRequest + 4 * below(shape.arms + (below(16) == 0)),
                    request_word(coarse ? below(4) : random() & 0xFFFF, below(below(2) ? 2 : 8), below(8) != 0));
        break;
      }
      case 5:
      case 6:
      case 7:
        bench.write(regs::cha::kFree, below(shape.channels + (below(8) == 0)));
        break;
      case 8:
      case 9:
      case 10:
        if (bench.core.granted()) bench.write(regs::cha::kGrantAck, below(16) != 0);
        break;
      case 11:
        if (below(8) == 0)
          bench.write(regs::cha::kCtrl, regs::cha::ctrl::Policy::set(below(8) != 0, below(2)) |
                                            (below(32) == 0 ? regs::cha::ctrl::Clear::kMask : 0));
        else
          bench.write(regs::cha::kInten, below(2));
        break;
      case 12:
        if (below(4) == 0) bench.write(regs::cha::kMargin, below(2) ? below(8) : random());
        break;
      case 13:
        if (below(4) == 0) bench.write(any_offset(), random());
        break;
      case 14:
        bench.read(any_offset());
        break;
      default:
        for (std::uint32_t rests = below(8); rests > 0; --rests) bench.rest(any_offset());
    }
  }
  if (at_end) at_end();
  EXPECT_EQ(bench.difference, "");
  EXPECT_GE(bench.decisions, decisions);
  ::testing::Test::RecordProperty("clocks", std::to_string(bench.clocks));
}

}  // namespace armature::testing
