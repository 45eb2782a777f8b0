// The power management unit publishes what firmware writes, until the supply fails.
#include "armature/controller/power_unit.h"
#include "armature/regs/pmu.h"

#include "support/bus_master.h"
#include "support/recording_sinks.h"
#include "support/run_until.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace armature::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(PowerUnit, PublishesTheStateThatFirmwareWritesAndOffWithoutASupply) {
  RecordingStates states;
  BusMaster bus("bus");
  controller::PowerUnit unit("pmu", {nullptr, &states, nullptr});
  bus.socket.bind(unit.regs);
  run_until(10);
  bus.write(regs::pmu::kState, 1);
  run_until(20);
  bus.write(regs::pmu::kState, 3);
  EXPECT_EQ(bus.read(regs::pmu::kState), 3u);
  run_until(30);
  unit.power_off();
  bus.write(regs::pmu::kState, 0);
  EXPECT_THAT(states.changes.at("pmu"), ElementsAre(Pair(10, "idle"), Pair(20, "sleep"), Pair(30, "off")));
  run_until(40);
  unit.power_on();
  EXPECT_EQ(bus.read(regs::pmu::kState), 0u) << "as after a reset";
  EXPECT_THAT(states.changes.at("pmu"),
              ElementsAre(Pair(10, "idle"), Pair(20, "sleep"), Pair(30, "off"), Pair(40, "active")));
}

TEST(PowerUnit, IdleConditionsArePublishedOfDrivesThatHaveThem) {
  RecordingStates states;
  BusMaster bus("bus");
  controller::PowerUnit unit("pmu", {nullptr, &states, nullptr}, true);
  bus.socket.bind(unit.regs);
  run_until(10);
  bus.write(regs::pmu::kState, 4);
  run_until(20);
  bus.write(regs::pmu::kState, 5);
  run_until(30);
  bus.write(regs::pmu::kState, 7);
  EXPECT_THAT(states.changes.at("pmu"), ElementsAre(Pair(10, "active_idle"), Pair(20, "low_power_idle")))
      << "a state that is none changes nothing";
}

class Meter final : public controller::EnergyMeter {
 public:
  std::uint64_t microjoules() override { return count; }
  std::uint64_t count = 0;
};

TEST(PowerUnit, TellsTheEnergyThatItsMeterHasCountedModulo32Bits) {
  BusMaster bus("bus");
  controller::PowerUnit unit("pmu", {});
  bus.socket.bind(unit.regs);
  Meter meter;
  run_until(10);
  EXPECT_EQ(bus.read(regs::pmu::kEnergy), 0u) << "without one";
  unit.set_meter(meter);
  meter.count = 7'000'123;
  EXPECT_EQ(bus.read(regs::pmu::kEnergy), 7'000'123u);
  meter.count = (std::uint64_t{1} << 32) + 5;
  EXPECT_EQ(bus.read(regs::pmu::kEnergy), 5u);
}

class Sensor final : public controller::TemperatureSensor {
 public:
  double celsius() override { return value; }
  double value = 0;
};

TEST(PowerUnit, TellsWholeDegreesOfTheSensor) {
  BusMaster bus("bus");
  controller::PowerUnit unit("pmu", {});
  bus.socket.bind(unit.regs);
  Sensor sensor;
  run_until(10);
  EXPECT_EQ(bus.read(regs::pmu::kTemperature), 0u) << "without one it is not valid";
  unit.set_sensor(sensor);
  const std::vector<std::pair<double, std::uint32_t>> told = {
      {41.4, 41}, {41.5, 42}, {-0.4, 0}, {-3.2, 0xFD}, {400, 127}};
  for (const auto& [celsius, value] : told) {
    sensor.value = celsius;
    EXPECT_EQ(bus.read(regs::pmu::kTemperature), value | regs::pmu::temperature::Valid::kMask) << celsius;
  }
}

TEST(PowerUnit, OtherDrivesDoNotKnowThem) {
  RecordingStates states;
  BusMaster bus("bus");
  controller::PowerUnit unit("pmu", {nullptr, &states, nullptr});
  bus.socket.bind(unit.regs);
  run_until(10);
  bus.write(regs::pmu::kState, 4);
  EXPECT_TRUE(states.changes["pmu"].empty());
}

}  // namespace
}  // namespace armature::testing
