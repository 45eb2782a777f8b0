// Generated from rtl/regs/pmu.rdl (sha256 870c8f9c161f1b2a19f80ea15b8d4ad12ea69f0765a187fc6ae4bd4c53ac4b71). Do not edit: ./armature gen regs
package pmu_regs_pkg;
  // Power state of the controller
  localparam int unsigned StateOffset = 32'h0;
  localparam int unsigned StateStateLsb = 0;
  localparam int unsigned StateStateWidth = 2;
endpackage
