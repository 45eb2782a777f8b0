// Random reads of a channel whose reads fail, against a reference that goes from sector to sector.
#include "armature/core/kernel_time.h"
#include "armature/core/random.h"
#include "support/channel_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace armature::channel {
namespace {

/// What must come of a read, sector by sector: angles are whole parts of a turn here.
struct Expected {
  std::vector<Ps> ready;  ///< of each block, in order; empty behind an unreadable one
  std::optional<std::uint32_t> bad;
  Ps over = 0;
  std::uint64_t reads = 0, failed = 0, given_up = 0;
};

struct RandomReads {
  const char* name;
  std::int64_t physical_bytes;
  double margin_db;
  double latency_us, iteration_us;
  double burst_rate = 0;  ///< of flaws of 10,000 bits
};
std::ostream& operator<<(std::ostream& out, const RandomReads& reads) {
  return out << reads.name;
}

class RandomAccesses : public ::testing::TestWithParam<RandomReads> {};

TEST_P(RandomAccesses, EndWhenAndWhereTheReferenceSays) {
  const RandomReads& given = GetParam();
  ChannelSetup s;
  s.off = std::nullopt;
  s.physical_bytes = given.physical_bytes;
  s.contents = true;
  s.params.margin_db = given.margin_db;
  s.params.sector_sigma_db = 0.4;
  s.params.attempt_sigma_db = 0.3;
  s.params.position_error_rms = 0.03;
  s.params.detector_gain_db = {0.4};
  s.params.latency_us = given.latency_us;
  s.params.iteration_us = given.iteration_us;
  s.params.burst_rate = given.burst_rate;
  s.params.burst_bits = 10'000;
  s.ladder = {ChannelSetup::step(2, 0), ChannelSetup::step(0, 9), ChannelSetup::step(1, 0, 1)};
  Bench b{s};
  const ReadProcess process(s.params, static_cast<std::uint32_t>(s.physical_bytes));
  const std::array<std::uint32_t, 4> detector = {0, 0, 0, 1};  // of the first read and the three retries
  const std::uint32_t unit = s.physical_bytes == 512 ? 1 : 8;
  const std::int64_t track = unit == 1 ? 100 : 96;
  const auto angle_time = [&](std::int64_t turn, std::int64_t sector) {
    return (Ps{turn * track + sector} * kTurn + track - 1) / track;  // rounded up
  };
  for (std::uint32_t sector = 0; sector < track; ++sector) {
    const std::vector<std::uint8_t> bytes(512, static_cast<std::uint8_t>(sector + 1));
    b.contents.write(sector, bytes.data());
  }
  const Ps latency = from_us(s.params.latency_us), iteration = from_us(s.params.iteration_us);
  RandomStream random(11, "reads");
  std::uint64_t reads = 0, failed = 0, unreadable = 0, stopped = 0, in_any_order = 0;
  for (int round = 0; round < 600; ++round) {
    run_until(now() + static_cast<Ps>(random.below(kTurn)));
    const auto lba = static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(track)));
    const auto sectors = static_cast<std::uint32_t>(1 + random.below(static_cast<std::uint64_t>(track) - lba));
    // The reference: one physical sector after the other, from the one that comes first if the order is free.
    Expected expected;
    std::vector<std::int64_t> order;
    for (std::int64_t p = lba / unit * unit; p < lba + sectors; p += unit) order.push_back(p);
    const auto next_passage = [&](std::int64_t p, Ps from) {
      std::int64_t turn = from / kTurn;
      while (angle_time(turn, p) < from) ++turn;
      return turn;
    };
    const bool free_order = random.chance(0.3);
    const auto comes_first = std::min_element(order.begin(), order.end(), [&](std::int64_t x, std::int64_t y) {
      return angle_time(next_passage(x, now()), x) < angle_time(next_passage(y, now()), y);
    });
    const bool any_order = free_order && comes_first != order.begin();
    if (any_order) std::rotate(order.begin(), comes_first, order.end());
    Ps decoder = 0, passed = now();
    for (const std::int64_t p : order) {
      if (expected.bad && !any_order) break;
      bool read = false;
      std::int64_t turn = next_passage(p, passed);
      for (std::size_t attempt = 0; attempt < 4 && !read; ++attempt) {
        if (attempt > 0) turn = next_passage(p, std::max(decoder, angle_time(turn + 1, p)));
        const auto result = process.read(static_cast<std::uint64_t>(p), angle_time(turn, p), 0, std::nullopt,
                                         {0, detector[attempt], false});
        passed = angle_time(turn, p + unit);
        decoder = std::max(decoder, passed + latency) + result.iterations * iteration;
        ++expected.reads;
        expected.failed += result.ok ? 0 : 1;
        read = result.ok;
      }
      expected.given_up += read ? 0 : 1;
      const std::int64_t end = std::min<std::int64_t>(p + unit, lba + sectors);
      for (std::int64_t block = std::max<std::int64_t>(p, lba); block < end; ++block) {
        if (read && !any_order) expected.ready.push_back(decoder);
        if (!read) expected.bad = std::min(expected.bad.value_or(sectors), static_cast<std::uint32_t>(block - lba));
      }
    }
    expected.over = decoder;

    b.buffer.ram.fill(0xEE);
    if (free_order) b.bus.write(chn::kMode, chn::mode::AnyOrder::kMask);
    b.go(lba, sectors);
    const bool stop = !any_order && random.chance(0.2);
    in_any_order += any_order ? 1 : 0;
    const Ps look = now() + static_cast<Ps>(random.below(static_cast<std::uint64_t>(expected.over - now())));
    run_until(look);
    const auto come = static_cast<std::uint32_t>(std::upper_bound(expected.ready.begin(), expected.ready.end(), look) -
                                                 expected.ready.begin());
    ASSERT_EQ(b.progress(), come) << lba << "+" << sectors << " at " << look;
    if (stop) {
      ++stopped;
      b.bus.write(chn::kStop, 1);
      run_until(std::max(look, expected.over));
      ASSERT_TRUE(b.over());
      ASSERT_GE(b.progress(), come);
      if (b.error()) {
        ASSERT_TRUE(expected.bad);
      }
    } else {
      b.expect_over_at(expected.over, !expected.bad);
      ASSERT_EQ(b.progress(), expected.bad.value_or(sectors)) << lba << "+" << sectors;
      if (expected.bad) {
        ASSERT_EQ(b.cause(), 5u);
      }
      reads += expected.reads;
      failed += expected.failed;
      unreadable += expected.given_up;
      ASSERT_EQ(b.channel.counters().unreadable, unreadable);
    }
    const std::uint32_t moved = b.progress();
    for (std::uint32_t i = 0; i < sectors; ++i)
      ASSERT_EQ(b.buffer.ram[512 * i], i < moved ? static_cast<std::uint8_t>(lba + i + 1) : 0xEE)
          << i << " of " << moved;
    if (stop) {  // counted up to an unknown place
      unreadable = b.channel.counters().unreadable;
      reads = b.channel.counters().reads;
      failed = b.channel.counters().failed;
    }
    ASSERT_EQ(b.channel.counters().reads, reads);
    ASSERT_EQ(b.channel.counters().failed, failed);
    b.clear();
  }
  EXPECT_GT(failed, 200u);
  EXPECT_GT(unreadable, 10u);
  EXPECT_GT(stopped, 80u);
  EXPECT_GT(in_any_order, 30u);
}

INSTANTIATE_TEST_SUITE_P(Channels, RandomAccesses,
                         ::testing::Values(RandomReads{"immediate", 512, 0.7, 0, 0},
                                           RandomReads{"latency", 512, 0.7, 37, 0},
                                           RandomReads{"slow_decoder", 512, 0.7, 5, 60},
                                           RandomReads{"many_flaws", 512, 3, 0, 0, 0.05},
                                           RandomReads{"physical_4096", 4'096, 0.5, 0, 0},
                                           RandomReads{"physical_4096_decoder", 4'096, 0.5, 20, 300}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace armature::channel
