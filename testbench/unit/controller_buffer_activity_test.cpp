// The buffer RAM is active while anybody moves data, whoever says so first and whatever is taken back.
#include "armature/controller/buffer_activity.h"
#include "armature/core/kernel_time.h"
#include "armature/core/random.h"

#include "support/run_until.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace armature::testing {
namespace {

/// A sink that wants everything, and knows what was announced and not taken back.
class Announcements final : public StateSink {
 public:
  explicit Announcements(bool wants) : wants_(wants) {}
  Id declare(const StatefulComponent&) override {
    declared = true;
    return 0;
  }
  void enter(Id, unsigned state, Ps at) override {
    ASSERT_GE(at, now());
    states_.erase(states_.upper_bound(at), states_.end());
    states_[at] = state;
    ++entered;
  }
  bool wants(const std::string& path) const override { return wants_ && path == "buf"; }
  unsigned state(Ps t) const {
    const auto after = states_.upper_bound(t);
    return after == states_.begin() ? 0 : std::prev(after)->second;
  }
  bool declared = false;
  unsigned entered = 0;

 private:
  const bool wants_;
  std::map<Ps, unsigned> states_;
};

TEST(BufferActivity, IsThatOfAnyChannelOrTheLinkAtEachInstant) {
  Announcements sink(true);
  controller::BufferActivity activity;
  activity.declare(&sink, "buf");
  ASSERT_TRUE(sink.declared);
  RandomStream random(11, "activity");
  constexpr Ps kEnd = 20'000;
  std::vector<std::vector<char>> moves(4, std::vector<char>(kEnd + 400, 0));
  std::vector<char> link(kEnd + 400, 0);
  for (Ps t = 0; t < kEnd;) {
    const auto channel = static_cast<unsigned>(random.below(moves.size()));
    std::vector<char>& of = moves[channel];
    switch (random.below(4)) {
      case 0:
      case 1: {
        const Ps begin = t + static_cast<Ps>(random.below(100)), end = begin + static_cast<Ps>(random.below(200));
        for (Ps i = begin; i < end; ++i) of[static_cast<std::size_t>(i)] = 1;
        activity.media_moves(channel, begin, end);
        break;
      }
      case 2: {
        const Ps end = t + static_cast<Ps>(random.below(50));
        for (Ps i = end; i < kEnd + 400; ++i) of[static_cast<std::size_t>(i)] = 0;
        activity.media_stops(channel, end);
        break;
      }
      default:
        const bool on = random.chance(0.5);
        for (Ps i = t; i < kEnd + 400; ++i) link[static_cast<std::size_t>(i)] = on;
        activity.link_moves(on);
        break;
    }
    const Ps next = t + static_cast<Ps>(random.below(60));
    for (; t < next; ++t) {
      unsigned expected = static_cast<unsigned>(link[static_cast<std::size_t>(t)]);
      for (const auto& each : moves) expected |= static_cast<unsigned>(each[static_cast<std::size_t>(t)]);
      ASSERT_EQ(sink.state(t), expected) << t;
    }
    run_until(t);
  }
}

/// Such as a read of many sectors with retries. Each is told once, whatever is known of the time before it.
TEST(BufferActivity, StretchesBehindEachOtherAreToldOnceEach) {
  Announcements sink(true);
  controller::BufferActivity activity;
  activity.declare(&sink, "buf");
  for (unsigned i = 0; i < 20'000; ++i) activity.media_moves(0, i * 10, i * 10 + 4);
  EXPECT_LE(sink.entered, 2 * 20'000u + 2);
  EXPECT_EQ(sink.state(123'453), 1u);
  EXPECT_EQ(sink.state(123'454), 0u);
  activity.media_stops(0, 100'001);
  EXPECT_EQ(sink.state(100'000), 1u);
  EXPECT_EQ(sink.state(100'001), 0u);
  EXPECT_EQ(sink.state(123'453), 0u);
}

TEST(BufferActivity, SaysNothingToASinkThatCountsNoEnergy) {
  Announcements sink(false);
  controller::BufferActivity activity;
  activity.declare(&sink, "buf");
  activity.media_moves(0, 0, 100);
  activity.link_moves(true);
  EXPECT_FALSE(sink.declared);
  EXPECT_EQ(sink.state(50), 0u);
}

}  // namespace
}  // namespace armature::testing
