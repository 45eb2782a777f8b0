// The RAM's bandwidth, shared by media and link: exact ends of frames, by hand and against small steps.
#include "armature/controller/buffer_bandwidth.h"
#include "armature/core/random.h"

#include <gtest/gtest.h>
#include <systemc>

#include <algorithm>
#include <cmath>
#include <vector>

namespace armature::testing {
namespace {

using controller::BufferBandwidth;

class Link final : public sata::PacedLink {
 public:
  unsigned changes = 0;
  void pace_changed() override { ++changes; }
};

constexpr std::int64_t kMB = 1'000'000;
constexpr Ps kUs = kPsPerUs;

TEST(BufferBandwidth, LeavesAFastLinkItsRateIfItIsFaster) {
  Link link;
  BufferBandwidth ram(300 * kMB);
  ram.start(link, 7, 27'306'667, 8'192);
  EXPECT_EQ(ram.over(), 7 + 27'306'667) << "8,192 bytes need 27,306,667 ps of 300 MB/s";
  ram.finish();
  BufferBandwidth slower(299 * kMB);
  slower.start(link, 7, 27'306'667, 8'192);
  EXPECT_EQ(slower.over(), 7 + 27'397'994) << "8,192 / 299, rounded up";
}

TEST(BufferBandwidth, GivesTheMediaTheirsFirst) {
  Link link;
  BufferBandwidth ram(100 * kMB);
  // 10,000 bytes: 20 us at 100 MB/s are 2,000 of them, 50 us beside 40 MB/s are 3,000, and 50 us more the rest.
  ram.media_moves(0, 30 * kUs, 80 * kUs, 40 * kMB);
  ram.start(link, 10 * kUs, 1 * kUs, 10'000);
  EXPECT_EQ(ram.over(), 130 * kUs);
  EXPECT_EQ(link.changes, 0u);
}

TEST(BufferBandwidth, AStopEndsWhatIsAnnouncedForLaterToo) {
  Link link;
  BufferBandwidth ram(100 * kMB);
  ram.media_moves(0, 20 * kUs, 40 * kUs, 60 * kMB);  // a retry comes later: between the two the RAM is free
  ram.media_moves(0, 60 * kUs, 80 * kUs, 60 * kMB);
  ram.media_moves(1, 90 * kUs, 95 * kUs, 20 * kMB);
  ram.start(link, 0, 1 * kUs, 10'000);
  EXPECT_EQ(ram.over(), 125 * kUs);  // 1,200 and 1,200 bytes less, then 100
  ram.media_stops(0, 30 * kUs);      // 600 less, and the other channel's 100
  EXPECT_EQ(link.changes, 1u);
  EXPECT_EQ(ram.over(), 107 * kUs);
  ram.finish();
}

TEST(BufferBandwidth, TellsTheLinkWhatChangesInMidFrame) {
  Link link;
  BufferBandwidth ram(100 * kMB);
  ram.start(link, 0, 1 * kUs, 10'000);
  EXPECT_EQ(ram.over(), 100 * kUs);
  ram.media_moves(0, 20 * kUs, 500 * kUs, 60 * kMB);  // 2,000 bytes before it, then 8,000 at 40 MB/s
  EXPECT_EQ(link.changes, 1u);
  EXPECT_EQ(ram.over(), 220 * kUs);
  ram.media_stops(0, 120 * kUs);  // 4,000 at 40 MB/s, then 4,000 at 100 MB/s
  EXPECT_EQ(link.changes, 2u);
  EXPECT_EQ(ram.over(), 160 * kUs);
  ram.media_stops(0, 130 * kUs);  // later than it ends: nothing new
  EXPECT_EQ(ram.over(), 160 * kUs);
  ram.finish();
  ram.media_moves(0, 300 * kUs, 400 * kUs, 60 * kMB);
  EXPECT_EQ(link.changes, 2u) << "no frame is under way";
}

TEST(BufferBandwidth, SharesAmongSeveralChannels) {
  Link link;
  BufferBandwidth ram(100 * kMB);
  ram.media_moves(0, 0, 100 * kUs, 30 * kMB);
  ram.media_moves(1, 50 * kUs, 150 * kUs, 30 * kMB);
  ram.media_moves(2, 50 * kUs, 60 * kUs, 40 * kMB);  // all three: nothing is left
  ram.start(link, 0, 1 * kUs, 10'000);
  // 3,500 to 50 us, none to 60, 1,600 to 100, 3,500 to 150, 1,400 at 100 MB/s.
  EXPECT_EQ(ram.over(), 164 * kUs);
  ram.media_stops(1, 120 * kUs);  // 1,600 to 100 us, 1,400 to 120, 3,500 more
  EXPECT_EQ(ram.over(), 155 * kUs);
}

TEST(BufferBandwidth, AgreesWithSmallSteps) {
  RandomStream random(1, "bandwidth");
  for (int round = 0; round < 200; ++round) {
    const auto limit = static_cast<std::int64_t>(50 * kMB + random.below(200 * kMB));
    const auto line = static_cast<Ps>(20 * kUs + random.below(20 * kUs));
    const std::uint32_t bytes = 512 * (1 + static_cast<std::uint32_t>(random.below(16)));
    struct Media {
      Ps begin, end;
      std::int64_t rate;
    };
    std::vector<Media> media;
    BufferBandwidth ram(limit);
    for (unsigned channel = 0; channel < 3; ++channel) {
      for (Ps t = static_cast<Ps>(random.below(30 * kUs)); t < 200 * kUs;) {
        const Ps end = t + static_cast<Ps>(random.below(40 * kUs));
        media.push_back({t, end, static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(limit) / 3))});
        ram.media_moves(channel, t, end, media.back().rate);
        t = end + static_cast<Ps>(random.below(20 * kUs));
      }
    }
    const auto begin = static_cast<Ps>(random.below(50 * kUs));
    Link link;
    ram.start(link, begin, line, bytes);
    // Steps of 1 ns; a change inside of one shifts the end by less than it.
    double moved = 0;
    Ps t = begin;
    for (constexpr Ps kStep = 1'000; moved < bytes; t += kStep) {
      double free = static_cast<double>(limit);
      for (const Media& m : media)
        if (m.begin <= t && t < m.end) free -= static_cast<double>(m.rate);
      moved += std::min(static_cast<double>(bytes) / static_cast<double>(line), free / 1e12) * kStep;
    }
    EXPECT_NEAR(static_cast<double>(ram.over()), static_cast<double>(t), 20'000) << round;
  }
}

}  // namespace
}  // namespace armature::testing
