#include "armature/host/dispatch_policy.h"

#include "armature/core/error.h"
#include "armature/core/random.h"
#include "support/host_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <list>

namespace armature::host {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using testing::request;
using testing::TestOracle;
using workload::Request;

std::unique_ptr<DispatchPolicy> make(Policy policy, const PositionOracle& oracle = {}, double weight = 0.006) {
  HostParams params;
  params.policy = policy;
  params.ageing_weight = weight;
  return make_policy(params, oracle);
}

void add(DispatchPolicy& policy, std::initializer_list<std::uint64_t> lbns, Ps arrival = 0) {
  for (const std::uint64_t lbn : lbns) policy.add(request(arrival, lbn));
}

std::vector<std::uint64_t> take_all(DispatchPolicy& policy, Ps at = 0) {
  std::vector<std::uint64_t> lbns;
  while (policy.size() > 0) lbns.push_back(policy.take(at).lbn);
  return lbns;
}

TEST(Policy, FcfsKeepsTheOrderOfArrival) {
  const auto policy = make(Policy::fcfs);
  add(*policy, {30, 10, 20});
  EXPECT_EQ(policy->take(0).lbn, 30u);
  add(*policy, {5});
  EXPECT_THAT(take_all(*policy), ElementsAre(10, 20, 5));
}

/// Those that are wanted leave, whatever their places; the others go in their order.
TEST(Policy, SomeAreTakenAlong) {
  const TestOracle oracle;
  for (const Policy kind :
       {Policy::fcfs, Policy::clook, Policy::elevator, Policy::sstf, Policy::sptf, Policy::aged_sptf}) {
    const auto policy = make(kind, {&oracle, 0}), rest = make(kind, {&oracle, 0});
    RandomStream random(3, "along");
    for (int round = 0; round < 50; ++round) {
      std::vector<std::uint64_t> asked, wanted;
      std::vector<Request> all;
      for (int i = 0; i < 20; ++i) {
        all.push_back(request(0, random.below(90'000)));
        policy->add(all.back());
      }
      policy->take_along([&](const Request& r) {
        asked.push_back(r.lbn);
        return r.lbn % 3 == 0;
      });
      ASSERT_EQ(asked.size(), all.size());
      for (std::size_t i = 0; i < all.size(); ++i) {
        ASSERT_EQ(asked[i], all[i].lbn) << "in the order of their arrival";
        if (all[i].lbn % 3 != 0) rest->add(all[i]);
      }
      ASSERT_EQ(take_all(*policy), take_all(*rest));
    }
  }
}

TEST(Policy, CLookGoesUpFromTheLastOneAndWrapsToTheLowest) {
  const auto policy = make(Policy::clook);
  add(*policy, {50, 20, 80});
  EXPECT_EQ(policy->take(0).lbn, 20u);
  EXPECT_EQ(policy->take(0).lbn, 50u);
  add(*policy, {40, 60, 50, 10});
  EXPECT_THAT(take_all(*policy), ElementsAre(50, 60, 80, 10, 40)) << "50 itself still lies ahead";
}

TEST(Policy, CLookTakesEqualAddressesInTheOrderOfArrival) {
  const auto policy = make(Policy::clook);
  for (std::uint32_t sectors : {1u, 2u, 3u}) policy->add(request(0, 7, sectors));
  EXPECT_EQ(policy->take(0).sectors, 1u);
  EXPECT_EQ(policy->take(0).sectors, 2u);
  EXPECT_EQ(policy->take(0).sectors, 3u);
}

TEST(Policy, CLookAgreesWithASearchOfTheWholeList) {
  const auto policy = make(Policy::clook);
  std::list<Request> reference;
  std::uint64_t position = 0;
  RandomStream random(3, "clook");
  std::uint64_t id = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (reference.empty() || random.chance(0.5)) {
      Request r = request(0, random.below(200));
      r.id = id++;
      policy->add(r);
      reference.push_back(r);
      continue;
    }
    auto best = reference.end();
    for (auto r = reference.begin(); r != reference.end(); ++r) {
      const auto key = [&](const Request& x) { return std::make_tuple(x.lbn < position, x.lbn, x.id); };
      if (best == reference.end() || key(*r) < key(*best)) best = r;
    }
    position = best->lbn;
    ASSERT_EQ(policy->take(0).id, best->id);
    reference.erase(best);
    ASSERT_EQ(policy->size(), reference.size());
  }
}

TEST(Policy, TheElevatorTurnsAtItsLastRequest) {
  const auto policy = make(Policy::elevator);
  add(*policy, {50, 20, 80});
  EXPECT_EQ(policy->take(0).lbn, 20u);
  EXPECT_EQ(policy->take(0).lbn, 50u);
  add(*policy, {40, 60, 50, 10});
  EXPECT_THAT(take_all(*policy), ElementsAre(50, 60, 80, 40, 10)) << "down again from 80, where clook wraps to 10";
  add(*policy, {30, 5});
  EXPECT_THAT(take_all(*policy), ElementsAre(5, 30)) << "on downwards, then up";
}

TEST(Policy, TheElevatorAgreesWithASearchOfTheWholeList) {
  const auto policy = make(Policy::elevator);
  std::list<Request> reference;
  std::int64_t position = 0;
  bool up = true;
  RandomStream random(3, "elevator");
  std::uint64_t id = 0;
  for (int step = 0; step < 20'000; ++step) {
    if (reference.empty() || random.chance(0.5)) {
      Request r = request(0, random.below(200));
      r.id = id++;
      policy->add(r);
      reference.push_back(r);
      continue;
    }
    const auto way = [&](const Request& r) { return (static_cast<std::int64_t>(r.lbn) - position) * (up ? 1 : -1); };
    if (std::none_of(reference.begin(), reference.end(), [&](const Request& r) { return way(r) >= 0; })) up = !up;
    auto best = reference.end();
    for (auto r = reference.begin(); r != reference.end(); ++r) {
      if (way(*r) < 0) continue;
      if (best == reference.end() || way(*r) < way(*best)) best = r;
    }
    ASSERT_EQ(policy->take(0).id, best->id);
    position = static_cast<std::int64_t>(best->lbn);
    reference.erase(best);
    ASSERT_EQ(policy->size(), reference.size());
  }
}

TEST(Policy, SstfTakesTheNearestAndTheEarliestOfEqualOnes) {
  TestOracle oracle;
  oracle.cylinder = 50;
  const auto policy = make(Policy::sstf, oracle);
  add(*policy, {5'500, 4'000, 6'000});  // cylinders 55, 40, 60
  EXPECT_EQ(policy->take(0).lbn, 5'500u);
  EXPECT_EQ(policy->take(0).lbn, 4'000u) << "as far as 6000 and earlier";
  add(*policy, {6'001});
  EXPECT_EQ(policy->take(0).lbn, 6'000u);
}

TEST(Policy, SptfTakesTheLeastPositioningTimeAtTheMomentTheArmCouldStart) {
  TestOracle oracle;
  oracle.lead = 300;
  // Rotation: a target passes every 1,000 ps at its LBN.
  oracle.time = [](std::uint64_t lbn, Ps start) { return (static_cast<Ps>(lbn) - start % 1'000 + 1'000) % 1'000; };
  const auto policy = make(Policy::sptf, oracle);
  add(*policy, {350, 600, 250});
  EXPECT_EQ(policy->take(0).lbn, 350u) << "250 has passed when the arm starts at 300";
  EXPECT_THAT(oracle.starts, Each(300));
  EXPECT_EQ(policy->take(700).lbn, 250u);
  EXPECT_EQ(policy->take(5'000).lbn, 600u);
}

TEST(Policy, AgedSptfPrefersWhatHasWaitedLongEnough) {
  TestOracle oracle;
  oracle.time = [](std::uint64_t lbn, Ps) { return static_cast<Ps>(lbn) * kPsPerUs; };
  const auto policy = make(Policy::aged_sptf, oracle, 0.01);
  policy->add(request(0, 1'000));  // 1,000 us away
  policy->add(request(50 * kPsPerMs, 400));
  policy->add(request(50 * kPsPerMs, 900));
  // At 50 ms: 1,000 us - 0.01 x 50 ms = 500 us against 400 us.
  EXPECT_EQ(policy->take(50 * kPsPerMs).lbn, 400u);
  policy->add(request(70 * kPsPerMs, 400));
  // At 70 ms: 1,000 - 700 = 300 us against 400 and 900 - 200.
  EXPECT_EQ(policy->take(70 * kPsPerMs).lbn, 1'000u);
}

TEST(Policy, WithoutAgeingAgedSptfIsSptf) {
  TestOracle oracle;
  const auto aged = make(Policy::aged_sptf, oracle, 0);
  const auto sptf = make(Policy::sptf, oracle);
  RandomStream random(5, "sptf");
  for (int i = 0; i < 500; ++i) {
    const Request r = request(i, random.below(100'000));
    aged->add(r);
    sptf->add(r);
  }
  while (sptf->size() > 0) {
    oracle.cylinder = static_cast<std::uint32_t>(random.below(1'000));
    ASSERT_EQ(sptf->take(1'000).lbn, aged->take(1'000).lbn);
  }
}

TEST(Policy, AnOracleIsRequiredWhereItIsUsed) {
  for (const Policy policy : {Policy::sstf, Policy::sptf, Policy::aged_sptf}) EXPECT_THROW(make(policy), InputError);
  for (const Policy policy : {Policy::fcfs, Policy::clook, Policy::elevator}) EXPECT_NO_THROW(make(policy));
}

}  // namespace
}  // namespace armature::host
