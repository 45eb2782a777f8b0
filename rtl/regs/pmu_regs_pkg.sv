// Generated from rtl/regs/pmu.rdl (sha256 96f40c6f415630a8ecc98194592853f2b27c343d48241d49a2815cb1ee6686b4). Do not edit: ./armature gen regs
package pmu_regs_pkg;
  // Power state of the controller
  localparam int unsigned StateOffset = 32'h0;
  localparam int unsigned StateStateLsb = 0;
  localparam int unsigned StateStateWidth = 3;
  // Energy that the drive has drawn from its rails since power-on, modulo 2^32; 0 without charge counters
  localparam int unsigned EnergyOffset = 32'h4;
  localparam int unsigned EnergyUjLsb = 0;
  localparam int unsigned EnergyUjWidth = 32;
endpackage
