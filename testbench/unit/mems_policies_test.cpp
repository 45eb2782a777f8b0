// The arm-arbitration unit's policies of a sled against the queue of a store alone: the same requests, all there when
// the first is chosen, and the same order.
#include "armature/arbiter/sled_cost.h"
#include "armature/core/random.h"
#include "armature/mems/queue_study.h"
#include "support/aau_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace armature::testing {
namespace {

using mems::Layout;
using mems::SledModel;
using mems::SledState;

constexpr unsigned kRequests = 30;

mems::MemsParams store(double settle, bool bidirectional) {
  mems::MemsParams params;
  params.tips.active = 640;
  params.tips.bidirectional = bidirectional;
  params.sled.settle_time_constants = settle;
  params.sled.seek_model = mems::SeekModel::exact;
  return params;
}

/// One sled that stands where the last pass has left it.
class StandingSled final : public arbiter::SledSeeks {
 public:
  explicit StandingSled(const mems::MemsParams& params)
      : bidirectional_(params.tips.bidirectional), layout(params), model(params), at(layout.middle()) {}

  unsigned sleds() const override { return 1; }
  arbiter::SledDeparture departure(unsigned, std::int64_t) const override {
    return {static_cast<std::uint32_t>(at.x + layout.reach_x()), static_cast<std::uint32_t>(at.y - layout.low_y()),
            at.y_speed_nm_s >= 0, units(model.turnaround(at.y, at.y_speed_nm_s)), 0};
  }
  std::int64_t x(std::uint32_t from, std::uint32_t to) const override {
    const std::int32_t middle = layout.reach_x();
    return units(model.x_time(static_cast<std::int32_t>(from) - middle, static_cast<std::int32_t>(to) - middle));
  }
  arbiter::SledWay y(std::uint32_t from, std::uint32_t row, bool up) const override {
    mems::BlockPlace place;
    place.row = row;
    const SledState to = (up ? layout.upwards(place) : layout.downwards(place)).begin;
    SledState leaves = to;
    leaves.y = static_cast<std::int32_t>(from) + layout.low_y();
    leaves.y_speed_nm_s = leaves.y < to.y ? layout.access_nm_s() : -layout.access_nm_s();
    return {units(leaves == to ? 0 : model.time(leaves, to).y), leaves.y < to.y, leaves.y == to.y,
            !up && !bidirectional_};
  }
  void pass(std::uint64_t lbn) {
    const mems::Pass up = layout.upwards(layout.locate(lbn)), down = layout.downwards(layout.locate(lbn));
    const bool upwards = !bidirectional_ || model.time(at, up.begin).total() < model.time(at, down.begin).total();
    at = upwards ? up.end : down.end;
  }

 private:
  static std::int64_t units(Ps t) {
    return static_cast<std::int64_t>((static_cast<__int128>(t) * 65'536 + 999'999) / 1'000'000);
  }
  const bool bidirectional_;

 public:
  const Layout layout;
  const SledModel model;
  SledState at;
};

std::vector<unsigned> by_the_study(const mems::MemsParams& params, mems::Policy policy,
                                   const std::vector<std::uint64_t>& lbns) {
  std::vector<mems::StudyRequest> requests;
  for (std::size_t i = 0; i < lbns.size(); ++i) requests.push_back({static_cast<Ps>(i), lbns[i], 1, false});
  const std::vector<mems::Served> served = mems::QueueStudy(params, policy).run(requests);
  std::vector<unsigned> order(lbns.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return served[a].chosen < served[b].chosen; });
  return order;
}

std::vector<unsigned> by_the_unit(const mems::MemsParams& params, arbiter::Policy policy,
                                  const std::vector<std::uint64_t>& lbns) {
  StandingSled sled(params);
  const arbiter::SledCost cost(sled);
  AauBench bench({}, &cost);
  bench.write(regs::aau::kCtrl,
              regs::aau::ctrl::Zone::set(
                  regs::aau::ctrl::Policy::set(regs::aau::ctrl::Enable::kMask, static_cast<std::uint32_t>(policy)),
                  mems::zone_bits(sled.layout, sled.model)));
  for (unsigned i = 0; i < lbns.size(); ++i) {
    const mems::BlockPlace place = sled.layout.locate(lbns[i]);
    bench.commit(i, place.cylinder, place.track, place.row);
  }
  std::vector<unsigned> order;
  while (order.size() < lbns.size()) {
    bench.idle(0, 0, 0);
    const auto grant = bench.next_grant();
    if (!grant) break;
    order.push_back(grant->slot);
    sled.pass(lbns[grant->slot]);
    bench.acknowledge();
  }
  return order;
}

struct Case {
  const char* name;
  mems::Policy study;
  arbiter::Policy unit;
};
void PrintTo(const Case& one, std::ostream* out) {
  *out << one.name;
}

class MemsPolicies : public ::testing::TestWithParam<Case> {};

TEST_P(MemsPolicies, TheUnitTakesTheOrderOfTheQueueStudy) {
  RandomStream random(11, "mems policies");
  unsigned crossed = 0;  // queues that are not served in the order of SPTF
  for (unsigned round = 0; round < 40; ++round) {
    const mems::MemsParams params = store(round % 4 * 0.5, round % 3 != 0);
    const std::uint64_t blocks = Layout(params).blocks();
    std::vector<std::uint64_t> lbns;
    while (lbns.size() < kRequests)
      lbns.push_back(lbns.empty() || random.below(3) != 0
                         ? random.below(blocks)
                         : (lbns.back() + random.below(20'000)) % blocks);  // near another one
    const std::vector<unsigned> order = by_the_study(params, GetParam().study, lbns);
    EXPECT_EQ(by_the_unit(params, GetParam().unit, lbns), order) << "round " << round;
    crossed += order != by_the_study(params, mems::Policy::sptf, lbns) ? 1 : 0;
  }
  EXPECT_EQ(crossed, GetParam().study == mems::Policy::sptf ? 0u : 40u);
}

INSTANTIATE_TEST_SUITE_P(Policies, MemsPolicies,
                         ::testing::Values(Case{"sptf", mems::Policy::sptf, arbiter::Policy::sptf},
                                           Case{"zsptf", mems::Policy::zsptf, arbiter::Policy::zsptf}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace armature::testing
