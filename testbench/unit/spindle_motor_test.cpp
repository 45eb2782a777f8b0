// The motor of a stack against closed forms: constant torque, the approach against the back-EMF, coasting, braking,
// energy.
#include "armature/spindle/motor.h"

#include "armature/core/error.h"

#include <gtest/gtest.h>

#include <cmath>

namespace armature::spindle {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kRpm = 7'200, kFull = kRpm * 2 * kPi / 60;

/// K 12 mN m/A, J 1.2e-4 kg m2, without drag.
MotorParams ideal() {
  MotorParams params;
  params.torque_mn_m_a = 12;
  params.winding_ohm = 1.5;
  params.supply_v = 12;
  params.drop_v = 0.5;
  params.limit_a = 2;
  params.inertia_g_cm2 = 1'200;
  params.windage_w = params.bearing_w = 0;
  params.friction_mn_m = 2;
  return params;
}
constexpr double kTorque = 12e-3, kInertia = 1.2e-4, kFriction = 2e-3;

TEST(Motor, ComesToSpeedByConstantTorqueWithinTheCurrentLimit) {
  MotorParams params = ideal();
  params.supply_v = 14;
  const Motor motor(params, kRpm);
  // J w / (K I - F): the rail has the voltage for the limit up to the speed.
  const double seconds = kInertia * kFull / (kTorque * 2 - kFriction);
  EXPECT_NEAR(motor.up().seconds(), seconds, 1e-9 * seconds);
  EXPECT_NEAR(motor.up().at(seconds / 3).rad_s, kFull / 3, 1e-6 * kFull);
  EXPECT_NEAR(motor.up().when(kFull / 4), seconds / 4, 1e-6 * seconds);
  // P = (R I + K w + drop) I, w rising evenly.
  const double joules = (1.5 * 2 + 0.5) * 2 * seconds + kTorque * 2 * kFull * seconds / 2;
  EXPECT_NEAR(motor.up().joules(), joules, 1e-9 * joules);
}

TEST(Motor, TheBackEmfLimitsTheEndOfTheWay) {
  const Motor motor(ideal(), kRpm);
  // Beyond the corner J dw/dt = K (V - drop - K w) / R - F: an approach with the time constant J R / K^2 to the speed
  // at which the torque is the friction's.
  const double corner = (11.5 - 1.5 * 2) / kTorque, end = (11.5 - 1.5 * kFriction / kTorque) / kTorque;
  ASSERT_LT(corner, kFull);
  ASSERT_GT(end, kFull);
  const double tau = kInertia * 1.5 / (kTorque * kTorque);
  const double before = kInertia * corner / (kTorque * 2 - kFriction);
  const double after = tau * std::log((end - corner) / (end - kFull));
  EXPECT_NEAR(motor.up().seconds(), before + after, 1e-6 * (before + after));
  EXPECT_NEAR(motor.up().when(corner), before, 1e-4 * before);
  EXPECT_NEAR(motor.up().points().back().amperes, (11.5 - kTorque * kFull) / 1.5, 1e-12);
}

TEST(Motor, EnergyInIsKineticEnergyAndLosses) {
  for (const double limit : {0.8, 2.0, 6.0}) {
    MotorParams params = ideal();
    params.limit_a = limit;
    params.windage_w = 4;
    params.bearing_w = 1;
    params.friction_mn_m = 0.3;
    const Motor motor(params, kRpm);
    double losses = 0;
    // By small steps in time along the curve, trapezoidal.
    const auto lost = [&](const SpeedChange::Point& at) {
      return (params.winding_ohm * at.amperes + params.drop_v) * at.amperes + motor.drag_n_m(at.rad_s) * at.rad_s;
    };
    const auto& points = motor.up().points();
    for (std::size_t i = 1; i < points.size(); ++i)
      losses += (points[i].s - points[i - 1].s) * (lost(points[i]) + lost(points[i - 1])) / 2;
    EXPECT_NEAR(motor.up().joules(), motor.kinetic_j() + losses, 1e-3 * motor.up().joules()) << limit;
    EXPECT_NEAR(motor.kinetic_j(), kInertia * kFull * kFull / 2, 1e-9);
    double sum = 0;
    for (const double watts : motor.up().mean_watts(64)) sum += watts * motor.up().seconds() / 64;
    EXPECT_NEAR(sum, motor.up().joules(), 1e-9 * sum);
  }
}

TEST(Motor, TurnsWithTheCurrentThatTheDragTakes) {
  MotorParams params = ideal();
  params.windage_w = 4;
  params.bearing_w = 1;
  params.friction_mn_m = 0.5;
  const Motor motor(params, kRpm);
  const double amperes = (5 / kFull + 0.5e-3) / kTorque;
  EXPECT_NEAR(motor.turning_a(), amperes, 1e-12);
  EXPECT_NEAR(motor.turning_w(), (1.5 * amperes + kTorque * kFull + 0.5) * amperes, 1e-9);
  // At half the speed for which they hold, air takes 2^-2.8 and the fluid 2^-2 of it.
  params.reference_rpm = kRpm;
  const Motor slower(params, kRpm / 2);
  EXPECT_NEAR(slower.turning_a() * kTorque * kFull / 2,
              4 * std::pow(0.5, 2.8) + 1 * std::pow(0.5, 2) + 0.5e-3 * kFull / 2, 1e-9);
}

TEST(Motor, CoastsByItsDragAndBrakesByItsWindings) {
  MotorParams params = ideal();
  params.windage_w = 0;
  params.bearing_w = 2;
  params.friction_mn_m = 0;
  const double viscous = 2 / kFull / kFull;  // torque for each rad/s
  const Motor coasting(params, kRpm);
  // J dw/dt = -c w: by a factor of 100 in J / c ln(100).
  EXPECT_NEAR(coasting.down().seconds(), kInertia / viscous * std::log(100), 1e-6);
  EXPECT_EQ(coasting.down().joules(), 0);
  params.brakes = true;
  params.limit_a = 100;  // shorted windings: another K^2 / R
  const Motor shorted(params, kRpm);
  EXPECT_NEAR(shorted.down().seconds(), kInertia / (viscous + kTorque * kTorque / 1.5) * std::log(100), 1e-6);
  EXPECT_NEAR(shorted.coast().seconds(), coasting.down().seconds(), 1e-12) << "without the supply nobody shorts them";
  params.limit_a = 2;
  const Motor limited(params, kRpm);
  // At the limit J dw/dt = -(K I + c w) down to the speed whose back-EMF makes 2 A, and as before below.
  const double corner = 2 * 1.5 / kTorque, rest = 0.01 * kFull, braking = kTorque * 2;
  const double seconds = kInertia / viscous * std::log((braking + viscous * kFull) / (braking + viscous * corner)) +
                         kInertia / (viscous + kTorque * kTorque / 1.5) * std::log(corner / rest);
  EXPECT_NEAR(limited.down().seconds(), seconds, 1e-6);
  EXPECT_NEAR(limited.down().points().front().amperes, -2, 1e-12);
}

TEST(Motor, AStackThatDoesNotGetThereIsAnInputError) {
  const auto fails = [](MotorParams params, double rpm, const char* key) {
    try {
      const Motor motor(params, rpm);
      ADD_FAILURE() << "no error";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(key), std::string::npos) << error.what();
    }
  };
  MotorParams params = ideal();
  fails(params, 9'500, "spindle.motor.torque_mn_m_a");  // the back-EMF is 11.9 V there
  params.friction_mn_m = 25;                            // 24 mN m at 2 A
  fails(params, kRpm, "spindle.motor.friction_mn_m");
  params = ideal();
  params.friction_mn_m = 0;
  params.bearing_w = 0.1;  // falls by a factor of 100 in half an hour
  fails(params, kRpm, "spindle.motor.friction_mn_m");
}

}  // namespace
}  // namespace armature::spindle
