// A thermal network against closed forms and against small steps.
#include "armature/thermal/network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

namespace armature::thermal {
namespace {

constexpr double kAirC = 25;

TEST(ThermalNetwork, OneBodyIsAnExponential) {
  Network network({{600}}, {{0, Network::kAir, 0.5}}, kAirC);
  EXPECT_DOUBLE_EQ(network.time_constant_s(), 1200);
  EXPECT_NEAR(network.steady_c({10})[0], kAirC + 20, 1e-9);
  for (double t = 0; t < 7200; t += 600) {
    network.advance(600, {10});
    EXPECT_NEAR(network.temperatures_c()[0], kAirC + 20 * (1 - std::exp(-(t + 600) / 1200)), 1e-9);
  }
  network.advance(1e7, {0});
  EXPECT_NEAR(network.temperatures_c()[0], kAirC, 1e-9);
}

TEST(ThermalNetwork, InTheSteadyStateEachPathCarriesItsPower) {
  const Network network({{100}, {30}, {400}}, {{0, 2, 1}, {1, 2, 0.5}, {2, Network::kAir, 0.8}}, kAirC);
  const std::vector<double> c = network.steady_c({6, 3, 1});
  EXPECT_NEAR(c[2], kAirC + 10 / 0.8, 1e-9);
  EXPECT_NEAR(c[0] - c[2], 6, 1e-9);
  EXPECT_NEAR(c[1] - c[2], 3 / 0.5, 1e-9);
}

TEST(ThermalNetwork, RandomNetworksAgreeWithSmallSteps) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> capacity(5, 500), conductance(0.1, 2), watts(0, 12);
  for (int round = 0; round < 20; ++round) {
    const std::vector<double> c = {capacity(random), capacity(random), capacity(random)};
    const double to_1 = conductance(random), to_2 = conductance(random), to_air = conductance(random);
    Network network({{c[0]}, {c[1]}, {c[2]}}, {{0, 1, to_1}, {1, 2, to_2}, {2, Network::kAir, to_air}}, kAirC);
    std::vector<double> t(3, kAirC);
    for (int phase = 0; phase < 5; ++phase) {
      const std::vector<double> p = {watts(random), watts(random), watts(random)};
      network.advance(50, p);
      constexpr double kStep = 1e-3;
      for (int i = 0; i < 50'000; ++i) {
        const double ab = to_1 * (t[0] - t[1]), bc = to_2 * (t[1] - t[2]), out = to_air * (t[2] - kAirC);
        t[0] += kStep * (p[0] - ab) / c[0];
        t[1] += kStep * (p[1] + ab - bc) / c[1];
        t[2] += kStep * (p[2] + bc - out) / c[2];
      }
      for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(network.temperatures_c()[i], t[i], 2e-3) << round;
    }
  }
}

TEST(ThermalNetwork, StepsOfAnyLengthGiveTheSame) {
  const auto network = [] { return Network({{20}, {500}}, {{0, 1, 0.25}, {1, Network::kAir, 0.6}}, kAirC); };
  Network one = network(), many = network();
  one.advance(1000, {4, 8});
  for (int i = 0; i < 1000; ++i) many.advance(1, {4, 8});
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(one.temperatures_c()[i], many.temperatures_c()[i], 1e-9);
}

TEST(ThermalNetwork, ABodyWithoutAWayToTheAirIsRefused) {
  EXPECT_THROW(Network({{1}, {1}}, {{0, Network::kAir, 1}}, kAirC), std::logic_error);
}

}  // namespace
}  // namespace armature::thermal
