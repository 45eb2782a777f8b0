// Generated from rtl/regs/dbg.rdl (sha256 2808a1bd70eb1753a8b1e0e0d3f321bcebf79db8fa890b05b64407d13a2ff358). Do not edit: ./armature gen regs
package dbg_regs_pkg;
  // Console
  localparam int unsigned PutcOffset = 32'h0;
  localparam int unsigned PutcCharacterLsb = 0;
  localparam int unsigned PutcCharacterWidth = 8;
  // Firmware state
  localparam int unsigned StateOffset = 32'h4;
  localparam int unsigned StateStateLsb = 0;
  localparam int unsigned StateStateWidth = 8;
  localparam int unsigned StateTagLsb = 8;
  localparam int unsigned StateTagWidth = 10;
  // Fatal: firmware met an impossible state and stopped
  localparam int unsigned FatalOffset = 32'h8;
  localparam int unsigned FatalLineLsb = 0;
  localparam int unsigned FatalLineWidth = 32;
  // Accounting: what a command waits for while firmware holds it
  localparam int unsigned WaitOffset = 32'hc;
  localparam int unsigned WaitTagLsb = 0;
  localparam int unsigned WaitTagWidth = 10;
  localparam int unsigned WaitReasonLsb = 16;
  localparam int unsigned WaitReasonWidth = 3;
  // Accounting: firmware gives an arm to a command without a grant of the arm-arbitration unit
  localparam int unsigned ArmOffset = 32'h10;
  localparam int unsigned ArmTagLsb = 0;
  localparam int unsigned ArmTagWidth = 10;
  localparam int unsigned ArmArmLsb = 16;
  localparam int unsigned ArmArmWidth = 4;
  // Counters that firmware keeps, by enum fw_counter
  localparam int unsigned CounterOffset = 32'h40;
  localparam int unsigned CounterCount = 32;
  localparam int unsigned CounterValueLsb = 0;
  localparam int unsigned CounterValueWidth = 32;
endpackage
