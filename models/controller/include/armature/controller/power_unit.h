#pragma once

#include "armature/core/block_context.h"
#include "armature/core/register_bank.h"

#include <systemc>

#include <cstdint>

namespace armature::controller {

/// What charge counters on a drive's rails count: energy, by their currents and the rails' constant voltages.
class EnergyMeter {
 public:
  /// Microjoules that the drive has drawn since time 0 up to the kernel's time, rounded down.
  virtual std::uint64_t microjoules() = 0;

 protected:
  ~EnergyMeter() = default;
};

/// What the sensor on the drive's case tells.
class TemperatureSensor {
 public:
  /// Degrees Celsius at the kernel's time.
  virtual double celsius() = 0;

 protected:
  ~TemperatureSensor() = default;
};

/// The controller's power state, which firmware sets and which it publishes, the energy that the drive has drawn, and
/// its temperature. Registers: rtl/regs/pmu.rdl.
class PowerUnit : public sc_core::sc_module {
 public:
  RegisterSocket regs{"regs"};

  /// `idle_conditions`: firmware knows active idle and low-power idle.
  PowerUnit(sc_core::sc_module_name name, const BlockContext& context, bool idle_conditions = false);

  /// Before the simulation starts: pmu.energy tells what it counts; it must outlive this.
  void set_meter(EnergyMeter& meter) { meter_ = &meter; }
  /// Joules that the drive has drawn since time 0; 0 without a meter.
  double drawn_j() const { return meter_ ? static_cast<double>(meter_->microjoules()) * 1e-6 : 0; }
  /// Power that the drive may draw, as pmu.share tells it; 0: none is told.
  void set_share_w(double watts) { share_mw_ = static_cast<std::uint32_t>(watts * 1e3); }
  /// The same of pmu.temperature, which rounds to whole degrees.
  void set_sensor(TemperatureSensor& sensor) { sensor_ = &sensor; }

  /// The supply has failed: the controller draws nothing any more.
  void power_off();
  void power_on();
  bool powered() const { return powered_; }

 private:
  void start_of_simulation() override;
  void enter(unsigned state);
  void show(unsigned published);
  std::uint32_t temperature() const;

  RegisterBank bank_;
  const std::size_t states_;  ///< that it publishes
  EnergyMeter* meter_ = nullptr;
  TemperatureSensor* sensor_ = nullptr;
  std::uint32_t share_mw_ = 0;
  bool powered_ = true;
  ComponentState state_;
  TextProbe state_probe_;
  BitProbe supply_probe_;
};

}  // namespace armature::controller
