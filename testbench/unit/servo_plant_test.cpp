// Voice coil and arm against the same equations in very small steps, against closed forms, and its energy.
#include "armature/servo/plant.h"
#include "hold.h"
#include "normal.h"
#include "support/fine_arm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace armature::servo {
namespace {

using testing::FineArm;

constexpr double kTurn = 6.283185307179586;

ModeParams mode(double frequency, double damping, double gain) {
  ModeParams m;
  m.frequency_hz = frequency;
  m.damping = damping;
  m.gain = gain;
  return m;
}

/// Seven modes such as those of the track-following benchmark.
PlantParams benchmark() {
  PlantParams plant;
  plant.force_constant_n_a = 0.9512;
  plant.input_delay_us = 10;
  plant.modes = {mode(90, 0.5, 1),     mode(4100, 0.02, -1),    mode(8200, 0.02, 1),    mode(12300, 0.02, -1),
                 mode(16400, 0.02, 1), mode(3000, 0.005, 0.01), mode(5000, 0.001, 0.03)};
  return plant;
}

/// An arm that crosses its stroke: free mass, two resonances, torque factor, friction and flex cable.
PlantParams sweeping() {
  PlantParams plant;
  plant.moving_mass_g = 2;
  plant.force_constant_n_a = 3;
  plant.input_delay_us = 7;
  plant.torque_rolloff_percent = 12;
  plant.flex_bias_ma = 8;
  plant.flex_spring_ma_mm = 0.6;
  plant.modes = {mode(0, 0, 1), mode(4100, 0.02, -1), mode(8200, 0.02, 0.8)};
  return plant;
}

DriverParams voltage() {
  DriverParams driver;
  driver.kind = DriverKind::voltage;
  driver.coil_ohm = 8;
  driver.coil_mh = 1;
  return driver;
}

struct Deviation {
  double position = 0, velocity = 0, current = 0;
};

/// Both through the same commands; the greatest differences over the greatest values.
Deviation compare(const PlantParams& params, const DriverParams& driver, const std::vector<double>& commands,
                  double hold_s, int fine_steps, double start_m = 0, double base = 0) {
  Plant plant(params, driver, hold_s);
  plant.reset(start_m);
  FineArm fine(params, driver);
  fine.place(start_m);
  Deviation difference, size;
  const auto widen = [](double& greatest, double value) { greatest = std::max(greatest, std::fabs(value)); };
  double before = 0;
  const double delay = params.input_delay_us * 1e-6;
  for (const double command : commands) {
    plant.step(command, base);
    if (delay > 0) fine.run(delay, before, base, fine_steps);
    fine.run(hold_s - delay, command, base, fine_steps);
    before = command;
    widen(difference.position, plant.position() - fine.position());
    widen(difference.velocity, plant.velocity() - fine.velocity());
    widen(size.position, fine.position() - start_m);
    widen(size.velocity, fine.velocity());
    if (driver.kind == DriverKind::current) continue;
    widen(difference.current, plant.current() - fine.current());
    widen(size.current, fine.current());
  }
  return {difference.position / size.position, difference.velocity / size.velocity,
          size.current > 0 ? difference.current / size.current : 0};
}

std::vector<double> random_commands(std::size_t count, double amplitude) {
  std::mt19937 random(7);
  std::vector<double> commands;
  for (std::size_t i = 0; i < count; ++i) commands.push_back(amplitude * (random() / 2147483648.0 - 1));
  return commands;
}

/// Full throttle, coast, full brake.
std::vector<double> bang_bang(std::size_t count, double amplitude) {
  std::vector<double> commands(count, 0.0);
  for (std::size_t i = 0; i < count * 2 / 5; ++i) commands[i] = amplitude;
  for (std::size_t i = count * 3 / 5; i < count; ++i) commands[i] = -amplitude;
  return commands;
}

TEST(ServoPlant, HoldOfOneModeIsTheClosedForm) {
  const double w = kTurn * 4100, z = 0.02, h = 19e-6;
  const Held held = hold({0, w, -w, -2 * z * w}, {0, 1}, 1, h);  // position times frequency
  const double wd = w * std::sqrt(1 - z * z), decay = std::exp(-z * w * h);
  EXPECT_NEAR(held.transition[0], decay * (std::cos(wd * h) + z * w / wd * std::sin(wd * h)), 1e-13);
  EXPECT_NEAR(held.transition[1], decay * std::sin(wd * h) * w / wd, 1e-13);
  EXPECT_NEAR(held.input[0] * w, 1 - decay * (std::cos(wd * h) + z * w / wd * std::sin(wd * h)), 1e-13);
  const Held mass = hold({0, 1, 0, 0}, {0, 1}, 1, h);
  EXPECT_NEAR(mass.transition[1], h, 1e-20);
  EXPECT_NEAR(mass.input[0], h * h / 2, 1e-24);
}

TEST(ServoPlant, NoiseOfAHoldHasTheCovarianceOfTheIntegral) {
  const double w = kTurn * 900, z = 0.01, h = 38e-6;
  const std::vector<double> factor = noise_factor({0, w, -w, -2 * z * w}, {0, 3}, h);
  // E x x' = integral of e^(At) b b' e^(A't), by 1,000 trapezoids.
  double pp = 0, pv = 0, vv = 0;
  const int n = 1000;
  for (int i = 0; i <= n; ++i) {
    const Held held = hold({0, w, -w, -2 * z * w}, {0, 3}, 1, h * i / n + 1e-18);
    const double p = held.transition[1] * 3, v = held.transition[3] * 3;
    const double weight = h / n * (i == 0 || i == n ? 0.5 : 1);
    pp += weight * p * p;
    pv += weight * p * v;
    vv += weight * v * v;
  }
  EXPECT_NEAR(factor[0] * factor[0] / pp, 1, 1e-5);
  EXPECT_NEAR(factor[0] * factor[2] / pv, 1, 1e-5);
  EXPECT_NEAR((factor[2] * factor[2] + factor[3] * factor[3]) / vv, 1, 1e-5);
}

TEST(ServoPlant, LinearHoldsAgreeWithFineSteps) {
  const Deviation current = compare(benchmark(), DriverParams(), random_commands(150, 0.1), 18.94e-6, 600);
  EXPECT_LT(current.position, 1e-9);
  EXPECT_LT(current.velocity, 1e-9);
  const Deviation coil = compare(benchmark(), voltage(), random_commands(150, 0.1), 18.94e-6, 600, 0, 1.5);
  EXPECT_LT(coil.position, 1e-9);
  EXPECT_LT(coil.velocity, 1e-9);
  EXPECT_LT(coil.current, 1e-9);
}

TEST(ServoPlant, LongAndFractionalDelays) {
  PlantParams plant = benchmark();
  const double hold_s = 18.94e-6;
  Plant prompt(plant, DriverParams(), hold_s);
  plant.input_delay_us += 2 * hold_s * 1e6;
  Plant late(plant, DriverParams(), hold_s);
  const std::vector<double> commands = random_commands(60, 0.1);
  std::vector<double> first, second;
  for (const double command : commands) {
    prompt.step(command);
    late.step(command);
    first.push_back(prompt.position());
    second.push_back(late.position());
  }
  for (std::size_t i = 0; i + 2 < commands.size(); ++i) EXPECT_NEAR(second[i + 2], first[i], 1e-18);
}

TEST(ServoPlant, LinearIntervalsGoByMatricesAndSeriesAgreesWithThem) {
  Plant by_matrices(benchmark(), voltage(), 18.94e-6), by_series(benchmark(), voltage(), 18.94e-6);
  by_series.account_energy(true);
  for (const double command : random_commands(300, 0.1)) {
    by_matrices.step(command);
    by_series.step(command);
    ASSERT_NEAR(by_matrices.position(), by_series.position(), 1e-17);
  }
  EXPECT_EQ(by_matrices.exact_steps(), 300u);
  EXPECT_EQ(by_matrices.series_steps(), 0u);
}

TEST(ServoPlant, SaturationAgreesWithFineSteps) {
  PlantParams plant = benchmark();
  plant.modes[0] = mode(0, 0, 1);
  Plant counted(plant, voltage(), 18.94e-6);
  std::size_t saturated = 0;
  for (const double command : random_commands(200, 3)) {
    counted.step(command);
    saturated += counted.saturated();
  }
  EXPECT_GT(saturated, 20u);
  const Deviation deviation = compare(plant, voltage(), random_commands(200, 3), 18.94e-6, 800);
  EXPECT_LT(deviation.position, 1e-5);
  EXPECT_LT(deviation.velocity, 1e-5);
  EXPECT_LT(deviation.current, 1e-5);
}

TEST(ServoPlant, FullStrokeWithTorqueFactorAgreesWithFineSteps) {
  const Deviation deviation = compare(sweeping(), voltage(), bang_bang(400, 1.2), 20e-6, 200, -11e-3);
  EXPECT_LT(deviation.position, 1e-5);
  EXPECT_LT(deviation.velocity, 1e-5);
  EXPECT_LT(deviation.current, 1e-5);
}

TEST(ServoPlant, FrictionAgreesWithFineSteps) {
  PlantParams plant = sweeping();
  plant.friction_ma = 20;
  plant.friction_slip_um = 2;
  const Deviation slow = compare(plant, voltage(), random_commands(200, 0.1), 20e-6, 400);
  EXPECT_LT(slow.position, 1e-5);
  EXPECT_LT(slow.velocity, 1e-5);
  const Deviation fast = compare(plant, DriverParams(), bang_bang(200, 0.5), 20e-6, 2000, -5e-3);
  EXPECT_LT(fast.position, 1e-5);
  EXPECT_LT(fast.velocity, 1e-5);
}

TEST(ServoPlant, FrictionHoldsASpringAndThenLetsGo) {
  PlantParams plant;
  plant.modes = {mode(0, 0, 1)};
  plant.friction_ma = 10;
  plant.friction_slip_um = 1;
  Plant held(plant, DriverParams(), 20e-6);
  for (int i = 0; i < 5000; ++i) held.step(0.005);  // half of what overcomes it
  EXPECT_LT(held.position(), 20e-6);                // a free arm would be 25 mm away
  for (int i = 0; i < 5000; ++i) held.step(0.02);   // twice
  EXPECT_GT(held.position(), 1e-3);
}

/// What the coil gets is heat, damping, friction and what is stored.
double unaccounted(PlantParams params, const std::vector<double>& commands, double base) {
  Plant plant(params, voltage(), 20e-6);
  plant.reset(-11e-3);
  plant.account_energy(true);
  const double before = plant.kinetic();
  double greatest = 0;
  for (const double command : commands) {
    plant.step(command, base);
    const CoilEnergy& e = plant.energy();
    const double left = e.coil + e.outside - e.heat - e.damping - e.friction - (plant.kinetic() - before);
    greatest = std::max(greatest, std::fabs(left) / (e.heat + plant.kinetic()));
  }
  EXPECT_GE(plant.energy().rail, plant.energy().coil);
  EXPECT_GT(plant.energy().damping, 0);
  EXPECT_EQ(plant.energy().friction > 0, params.friction_ma > 0);
  return greatest;
}

TEST(ServoPlant, EnergyInIsLossesAndWhatIsStored) {
  EXPECT_LT(unaccounted(sweeping(), bang_bang(400, 1.2), 0), 1e-8);
  EXPECT_LT(unaccounted(sweeping(), random_commands(300, 3), 20), 1e-8);
  PlantParams rough = sweeping();
  rough.friction_ma = 20;
  EXPECT_LT(unaccounted(rough, bang_bang(300, 0.8), 0), 1e-6);
}

TEST(ServoPlant, BackEmfLimitsTheSpeed) {
  PlantParams plant = sweeping();
  plant.torque_rolloff_percent = plant.flex_bias_ma = plant.flex_spring_ma_mm = 0;
  plant.stroke_mm = 200;
  DriverParams driver = voltage();
  Plant arm(plant, driver, 20e-6);
  for (int i = 0; i < 20000; ++i) arm.step(5);
  EXPECT_NEAR(arm.velocity(), (driver.supply_v - driver.drop_v) / plant.force_n_a(), 1e-3);
  EXPECT_TRUE(arm.saturated());
  EXPECT_NEAR(arm.voltage(), 11, 1e-12);
}

TEST(ServoPlant, ARotaryArmIsItsEquivalentMass) {
  PlantParams rotary;  // of the book example in docs/guide/servo.md: Kt / J * R = 730 m/s2 per ampere
  rotary.arm_radius_mm = 50.8;
  rotary.inertia_g_cm2 = 63.857;
  rotary.torque_constant_nm_a = 0.09183;
  EXPECT_NEAR(rotary.force_n_a() / rotary.mass_kg(), 730.5, 0.5);
  Plant arm(rotary, DriverParams(), 1e-3);
  arm.step(1);
  EXPECT_NEAR(arm.velocity(), 0.7305, 5e-4);
}

TEST(ServoPlant, PiezoMovesByItsStrokeAtRest) {
  PiezoParams piezo;
  piezo.stroke_nm_v = 40;
  piezo.input_delay_us = 13;
  piezo.limit_v = 3;
  piezo.modes = {mode(9000, 0.2, -0.01), mode(21500, 0.3, 1)};
  for (const double frequency : {0.0, 6.0}) {
    piezo.frequency_change_percent = frequency;
    Stage stage(piezo, 9.92e-6);
    for (int i = 0; i < 2000; ++i) stage.step(2);
    EXPECT_NEAR(stage.position(), 80e-9, 1e-15);
    for (int i = 0; i < 2000; ++i) stage.step(5);
    EXPECT_NEAR(stage.position(), 120e-9, 1e-15);
  }
}

TEST(ServoNoise, NormalNumbersHaveTheirMoments) {
  NormalStream random(1, "test");
  const int n = 4'000'000;
  double sum = 0, square = 0, fourth = 0;
  int beyond3 = 0, beyond4 = 0;
  for (int i = 0; i < n; ++i) {
    const double x = random.next();
    sum += x;
    square += x * x;
    fourth += x * x * x * x;
    beyond3 += std::fabs(x) > 3;
    beyond4 += std::fabs(x) > 4;
  }
  EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(square / n, 1, 5 * std::sqrt(2.0 / n));
  EXPECT_NEAR(fourth / n, 3, 5 * std::sqrt(96.0 / n));
  EXPECT_NEAR(beyond3 / (n * 0.0026998), 1, 0.05);
  EXPECT_NEAR(beyond4 / (n * 6.334e-5), 1, 0.3);  // the tail, which no table holds
}

}  // namespace
}  // namespace armature::servo
