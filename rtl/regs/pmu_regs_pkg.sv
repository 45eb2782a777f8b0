// Generated from rtl/regs/pmu.rdl (sha256 9716c6a35d0511229491b26fca20f6ca1af42501f52281530409fadb5bc66e26). Do not edit: ./armature gen regs
package pmu_regs_pkg;
  // Power state of the controller
  localparam int unsigned StateOffset = 32'h0;
  localparam int unsigned StateStateLsb = 0;
  localparam int unsigned StateStateWidth = 3;
  // Energy that the drive has drawn from its rails since power-on, modulo 2^32; 0 without charge counters
  localparam int unsigned EnergyOffset = 32'h4;
  localparam int unsigned EnergyUjLsb = 0;
  localparam int unsigned EnergyUjWidth = 32;
  // Power that the array allows the drive, by a signal of the enclosure
  localparam int unsigned ShareOffset = 32'h8;
  localparam int unsigned ShareMwLsb = 0;
  localparam int unsigned ShareMwWidth = 32;
  // Temperature by the sensor on the drive's case
  localparam int unsigned TemperatureOffset = 32'h20;
  localparam int unsigned TemperatureCelsiusLsb = 0;
  localparam int unsigned TemperatureCelsiusWidth = 8;
  localparam int unsigned TemperatureValidLsb = 8;
  localparam int unsigned TemperatureValidWidth = 1;
endpackage
