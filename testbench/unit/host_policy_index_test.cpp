// SSTF, SPTF and aged SPTF find through an index what a scan of all that wait finds: the same request each time, ties
// included.
#include "armature/core/random.h"
#include "armature/host/dispatch_policy.h"
#include "support/host_bench.h"
#include "support/scanning_policy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

namespace armature::host {
namespace {

using testing::ScanningPolicy;
using workload::Request;

/// A disk with a jagged seek curve. Times come in coarse steps, so that many are equal.
class JaggedOracle final : public PositionModel {
 public:
  static constexpr Ps kStep = 50 * kPsPerUs;
  static constexpr Ps kTurn = 120 * kStep;

  JaggedOracle(std::uint32_t cylinders, unsigned arms, RandomStream& random) : arms_(arms) {
    for (std::uint32_t distance = 0; distance < kPoints; ++distance)
      curve_.push_back(distance == 0 ? 0 : static_cast<Ps>(distance + random.below(60)) * kStep);
    least_ = curve_;
    for (std::size_t i = least_.size() - 1; i-- > 0;) least_[i] = std::min(least_[i], least_[i + 1]);
    width_ = std::max<std::uint32_t>(cylinders / kPoints, 1);
  }

  Place place(Lbn lbn) const override {
    return {lbn,
            static_cast<std::uint32_t>(lbn / 10),
            static_cast<std::uint32_t>(lbn % 4),
            {static_cast<std::int64_t>(lbn % 10), 10}};
  }
  unsigned arms() const override { return static_cast<unsigned>(arms_.size()); }
  std::uint32_t arm_cylinder(unsigned arm) const override { return arms_[arm]; }
  /// Each surface has an arm that does not reach it, if there are several.
  bool reaches(unsigned arm, const Place& target) const override {
    return arms_.size() == 1 || (target.head + arm) % 4 != 0;
  }
  Ps positioning_time(const Place& target, Operation operation, Ps start) const override {
    Ps least = std::numeric_limits<Ps>::max();
    for (unsigned arm = 0; arm < arms(); ++arm) {
      if (!reaches(arm, target)) continue;
      const std::uint32_t distance = apart(target.cylinder, arms_[arm]);
      const Ps settle = operation == Operation::write && distance > 0 ? 3 * kStep : 0;
      const Ps there = start + curve_[point(distance)] + settle;
      const Ps angle = target.angle.numerator * kTurn / target.angle.denominator;
      const Ps time = there + ((angle - there) % kTurn + kTurn) % kTurn - start;
      least = std::min(least, time);
    }
    return least;
  }
  Ps least_time(std::uint32_t distance) const override { return least_[point(distance)]; }
  Ps lead_time() const { return kStep / 3; }

  void move(unsigned arm, std::uint32_t cylinder) { arms_[arm] = cylinder; }
  static std::uint32_t apart(std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; }

 private:
  static constexpr std::uint32_t kPoints = 200;
  std::size_t point(std::uint32_t distance) const { return std::min<std::size_t>(distance / width_, kPoints - 1); }

  std::vector<std::uint32_t> arms_;
  std::uint32_t width_ = 1;  ///< cylinders between points of the curve
  std::vector<Ps> curve_, least_;
};

ScanningPolicy::Cost cost_of(Policy policy, double weight, const JaggedOracle& oracle) {
  if (policy == Policy::sstf) {
    return [&oracle](const Request& r, Ps) {
      std::uint32_t least = 0xFFFF'FFFF;
      for (unsigned arm = 0; arm < oracle.arms(); ++arm)
        if (oracle.reaches(arm, oracle.place(r.lbn)))
          least = std::min(least, JaggedOracle::apart(oracle.place(r.lbn).cylinder, oracle.arm_cylinder(arm)));
      return static_cast<Ps>(least);
    };
  }
  if (policy == Policy::sptf) weight = 0;
  return [&oracle, weight](const Request& r, Ps at) {
    return oracle.positioning_time(oracle.place(r.lbn), r.operation, at + oracle.lead_time()) -
           static_cast<Ps>(weight * static_cast<double>(at - r.arrival));
  };
}

/// Policy, weight of age, cylinders, arms.
class PolicyIndex : public ::testing::TestWithParam<std::tuple<Policy, double, std::uint32_t, unsigned>> {};

TEST_P(PolicyIndex, TakesWhatAScanOfAllTakes) {
  const auto [number, weight, cylinders, arms] = GetParam();
  RandomStream random(cylinders + arms, "index");
  JaggedOracle oracle(cylinders, arms, random);
  HostParams params;
  params.policy = number;
  params.ageing_weight = weight;
  const auto indexed = make_policy(params, {&oracle, oracle.lead_time()});
  ScanningPolicy scanning(cost_of(number, weight, oracle));

  Ps at = 0;
  std::uint64_t id = 0;
  for (const std::size_t depth : {3u, 12u, 40u, 300u, 20u, 700u, 1u}) {
    const std::uint32_t middle = static_cast<std::uint32_t>(random.below(cylinders));
    for (int step = 0; step < 150; ++step) {
      while (scanning.size() < depth) {
        // Anywhere, in one spot, or where another one lies.
        std::uint32_t cylinder = static_cast<std::uint32_t>(random.below(cylinders));
        if (random.chance(0.3))
          cylinder = std::min(middle + static_cast<std::uint32_t>(random.below(5)), cylinders - 1);
        Request r = testing::request(at, std::uint64_t{cylinder} * 10 + random.below(10), 8,
                                     random.chance(0.3) ? Operation::write : Operation::read);
        r.id = id++;
        indexed->add(r);
        scanning.add(r);
        if (random.chance(0.7)) at += static_cast<Ps>(random.below(40)) * JaggedOracle::kStep;
      }
      for (unsigned arm = 0; arm < arms; ++arm)
        if (random.chance(0.6)) oracle.move(arm, static_cast<std::uint32_t>(random.below(cylinders)));
      at += static_cast<Ps>(random.below(400)) * kPsPerUs;
      const Request expected = scanning.take(at);
      ASSERT_EQ(indexed->take(at).id, expected.id) << "step " << step << " at depth " << depth;
      ASSERT_EQ(indexed->size(), scanning.size());
      oracle.move(0, oracle.place(expected.lbn).cylinder);
      while (scanning.size() > depth) ASSERT_EQ(indexed->take(at).id, scanning.take(at).id);
    }
  }
}

std::string case_name(const ::testing::TestParamInfo<PolicyIndex::ParamType>& info) {
  const auto [policy, weight, cylinders, arms] = info.param;
  static constexpr const char* kNames[] = {"Fcfs", "Clook", "Elevator", "Sstf", "Sptf", "AgedSptf"};
  const std::string aged = policy != Policy::aged_sptf ? "" : weight < 0.01 ? "Little" : "Much";
  return kNames[static_cast<std::size_t>(policy)] + aged + "On" + std::to_string(cylinders) + "Cylinders" +
         std::to_string(arms) + "Arms";
}

INSTANTIATE_TEST_SUITE_P(Sstf, PolicyIndex,
                         ::testing::Combine(::testing::Values(Policy::sstf), ::testing::Values(0.0),
                                            ::testing::Values(1u, 1'000u, 10'042u, 1u << 23),
                                            ::testing::Values(1u, 3u)),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Sptf, PolicyIndex,
                         ::testing::Combine(::testing::Values(Policy::sptf), ::testing::Values(0.0),
                                            ::testing::Values(1u, 1'000u, 10'042u, 1u << 23),
                                            ::testing::Values(1u, 3u)),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Aged, PolicyIndex,
                         ::testing::Combine(::testing::Values(Policy::aged_sptf), ::testing::Values(0.006, 0.5),
                                            ::testing::Values(1u, 1'000u, 10'042u, 1u << 23),
                                            ::testing::Values(1u, 3u)),
                         case_name);

}  // namespace
}  // namespace armature::host
