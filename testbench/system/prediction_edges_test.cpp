// Predictions at the edge: an access is made at every phase of a turn, 0.8 us apart, so that its sector passes just
// before the arm is ready, within what the arbitration unit leaves for the handlers, and behind it. Neither a turn late
// nor a turn soon, whether the arm has to settle anew (seek.reposition_ms) or is held for writing by the write before.
#include "support/drive_bench.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ostream>
#include <vector>

namespace armature::testing {
namespace {

constexpr Ps kTurn = 10 * kPsPerMs;
constexpr Ps kTick = kTurn / 65'536 + 1;
constexpr std::uint64_t kHome = 20 * 200 + 10;  // cylinder 20, head 0

struct Case {
  const char* name;
  bool wrote, write;
  std::uint64_t lbn;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class PredictionEdges : public ::testing::TestWithParam<Case> {};

workload::Request request(bool write, Ps at, std::uint64_t lbn) {
  return write ? write_request(at, lbn, 8) : read_request(at, lbn, 8);
}

TEST_P(PredictionEdges, NoPhaseOfATurnComesSoonerOrLater) {
  constexpr Ps kStep = 800'000, kPair = 6 * kTurn;
  const Case& c = GetParam();
  std::vector<workload::Request> requests;
  for (Ps phase = 0; phase < kTurn; phase += kStep) {
    const Ps at = static_cast<Ps>(requests.size() / 2 + 1) * kPair;
    requests.push_back(request(c.wrote, at, kHome));
    requests.push_back(request(c.write, at + kPair / 2 + phase, c.lbn));
  }
  BenchParams params;
  params.drive = round_drive();
  params.drive.seek.reposition_ms = 2;
  ListSource source(requests);
  DriveBench bench("bench", params, source);
  bench.keep = false;
  unsigned seen = 0, wrong = 0, no_data = 0;
  bench.on_completed = [&](const observe::CompletedRequest& done) {
    const observe::RequestRecord& r = done.record;
    if (r.id % 2 == 0) return;
    ++seen;
    if (std::llabs(r.positioning - r.predicted_positioning) <= kTick) return;
    if (r.miss_cause == observe::MissCause::late_data) {
      ++no_data;
      return;
    }
    if (++wrong <= 3)
      ADD_FAILURE() << "phase " << (r.arrival - kPair / 2) % kPair / 1'000'000.0 << " us: predicted "
                    << to_ms(r.predicted_positioning) << " ms, was " << to_ms(r.positioning) << " ms";
  };
  bench.run();
  EXPECT_EQ(seen, requests.size() / 2);
  EXPECT_EQ(wrong, 0u);
  // Where the arm need not move, a write waits for what the host sends, which takes some 20 us.
  const bool rests = c.wrote && c.write && c.lbn == kHome + 40;
  EXPECT_LE(no_data, rests ? 40u : 0u);
}

constexpr std::uint64_t kOtherHead = 20 * 200 + 100 + 40, kFarAway = 90 * 200 + 50;

INSTANTIATE_TEST_SUITE_P(Moves, PredictionEdges,
                         ::testing::Values(Case{"WriteBehindWriteOnTheTrack", true, true, kHome + 40},
                                           Case{"WriteBehindWriteOtherHead", true, true, kOtherHead},
                                           Case{"WriteBehindWriteFarAway", true, true, kFarAway},
                                           Case{"WriteBehindReadOtherHead", false, true, kOtherHead},
                                           Case{"WriteBehindReadFarAway", false, true, kFarAway},
                                           Case{"ReadBehindWriteOnTheTrack", true, false, kHome + 40},
                                           Case{"ReadBehindWriteFarAway", true, false, kFarAway},
                                           Case{"ReadBehindReadOnTheTrack", false, false, kHome + 40}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace armature::testing
