// Generated from rtl/regs/spn.rdl (sha256 44d30a75d8e1613e92b7662b8c264e5bceb0fa770eeaacb085d3a1ace6ce72cb). Do not edit: ./armature gen regs
package spn_regs_pkg;
  // Control
  localparam int unsigned CtrlOffset = 32'h0;
  localparam int unsigned CtrlRunLsb = 0;
  localparam int unsigned CtrlRunWidth = 1;
  localparam int unsigned CtrlSpeedLsb = 1;
  localparam int unsigned CtrlSpeedWidth = 3;
  localparam int unsigned CtrlGoLsb = 31;
  localparam int unsigned CtrlGoWidth = 1;
  // Status
  localparam int unsigned StatusOffset = 32'h4;
  localparam int unsigned StatusEighthRpmLsb = 0;
  localparam int unsigned StatusEighthRpmWidth = 18;
  localparam int unsigned StatusAtSpeedLsb = 30;
  localparam int unsigned StatusAtSpeedWidth = 1;
  // Interrupt status
  localparam int unsigned IntstatOffset = 32'h8;
  localparam int unsigned IntstatReadyLsb = 0;
  localparam int unsigned IntstatReadyWidth = 1;
  // Interrupt enable
  localparam int unsigned IntenOffset = 32'hc;
  localparam int unsigned IntenReadyLsb = 0;
  localparam int unsigned IntenReadyWidth = 1;
endpackage
