#include "armature/sata/link.h"

#include "support/frame_station.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

namespace armature::sata {
namespace {

using testing::FrameStation;

/// The rules of docs/guide/link-and-host.md once more, as a recurrence over whole frames instead of events.
struct Reference {
  struct Offer {
    Ps at;
    std::uint32_t payload;
  };
  double dword_ps;
  Ps latency;
  std::deque<Offer> offers[2];  // host, drive
  std::vector<Ps> arrivals[2];  // at the drive, at the host

  Ps dwords(std::uint32_t n) const { return static_cast<Ps>(std::ceil(n * dword_ps - 1e-6)); }

  void run() {
    Ps ready[2] = {0, 0};  // the sender has its last frame back
    Ps free[2] = {0, 0};   // the link allows its X_RDY
    while (!offers[0].empty() || !offers[1].empty()) {
      Ps xrdy[2];
      for (int side : {0, 1})
        xrdy[side] = offers[side].empty() ? std::numeric_limits<Ps>::max() / 2
                                          : std::max({offers[side].front().at, ready[side], free[side]});
      const int sender = xrdy[0] + dwords(1) + latency <= xrdy[1] ? 0 : 1;
      std::uint32_t n = offers[sender].front().payload + 3;
      n += 2 * (n / 254);
      const Ps start = xrdy[sender];
      arrivals[sender].push_back(start + dwords(n + 2) + 3 * latency);
      ready[sender] = start + dwords(n + 4) + 4 * latency;
      free[sender] = start + dwords(n + 5) + 4 * latency;
      free[1 - sender] = start + dwords(n + 5) + 5 * latency;
      offers[sender].pop_front();
    }
  }
};

class RandomTraffic : public ::testing::TestWithParam<std::tuple<double, int>> {};

TEST_P(RandomTraffic, EveryFrameArrivesWhenTheRulesSay) {
  const auto [rate, load] = GetParam();
  LinkParams params;
  params.rate_gbps = rate;
  params.phy_latency_ns = 137;
  Link link("link", params, {});
  FrameStation host("host"), drive("drive");
  host.to_link.bind(link.from_host);
  link.to_host.bind(host.from_link);
  drive.to_link.bind(link.from_drive);
  link.to_drive.bind(drive.from_link);

  Reference reference{40'000 / rate, 137'000, {}, {}};
  std::mt19937_64 random(load);
  for (int side : {0, 1}) {
    Ps at = 0;
    for (int i = 0; i < 3'000; ++i) {
      // Bursts and pauses of the order of a handshake, so that collisions are frequent.
      at += random() % 4 == 0 ? static_cast<Ps>(random() % static_cast<unsigned>(load)) : 0;
      FrameStation& station = side == 0 ? host : drive;
      if (random() % 4 == 0) {
        const auto bytes = static_cast<std::uint32_t>(4 + random() % 2'048 * 4);
        station.send_data_at(at, bytes);
        reference.offers[side].push_back({at, 1 + bytes / 4});
      } else {
        station.send_at(at, SetDeviceBits{});
        reference.offers[side].push_back({at, 2});
      }
    }
  }
  reference.run();
  sc_core::sc_start();

  ASSERT_EQ(drive.arrivals.size(), 3'000u);
  ASSERT_EQ(host.arrivals.size(), 3'000u);
  for (std::size_t i = 0; i < 3'000; ++i) {
    ASSERT_EQ(drive.arrivals[i].at, reference.arrivals[0][i]) << "frame " << i << " to the drive";
    ASSERT_EQ(host.arrivals[i].at, reference.arrivals[1][i]) << "frame " << i << " to the host";
  }
  EXPECT_GT(link.counters().collisions, 100u) << "the traffic must exercise the rule";
  EXPECT_EQ(link.counters().frames, 6'000u);
}

INSTANTIATE_TEST_SUITE_P(Loads, RandomTraffic,
                         ::testing::Combine(::testing::Values(1.5, 3.0, 6.0),
                                            ::testing::Values(2'000'000, 20'000'000, 100'000'000)));

}  // namespace
}  // namespace armature::sata
