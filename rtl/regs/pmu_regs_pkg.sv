// Generated from rtl/regs/pmu.rdl (sha256 1b67bb6022330b332343668a5fd3671df742217123d9e1966c817ef6051d218e). Do not edit: ./armature gen regs
package pmu_regs_pkg;
  // Power state of the controller
  localparam int unsigned StateOffset = 32'h0;
  localparam int unsigned StateStateLsb = 0;
  localparam int unsigned StateStateWidth = 3;
endpackage
