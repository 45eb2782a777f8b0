// Generated from rtl/regs/dbg.rdl (sha256 16e6a69d54ab3d896604cd4d95a4b69701417487c5329881211f137ebae49857). Do not edit: ./armature gen regs
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
  localparam int unsigned WaitReasonWidth = 2;
endpackage
