// Seek times of one axis: against Newton's equation integrated step by step, against each other, and against times that
// DiskSim 4.0 gives for its G2.
#include "armature/core/random.h"
#include "armature/mems/seek_model.h"

#include <gtest/gtest.h>

#include <cmath>

namespace armature::mems {
namespace {

constexpr double kReach = 50e-6, kAcceleration = 803.6, kAccess = 0.028, kBit = 40e-9;

Axis g2(double springs = 0.75, double damping = 0) {
  return Axis::of(kAcceleration, kReach, springs, damping);
}

/// Where the sled is after `push` seconds of force forwards and `brake` seconds backwards, by Runge and Kutta.
struct Sled {
  double x, v;

  void move(const Axis& axis, double force, double seconds) {
    constexpr int kSteps = 4000;
    const double c = 2 * axis.damping * std::sqrt(axis.spring), h = seconds / kSteps;
    const auto a = [&](double place, double speed) { return force - axis.spring * place - c * speed; };
    for (int i = 0; i < kSteps; ++i) {
      const double x1 = v, v1 = a(x, v);
      const double x2 = v + h / 2 * v1, v2 = a(x + h / 2 * x1, v + h / 2 * v1);
      const double x3 = v + h / 2 * v2, v3 = a(x + h / 2 * x2, v + h / 2 * v2);
      const double x4 = v + h * v3, v4 = a(x + h * x3, v + h * v3);
      x += h / 6 * (x1 + 2 * x2 + 2 * x3 + x4);
      v += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
    }
  }
};

/// The quick way, without a path, takes as long as the one that sums up a path, to the last bit.
TEST(MemsSeekModel, DiskSimsSeekTakesTheSameWithAndWithoutItsPath) {
  RandomStream random(7, "seeks");
  int across = 0, to_middle = 0;
  for (int i = 0; i < 200'000; ++i) {
    const auto place = [&] { return (static_cast<int>(random.below(2501)) - 1250) * kBit; };
    const double from = i % 50 == 0 ? 0 : place(), to = i % 70 == 0 ? 0 : i % 90 == 0 ? -from : place();
    const double speed = i % 3 == 0 ? kAccess : 0;
    const Axis axis = g2(i % 5 == 0 ? 0 : i % 7 == 0 ? 0.3 : 0.75);
    Path path;
    const double with = disksim_seek(axis, from, to, speed, 8, &path);
    ASSERT_EQ(disksim_seek(axis, from, to, speed, 8), with) << from << " to " << to << " at " << speed;
    if (from == to) continue;
    ASSERT_EQ(path.back().seconds, with);
    across += from * to < 0 ? 1 : 0;
    to_middle += from * to == 0 ? 1 : 0;
  }
  EXPECT_GT(across, 50'000);
  EXPECT_GT(to_middle, 1'000);
}

TEST(MemsSeek, WithoutSpringsAllModelsAreTheLawOfConstantAcceleration) {
  for (const double speed : {0.0, kAccess})
    for (const double way : {1 * kBit, 700 * kBit, 2500 * kBit}) {
      const double expected = 2 * (std::sqrt(speed * speed + kAcceleration * way) - speed) / kAcceleration;
      for (const double from : {-50e-6, -10e-6}) {
        EXPECT_NEAR(disksim_seek(g2(0), from, from + way, speed, 8), expected, 1e-12);
        EXPECT_NEAR(piecewise_seek(g2(0), from, from + way, speed, 8), expected, 1e-12);
        EXPECT_NEAR(exact_seek(g2(0), from, from + way, speed), expected, 1e-12);
        EXPECT_NEAR(exact_seek(g2(0), from + way, from, speed), expected, 1e-12);
      }
    }
}

TEST(MemsSeek, TheExactTimeIsThatOfTheIntegratedEquation) {
  for (const double damping : {0.0, 0.1, 0.7})
    for (const double speed : {0.0, kAccess})
      for (const auto& [from, to] : {std::pair{-50e-6, 50e-6}, {0.0, 30e-6}, {20e-6, -45e-6}, {45e-6, 44e-6}}) {
        const Axis axis = g2(0.75, damping);
        Path path;
        const double seconds = exact_seek(axis, from, to, speed, &path);
        // Both phases have as many points.
        const double push = path[path.size() / 2].seconds, sign = to > from ? 1 : -1;
        Sled sled{from, sign * speed};
        sled.move(axis, sign * kAcceleration, push);
        sled.move(axis, -sign * kAcceleration, seconds - push);
        EXPECT_NEAR(sled.x, to, 1e-12) << damping << " " << speed << " " << from << " " << to;
        EXPECT_NEAR(sled.v, sign * speed, 1e-6) << damping << " " << speed << " " << from << " " << to;
        // The closed form without a path, and the path's end, agree.
        EXPECT_NEAR(exact_seek(axis, from, to, speed), seconds, 1e-12);
        EXPECT_NEAR(path.back().seconds, seconds, 1e-12);
        EXPECT_NEAR(path.back().metres, to, 1e-15);
      }
}

TEST(MemsSeek, ADamperDelays) {
  double before = 0;
  for (const double damping : {0.0, 0.05, 0.2, 0.5, 0.9}) {
    const double seconds = exact_seek(g2(0.75, damping), -50e-6, 50e-6, 0);
    EXPECT_GT(seconds, before);
    before = seconds;
  }
}

/// A damped sled under a constant force, at a time after it was at x with speed v. `damping` below 0: backwards in
/// time.
Sled swung(const Axis& axis, double damping, double x, double v, double t) {
  const double omega = std::sqrt(axis.spring), rest = axis.acceleration / axis.spring;
  const double decay = damping * omega, ring = omega * std::sqrt(1 - damping * damping);
  const double a = x - rest, b = (v + decay * a) / ring, fade = std::exp(-decay * t);
  const double c = std::cos(ring * t), s = std::sin(ring * t);
  return {rest + fade * (a * c + b * s), fade * (v * c - (decay * b + ring * a) * s)};
}

/// The time of the longest way to `x` that goes forwards.
double bisected(const Axis& axis, double damping, double from, double v, double x) {
  double early = 0, late = 1e-9;
  const auto before = [&](double t) {
    const Sled sled = swung(axis, damping, from, v, t);
    return sled.x < x && sled.v > 0;
  };
  while (before(late)) late *= 2;
  for (int i = 0; i < 60; ++i) (before((early + late) / 2) ? early : late) = (early + late) / 2;
  return late;
}

/// The slow way to the same solution: the place where the force changes by bisection, and the times to it again so.
double slow_seek(const Axis& axis, double from, double to, double speed) {
  double low = from, high = to, first = 0, second = 0;
  for (int i = 0; i < 60; ++i) {
    const double change = (low + high) / 2;
    first = bisected(axis, axis.damping, from, speed, change);
    second = bisected(axis, -axis.damping, -to, speed, -change);
    const bool early =
        swung(axis, axis.damping, from, speed, first).v < swung(axis, -axis.damping, -to, speed, second).v;
    (early ? low : high) = change;
  }
  return first + second;
}

TEST(MemsSeek, ADampedSeekTakesTheTimeThatBisectionFinds) {
  RandomStream random(3, "damped seeks");
  const auto between = [&random](double low, double high) {
    return low + (high - low) * static_cast<double>(random.below(1'000'000)) / 1e6;
  };
  for (int i = 0; i < 300; ++i) {
    const Axis axis = g2(between(0.05, 0.95), i % 3 == 0 ? between(0.9, 0.999) : between(0.001, 0.9));
    const double from = between(-kReach, kReach);
    const double to = i % 5 == 0 ? std::max(from - kBit * between(1, 50), -kReach) : between(-kReach, kReach);
    const double speed = i % 2 == 0 ? 0 : between(0, 3 * kAccess);
    const double slow = from < to ? slow_seek(axis, from, to, speed) : slow_seek(axis, -from, -to, speed);
    Path path;
    EXPECT_NEAR(exact_seek(axis, from, to, speed), slow, 1e-13) << from << ' ' << to << ' ' << speed;
    EXPECT_NEAR(exact_seek(axis, from, to, speed, &path), slow, 1e-13);
    EXPECT_NEAR(path.back().metres, to, 1e-15);
  }
}

TEST(MemsSeek, ASledThatItsDamperStopsAcceleratesAllTheWay) {
  const Axis axis = g2(0.75, 0.9);
  const double from = -10e-6, to = 30e-6, speed = 20 * kAccess;  // nobody arrives with it
  EXPECT_LT(swung(axis, axis.damping, from, speed, bisected(axis, axis.damping, from, speed, to)).v, speed);
  EXPECT_NEAR(exact_seek(axis, from, to, speed), bisected(axis, axis.damping, from, speed, to), 1e-13);
}

TEST(MemsSeek, MorePiecesComeNearerToTheExactTime) {
  for (const auto& [from, to] : {std::pair{-50e-6, 50e-6}, {0.0, 50e-6}, {-50e-6, -45e-6}, {30e-6, -10e-6}})
    for (const double speed : {0.0, kAccess}) {
      const double exact = exact_seek(g2(), from, to, speed);
      double apart = 1;
      for (const int pieces : {8, 32, 128}) {
        const double now = std::abs(piecewise_seek(g2(), from, to, speed, pieces) - exact);
        EXPECT_LT(now, apart);
        apart = now;
      }
      EXPECT_LT(apart, 2e-7);  // 0.2 us of some hundred
    }
}

TEST(MemsSeek, BackAndForthTakeTheSameMirrored) {
  Path there, back;
  const double times[] = {disksim_seek(g2(), -30e-6, 44e-6, kAccess, 8, &there),
                          disksim_seek(g2(), 30e-6, -44e-6, kAccess, 8, &back)};
  EXPECT_EQ(times[0], times[1]);
  ASSERT_EQ(there.size(), back.size());
  for (std::size_t i = 0; i < there.size(); ++i) {
    EXPECT_EQ(there[i].metres, -back[i].metres);
    EXPECT_EQ(there[i].speed, -back[i].speed);
  }
  EXPECT_EQ(piecewise_seek(g2(), -30e-6, 44e-6, 0, 8), piecewise_seek(g2(), 30e-6, -44e-6, 0, 8));
  EXPECT_EQ(exact_seek(g2(), -30e-6, 44e-6, 0), exact_seek(g2(), 30e-6, -44e-6, 0));
}

TEST(MemsSeek, DiskSimsTimes) {
  // Of the G2: distance in bits, microseconds without the settling of 215.365 us in X; Y with the access speed.
  const double settle = 1e6 / (2 * 3.14159265358979 * 739);
  const auto x = [&](int from, int to) { return 1e6 * disksim_seek(g2(), from * kBit, to * kBit, 0, 8) + settle; };
  EXPECT_NEAR(x(-1250, -1125), 431.559, 0.001);
  EXPECT_NEAR(x(-1250, 0), 683.645, 0.001);
  EXPECT_NEAR(x(-1250, 1250), 780.350, 0.001);
  EXPECT_NEAR(x(0, 625), 549.769, 0.001);
  EXPECT_NEAR(x(625, -500), 638.986, 0.001);
  EXPECT_NEAR(x(625, 1250), 596.262, 0.001);
  const auto y = [&](int from, int to) { return 1e6 * disksim_seek(g2(), from * kBit, to * kBit, kAccess, 8); };
  EXPECT_NEAR(y(-1250, -125), 398.712, 0.001);
  EXPECT_NEAR(y(-1250, 1000), 505.636, 0.001);
  EXPECT_NEAR(y(-1250, -875), 243.857, 0.001);
}

TEST(MemsSeek, APathGoesOnInTimeAndEndsWhereItShall) {
  for (const double speed : {0.0, kAccess}) {
    Path paths[3];
    const double ends[] = {disksim_seek(g2(), 20e-6, -30e-6, speed, 8, &paths[0]),
                           piecewise_seek(g2(), 20e-6, -30e-6, speed, 8, &paths[1]),
                           exact_seek(g2(), 20e-6, -30e-6, speed, &paths[2])};
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(paths[i].front().metres, 20e-6, 1e-15);
      EXPECT_NEAR(paths[i].front().speed, -speed, 1e-9);
      EXPECT_NEAR(paths[i].back().metres, -30e-6, 1e-15);
      EXPECT_NEAR(paths[i].back().speed, -speed, 1e-9);
      EXPECT_NEAR(paths[i].back().seconds, ends[i], 1e-12);
      for (std::size_t p = 1; p < paths[i].size(); ++p) {
        EXPECT_GE(paths[i][p].seconds, paths[i][p - 1].seconds);
        EXPECT_LE(paths[i][p].metres, paths[i][p - 1].metres);
      }
    }
  }
}

TEST(MemsSeek, ATurnaroundIsShortWhereTheSpringHelps) {
  const double middle = 2 * kAccess / kAcceleration;
  EXPECT_NEAR(turnaround(g2(), 0, kAccess), middle, 1e-15);
  EXPECT_NEAR(turnaround(g2(), kReach, kAccess), middle / 1.75, 1e-15);   // outwards
  EXPECT_NEAR(turnaround(g2(), kReach, -kAccess), middle / 0.25, 1e-15);  // inwards
  EXPECT_NEAR(turnaround(g2(), -kReach, -kAccess), middle / 1.75, 1e-15);
  EXPECT_NEAR(turnaround(g2(), -kReach / 2, kAccess), middle / 0.625, 1e-15);
  // Followed on the way the spring helps less while the sled comes from the inside, and more the other way round.
  for (const double at : {-kReach, -kReach / 3, 0.0, kReach / 2})
    for (const double speed : {-kAccess, kAccess}) {
      Sled sled{at, speed};
      sled.move(g2(), speed > 0 ? -kAcceleration : kAcceleration, exact_turnaround(g2(), at, speed));
      EXPECT_NEAR(sled.x, at, 1e-12);
      EXPECT_NEAR(sled.v, -speed, 1e-8);
    }
}

}  // namespace
}  // namespace armature::mems
